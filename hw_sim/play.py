"""One table being played: how it is played, the running hand, what the people share.

Does not model: several hands at once, a table that changes its way of betting during play.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hw_sim.antennas import Field
from hw_sim.betting import Act, Betting
from hw_sim.chips import break_down
from hw_sim.crew import Crew, Script
from hw_sim.errors import ConfigError
from hw_sim.mcu import Mcu
from hw_sim.motions import Motions
from hw_sim.neglect import ATTENTIVE, Neglect
from hw_sim.orders import OrderBoard, Shown
from hw_sim.script import HandScript, HandSource, TableView
from hw_sim.slips import Slip, Slips
from hw_sim.world import SEATS


@dataclass(frozen=True)
class Manners:
    """How this table is played.

    Attributes:
        betting: `amounts`, `words` or `rounds`, as the table is configured.
        chips: Whether there are tagged chips.
        start: Buttons pressed after the shuffle, in this order; those that the panel has.
        stuck_s, stuck_real_s: Virtual and real seconds without any progress after which the people give up;
            both must have passed.
        hold_s, hold_real_s: The same while the panel shows `wait`.
        vain_s, vain_real_s: The same while people press and press and not a card or chip moves.
        idle_s: The same while the panel shows `wait`, in virtual seconds: longer than any break.
    """

    betting: str = "amounts"
    chips: bool = True
    start: tuple[str, ...] = ("SHUFFLED", "CUT")
    stuck_s: float = 90.0
    stuck_real_s: float = 10.0
    hold_s: float = 1800.0
    hold_real_s: float = 300.0
    vain_s: float = 240.0
    vain_real_s: float = 30.0
    idle_s: float = 7200.0

    def __post_init__(self) -> None:
        if self.betting not in ("amounts", "words", "rounds"):
            raise ConfigError(f"betting {self.betting!r}", hint="amounts, words or rounds")
        if self.betting == "amounts" and not self.chips:
            raise ConfigError(
                "betting in amounts without tagged chips needs typed amounts",
                hint="these people do not type: use betting words or rounds, or tagged chips",
            )

    def check_panel(self, buttons: Sequence[str], tags: Field) -> None:
        """See that the panel has what this way of playing needs.

        Raises:
            ConfigError: A button is missing.
        """
        needed = {"CHECK"} if self.betting == "amounts" else {"YES"}
        if self.betting == "words":
            needed |= {"CHECK", "CALL", "RAISE", "ALL_IN"}
        if not tags.covered("muck"):
            needed.add("FOLD")
        missing = sorted(needed - set(buttons))
        if missing:
            raise ConfigError(f"betting in {self.betting} needs the button {missing[0]}")


@dataclass
class Hand:
    """One hand as it is being played.

    Attributes:
        said: The last act of a player: his seat, and the button that says it.
        slips: What goes wrong in it.
        dead: Tags of cards that lie at a seat and are no longer of its hand, or dropped, and wait for their cure.
        quiet_until: Nobody acts before: something went wrong, and everybody waits for what the table says.
        void: It does not count: everything goes back and it is dealt again.
        raked: The street after which the dealer has last had the choice to take the bets in too soon.
        street_at: When the last street lay whole (virtual, real).
        named: When somebody last typed who has won (virtual, real).
        held: The stub stays in the dealer's hand throughout.
        blind: Nobody looks at the panel while there is nothing to wonder about.
        off: Seats whose cards are held up, off their antenna.
    """

    number: int
    script: HandScript
    betting: Betting
    deck: str
    began: float
    holes: dict[int, tuple[str, ...]]
    board: tuple[str, ...]
    slips: list[Slip] = field(default_factory=list)
    dealt: bool = False
    posted: set[int] = field(default_factory=set)
    burnt: int = 0
    board_laid: int = 0
    street_at: tuple[float, float] = (-math.inf, -math.inf)
    shown: list[int] = field(default_factory=list)
    acting: bool = False
    pot_pressed: bool = False
    over: bool = False
    said: tuple[int, str] | None = None
    dead: list[str] = field(default_factory=list)
    quiet_until: float = 0.0
    raked: int = -1
    named: tuple[float, float] | None = None
    void: bool = False
    held: bool = False
    blind: bool = False
    off: set[int] = field(default_factory=set)

    @property
    def slipped(self) -> bool:
        """Whether anything has gone wrong in it."""
        return any(slip.made for slip in self.slips)

    def slip(self, *names: str, number: int = 0, street: str = "") -> Slip | None:
        """The first slip of these names that happens now."""
        for slip in self.slips:
            if not slip.made and slip.name in names and (slip.number, slip.street) == (number, street):
                return slip
        return None

    @property
    def label(self) -> str:
        """The hand's number and name."""
        return f"hand {self.number} ({self.script.name})"

    def settled(self) -> bool:
        """Whether nothing is left to be bet or dealt."""
        return self.betting.over or (self.betting.street == 3 and self.betting.to_act is None)

    def takes(self) -> dict[int, int]:
        """What each seat must get in the end."""
        return self.betting.settle(self.holes, self.board)


@dataclass(frozen=True)
class HandResult:
    """What became of one hand: chips by seat as they truly lie, and as they should lie."""

    number: int
    name: str
    before: dict[int, int]
    after: dict[int, int]
    expected: dict[int, int]
    board: tuple[str, ...]
    folds: tuple[int, ...]
    winners: dict[int, int]
    began: float
    ended: float

    @property
    def ok(self) -> bool:
        """Whether every seat has the chips that it should have."""
        return self.after == self.expected


class Table:
    """What everybody at the table shares: the felt, the panel, the hand."""

    def __init__(
        self,
        motions: Motions,
        mcu: Mcu,
        tags: Field,
        orders: OrderBoard,
        source: HandSource,
        manners: Manners,
        *,
        decks: Sequence[str],
        slips: Slips,
        monotonic: Callable[[], float],
        neglect: Neglect = ATTENTIVE,
        page: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        manners.check_panel(mcu.board.buttons, tags)
        self.motions = motions
        self.world = motions.world
        self.agenda = motions.agenda
        self.habits = motions.habits
        self.mcu = mcu
        self.tags = tags
        self.orders = orders
        self.source = source
        self.manners = manners
        self.decks = tuple(decks)
        self.slips = slips
        self.neglect = neglect
        self.page = page
        self.monotonic = monotonic
        self.crew = Crew(self.agenda)
        self.stacks: dict[int, int] = {}
        self.hand: Hand | None = None
        self.number = 0
        self.results: list[HandResult] = []
        self.next_name = ""
        self.paused = False
        self.at_hand: Callable[[int], None] | None = None
        self._soon: list[Slip] = []
        self._changes: list[tuple[int, int]] = []
        self._blind: list[bool] = []

    def view(self) -> TableView:
        """What the next hand starts from."""
        return TableView(self.number + 1, dict(self.stacks))

    def set_stacks(self, stacks: Mapping[int, int]) -> None:
        """Lay out these stacks, outside of any play; chips that lay about go to the bank."""
        self.stacks = dict(stacks)
        if not self.manners.chips:
            return
        world = self.world
        for place in ("pot", *(f"{kind}{seat}" for kind in ("bet", "stack") for seat in SEATS)):
            world.move_chips(world.chips(place), "bank")
        for seat, stack in sorted(stacks.items()):
            chips = world.bank_chips(break_down(stack, self.motions.denominations)) if stack else []
            world.move_chips(chips, f"stack{seat}")
        self.motions.note("stacks_set", stacks={str(seat): stack for seat, stack in sorted(stacks.items())})

    def change_seat(self, seat: int, stack: int) -> None:
        """Somebody comes with this stack, or goes with what he has (0), before the next hand.

        Raises:
            ConfigError: The table has no such seat.
        """
        if seat not in SEATS or stack < 0:
            raise ConfigError(f"seat {seat} with {stack} chips", hint="seats 1 to 10")
        self._changes.append((seat, stack))
        self.crew.stir()

    @property
    def changed(self) -> bool:
        """Whether somebody comes or goes before the next hand."""
        return bool(self._changes)

    def reseat(self) -> None:
        """Let those come and go who want to; chips come from the bank and go back to it."""
        for seat, stack in self._changes:
            place = f"stack{seat}"
            if self.manners.chips:
                self.world.move_chips(self.world.chips(place), "bank")
                values = break_down(stack, self.motions.denominations) if stack else []
                self.world.move_chips(self.world.bank_chips(values), place)
            self.stacks.pop(seat, None)
            if stack:
                self.stacks[seat] = stack
            self.motions.note("arrived" if stack else "departed", seat=seat, stack=stack)
        self._changes.clear()

    def has_button(self, name: str) -> bool:
        """Whether the panel has this button."""
        return name in self.mcu.board.buttons

    def press(self, name: str) -> None:
        """Somebody presses a button now."""
        self.motions.note("press", button=name)
        self.mcu.press(name)

    def type_in(self, event: str, **said: Any) -> bool:
        """Somebody types on the dealer's page what has happened; False where there is none."""
        if self.page is None:
            return False
        self.motions.note("typed", event=event, **said)
        self.page({"event": event, **said})
        return True

    def neglects(self, what: str) -> bool:
        """Whether people neglect this now; each kind has luck of its own."""
        rate = float(getattr(self.neglect, what))
        return rate > 0 and self.motions.rng(f"neglect/{what}").random() < rate

    def rest_cards(self, deck: str) -> None:
        """The hand's deck is taken off the table, and whatever of another lies about."""
        self.world.rest_deck(deck)
        for other in self.decks:
            for card in self.world.decks[other]:
                if self.world.where(card.uid) != "rest":
                    self.world.move_card(card, "rest", face="down")

    def slip_soon(self, slips: Sequence[Slip]) -> None:
        """Let these slips happen in the running hand, as far as it comes to them, or in the next."""
        if self.hand is not None:
            self.hand.slips.extend(slips)
        else:
            self._soon.extend(slips)

    def slips_of(self, hand: int, players: int) -> list[Slip]:
        """All slips of a hand that begins: those of the plan, and those that somebody has asked for."""
        slips = [*self.slips.of_hand(hand, players), *self._soon]
        self._soon.clear()
        return slips

    def blind(self, hand: int) -> bool:
        """Whether this hand lies in a run of ten in which nobody looks at the panel."""
        run = (hand - 1) // 10
        while len(self._blind) <= run:
            self._blind.append(self.neglects("blind"))
        return self._blind[run]

    def note_act(self, act: Act) -> None:
        """Write a player's act down."""
        self.motions.note("act", seat=act.seat, kind=act.kind, to=act.to, add=act.add)

    def throw_in(self, who: str, seat: int) -> Script:
        """The cards of a seat go over the muck, one after the other."""
        beside = who != "dealer" and self.neglects("beside_muck")
        flies = who != "dealer" and self.neglects("flying")
        if beside or flies:
            self.motions.note("neglect", kind="beside_muck" if beside else "flying", seat=seat)
        for number, card in enumerate(self.world.cards(f"seat{seat}")):
            if number:
                yield self.motions.time(who, self.habits.throw)
            if flies:
                over = f"seat{seat % len(SEATS) + 1}"
                yield from self.motions.card(who, card, over, "down", "flying")
                yield self.motions.time(who, self.habits.crossing)
            to = "felt" if beside else "muck"
            yield from self.motions.card(who, card, to, "down", "muck" if who == "dealer" else "fold")
        # nobody sees whose cards they are; out of turn no press would say so
        turn = self.hand is not None and self.hand.betting.to_act == seat
        unseen = who != "dealer" and turn and not self.tags.covered(f"seat{seat}")
        if (unseen or not self.tags.covered("muck")) and self.has_button("FOLD"):
            self.press("FOLD")

    def finished(self, act: Shown) -> bool:
        """Whether a shown act needs no hand any more: spoken, or plainly done for all to see."""
        hand = self.hand
        if act.name == "post":
            return not self.manners.chips or (hand is not None and act.place in hand.posted)
        if act.name == "deal":
            if hand is None or not hand.dealt:
                return False
            cards = self.world.cards(f"seat{act.place}")
            return sum(card.uid not in hand.dead for card in cards) >= 2
        return act.name in ("announce", "find", "count", "clock", "button", "change", "wait")

    def seen(self, act: Shown) -> bool:
        """Whether the table notices this act by itself, by its antennas or by the press that goes with it."""
        if act.name in ("push_pot", "return_chips"):
            places = [f"stack{act.place}"] if self.manners.chips else []
        elif act.name == "gather":
            places = ["pot"]
        elif act.name == "post":
            places = [f"bet{act.place}"] if self.manners.chips else []
        elif act.name == "deal":
            places = [f"seat{act.place}"]
        elif act.name in ("burn", "board", "muck"):
            places = [act.name]
        else:
            places = []
        return all(self.tags.covered(place) for place in places)
