"""Tagged chips: one motion is what has come to rest; it pays what is owed, and what is more is an act.

Every chip is followed by its tag, so bets are sums of chips that left a stack, never differences of totals. A chip that
is not read for a moment holds its motion open; a motion that is no whole bet waits longer, for a chip read late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

from engine.events import Acted, ChipsMoved, PotTaken, TableEvent
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS, Said
from firmware_bridge.observations import Inventory
from table_controller.config import Timing
from table_controller.fusion.coverage import AntennaKey
from table_controller.fusion.ledger import Ledger
from table_controller.fusion.lying import NEVER, Lying, Seen, Spot
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.inventory import Tags

_MARGIN: Final = 0.2
_POTS: Final = 6
_LOST: Final = (
    30.0  # a chip that left a stack and is not read for so long (seconds) does not hold a motion open
)
_FORGOTTEN: Final = 12.0
"""A chip that is read nowhere for so long (seconds) may have been changed at the bank."""
_FRESH: Final = 6.0  # change from the bank and the chips that it replaces are read within so long

SaidBy = Callable[[int], Said | None]


@dataclass(slots=True)
class Motion:
    """Chips that came to one place: where from, since when."""

    to: str
    spots: list[Spot] = field(default_factory=list)
    origins: set[str] = field(default_factory=set)
    first: float = 0.0
    last: float = 0.0
    group: str = ""


class Chips:
    """All chips on the table, as their tags tell.

    Attributes:
        ledger: What the engine was told of chips in this hand.
        doubts: Places where a chip should be read and is not.
    """

    def __init__(self, tags: Tags, covers: Callable[[str], bool], timing: Timing) -> None:
        self.ledger = Ledger()
        self.doubts: tuple[DoubtAt, ...] = ()
        self._tags = tags
        self._covers = covers
        self._timing = timing
        self._lying = Lying()
        self._moving: set[str] = set()
        self._fresh: list[tuple[float, str, int]] = []  # when, place, value: came from nowhere (the bank)
        self._denied: dict[str, tuple[float, int]] = {}  # place: when people denied a motion, and its chips
        self._came_back: dict[
            str, float
        ] = {}  # chips lost sight of that lie in their stack again, since when
        self._restarted = False  # inside this hand: what was told before lies somewhere, unknown

    # -- what is read ------------------------------------------------------------------------------------

    def read(self, inventory: Inventory, places: tuple[str, ...]) -> None:
        """Take what one chip antenna reads."""
        antenna = (inventory.device, inventory.antenna)
        known = [uid for uid in inventory.uids if self._tags.chip(uid) is not None]
        group = f"{inventory.device}:{inventory.t}"
        changed = self._lying.read(antenna, places, known, inventory.t, group)
        for uid in changed:
            spot = self._lying.spots[uid]
            self._lost_sight_of(spot, antenna, inventory.t)
            if any(spot.told not in self._lying.places[a] for a in spot.here):
                self._moving.add(uid)
            elif spot.here:
                self._moving.discard(uid)

    def _lost_sight_of(self, spot: Spot, antenna: AntennaKey, t: float) -> None:
        """A chip that was read nowhere for a while may have been at the bank: it need not come from where it was told."""
        seen = spot.here.get(antenna)
        if spot.told is None or seen is None or seen.since != t or len(spot.here) > 1:
            self._came_back.pop(spot.uid, None)
        elif spot.told not in self._lying.places[antenna]:
            gone = max(spot.away.values(), default=t)
            if t - gone > _FORGOTTEN:
                spot.told = None
        elif spot.told.startswith("stack") and self._lying.away_since(spot, spot.told) > NEVER:
            self._came_back[spot.uid] = t

    def hand_started(self) -> None:
        """A new hand: what lies before a player already is put in now, all else lies where it is read."""
        for uid, spot in self._lying.spots.items():
            if self._at_home(spot):
                continue
            place = self._place(spot)
            if place is None:
                spot.told = None
            elif place.startswith("bet"):
                # posted before the hand was started
                spot.told = f"stack{place[3:]}"
                self._moving.add(uid)
            else:
                self._settle(spot, place)
        self._restarted = False
        self._denied.clear()
        self._came_back.clear()

    def restarted(self, events: Iterable[TableEvent]) -> None:
        """The program starts again inside a hand: what was told is known, where each chip lies is read anew."""
        self.ledger.restore(events)
        self._restarted = True

    def _find_again(self, now: float) -> None:
        """Of the chips read after a restart, as many lie at their places already as were told before.

        They must have been read there for longer than a neighbour's antenna reads them by mistake.
        """
        settled = now - self._timing.chip_cycle - _MARGIN
        unknown: dict[str, list[Spot]] = {}
        for uid in sorted(self._moving):
            spot = self._lying.spots[uid]
            place, seen = self._lies(spot, now)
            if spot.told is None and place is not None and seen is not None and seen.since <= settled:
                unknown.setdefault(place, []).append(spot)
        for place, spots in unknown.items():
            told = self.ledger.lies(place)
            room = inf if told is None else told - self._value(self._lying.told_at(place))
            for spot in sorted(spots, key=lambda s: (-(self._tags.chip(s.uid) or 0), s.uid)):
                value = self._tags.chip(spot.uid) or 0
                if value <= room:
                    room -= value
                    self._settle(spot, place)

    # -- what happened -----------------------------------------------------------------------------------

    def moving_for(self, seat: int) -> bool:
        """Whether chips of this seat are on their way to a bet."""
        for uid in self._moving:
            spot = self._lying.spots[uid]
            place = self._place(spot)
            if place == f"bet{seat}" or (place == "pot" and spot.told == f"stack{seat}"):
                return True
        return False

    def next(self, state: HandState, expects: tuple[Order, ...], now: float, said: SaidBy) -> Offer | None:
        """The next act that the chips tell, None when they tell nothing (yet).

        Args:
            state: The engine's state.
            expects: What it expects next.
            now: Table time (s).
            said: The word that a seat has for the chips on their way.
        """
        self.doubts = ()
        if self._restarted:
            self._find_again(now)
        if not self._moving:
            return None
        for motion in self._motions(now):
            quiet = now - motion.last
            if quiet < self._timing.rest + _MARGIN or self._denied_lately(motion, now):
                continue
            if self._restarted and not self._stays(quiet) and any(s.told is None for s in motion.spots):
                continue
            offer: Offer | None
            if state.phase == "over" or motion.to == "bank":
                if self._stays(quiet) or any(o.startswith(("bet", "pot")) for o in motion.origins):
                    self._settle_all(motion)
                continue
            if motion.to.startswith("stack"):
                offer = self._to_stack(state, motion, quiet)
            elif motion.to == "pot" and not any(o.startswith("stack") for o in motion.origins):
                offer = self._gathered(state, motion, quiet)
            else:
                offer = self._put_in(state, expects, motion, now, said)
            if offer is not None:
                return offer
        return None

    def _motions(self, now: float) -> list[Motion]:
        """Chips on their way, one motion for each place that they came to (and stack, for the pot)."""
        found: dict[tuple[str, str], Motion] = {}
        for uid in sorted(self._moving):
            spot = self._lying.spots[uid]
            if self._at_home(spot):
                # read in both places: a neighbour's antenna
                continue
            place, seen = self._lies(spot, now)
            if place is None or seen is None or place == spot.told:
                if not spot.here:
                    self._moving.discard(uid)
                continue
            if self._strays(spot, place, now - seen.since):
                continue
            origin = self._origin(spot, place)
            key = (place, origin if place == "pot" and origin.startswith("stack") else "")
            motion = found.get(key)
            if motion is None:
                motion = found[key] = Motion(place, first=seen.since, group=seen.group)
            motion.spots.append(spot)
            motion.origins.add(origin)
            motion.first = min(motion.first, seen.since)
            motion.last = max(motion.last, seen.since)
        return sorted(found.values(), key=lambda motion: (motion.last, motion.to))

    def _strays(self, spot: Spot, place: str, since: float) -> bool:
        """Whether a bet's chip is read before another player, as a neighbour's antenna may: it must stay there."""
        own = spot.told or ""
        moved = own.startswith("bet") and place.startswith("bet")
        return moved and not (spot.here and self._stays(since))

    def _origin(self, spot: Spot, place: str) -> str:
        """Where a chip came from; a stack's chip goes to its own bet, anything else has been at the bank."""
        told = spot.told or ""
        if not told.startswith("stack") or place == f"bet{told[5:]}":
            return told
        return told if place == "pot" and not self._covers(f"bet{told[5:]}") else ""

    def _value(self, spots: Iterable[Spot]) -> int:
        return sum(self._tags.chip(spot.uid) or 0 for spot in spots)

    def _at_home(self, spot: Spot) -> bool:
        """Whether a chip is read where it was told."""
        return spot.told is not None and self._lying.at(spot, spot.told) is not None

    def _lies(self, spot: Spot, now: float) -> tuple[str | None, Seen | None]:
        """Where a chip lies by what is read now, or was a moment ago, and since when.

        Read at two new places it lies before its own player, or nobody can tell yet.
        """
        blinked = self._lying.rests(spot, now)
        here = list(spot.here.items()) or ([blinked] if blinked is not None else [])
        found: list[tuple[str | None, Seen | None]] = []
        for antenna, seen in here:
            at = self._lying.places[antenna]
            found.append((spot.told if spot.told in at else at[0], seen))
        elsewhere = [lies for lies in found if lies[0] != spot.told] or found
        if len(elsewhere) > 1:
            own = f"bet{(spot.told or '')[5:]}"
            elsewhere = [lies for lies in elsewhere if lies[0] == own] or [(None, None)]
        return elsewhere[0] if elsewhere else (None, None)

    def _place(self, spot: Spot) -> str | None:
        """Where a chip is read now, a place other than where it was told first."""
        return self._lies(spot, inf)[0]

    # -- before the players ------------------------------------------------------------------------------

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
        owing = max(0, -self.ledger.balance(state, seat))
        extra = total - min(total, owing)
        whole = self._whole(state, expects, seat, extra) if extra else total == owing
        if quiet < self._patience(seat, motion, whole=whole):
            if not whole:
                self.doubts = (DoubtAt(motion.to, "chips_not_read"),)
            return None
        if (
            extra
            and (state.phase not in STREETS or state.to_act != seat)
            and quiet < self._timing.doubt_after
        ):
            return None
        return self._forward(state, motion, seat, min(total, owing), extra, said)

    def _patience(self, seat: int, motion: Motion, *, whole: bool) -> float:
        """For how long the chips must have been at rest to count as one motion."""
        if self._adrift(seat, motion):
            return _LOST
        if whole:
            return self._timing.rest + _MARGIN
        return max(self._timing.doubt_after, self._timing.rest + self._timing.chip_cycle + _MARGIN)

    def _adrift(self, seat: int, motion: Motion) -> bool:
        """Whether chips left the stack with this motion and are read nowhere (those changed at the bank do not count)."""
        stack = f"stack{seat}"
        since = motion.first - self._timing.chip_cycle
        missing = [
            spot
            for spot in self._lying.told_at(stack)
            if not self._at_home(spot)
            and spot not in motion.spots
            and self._lying.away_since(spot, stack) >= since
        ]
        changed = sum(
            value for when, place, value in self._fresh if place == stack and when >= motion.first - _FRESH
        )
        changed += self._value(spot for spot in motion.spots if self._origin(spot, motion.to) == "")
        return bool(missing) and changed < self._value(missing)

    def _is_change(self, motion: Motion, total: int, *, partly: bool = False) -> bool:
        """Take chips that replace others of the same place, worth the same: change was made at the bank.

        With ``partly`` less will do: the rest of the change has gone on already.
        """
        gone = [
            spot
            for spot in self._lying.told_at(motion.to)
            if not spot.here and abs(self._lying.away_since(spot, motion.to) - motion.first) < _FRESH
        ]
        if not gone or any(o.startswith("stack") for o in motion.origins):
            return False
        missing = self._value(gone)
        if total != missing and not (partly and total < missing):
            return False
        if total == missing:
            for spot in gone:
                spot.told = None
        self._settle_all(motion)
        return True

    def _whole(self, state: HandState, expects: tuple[Order, ...], seat: int, extra: int) -> bool:
        """Whether so many chips are a whole act of the player to act: a call, a bet, a raise, all he has."""
        owner = state.seats[seat]
        if extra == owner.stack:
            return True
        order = next((order for order in expects if order.order == "act"), None)
        if order is None or order.seat != seat:
            return False
        if extra == order.call:
            return True
        return order.min is not None and order.min <= owner.bet + extra <= (order.max or 0)

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

    # -- pot and stacks ----------------------------------------------------------------------------------

    def _gathered(self, state: HandState, motion: Motion, quiet: float) -> Offer | None:
        """Bets were brought in; while the engine still waits for an act they wait as well."""
        bets: dict[str, int] = {}
        for spot in motion.spots:
            if spot.told is not None and spot.told.startswith("bet"):
                bets[spot.told] = bets.get(spot.told, 0) + (self._tags.chip(spot.uid) or 0)
        unseen = self._put_in_unseen(state, motion)
        for seat, amount in unseen.items():
            bets[f"bet{seat}"] = bets.get(f"bet{seat}", 0) + amount
        if not bets and self._restarted and state.to_act is None:
            # brought in before the bets were read again: all of them are in
            bets = self.ledger.bets()
        if not bets:
            if not self._stays(quiet):
                return None
            for spot in motion.spots:
                self._fresh.append((motion.last, motion.to, self._tags.chip(spot.uid) or 0))
            self._settle_all(motion)
            return None
        if state.to_act is not None and state.phase in STREETS and quiet < self._timing.doubt_after:
            return None
        events = [
            ChipsMoved(from_=f"stack{seat}", to=f"bet{seat}", amount=amount, seat=seat, group=motion.group)
            for seat, amount in sorted(unseen.items())
        ]
        events += [
            ChipsMoved(from_=bet, to="pot", amount=amount, seat=int(bet[3:]), group=motion.group)
            for bet, amount in sorted(bets.items(), key=lambda item: int(item[0][3:]))
        ]
        return self._offer(motion, events)

    def _put_in_unseen(self, state: HandState, motion: Motion) -> dict[int, int]:
        """What of the chips brought in was owed by a player and never read before him."""
        found: dict[int, int] = {}
        for spot in motion.spots:
            told = spot.told or ""
            seat = int(told[5:]) if told.startswith("stack") else 0
            if seat in state.seats:
                found[seat] = found.get(seat, 0) + (self._tags.chip(spot.uid) or 0)
        return {seat: amount for seat, amount in found.items() if amount <= -self.ledger.balance(state, seat)}

    def _to_stack(self, state: HandState, motion: Motion, quiet: float) -> Offer | None:
        """Chips came to a stack: his own back, a pot, or change."""
        seat = int(motion.to[5:])
        won = [s for s in motion.spots if s.told is not None and s.told.startswith(("bet", "pot"))]
        fresh = [s for s in motion.spots if s not in won]
        balance = max(0, self.ledger.balance(state, seat))
        award = sum(pay for _, winner, pay in state.awards if winner == seat)
        shares = [pay for _, winner, pay in state.awards if winner == seat]
        targets = _sums(balance, shares)
        amount = self._value(won)
        more = self._value(fresh)
        back_here = self._value(self._back_home(motion))
        left = inf if self._restarted else self._unread_in_play(state)
        if amount + more in targets and more <= left:
            # change was made at the bank on the way, or a chip was lost sight of before
            amount += more
        elif amount not in targets and amount + more + back_here in targets and more + back_here <= left:
            # some went to the bank, and came back among the chips that are due
            amount += more + back_here
        elif amount not in targets:
            due = max(0, balance + award - amount)
            gone = due if self._restarted else self._gone_for_change(motion)
            amount += min(more, due, gone) if won or due else 0
        if (amount or more) and self._stays(quiet) and self._settles_up(state, seat, award):
            group = motion.group
            unseen = [
                ChipsMoved(from_=f"stack{one}", to=f"bet{one}", amount=-owes, seat=one, group=group)
                for one in state.order
                if (owes := self.ledger.balance(state, one)) < 0
            ]
            return self._offer(motion, (*unseen, PotTaken(seat=seat, amount=award, group=group)))
        if not amount or seat not in state.seats:
            if award or not self._stays(quiet):
                return None
            for spot in fresh:
                self._fresh.append((motion.last, motion.to, self._tags.chip(spot.uid) or 0))
            self._settle_all(motion)
            return None
        back = min(amount, balance)
        rest = amount - back
        if rest > award and self._is_change(motion, self._value(motion.spots)):
            return None
        if amount not in targets and quiet < (_LOST if rest <= award else self._timing.doubt_after):
            # a part of what is due: the rest is not read yet, so nobody is told to give it again
            self.doubts = (DoubtAt(motion.to, "chips_not_read"),)
            return None
        events: list[TableEvent] = []
        if back:
            events.append(
                ChipsMoved(from_=f"bet{seat}", to=motion.to, amount=back, seat=seat, group=motion.group)
            )
        if rest and state.phase == "showdown":
            events.append(PotTaken(seat=seat, amount=rest, group=motion.group))
        elif rest:
            events.append(
                ChipsMoved(from_=f"bet{seat}", to=motion.to, amount=rest, seat=seat, group=motion.group)
            )
        return self._offer(motion, events)

    def _settles_up(self, state: HandState, seat: int, award: int) -> bool:
        """Whether the one winner has all, chips put in unseen among them: nothing lies in the middle or before anybody."""
        if state.phase != "showdown" or not award:
            return False
        if all(self.ledger.balance(state, one) >= 0 for one in state.order):
            return False
        if any(winner != seat for _, winner, _ in state.awards) or not self._covers("pot"):
            return False
        return not any(
            spot.here and (spot.told or "").startswith(("bet", "pot")) and self._at_home(spot)
            for spot in self._lying.spots.values()
        )

    def _back_home(self, motion: Motion) -> list[Spot]:
        """Chips that were lost sight of and lie in their stack again since this motion."""
        near = self._timing.chip_cycle + _MARGIN
        return [
            self._lying.spots[uid]
            for uid, since in self._came_back.items()
            if self._lying.spots[uid].told == motion.to and abs(since - motion.last) <= near
        ]

    def _unread_in_play(self, state: HandState) -> int:
        """What should lie in the pot or before the players and is read nowhere: more cannot have come out of it unseen.

        What a player owes may have been put in unseen as well.
        """
        owed = sum(max(0, -self.ledger.balance(state, seat)) for seat in state.order)
        return owed + sum(
            self._tags.chip(spot.uid) or 0
            for spot in self._lying.spots.values()
            if spot.told is not None and spot.told.startswith(("bet", "pot")) and not spot.here
        )

    def _gone_for_change(self, motion: Motion) -> int:
        """What lay in the pot or before the players and was taken to the bank just before this motion."""
        gone = 0
        for spot in self._lying.spots.values():
            told = spot.told
            if told is None or spot.here or not told.startswith(("bet", "pot")):
                continue
            if self._lying.away_since(spot, told) >= motion.first - _FRESH - self._timing.chip_cycle:
                gone += self._tags.chip(spot.uid) or 0
        return gone

    def _stays(self, quiet: float) -> bool:
        """Whether chips have lain somewhere longer than a neighbour's antenna shows them by mistake."""
        return quiet >= self._timing.chip_cycle + self._timing.rest

    def _offer(self, motion: Motion, events: Sequence[TableEvent]) -> Offer:
        chips = tuple((spot.uid, motion.to) for spot in motion.spots)
        return Offer(tuple(events), "antenna", motion.to, chips=chips)

    # -- what became of it -------------------------------------------------------------------------------

    def accept(self, offer: Offer) -> None:
        """The chips lie where they are read now; the ledger follows the events by itself."""
        for uid, place in offer.chips:
            self._settle(self._lying.spots[uid], place)
        if offer.place.startswith("stack"):
            self._came_back.clear()

    def deny(self, offer: Offer, now: float) -> None:
        """People say that it was not so: a chip may be unread. The motion waits for it, then it is told again."""
        if offer.chips:
            self._denied[offer.place] = (now, len(offer.chips))

    def _denied_lately(self, motion: Motion, now: float) -> bool:
        when, count = self._denied.get(motion.to, (0.0, 0))
        if count == len(motion.spots) and now - when < self._timing.doubt_after:
            self.doubts = (DoubtAt(motion.to, "chips_not_read"),)
            return True
        self._denied.pop(motion.to, None)
        return False

    def _settle(self, spot: Spot, place: str) -> None:
        spot.told = place
        self._moving.discard(spot.uid)

    def _settle_all(self, motion: Motion) -> None:
        for spot in motion.spots:
            self._settle(spot, motion.to)
        if len(self._fresh) > 400:
            del self._fresh[:200]


def _sums(balance: int, shares: Sequence[int]) -> set[int]:
    """The amounts that somebody may get in one motion: his own back, one pot or several, both."""
    found = {0}
    for share in shares[:_POTS]:
        found |= {total + share for total in found}
    found.add(sum(shares))
    return {total + own for total in found for own in {0, balance}} - {0}
