"""From a journal to its incidents: each with everything that the record has of it.

The hand is played again event by event, so that what was expected is what the engine expected then. No card stands
here that nobody has seen: the journal has none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from engine import events as ev
from engine import machine
from engine.errors import EngineError
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from table_controller import messages as m
from table_controller import notes
from table_controller.journal import HandRow, Reading
from table_controller.journal.records import Entry
from table_controller.rulebook_files import load_book, load_resolved


class Moment(Struct, frozen=True):
    """When something was written: seconds of table time, and the wall clock as a label."""

    t: float
    utc: str


class Answer(Struct, frozen=True):
    """A question that was asked about the incident, and its answer.

    Attributes:
        fact: What was asked; the incident itself for a question of the sensors.
        sensed: The sensors asked, not the rulebook.
        value: The answer: for the sensors ``yes``, ``no``, ``unanswered`` or ``silent``.
        by: Who answered; empty: not recorded.
    """

    fact: str
    sensed: bool
    value: str
    by: str
    when: Moment


class Decision(Struct, frozen=True):
    """What the floor decided."""

    choice: str
    by: str
    note: str
    seats: tuple[int, ...]
    when: Moment


class Incident(Struct, frozen=True):
    """One incident of a hand.

    Attributes:
        hand: The hand's number.
        number: Its place among the hand's incidents, from 1.
        name: What it is (``engine.rulings.INCIDENTS``).
        when: When it was told or asked.
        told_by: Who told it: the source of the record (``page:…``, ``panel:…``); empty: sensors alone.
        places: Where the sensors saw something.
        evidence: The senses that it rests on.
        reads: What each antenna had read then, and how old that was.
        expected: The acts that were due.
        phase: Where the hand stood.
        rulings: What the rulebook answered.
        answers: Questions and their answers.
        decision: The floor's.
        undone: It was taken back afterwards.
    """

    hand: int
    number: int
    name: str
    when: Moment
    book: Rulebook
    phase: str
    expected: tuple[Order, ...]
    rulings: tuple[Ruling, ...]
    told_by: str = ""
    places: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    reads: tuple[notes.Read, ...] = ()
    answers: tuple[Answer, ...] = ()
    decision: Decision | None = None
    undone: bool = False
    seats: tuple[int, ...] = ()


def incidents(journal: Reading, hand: int) -> list[Incident]:
    """All incidents of one hand, in the order in which they were written."""
    rows = list(journal.hands())
    found: list[Incident] = []
    causes = _causes(journal, hand)
    for place, row in enumerate(rows):
        if row.hand == hand:
            last = rows[place + 1].start - 1 if place + 1 < len(rows) else None
            found += _Hand(journal, row, last, causes, len(found)).incidents()
    return found


def _book(journal: Reading, row: HandRow) -> Rulebook:
    text = journal.text(row.text_hash)
    if text is not None:
        with contextlib.suppress(EngineError):
            return load_resolved(text, f"{journal.path}[{row.rulebook}]")
    return load_book(row.rulebook)


class _Told(Struct):
    """What the public stream has of an incident: who said it, and the rulings."""

    cause: str = ""
    rulings: list[Ruling] = []


def _causes(journal: Reading, hand: int) -> dict[tuple[float, str], _Told]:
    """What the public stream has of each incident, by time and name."""
    found: dict[tuple[float, str], _Told] = {}
    for row in journal.messages():
        event = m.decode_event(row.payload)
        if event.hand == hand and isinstance(event.body, m.Ruling):
            body = event.body
            told = found.setdefault((event.t, body.incident), _Told(event.cause or ""))
            told.rulings.append(
                Ruling(body.ruling, body.incident, body.rulebook, body.article, body.seats, (), (), 0)
            )
    return found


class _Hand:
    """One hand of the record, read from its first entry to its last."""

    def __init__(
        self,
        journal: Reading,
        row: HandRow,
        last: int | None,
        causes: dict[tuple[float, str], _Told],
        before: int,
    ) -> None:
        self._row = row
        self._book = _book(journal, row)
        self._entries = list(journal.entries(row.start, last))
        self._causes = causes
        self._rulings: dict[int, list[Ruling]] = {}
        for ruling in journal.rulings(row.start, last):
            with contextlib.suppress(msgspec.MsgspecError):
                body = msgspec.json.decode(ruling.body, type=Ruling)
                self._rulings.setdefault(ruling.entry, []).append(body)
        self._found: list[Incident] = []
        self._before = before
        self._state = HandState()
        self._carried = HandState()
        self._since = (-1.0, self._state)
        self._events: list[ev.TableEvent] = []
        self._asked: Incident | None = None
        self._of_event: dict[int, list[int]] = {}
        self._first = 0

    def incidents(self) -> list[Incident]:
        """Read the hand."""
        for entry in self._entries:
            if entry.kind == "note":
                self._note(entry, notes.decode(entry.body))
            else:
                with contextlib.suppress(EngineError):
                    self._event(entry, ev.decode(entry.body))
        self._keep_asked()
        return self._found

    def _note(self, entry: Entry, note: notes.AnyNote | None) -> None:
        when = Moment(entry.t, entry.utc)
        if isinstance(note, notes.HandBegins):
            self._first = note.events
            self._carried = HandState(
                events=note.events,
                phase=note.phase,
                hand=note.last_hand,
                misdeals=note.misdeals,
                dealer_misdeals=note.dealer_misdeals,
                shuffled_by=note.shuffled_by,
            )
            self._state = self._carried
        elif isinstance(note, notes.Asked):
            self._keep_asked()
            self._asked = self._made(
                note.incident, when, (), places=(note.place,), evidence=note.evidence or ("antenna",)
            )
        elif isinstance(note, notes.AskedEnd) and self._asked is not None:
            answer = Answer(note.incident, True, note.answer, note.by, when)
            self._asked = msgspec.structs.replace(self._asked, answers=(answer,))
            if note.answer != "yes":
                self._keep_asked()
        elif isinstance(note, notes.Sensed):
            self._sensed(note)
        elif isinstance(note, notes.Consulted):
            told = self._causes.get((entry.t, note.incident), _Told("people"))
            made = self._made(note.incident, when, tuple(told.rulings), told_by=told.cause)
            self._found.append(self._numbered(msgspec.structs.replace(made, seats=note.seats)))

    def _sensed(self, note: notes.Sensed) -> None:
        """What the antennas had read, for the incident that was ruled just before."""
        for place in range(len(self._found) - 1, -1, -1):
            if self._found[place].name == note.incident and not self._found[place].reads:
                self._found[place] = msgspec.structs.replace(self._found[place], reads=note.reads)
                return
        if self._asked is not None and self._asked.name == note.incident:
            self._asked = msgspec.structs.replace(self._asked, reads=note.reads)

    def _keep_asked(self) -> None:
        """A question that led to no ruling is an incident all the same: people did not confirm it."""
        if self._asked is not None:
            self._found.append(self._numbered(self._asked))
            self._asked = None

    def _event(self, entry: Entry, event: ev.TableEvent) -> None:
        when = Moment(entry.t, entry.utc)
        rulings = self._rulings.get(entry.idx, [])
        if entry.t != self._since[0]:
            self._since = (entry.t, self._state)
        if isinstance(event, ev.FloorDecided):
            self._decided(event, when)
        elif isinstance(event, ev.Answered):
            self._answered(event, when)
        for name in dict.fromkeys(ruling.incident for ruling in rulings):
            of = tuple(ruling for ruling in rulings if ruling.incident == name)
            asked = self._asked if self._asked is not None and self._asked.name == name else None
            made = self._made(name, when, of, told_by=self._causes.get((entry.t, name), _Told()).cause)
            if asked is not None:
                made = msgspec.structs.replace(
                    made,
                    places=asked.places,
                    evidence=asked.evidence,
                    answers=asked.answers,
                    reads=asked.reads,
                    told_by="",
                )
                self._asked = None
            self._of_event.setdefault(len(self._events), []).append(len(self._found))
            self._found.append(self._numbered(made))
        self._events.append(event)
        if isinstance(event, ev.Undone):
            for place in self._of_event.get(event.index - self._first, ()):
                self._found[place] = msgspec.structs.replace(self._found[place], undone=True)
            self._state = machine.replay(list(self._shifted()), self._book, self._carried).state
        else:
            self._state = machine.step(self._state, event, self._book).state

    def _shifted(self) -> Iterator[ev.TableEvent]:
        for event in self._events:
            if isinstance(event, ev.Undone):
                event = msgspec.structs.replace(event, index=event.index - self._first)
            yield event

    def _decided(self, event: ev.FloorDecided, when: Moment) -> None:
        """The floor's decision belongs to the oldest incident that still waits for one."""
        decision = Decision(event.choice, event.by, event.note or "", event.seats or (), when)
        for place, made in enumerate(self._found):
            if made.decision is None and any(ruling.ruling == "call_floor" for ruling in made.rulings):
                self._found[place] = msgspec.structs.replace(made, decision=decision)
                return
        made = self._made("other", when, (), told_by=event.by)
        self._found.append(self._numbered(msgspec.structs.replace(made, decision=decision)))

    def _answered(self, event: ev.Answered, when: Moment) -> None:
        if not self._found:
            return
        value = {True: "yes", False: "no"}.get(event.value, str(event.value))  # type: ignore[call-overload]
        answer = Answer(event.fact, False, value, "", when)
        last = self._found[-1]
        self._found[-1] = msgspec.structs.replace(last, answers=(*last.answers, answer))

    def _made(
        self,
        name: str,
        when: Moment,
        rulings: tuple[Ruling, ...],
        *,
        told_by: str = "",
        places: tuple[str, ...] = (),
        evidence: tuple[str, ...] = (),
    ) -> Incident:
        # Events of one moment are one act: what was due stood before the first of them.
        state = self._since[1] if self._since[0] == when.t else self._state
        return Incident(
            hand=self._row.hand,
            number=0,
            name=name,
            when=when,
            book=self._book,
            phase=state.phase,
            expected=machine.expects(state, self._book),
            rulings=rulings,
            told_by=told_by,
            places=places,
            evidence=evidence,
            seats=tuple(dict.fromkeys(seat for ruling in rulings for seat in ruling.seats)),
        )

    def _numbered(self, made: Incident) -> Incident:
        return msgspec.structs.replace(made, number=self._before + len(self._found) + 1)
