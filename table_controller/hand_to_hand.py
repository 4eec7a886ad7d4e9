"""From hand to hand: how one begins, who came and went, how it goes on after a restart or is put right."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable

import msgspec

from engine import events as ev
from engine import machine
from engine.errors import MalformedRulebook
from engine.rulebook import Rulebook
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES
from table_controller import messages as m
from table_controller import notes
from table_controller.fusion.presses import Press
from table_controller.hand_start import NotNow, Started, compose, leave
from table_controller.here import Here, served
from table_controller.journal import HandOpening, Recovery
from table_controller.journal.records import EntryKind
from table_controller.recording import Draft, Recording, one_deed


class HandToHand(Recording):
    """One table's hands, one after the other."""

    @abstractmethod
    def _advance(self) -> None:
        """Let the engine take everything that the senses offer."""

    def set_here(self, here: Here, source: str) -> None:
        """The people at the table have set something: it counts from now on and is kept."""
        self.here = msgspec.structs.replace(here, rev=self.here.rev + 1)
        self._note(notes.HereSet(here=self.here, source=source))
        self.refused = None

    # -- from hand to hand -------------------------------------------------------------------------------

    def _start(self, button: str) -> None:
        """CUT or NEXT_HAND: a new hand, or what these buttons mean while one runs."""
        source = f"panel:{button}"
        if button == "NEXT_HAND":
            self.next_hand(source)
            return
        state = self.state
        if state.phase not in ("over", "void"):
            if state.phase == "dealing" or any(o.order == "cut" for o in self.engine_expects):
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
        if self._drafts[-1].opening is not None:
            self._drafts.append(Draft())
        state = self.state
        self._first, self._events, self._sources, self._deeds = state.events, [], [], []
        self.ruled, self.unexplained = (-1, ()), 0
        self._carried = carried(state)
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
        # in one transaction with the cut or press that began it
        self._drafts[-1].opening = HandOpening(
            hand=made.event.hand,
            rulebook=self.book.id,
            text=self._book_text,
            of=len(self._drafts[-1].entries),
        )
        self._note(note)
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
        passing: set[int] = set()
        for entry in found.entries:
            if entry.kind == "note":
                note = notes.decode(entry.body)
                if isinstance(note, notes.HandBegins):
                    begins = note
                    self.here = note.here
                elif isinstance(note, notes.Word):
                    words.append(note)
                elif isinstance(note, notes.Passing):
                    passing.add(note.seat)
                elif isinstance(note, notes.HereSet):
                    self.here = note.here
                continue
            event = ev.decode(entry.body, where=f"entry {entry.idx}")
            if not self._events or not one_deed(self._events[-1], event):
                self._deed += 1
            self._events.append(event)
            self._sources.append("journal")
            self._deeds.append(self._deed)
            words.clear()
            if isinstance(event, ev.HandStarted):
                passing.clear()
            elif isinstance(event, ev.CardMoved) and event.to == "muck":
                passing.discard(SEAT_PLACES.get(event.from_, 0))
        self.fusion.now = max(self.fusion.now, found.last_t)
        if begins is not None and found.rulebook_text is not None:
            self.book, self._book_text = load(found.rulebook_text), found.rulebook_text
            self._resume(begins)
        self.state = machine.replay(self._shifted(), self.book, self._carried).state
        if self.state.phase in ("over", "void") and self.state.hand:
            self.last = leave(self.state, self.last, self._started)
        running = self._events if self.state.hand else []
        self.fusion.restarted(
            running, self.state, tuple(Press(word.button, word.t) for word in words), frozenset(passing)
        )
        self._passing = frozenset(passing)

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


def carried(state: HandState) -> HandState:
    """What the engine keeps of all hands before the next one."""
    return HandState(
        events=state.events,
        phase=state.phase,
        hand=state.hand,
        misdeals=state.misdeals,
        dealer_misdeals=state.dealer_misdeals,
        shuffled_by=state.shuffled_by,
    )
