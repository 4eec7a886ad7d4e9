"""Every decision, proposal and choice has its words in both languages."""

from __future__ import annotations

import pytest

from maldonne.tournament_play import Play, Wishes
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.proposals import Proposal
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
