"""A table of wood and tags in front of the real senses, engine and hand: what tests of them put in and look at.

Time is virtual: it passes by `wait`, in ticks of a tenth of a second; card antennas are read every 0.4 s, chip
antennas every second. Nothing sleeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from engine import events as ev
from engine.vocabulary import DECK
from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button, DeviceState, Inventory, Observation, Tick
from table_controller import messages as m
from table_controller import notes
from table_controller.config import Timing
from table_controller.decks import DeckCare
from table_controller.fusion import Coverage, Fusion
from table_controller.hand_start import Way
from table_controller.inventory import HiddenCard, Tags
from table_controller.journal import Batch, NewEntry, NewEvent
from table_controller.level_clock import Stage
from table_controller.rulebook_files import resolve
from table_controller.running import Running

_E = TypeVar("_E")
_N = TypeVar("_N")
NUMBERS = {name: number for number, name in BUTTONS.items()}
PER_STACK = {1000: 1, 100: 8, 50: 2, 25: 4}
STACK = 2000
"""What one player's chips are worth where they carry tags."""
# Dealt to the seats in the order of the table, first round then second; burns and board follow.
HOLES = tuple(rank + suit for suit in "hd" for rank in "23456789TJ")
SPARE = tuple(rank + suit for suit in "cs" for rank in "23456789TJQKA")


def card_uid(card: str, deck: str = "red") -> str:
    """The tag of a card."""
    return f"04{'A1' if deck == 'red' else 'B1'}C0DE{DECK.index(card):04X}01"


def chip_uid(seat: int, value: int, number: int) -> str:
    """The tag of one chip that a player had at the start."""
    return f"E0{seat:02X}{value:08X}{number:04X}"


class Rig:
    """One table under test.

    Attributes:
        running: The hand as the table plays it.
        t: Table time (s).
        lie: The tags on each antenna, by the first place above it.
        unread: Tags that no antenna reads now.
        entries, public: What was to be written and told so far.
        batches: The same, as the journal takes it.
    """

    def __init__(
        self,
        players: Iterable[int] | int = 6,
        *,
        button: int | None = None,
        betting: str = "words",
        chips: bool = False,
        sensors: str = "ask",
        book: str = "standard",
        blind: Iterable[str] = (),
        places: Iterable[str | tuple[str, ...]] | None = None,
        panel: tuple[str, ...] = tuple(NUMBERS),
        timing: Timing | None = None,
        light: bool = False,
        stages: tuple[Stage, ...] = (),
        stack: int | None = None,
        absent: Iterable[int] = (),
        ante: m.Ante | None = None,
        unseen_stacks: bool = False,
    ) -> None:
        self.seats = list(range(1, players + 1)) if isinstance(players, int) else sorted(players)
        self.button = button if button is not None else self.seats[-1]
        self.order = sorted(self.seats, key=lambda seat: (seat - self.button - 1) % 10)
        if chips:
            betting = "amounts"
        zones: list[tuple[str, ...]] = []
        if places is None:
            zones = [(f"seat{n}",) for n in self.seats] + [("deck",), ("board",), ("burn",), ("muck",)]
            if chips:
                kinds = ("bet",) if unseen_stacks else ("bet", "stack")
                zones += [(f"{kind}{n}",) for kind in kinds for n in self.seats] + [("pot",)]
        else:
            zones = [(place,) if isinstance(place, str) else place for place in places]
        zones = [zone for zone in zones if not set(zone) & set(blind)]
        self.zones = zones
        self.lie: dict[str, set[str]] = {zone[0]: set() for zone in zones}
        self._at = {place: zone[0] for zone in zones for place in zone}
        cards = {card_uid(card, deck): HiddenCard(card, deck) for deck in ("red", "blue") for card in DECK}
        chip_values: dict[str, int] = {}
        if chips:
            for seat in self.seats:
                for value, count in PER_STACK.items():
                    for number in range(count):
                        uid = chip_uid(seat, value, number)
                        chip_values[uid] = value
                        if not unseen_stacks:
                            self.lie[f"stack{seat}"].add(uid)
        self.values = chip_values
        antennas = {str(number): zone for number, zone in enumerate(zones)}
        self.tags = Tags(cards, chip_values)
        fusion = Fusion(
            self.tags,
            Coverage(antennas, "board"),
            timing or Timing(),
            buttons=panel,
            chips=chips,
        )
        away = set(absent)
        self.desired = m.Desired(
            epoch=0,
            rev=0,
            tournament=None,
            rulebook=book,
            level=m.Level(n=1, small_blind=50, big_blind=100, ante=ante or m.Ante(kind="none", amount=0)),
            limit="no_limit",
            smallest_chip=25,
            seats=tuple(
                m.DesiredSeat(seat=n, entry=f"e{n}", stack=stack or STACK, absent=n in away)
                for n in self.seats
            ),
        )
        self.running = Running(
            fusion,
            resolve,
            self.desired,
            Way(betting, "sensed" if chips else "declared", self.button),  # type: ignore[arg-type]
            sensors=sensors,
            utc=lambda: "2024-01-01T00:00:00Z",
            light=light,
            stages=stages,
        )
        self.decks: DeckCare | None = None
        self.t = 100.0
        self.cycle = 0
        self.unread: set[str] = set()
        self.entries: list[NewEntry] = []
        self.public: list[NewEvent] = []
        self.openings: list[Any] = []
        self.batches: list[Batch] = []
        self._since_cards = self._since_chips = 0.0
        self._pressed = 0

    # -- time and devices --------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        return self.running.state

    def feed(self, observation: Observation) -> None:
        if self.decks is None or not self.decks.hear(observation):
            self.running.take(observation)
        self.collect()

    def collect(self) -> None:
        for draft in self.running.take_drafts():
            self.batches.append(draft.batch())
            self.entries += draft.entries
            self.public += draft.events
            if draft.opening is not None:
                self.openings.append(draft.opening)

    def scan(self, *places: str, chips: bool = True, cards: bool = True) -> None:
        """One cycle over these antennas, or over all."""
        self.cycle += 1
        for number, zone in enumerate(self.zones):
            of_chips = zone[0].startswith(("bet", "stack", "pot", "bank"))
            if (places and zone[0] not in places) or not (chips if of_chips else cards):
                continue
            self.feed(
                Inventory(
                    t=self.t,
                    device="board",
                    antenna=number,
                    kind="unknown",
                    index=0,
                    uids=tuple(sorted(self.lie[zone[0]] - self.unread)),
                    quality=100,
                    cycle=self.cycle,
                )
            )

    def wait(self, seconds: float = 0.5) -> None:
        """Let time pass, with everything read as often as a board reads it."""
        for _ in range(round(seconds * 10)):
            self.t = round(self.t + 0.1, 3)
            self._since_cards += 0.1
            self._since_chips += 0.1
            if self._since_cards >= 0.39:
                self._since_cards = 0.0
                self.scan(chips=False)
            if self._since_chips >= 0.99:
                self._since_chips = 0.0
                self.scan(cards=False)
            self.feed(Tick(t=self.t, device="table"))

    def press(self, name: str, *, then: float = 0.5) -> None:
        """A button goes down and up again."""
        for down in (True, False):
            self._pressed += 1
            self.feed(
                Button(
                    t=self.t, device="board", id=NUMBERS[name], pressed=down, count=self._pressed, gap=False
                )
            )
            self.t = round(self.t + 0.1, 3)
        self.wait(then)

    def device(self, state: str) -> None:
        self.feed(DeviceState(t=self.t, device="board", state=state))  # type: ignore[arg-type]

    # -- cards and chips ---------------------------------------------------------------------------------

    def put(self, uids: Iterable[str], place: str | None) -> None:
        """Move tags; None: into a hand, on no antenna. A place without an antenna is none either."""
        for uid in uids:
            for lying in self.lie.values():
                lying.discard(uid)
            if place is not None and place in self._at:
                self.lie[self._at[place]].add(uid)

    def card(self, card: str, place: str | None, *, then: float = 0.5, deck: str = "red") -> None:
        """A card goes to a place; then some time passes."""
        self.put([card_uid(card, deck)], place)
        if then:
            self.wait(then)

    def holes(self, seat: int) -> tuple[str, str]:
        """The two cards that `deal` gives a seat."""
        place = self.order.index(seat)
        return HOLES[place], HOLES[place + len(self.order)]

    def start(self) -> None:
        """The deck is cut: the hand begins."""
        self.wait(2.5)
        self.press("CUT")

    def deal(self, seats: Iterable[int] | None = None) -> None:
        """Two rounds, one card every half second."""
        order = self.order if seats is None else list(seats)
        for turn in (0, 1):
            for seat in order:
                self.card(self.holes(seat)[turn], f"seat{seat}")

    def street(self, *cards: str, burn: str) -> None:
        """Burn one, lay the street in one motion."""
        self.card(burn, "burn", then=0.8)
        for card in cards:
            self.card(card, "board", then=0)
        self.wait(1.0)

    def muck(self, seat: int) -> None:
        """A player's two cards go over the muck antenna and under the pile."""
        uids = [card_uid(card) for card in self.holes(seat)]
        self.put(uids, "muck")
        self.wait(1.5)

    def pick(self, seat: int, *values: int, place: str | None = None) -> list[str]:
        """Tags of chips of these values, out of a player's stack or out of another place."""
        found: list[str] = []
        lying = self.lie[place or f"stack{seat}"]
        for value in values:
            found.append(next(uid for uid in sorted(lying) if self.values[uid] == value and uid not in found))
        return found

    def bet(self, seat: int, *values: int, then: float = 0.0) -> None:
        """A player moves chips before himself, in one motion."""
        self.put(self.pick(seat, *values), f"bet{seat}")
        self.wait(then or 3.5)

    def gather(self) -> None:
        """All bets are brought in."""
        for seat in self.seats:
            self.put(sorted(self.lie[f"bet{seat}"]), "pot")
        self.wait(3.5)

    # -- what came of it ---------------------------------------------------------------------------------

    @property
    def events(self) -> list[Any]:
        """The engine's events so far."""
        return [ev.decode(entry.body) for entry in self.entries if entry.kind != "note"]

    @property
    def notes(self) -> list[Any]:
        return [notes.decode(entry.body) for entry in self.entries if entry.kind == "note"]

    def of(self, kind: type[_E]) -> list[_E]:
        """The engine's events of one kind."""
        return [event for event in self.events if type(event) is kind]

    def noted(self, kind: type[_N]) -> list[_N]:
        return [note for note in self.notes if type(note) is kind]

    def told(self, kind: type[_E]) -> list[_E]:
        """The public events of one kind."""
        return [event.body for event in self.public if type(event.body) is kind]

    def moves(self) -> list[tuple[str, str]]:
        """Where cards went, in order."""
        return [(event.from_, event.to) for event in self.of(ev.CardMoved)]

    def acts(self) -> list[tuple[int, str | None]]:
        """What players did by words, in order."""
        return [(event.seat, event.said) for event in self.of(ev.Acted)]

    def expected(self) -> str:
        """The first act that people are shown."""
        expects = self.running.expects
        return expects[0].order if expects else ""

    def everything(self) -> bytes:
        """All bytes that would leave the process."""
        parts = [entry.body for entry in self.entries]
        parts += [msgspec.json.encode(event.body) for event in self.public]
        parts += [repr(self.running.expects).encode(), repr(self.running.doubts).encode()]
        return b"\n".join(parts)


def dealt(rig: Rig) -> Rig:
    """A hand whose first round of betting begins."""
    rig.start()
    rig.deal()
    assert rig.state.phase == "preflop"
    return rig


def called_round(rig: Rig) -> Rig:
    """Everybody limps in: the flop is due."""
    while rig.state.to_act is not None:
        rig.press("CHECK" if rig.state.to_act == rig.state.big_blind_seat else "CALL")
    return rig
