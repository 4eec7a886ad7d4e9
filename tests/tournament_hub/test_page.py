"""The floor page: every table in words, unknown as a dash, every change live, nothing for strangers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from table_controller import messages as m
from tournament_hub.hub import Hub
from webkit.pairing import Role

UTC = "2024-05-01T20:00:00Z"
THIN = "\u202f"
LEVEL = m.Level(n=2, small_blind=100, big_blind=200, ante=m.Ante(kind="big_blind", amount=200))
SNAPSHOT: dict[str, Any] = {
    "hand": 12,
    "phase": "flop",
    "button": 1,
    "blinds": LEVEL,
    "seats": (
        m.StateSeat(seat=1, entry="e1"),
        m.StateSeat(seat=4, entry="e4"),
        m.StateSeat(seat=6, folded=True),
    ),
    "stacks": {1: 18350, 4: None, 6: 0},
    "bets": {1: 650},
    "pots": (m.Pot(amount=1250, seats=(1, 4)), m.Pot(amount=None, seats=(1,))),
    "board": ("9h", "Td", None),
    "to_act": 4,
    "doubts": (m.DoubtAt(place="seat4", reason="not_read"),),
}


@contextlib.contextmanager
def director(hub: Hub) -> Iterator[httpx.Client]:
    """A browser that opened the link which the hub prints at its first start."""
    link = hub.director_link()
    assert link is not None
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        assert client.post(link.removeprefix(hub.url), data={"device": "Anne"}).status_code == 303
        yield client


def fragments(stream: httpx.Response) -> Iterator[tuple[str, str]]:
    """The fragments of a live channel."""
    name, data = "", []
    for line in stream.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            data.append(line[6:])
        elif not line and name:
            if name != "pulse":
                yield name, "\n".join(data)
            name, data = "", []


def until(found: Iterator[tuple[str, str]], name: str, text: str) -> str:
    """The first fragment of this name that holds this text."""
    for fragment, html in found:
        if fragment == name and text in html:
            return html
    raise AssertionError(f"no {name} with {text!r}")


def test_page_shows_a_table_in_words(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hub = hubs()
    table = voices()
    table.say()
    table.beat()
    table.stream.hand = 12
    table.show(**SNAPSHOT)
    ruling = m.Ruling(
        ruling="card_replaced",
        incident="card_exposed_in_deal",
        rulebook="ropta",
        article="ROPTA exposed",
        seats=(4,),
    )
    table.send(table.stream.event(ruling))
    table.send(table.stream.event(m.Action(seat=4, kind="raise", to=650)))
    table.send(table.stream.event(m.Board(street="flop", cards=("9h", "Td", None))))
    table.wait_acked()
    wait(lambda: hub.floor.tile("t1").state, "the snapshot arrived")
    french = httpx.get(hub.url).text
    for text in (
        "Table 1",
        "Main 12",
        "en ligne",
        f"Pot 1{THIN}250",
        "annexe 1 : —",
        "Blinds 100/200, ante de grosse blind 200",
        f"18{THIN}350",
        "mise 650",
        "passé",
        "à lui",
        "Siège 4 à la parole",
        "Doute, siège 4 : carte non lue",
        "Carte du siège 4 morte, remplacée à la fin de la donne",
        "(ROPTA exposed)",
        "siège 4 relance à 650",
        'Flop : <span class="face h">9♥</span> <span class="face d">10♦</span> carte non lue',
    ):
        assert text in french, text
    english = httpx.get(hub.url + "/?lang=en").text
    for text in (
        "Hand 12",
        "online",
        "Pot 1,250",
        "big-blind ante 200",
        "Seat 4 to act",
        "seat 4 raises to 650",
    ):
        assert text in english, text


def test_unknown_is_a_dash_and_never_zero(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hub = hubs()
    table = voices()
    table.beat()
    table.show(seats=(m.StateSeat(seat=4),), stacks={4: None})
    wait(lambda: hub.floor.tile("t1").state, "the snapshot arrived")
    page = httpx.get(hub.url).text
    tile = page.partition('<article class="tile')[2].partition("</article>")[0]
    assert "Main —" in tile and "Pot —" in tile and '<span class="stack">—</span>' in tile
    assert ">0<" not in tile
    table.show(seats=(m.StateSeat(seat=4),), stacks={4: 0})  # a stack that is known to be empty says so
    wait(lambda: ">0<" in httpx.get(hub.url).text, "zero is shown when it is known")


def test_table_never_heard_says_so(hubs: Callable) -> None:
    page = httpx.get(hubs().url).text
    assert "pas encore entendue" in page and "Aucune image de la table reçue." in page


def test_room_without_tables_says_so(hubs: Callable) -> None:
    assert "Aucune table" in httpx.get(hubs("").url).text


def test_live_channel_gives_everything_at_connect_and_every_change(hubs: Callable, voices: Callable) -> None:
    hub = hubs()
    table = voices()
    with httpx.stream("GET", hub.url + "/live?lang=en", timeout=15) as stream:
        found = fragments(stream)
        assert [next(found)[0] for _ in range(7)] == [
            "bar",
            "calls",
            "plan",
            "alarms",
            "tables",
            "byhand",
            "log",
        ]
        table.say()
        table.beat()
        until(found, "tile-t1", "online")
        table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
        until(found, "log", "seat 4 folds")
        late = voices("t2")
        late.beat()
        html = until(found, "tables", "t2")
        assert "Table 1" in html
    with httpx.stream("GET", hub.url + "/live?lang=en", timeout=15) as again:
        assert "seat 4 folds" in until(fragments(again), "log", "Hand 1")


def test_no_route_acts_or_shows_without_its_role(hubs: Callable) -> None:
    hub = hubs()
    roles = {page.path: page.needs for page in hub._pages.pages}
    assert {path for path, needs in roles.items() if needs is None} == {
        "/static/{file}",
        "/login",
        "/pair/{token}",
    }
    assert {path for path, needs in roles.items() if needs is Role.DISPLAY} == {
        "/",
        "/live",
        "/hall",
        "/hall/{tournament}",
        "/hall/{tournament}/live",
        "/hands",
        "/hands/{table}/{hand:int}",
        "/tables/{table}",
        "/tables/{table}/hands",
        "/tables/{table}/live",
        "/season",
        "/season/standings.csv",
        "/season/results.csv",
        "/sign-in/{tournament}/seats",
        "/referee",
        "/referee/{book}",
        "/referee/{book}/{answers:path}",
    }
    with httpx.Client(base_url=hub.url) as visitor:  # somebody elsewhere, through a proxy on this machine
        for page in hub._pages.pages:
            path = page.path.replace(":int", "").replace(":path", "")
            path = path.format(
                table="t1",
                ident="1",
                file="x",
                token="x",
                book="ropta",
                answers="burn",
                tournament="x",
                act="x",
                hand="1",
                call="c1",
            )
            for method in page.methods:
                answer = visitor.request(method, path, headers={"x-forwarded-for": "10.0.0.9"})
                expected = (404, 415, 200, 403) if page.needs is None else (401,)
                assert answer.status_code in expected, (method, path, answer.status_code)
        assert visitor.get("/").status_code == 200  # at the machine itself: may look
        assert visitor.post("/tables/t1/hold", data={"x": "1"}).status_code == 403  # and not act


def test_director_holds_and_releases_a_table_from_the_page(
    hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub = hubs()
    table = voices()
    with director(hub) as client:
        assert hub.director_link() is None  # there is one now
        assert "/tables/t1/hold" in client.get("/").text
        assert client.post("/tables/t1/hold", data={}).status_code == 303
        wait(lambda: table.desired and table.desired[-1].hold == ("floor",), "the table is told")
        page = client.get("/").text
        assert (
            "Arrêtée avant la prochaine main" in page and "arrêtée avant la prochaine main, par Anne" in page
        )
        assert client.post("/tables/t1/release", data={}).status_code == 303
        wait(lambda: table.desired[-1].hold == (), "the table is told")
        assert client.post("/tables/nowhere/hold", data={}).status_code == 409
    assert "/tables/t1/hold" not in httpx.get(hub.url).text


def test_alarm_is_shown_and_taken_by_name(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hub = hubs()
    voices().publish("event", b"{")
    wait(lambda: hub.floor.alarms, "the alarm is there")
    assert "Table 1 : message illisible, refusé" in httpx.get(hub.url).text
    with director(hub) as client:
        ident = hub.floor.alarms[0].ident
        assert client.post(f"/alarms/{ident}/take", data={}).status_code == 303
        page = client.get("/").text
        assert 'class="banner bad alarm"' not in page and "Alarme vue par Anne" in page


def test_words_of_a_table_cannot_become_markup(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hub = hubs()
    table = voices()
    bad = "<script>alert(1)</script>"
    alert = m.Alert(id="a", kind="other", text=m.Words(fr=bad, en=bad), t=1.0, utc=UTC)
    table.publish("alert/a", m.encode(alert), retain=True)
    table.send(table.stream.event(m.Ruling(ruling="x", incident="y", rulebook="z", article=bad)))
    table.wait_acked()
    wait(lambda: hub.floor.tile("t1").alerts, "the alert is there")
    page = httpx.get(hub.url).text
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


def test_page_holds_no_card_that_lies_face_down(hubs: Callable, voices: Callable) -> None:
    """Deal events carry counts only; two cards dealt leave no face on the page."""
    hub = hubs()
    table = voices()
    table.stream.hand = 1
    table.send(table.stream.event(m.Dealt(seat=4, n=2)), table.stream.event(m.Burned(n=1)))
    table.wait_acked()
    assert 'class="face h"' not in (page := httpx.get(hub.url).text) and "♠" not in page and "♥" not in page


@pytest.mark.parametrize("path", ["/..%2f", "/tables/t1/hold", "/live/x", "/alarms/x/take"])
def test_odd_requests_find_nothing(hubs: Callable, path: str) -> None:
    assert httpx.get(hubs().url + path).status_code in (404, 405)
