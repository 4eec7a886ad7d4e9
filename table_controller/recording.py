"""What the engine makes of each event, and what of it is to be written and said: the record of one table in the making.

Nothing is written here: drafts wait for the loop, which commits them before anything is shown or sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from engine import events as ev
from engine import machine, rulings
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from table_controller import messages as m
from table_controller import notes, reporting
from table_controller.fusion import Fusion, Offer
from table_controller.hand_start import LastHand, NotNow, Started, Way, leave
from table_controller.here import Here, over
from table_controller.journal import Batch, HandOpening, NewEntry, NewEvent, NewRuling
from table_controller.journal.records import EntryKind
from table_controller.level_clock import Stage

Books = Callable[[str], tuple[Rulebook, str]]


@dataclass
class Draft:
    """What one step of the table changes, on its way to the journal."""

    entries: list[NewEntry] = field(default_factory=list)
    rulings: list[NewRuling] = field(default_factory=list)
    events: list[NewEvent] = field(default_factory=list)
    of: list[int] = field(default_factory=list)  # the engine event that each public event tells of
    opening: HandOpening | None = None
    desired: m.Desired | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not self.entries and not self.events and self.desired is None

    def batch(self) -> Batch:
        """The draft in the journal's form."""
        return Batch(
            entries=tuple(self.entries),
            rulings=tuple(self.rulings),
            events=tuple(self.events),
            opening=self.opening,
            desired=self.desired,
        )


@dataclass(frozen=True)
class Question:
    """A sensed irregularity that people are asked about before the engine hears of it."""

    offer: Offer
    ruling: Ruling
    since: float


class Recording(ABC):
    """The engine's state of one table and the record that it makes.

    Attributes:
        state: The engine's state.
        book: The rulebook in force.
        question: The sensed irregularity that people are asked about.
        refused: Why no hand starts, since the last attempt.
        notices: Slugs for the display: presses that meant nothing.
        last: What the last hand left.
        here: What the people at the table have set, over the document in force.
        light: Nobody says what happens inside a hand (light mode).
        stages: The structure of levels of the table's own file.
        ruled: The rulings on the last event that had any in this hand, with its index.
        unexplained: Sensed irregularities of this hand that people did not confirm.
    """

    def __init__(
        self,
        fusion: Fusion,
        books: Books,
        desired: m.Desired,
        way: Way,
        *,
        sensors: str,
        utc: Callable[[], str],
        light: bool = False,
        stages: tuple[Stage, ...] = (),
    ) -> None:
        """Begin with an empty table.

        Args:
            fusion: The senses.
            books: Gives a rulebook and its whole text by the name in a document.
            desired: The document in force: the hub's, or the table's own.
            way: How this table plays.
            sensors: What becomes of a sensed irregularity: ``silent``, ``ask`` or ``tell``.
            utc: The wall clock, a label.
            light: Light mode.
            stages: Levels and breaks of the table's own file.
        """
        self.fusion = fusion
        self.desired = desired
        self.state = machine.start()
        self.book, self._book_text = books(desired.rulebook)
        self.question: Question | None = None
        self._clock: tuple[tuple[int, int, int], float] | None = None  # whose clock runs, since when
        self.refused: NotNow | None = None
        self.notices: list[str] = []
        self.last = LastHand()
        self.level: m.Level | None = None
        self.present: dict[str, int] = {}
        self.released: int | None = None
        self.here = Here()
        self.light = light
        self.stages = stages
        self.ruled: tuple[int, tuple[Ruling, ...]] = (-1, ())
        self.unexplained = 0
        self._books = books
        self._way = way
        self._sensors = sensors
        self._utc = utc
        self._started: Started | None = None
        self._first = 0
        self._events: list[ev.TableEvent] = []
        self._sources: list[str] = []
        self._deeds: list[int] = []  # one number for all events that one deed brought about
        self._deed = 0
        self._drafts: list[Draft] = [Draft()]
        self._expects: tuple[HandState, Rulebook, tuple[Order, ...]] | None = None
        self._doubts: frozenset[m.DoubtAt] = frozenset()
        self._decided: set[str] = set()
        self._carried = HandState()
        self._passing: frozenset[int] = (
            frozenset()
        )  # seats of which it is written that a card passes the muck

    # -- what is known -----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Table time (s)."""
        return self.fusion.now

    @property
    def engine_expects(self) -> tuple[Order, ...]:
        """What the engine expects next."""
        held = self._expects
        if held is None or held[0] is not self.state or held[1] is not self.book:
            held = self._expects = (self.state, self.book, machine.expects(self.state, self.book))
        return held[2]

    @property
    def effective(self) -> m.Desired:
        """The document in force with what the people here have set over it."""
        return over(self.desired, self.here, self.stages, self.now)

    def take_drafts(self) -> list[Draft]:
        """Give what is to be written, in order; each is one transaction."""
        drafts = [draft for draft in self._drafts if not draft.empty]
        self._drafts = [Draft()]
        return drafts

    # -- what happens ------------------------------------------------------------------------------------

    def _record(
        self, events: Iterable[ev.TableEvent], source: str, *, kind: EntryKind = "event", tell: bool = True
    ) -> None:
        for event in events:
            self._take_event(event, source, kind, tell=tell)

    def _take_event(self, event: ev.TableEvent, source: str, kind: EntryKind, *, tell: bool) -> None:
        if event.t is None:
            event = msgspec.structs.replace(event, t=self.now)
        before = self.state
        step = machine.step(before, event, self.book)
        self.state = step.state
        self._events.append(event)
        self._sources.append(source)
        self._deeds.append(self._deed)
        if step.rulings:
            self.ruled = (before.events, step.rulings)
        draft = self._drafts[-1]
        hand = self.state.hand or None
        entry = NewEntry(body=ev.encode(event), t=self.now, utc=self._utc(), hand=hand, kind=kind)
        draft.entries.append(entry)
        of = len(draft.entries) - 1
        draft.rulings += [NewRuling(body=rulings.encode(ruling), of=of) for ruling in step.rulings]
        self._tell_reads(event, step.rulings)
        gate = self._started.gate if self._started is not None else None
        if tell:
            self._publish(
                reporting.bodies(event, before, self.state, step.rulings, level=self.level, gate=gate),
                source,
                before.events,
            )
        self.fusion.took(event)
        self._after(before)

    def _after(self, before: HandState) -> None:
        phase = self.state.phase
        if phase in ("over", "void") and self.state.hand:
            # also after it: a stack that is counted between two hands
            self.last = leave(self.state, self.last, self._started)
            if phase == "over" and phase != before.phase:
                self._serve_penalties()
        gated = self._started is not None and self._started.gate is not None
        if gated and before.hand == self.state.hand:
            due = all_in_shows(machine.expects(self.state, self.book), self.state)
            if due and not all_in_shows(machine.expects(before, self.book), before):
                self._publish([m.AllinPending(seats=tuple(self.state.in_hand()))], "", before.events)

    def _publish(self, bodies: Iterable[m.EventBody], source: str, index: int = -1) -> None:
        draft = self._drafts[-1]
        for body in bodies:
            draft.events.append(
                NewEvent(
                    body=body,
                    t=self.now,
                    utc=self._utc(),
                    hand=self.state.hand or None,
                    cause=source or None,
                )
            )
            draft.of.append(index)

    def tell(self, body: m.EventBody, source: str = "") -> None:
        """Put something into the public stream that is no event of the engine (a device, an arrival)."""
        self._publish([body], source)

    def _note(self, note: notes.AnyNote) -> None:
        self._drafts[-1].entries.append(
            NewEntry(
                body=notes.encode(note),
                t=self.now,
                utc=self._utc(),
                hand=self.state.hand or None,
                kind="note",
            )
        )

    def _tell_doubts(self) -> None:
        """Doubts that came or went are events for everybody."""
        now = frozenset(m.DoubtAt(place=d.place, reason=d.reason) for d in self.fusion.doubts)
        if now == self._doubts:
            return
        for doubt in sorted(self._doubts - now, key=lambda d: (d.place, d.reason)):
            self.tell(m.Doubt(place=doubt.place, reason=doubt.reason, resolved=True))
        for doubt in sorted(now - self._doubts, key=lambda d: (d.place, d.reason)):
            self.tell(m.Doubt(place=doubt.place, reason=doubt.reason))
        self._doubts = now

    @property
    def doubts(self) -> tuple[m.DoubtAt, ...]:
        """What the sensors are not sure of now."""
        return tuple(sorted(self._doubts, key=lambda d: (d.place, d.reason)))

    # -- undone ------------------------------------------------------------------------------------------

    def undo(self, source: str) -> bool:
        """What people said last did not happen: the hand is played again without it.

        Returns:
            Whether there was anything to undo.
        """
        places = self._undoable()
        if not places:
            self.notices.append("nothing_to_undo")
            return False
        self._replay_without(places, source)
        return True

    @property
    def undoable(self) -> tuple[ev.TableEvent, ...]:
        """What ``undo`` would undo: the events of the last deed of a person in this hand; none: nothing."""
        return tuple(self._events[place] for place in self._undoable())

    def _undoable(self) -> list[int]:
        gone = [gone for _, gone in machine.resolved(self._shifted())]
        for place in range(len(self._events) - 1, 0, -1):
            event = self._events[place]
            if gone[place] or isinstance(event, ev.Undone) or not self._sources[place]:
                continue
            deed = self._deeds[place]
            # With it goes what the table itself concluded from it: that the hand is over.
            return [
                other
                for other in range(1, len(self._events))
                if not gone[other]
                and (
                    self._deeds[other] == deed
                    or (other > place and type(self._events[other]) is ev.HandEnded)
                )
            ]
        return []

    def _shifted(self) -> list[ev.TableEvent]:
        return [_shift(event, self._first) for event in self._events]

    def _replay_without(self, places: list[int], source: str) -> None:
        for place in reversed(places):
            event = ev.Undone(index=self._first + place, t=self.now)
            self._events.append(event)
            self._sources.append("")
            self._deeds.append(0)
            self._drafts[-1].entries.append(
                NewEntry(
                    body=ev.encode(event),
                    t=self.now,
                    utc=self._utc(),
                    hand=self.state.hand or None,
                    kind="correction",
                )
            )
        self.state = machine.replay(self._shifted(), self.book, self._carried).state
        self.fusion.replayed(event for event, gone in machine.resolved(self._shifted()) if not gone)
        if self.ruled[0] >= self._first + min(places):
            self.ruled = (-1, ())
        self._publish([m.Annulled(reason="undone")], source, self.state.events - 1)

    @abstractmethod
    def _tell_reads(self, event: ev.TableEvent, rulings: tuple[Ruling, ...]) -> None:
        """Keep what the antennas had read of the places that a ruling is about."""

    @abstractmethod
    def _serve_penalties(self) -> None:
        """The hand is over: who sat out a penalty has served a hand of it."""


def one_deed(one: ev.TableEvent, other: ev.TableEvent) -> bool:
    """Whether two events of the record were most probably said with one word: cards of a deal, pots taken."""
    alike = type(one) is type(other) and not isinstance(other, ev.Acted)
    return one.t == other.t and (alike or isinstance(other, ev.HandEnded))


def all_in_shows(expects: tuple[Order, ...], state: HandState) -> bool:
    """Whether hands are to be shown before the board is complete."""
    return state.phase != "showdown" and any(order.order == "show" for order in expects)


def _shift(event: ev.TableEvent, first: int) -> ev.TableEvent:
    """An undoing with the index inside its own hand."""
    if isinstance(event, ev.Undone):
        return msgspec.structs.replace(event, index=event.index - first)
    return event
