"""What the floor page shows of tournaments: what to do now, in proposals; the last decisions, each with its undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from msgspec import Struct

from tournament_hub.directing import Directing
from tournament_hub.logic.events import CallAnswered, Clocked, LevelsSet, Record, Started
from tournament_hub.logic.hand_for_hand import blocks
from tournament_hub.logic.payouts import Lot
from tournament_hub.logic.proposals import Proposal
from tournament_hub.logic.state import State, alive, posted
from tournament_hub.web.moves import MoveLine, moves_of
from tournament_hub.wording import Saying, Wording
from tournament_hub.wording_tournament import say_choice, say_decision, say_proposal

PROPOSALS_SHOWN = 3
REST_SHOWN = 12
_NAMED = frozenset(("entry", "entries", "name"))
DECISIONS_SHOWN = 5
DECISIONS_KEPT = 60
"""Decisions that a table's own page may still look through."""


class Shown(Struct, frozen=True):
    """One tournament at one moment, for the page server's thread.

    ``offset``: seconds from the hub's clock to the tournament's own. ``decisions``: the last that a director may take
    back, newest first; ``clock``: those of them that moved the clock. ``coming``: call of the floor → who is on his way. ``names``: entry → what people are called. ``lots``: of the places that are decided.
    """

    id: str
    state: State
    proposals: tuple[Proposal, ...]
    decisions: tuple[Record, ...]
    offset: float
    names: Mapping[str, str]
    clock: tuple[Record, ...] = ()
    coming: Mapping[str, str] = {}
    lots: tuple[Lot, ...] = ()


class Option(Struct, frozen=True):
    """A button of a proposal; ``choice`` None: do what is proposed."""

    text: str
    choice: int | None


class Waiting(Struct, frozen=True):
    """A proposal or a question in words. ``options``: do it, or the answers; ``otherwise``: what may be done instead."""

    id: str
    text: str
    article: str
    question: bool
    options: tuple[Option, ...]
    otherwise: tuple[Option, ...] = ()


class Done(Struct, frozen=True):
    """A decision that can be taken back."""

    n: int
    text: str
    by: str


class Plan(Struct, frozen=True):
    """A tournament's part of the page.

    ``more``: how many proposals stand behind those shown; ``rest``: those of them that are listed on demand.
    ``blocks``: what stands against the next round of hand-for-hand; ``passed``: blocks that a person has passed, with
    the reason. ``moves``: who changes tables now. ``line``: how many go out before the places that win something, None
    where there are none; ``queue``: who waits for a seat. ``lots``: place, who, and what the club has put up for it.
    ``order``: in which tables will be broken, where there are several.
    """

    id: str
    title: str
    left: int
    entries: int
    waiting: tuple[Waiting, ...]
    more: int
    rest: tuple[Waiting, ...]
    done: tuple[Done, ...]
    blocks: tuple[str, ...] = ()
    passed: tuple[tuple[str, str], ...] = ()
    moves: tuple[MoveLine, ...] = ()
    line: int | None = None
    queue: int = 0
    lots: tuple[tuple[int, str, str], ...] = ()
    order: tuple[str, ...] = ()


def shown(directing: Directing, now: float, people: Mapping[str, str]) -> Shown:
    """Take a tournament as it is now; on the hub's thread.

    Args:
        directing: the tournament.
        now: seconds on the hub's clock.
        people: pseudonym → name.
    """
    undone: set[int | None] = set()
    back: list[Record] = []
    clock: list[Record] = []
    for record in reversed(directing.log):
        undone.add(record.undoes)
        if record.undo and record.undoes is None and record.n not in undone and say_decision(record.event):
            if len(back) < DECISIONS_KEPT:
                back.append(record)
            if isinstance(record.event, Clocked | LevelsSet | Started) and len(clock) < DECISIONS_SHOWN:
                clock.append(record)
        if len(back) == DECISIONS_KEPT and len(clock) == DECISIONS_SHOWN:
            break
    names = {
        entry.id: people[entry.player] for entry in directing.state.entries.values() if entry.player in people
    }
    return Shown(
        directing.id,
        directing.state,
        directing.proposals(now),
        tuple(back),
        directing.time(now) - now,
        names,
        tuple(clock),
        _coming(directing),
        directing.lots(),
    )


def _coming(directing: Directing) -> dict[str, str]:
    """Who has said that he comes, of the calls that are not ruled yet."""
    wanted = {call.id for call in directing.state.calls.values() if call.state == "acknowledged"}
    found: dict[str, str] = {}
    for record in reversed(directing.log):
        if not wanted:
            break
        event = record.event
        if isinstance(event, CallAnswered) and event.call in wanted and event.state == "acknowledged":
            wanted.discard(event.call)
            found[event.call] = record.by
    return found


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
    waiting = tuple(_waiting(proposal, of.names, say, do) for proposal in now[:PROPOSALS_SHOWN])
    behind = [*now[PROPOSALS_SHOWN:], *(proposal for proposal in of.proposals if proposal.later)]
    return Plan(
        of.id,
        of.state.settings.title or of.id,
        alive(of.state),
        len(of.state.entries),
        waiting,
        len(behind),
        tuple(_waiting(proposal, of.names, say, do) for proposal in behind[:REST_SHOWN]),
        tuple(done_of(of.decisions[:DECISIONS_SHOWN], wording, language, of.names)),
        blocks(of.state),
        tuple(of.state.passed.items()),
        moves_of(of.state, of.names),
        alive(of.state) - of.state.settings.places_paid if of.state.settings.places_paid else None,
        sum(entry.where == "waiting" for entry in of.state.entries.values()) if of.state.started else 0,
        tuple((lot.place, of.names.get(lot.entry, lot.entry), ", ".join(lot.texts)) for lot in of.lots),
        posted(of.state),
    )


def _waiting(proposal: Proposal, names: Mapping[str, str], say: Callable[[Saying], str], do: str) -> Waiting:
    choices = tuple(
        Option(say(named(say_choice(choice), names)), number)
        for number, choice in enumerate(proposal.alternatives)
    )
    first = (Option(do, None),) if proposal.effects else ()
    return Waiting(
        proposal.id,
        say(named(say_proposal(proposal), names)),
        proposal.article,
        proposal.question,
        first or choices,
        choices if first else (),
    )


def done_of(
    decisions: Iterable[Record], wording: Wording, language: str, names: Mapping[str, str]
) -> Iterable[Done]:
    """Decisions in words, each with the number by which it is undone."""
    for record in decisions:
        saying = say_decision(record.event)
        if saying is not None:
            yield Done(record.n, wording.say(named(saying, names), language), record.by)


def named(saying: Saying, names: Mapping[str, str]) -> Saying:
    """The same sentence with people's names in the place of their entries."""
    values = dict(saying.values)
    for key, told in values.items():
        if isinstance(told, Saying):
            values[key] = named(told, names)
        elif key in _NAMED and isinstance(told, str):
            values[key] = ", ".join(names.get(part, part) for part in told.split(", "))
    return Saying(saying.name, values, saying.count)
