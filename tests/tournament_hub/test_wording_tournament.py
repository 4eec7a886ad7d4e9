"""Every decision, proposal and choice has its words in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from maldonne.tournament_play import Play, Wishes
from table_controller.rulebook_files import load_book
from tests.tournament_hub.logic.conftest import halls as halls
from tournament_hub.logic import events as ev
from tournament_hub.logic import undo
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.proposals import Proposal
from tournament_hub.logic.refusal import Refused
from tournament_hub.wording import Wording
from tournament_hub.wording_tournament import say_choice, say_decision, say_proposal

WORDING = Wording()


class Listening(Play):
    """Puts every proposal into words while it is played."""

    def _choose(self, proposal: Proposal) -> tuple[ev.Event, ...]:
        for language in ("fr", "en"):
            for saying in (say_proposal(proposal), *map(say_choice, proposal.alternatives)):
                said = WORDING.say(saying, language)
                assert said and "{" not in said
        self.kinds.add(proposal.kind)
        return super()._choose(proposal)

    kinds: set[str]


@pytest.mark.parametrize("name", ["ppc2011", "ropta"])
def test_all_that_is_proposed_and_done_can_be_said(name: str) -> None:
    kinds: set[str] = set()
    for seed in range(4):
        wishes = Wishes(
            entries=30, seed=seed, late=5, absent=0.05, lost=0.03, miscount=0.1, deviceless=0.3, paid=5
        )
        play = Listening(wishes, preset_of(load_book(name)), name)
        play.kinds = kinds
        told = play.run()
        for record in told.log:
            saying = say_decision(record.event)
            if saying is not None:
                assert "{" not in WORDING.say(saying, "fr") + WORDING.say(saying, "en")
    assert kinds >= {
        "draw",
        "start",
        "button",
        "break",
        "balance",
        "hand_for_hand",
        "round",
        "mismatch",
    }


@pytest.mark.parametrize(
    "event",
    [
        ev.HandDone(table="t2"),
        ev.Excused(table="t1", reason="not_heard"),
        ev.HaltWaived(table="t1", short=3),
        ev.Vouched(table="t1"),
        ev.StopTold(table="t1", stopped=True),
        ev.Noted(notes=("decks:t1",)),
        ev.OrderPosted(order=("t2", "t1")),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_a_director_answers_has_a_line_and_the_line_takes_it_back(
    halls: Callable, event: ev.Event
) -> None:
    """Two taps: the line and "undo"; what has no line could not be taken back."""
    hall = halls(tables_confirm=True).seat({"t1": 4, "t2": 4})
    hall.say(ev.HandStarted(table="t1", hand=1), ev.HandForHandAnnounced())
    saying = say_decision(event)
    assert saying is not None and all(WORDING.say(saying, language) for language in ("fr", "en"))
    before = hall.state
    found = ev.Record(n=1, at=0.0, event=event, undo=undo.inverse(before, event))
    hall.say(event)
    assert replace(hall.state, rev=0) != replace(before, rev=0)
    hall.say(*undo.compensation(hall.state, found, hall.preset))
    assert replace(hall.state, rev=0) == replace(before, rev=0)
    if not isinstance(event, ev.Excused | ev.HaltWaived | ev.Vouched | ev.OrderPosted):
        with pytest.raises(Refused):
            undo.compensation(hall.state, found, hall.preset)  # it is undone already
