"""What the floor page shows of tournaments: what to do now, in proposals; the last decisions, each with its undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from msgspec import Struct

from tournament_hub.directing import Directing
from tournament_hub.logic.events import Clocked, LevelsSet, Record, Started
from tournament_hub.logic.proposals import Proposal
from tournament_hub.logic.state import State, alive
from tournament_hub.wording import Saying, Wording
from tournament_hub.wording_tournament import say_choice, say_decision, say_proposal

PROPOSALS_SHOWN = 3
DECISIONS_SHOWN = 5


class Shown(Struct, frozen=True):
    """One tournament at one moment, for the page server's thread.

    ``offset``: seconds from the hub's clock to the tournament's own. ``decisions``: the last that a director may take
    back, newest first; ``clock``: those of them that moved the clock. ``names``: entry → what people are called.
    """

    id: str
    state: State
    proposals: tuple[Proposal, ...]
    decisions: tuple[Record, ...]
    offset: float
    names: Mapping[str, str]
    clock: tuple[Record, ...] = ()


class Option(Struct, frozen=True):
    """A button of a proposal; ``choice`` None: do what is proposed."""

    text: str
    choice: int | None


class Waiting(Struct, frozen=True):
    """A proposal or a question in words."""

    id: str
    text: str
    article: str
    question: bool
    options: tuple[Option, ...]


class Done(Struct, frozen=True):
    """A decision that can be taken back."""

    n: int
    text: str
    by: str


class Plan(Struct, frozen=True):
    """A tournament's part of the page. ``more``: how many proposals stand behind those shown."""

    id: str
    title: str
    left: int
    entries: int
    waiting: tuple[Waiting, ...]
    more: int
    done: tuple[Done, ...]


def shown(directing: Directing, now: float, people: Mapping[str, str]) -> Shown:
    """Take a tournament as it is now; on the hub's thread.

    Args:
        directing: the tournament.
        now: seconds on the hub's clock.
        people: pseudonym → name.
    """
    undone = {record.undoes for record in directing.log}
    back = [
        r
        for r in directing.log
        if r.undo and r.undoes is None and r.n not in undone and say_decision(r.event)
    ]
    names = {
        entry.id: people[entry.player] for entry in directing.state.entries.values() if entry.player in people
    }
    return Shown(
        directing.id,
        directing.state,
        directing.proposals(now),
        tuple(reversed(back[-DECISIONS_SHOWN:])),
        directing.time(now) - now,
        names,
        tuple(r for r in reversed(back) if isinstance(r.event, Clocked | LevelsSet | Started))[
            :DECISIONS_SHOWN
        ],
    )


def plan_of(of: Shown, wording: Wording, language: str, do: str) -> Plan:
    """Put a tournament's part of the page into words.

    Args:
        of: the tournament.
        wording: the texts.
        language: of the reader.
        do: the words of the button that does what is proposed.
    """
    say = partial(wording.say, language=language)
    now = [proposal for proposal in of.proposals if not proposal.later]
    waiting = tuple(
        Waiting(
            proposal.id,
            say(say_proposal(proposal)),
            proposal.article,
            proposal.question,
            _options(proposal, say, do),
        )
        for proposal in now[:PROPOSALS_SHOWN]
    )
    return Plan(
        of.id,
        of.state.settings.title or of.id,
        alive(of.state),
        len(of.state.entries),
        waiting,
        len(of.proposals) - len(waiting),
        tuple(_done(of.decisions, say)),
    )


def _options(proposal: Proposal, say: Callable[[Saying], str], do: str) -> tuple[Option, ...]:
    first = (Option(do, None),) if proposal.effects else ()
    return first + tuple(
        Option(say(say_choice(choice)), number) for number, choice in enumerate(proposal.alternatives)
    )


def _done(decisions: Iterable[Record], say: Callable[[Saying], str]) -> Iterable[Done]:
    for record in decisions:
        saying = say_decision(record.event)
        if saying is not None:
            yield Done(record.n, say(saying), record.by)
