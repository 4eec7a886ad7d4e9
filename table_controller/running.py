"""The hand as the table plays it: what the senses offer, what the engine makes of it, what is to be written and said.

No device, no disk, no network: observations, words of people and documents of the hub go in, drafts for the journal
come out. The loop (``table.py``) commits them before anything is shown or sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

import msgspec

from engine import events as ev
from engine import machine
from engine.rulings import Order, Ruling
from engine.state import HandState
from engine.vocabulary import seat_place
from firmware_bridge.observations import Inventory, Observation
from table_controller import messages as m
from table_controller import notes
from table_controller.fusion import Offer
from table_controller.fusion.deal import behind, coming, completes
from table_controller.fusion.presses import Press
from table_controller.fusion.sightings import Sighted
from table_controller.hand_to_hand import HandToHand
from table_controller.here import renewed
from table_controller.recording import Draft, Question, all_in_shows

# Rulings on these say how a clean act counts; they accuse nobody, so nobody is asked.
CALM: Final = frozenset(
    """
    absent_dealt_in short_all_in short_blind oversized_chip several_chips ante_eliminated left_table
    hand_shown tabled_early conditional_word open_muck
    """.split()
)
_AT_ONCE: Final = 200
"""Acts taken from one look at the senses; no table does so much between two readings."""
_UNANSWERED: Final = 20.0
"""A question that nobody answers within so many seconds of table time is let go: play goes on."""
_OUT_OF_STEP: Final = 3
"""After so many sensed irregularities in one hand that people did not confirm, the table asks no more."""
_TWO: Final = 2
_START: Final = frozenset({"CUT", "NEXT_HAND"})
_PILES: Final = frozenset({"deck", "muck"})
"""What lies there cannot be read: a count of it would say nothing."""


class Lead(Protocol):
    """The panel's own meaning of its buttons, beside their meaning in the game."""

    def pressed(self, press: Press) -> bool:
        """A button went down; whether that meant something to the panel."""

    def see(self, observation: Observation) -> None:
        """Time has passed, or a button was let go."""


class Running(HandToHand):
    """One table as it plays: observations and words of people in, drafts out."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        """As `Recording`."""
        self._read_at: dict[str, tuple[float, int]] = {}  # last read of each place: when, how many tags
        super().__init__(*args, **settings)

    lead: Lead | None = None
    """The panel that leads, where there is one; it hears of a press first."""
    _asked: tuple[Order | None, float] = (None, 0.0)

    # -- what is shown -----------------------------------------------------------------------------------

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
    def out_of_step(self) -> bool:
        """Whether the table understands so little of this hand that it had better be put right."""
        return self.unexplained >= _OUT_OF_STEP

    @property
    def runout_held(self) -> bool:
        """Whether all-in hands stay down until the hub lets them be shown (hand-for-hand)."""
        gated = self._started is not None and self._started.gate is not None
        return gated and self.released != self.state.hand and all_in_shows(self.engine_expects, self.state)

    # -- in ----------------------------------------------------------------------------------------------

    def take(self, observation: Observation | Sighted) -> None:
        """Take one observation and let everything happen that follows from it."""
        if isinstance(observation, Inventory):
            for place in self.fusion.coverage.places(observation):
                self._read_at[place] = (observation.t, len(observation.uids))
        press = self.fusion.feed(observation)
        if press is not None and (self.lead is None or not self.lead.pressed(press)):
            self._pressed(press)
        if self.lead is not None and not isinstance(observation, Sighted):
            self.lead.see(observation)
        self._advance()
        self._watch_clock()

    def _watch_clock(self) -> None:
        """The clock on a player runs in table time; when it is out his time has expired (contracts §2)."""
        state = self.state
        order = next((order for order in state.plan if order.order == "clock"), None)
        if order is None or order.seat is None or order.seat != state.to_act:
            self._clock = None
            return
        asked = (state.hand, order.seat, len(state.acts))
        if self._clock is None or self._clock[0] != asked:
            self._clock = (asked, self.now)
        elif self.now - self._clock[1] >= (order.seconds or 0):
            self._clock = None
            self._deed += 1
            self._record((ev.TimeExpired(seat=order.seat),), "clock")
            self._advance()

    def say(self, event: ev.TableEvent, source: str) -> None:
        """A person says what happened (page, hub): the engine hears it at once."""
        self.say_all((event,), source)

    def say_all(self, events: Iterable[ev.TableEvent], source: str) -> None:
        """A person says what happened with one word: the events are undone together."""
        self._deed += 1
        said = tuple(events)
        self._record((*left_out(self.state, said), *said), source)
        self._advance()

    def answer(self, answer: str, by: str = "") -> None:
        """A person answers the question of the sensors, ``yes`` or ``no``."""
        if self.question is not None:
            self._answered(self.question, answer, by)
            self._advance()

    def note(self, note: notes.AnyNote) -> None:
        """Keep something in the record that is no event of the engine."""
        self._note(note)

    def direct(self, desired: m.Desired) -> None:
        """A newer document of the hub: it is kept, and its decisions close the calls that they name."""
        self.desired = desired
        self.here = renewed(self.here, desired)
        self._drafts[-1].desired = desired
        for decision in desired.decisions:
            if decision.undone:
                self._take_back(decision)
                continue
            if decision.call in self._decided:
                continue
            if self.state.calls and decision.call == call_id(self.state.calls[0].event):
                self._decided.add(decision.call)
                self._record((_decided(decision),), f"decision:{decision.call}")
            elif decision.call == self.here.call:
                self._decided.add(decision.call)
                self._record((_decided(decision),), f"decision:{decision.call}")
                self.set_here(msgspec.structs.replace(self.here, floor=False), f"decision:{decision.call}")
        if self.refused is not None and self.refused.reason in ("hold", "gate", "level", "players"):
            self.refused = None
        self._advance()

    def _take_back(self, decision: m.Decision) -> None:
        """The room has taken a ruling back: what was obeyed of it in this hand did not happen, its call is open again."""
        if self.state.phase == "over":
            return  # a hand that is over is put right by counting, never played again
        gone = [gone for _, gone in machine.resolved(self._shifted())]
        for place in range(len(self._events) - 1, 0, -1):
            event = self._events[place]
            if (
                gone[place]
                or not isinstance(event, ev.FloorDecided)
                or (event.choice, event.by, event.note) != (decision.choice, decision.by, decision.note)
            ):
                continue
            source = f"decision:{decision.call}"
            self._replay_without([place], source)
            number = decision.call.removeprefix("f")
            if decision.call != number and number.isdigit() and not self.here.floor:
                # people had called: nothing is decided yet, again
                again = msgspec.structs.replace(self.here, floor=True, floor_call=int(number))
                self.set_here(again, source)
            break
        self._decided.discard(decision.call)

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
        if name in ("YES", "NO") and self._just_asked(press):
            # it was for what was shown before the question
            self.notices.append("press_again")
        elif name in ("YES", "NO") and self.question is not None:
            self._answered(self.question, "yes" if name == "YES" else "no", f"panel:{name}")
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

    def _just_asked(self, press: Press) -> bool:
        """Whether the question that is open came after whoever pressed could have read it."""
        asked, since = self._asked
        return asked is not None and press.t < since + self.fusion.reaction

    def _look(self) -> None:
        """Notice since when the question is open that people are shown now."""
        head = self.expects[0] if self.expects else None
        asked = head if head is not None and head.order == "ask" else None
        if asked != self._asked[0]:
            self._asked = (asked, self.now)

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
        """Let the engine take everything that the senses offer; what is more than can be waits for the next look."""
        for _ in range(_AT_ONCE):
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
        passing = self.fusion.passing
        for seat in sorted(passing - self._passing):
            self._note(notes.Passing(seat=seat))
        self._passing = passing
        self._tell_doubts()
        self._look()

    def _judge(self, offer: Offer) -> None:
        """Take an offer; one that sensors alone tell and that would be ruled on is asked first."""
        if self.light and offer.sensed and self.state.to_act is not None and _of_street(offer.events):
            # Nobody says that a round is over: the next street does.
            self._record((ev.RoundClosed(),), "")
        if offer.late and self._one_motion(offer):
            return
        accused = self._accusation(offer) if offer.sensed and self._sensors != "tell" else None
        if accused is None:
            self._accept(offer)
            return
        self._note(asked(offer, accused))
        self._tell_reads(offer.events[-1], (accused,))
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

    def _answered(self, question: Question, answer: str, by: str = "") -> None:
        self.question = None
        self._note(notes.AskedEnd(incident=question.ruling.incident, answer=answer, by=by))
        if answer == "yes":
            self._accept(question.offer)
        elif not self._one_motion(question.offer):
            self.unexplained += 1
            self.fusion.deny(question.offer)

    def _one_motion(self, offer: Offer) -> bool:
        """Chips read late that are of the act before, as people say or as their tags tell: that act is corrected.

        Returns:
            Whether the offer was such chips.
        """
        event, motion = offer.events[-1], self.state.motion
        if not isinstance(event, ev.Acted) or motion is None or motion.seat != event.seat:
            return False
        first = motion.event
        if len(offer.events) > 1 or not event.chips or not first.chips or event.said is not None:
            return False
        places = [place for place, other in enumerate(self._events) if other == first]
        if not places:
            return False
        self.fusion.accept(offer)
        self._replay_without(places[-1:], "")
        chips = tuple(sorted((*first.chips, *event.chips), reverse=True))
        self._deed += 1
        self._record((ev.Acted(seat=first.seat, said=first.said, chips=chips),), "")
        return True

    def _tell_reads(self, event: ev.TableEvent, rulings: tuple[Ruling, ...]) -> None:
        """Only counts and ages: never which tags, never a name."""
        coverage = self.fusion.coverage
        for name in dict.fromkeys(ruling.incident for ruling in rulings if ruling.incident not in CALM):
            places = [getattr(event, field, None) for field in ("from_", "to", "at")]
            places += [
                f"seat{seat}" for ruling in rulings if ruling.incident == name for seat in ruling.seats
            ]
            reads = []
            for place in dict.fromkeys(place for place in places if place and coverage.covers(place)):
                if place in _PILES:
                    continue
                t, cards = self._read_at.get(place, (None, 0))
                reads.append(notes.Read(place, cards, None if t is None else round(self.now - t, 3)))
            if reads:
                self._note(notes.Sensed(incident=name, reads=tuple(reads)))

    def _accept(self, offer: Offer) -> None:
        self._deed += 1
        source = "" if offer.sensed else offer.source
        self.fusion.accept(offer)
        self._record(offer.events, source)


def left_out(state: HandState, said: tuple[ev.TableEvent, ...]) -> Iterable[ev.TableEvent]:
    """Cards of the deal that nobody has read, where a person says what became of its last card.

    Who tells of the last card says that the others are dealt; that one is not read accuses nobody.
    """
    rest = list(coming(state))
    cards = [event for event in said if isinstance(event, ev.CardMoved) and event.from_ == "deck"]
    if not rest or not cards or (len(cards) < len(rest) and not completes(state, rest[0])):
        return ()
    told = {event.to for event in cards}
    seats = [seat for seat in state.order if seat not in rest and behind(state, seat)]
    return [
        ev.CardMoved(card=None, from_="deck", to=seat_place(seat))
        for seat in seats
        if seat_place(seat) not in told
    ]


def _of_street(events: tuple[ev.TableEvent, ...]) -> bool:
    """Whether a burn or a board card comes first."""
    return (
        isinstance(events[0], ev.CardMoved)
        and events[0].from_ == "deck"
        and events[0].to in ("burn", "board")
    )


def asked(offer: Offer, ruling: Ruling) -> notes.Asked:
    """What people were asked, and what that rested on."""
    evidence = offer.evidence or ((offer.source,) if offer.source in ("antenna", "camera") else ())
    return notes.Asked(incident=ruling.incident, place=offer.place, question=ruling.ruling, evidence=evidence)


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


__all__ = ["Draft", "Question", "Running", "call_id"]
