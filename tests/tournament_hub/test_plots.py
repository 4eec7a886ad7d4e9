"""Plots: what they tell follows from the log and the record, and every picture has axes, units and names."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.state import Place, Settings
from tournament_hub.store import Store
from tournament_hub.store_incidents import Incidents, Told
from tournament_hub.web import plots as draw
from tournament_hub.web.plots_data import Curve, Plots, plots

PRESET = preset_of(load_book("standard"))
SETTINGS = Settings(tournament="main", starting_stack=1000)


def evening() -> list[ev.Record]:
    """Four at a table with a dealer that changes; one out after an hour, hands every two minutes."""
    told: list[tuple[float, ev.Event]] = [(0.0, ev.TableOpened(table="1"))]
    for number in range(1, 5):
        told.append((0.0, ev.Registered(entry=f"e{number}")))
    seats = tuple(ev.Seating(f"e{n}", Place("1", n)) for n in range(1, 5))
    told += [
        (0.0, ev.Drawn(seats=seats)),
        (100.0, ev.Started()),
        (100.0, ev.DealerTold(table="1", dealer="Zoé")),
    ]
    for hand in range(1, 61):
        at = 100.0 + 120.0 * (hand - 1)
        if hand == 31:
            told.append((at, ev.DealerTold(table="1", dealer="Anne")))
        told.append((at, ev.HandStarted(table="1", hand=hand)))
        ended: dict[str, Any] = {"stacks": {"e1": 1000 + 10 * hand, "e2": 1000 - 10 * hand}}
        if hand == 30:
            ended = {"stacks": {"e1": 2300, "e2": 700}, "busts": {"e4": 400}}
        if hand > 30:
            ended = {"stacks": {"e1": 2300, "e2": 700}}
        told.append((at + 110.0, ev.HandEnded(table="1", hand=hand, void=hand == 60, **ended)))
    return [ev.Record(n=n, at=at, event=event) for n, (at, event) in enumerate(told, 1)]


def drawn_up(log: list[ev.Record], incidents: tuple[Told, ...] = ()) -> Plots:
    return plots(SETTINGS, log, PRESET, {"e1": "Émile"}, incidents, 7300.0)


def test_players_stacks_and_hands_are_those_of_the_log() -> None:
    incidents = (
        Told("1", 3, "x"),
        Told("1", 40, "y"),
        Told("1", 41, "y"),
        Told("1", 99, "z"),
        Told("1", None, "z"),
    )
    data = drawn_up(evening(), incidents)
    assert data.hours == 2.0
    first, last = data.players.points[0], data.players.points[-1]
    assert (first[1], last) == (4.0, (2.0, 3.0))
    out = next(hour for hour, left in data.players.points if left == 3.0)
    assert out == pytest.approx((29 * 120 + 110) / 3600)
    assert [curve.name for curve in data.stacks] == ["Émile", "e3", "e2"]
    assert data.stacks[0].points[-1] == (2.0, 2300.0)
    assert data.average is not None and data.average.points[0][1] == 1000.0
    (table,) = data.tables
    assert (table.name, table.hands, table.incidents) == ("1", 59, 3)
    assert table.hourly == pytest.approx(59 / ((58 * 120 + 110) / 3600))
    assert table.per_hundred == pytest.approx(300 / 59)
    anne, zoe = data.dealers
    assert (anne.name, anne.hands, anne.incidents) == ("Anne", 29, 2)
    assert (zoe.name, zoe.hands, zoe.incidents, zoe.hours) == ("Zoé", 30, 1, 1.0)


def test_what_nobody_recorded_is_no_curve() -> None:
    log = evening()
    bare = Settings(tournament="main", starting_stack=None)
    told = [record for record in log if not isinstance(record.event, ev.HandEnded)]
    data = plots(bare, told, PRESET, {}, (), 7300.0)
    assert (data.stacks, data.average, data.tables) == ((), None, ())
    assert drawn_up(log[:5]).players.points == ()


def test_a_long_log_gives_few_points() -> None:
    log = evening()
    more = [
        ev.Record(n=len(log) + n, at=7300.0, event=ev.Heard(table="1", heard=bool(n % 2)))
        for n in range(1, 5000)
    ]
    assert len(drawn_up([*log, *more]).players.points) < 300


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def test_a_picture_has_axes_with_units_and_names_at_the_lines() -> None:
    lines = [
        Curve("<b>&", ((0.0, 10.0), (1.0, None), (2.0, 30.0), (2.5, 31.0))),
        Curve("two", ((0.0, 5.0), (2.5, 31.0))),
    ]
    svg = draw.curves(lines, title="Stacks", across="hours", up="chips", number=str, hours=2.5)
    root = parse(svg)
    words = ["".join(text.itertext()) for text in root.iter("text")]
    assert {"hours", "chips", "<b>&", "two", "0", "2.5"} <= set(words)
    paths = [path for path in root.iter("path") if "line" in path.get("class", "")]
    assert len(paths) == 4, "each line, and a piece of it before its name"
    assert paths[0].get("d", "").count("M") == 2, "a gap where nothing is known"
    assert {path.get("stroke-dasharray") for path in paths} == {None, "10 5"}, "told apart without colour"
    names = [float(text.get("y", "0")) for text in root.iter("text") if text.get("class") == "name"]
    assert abs(names[0] - names[1]) >= 15, "names do not cover each other"
    assert "style=" not in svg


def test_bars_have_their_numbers_and_unknown_is_no_bar() -> None:
    root = parse(
        draw.bars(
            [("Table 1", 30.0, "30"), ("Table 2", None, "")], title="x", across="hands", nothing="too early"
        )
    )
    assert len(list(root.iter("rect"))) == 1
    words = ["".join(text.itertext()) for text in root.iter("text")]
    assert {"Table 1", "30", "Table 2", "too early", "hands"} <= set(words)
    assert parse(draw.bars([], title="x", across="hands")) is not None


@pytest.mark.parametrize(
    ("most", "last"), [(0.0, 1.0), (1.0, 1.0), (7.0, 8.0), (99.0, 100.0), (123456.0, 150000.0)]
)
def test_axes_end_at_round_numbers_above_all(most: float, last: float) -> None:
    ticks = draw.nice_ticks(max(most, 1.0))
    assert ticks[0] == 0.0 and ticks[-1] == last
    assert len(ticks) <= 8


def test_incidents_are_read_once_and_read_on(tmp_path: Any, streams: Callable[..., Any]) -> None:
    store = Store(tmp_path / "hub.sqlite3")
    try:
        stream = streams()
        payloads = stream.play_hand({1: 1000, 2: 1000})
        payloads.append(stream.event(m.Incident(incident="burn_forgotten", seats=(1,))))
        payloads.append(
            stream.event(m.Ruling(ruling="play_on", incident="burn_forgotten", rulebook="x", article="y"))
        )

        def take(more: list[bytes]) -> None:
            with store.transaction():
                for payload in more:
                    store.offer("t1", m.decode_event(payload), payload, "2024-05-01T20:00:00Z")

        take(payloads)
        incidents = Incidents(store)
        assert incidents.read(("t1", "t2")) is False
        assert incidents.of(("t1",)) == (Told("t1", 1, "burn_forgotten"),)
        take([stream.event(m.Incident(incident="card_off"), hand=2)])
        incidents.read(("t1",))
        assert [told.incident for told in incidents.of(("t1",))] == ["burn_forgotten", "card_off"]
        assert incidents.of(("t2",)) == ()
    finally:
        store.close()


# -- the page ---------------------------------------------------------------------------

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["1"]
starting_stack = 1000
levels = [{ minutes = 20, small_blind = 10, big_blind = 20 }]
"""


@pytest.fixture
def hub(hubs: Callable[..., Hub], wait: Callable[..., Any]) -> Hub:
    made = hubs(TOURNAMENT)
    wait(lambda: (shown := made.floor.tournament("main")) and shown.state.tables, "tables are set up")
    return made


@pytest.fixture
def director(hub: Hub) -> Iterator[httpx.Client]:
    link = hub.director_link()
    assert link is not None
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        client.post(link.removeprefix(hub.url), data={"device": "Anne"})
        yield client


def test_the_page_shows_every_plot_and_keeps_who_deals(hub: Hub, director: httpx.Client) -> None:
    assert "n&#39;a pas commencé" in director.get("/plots/main").text

    def play(room: Any, now: float) -> None:
        tournament = room.tournaments["main"]
        for number in range(1, 5):
            tournament.say(ev.Registered(entry=f"e{number}"), "Anne", now, room.utc)
        seats = tuple(ev.Seating(f"e{n}", Place("1", n)) for n in range(1, 5))
        tournament.say(ev.Drawn(seats=seats), "Anne", now, room.utc)
        tournament.say(ev.Started(), "Anne", now, room.utc)
        tournament.say(ev.HandStarted(table="1", hand=1), "Anne", now, room.utc)
        tournament.say(ev.HandEnded(table="1", hand=1), "Anne", now, room.utc)

    hub.decide(play).result(10)
    page = director.get("/plots/main?lang=en").text
    assert page.count("<svg") >= 4
    for text in ("Players left", "Hands an hour, by table", "hours since the start", "too early"):
        assert text in page
    for svg in re.findall(r'<svg class="plot".*?</svg>', page):
        parse(svg)
    assert director.post("/plots/main/dealer", data={"table": "1", "dealer": " Zoé  B. "}).status_code == 303
    assert 'value="Zoé B."' in director.get("/plots/main").text
    assert director.post("/plots/main/dealer", data={"table": "9", "dealer": "x"}).status_code == 409
    assert director.get("/plots/other").status_code == 404
    assert httpx.get(hub.url + "/plots/main").status_code == 403
