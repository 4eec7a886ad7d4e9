"""The dealer's work with pots: bets into the middle, what was not called back to its owner, pots to winners.

Does not model: side pots laid apart (one pot zone holds them all), rake, tips.
"""

from hw_sim.chips import break_down, exact, needs_tidying
from hw_sim.crew import Script
from hw_sim.orders import Shown
from hw_sim.play import Hand, HandResult, Table
from hw_sim.world import SEATS


class PotWork:
    """What the dealer does with chips, and the end of a hand."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.world = table.world
        self.motions = table.motions
        self.habits = table.habits

    def _time(self, span: tuple[float, float]) -> float:
        return self.motions.time("dealer", span)

    def _bring_in(self, hand: Hand, why: str) -> Script:
        """Bets go into the middle; what nobody has called goes back to its owner first."""
        back = hand.betting.uncalled() if hand.betting.to_act is None else None
        if (
            back is not None
            and not self._has_back(hand, *back)
            and self.world.total(f"bet{back[0]}") >= back[1]
        ):
            yield from self.pay(f"bet{back[0]}", back[0], back[1], "uncalled")
        chips = [chip for seat in SEATS for chip in self.world.chips(f"bet{seat}")]
        if not chips:
            return
        bets = {str(seat): total for seat in SEATS if (total := self.world.total(f"bet{seat}"))}
        self.world.move_chips(chips, "air")
        yield self._time(self.habits.gather)
        amount = self.world.move_chips(chips, "pot")
        self.motions.note("gather", bets=bets, amount=amount, by="dealer", why=why)

    def _has_back(self, hand: Hand, seat: int, amount: int) -> bool:
        """Whether a seat has got back already what nobody has called."""
        return self.world.total(f"stack{seat}") >= hand.betting.players[seat].stack + amount

    def gather(self, hand: Hand) -> Script:
        """Bets go into the middle."""
        yield self._time(self.habits.say)
        yield from self._bring_in(hand, "gather")

    def give_back(self, hand: Hand, act: Shown) -> Script:
        """Chips go back: as many as shown, else what nobody has called."""
        yield self._time(self.habits.push)
        back = hand.betting.uncalled()
        amount = act.arg or (back[1] if back is not None and back[0] == act.place else 0)
        if back == (act.place, amount) and self._has_back(hand, *back):
            return  # who raked the bets has given it back already
        bet = f"bet{act.place}"
        place = bet if self.world.total(bet) >= amount else "pot"
        if self.table.manners.chips:
            yield from self.pay(place, act.place, amount, "return")

    def push(self, hand: Hand, act: Shown) -> Script:
        """A pot goes to its winner; bets that were not gathered come in before."""
        table = self.table
        yield self._time(self.habits.push)
        yield from self._bring_in(hand, "push_pot")
        amount = act.arg or self._due(hand, act.place)
        yield from self.pay("pot", act.place, amount, "push_pot")
        if not table.seen(act) and table.has_button("POT"):
            table.press("POT")

    def _due(self, hand: Hand, seat: int) -> int:
        """What a seat must still get out of the pot."""
        player = hand.betting.players.get(seat)
        whole = hand.takes().get(seat, 0) + (player.stack if player is not None else 0)
        return max(0, whole - self.world.total(f"stack{seat}"))

    def pay(self, place: str, seat: int, amount: int, why: str) -> Script:
        """Chips of a place go to a seat's stack, as many as are there."""
        amount = min(amount, self.world.total(place))
        if amount:
            yield from self.motions.payable("dealer", place, amount)
            chips = exact(self.world.chips(place), amount) or []
            yield from self.motions.chips("dealer", chips, f"stack{seat}", why)

    def paid_out(self, hand: Hand) -> bool:
        """Whether no chip is left in the middle."""
        if not self.table.manners.chips:
            return hand.pot_pressed
        return not any(self.world.chips(place) for place in ("pot", *(f"bet{seat}" for seat in SEATS)))

    def clear(self, hand: Hand) -> Script:
        """The hand is over: write it down, take the cards in, make change."""
        table = self.table
        result = self._result(hand)
        table.results.append(result)
        self.motions.note(
            "hand_end",
            hand=hand.number,
            name=hand.script.name,
            stacks={str(seat): stack for seat, stack in sorted(result.after.items())},
            expected={str(seat): stack for seat, stack in sorted(result.expected.items())},
            board=list(result.board),
            folds=list(result.folds),
            shown=list(hand.shown),
            winners={str(seat): amount for seat, amount in sorted(result.winners.items())},
        )
        table.hand = None
        yield self._time(self.habits.clear)
        table.rest_cards(hand.deck)
        self.motions.note("cleared", hand=hand.number, deck=hand.deck)
        if table.manners.chips and not table.source.sets_stacks:
            for seat in sorted(table.stacks):
                yield from self._tidy(f"stack{seat}")

    def _result(self, hand: Hand) -> HandResult:
        table, betting = self.table, hand.betting
        takes = hand.takes()
        expected = {seat: p.stack + takes.get(seat, 0) for seat, p in betting.players.items()}
        for seat in betting.order:
            chips = table.manners.chips
            table.stacks[seat] = self.world.total(f"stack{seat}") if chips else expected[seat]
        return HandResult(
            number=hand.number,
            name=hand.script.name,
            before={seat: betting.players[seat].start for seat in betting.order},
            after={seat: table.stacks[seat] for seat in betting.order},
            expected=expected,
            board=tuple(card.name for card in self.world.cards("board")),
            folds=tuple(act.seat for act in betting.acts if act.kind == "fold"),
            winners=takes,
            began=hand.began,
            ended=table.agenda.now,
        )

    def _tidy(self, place: str) -> Script:
        chips = self.world.chips(place)
        if chips and needs_tidying(chips, self.motions.denominations):
            total = sum(chip.value for chip in chips)
            values = break_down(total, self.motions.denominations)
            yield from self.motions.exchange("dealer", place, chips, values)
