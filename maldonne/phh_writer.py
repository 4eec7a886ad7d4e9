"""Writes a hand's journal as PHH, with what PHH has no verb for in comments and ``_maldonne``.

The actions are those that counted: a chip read as a call is a call, a bound act stands where it
took effect, a street that was taken back is the one that was played in the end. Other programs
read them and skip the comments; ``_maldonne.events`` is the whole journal, from which this
program plays the hand again exactly. A journal knows no card that nobody saw, so neither does the
file.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from engine import events as ev
from engine import machine, showdown
from engine.rulebook import Rulebook
from engine.rulings import Ruling
from engine.state import HandState
from engine.vocabulary import STREETS
from maldonne.errors import InputError

_ENDS: Final = {"flop": 3, "turn": 4, "river": 5}
# Events that belong to every hand; the others are told in a comment.
_USUAL: Final = (
    ev.HandStarted,
    ev.CardMoved,
    ev.DeckShuffled,
    ev.DeckCut,
    ev.Acted,
    ev.RoundClosed,
    ev.ChipsMoved,
    ev.HandShown,
    ev.PotTaken,
    ev.HandEnded,
)


def write(
    events: Sequence[ev.TableEvent], book: Rulebook, about: Mapping[str, str | int] | None = None
) -> str:
    """Write one hand: the events from its ``hand_started`` on, under the book it was played by.

    Args:
        events: of one hand, in the order of the journal.
        book: the rulebook in force.
        about: optional PHH fields to add, such as ``event``, ``table`` or ``day``.

    Raises:
        InputError: PHH cannot tell this hand (no ``hand_started``, stacks not recorded).
    """
    if not events or not isinstance(events[0], ev.HandStarted):
        raise InputError(
            "does not begin with hand_started", where="hand", hint="give one hand from its start"
        )
    started = events[0]
    if any(entry.stack is None for entry in started.seats) or started.betting != "amounts":
        raise InputError(
            "stacks were not recorded, and PHH cannot do without",
            where=f"hand {started.hand}",
            hint="export it as JSON Lines",
        )
    return _Scribe(started, book).text(events, about or {})


class _Scribe:
    """Follows the hand through the engine and puts down what counted."""

    def __init__(self, started: ev.HandStarted, book: Rulebook) -> None:
        self._started = started
        self._book = book
        self._state = machine.step(machine.start(), started, book).state
        self._order = list(self._state.order)
        self._names = {seat: f"p{place}" for place, seat in enumerate(self._order, start=1)}
        self._actions: list[str] = []
        self._streets: dict[str, int] = {}  # street -> place of its line in the actions
        self._base = self._paid_before_the_round()
        self._price = max([started.big_blind, *(straddle.amount for straddle in started.straddles)])
        self._last: tuple[int, int, int] | None = None  # (seat, line, price before) of the last bet
        self._last_seat: int | None = None
        self._acted: set[int] = set()
        self._dead: set[int] = set()
        self._told: set[int] = set()  # seats whose showing or mucking is written

    # following the hand

    def text(self, events: Sequence[ev.TableEvent], about: Mapping[str, str | int]) -> str:
        """Follow every event and give the file's text."""
        rulings: list[Ruling] = []
        state = self._state
        for place, (event, undone) in enumerate(machine.resolved(events)):
            if undone:
                self._actions.append("# taken back: " + ev.encode(event).decode())
                if place:
                    state = msgspec.structs.replace(state, events=state.events + 1)
                continue
            before = state if place else machine.start()
            step = machine.step(before, event, self._book)
            state = step.state
            rulings += step.rulings
            self._comment(event, step.rulings)
            if place:
                self._effects(before, state, event)
            else:
                self._dead.update(n for n, seat in state.seats.items() if seat.absent)
        self._finish(state)
        return self._render(state, events, rulings, about)

    def _comment(self, event: ev.TableEvent, rulings: tuple[Ruling, ...]) -> None:
        if not isinstance(event, _USUAL) or (rulings and isinstance(event, ev.CardMoved)):
            self._actions.append("# maldonne " + ev.encode(event).decode())
        for ruling in rulings:
            seats = " ".join(f"seat {seat}" for seat in ruling.seats)
            said = f"# ruling {ruling.ruling}: {ruling.incident}, {ruling.article}"
            self._actions.append(f"{said}, {seats}" if seats else said)

    def _effects(self, before: HandState, after: HandState, event: ev.TableEvent) -> None:
        for seat, now in after.seats.items():
            if now.dead and not before.seats[seat].dead:
                self._dead.add(seat)
        start = self._order.index(before.to_act) if before.to_act in self._order else 0
        for seat in self._order[start:] + self._order[:start]:
            was, now = before.seats[seat], after.seats[seat]
            if now.folded and not was.folded:
                if getattr(now, "mucked", False):
                    self._tell(seat, "")
                else:
                    self._act(seat, "f")
            elif now.acts > was.acts and not now.dead:
                self._bet(seat, now.paid - self._base[seat])
        if isinstance(event, ev.Acted):
            self._amend(before, after, event.seat)
        if after.phase != before.phase and after.phase in _ENDS:
            self._open(after)
        if after.phase == "showdown" or showdown.no_more_betting(after):
            for seat in self._order:
                if after.seats[seat].shown and seat not in self._told and after.seats[seat].hand:
                    self._tell(seat, "".join(after.seats[seat].hand))

    def _act(self, seat: int, verb: str) -> None:
        """Write an act; killed hands that stand between are folded first, where PHH expects them."""
        start = self._order.index(self._last_seat) + 1 if self._last_seat in self._order else self._opener()
        round_ = self._order[start:] + self._order[:start]
        for other in round_[: round_.index(seat)]:
            if other in self._dead:
                self._dead.discard(other)
                self._actions.append(f"{self._names[other]} f")
        self._dead.discard(seat)
        self._actions.append(f"{self._names[seat]} {verb}")
        self._last_seat = seat
        self._acted.add(seat)

    def _opener(self) -> int:
        """Place in the order of who opens the round."""
        if self._streets or self._state.big_blind_seat not in self._order:
            return 0
        last = self._started.straddles[-1].seat if self._started.straddles else self._state.big_blind_seat
        return (self._order.index(last) + 1) % len(self._order)

    def _bet(self, seat: int, total: int) -> None:
        before = self._price
        self._price = max(self._price, total)
        self._act(seat, f"cbr {total}" if total > before else "cc")
        self._last = (seat, len(self._actions) - 1, before)

    def _amend(self, before: HandState, after: HandState, seat: int) -> None:
        """A second motion or a ruling changed what the last act counts as."""
        if self._last is None or self._last[0] != seat or seat not in after.seats:
            return
        was, now = before.seats[seat], after.seats[seat]
        if now.acts == was.acts and now.paid > was.paid and not now.folded:
            _, line, price = self._last
            total = now.paid - self._base[seat]
            self._price = max(price, total)
            self._actions[line] = f"{self._names[seat]} " + (f"cbr {total}" if total > price else "cc")

    def _open(self, state: HandState) -> None:
        """A street lies complete: the round before it is over."""
        for seat in self._order:
            if seat in self._dead and seat not in self._acted:
                self._dead.discard(seat)
                self._actions.append(f"{self._names[seat]} f")
        for street in STREETS[1 : STREETS.index(state.phase) + 1]:
            if street not in self._streets:
                self._streets[street] = len(self._actions)
                self._actions.append("d db")
        self._base = {seat: now.paid - now.bet for seat, now in state.seats.items()}
        self._price, self._last, self._last_seat = 0, None, None
        self._acted.clear()

    def _tell(self, seat: int, cards: str) -> None:
        if seat not in self._told:
            self._told.add(seat)
            self._actions.append(f"{self._names[seat]} sm {cards}".rstrip())

    def _finish(self, state: HandState) -> None:
        """Fill in the board that was played in the end, and streets that nobody bet on."""
        for street, end in _ENDS.items():
            cards = state.board[end - (3 if street == "flop" else 1) : end]
            if len(state.board) < end:
                continue
            line = "d db " + "".join(card or "??" for card in cards)
            if street in self._streets:
                self._actions[self._streets[street]] = line
            else:
                self._actions.append(line)
        self._actions = [action for action in self._actions if action != "d db"]

    def _paid_before_the_round(self) -> dict[int, int]:
        return {seat: now.paid - now.bet for seat, now in self._state.seats.items()}

    # the file

    def _hole(self, state: HandState) -> list[str]:
        if state.phase == "void" or (not state.deal_judged and not state.acts):
            return []
        lines = []
        for seat in self._order:
            now = state.seats[seat]
            cards = [card or "??" for card in (now.hand or now.cards)][:2]
            lines.append(f"d dh {self._names[seat]} " + "".join([*cards, "??", "??"][:2]))
        return lines

    def _blinds(self) -> list[int]:
        started, state = self._started, self._state
        blinds = dict.fromkeys(self._order, 0)
        if state.small_blind_seat in blinds:
            blinds[state.small_blind_seat] = started.small_blind
        if state.big_blind_seat in blinds:
            blinds[state.big_blind_seat] = started.big_blind
        for straddle in started.straddles:
            blinds[straddle.seat] = straddle.amount
        listed = [blinds[seat] for seat in self._order]
        # Heads-up the usual order of writing is small, big, although p1 pays the big one.
        return sorted(listed) if len(listed) == 2 else listed

    def _antes(self) -> list[int]:
        ante, state = self._started.ante, self._state
        payer = {"big_blind": state.big_blind_seat, "button": state.button}.get(ante.kind)
        if ante.kind == "classic":
            return [ante.amount] * len(self._order)
        return [ante.amount if seat == payer else 0 for seat in self._order]

    def _render(
        self,
        state: HandState,
        events: Sequence[ev.TableEvent],
        rulings: Sequence[Ruling],
        about: Mapping[str, str | int],
    ) -> str:
        started = self._started
        seats = {entry.seat: entry for entry in started.seats}
        fixed = started.limit == "fixed_limit"
        lines = [
            f'variant = "{"FT" if fixed else "NT"}"',
            f"ante_trimming_status = {'true' if started.ante.kind == 'classic' else 'false'}",
            f"antes = {self._antes()}",
            f"blinds_or_straddles = {self._blinds()}",
        ]
        if fixed:
            lines += [f"small_bet = {started.big_blind}", f"big_bet = {2 * started.big_blind}"]
        else:
            lines.append(f"min_bet = {started.big_blind}")
        lines.append(f"starting_stacks = {[seats[seat].stack for seat in self._order]}")
        actions = self._hole(state) + self._actions
        lines += ["actions = [", *(f"  {_quoted(action)}," for action in actions), "]"]
        lines += [
            f"{key} = {value if isinstance(value, int) else _quoted(value)}" for key, value in about.items()
        ]
        lines += [f"hand = {started.hand}", f"seats = {self._order}"]
        names = [seats[seat].entry for seat in self._order]
        if all(names):
            lines.append("players = [" + ", ".join(_quoted(name or "") for name in names) + "]")
        lines.append(f"finishing_stacks = {[state.seats[seat].stack for seat in self._order]}")
        lines += [
            f"_maldonne = {{ version = 1, rulebook = {_quoted(self._book.id)}, rulings = {len(rulings)}, events = [",
            *(f"  {_quoted(ev.encode(event).decode())}," for event in events),
            "] }",
        ]
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Write a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
