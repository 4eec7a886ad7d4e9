"""What comes by time alone is seen by the page: nobody reports that an absence has lasted long enough."""

from __future__ import annotations

from collections.abc import Callable

from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.room import Room

EVENING = """
[tournament.main]
rulebook = "ppc2011"
without_device = ["t1"]
starting_stack = 1000
"""


def kinds(hub: Hub) -> list[str]:
    shown = hub.floor.tournament("main")
    return [] if shown is None else [proposal.kind for proposal in shown.proposals]


def test_an_absence_of_thirty_minutes_is_proposed_by_itself_ppc_3_4(hubs: Callable, wait: Callable) -> None:
    now = [1000.0]
    hub = hubs(EVENING, clock=lambda: now[0], utc=lambda: "2024-05-01T20:00:00Z")

    def begin(room: Room, at: float) -> int:
        tournament = room.tournaments["main"]
        tournament.say_all([ev.Registered(entry=f"e{n}") for n in range(1, 5)], "Anne", at, room.utc)
        tournament.draw("Anne", at, room.utc)
        tournament.begin("Anne", at, room.utc)
        tournament.say(ev.Presence(entry="e1", absent=True), "Anne", at, room.utc)
        return len(tournament.log)

    records = hub.decide(begin).result(20)
    assert "absence" not in kinds(hub)
    now[0] += 29 * 60.0
    assert hub.decide(lambda room, at: len(room.tournaments["main"].log)).result(20) == records
    assert "absence" not in kinds(hub)
    now[0] += 60.0
    wait(lambda: "absence" in kinds(hub), "the absence is proposed")
    assert hub.decide(lambda room, at: len(room.tournaments["main"].log)).result(20) == records
