"""The dealer's slips as they happen: what lies where afterwards, and who says so.

The script's cards come to whom they were meant for, as if the shuffle had laid the spoiled card in between.

Does not model: a slip that nobody at the table would ever notice; what people say to one another about it.
"""

from collections.abc import Sequence
from typing import Final

from hw_sim.betting import BOARD_AFTER
from hw_sim.crew import Script
from hw_sim.play import Hand, Table
from hw_sim.slips import BY_NAME, STREETS, UNSEEN, Slip
from hw_sim.world import SEATS, Card

# Everybody waits so long for the table to say what it makes of what went wrong (virtual seconds).
QUIET_S: Final = 14.0
_DROPPED: Final = 5  # cards of a dropped stub that leave the dealer's hand


class Mishaps:
    """The dealer's hands when something goes wrong."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.world = table.world
        self.motions = table.motions
        self.habits = table.habits

    # -- which card comes ------------------------------------------------------------------------------

    def due(self, hand: Hand, place: str) -> Card:
        """The card that the script has for this place; of a hand without slips the top one."""
        if hand.slips and place != "burn":
            script = hand.script
            if place == "board":
                wanted: Sequence[str] = script.board()
            else:
                wanted = script.holes().get(int(place.removeprefix("seat")), ())
            stub = {card.name: card for card in self.world.cards("hand")}
            for name in wanted:
                if name in stub:
                    self.world.bring_up(stub[name])
                    break
            else:
                return self.spare(hand)
        elif hand.slips:
            return self.spare(hand)
        return self.world.top()

    def spare(self, hand: Hand) -> Card:
        """A card that the script needs nowhere."""
        needed = {card for hole in hand.script.holes().values() for card in hole} | set(hand.script.board())
        free = [card for card in self.world.cards("hand") if card.name not in needed]
        if free:
            self.world.bring_up(free[-1])
        return self.world.top()

    def refresh(self, hand: Hand) -> None:
        """Look again which hands and which board the players really have."""
        for seat in hand.betting.order:
            cards = [c.name for c in self.world.cards(f"seat{seat}") if c.uid not in hand.dead]
            if len(cards) == 2:
                hand.holes[seat] = tuple(cards)
        lying = [card.name for card in self.world.cards("board")]
        hand.board = tuple([*lying, *(c for c in hand.script.board() if c not in lying)][:5])

    # -- making a slip -----------------------------------------------------------------------------------

    def _made(self, hand: Hand, slip: Slip, **facts: object) -> bool:
        """Write the slip down; give whether somebody will tell the table what it cannot see."""
        slip.made = True
        told = True
        if slip.name in UNSEEN:
            told = self.table.page is not None and self._tells()
            slip.settled = True
        if told and slip.name not in UNSEEN:
            hand.quiet_until = self.table.agenda.now + QUIET_S
        self.motions.note("slip", name=slip.name, at=str(slip), hand=hand.number, told=told, **facts)
        return told

    def _tells(self) -> bool:
        return self.motions.rng("slips/tells").random() < self.table.slips.tells

    def deal(self, hand: Hand, seat: int, number: int) -> Script:
        """One card of the deal, as it should be or not."""
        slip = hand.slip("expose", "drop", "boxed", "skip", *BY_NAME, number=number)
        place = f"seat{seat}"
        if slip is not None and slip.name in BY_NAME:
            yield from self._astray(hand, slip, seat)
        elif slip is None:
            yield from self.motions.card("dealer", self.due(hand, place), place, "down", "deal")
            self.refresh(hand)
        elif slip.name == "skip":
            self._made(hand, slip, seat=seat)
        elif slip.name == "boxed":
            yield from self._boxed(hand, slip, place)
        else:
            yield from self._shown(hand, slip, seat)

    def _astray(self, hand: Hand, slip: Slip, seat: int) -> Script:
        """A card goes to a seat that nobody plays, before the right one gets his; or one of the other deck is dealt."""
        place = f"seat{seat}"
        if slip.name == "wrong_deck":
            others = [c for deck in self.table.decks if deck != hand.deck for c in self.world.decks[deck]]
            if not others:
                slip.made = slip.settled = True
                return
            card = others[0]
            yield from self.motions.card("dealer", card, place, "down", "slip")
            self._made(hand, slip, seat=seat, card=card.name)
            self.refresh(hand)
            return
        empty = [other for other in SEATS if other not in hand.betting.players]
        if empty:
            other = min(empty, key=lambda e: (e - seat) % len(SEATS))
            yield from self.motions.card("dealer", self.spare(hand), f"seat{other}", "down", "slip")
            self._made(hand, slip, seat=other)
            yield self.motions.time("dealer", self.habits.deal)
        else:
            slip.made = slip.settled = True
        yield from self.motions.card("dealer", self.due(hand, place), place, "down", "deal")
        self.refresh(hand)

    def _shown(self, hand: Hand, slip: Slip, seat: int) -> Script:
        """A card shows its face on its way to a seat, or falls off the table."""
        card = self.spare(hand)
        to = f"seat{seat}" if slip.name == "expose" else "off_table"
        yield from self.motions.card("dealer", card, to, "up", "slip", shows=True)
        if not self._made(hand, slip, seat=seat, card=card.name):
            yield self.motions.time("dealer", self.habits.say)
            if slip.name == "drop":
                yield from self.motions.card("dealer", card, f"seat{seat}", "down", "picked up")
            else:
                self.motions.turn("dealer", [card], "down")
            self.refresh(hand)
            return
        hand.dead.append(card.uid)
        yield self.motions.time("dealer", self.habits.type)
        if slip.name == "expose" and all(len(self.world.cards(f"seat{s}")) == 2 for s in hand.betting.order):
            # it was the last card: the deal is over when somebody says so
            self.table.type_in("claimed", claim="card_exposed_in_deal", seat=seat, card=card.name)
        elif slip.name == "expose":
            self.table.type_in("card_exposed", card=card.name, at=to, by="dealer")
        else:
            moved = {"card": card.name, "from": "deck", "to": "off_table", "face": "up", "by": "dealer"}
            self.table.type_in("card_moved", **moved)

    def _boxed(self, hand: Hand, slip: Slip, place: str) -> Script:
        """The next card lies face up in the deck."""
        card = self.spare(hand)
        self.motions.turn("dealer", [card], "up")
        if not self._made(hand, slip, card=card.name):
            self.motions.turn("dealer", [card], "down")
            yield from self.motions.card("dealer", self.due(hand, place), place, "down", "deal")
            self.refresh(hand)
            return
        hand.dead.append(card.uid)
        yield self.motions.time("dealer", self.habits.type)
        self.table.type_in("card_exposed", card=card.name, at="deck", by="deck")

    def after_deal(self, hand: Hand) -> Script:
        """One card too many for the first player."""
        slip = hand.slip("extra")
        if slip is not None:
            first = hand.betting.order[0]
            yield self.motions.time("dealer", self.habits.deal)
            yield from self.motions.card("dealer", self.spare(hand), f"seat{first}", "down", "slip")
            self._made(hand, slip, seat=first)

    def burn(self, hand: Hand) -> Script:
        """The burn before a street, as it should be or not; the stub is in the dealer's hand."""
        # a burn that the table asks for once the river lies spoils no street any more
        street = STREETS[hand.betting.street] if hand.betting.street < len(STREETS) else ""
        slip = hand.slip("drop_stub", "no_burn", "double_burn", "show_burn", street=street)
        if slip is None:
            yield from self.motions.card("dealer", self.due(hand, "burn"), "burn", "down", "burn")
            hand.burnt += 1
        elif slip.name == "drop_stub":
            for card in self.world.cards("hand")[-_DROPPED:]:
                self.world.move_card(card, "off_table", face="down")
            if self._made(hand, slip):
                yield self.motions.time("dealer", self.habits.type)
                self.table.type_in("stub_dropped", order_known=False, mixed_with=[])
            else:
                for card in self.world.cards("off_table"):
                    self.world.move_card(card, "hand", face="down")
        elif slip.name == "no_burn":
            self._made(hand, slip)
            hand.burnt += 1
        elif slip.name == "double_burn":
            for _ in range(2):
                yield from self.motions.card("dealer", self.spare(hand), "burn", "down", "burn")
                yield self.motions.time("dealer", self.habits.board)
            hand.burnt += 1
            self._made(hand, slip)
        else:
            card = self.spare(hand)
            yield from self.motions.card("dealer", card, "burn", "up", "burn", shows=True)
            hand.burnt += 1
            if self._made(hand, slip, card=card.name):
                yield self.motions.time("dealer", self.habits.type)
                self.table.type_in("card_exposed", card=card.name, at="burn", by="dealer")
            else:
                self.motions.turn("dealer", [card], "down")

    def after_street(self, hand: Hand) -> Script:
        """One board card too many."""
        slip = hand.slip("too_many", street=STREETS[max(0, hand.betting.street - 1)])
        if slip is not None:
            yield self.motions.time("dealer", self.habits.board)
            yield from self.motions.card("dealer", self.spare(hand), "board", "up", "slip")
            self._made(hand, slip)

    def premature(self, hand: Hand) -> Slip | None:
        """The slip of a street that is dealt before the last player has acted, if that is now."""
        betting = hand.betting
        if betting.to_act is None or betting.street >= len(STREETS):
            return None
        slip = hand.slip("premature", street=STREETS[betting.street])
        if slip is None:
            return None
        waiting = [seat for seat in betting.can_bet if betting.owes(seat)]
        return slip if len(waiting) == 1 and betting.acts else None

    def too_soon(self, hand: Hand, slip: Slip) -> Script:
        """Burn and street, though a player is still to act."""
        betting = hand.betting
        self._made(hand, slip, seat=betting.to_act)
        yield from self.motions.card("dealer", self.spare(hand), "burn", "down", "slip")
        hand.burnt += 1
        for _ in range(BOARD_AFTER[betting.street + 1] - BOARD_AFTER[betting.street]):
            yield self.motions.time("dealer", self.habits.board)
            yield from self.motions.card("dealer", self.due(hand, "board"), "board", "up", "slip")
