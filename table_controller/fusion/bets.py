"""Chips that come before the players: they pay what is owed, and what is more is an act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.events import Acted, ChipsMoved, TableEvent
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS, Said
from table_controller.config import Timing
from table_controller.fusion.chip_reads import FRESH, LOST, MARGIN, ChipReads, Motion
from table_controller.fusion.lying import BLINK, Spot
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.inventory import Tags

SaidBy = Callable[[int], Said | None]
_Turn = tuple[int | None, int, str, int | None]
"""Whose turn it was, after how many acts, in which round, at what price: while it stays, the same chips mean the same."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Chips that came to one place, and the turn in which they were told."""

    place: str
    chips: frozenset[str]
    turn: _Turn
    in_part: bool
    """What was owed was taken out of them first."""
    last: float
    """When the last of them came to rest."""


class Bets(ChipReads):
    """What the chips before the players tell."""

    def __init__(self, tags: Tags, covers: Callable[[str], bool], timing: Timing) -> None:
        super().__init__(tags, covers, timing)
        self._offered: _Meaning | None = None
        self._denied: dict[str, _Meaning] = {}  # by place: what people said that these chips do not mean
        # by seat: in which round the chips of its act came, and when the last of them did
        self._acted: dict[int, tuple[str, float]] = {}

    def _put_in(
        self, state: HandState, expects: tuple[Order, ...], motion: Motion, now: float, said: SaidBy
    ) -> Offer | None:
        """Chips came before a player: they pay what he owes, what is more is his act."""
        seat = int(motion.to[3:]) if motion.to != "pot" else int(next(iter(motion.origins))[5:])
        total = self._value(motion.spots)
        quiet = now - motion.last
        if motion.to != "pot" and self._is_change(motion, total, partly=state.to_act != seat):
            return None
        if seat not in state.seats or state.phase == "void":
            if self._stays(quiet) and all(spot.here for spot in motion.spots):
                self._settle_all(motion)
            return None
        owing = self._owed_in(state, expects, motion, seat, total)
        extra = total - min(total, owing)
        if extra == total and self._is_late(state, seat, motion):
            return replace(self._forward(state, motion, seat, 0, extra, said), late=True)
        whole = self._whole(state, expects, seat, extra) if extra else total == owing
        exact = not extra or self._is_exact(state, expects, seat, extra)
        if quiet < self._patience(seat, motion, whole=whole, exact=exact):
            if not whole and quiet >= self._timing.rest + self._timing.chip_cycle:
                self.doubts = (DoubtAt(motion.to, "chips_not_read"),)
            return None
        if extra and (state.phase not in STREETS or state.to_act != seat):
            before = state.to_act if state.phase in STREETS else None
            under_way = before is not None and self.under_way(before, now, least=self._timing.chip_cycle)
            if quiet < (LOST if under_way else self._timing.doubt_after):
                return None
        return self._forward(state, motion, seat, min(total, owing), extra, said)

    def _owed_in(
        self, state: HandState, expects: tuple[Order, ...], motion: Motion, seat: int, total: int
    ) -> int:
        """What of these chips pays what the seat owes: nothing, where all of them together are just his call.

        Then what he owes was put in unseen, or people have said so.
        """
        owing = max(0, -self.ledger.balance(state, seat))
        denied = self._denied.get(motion.to)
        if not owing or total <= owing:
            return owing
        if denied is not None and denied.in_part:
            return 0
        order = _turn_order(expects, seat)
        calls = order is not None and order.call == total
        return 0 if calls and not self._whole(state, expects, seat, total - owing) else owing

    def under_way(self, seat: int, now: float, *, least: float = BLINK) -> bool:
        """Whether chips of the player to act are on their way: who acted after him did not act out of turn.

        Args:
            seat: Whose chips.
            now: Table time (s).
            least: For how long a chip that is read nowhere has left his stack (s).
        """
        if self.moving_for(seat):
            return True
        stack = f"stack{seat}"
        return any(
            not spot.here and least < now - self._lying.away_since(spot, stack) < LOST
            for spot in self._lying.told_at(stack)
        )

    def _patience(self, seat: int, motion: Motion, *, whole: bool, exact: bool) -> float:
        """For how long the chips must have been at rest to count as one motion.

        A bet or a raise may be of any size: whether another chip belongs to it is known when his stack was read again.
        """
        if self._adrift(seat, motion):
            return LOST
        if whole and (exact or self._lying.read_since(f"stack{seat}", motion.last)):
            return self._timing.rest + MARGIN
        if whole:
            return self._timing.rest + self._timing.chip_cycle + MARGIN
        return max(self._timing.doubt_after, self._timing.rest + self._timing.chip_cycle + MARGIN)

    def _adrift(self, seat: int, motion: Motion) -> bool:
        """Whether chips left the stack with this motion and are read nowhere (those changed at the bank do not count)."""
        stack = f"stack{seat}"
        since = motion.first - self._timing.chip_cycle - BLINK  # it may have been missed just before it left
        missing = [
            spot
            for spot in self._lying.told_at(stack)
            if not self._at_home(spot)
            and spot not in motion.spots
            and self._lying.away_since(spot, stack) >= since
        ]
        changed = sum(
            value for when, place, value in self._fresh if place == stack and when >= motion.first - FRESH
        )
        changed += self._value(spot for spot in motion.spots if self._origin(spot, motion.to) == "")
        return bool(missing) and changed < self._value(missing)

    def _whole(self, state: HandState, expects: tuple[Order, ...], seat: int, extra: int) -> bool:
        """Whether so many chips are a whole act of the player to act: a call, a bet, a raise, all he has."""
        if self._is_exact(state, expects, seat, extra):
            return True
        order = _turn_order(expects, seat)
        if order is None or order.min is None:
            return False
        return order.min <= state.seats[seat].bet + extra <= (order.max or 0)

    @staticmethod
    def _is_exact(state: HandState, expects: tuple[Order, ...], seat: int, extra: int) -> bool:
        """Whether so many chips are a call, or all he has: one chip more or less would be neither."""
        if extra == state.seats[seat].stack:
            return True
        order = _turn_order(expects, seat)
        return order is not None and extra == order.call

    def _forward(
        self, state: HandState, motion: Motion, seat: int, paid: int, extra: int, said: SaidBy
    ) -> Offer:
        stack = f"stack{seat}"
        events: list[TableEvent] = []
        if paid:
            events.append(ChipsMoved(from_=stack, to=motion.to, amount=paid, seat=seat, group=motion.group))
        if extra:
            rest = self._without(motion.spots, paid)
            if rest is not None:
                values = tuple(sorted((self._tags.chip(spot.uid) or 0 for spot in rest), reverse=True))
                events.append(Acted(seat=seat, said=said(seat), chips=values, group=motion.group))
            else:
                total = state.seats[seat].bet + extra
                events.append(Acted(seat=seat, said=said(seat), amount=total, group=motion.group))
                events.append(
                    ChipsMoved(from_=stack, to=motion.to, amount=extra, seat=seat, group=motion.group)
                )
        return self._offer(motion, events)

    def _is_late(self, state: HandState, seat: int, motion: Motion) -> bool:
        """Whether these chips left the stack with the player's act before and were read nowhere until now."""
        phase, last = self._acted.get(seat, ("", 0.0))
        stack = f"stack{seat}"
        if phase != state.phase or state.motion is None or state.motion.seat != seat:
            return False  # others have acted on what was read: people say what it means
        return all(
            (spot.told or self._once.get(spot.uid)) == stack and self._lying.away_since(spot, stack) <= last
            for spot in motion.spots
        )

    def _without(self, spots: Sequence[Spot], amount: int) -> list[Spot] | None:
        """The chips that are left when so much of them is taken away exactly."""
        taken = self._pick(spots, amount)
        if taken is None:
            return None
        names = {spot.uid for spot in taken}
        return [spot for spot in spots if spot.uid not in names]

    def _pick(self, spots: Sequence[Spot], amount: int) -> list[Spot] | None:
        """Chips worth exactly so much, large ones first; None when these chips cannot make it."""
        rest = amount
        picked: list[Spot] = []
        for spot in sorted(spots, key=lambda s: (-(self._tags.chip(s.uid) or 0), s.uid)):
            value = self._tags.chip(spot.uid) or 0
            if value <= rest:
                picked.append(spot)
                rest -= value
        return picked if rest == 0 else None

    # -- what people say of it ---------------------------------------------------------------------------

    def _keep(self, offer: Offer, motion: Motion, state: HandState) -> None:
        """Remember what is told of these chips, should people deny it."""
        in_part = isinstance(offer.events[0], ChipsMoved) and isinstance(offer.events[-1], Acted)
        chips = frozenset(spot.uid for spot in motion.spots)
        self._offered = _Meaning(motion.to, chips, _turn(state), in_part, motion.last)

    def _acts(self, offer: Offer) -> None:
        """Chips became an act: what left the stack with them and is read later is of the same act."""
        act = offer.events[-1]
        if isinstance(act, Acted) and self._offered is not None and offer.chips:
            self._acted[act.seat] = self._offered.turn[2], self._offered.last

    def deny(self, offer: Offer) -> None:
        """People say that it was not so: a chip may be unread. While nothing moves it is not told again."""
        if offer.chips and self._offered is not None:
            self._denied[self._offered.place] = self._offered

    def _denied_before(self, motion: Motion, state: HandState) -> bool:
        """Whether people have said that these chips, in this turn, do not mean what they seem to mean."""
        denied = self._denied.get(motion.to)
        if denied is None:
            return False
        if denied.turn != _turn(state) or denied.chips != frozenset(spot.uid for spot in motion.spots):
            del self._denied[motion.to]
            return False
        if denied.in_part:
            return False  # nothing of them was owed: they are all of one act
        self.doubts = (DoubtAt(motion.to, "chips_not_read"),)
        return True


def _turn_order(expects: tuple[Order, ...], seat: int) -> Order | None:
    """What the table asks a player to do whose turn it is; None when it is another's, or nobody's."""
    order = next((order for order in expects if order.order == "act"), None)
    return order if order is not None and order.seat == seat else None


def _turn(state: HandState) -> _Turn:
    return state.to_act, len(state.acts), state.phase, state.price
