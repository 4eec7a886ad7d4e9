"""The hand as the table plays it: what the senses offer, what the engine makes of it, what is to be written and said.

No device, no disk, no network: observations, words of people and documents of the hub go in, drafts for the journal
come out. The loop (``table.py``) commits them before anything is shown or sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from engine import events as ev
from engine import machine, rulings
from engine.errors import MalformedRulebook
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from firmware_bridge.observations import Observation
from table_controller import messages as m
from table_controller import notes, reporting
from table_controller.fusion import Fusion, Offer
from table_controller.fusion.presses import Press
from table_controller.hand_start import LastHand, NotNow, Started, Way, compose, leave
from table_controller.here import Here, over, renewed, served
from table_controller.journal import Batch, HandOpening, NewEntry, NewEvent, NewRuling, Recovery
from table_controller.journal.records import EntryKind
from table_controller.level_clock import Stage

Books = Callable[[str], tuple[Rulebook, str]]

# Rulings on these say how a clean act counts; they accuse nobody, so nobody is asked.
CALM: Final = frozenset(
    """
    absent_dealt_in short_all_in short_blind oversized_chip several_chips ante_eliminated left_table
    hand_shown tabled_early conditional_word open_muck
    """.split()
)
_UNANSWERED: Final = 20.0
"""A question that nobody answers within so many seconds of table time is let go: play goes on."""
_OUT_OF_STEP: Final = 3
"""After so many sensed irregularities in one hand that people did not confirm, the table asks no more."""
_TWO: Final = 2
_START: Final = frozenset({"CUT", "NEXT_HAND"})


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


class Running:
    """One table's hands, one after the other.

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

    # -- what is shown -----------------------------------------------------------------------------------

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
    def expects(self) -> tuple[Order, ...]:
        """What people are shown: a question first, then what the engine expects."""
        if self.question is not None:
            ruling = self.question.ruling
            seat = ruling.seats[0] if ruling.seats else None
            return (Order("ask", fact=ruling.incident, seat=seat, options=("yes", "no")),)
        if self.state.phase == "over" and self.refused is not None:
            return (Order("wait", for_=self.refused.reason),)
        if self.runout_held:
            return (Order("wait", for_="runout"),)
        return self.engine_expects

    @property
    def effective(self) -> m.Desired:
        """The document in force with what the people here have set over it."""
        return over(self.desired, self.here, self.stages, self.now)

    @property
    def out_of_step(self) -> bool:
        """Whether the table understands so little of this hand that it had better be put right."""
        return self.unexplained >= _OUT_OF_STEP

    @property
    def runout_held(self) -> bool:
        """Whether all-in hands stay down until the hub lets them be shown (hand-for-hand)."""
        gated = self._started is not None and self._started.gate is not None
        return gated and self.released != self.state.hand and _all_in(self.engine_expects, self.state)

    def take_drafts(self) -> list[Draft]:
        """Give what is to be written, in order; each is one transaction."""
        drafts = [draft for draft in self._drafts if not draft.empty]
        self._drafts = [Draft()]
        return drafts

    # -- in ----------------------------------------------------------------------------------------------

    def take(self, observation: Observation) -> None:
        """Take one observation and let everything happen that follows from it."""
        press = self.fusion.feed(observation)
        if press is not None:
            self._pressed(press)
        self._advance()

    def say(self, event: ev.TableEvent, source: str) -> None:
        """A person says what happened (page, hub): the engine hears it at once."""
        self.say_all((event,), source)

    def say_all(self, events: Iterable[ev.TableEvent], source: str) -> None:
        """A person says what happened with one word: the events are undone together."""
        self._deed += 1
        self._record(events, source)
        self._advance()

    def answer(self, answer: str) -> None:
        """A person answers the question of the sensors, ``yes`` or ``no``."""
        if self.question is not None:
            self._answered(self.question, answer)
            self._advance()

    def note(self, note: notes.AnyNote) -> None:
        """Keep something in the record that is no event of the engine."""
        self._note(note)

    def set_here(self, here: Here, source: str) -> None:
        """The people at the table have set something: it counts from now on and is kept."""
        self.here = msgspec.structs.replace(here, rev=self.here.rev + 1)
        self._note(notes.HereSet(here=self.here, source=source))
        self.refused = None

    def direct(self, desired: m.Desired) -> None:
        """A newer document of the hub: it is kept, and its decisions close the calls that they name."""
        self.desired = desired
        self.here = renewed(self.here, desired)
        self._drafts[-1].desired = desired
        for decision in desired.decisions:
            if decision.call in self._decided or not self.state.calls:
                continue
            if decision.call == call_id(self.state.calls[0].event):
                self._decided.add(decision.call)
                self._record((_decided(decision),), f"decision:{decision.call}")
        if self.refused is not None and self.refused.reason in ("hold", "gate", "level", "players"):
            self.refused = None
        self._advance()

    def release(self, hand: int) -> bool:
        """All-in hands may be shown now; nothing happens for another hand than the running one."""
        if hand != self.state.hand:
            return False
        self.released = hand
        return True

    # -- buttons -----------------------------------------------------------------------------------------

    def _pressed(self, press: Press) -> None:
        name = press.button
        self._deed += 1
        if name in ("YES", "NO") and self.question is not None:
            self._answered(self.question, "yes" if name == "YES" else "no")
        elif name in ("YES", "NO") and self._engine_asks(name):
            return
        elif name in _START:
            self._start(name)
        elif name == "UNDO":
            self.undo("panel:UNDO")
        elif name == "FLOOR":
            self.notices.append("floor")
        elif name == "NO":
            self.notices.append("press_means_nothing")
        else:
            if self.question is not None:
                self._answered(self.question, "unanswered")
            self.fusion.pressed(press)
            self._advance()
            if self.fusion.word_waits:
                self._note(notes.Word(button=name, t=press.t))

    def _engine_asks(self, name: str) -> bool:
        """Answer a question of the engine that has two answers: YES is the first of them, NO the second."""
        asked = self.engine_expects[0] if self.engine_expects else None
        if asked is None or asked.order != "ask" or asked.fact is None or len(asked.options or ()) != _TWO:
            return False
        options = asked.options or ()
        chosen = options[0 if name == "YES" else 1]
        value: bool | str = chosen == "yes" if set(options) == {"yes", "no"} else chosen
        self._record((ev.Answered(fact=asked.fact, value=value, seat=asked.seat),), f"panel:{name}")
        return True

    # -- the senses --------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Let the engine take everything that the senses offer."""
        while True:
            question = self.question
            if question is not None:
                if self.now - question.since < _UNANSWERED:
                    break
                self._answered(question, "unanswered")
                continue
            offer = self.fusion.next(self.state, self.engine_expects)
            if offer is None:
                break
            self._judge(offer)
        self.notices += self.fusion.notices()
        self._tell_doubts()

    def _judge(self, offer: Offer) -> None:
        """Take an offer; one that sensors alone tell and that would be ruled on is asked first."""
        if self.light and offer.sensed and self.state.to_act is not None and _of_street(offer.events):
            # Nobody says that a round is over: the next street does.
            self._record((ev.RoundClosed(),), "")
        accused = self._accusation(offer) if offer.sensed and self._sensors != "tell" else None
        if accused is None:
            self._accept(offer)
            return
        self._note(notes.Asked(incident=accused.incident, place=offer.place, question=accused.ruling))
        if self._sensors == "silent" or self.out_of_step:
            self._note(notes.AskedEnd(incident=accused.incident, answer="silent"))
            self.fusion.deny(offer)
            return
        self.question = Question(offer, accused, self.now)

    def _accusation(self, offer: Offer) -> Ruling | None:
        """The first ruling on an irregularity that these events would bring, without any effect."""
        state = self.state
        for event in offer.events:
            step = machine.step(state, event, self.book)
            for ruling in step.rulings:
                if ruling.incident not in CALM:
                    return ruling
            for asked in step.state.questions[len(state.questions) :]:
                # The book would ask a fact before it rules: that too rests on sensors alone.
                incident = asked.incident
                row = next(iter(self.book.candidates(incident.name)), self.book.floor)
                return Ruling(
                    ruling=row.ruling[0],
                    incident=incident.name,
                    rulebook=row.rulebook,
                    article=row.article,
                    seats=(incident.seat,) if incident.seat is not None else (),
                    cards=(),
                    orders=(),
                    event=state.events,
                )
            state = step.state
        return None

    def _answered(self, question: Question, answer: str) -> None:
        self.question = None
        self._note(notes.AskedEnd(incident=question.ruling.incident, answer=answer))
        if answer == "yes":
            self._accept(question.offer)
        else:
            self.unexplained += 1
            self.fusion.deny(question.offer)

    def _accept(self, offer: Offer) -> None:
        self._deed += 1
        source = "" if offer.sensed else offer.source
        self.fusion.accept(offer)
        self._record(offer.events, source)

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
            due = _all_in(machine.expects(self.state, self.book), self.state)
            if due and not _all_in(machine.expects(before, self.book), before):
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

    # -- from hand to hand -------------------------------------------------------------------------------

    def _start(self, button: str) -> None:
        """CUT or NEXT_HAND: a new hand, or what these buttons mean while one runs."""
        source = f"panel:{button}"
        if button == "NEXT_HAND":
            self.next_hand(source)
            return
        state = self.state
        if state.phase not in ("over", "void"):
            if state.phase == "dealing" or any(o.order == "cut" for o in state.plan):
                self._record((ev.DeckCut(),), source)
            else:
                self.notices.append("hand_is_running")
            return
        self._record((ev.DeckCut(),), source)
        self.start_hand(source)

    def next_hand(self, source: str) -> None:
        """The next hand begins; before it the last one's pots are taken and, in light mode, it ends where it is."""
        self._deed += 1
        if self.state.phase == "showdown":
            self.take_pots(source)
        if self.light and self.state.phase not in ("over", "void"):
            self._record((ev.HandEnded(),), source)
        if self.state.phase not in ("over", "void"):
            self.notices.append("hand_is_running")
            return
        self.start_hand(source)

    def take_pots(self, source: str) -> None:
        """Everybody has what he won: one word takes all pots and ends the hand."""
        self._deed += 1
        for _, seat, amount in reversed(self.state.awards):
            self._record((ev.PotTaken(seat=seat, amount=amount),), source)
        if self.state.phase == "showdown" and (self.state.settled or not self.state.pot):
            self._record((ev.HandEnded(),), source)

    def start_hand(self, source: str) -> None:
        """Begin the next hand, or keep why not."""
        made = self._compose()
        if isinstance(made, NotNow):
            self.refused = made
            return
        self.refused = None
        self._begin(made, source)
        if self.here.button is not None:
            self.set_here(msgspec.structs.replace(self.here, button=None), source)

    def _begin(self, made: Started, source: str, *, kind: EntryKind = "event", tell: bool = True) -> None:
        if not self._drafts[-1].empty:
            self._drafts.append(Draft())
        state = self.state
        self._first, self._events, self._sources, self._deeds = state.events, [], [], []
        self.ruled, self.unexplained = (-1, ()), 0
        self._carried = _carried(state)
        self._decided.clear()
        self._started, self.level = made, made.level
        self._move_people()
        note = notes.HandBegins(
            events=state.events,
            phase=state.phase,
            last_hand=state.hand,
            misdeals=state.misdeals,
            dealer_misdeals=state.dealer_misdeals,
            shuffled_by=state.shuffled_by,
            last=self.last,
            positions=made.positions,
            level=made.level,
            gate=made.gate,
            present=self.present,
            here=self.here,
        )
        self._note(note)
        self._drafts[-1].opening = HandOpening(
            hand=made.event.hand, rulebook=self.book.id, text=self._book_text
        )
        self._record((made.event,), source, kind=kind, tell=tell)

    def begin_again(self, source: str) -> bool:
        """Compose the running hand anew before its first card: somebody has just come.

        Returns:
            Whether the hand had not begun in earnest, so that it was.
        """
        state = self.state
        if state.phase != "dealing" or state.off_deck or state.plan or self.light:
            return False
        made = self._compose()
        if isinstance(made, NotNow):
            return False
        self._begin(made, source)
        return True

    def put_right(self, made: Started, events: Iterable[ev.TableEvent], note: notes.PutRight) -> None:
        """The hand goes on as people say that it stands: it is laid out again, as a correction.

        Args:
            made: The hand's beginning, with the button where it is.
            events: What leads from there to where it stands; none of it is told as having happened.
            note: What people said.
        """
        self._deed += 1
        self._begin(made, "", kind="correction", tell=False)
        self._note(note)
        self._record(events, "", kind="correction", tell=False)
        self._publish([m.Annulled(reason="put right")], note.source, self.state.events - 1)
        self.ruled = (-1, ())
        self._advance()

    @property
    def started(self) -> Started | None:
        """How the running hand began."""
        return self._started

    def _compose(self) -> Started | NotNow:
        desired = self.effective
        if desired.rulebook != self.book.id or self.last.hand == 0:
            try:
                self.book, self._book_text = self._books(desired.rulebook)
            except MalformedRulebook:
                return NotNow("rulebook")
        last, way, button = self.last, self._way, self.here.button
        if button is not None and not last.void:
            last = msgspec.structs.replace(last, positions=None)
            way = msgspec.structs.replace(way, button=button)
            desired = msgspec.structs.replace(desired, button=None)
        if self.here.croupier:
            way = msgspec.structs.replace(way, self_dealt=False)
        return compose(desired, last, way, dict(self.here.deals_for))

    def _move_people(self) -> None:
        """Who came and who went since the last hand, for the hub's seating."""
        seats = {seat.entry: seat for seat in self.effective.seats}
        moves_in = {move.entry: move.move for move in self.desired.moves_in}
        moves_out = {move.entry: move.move for move in self.desired.moves_out}
        if self.present:
            for entry, number in self.present.items():
                if entry not in seats:
                    stack = self.last.stacks.get(entry)
                    self.tell(m.Depart(entry=entry, move=moves_out.get(entry), stack=stack, seat=number))
            for entry, seat in seats.items():
                if entry not in self.present:
                    move = moves_in.get(entry)
                    self.tell(m.Arrive(entry=entry, move=move, stack=seat.stack, seat=seat.seat))
        self.present = {entry: seat.seat for entry, seat in seats.items()}

    def _serve_penalties(self) -> None:
        missed: set[str] = set()
        for seat in self.effective.seats:
            played = self.state.seats.get(seat.seat)
            if seat.penalty and played is not None and played.entry == seat.entry:
                missed.add(seat.entry)
                self.tell(m.PenaltyServed(entry=seat.entry, left=seat.penalty - 1))
        here = served(self.here, self.desired, frozenset(missed))
        if here is not self.here:
            self.set_here(here, "")

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
        if self.ruled[0] >= self._first + min(places):
            self.ruled = (-1, ())
        self._publish([m.Annulled(reason="undone")], source, self.state.events - 1)

    # -- after a restart ---------------------------------------------------------------------------------

    def recover(self, found: Recovery, load: Callable[[str], Rulebook]) -> None:
        """Go on where the journal ends: the running hand is played again, the antennas are read anew.

        Args:
            found: What the journal gave back.
            load: Reads a rulebook from the text that the journal keeps.
        """
        if found.desired is not None and found.desired.version > self.desired.version:
            self.desired = found.desired
        begins: notes.HandBegins | None = None
        words: list[notes.Word] = []
        for entry in found.entries:
            if entry.kind == "note":
                note = notes.decode(entry.body)
                if isinstance(note, notes.HandBegins):
                    begins = note
                    self.here = note.here
                elif isinstance(note, notes.Word):
                    words.append(note)
                elif isinstance(note, notes.HereSet):
                    self.here = note.here
                continue
            event = ev.decode(entry.body, where=f"entry {entry.idx}")
            if not self._events or not _one_deed(self._events[-1], event):
                self._deed += 1
            self._events.append(event)
            self._sources.append("journal")
            self._deeds.append(self._deed)
            words.clear()
        self.fusion.now = max(self.fusion.now, found.last_t)
        if begins is not None and found.rulebook_text is not None:
            self.book, self._book_text = load(found.rulebook_text), found.rulebook_text
            self._resume(begins)
        self.state = machine.replay(self._shifted(), self.book, self._carried).state
        if self.state.phase in ("over", "void") and self.state.hand:
            self.last = leave(self.state, self.last, self._started)
        running = self._events if self.state.hand else []
        self.fusion.restarted(running, self.state, tuple(Press(word.button, word.t) for word in words))

    def _resume(self, begins: notes.HandBegins) -> None:
        self._first = begins.events
        self._carried = HandState(
            events=begins.events,
            phase=begins.phase,
            hand=begins.last_hand,
            misdeals=begins.misdeals,
            dealer_misdeals=begins.dealer_misdeals,
            shuffled_by=begins.shuffled_by,
        )
        self.last, self.level, self.present = begins.last, begins.level, dict(begins.present)
        started = next((e for e in self._events if isinstance(e, ev.HandStarted)), None)
        if started is not None:
            self._started = Started(started, begins.positions, begins.level, begins.gate)


def _one_deed(one: ev.TableEvent, other: ev.TableEvent) -> bool:
    """Whether two events of the record were most probably said with one word: cards of a deal, pots taken."""
    alike = type(one) is type(other) and not isinstance(other, ev.Acted)
    return one.t == other.t and (alike or isinstance(other, ev.HandEnded))


def _of_street(events: tuple[ev.TableEvent, ...]) -> bool:
    """Whether a burn or a board card comes first."""
    return (
        isinstance(events[0], ev.CardMoved)
        and events[0].from_ == "deck"
        and events[0].to in ("burn", "board")
    )


def _carried(state: HandState) -> HandState:
    """What the engine keeps of all hands before the next one."""
    return HandState(
        events=state.events,
        phase=state.phase,
        hand=state.hand,
        misdeals=state.misdeals,
        dealer_misdeals=state.dealer_misdeals,
        shuffled_by=state.shuffled_by,
    )


def call_id(event: int) -> str:
    """The id under which an open call of the floor travels."""
    return f"c{event}"


def _decided(decision: m.Decision) -> ev.FloorDecided:
    amounts = {key: value for key, value in (decision.amounts or {}).items() if value >= 0}
    return ev.FloorDecided(
        choice=decision.choice,
        by=decision.by,
        seats=decision.seats or None,
        cards=decision.cards or None,
        amounts=amounts or None,
        to_act=decision.to_act,
        note=decision.note,
    )


def _all_in(expects: tuple[Order, ...], state: HandState) -> bool:
    """Whether hands are to be shown before the board is complete."""
    return state.phase != "showdown" and any(order.order == "show" for order in expects)


def _shift(event: ev.TableEvent, first: int) -> ev.TableEvent:
    """An undoing with the index inside its own hand."""
    if isinstance(event, ev.Undone):
        return msgspec.structs.replace(event, index=event.index - first)
    return event
