"""How a hand begins: the shuffle, the cut, the wait until the table starts it.

Does not model: the other player who shuffles the resting deck, a cut that changes the order (the script's order is
that after the cut), a deck that is spread and checked.
"""

from dataclasses import dataclass
from typing import Final

from hw_sim.betting import Betting
from hw_sim.crew import Script, Until
from hw_sim.play import Hand, Table
from hw_sim.script import HandScript, TableView

# A press is repeated no sooner than this, in real seconds: the table may only be slow.
REAL_AGAIN_S: Final = 3.0


@dataclass
class _Asked:
    """When the dealer last asked for the next hand."""

    t: float
    real: float


class Opening:
    """The dealer before the first card."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.world = table.world
        self.motions = table.motions
        self.habits = table.habits
        self.orders = table.orders

    def _time(self, span: tuple[float, float]) -> float:
        return self.motions.time("dealer", span)

    def _now(self) -> tuple[float, float]:
        return self.table.agenda.now, self.table.monotonic()

    def _late(self, asked: _Asked) -> bool:
        now, real = self._now()
        return now - asked.t > self.habits.again and real - asked.real > REAL_AGAIN_S

    def shuffle(self, script: HandScript, deck: str) -> Script:
        """Shuffle, press what begins a hand, put the deck down."""
        table = self.table
        self.world.stack_deck(deck, script.deck)
        yield self._time(self.habits.shuffle)
        self.motions.note("shuffle", hand=table.number, name=script.name, deck=deck, order=list(script.deck))
        for name in table.manners.start:
            if table.has_button(name):
                yield self._time(self.habits.cut if name == "CUT" else self.habits.say)
                table.press(name)
        self.world.put_deck()

    def wait(self) -> Script:
        """Until the table orders the deal; if it holds the hand back or is silent, ask again now and then."""
        table = self.table
        buttons = [name for name in table.manners.start if table.has_button(name)]
        asked = _Asked(*self._now())

        def started() -> bool:
            return any(act.name in ("deal", "post") for act in self.orders.shown)

        def look() -> bool:
            return started() or self._late(asked)

        while not started():
            yield Until(look)
            if not started() and buttons:
                table.press(buttons[-1])
                asked = _Asked(*self._now())

    def open(self, script: HandScript, deck: str, *, again: bool = False) -> Hand:
        """The table has started the hand, or starts it once more: everybody plays it."""
        table = self.table
        script = table.source.at_start(script, TableView(table.number, dict(table.stacks)))
        betting = Betting(script.stacks, script.game)
        began = table.agenda.now
        hand = Hand(table.number, script, betting, deck, began, {**script.holes()}, script.board())
        if table.at_hand is not None and not again:
            table.at_hand(hand.number)
        hand.slips = [] if again else table.slips_of(hand.number, len(betting.order))
        hand.held = table.neglects("held_stub")
        hand.blind = table.blind(hand.number)
        game = script.game
        self.motions.note(
            "hand_begin",
            hand=hand.number,
            name=script.name,
            deck=deck,
            button=game.button,
            small_blind_seat=game.small_blind_seat,
            big_blind_seat=game.big_blind_seat,
            small_blind=game.small_blind,
            big_blind=game.big_blind,
            ante={"kind": game.ante_kind, "amount": game.ante},
            stacks={str(seat): stack for seat, stack in sorted(script.stacks.items())},
            again=again,
            held_stub=hand.held,
            held_by=self.motions.rng("neglect/held_by").choice(sorted(script.stacks)) if hand.held else None,
            blind=hand.blind,
        )
        table.hand = hand
        table.crew.stir()
        return hand
