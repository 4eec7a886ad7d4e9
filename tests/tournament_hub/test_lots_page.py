"""What the club has put up for the places, on the floor page, once a place is decided."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx

from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place

TOURNAMENT = """
[tournament.main]
rulebook = "tda2024"
without_device = ["t1"]
seats = 6
lots = ["Coupe", "Livre"]
levels = [{ minutes = 20, small_blind = 50, big_blind = 100 }]
"""


def test_lots_are_shown_for_the_places_that_are_decided(hubs: Callable, wait: Callable) -> None:
    hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and shown.state.tables, "the table is there")

    def say(*events: ev.Event) -> None:
        def work(room: object, now: float) -> None:
            for event in events:
                room.tournaments["main"].say(event, "Anne", now, room.utc)  # type: ignore[attr-defined]

        hub.decide(work).result(10)

    entries = ("e1", "e2", "e3")
    say(*[ev.Registered(entry=entry) for entry in entries])
    say(ev.Drawn(seats=tuple(ev.Seating(entry, Place("t1", n)) for n, entry in enumerate(entries, 1))))
    say(ev.Passed(block="start", reason="test"), ev.Started())
    with httpx.Client(base_url=hub.url, timeout=15) as display:

        def lots() -> list[str]:
            found = re.findall(r'class="lots".*?</section>', display.get("/?lang=fr").text, re.DOTALL)
            return re.findall(r"<li>(.*?)</li>", found[0]) if found else []

        say(ev.Busted(table="t1", entries=("e3",)))
        assert lots() == []
        say(ev.Busted(table="t1", entries=("e2",)))
        assert "<b>2.</b> e2 : Livre" in lots()
        say(ev.Finished())
        assert lots() == ["<b>1.</b> e1 : Coupe", "<b>2.</b> e2 : Livre"]
