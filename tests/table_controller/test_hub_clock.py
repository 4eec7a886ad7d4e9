"""The tournament's clock at a table: counted on in table time, marked where the hub does not confirm it."""

from __future__ import annotations

from msgspec.structs import replace

from table_controller import messages as m
from table_controller.hub_clock import hear, newer, read
from table_controller.hub_side import HubSide
from table_controller.mqtt_link import Disconnected, HubSeen, RequestExpired, ResponseArrived, TournamentSaid
from tests.table_controller.rig import Rig

LEVEL = m.Level(n=4, small_blind=200, big_blind=400, ante=m.Ante(kind="none", amount=0))
RUNS = m.Clock(
    epoch=1,
    rev=3,
    level=LEVEL,
    remaining_s=600.0,
    running_since="2024-05-01T20:00:00Z",
    utc="2024-05-01T20:00:00Z",
    state="running",
)


def test_a_message_that_was_kept_is_as_old_as_the_wall_clock_says() -> None:
    clock = hear(RUNS, 50.0, "2024-05-01T20:04:00Z")
    now = read(clock, 60.0, hub=True)
    assert (now.left, now.runs, now.confirmed, now.level) == (350.0, True, True, LEVEL)
    assert read(clock, 1000.0, hub=True).left == 0.0


def test_a_machine_that_starts_in_the_past_counts_from_what_the_hub_said_unconfirmed() -> None:
    later = replace(RUNS, utc="2024-05-01T20:01:00Z")
    now = read(hear(later, 50.0, "2023-01-01T00:00:00Z"), 50.0, hub=True)
    assert (now.left, now.confirmed) == (540.0, False)


def test_a_clock_that_stands_still_stays() -> None:
    stopped = replace(RUNS, running_since=None, state="paused")
    now = read(hear(stopped, 50.0, "2024-05-01T20:04:00Z"), 500.0, hub=True)
    assert (now.left, now.runs, now.state) == (600.0, False, "paused")


def test_an_older_message_says_nothing() -> None:
    held = hear(RUNS, 0.0, RUNS.utc)
    assert newer(replace(RUNS, rev=4), held) and newer(replace(RUNS, epoch=2, rev=0), held)
    assert not newer(replace(RUNS, rev=2), held)


class Line:
    """What was asked of the line."""

    def __init__(self) -> None:
        self.followed: list[str | None] = []
        self.asked: list[tuple[str, m.Request]] = []

    def follow(self, tournament: str | None) -> None:
        self.followed.append(tournament)

    def request(self, kind: str, request: m.Request) -> None:
        self.asked.append((kind, request))


def side() -> tuple[HubSide, Line, Rig]:
    rig, line = Rig(4), Line()
    return HubSide(rig.running, line, lambda: "2024-05-01T20:00:10Z"), line, rig


def test_only_the_tournament_of_the_document_is_heard_and_a_lost_hub_is_marked() -> None:
    hub, line, rig = side()
    rig.wait(0.1)
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, tournament="sunday"))
    hub.follow()
    hub.follow()
    assert line.followed == ["sunday"]
    hub.hear(TournamentSaid("friday", "clock", RUNS))
    assert hub.clock() is None
    hub.hear(HubSeen(m.HubStatus(online=True, epoch=1, conn=1, utc="2024-05-01T19:00:00Z")))
    hub.hear(TournamentSaid("sunday", "clock", RUNS))
    now = hub.clock()
    assert now is not None and (now.left, now.confirmed) == (590.0, True)
    hub.hear(Disconnected("gone"))
    rig.wait(10.0)
    now = hub.clock()
    assert now is not None and not now.confirmed and abs(now.left - 580.0) < 0.2
    rig.running.direct(replace(rig.desired, epoch=1, rev=2, tournament=None))
    hub.follow()
    assert line.followed == ["sunday", None] and hub.clock() is None


def test_a_call_of_the_floor_is_heard_or_not_and_other_answers_are_none() -> None:
    hub, line, _ = side()
    told: list[str] = []
    hub.floor_answer = told.append
    hub.ask("absent", 2, "e2")
    hub.ask("floor", None, None)
    (_, absent), (_, floor) = line.asked
    hub.hear(ResponseArrived("absent", m.Response(tx=absent.tx, ok=True)))
    assert told == []
    hub.hear(ResponseArrived("floor", m.Response(tx=floor.tx, ok=True)))
    hub.hear(RequestExpired("floor", floor))
    assert told == ["heard", "silent"]
