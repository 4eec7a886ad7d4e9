"""The door: sixty people in one tap each, two phones at once, latecomers, the draw, every act taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import httpx
import pytest

from tests.tournament_hub.money_words import MONEY
from tournament_hub.hub import Hub
from tournament_hub.logic import clock as clocks
from tournament_hub.logic.events import Clocked, Disqualified, HandStarted
from tournament_hub.store_people import Person, people, save_person
from tournament_hub.web.sign_in import door_texts
from tournament_hub.web.sign_in_acts import Door
from webkit.language import LANGUAGES

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
without_device = ["t1", "t2", "t3", "t4", "t5", "t6", "t7"]
seats = 9
starting_stack = 20000
seed = 5
levels = [
  { minutes = 20, small_blind = 100, big_blind = 200 }, { minutes = 20, small_blind = 200, big_blind = 400 },
  { minutes = 20, small_blind = 300, big_blind = 600 }, { minutes = 20, small_blind = 400, big_blind = 800 },
]
[tournament.side]
title = "Sit & Go"
without_device = ["t8"]
"""
CLUB = [f"Joueur {chr(65 + number // 26)}{chr(97 + number % 26)}" for number in range(60)]
HTMX = {"hx-request": "true"}
AT = "/sign-in/main"
LONG_AGO = "2024-01-06T19:00:00Z"


def plain(html: str) -> str:
    """What a person reads."""
    text = unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text)


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """A room with sixty people on the club's list and seven tables told by people."""
    hub = hubs(TOURNAMENT)
    wait(
        lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 7, "tables are set up"
    )

    def enlist(room: object, now: float) -> None:
        for number, name in enumerate(CLUB):
            save_person(room.store, Person(f"p-{number}", name, number=str(100 + number)), LONG_AGO)  # type: ignore[attr-defined]

    hub.decide(enlist).result(10)
    return hub


@pytest.fixture
def phone(evening: Hub) -> Iterator[httpx.Client]:
    """The phone at the door."""
    link = evening.director_link()
    assert link is not None
    with httpx.Client(base_url=evening.url, timeout=15) as client:
        client.post(link.removeprefix(evening.url), data={"device": "Anne"})
        yield client


def tap(client: httpx.Client, do: str, person: str = "", **fields: str) -> str:
    """One button; what is said."""
    answer = client.post(f"{AT}/act", data={"do": do, "person": person, **fields}, headers=HTMX)
    assert answer.status_code == 200
    return plain(answer.text.partition("<div hx-swap-oob")[0])


def entries(hub: Hub) -> dict[str, object]:
    """Pseudonym → entry."""
    shown = hub.floor.tournament("main")
    assert shown is not None
    found = list(shown.state.entries.values())
    assert len({entry.player for entry in found}) == len(found)
    return {entry.player: entry for entry in found}


def draw(client: httpx.Client, do: str, **fields: str) -> httpx.Response:
    """A button of the draw's page, with the fields that stand on it."""
    page = client.get(f"{AT}/draw").text
    held = {name: re.search(rf'name="{name}" value="([^"]*)"', page) for name in ("seed", "digest")}
    data = {name: unescape(found[1]) for name, found in held.items() if found is not None}
    return client.post(f"{AT}/draw", data={"do": do, **data, **fields})


def known(hub: Hub) -> list[Person]:
    """The club's list, from the record."""
    return hub.decide(lambda room, now: people(room.store)).result(10)


def test_sixty_people_are_signed_in_with_one_tap_each_and_drawn_with_one(
    phone: httpx.Client, evening: Hub
) -> None:
    page = phone.get(AT).text
    assert page.count('value="arrive"') == 60
    taps = 0
    for number, name in enumerate(CLUB):
        said = tap(phone, "all" if number % 2 else "arrive", f"p-{number}")
        taps += 1
        assert f"{name} : arrivé" in said
    assert "60 arrivés" in plain(phone.get(AT).text)
    preview = phone.get(f"{AT}/draw").text
    assert "Tirer 60 places ainsi" in preview
    proposed = re.findall(r"<li><b>(\d+)</b> (Joueur \w+)", preview)
    assert len(proposed) == 60
    assert draw(phone, "draw").status_code == 303
    taps += 1
    assert taps == 61
    drawn = phone.get(f"{AT}/draw").text
    assert re.findall(r"<li><b>(\d+)</b> (Joueur \w+)", drawn) == proposed  # what was shown is what was done
    sizes = [len(table.seats) for table in evening.floor.tournament("main").state.tables.values()]  # type: ignore[union-attr]
    assert sum(sizes) == 60 and max(sizes) - min(sizes) <= 1
    assert [(p.paid_up != "", p.adult) for p in known(evening)[:2]] in ([(False, False), (True, True)],)


def test_one_tap_sets_a_fact_for_the_season_and_the_next_evening_knows_it(
    phone: httpx.Client, evening: Hub
) -> None:
    assert "à jour pour la saison" in tap(phone, "paid.1", "p-3")
    assert "majeur" in tap(phone, "adult.1", "p-3")
    page = phone.get(AT).text
    row = page.partition('id="row-p-3"')[2].partition("</li>")[0]
    assert 'value="paid.0" aria-pressed="true"' in row and 'value="adult.0" aria-pressed="true"' in row
    assert 'value="all"' not in row  # nothing is missing
    assert entries(evening) == {}  # and nobody is here by that
    assert "pas à jour" in tap(phone, "paid.0", "p-3")
    held = next(person for person in known(evening) if person.person == "p-3")
    assert (held.paid_up, held.adult, held.number) == ("", True, "103")


def test_a_walk_in_is_one_entry_however_often_it_is_typed(phone: httpx.Client, evening: Hub) -> None:
    assert "Zoé Quatrefages : nouveau, arrivé" in tap(phone, "walk_in", name="  Zoé   Quatrefages ")
    said = tap(phone, "walk_in", name="zoe quatrefages")
    assert "déjà noté par Anne" in said and "Une seule inscription" in said
    assert "Une autre personne : zoe quatrefages (2)" in said
    assert len(entries(evening)) == 1
    tap(phone, "walk_in", name="zoe quatrefages", another="1")
    assert len(entries(evening)) == 2
    assert [p.name for p in known(evening) if "uatrefages" in p.name] == [
        "zoe quatrefages (2)",
        "Zoé Quatrefages",
    ]
    assert "Tapez d'abord un nom" in tap(phone, "walk_in", name=" 12 ")
    assert len(entries(evening)) == 2


def test_a_name_typed_by_mistake_leaves_the_list_again(phone: httpx.Client, evening: Hub) -> None:
    tap(phone, "walk_in", name="Mar")
    cause = re.search(r'name="cause" value="([^"]+)"', phone.get(AT).text)
    assert cause is not None
    tap(phone, "undo", cause=cause[1])
    assert entries(evening) == {} and len(known(evening)) == 60
    tap(phone, "arrive", "p-1")
    cause = re.search(r'name="cause" value="([^"]+)"', phone.get(AT).text)
    assert cause is not None
    tap(phone, "undo", cause=cause[1])
    assert len(known(evening)) == 60  # who was on the list before stays there
    tap(phone, "walk_in", name="Mar")
    (slip,) = [person.person for person in known(evening) if person.name == "Mar"]
    assert "maldonne hub forget" in tap(phone, "strike", slip)  # it plays
    tap(phone, "withdraw", slip)
    assert "Mar : effacé de la liste du club" in tap(phone, "strike", slip)
    assert len(known(evening)) == 60

    def both(room: object, now: float) -> None:
        """Somebody puts a name on the club's list, and it is tapped at the door in the same second."""
        save_person(room.store, Person("p-same", "Nadia Meyer"), room.utc)  # type: ignore[attr-defined]
        Door(room, "main", "Anne", now, "2024").arrive("p-same")  # type: ignore[arg-type]

    evening.decide(both).result(10)
    causes = re.findall(r'name="cause" value="([^"]+)"', phone.get(AT).text)
    tap(phone, "undo", cause=causes[-1])  # the button of the last act stands behind the list of those before
    assert "p-same" not in entries(evening) and "p-same" in {person.person for person in known(evening)}
    assert "effacé" in tap(phone, "strike", "p-same")

    def long_ago(room: object, now: float) -> None:
        sql = "UPDATE people SET added_utc = '2020-01-01T00:00:00Z' WHERE person = 'p-2'"
        room.store.database.execute(sql)  # type: ignore[attr-defined]

    evening.decide(long_ago).result(10)
    assert "maldonne hub forget" in tap(phone, "strike", "p-2")
    assert len(known(evening)) == 60


def test_the_name_stands_in_the_table_of_names_and_in_no_record(phone: httpx.Client, evening: Hub) -> None:
    tap(phone, "walk_in", name="Zénobie Quatrefages")
    raw = evening.decide(lambda room, now: b"".join(room.store.records("main"))).result(10)
    assert b"Quatrefages" not in raw and b"p-" in raw


def test_two_phones_that_tap_the_same_name_give_one_entry_and_one_is_told(
    phone: httpx.Client, evening: Hub
) -> None:
    cookies = dict(phone.cookies)

    def arrive(_: int) -> str:
        with httpx.Client(base_url=evening.url, timeout=15, cookies=cookies) as other:
            return tap(other, "arrive", "p-7")

    def walk_in(_: int) -> str:
        with httpx.Client(base_url=evening.url, timeout=15, cookies=cookies) as other:
            return tap(other, "walk_in", name="Ève Neuve")

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(arrive, range(4)))
        also = list(pool.map(walk_in, range(4)))
    assert sum(": arrivé" in text for text in said) == 1
    assert sum("déjà noté par Anne" in text for text in said) == 3
    assert sum("nouveau, arrivé" in text for text in also) == 1
    assert sum("déjà noté" in text for text in also) == 3
    assert len(entries(evening)) == 2


def test_who_is_awaited_keeps_a_seat_and_sits_when_he_comes(phone: httpx.Client, evening: Hub) -> None:
    for number in range(8):
        tap(phone, "arrive", f"p-{number}")
    assert "attendu" in tap(phone, "expect", "p-8")
    assert "8 arrivés · 1 attendu" in plain(phone.get(AT).text)
    draw(phone, "draw")
    assert draw(phone, "start").status_code == 303
    held = entries(evening)["p-8"]
    assert held.absent and held.place is not None  # type: ignore[attr-defined]
    said = tap(phone, "arrive", "p-8")
    assert f"siège {held.place.seat}" in said  # type: ignore[attr-defined]
    assert not entries(evening)["p-8"].absent  # type: ignore[attr-defined]


def test_a_latecomer_has_his_seat_in_one_tap_and_the_undo_takes_it_back(
    phone: httpx.Client, evening: Hub
) -> None:
    for number in range(8):
        tap(phone, "arrive", f"p-{number}")
    draw(phone, "draw")
    said = tap(phone, "arrive", "p-20")  # after the draw, before the start
    assert re.search(r"Table \d, siège \d", said)
    draw(phone, "start")
    said = tap(phone, "arrive", "p-21")
    assert re.search(r"Joueur Av : arrivé Table \d, siège \d", said)
    page = phone.get(AT).text
    cause = re.search(
        r'name="cause" value="([^"]+)"><button name="do" value="undo" aria-label="([^"]+)"', page
    )
    assert cause is not None and "Joueur Av" in cause[2]
    assert "Annulé" in tap(phone, "undo", cause=cause[1])
    assert "p-21" not in entries(evening) and "p-20" in entries(evening)
    assert "déjà annulé" in tap(phone, "undo", cause=cause[1])


def test_after_the_late_levels_the_director_is_asked_before_somebody_gets_in(
    phone: httpx.Client, evening: Hub
) -> None:
    for number in range(8):
        tap(phone, "arrive", f"p-{number}")
    draw(phone, "draw")
    draw(phone, "start")
    evening.decide(
        lambda room, now: room.tournaments["main"].say(Clocked(act=clocks.Set(3)), "Anne", now, room.utc)
    ).result(10)
    said = tap(phone, "walk_in", name="Tard Venu")
    assert "entrées tardives sont closes" in said and "Laisser faire quand même" in said
    assert len(entries(evening)) == 8 and not any(p.name == "Tard Venu" for p in known(evening))
    assert "siège" in tap(phone, "walk_in", name="Tard Venu", anyway="1")
    state = evening.floor.tournament("main").state  # type: ignore[union-attr]
    assert len(state.entries) == 9 and "late" not in state.passed  # for this one only


def test_who_is_out_does_not_come_in_again_and_who_has_played_is_not_withdrawn(
    phone: httpx.Client, evening: Hub
) -> None:
    for number in range(8):
        tap(phone, "arrive", f"p-{number}")
    draw(phone, "draw")
    draw(phone, "start")
    held = entries(evening)

    def play(room: object, now: float) -> None:
        tournament = room.tournaments["main"]  # type: ignore[attr-defined]
        table = held["p-0"].place.table  # type: ignore[attr-defined]
        tournament.say(HandStarted(table=table, hand=1), table, now, "")
        tournament.say(Disqualified(entry=held["p-0"].id, left=True), "Anne", now, "")  # type: ignore[attr-defined]

    evening.decide(play).result(10)
    assert "pas de nouvelle entrée" in tap(phone, "arrive", "p-0")
    assert "a déjà joué" in tap(phone, "withdraw", "p-1")
    assert len(entries(evening)) == 8


def test_a_reserved_seat_is_kept_in_the_draw(phone: httpx.Client, evening: Hub) -> None:
    for number in range(12):
        tap(phone, "arrive", f"p-{number}")
    for person in ("p-4", "p-5", "p-30"):
        assert "siège réservé" in tap(phone, "lock", person, seat="1")
    draw(phone, "draw")
    held = entries(evening)
    places = [held[person].place for person in ("p-4", "p-5", "p-30")]  # type: ignore[attr-defined]
    assert [place.seat for place in places] == [1, 1, 1] and len({place.table for place in places}) == 3
    assert held["p-30"].absent  # type: ignore[attr-defined]
    assert "annulez d'abord le tirage" in tap(phone, "lock", "p-6", seat="1")


def test_a_draw_that_somebody_has_overtaken_is_shown_again_and_not_done(
    phone: httpx.Client, evening: Hub
) -> None:
    for number in range(10):
        tap(phone, "arrive", f"p-{number}")
    page = phone.get(f"{AT}/draw").text
    data = {n: re.search(rf'name="{n}" value="([^"]*)"', page)[1] for n in ("seed", "digest")}  # type: ignore[index]
    tap(phone, "arrive", "p-11")
    answer = phone.post(f"{AT}/draw", data={"do": "draw", **data})
    assert answer.status_code == 409 and "Les inscrits ont changé" in answer.text
    assert all(entry.where == "waiting" for entry in entries(evening).values())  # type: ignore[attr-defined]
    forged = {"do": "draw", "seed": "5/draw/99999", "digest": data["digest"]}
    assert phone.post(f"{AT}/draw", data=forged).status_code == 409


def test_draw_buttons_start_and_back_from_the_page(phone: httpx.Client, evening: Hub) -> None:
    for number in range(20):
        tap(phone, "arrive", f"p-{number}")
    draw(phone, "draw")
    assert "3 boutons" in plain(phone.get(f"{AT}/draw").text)
    draw(phone, "buttons")
    tables = evening.floor.tournament("main").state.tables.values()  # type: ignore[union-attr]
    assert all(table.first_button in table.seats for table in tables if table.seats)
    assert draw(phone, "undraw").status_code == 303
    assert all(entry.where == "waiting" for entry in entries(evening).values())  # type: ignore[attr-defined]
    draw(phone, "draw")
    assert draw(phone, "start").status_code == 303
    assert evening.floor.tournament("main").state.started  # type: ignore[union-attr]
    assert "Annuler le tirage" not in phone.get(f"{AT}/draw").text


def test_too_few_seats_are_said_and_a_table_more_helps(phone: httpx.Client, evening: Hub) -> None:
    for number in range(60):
        tap(phone, "arrive", f"p-{number}")
    for name in ("Un", "Deux", "Trois", "Quatre"):
        tap(phone, "walk_in", name=f"Hôte {name}")
    page = plain(phone.get(f"{AT}/draw").text)
    assert "Pas assez de sièges : ajoutez une table." in page and "Tirer" not in page.replace("Tirage", "")
    assert draw(phone, "table").status_code == 303
    assert "t9" in evening.floor.tournament("main").state.tables  # type: ignore[union-attr]
    assert draw(phone, "draw").status_code == 303
    assert all(entry.place is not None for entry in entries(evening).values())  # type: ignore[attr-defined]


def test_a_name_is_corrected_and_never_given_twice(phone: httpx.Client, evening: Hub) -> None:
    assert "corrigé" in tap(phone, "correct", "p-1", name="Léa Martin", number="7")
    assert "s'appelle déjà lea martin" in tap(phone, "correct", "p-2", name="lea martin", number="")
    assert "Le numéro 7 est déjà pris" in tap(phone, "correct", "p-2", name="Paul", number="7")
    assert [p.person for p in known(evening) if p.name in ("Léa Martin", "lea martin", "Paul")] == ["p-1"]
    tap(phone, "arrive", "p-1")
    tap(phone, "correct", "p-1", name="Léa Morin", number="7")
    assert list(evening.floor.tournament("main").names.values()) == ["Léa Morin"]  # type: ignore[union-attr]


def test_other_phones_get_the_rows_that_changed_and_only_those(phone: httpx.Client, evening: Hub) -> None:
    with phone.stream("GET", f"{AT}/live?lang=fr") as stream:
        lines = stream.iter_lines()
        seen: list[str] = []
        for line in lines:
            if line.startswith("event: ") and line != "event: pulse":
                seen.append(line[7:])
            if len(seen) == 2:
                break
        assert seen == ["head", "people"]
        with httpx.Client(base_url=evening.url, timeout=15, cookies=dict(phone.cookies)) as other:
            tap(other, "arrive", "p-9")
        seen = []
        for line in lines:
            if line.startswith("event: ") and line != "event: pulse":
                seen.append(line[7:])
            if "row-p-9" in seen and "head" in seen:
                break
        assert set(seen) == {"row-p-9", "head"}


def test_seats_by_name_and_by_table_for_everybody_who_may_look(phone: httpx.Client, evening: Hub) -> None:
    assert "pas encore tirées" in httpx.get(f"{evening.url}{AT}/seats").text
    for number in range(12):
        tap(phone, "arrive", f"p-{number}")
    draw(phone, "draw")
    page = httpx.get(f"{evening.url}{AT}/seats").text
    names = re.findall(r"<li><span>(Joueur \w+)</span> <b>Table (\d) · (\d)</b>", page)
    assert [name for name, _, _ in names] == sorted(CLUB[:12])
    assert 'value="arrive"' not in page and f'href="{AT}/draw"' not in page
    assert httpx.get(f"{evening.url}{AT}").status_code == 403


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_money_at_the_door(phone: httpx.Client, language: str) -> None:
    for number in range(4):
        tap(phone, "all", f"p-{number}")
    said = tap(phone, "paid.1", "p-9")
    pages = [
        phone.get(f"{AT}{at}?lang={language}").text
        for at in ("", "/draw", "/seats", "/lists", "/entries.csv", "/people.csv")
    ]
    for text in [said, *map(plain, pages), phone.get(f"/season?lang={language}").text]:
        assert not MONEY.search(text), MONEY.search(text)


def test_texts_name_no_money_and_none_is_left_unused() -> None:
    folder = Path(__file__).resolve().parents[2] / "tournament_hub" / "web"
    files = [
        f for f in folder.rglob("*") if f.suffix in (".py", ".html") and re.match(r"sign_in|season", f.name)
    ]
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    texts = door_texts()
    built = (
        "sign_in.said.",
        "sign_in.last.",
        "sign_in.refused.",
        "sign_in.state.",
        "sign_in.fault.",
        "sign_in.column.",
    )
    assert [
        name
        for name in texts
        if name not in sources
        and not name.startswith(built)
        and name not in ("sign_in.title", "sign_in.seats", "sign_in.lists", "sign_in.draw")
    ] == []
    said = set(re.findall(r'_told\([^"()]*"(\w+)"', sources)) - {"good"}
    assert {"arrived", "expected", "new"} <= said and all(f"sign_in.said.{word}" in texts for word in said)
    for name in texts:
        for language in LANGUAGES:
            values = dict.fromkeys(re.findall(r"{(\w+)}", texts._texts[language][name][0]), "x")
            values.pop("count", None)
            assert not MONEY.search(texts.text(language, name, 2, **values)), name


def test_what_does_not_exist_is_not_found(phone: httpx.Client) -> None:
    for at in ("/sign-in/other", "/sign-in/other/draw", "/sign-in/other/seats", "/sign-in/other/live"):
        assert phone.get(at).status_code == 404
    assert phone.post("/sign-in/other/act", data={"do": "arrive", "person": "p-1"}).status_code == 404
    assert phone.get("/sign-in").headers["location"] == AT
    assert "Rien n'a changé" in tap(phone, "dance", "p-1")
    assert (
        phone.post(f"{AT}/act", data={"do": "arrive", "person": "p-1"}).status_code == 200
    )  # without a script too
    assert phone.post(f"{AT}/act", data={"do": "dance"}).status_code == 409
