"""The dealer puts right what went wrong, as the panel tells him: takes back, moves, mixes, draws, shuffles, deals again.

The panel shows where a card goes, not where it comes from; that he knows, for he saw what went wrong.

Does not model: a dealer who cures wrongly; a second slip in the midst of a cure.
"""

import random
from typing import Final

from hw_sim.betting import BOARD_AFTER
from hw_sim.crew import Script, Until
from hw_sim.mishaps import Mishaps
from hw_sim.orders import PLACE_NAMES, Shown
from hw_sim.play import Hand, Table
from hw_sim.pot_work import PotWork
from hw_sim.slips import Slip, pending
from hw_sim.world import Card

_PLACE_BY_CODE: Final = {name: number for number, name in enumerate(PLACE_NAMES)}
ORDERED: Final = frozenset({"return_cards", "move", "mix", "draw", "shuffle", "cut", "deal", "burn", "board"})


class Cures:
    """The dealer's hands while a ruling is carried out."""

    def __init__(self, table: Table, mishaps: Mishaps, pots: PotWork) -> None:
        self.table = table
        self.world = table.world
        self.motions = table.motions
        self.habits = table.habits
        self.orders = table.orders
        self.mishaps = mishaps
        self.pots = pots
        self._rng = random.Random(f"{table.motions.seed}/cures")

    def _mark(self, act: Shown, again: str = "") -> None:
        press = (lambda: self.table.press(again)) if again and self.table.has_button(again) else None
        self.orders.mark(act, self.table.agenda.now, press)

    def job(self, hand: Hand, act: Shown) -> Script | None:
        """What the dealer does for this act, None when it is none of a cure."""
        if act.name == "return_cards":
            return self.take_back(hand, act)
        if act.name == "move":
            return self._move(hand, act)
        if act.name == "mix":
            return self._mix(act)
        if act.name == "draw":
            return self._draw(act)
        if act.name == "shuffle" and not hand.settled():
            return self._shuffle(act)
        if act.name == "cut" and not hand.settled():
            return self._cut(act)
        if act.name == "deal" and hand.dealt:
            return self._deal(hand, act)
        if hand.slipped and act.name == "burn":
            return self._burn(act)
        if hand.slipped and act.name == "board" and hand.betting.to_act is not None:
            if self._short(hand):
                return self._board(hand, act)
            self._mark(act, "YES")  # it lies there: he says so, should the table not see it
        return None

    def answer(self, hand: Hand) -> str:
        """YES when what the table asks may well be what went wrong."""
        open_slips = pending(hand.slips)
        for slip in open_slips[:1]:
            slip.settled = True
        if open_slips:
            hand.quiet_until = self.table.agenda.now
        return "YES" if open_slips else "NO"

    def claim(self, hand: Hand, slip: Slip) -> Script:
        """The table has not noticed: somebody types what went wrong."""
        slip.settled = True
        yield self.motions.time("dealer", self.habits.type)
        laid = len(self.world.cards("board"))
        first = hand.betting.order[0]
        skipped = [s for s in hand.betting.order if len(self.world.cards(f"seat{s}")) < 2]
        claims = {
            "skip": ("seat_skipped", skipped[0] if skipped else None),
            "extra": ("extra_card", first),
            "wrong_seat": ("card_to_wrong_seat", None),
            "wrong_deck": ("wrong_deck", None),
            "no_burn": ("no_burn", None),
            "double_burn": ("double_burn", None),
            "too_many": ("flop_too_many_cards" if laid <= 4 else "street_too_many_cards", None),
            "premature": (f"premature_{slip.street}", None),
            "fold_early": ("hand_touched_muck", slip.number or None),
        }
        name, seat = claims[slip.name]
        if not self.table.type_in("claimed", claim=name, **({"seat": seat} if seat else {})):
            self.motions.note("neglect", kind="slip_not_told", name=slip.name)

    # -- everything back ---------------------------------------------------------------------------------

    def take_back(self, hand: Hand, act: Shown) -> Script:
        """A misdeal: chips to their owners, cards to the deck; the hand is dealt again."""
        self._mark(act)
        hand.void = True
        for slip in hand.slips:
            slip.settled = True
        yield Until(lambda: len(hand.posted) >= len(hand.betting.players) and not hand.acting)
        yield self.motions.time("dealer", self.habits.gather)
        if self.table.manners.chips:
            for seat in hand.betting.order:
                bet = self.world.chips(f"bet{seat}")
                if bet:
                    yield from self.motions.chips("dealer", bet, f"stack{seat}", "return")
            for seat, player in sorted(hand.betting.players.items()):
                due = player.start - self.world.total(f"stack{seat}")
                if due > 0:
                    yield from self.pots.pay("pot", seat, due, "return")
        self.motions.note("void", hand=hand.number, name=hand.script.name)
        self.table.rest_cards(hand.deck)
        hand.over = True
        self.table.hand = None
        self.table.crew.stir()

    # -- single acts -------------------------------------------------------------------------------------

    def _from(self, hand: Hand, to: str) -> list[Card]:
        """Cards that may be meant, the likeliest first."""
        world = self.world
        board = list(world.cards("board"))
        loose = [c for c in self._dead(hand) if world.where(c.uid) != to]
        if to == "board":
            return list(world.cards("burn"))[::-1]
        if to.startswith("seat"):
            return list(world.cards("muck"))[::-1]
        if to == "burn":
            no_burn = any(slip.name == "no_burn" and slip.made for slip in hand.slips)
            laid = board[-(BOARD_AFTER[hand.betting.street] - BOARD_AFTER[max(0, hand.betting.street - 1)]) :]
            return loose or (laid if no_burn else board[::-1])
        if to == "deck":
            extra = [
                cards[-1]
                for seat in hand.betting.order
                if len(cards := [c for c in world.cards(f"seat{seat}") if c.uid not in hand.dead]) > 2
            ]
            return loose or extra or board[::-1] or list(world.cards("aside"))[::-1]
        return loose or board[::-1]

    def _dead(self, hand: Hand) -> list[Card]:
        cards = {card.uid: card for card in self.world.decks[hand.deck]}
        return [cards[uid] for uid in hand.dead]

    def _move(self, hand: Hand, act: Shown) -> Script:
        to = PLACE_NAMES[act.place].replace(" ", "") if act.place < len(PLACE_NAMES) else ""
        self._mark(act, "YES")
        yield self.motions.time("dealer", self.habits.say)
        cards = self._from(hand, to) if to else []
        if cards:
            card = cards[0]
            face = "up" if to in ("board", "aside") or card.uid in hand.dead else "down"
            if card.uid in hand.dead and to != "deck":
                hand.dead.remove(card.uid)
            elif card.uid in hand.dead:
                hand.dead.remove(card.uid)
                face = "down"
            yield from self.motions.card("dealer", card, "hand" if to == "deck" else to, face, "cure")
            self.mishaps.refresh(hand)
        if not self.table.tags.covered(to) or to == "deck" or not cards:
            yield self.motions.time("dealer", self.habits.say)
            if act in self.orders.shown and self.table.has_button("YES"):
                self.table.press("YES")

    def _mix(self, act: Shown) -> Script:
        self._mark(act)
        yield self.motions.time("dealer", self.habits.gather)
        street = list(self.world.cards("board"))[-5:]
        if act.place in (0, _PLACE_BY_CODE["board"]) and any(o.name == "draw" for o in self.orders.shown):
            self.motions.turn("dealer", street, "down")
        self.motions.note("mixed")

    def _draw(self, act: Shown) -> Script:
        """The director draws: what he draws is the burn."""
        self._mark(act)
        yield self.motions.time("dealer", self.habits.type)
        board = list(self.world.cards("board"))
        if board:
            drawn = board[-1]
            self.motions.turn("dealer", board, "up")
            self.motions.note("drawn", card=drawn.name)
            self.table.type_in("floor_decided", choice="burn_assigned", by="director", cards=[drawn.name])

    def _shuffle(self, act: Shown) -> Script:
        self._mark(act, "SHUFFLED")
        self.world.take_deck()
        for place in ("off_table", "felt"):
            for card in self.world.cards(place):
                self.world.move_card(card, "hand", face="down")
        yield self.motions.time("dealer", self.habits.shuffle)
        self.world.shuffle_stub(self._rng)
        self.motions.note("shuffled", cards="stub")
        if self.table.has_button("SHUFFLED"):
            self.table.press("SHUFFLED")

    def _cut(self, act: Shown) -> Script:
        self._mark(act, "YES")  # should CUT mean nothing to the table
        yield self.motions.time("dealer", self.habits.cut)
        if self.table.has_button("CUT"):
            self.table.press("CUT")

    def _deal(self, hand: Hand, act: Shown) -> Script:
        """A replacement, or the card that was forgotten."""
        self._mark(act, "YES")
        place = f"seat{act.place}"
        self.world.take_deck()
        yield self.motions.time("dealer", self.habits.deal)
        yield from self.motions.card("dealer", self.mishaps.due(hand, place), place, "down", "cure")
        self.mishaps.refresh(hand)

    def _burn(self, act: Shown) -> Script:
        self._mark(act)
        self.world.take_deck()
        yield self.motions.time("dealer", self.habits.burn)
        if self.table.hand is not None:
            yield from self.mishaps.burn(self.table.hand)

    def _short(self, hand: Hand) -> bool:
        """Whether board cards lack of a street whose round is open."""
        return len(self.world.cards("board")) < BOARD_AFTER[hand.betting.street]

    def _board(self, hand: Hand, act: Shown) -> Script:
        self._mark(act)
        self.world.take_deck()
        lacking = BOARD_AFTER[hand.betting.street] - len(self.world.cards("board"))
        for _ in range(min(act.arg or lacking, lacking)):
            yield self.motions.time("dealer", self.habits.board)
            yield from self.motions.card("dealer", self.mishaps.due(hand, "board"), "board", "up", "cure")
        self.mishaps.refresh(hand)
