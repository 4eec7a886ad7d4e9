"""The posted order of breaking: written by the club or found by rule, shown, changed by a director, kept over restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from selenium import webdriver

from table_controller import messages as m
from table_controller.messages.tournament import Info
from tests.tournament_hub.phone import phone
from tests.tournament_hub.test_directing import CONFIG, Room3
from tests.tournament_hub.test_hall import RUNNING
from tests.tournament_hub.test_hall import shown as shown
from tests.tournament_hub.test_hall import wall_browser as wall_browser
from tournament_hub.config import parse_config
from tournament_hub.errors import ConfigError
from tournament_hub.hub import Hub
from tournament_hub.logic import balance
from tournament_hub.logic import events as ev
from tournament_hub.logic.clock import Clock
from tournament_hub.logic.state import State, Table
from tournament_hub.web.hall import HallPages
from tournament_hub.web.hall_view import hall_view


def written(order: str) -> str:
    return CONFIG.replace("seed = 7", f"seed = 7\nbreak_order = {order}")


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[Callable[[str], Room3]]:
    made: list[Room3] = []

    def make(text: str) -> Room3:
        made.append(Room3(tmp_path, parse_config(text, "hub.toml", tmp_path)))
        made[-1].pass_time()
        return made[-1]

    yield make
    for room in made:
        room.store.close()


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ('["t3", "t1", "t2"]', ("t3", "t1", "t2")),
        ('"listed"', ("t1", "t2", "t3")),
        ('"reversed"', ("t3", "t2", "t1")),
    ],
)
def test_ropta_closing_order_is_as_the_club_has_written_it(
    rooms: Callable[[str], Room3], order: str, expected: tuple[str, ...]
) -> None:
    room = rooms(written(order))
    assert room.tournament.state.order == expected
    info = [o.payload for o in room.sent.outbound if o.topic.endswith("/tournament/main/info")]
    assert m.decode(info[-1], Info).tables == expected  # displays have it too
    room.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
    room.do_all("draw", "button")
    room.say(ev.Passed(block="start", reason="test"), ev.Started())
    table = balance.next_to_break(room.tournament.state, room.tournament.preset)
    assert table is not None and table.id == expected[0]


def test_drawn_is_drawn_once_from_the_seed_and_the_same_after_a_restart(
    rooms: Callable[[str], Room3],
) -> None:
    names = ", ".join(f'"t{number}"' for number in range(3, 12))
    room = rooms(written('"drawn"').replace('without_device = ["t3"]', f"without_device = [{names}]"))
    order = room.tournament.state.order
    assert sorted(order) == sorted(room.tournament.state.tables) and order != tuple(
        room.tournament.state.tables
    )
    count = len(room.tournament.log)
    room.restart()
    room.pass_time()
    assert room.tournament.state.order == order
    assert not [r for r in room.tournament.log[count:] if isinstance(r.event, ev.OrderPosted)]


def test_what_a_director_changes_stays_and_a_table_that_joins_is_last(rooms: Callable[[str], Room3]) -> None:
    room = rooms(written('["t3", "t1", "t2"]'))
    room.say(ev.TableOpened(table="t9", device=False))
    assert room.tournament.state.order == ("t3", "t1", "t2", "t9")
    (changed,) = room.say(ev.OrderPosted(order=("t9", "t3", "t1", "t2")))
    room.restart()
    room.pass_time()
    assert room.tournament.state.order == ("t9", "t3", "t1", "t2")
    with room.store.transaction():
        room.tournament.undo(changed.n, "Anne", room.now, room.utc)
    assert room.tournament.state.order == ("t3", "t1", "t2", "t9")


def test_another_order_in_the_file_is_taken_over_at_the_next_start(
    rooms: Callable[[str], Room3], tmp_path: Path
) -> None:
    room = rooms(written('["t3", "t1", "t2"]'))
    room.say(ev.OrderPosted(order=("t1", "t2", "t3")))
    room.config = parse_config(written('["t2", "t3", "t1"]'), "hub.toml", tmp_path)
    room.restart()
    room.pass_time()
    assert room.tournament.state.order == ("t2", "t3", "t1")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ('["t3", "t1"]', "break_order leaves out t2"),
        ('["t3", "t1", "t2", "t8"]', "break_order names t8, which is no table of it"),
        ('["t3", "t1", "t2", "t1"]', "break_order names t1 twice"),
        ('"backwards"', "break_order"),
    ],
)
def test_a_wrong_order_is_one_clear_line_with_its_place(order: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_config(written(order), "hub.toml", Path())
    text = written(order)
    line = text[: text.index("break_order")].count("\n") + 1
    assert error.value.where == f"hub.toml:{line}"
    assert said in str(error.value) and "\n" not in str(error.value)


# -- on the pages -----------------------------------------------------------------------------


BARE = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
without_device = ["1", "2", "3"]
seats = 6
starting_stack = 20000
break_order = ["3", "1", "2"]
levels = [{ minutes = 20, small_blind = 100, big_blind = 200 }]
"""


def test_floor_page_seats_and_paper_show_it_and_a_director_changes_it(hubs: Callable, wait: Callable) -> None:
    hub: Hub = hubs(BARE)
    wait(lambda: (s := hub.floor.tournament("main")) and s.state.order == ("3", "1", "2"), "set up")

    def sign_in(room: object, now: float) -> None:
        directing = room.tournaments["main"]  # type: ignore[attr-defined]
        for number in range(1, 19):
            directing.say(ev.Registered(entry=f"e{number}", player=f"p{number}"), "Anne", now, "")
        directing.draw("Anne", now, "")

    hub.decide(sign_in).result(20)
    looker = httpx.get(hub.url).text
    assert "Ordre de fermeture des tables : 3, 1, 2" in looker and "/tournaments/main/order" not in looker
    with phone(hub) as client:
        assert "fermeture des tables : Table 3, Table 1, Table 2" in client.get("/sign-in/main/seats").text
        assert "fermeture des tables : 3, 1, 2" in client.get("/paper/main").text
        changed = client.post("/tournaments/main/order", data={"tables": "2, 3"})
        assert changed.status_code == 303
        page = client.get("/").text
        assert (
            "tables : 2, 3, 1" in page and "Ordre de fermeture : 2, 3, 1" in page.partition('class="done"')[2]
        )
        for wrong in ("2, 9", "2 2"):
            refused = client.post("/tournaments/main/order", data={"tables": wrong})
            assert refused.status_code == 409 and "Chaque table se nomme une fois" in refused.text
    assert httpx.post(hub.url + "/tournaments/main/order", data={"tables": "1"}).status_code == 403


def test_the_hall_reads_it_before_the_start_and_in_breaks_unless_something_more_urgent_hangs_there() -> None:
    calm = replace(
        RUNNING, moves={}, tables={name: Table(id=name) for name in ("1", "4", "7")}, order=("4", "7", "1")
    )
    before = replace(calm, clock=Clock(), started=False)
    pause = replace(calm, clock=Clock(stage=2, remaining=600.0, running_since=100.0, started=True))
    for state in (before, pause):
        assert hall_view(state, {}, 100.0).order == ("4", "7", "1")
        assert hall_view(replace(state, moves=RUNNING.moves), {}, 100.0).order == ()
        broken = {**state.tables, "4": Table(id="4", status="breaking")}
        assert hall_view(replace(state, tables=broken), {}, 100.0).order == ()
    assert hall_view(calm, {}, 100.0).order == ()  # while it is played the time needs the room


@pytest.mark.system
def test_the_order_of_many_tables_fits_on_the_wall(
    shown: tuple[str, dict[str, State], HallPages], wall_browser: webdriver.Chrome, wait: Callable
) -> None:
    url, states, _ = shown
    names = tuple(f"t{number}" for number in range(1, 31))
    tables = {name: Table(id=name) for name in names}
    states["open"] = replace(RUNNING, moves={}, tables=tables, order=names, clock=Clock(), started=False)
    wall_browser.get(f"{url}/hall/open")
    read = "return (document.querySelector('.hall .order') || {}).textContent || ''"
    wait(lambda: wall_browser.execute_script(read).strip().endswith("t29, t30"), "it is there")
    page = "const e = document.documentElement; return [e.scrollHeight, e.scrollWidth]"
    height, width = wall_browser.execute_script(page)
    assert height <= 1080 and width <= 1920
