"""The betting, the pots and the showdown against an independent oracle (PokerKit) on random hands.

Left out by name are the situations in which PokerKit 0.7.7 is known to be wrong: a short big
blind that lowers the price; a short all-in before the flop that opens the betting again; the
big-blind ante paid before the blind; several odd chips to one winner; a raise over players who are
all covered refused; an absent all-in player's hand that cannot be killed.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from engine import events as ev
from engine import machine
from engine.vocabulary import DECK
from table_controller.rulebook_files import load_book

pokerkit = pytest.importorskip("pokerkit")
from pokerkit import Automation, NoLimitTexasHoldem, State  # noqa: E402

HANDS = 5000
BATCHES = 10
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
BIG = 100


class Pair:
    """One hand played on both sides at once; p1 is the small blind, the last player the button."""

    def __init__(self, rng: random.Random, faults: Counter[str]) -> None:
        self.rng = rng
        self.faults = faults
        self.n = rng.randint(2, 10)
        kind = rng.choice(["none", "none", "classic", "big_blind"])
        ante = 0 if kind == "none" else rng.choice([10, 25, 100])
        self.stacks = [self._stack(rng) for _ in range(self.n)]
        blind_player = 1 if self.n > 2 else 0
        # A big blind that cannot be posted in full lowers PokerKit's price.
        least = BIG + (ante if kind == "classic" else 0)
        if kind == "big_blind":
            least = BIG + ante
        self.stacks[blind_player] = max(self.stacks[blind_player], least + 1)
        if kind == "classic":
            self.stacks = [max(stack, ante + 1) for stack in self.stacks]
        antes = [ante] * self.n if kind == "classic" else [0] * self.n
        if kind == "big_blind":
            antes[1] = ante  # turned round heads-up, as the blinds
        # Heads-up PokerKit turns the blinds round by itself: p1 has the big blind, p2 the button.
        blinds = (BIG // 2, BIG) + (0,) * (self.n - 2)
        self.theirs: State = NoLimitTexasHoldem.create_state(
            AUTOMATIONS,
            kind == "classic",
            tuple(antes),
            blinds,
            BIG,
            tuple(self.stacks),
            self.n,
        )
        self.book = load_book("standard")
        self.ours = machine.start()
        self.rulings: list[Any] = []
        seats = tuple(ev.SeatEntry(seat=p + 1, stack=stack) for p, stack in enumerate(self.stacks))
        self.take(
            ev.HandStarted(
                hand=1,
                button=self.n,
                seats=seats,
                small_blind=BIG // 2,
                big_blind=BIG,
                ante=ev.Ante(kind=kind, amount=ante),
            )
        )
        self.deck = list(DECK)
        rng.shuffle(self.deck)
        self.hole = [(self.deck.pop(), self.deck.pop()) for _ in range(self.n)]

    @staticmethod
    def _stack(rng: random.Random) -> int:
        shape = rng.random()
        if shape < 0.3:
            return rng.randint(30, 400)
        if shape < 0.6:
            return rng.choice([200, 500, 1000])
        return rng.randint(400, 8000)

    def take(self, event: ev.TableEvent) -> None:
        done = machine.step(self.ours, event, self.book)
        self.ours = done.state
        self.rulings += [
            r for r in done.rulings if r.incident not in ("short_all_in", "open_muck", "short_blind")
        ]

    def play(self) -> None:
        for cards in self.hole:
            self.theirs.deal_hole("".join(cards))
        for _ in range(2):
            for place in range(self.n):
                self.take(ev.CardMoved(card=None, from_="deck", to=f"seat{place + 1}", face="down"))
        while True:
            self._betting()
            if self.theirs.street_index is None or sum(self.theirs.statuses) < 2:
                break
            if not self.theirs.can_burn_card():
                break
            self._board()
        self._showdown()

    def _betting(self) -> None:
        while self.theirs.actor_index is not None:
            player = self.theirs.actor_index
            if self.ours.to_act is None and not self.theirs.checking_or_calling_amount:
                # Nothing to call and nobody to bet against: only PokerKit asks for a check.
                assert len(self.ours.can_bet()) <= 1, self.where()
                self.theirs.check_or_call()
                continue
            assert self.ours.to_act == player + 1, self.where()
            self._act(player, may_raise=self._compare_choices(player))
        assert self.ours.to_act is None, self.where()

    def _compare_choices(self, player: int) -> bool:
        order = machine.expects(self.ours, self.book)[0]
        options = order.options or ()
        call = self.theirs.checking_or_calling_amount or 0
        assert (order.call or 0) == call, self.where()
        least = self.theirs.min_completion_betting_or_raising_to_amount
        most = self.theirs.max_completion_betting_or_raising_to_amount
        may = self.theirs.can_complete_bet_or_raise_to()
        stack = self.theirs.stacks[player]
        ours_may = any(option in options for option in ("bet", "raise")) or (
            "all_in" in options and stack > call
        )
        if may != ours_may:
            self._known_fault(player, may)
            return False
        if may and order.min is not None:
            assert order.max == most, self.where()
            # A short all-in that opened the street: "at least a big blind" (ROPTA all-in), which
            # PokerKit reads as a full raise on top of it.
            assert order.min == least or (not self.ours.raises and order.min == BIG), self.where()
        return may

    def _known_fault(self, player: int, may: bool) -> None:
        """The sides differ on whether the player may raise: only in the situations named above."""
        if may:
            assert self.theirs.street_index == 0, self.where()
            assert self.ours.seats[player + 1].acted, self.where()
            self.faults["a short all-in before the flop opens the betting again"] += 1
            return
        top = self.theirs.bets[player] + (self.theirs.checking_or_calling_amount or 0)
        others = [p for p in range(self.n) if p != player and self.theirs.statuses[p]]
        assert all(self.theirs.stacks[p] + self.theirs.bets[p] <= top for p in others), self.where()
        self.faults["a raise over players who are all covered is refused"] += 1

    def _act(self, player: int, *, may_raise: bool) -> None:
        theirs, rng = self.theirs, self.rng
        call = theirs.checking_or_calling_amount or 0
        choice = rng.random()
        seat = player + 1
        if may_raise and choice > 0.62:
            least = theirs.min_completion_betting_or_raising_to_amount
            most = theirs.max_completion_betting_or_raising_to_amount
            amount = rng.choice([least, most, rng.randint(least, most), min(most, least * 2)])
            word = "raise" if max(theirs.bets) else "bet"
            all_in = amount == theirs.bets[player] + theirs.stacks[player]
            theirs.complete_bet_or_raise_to(amount)
            if all_in and rng.random() < 0.5:
                self.take(ev.Acted(seat=seat, said="all_in"))
            else:
                self.take(ev.Acted(seat=seat, said=word, amount=amount))
        elif call and choice < 0.25:
            theirs.fold()
            self.take(ev.Acted(seat=seat, said="fold"))
        else:
            theirs.check_or_call()
            self.take(ev.Acted(seat=seat, said="call" if call else "check"))

    def _board(self) -> None:
        count = 3 if self.theirs.street_index == 1 else 1
        cards = [self.deck.pop() for _ in range(count)]
        self.theirs.burn_card("??")
        self.theirs.deal_board("".join(cards))
        self.take(ev.CardMoved(card=None, from_="deck", to="burn", face="down"))
        for card in cards:
            self.take(ev.CardMoved(card=card, from_="deck", to="board", face="up"))

    def _showdown(self) -> None:
        if len(self.ours.in_hand()) > 1:
            for number in list(self.ours.in_hand()):
                self.take(ev.HandShown(seat=number, to="table", cards=self.hole[number - 1]))
        assert self.ours.phase == "showdown", self.where()
        while self.ours.awards:
            _, seat, amount = self.ours.awards[-1]
            self.take(ev.PotTaken(seat=seat, amount=amount))
        assert not self.ours.pot, self.where()

    def finished(self) -> tuple[list[int], list[int]]:
        ours = [self.ours.seats[p + 1].stack or 0 for p in range(self.n)]
        return ours, list(self.theirs.stacks)

    def where(self) -> str:
        return (
            f"stacks {self.stacks} ours: phase {self.ours.phase} to_act {self.ours.to_act} "
            f"acts {self.ours.acts} bets {[s.bet for s in self.ours.seats.values()]} price {self.ours.price} "
            f"theirs: {self.theirs.actor_index} bets {self.theirs.bets} stacks {self.theirs.stacks} "
            f"expects {machine.expects(self.ours, self.book)}"
        )


def odd_chips(pair: Pair, ours: list[int], theirs: list[int]) -> bool:
    """Whether the sides differ only in who got the odd chips of a split pot."""
    return sum(ours) == sum(theirs) and all(abs(a - b) < pair.n for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_legal_hands_end_as_the_oracle_says(batch: int) -> None:
    rng = random.Random(batch)
    faults: Counter[str] = Counter()
    for _ in range(HANDS // BATCHES):
        pair = Pair(rng, faults)
        pair.play()
        assert not pair.rulings, pair.where()
        ours, theirs = pair.finished()
        if ours != theirs:
            assert odd_chips(pair, ours, theirs), (ours, theirs, pair.where())
            faults["several odd chips go to one winner"] += 1
    # The campaign met what it leaves out, and only rarely.
    assert sum(faults.values()) < HANDS // BATCHES, faults
