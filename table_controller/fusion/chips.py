"""Tagged chips: one motion is what has come to rest; it pays what is owed, and what is more is an act.

Every chip is followed by its tag, so bets are sums of chips that left a stack, never differences of totals. A chip that
is not read for a moment holds its motion open; a motion that is no whole bet waits longer, for a chip read late.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from engine.events import ChipsMoved, PotTaken, TableEvent
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS
from table_controller.fusion.bets import Bets, SaidBy
from table_controller.fusion.chip_reads import FRESH, LOST, MARGIN, Motion
from table_controller.fusion.lying import Spot
from table_controller.fusion.offers import DoubtAt, Offer

_POTS: Final = 6


class Chips(Bets):
    """All chips on the table, as their tags tell."""

    def hand_started(self) -> None:
        """A new hand: what lies before a player already is put in now, all else lies where it is read."""
        super().hand_started()
        self._denied.clear()
        self._acted.clear()

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
            self.doubts = self._missing(now)
            return None
        for motion in self._motions(now):
            quiet = now - motion.last
            if quiet < self._timing.rest + MARGIN or self._denied_before(motion, state):
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
                offer = self._gathered(state, expects, motion, quiet, said)
            else:
                offer = self._put_in(state, expects, motion, now, said)
            if offer is not None:
                self._keep(offer, motion, state)
                return offer
        return None

    # -- pot and stacks ----------------------------------------------------------------------------------

    def _gathered(
        self, state: HandState, expects: tuple[Order, ...], motion: Motion, quiet: float, said: SaidBy
    ) -> Offer | None:
        """Bets were brought in; while the engine still waits for an act they wait as well."""
        bets: dict[str, int] = {}
        for spot in motion.spots:
            if spot.told is not None and spot.told.startswith("bet"):
                bets[spot.told] = bets.get(spot.told, 0) + (self._tags.chip(spot.uid) or 0)
        act = self._act_unseen(state, expects, motion, quiet, said)
        if act is not None:
            return act
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

    def _act_unseen(
        self, state: HandState, expects: tuple[Order, ...], motion: Motion, quiet: float, said: SaidBy
    ) -> Offer | None:
        """Chips of the player to act were brought in before they were read before him: a whole act of his."""
        seat = state.to_act
        if seat is None or state.phase not in STREETS or not self._stays(quiet):
            return None
        spots = [spot for spot in motion.spots if spot.told == f"stack{seat}"]
        own = Motion(f"bet{seat}", spots, {f"stack{seat}"}, motion.first, motion.last, motion.group)
        total = self._value(spots)
        owing = self._owed_in(state, expects, own, seat, total)
        extra = total - min(total, owing)
        if not extra or not self._whole(state, expects, seat, extra):
            return None
        return self._forward(state, own, seat, min(total, owing), extra, said)

    def _put_in_unseen(self, state: HandState, motion: Motion) -> dict[int, int]:
        """What of the chips brought in was owed by a player and never read before him.

        Chips of the bank that nobody was seen to get are of those who owe just as much: changed, put in and brought in at once.
        """
        owed = {seat: -self.ledger.balance(state, seat) for seat in state.order}
        found: dict[int, int] = {}
        fresh = 0
        for spot in motion.spots:
            told, worth = spot.told or "", self._tags.chip(spot.uid) or 0
            seat = int(told[5:]) if told.startswith("stack") else 0
            if spot.told is None:
                fresh += worth
            elif seat in state.seats:
                found[seat] = found.get(seat, 0) + worth
        found = {seat: amount for seat, amount in found.items() if amount <= owed.get(seat, 0)}
        left = {seat: due - found.get(seat, 0) for seat, due in owed.items() if due > found.get(seat, 0)}
        if fresh and fresh == sum(left.values()):
            return {seat: found.get(seat, 0) + left.get(seat, 0) for seat in {*found, *left}}
        if len(left) == 1 and self._gone_for_change(motion) < fresh < sum(left.values()):
            (seat,) = left  # the rest of his change is read a moment later
            found[seat] = found.get(seat, 0) + fresh
        return found

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
        if amount not in targets and quiet < (LOST if rest <= award else self._timing.doubt_after):
            # a part of what is due: the rest is not read yet, so nobody is told to give it again
            if quiet >= self._timing.rest + self._timing.chip_cycle:
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
        near = self._timing.chip_cycle + MARGIN
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
            if told is None or spot.here or spot in motion.spots or not told.startswith(("bet", "pot")):
                continue
            if self._lying.away_since(spot, told) >= motion.first - FRESH - self._timing.chip_cycle:
                gone += self._tags.chip(spot.uid) or 0
        return gone

    # -- what became of it -------------------------------------------------------------------------------

    def accept(self, offer: Offer) -> None:
        """The chips lie where they are read now; the ledger follows the events by itself."""
        for uid, place in offer.chips:
            self._settle(self._lying.spots[uid], place)
        self._acts(offer)
        if offer.place.startswith("stack"):
            self._came_back.clear()


def _sums(balance: int, shares: Sequence[int]) -> set[int]:
    """The amounts that somebody may get in one motion: his own back, one pot or several, both."""
    found = {0}
    for share in shares[:_POTS]:
        found |= {total + share for total in found}
    found.add(sum(shares))
    return {total + own for total in found for own in {0, balance}} - {0}
