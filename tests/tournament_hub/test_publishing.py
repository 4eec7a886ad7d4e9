"""What a tournament tells: parts for tables and displays, names, prizes where a club has them, announcements, the clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from table_controller import messages as m
from table_controller.messages.tournament import (
    Announcement,
    Clock,
    Moves,
    Payouts,
    PublicMoves,
    PublicPayouts,
    PublicStandings,
    Standings,
)
from tests.tournament_hub.test_directing import CONFIG, Room3
from tournament_hub import publishing
from tournament_hub.config import parse_config
from tournament_hub.effects import Effects, Inbound, Outbound
from tournament_hub.errors import ConfigError
from tournament_hub.logic import colour_up
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, free_seats
from tournament_hub.room import Room
from tournament_hub.store import Store
from tournament_hub.store_people import Person, save_person

BOOK = """
id = "club"
name = "Club"
version = "1"
extends = "tda2024"
date = "2026-01-01"
source = "Statuts"
[tournament]
money = { is = "on", article = "Statuts 4" }
"""


def room_of(folder: Path, text: str) -> Room3:
    return Room3(folder, parse_config(text, "hub.toml", folder))


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = room_of(tmp_path, CONFIG)
    yield hall
    hall.store.close()


def parts(effects: Effects, topic: str) -> list[Outbound]:
    return [out for out in effects.outbound if out.topic.endswith(topic)]


def test_everything_goes_to_displays_too_without_names_unless_the_club_shows_them(
    hall: Room3, tmp_path: Path
) -> None:
    hall.begin()
    hall.play("t1", next(iter(hall.tournament.state.tables["t1"].seats.values())))
    (shown,) = parts(hall.sent, "public/main/standings")
    assert shown.kind == "public"
    assert {row.name for row in m.decode(shown.payload, PublicStandings).rows} == {None}
    (tmp_path / "named").mkdir()
    named = room_of(tmp_path / "named", CONFIG.replace("seed = 7", "seed = 7\npublic_names = true"))
    named.pass_time()
    with named.store.transaction():
        save_person(named.store, Person("p-1", "Léa Martin"), named.utc)
    named.say(ev.Registered(entry="e1", player="p-1"), ev.Registered(entry="e2"))
    rows = m.decode(parts(named.sent, "public/main/standings")[-1].payload, PublicStandings).rows
    assert {(row.entry, row.name) for row in rows} == {("e1", "Léa Martin"), ("e2", None)}
    assert not any(
        "Léa".encode() in out.payload for out in named.sent.outbound if "/public/" not in out.topic
    )
    named.store.close()


def test_more_entries_than_a_message_holds_come_in_pages_the_first_of_them_last(hall: Room3) -> None:
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"{'entry' * 5}-{n:04}") for n in range(205)])
    pages = [m.decode(out.payload, Standings) for out in parts(hall.sent, "tournament/main/standings")]
    assert [page.first for page in pages] == [160, 80, 0]
    assert {row.entry for page in pages for row in page.rows} == set(hall.tournament.state.entries)
    public = [m.decode(out.payload, PublicStandings) for out in parts(hall.sent, "public/main/standings")]
    assert public[-1].first == 0 and sum(len(page.rows) for page in public) == 205
    assert all(len(out.payload) <= 16 * 1024 for out in hall.sent.outbound)


def test_no_prize_is_published_where_money_is_off_and_a_file_that_sets_one_is_refused(
    hall: Room3, tmp_path: Path
) -> None:
    hall.begin()
    assert parts(hall.sent, "payouts") == []
    text = CONFIG + '[tournament.main.money]\ncurrency = "EUR"\nprize = 1000\n'
    store = Store(tmp_path / "other.sqlite3")
    with pytest.raises(ConfigError, match="plays for none"):
        Room(store, parse_config(text, "hub.toml", tmp_path))
    store.close()


def test_prizes_are_the_pool_and_those_out_have_theirs(tmp_path: Path) -> None:
    book = tmp_path / "club.toml"
    book.write_text(BOOK)
    part = '[tournament.main.money]\ncurrency = "EUR"\nprize = 1000\nadded = 3\nshares = [5, 3, 2]\n'
    text = CONFIG.replace('rulebook = "tda2024"', f'rulebook = "{book}"\nplaces_paid = 3') + part
    hall = room_of(tmp_path, text)
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 5)])
    prizes = m.decode(parts(hall.sent, "tournament/main/payouts")[-1].payload, Payouts)
    assert prizes.pool == 4003 == sum(row.amount for row in prizes.rows)
    assert [row.amount for row in prizes.rows] == [2003, 1200, 800]
    hall.do_all("draw", "button")
    hall.say(ev.Started())
    table = next(iter(hall.tournament.state.entries.values())).place
    assert table is not None
    for number in (4, 3):
        hall.say(ev.Busted(table=table.table, entries=(f"e{number}",)))
    public = m.decode(parts(hall.sent, "public/main/payouts")[-1].payload, PublicPayouts)
    assert {row.place: (row.entry, row.amount) for row in public.rows}[3] == ("e3", 800)
    assert sum(row.amount for row in public.rows) == 4003
    # one renewed entry that is taken back: no prize is left from it
    hall.say(ev.Busted(table=table.table, entries=("e2",)))
    assert m.decode(parts(hall.sent, "tournament/main/payouts")[-1].payload, Payouts).pool == 4003
    hall.store.close()


def test_a_rebuy_is_asked_of_the_director_and_never_given_by_itself(tmp_path: Path) -> None:
    book = tmp_path / "club.toml"
    book.write_text(BOOK)
    text = CONFIG.replace(
        'rulebook = "tda2024"', f'rulebook = "{book}"\nrebuys = 1\nrebuy_stack = 500\nautomatic = ["button"]'
    )
    hall = room_of(tmp_path, text)
    hall.begin()
    entry = next(iter(hall.tournament.state.tables["t1"].seats.values()))
    answers = ask(hall, "t1", "rebuy", entry=entry)
    assert [answer.ok for answer in answers] == [True]
    hall.pass_time()
    assert hall.tournament.state.entries[entry].stack == 1000
    (asked,) = [p for p in hall.tournament.proposals(hall.now) if p.kind == "rebuy"]
    with hall.store.transaction():
        hall.tournament.do(asked.id, "Anne", hall.now, hall.utc)
    assert hall.tournament.state.entries[entry].stack == 1500
    assert not [p for p in hall.tournament.proposals(hall.now) if p.kind == "rebuy"]
    (refused,) = ask(hall, "t1", "rebuy", entry=entry, tx="r2")
    assert (refused.ok, refused.code) == (False, "no_rebuy")
    hall.store.close()


def test_a_rebuy_that_is_declined_changes_nothing_and_may_be_undone(tmp_path: Path) -> None:
    book = tmp_path / "club.toml"
    book.write_text(BOOK)
    text = CONFIG.replace('rulebook = "tda2024"', f'rulebook = "{book}"\nrebuys = 1\nrebuy_stack = 500')
    hall = room_of(tmp_path, text)
    hall.begin()
    entry = next(iter(hall.tournament.state.tables["t1"].seats.values()))
    ask(hall, "t1", "rebuy", entry=entry)
    with hall.store.transaction():
        hall.tournament.do(f"rebuy:{entry}", "Anne", hall.now, hall.utc, choice=0)
    assert hall.tournament.state.rebuys_asked == () and hall.tournament.state.entries[entry].rebuys == 0
    with hall.store.transaction():
        hall.tournament.undo(len(hall.tournament.log), "Anne", hall.now, hall.utc)
    assert hall.tournament.state.rebuys_asked == (entry,)
    hall.store.close()


def test_where_money_is_off_nobody_can_ask_for_a_rebuy(hall: Room3) -> None:
    hall.begin()
    entry = next(iter(hall.tournament.state.tables["t1"].seats.values()))
    (answer,) = ask(hall, "t1", "rebuy", entry=entry)
    assert (answer.ok, answer.code) == (False, "no_rebuy")


def ask(hall: Room3, table: str, kind: str, *, tx: str = "r1", **fields: object) -> list[m.Response]:
    """A table asks; what it is answered."""
    request = m.Request(tx=tx, t=1.0, utc=hall.utc, **fields)  # type: ignore[arg-type]
    with hall.store.transaction():
        topic = m.topics.request("test", table, kind)
        hall.room.feed(Inbound(topic, m.encode(request)), hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    hall.sent = hall.room.take()
    return [m.decode(out.payload, m.Response) for out in hall.sent.outbound if out.kind == "response"]


# -- said once ---------------------------------------------------------------------------------


def said(effects: Effects) -> list[Announcement]:
    found = [out for out in effects.outbound if out.topic.endswith("/tournament/main/announce")]
    assert all(out.once for out in found)  # the broker does not keep it: nobody hears it twice
    shown = [out.payload for out in effects.outbound if out.topic.endswith("/public/main/announce")]
    assert shown == [out.payload for out in found]
    return [m.decode(out.payload, Announcement) for out in found]


def test_the_room_is_told_of_levels_breaks_tables_and_hand_for_hand(hall: Room3) -> None:
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
    hall.do_all("draw", "button")
    hall.say(ev.Passed(block="start", reason="test"), ev.Started())
    assert [one.kind for one in said(hall.sent)] == ["start"]
    (pause,) = said(hall.pass_time(601.0))
    assert (pause.kind, pause.text.fr, pause.text.en) == (
        "break",
        "Pause de 5 minutes",
        "Break of 5 minutes",
    )
    (level,) = said(hall.pass_time(301.0))
    assert level.kind == "level" and level.text.fr.startswith("Niveau 2") and "200" in level.text.en
    assert said(hall.pass_time(31.0)) == []
    hall.say(ev.HandForHandAnnounced())
    assert [one.kind for one in said(hall.sent)] == ["hand_for_hand"]
    hall.say(ev.HandForHandEnded(), ev.Passed(block="finish", reason="test"), ev.Finished())
    assert [one.kind for one in said(hall.sent)] == ["hand_for_hand", "over"]
    assert len({one.id for one in said(hall.sent)}) == 2


def test_a_wall_clock_that_was_set_moves_nothing_and_is_told_to_displays(hall: Room3) -> None:
    hall.begin()
    hall.pass_time(5.0)
    before = hall.tournament.state.clock
    for step in (6 * 3600.0, -6 * 3600.0):
        assert parts(hall.pass_time(1.0), "tournament/main/clock") == []
        hall.stepped += step
        (told,) = parts(hall.pass_time(1.0), "tournament/main/clock")
        clock = m.decode(told.payload, Clock)
        assert clock.utc == hall.utc and hall.tournament.state.clock is before
        passed = hall.tournament.time(hall.now) - before.began
        assert clock.remaining_s == pytest.approx(600.0 - passed, abs=0.01)


# -- entries, settings, the file -----------------------------------------------------------------


def test_entries_may_come_before_the_hub_has_ticked_once(hall: Room3) -> None:
    hall.say(ev.Registered(entry="e1"))
    assert isinstance(hall.tournament.log[0].event, ev.Opened)
    assert set(hall.tournament.state.tables) == {"t1", "t2", "t3"}
    hall.pass_time()
    assert sum(isinstance(record.event, ev.TableOpened) for record in hall.tournament.log) == 3


def test_tables_and_settings_that_are_new_in_the_file_are_taken_over_at_the_next_start(
    hall: Room3, tmp_path: Path
) -> None:
    hall.begin()
    text = CONFIG.replace('"t1", "t2"', '"t1", "t2", "t4"').replace(
        "seed = 7", 'seed = 7\ntitle = "Vendredi"'
    )
    hall.store.close()
    hall.config = parse_config(text, "hub.toml", tmp_path)
    hall.open()
    hall.pass_time()
    state = hall.tournament.state
    assert state.settings.title == "Vendredi" and state.tables["t4"].status == "open"
    hall.say(ev.Opened(settings=msgspec.structs.replace(state.settings, title="Samedi")))
    hall.restart()
    hall.pass_time()
    # what people have set stays until the file changes
    assert hall.tournament.state.settings.title == "Samedi"
    longer = tuple(msgspec.structs.replace(stage, seconds=900.0) for stage in state.settings.stages)
    hall.say(ev.LevelsSet(stages=longer))
    hall.store.close()
    hall.config = parse_config(text.replace("Vendredi", "Dimanche"), "hub.toml", tmp_path)
    for _ in range(2):
        hall.open()
        hall.pass_time()
        settings = hall.tournament.state.settings
        assert (settings.title, settings.stages) == ("Dimanche", longer)  # the file's levels are as before
        hall.store.close()
    hall.open()


def test_settings_that_do_not_fit_any_more_are_an_alarm_once(hall: Room3, tmp_path: Path) -> None:
    hall.begin()
    hall.store.close()
    text = CONFIG.replace("starting_stack = 1000\n", "")
    hall.config = parse_config(text, "hub.toml", tmp_path)
    hall.open()
    for _ in range(3):
        hall.pass_time()
    alarms = [alarm for alarm in hall.store.alarms() if alarm.code == "tournament_refused"]
    assert [alarm.times for alarm in alarms] == [1]
    assert hall.tournament.state.settings.starting_stack == 1000


def test_draw_gives_seats_and_buttons_and_begin_starts(hall: Room3) -> None:
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
    with hall.store.transaction():
        hall.tournament.draw("Anne", hall.now, hall.utc)
        hall.tournament.begin("Anne", hall.now, hall.utc, reason="petit comité")
    state = hall.tournament.state
    assert state.started and {entry.where for entry in state.entries.values()} == {"seated"}
    assert all(state.tables[name].first_button is not None for name in ("t1", "t2"))


def test_lots_go_to_the_places_that_are_decided(tmp_path: Path) -> None:
    hall = room_of(tmp_path, CONFIG.replace("seed = 7", 'seed = 7\nlots = ["Coupe", "Livre"]'))
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 4)])
    hall.do_all("draw", "button")
    hall.say(ev.Started())
    place = hall.tournament.state.entries["e1"].place
    assert place is not None
    hall.say(ev.Busted(table=place.table, entries=("e1",)), ev.Busted(table=place.table, entries=("e2",)))
    assert [(lot.entry, lot.texts) for lot in hall.tournament.lots()] == [("e2", ("Livre",))]
    hall.say(ev.Finished())
    assert ("e3", ("Coupe",)) in [(lot.entry, lot.texts) for lot in hall.tournament.lots()]
    hall.store.close()


def test_chips_are_coloured_up_by_the_book_in_a_break_and_the_ledger_agrees(tmp_path: Path) -> None:
    hall = room_of(tmp_path, CONFIG.replace("tda2024", "ppc2011"))
    hall.begin()
    seats = hall.tournament.state.tables["t1"].seats
    chips = dict.fromkeys(seats.values(), 3)

    def exchange() -> colour_up.TableLog:
        with hall.store.transaction():
            return hall.tournament.colour_up("t1", 25, 50, chips, "Anne", hall.now, hall.utc)

    with pytest.raises(Refused) as refused:
        exchange()
    assert refused.value.code == "colour-up-when" and "PPC 2.1" in str(refused.value)
    hall.pass_time(601.0)
    told = exchange()
    assert told.article == "PPC 10.3" and told.after == told.before + told.rescued - told.removed
    entries = hall.tournament.state.entries
    assert {entries[name].stack for name in seats.values()} == {1025}
    assert hall.tournament.state.ledger[-1].amount == told.rescued == 25 * len(seats)
    with pytest.raises(Refused) as refused:
        chips[next(iter(chips))] = 900
        exchange()
    assert refused.value.code == "colour-up"
    with hall.store.transaction():
        hall.tournament.undo(len(hall.tournament.log), "Anne", hall.now, hall.utc)
    assert {hall.tournament.state.entries[name].stack for name in seats.values()} == {1000}
    hall.store.close()


def test_the_longest_ids_and_names_fit_into_every_message(tmp_path: Path) -> None:
    tables = [f"{'table' * 5}-{n:02}" for n in range(12)]
    listed = ", ".join(f'"{name}"' for name in tables)
    text = CONFIG.replace('tables = ["t1", "t2"]', f"tables = [{listed}]").replace(
        "seats = 4", "seats = 10\npublic_names = true"
    )
    hall = room_of(tmp_path, text)
    hall.voices.clear()
    entries = [f"{'e' * 27}-{n:04}" for n in range(119)]
    with hall.store.transaction():
        for number in range(len(entries)):
            save_person(hall.store, Person(f"p-{number}", "\U0001f0a1" * 90), hall.utc)
        for number, entry in enumerate(entries):
            event = ev.Registered(entry=entry, player=f"p-{number}", stack=10**12)
            hall.tournament.say(event, "Anne", hall.now, hall.utc)
        hall.tournament.draw("Anne", hall.now, hall.utc)
        for number, entry in enumerate(entries[:60]):
            place = hall.tournament.state.entries[entry].place
            free = next(
                ev.Place(table.id, seat)
                for table in hall.tournament.state.tables.values()
                for seat in range(1, table.capacity + 1)
                if seat not in table.seats and table.id != place.table
            )
            hall.tournament.say(
                ev.MovePlanned(move=f"{'m' * 27}-{number:04}", entry=entry, target=free),
                "Anne",
                hall.now,
                hall.utc,
            )
            hall.tournament.say(ev.MoveLeft(move=f"{'m' * 27}-{number:04}"), "Anne", hall.now, hall.utc)
            hall.tournament.say(ev.MoveArrived(move=f"{'m' * 27}-{number:04}"), "Anne", hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc, whole=True)
    sent = hall.room.take().outbound
    assert {out.topic.rpartition("/")[2] for out in sent} >= {"standings", "moves", "info"}
    assert max(len(out.payload) for out in sent) <= 16 * 1024
    hall.store.close()


def test_what_no_message_can_hold_is_an_alarm_and_the_room_goes_on(tmp_path: Path) -> None:
    names = ", ".join('"' + "t" * 27 + f'-{number:04}"' for number in range(520))
    text = CONFIG.replace('without_device = ["t3"]', f"without_device = [{names}]")
    hall = room_of(tmp_path, text)
    hall.pass_time()
    assert [(alarm.code, alarm.table) for alarm in hall.store.alarms()] == [("message_refused", "")]
    hall.say(ev.Registered(entry="e1"))
    assert parts(hall.sent, "tournament/main/standings")
    hall.store.close()


def test_who_comes_later_has_every_page_within_a_minute_and_one_page_is_not_said_again(hall: Room3) -> None:
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"entry-{n:04}") for n in range(130)])
    known = len(parts(hall.sent, "tournament/main/standings"))
    assert known == 2
    hall.pass_time(publishing.PAGES_S / 2)
    assert parts(hall.sent, "/main/standings") == []
    again = hall.pass_time(publishing.PAGES_S)
    pages = [m.decode(out.payload, Standings) for out in parts(again, "tournament/main/standings")]
    assert [page.first for page in pages] == [80, 0] and {page.total for page in pages} == {130}
    assert {row.entry for page in pages for row in page.rows} == set(hall.tournament.state.entries)
    public = [m.decode(out.payload, PublicStandings) for out in parts(again, "public/main/standings")]
    assert sum(len(page.rows) for page in public) == 130 and public[-1].first == 0
    assert not parts(again, "/info") and not parts(again, "/moves")


def test_an_open_move_is_told_however_many_came_after_it(hall: Room3) -> None:
    hall.begin()
    state = hall.tournament.state
    first, other = list(state.tables["t1"].seats.values())[:2]
    free = {name: Place(name, free_seats(state, state.tables[name])[0]) for name in ("t2", "t3")}
    hall.say(ev.MovePlanned(move="first", entry=first, target=free["t3"]))
    for number in range(45):
        hall.say(
            ev.MovePlanned(move=f"m{number}", entry=other, target=free["t2"]),
            ev.MoveCancelled(move=f"m{number}"),
        )
    told = m.decode(parts(hall.sent, "tournament/main/moves")[-1].payload, Moves)
    assert [row.move for row in told.rows[:2]] == ["m44", "m43"] and len(told.rows) == 40
    assert told.rows[-1].move == "first"
    shown = m.decode(parts(hall.sent, "public/main/moves")[-1].payload, PublicMoves)
    assert (shown.rows[0].move, shown.rows[-1].move, len(shown.rows)) == ("m44", "first", 20)
