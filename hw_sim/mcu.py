"""The table's microcontroller at the far end of the serial line: antennas, buttons, lamps, display.

It reports UIDs and presses and takes no decision. Two readers work side by side, one for the card antennas,
one for the chip antennas; each visits its antennas in turn, and a tag is read at its antenna's turn. Frames
carry the virtual time of what they report and leave after the byte time of those before them; only the
resending of unanswered frames runs on real time.

Does not model: byte time of what the Pi sends, a full transmit buffer, supply and temperature that change, flash or memory
faults. A board without a shoe refuses its commands with NAK 4.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from hw_sim import codec
from hw_sim.antennas import Antenna, Field, Reading, inventory_seconds
from hw_sim.clock import Agenda
from hw_sim.codec import Fields, Frame
from hw_sim.errors import ConfigError
from hw_sim.faults import Faults
from hw_sim.line import Line
from hw_sim.link import Link
from hw_sim.shoe import Shoe

BUTTONS: Final = (
    "FOLD",
    "CHECK",
    "CALL",
    "RAISE",
    "ALL_IN",
    "MINUS",
    "PLUS",
    "SEAT",
    "SEEN",
    "CUT",
    "SHUFFLED",
    "NEXT_HAND",
    "POT",
    "CLOCK",
    "FLOOR",
    "YES",
    "NO",
    "UNDO",
)
BUTTON_IDS: Final = {name: number for number, name in enumerate(BUTTONS, 1)}
HEARTBEAT_S: Final = 0.5
DIGEST_S: Final = 1.0
BOOT_S: Final = 0.8
DISPLAY_LINES: Final = 4
FAULT_READER_SILENT: Final = 2
CAPABILITIES: Final = 1 | 2 | 4 | 16  # display, lamps, buzzer, temperature
SHOE_CAPABILITY: Final = 8
BOOT_TEXT: Final = b"\r\nrst:0x1 (POWERON)\x00\xff\xfe\r\nboot: 2.1 main.py\r\n"
CHATTER_S: Final = 0.0005  # half a period of a contact that chatters at 1 kHz
ALL_ANTENNAS: Final = 0xFF
SUPPLY_MV: Final = 5020
TEMPERATURE: Final = 31
Order = tuple[int, int, int]


@dataclass(frozen=True)
class Board:
    """What this microcontroller is and how fast it reads.

    Attributes:
        protocol: Least and most protocol version that it speaks.
        baud: Speed of the line; sets the byte time.
        card_period_s, chip_period_s: Least time of one cycle over all card or chip antennas, in seconds.
        first_ticks_ms: What the tick counter shows at boot (to see it wrap).
        shoe: Whether a dealing shoe hangs on it.
    """

    firmware: str = "maldonne-sim 1.0.0"
    serial: str = "SIM-0001"
    protocol: tuple[int, int] = (1, 1)
    baud: int = 921600
    card_period_s: float = 0.4
    chip_period_s: float = 1.5
    buttons: tuple[str, ...] = BUTTONS
    lamps: tuple[int, ...] = tuple(range(1, 11))
    first_ticks_ms: int = 0
    shoe: bool = False

    def __post_init__(self) -> None:
        if self.baud < 1200 or self.card_period_s <= 0 or self.chip_period_s <= 0:
            raise ConfigError("baud rate or cycle time of the microcontroller makes no sense")
        unknown = [name for name in self.buttons if name not in BUTTON_IDS]
        if unknown:
            raise ConfigError(f"no button is called {unknown[0]!r}", hint="known: " + ", ".join(BUTTONS))


@dataclass
class Panel:
    """What the Pi has put on lamps, display and buzzer, as a person at the table sees it."""

    lamps: dict[int, tuple[int, int]] = field(default_factory=dict)
    lines: dict[int, str] = field(default_factory=dict)
    orders: tuple[Order, ...] = ()
    buzzes: int = 0


class Mcu:
    """The microcontroller. All its life is on the agenda; `link.pump` takes what the Pi has sent.

    Args:
        on_orders: Called with every ORDER list that is shown, in the order in which they come.
    """

    def __init__(
        self,
        agenda: Agenda,
        line: Line,
        tags: Field,
        *,
        board: Board,
        faults: Faults,
        seed: str,
        monotonic: Callable[[], float],
        on_orders: Callable[[tuple[Order, ...]], None],
    ) -> None:
        self.agenda = agenda
        self.line = line
        self.tags = tags
        self.board = board
        self.panel = Panel()
        self.boots = 0
        self.boot_id = 0
        self.inventories = 0
        self._faults = faults
        self._on_orders = on_orders
        self._boot_rng = random.Random(f"{seed}/boot")
        self._bounce_rng = random.Random(f"{seed}/bounce")
        self.link = Link(
            agenda,
            line,
            baud=board.baud,
            faults=faults,
            seed=seed,
            monotonic=monotonic,
            obey=self._obey,
            hello=self._hello,
        )
        self._since_boot = replace(self.link.counts)
        self.shoe = Shoe(agenda, self._shoe_changed) if board.shoe else None
        self._forget()

    def set_faults(self, faults: Faults) -> None:
        """Be broken otherwise from now on, the line too."""
        self._faults = self.link.faults = faults

    # -- life ----------------------------------------------------------------------------------------

    def power_on(self) -> None:
        """Switch on: say HELLO, begin to read, beat."""
        if self.link.open:
            return
        self._forget()
        self.boots += 1
        self.boot_id = self._boot_rng.getrandbits(64)
        self._since_boot = replace(self.link.counts)
        self.link.open = True
        self.link.send_now("HELLO", self._hello())
        self._after(HEARTBEAT_S, self._heartbeat)
        self._after(DIGEST_S, self._digest)
        for chips in (False, True):
            self._after(0.0, partial(self._cycle, chips))

    def power_off(self) -> None:
        """Everything stops; nothing that was not sent is ever sent."""
        self.link.open = False
        if self.shoe is not None:
            self.shoe.power_off()
        self._forget()

    def reboot(self) -> None:
        """Crash and come up again after a moment, with a new boot id and everything forgotten."""
        self.power_off()
        self.agenda.after(BOOT_S, self.power_on)

    def die_in_frame(self) -> None:
        """Crash in the middle of a frame, and come up again with the start-up text of its ROM on the line."""
        if self.link.open:
            fields: Fields = {"text": "the table's board is about to tell you that nothing at all is wrong"}
            self.link.break_off("LOG", fields)
        self.power_off()
        self.agenda.after(BOOT_S / 2, lambda: self.line.write(BOOT_TEXT))
        self.agenda.after(BOOT_S, self.power_on)

    def unplug(self, seconds: float, *, renamed: bool = False) -> None:
        """Pull the cable, which is also its supply, and put it back after some virtual seconds.

        Args:
            seconds: How long it is away.
            renamed: It comes back as another device; its stable path follows.
        """
        self.power_off()
        self.line.unplug()
        if renamed:
            self.line.rename()

        def back() -> None:
            self.line.plug()
            self.reboot()

        self.agenda.after(seconds, back)

    def stall(self, seconds: float, chips: bool = False) -> None:
        """One reader answers nothing for some virtual seconds; after one second it is reported."""
        self._stalled_until[chips] = max(self._stalled_until[chips], self.agenda.now + seconds)
        first = next((a.id for a in self.tags.antennas.values() if a.reads_chips is chips), 0)
        if seconds > 1.0:
            fault = {"code": FAULT_READER_SILENT, "argument": first}
            self._after(1.0, partial(self.link.send, "FAULT", fault))

    def _forget(self) -> None:
        """What a microcontroller does not keep over a restart, and the end of all that it was about to do."""
        self._life = object()
        self._sets: dict[int, Reading] = {}
        self._read_at: dict[int, tuple[int, int]] = {}
        self._cycle_number = 0
        self._stalled_until = {False: 0.0, True: 0.0}
        self._dwell: dict[int, float] = {}
        self._visits: list[int] | None = None
        self._line_counts = dict.fromkeys(BUTTON_IDS.values(), 0)
        self._booted_at = self.agenda.now
        self.panel.lamps.clear()
        self.panel.lines.clear()
        self.link.reset()

    def ticks(self) -> int:
        """The millisecond counter, 32 bits, from boot."""
        ms = (self.agenda.now - self._booted_at) * 1000.0
        return (self.board.first_ticks_ms + round(ms)) & 0xFFFFFFFF

    # -- what people do --------------------------------------------------------------------------------

    def press(self, name: str, held_s: float = 0.15) -> None:
        """A finger on a button: down now, up a moment later; with the faults, the contact bounces or chatters.

        Raises:
            ConfigError: The panel has no such button.
        """
        if name not in self.board.buttons:
            raise ConfigError(f"the panel has no button {name}")
        number = BUTTON_IDS[name]
        levels = [(0.0, True), (held_s, False)]
        if self._bounce_rng.random() < self._faults.bounce:
            levels[1:1] = [(0.002, False), (0.005, True), (0.007, False), (0.009, True)]
        elif self._faults.chatter and self._bounce_rng.random() < self._faults.chatter:
            edges = 2 * round(held_s / CHATTER_S / 2)
            levels = [(edge * CHATTER_S, edge % 2 == 0) for edge in range(edges)]
        for delay, down in levels:
            self._after(delay, partial(self._edge, number, down))

    def _edge(self, number: int, down: bool) -> None:
        count = self._line_counts[number] = (self._line_counts[number] + 1) & 0xFFFF
        self.link.send("BUTTON", {"id": number, "pressed": down, "ticks_ms": self.ticks(), "count": count})

    # -- reading -----------------------------------------------------------------------------------------

    def _cycle(self, chips: bool) -> None:
        """Begin one round over the antennas of one reader."""
        order = self._order()
        antennas = [a for a in order if a.reads_chips is chips]
        period = self.board.chip_period_s if chips else self.board.card_period_s
        if not chips or len(antennas) == len(order):
            self._cycle_number = (self._cycle_number + 1) & 0xFFFFFFFF
        self._turn(chips, antennas, 0, self.agenda.now + period)

    def _order(self) -> Sequence[Antenna]:
        if self._visits is None:
            return list(self.tags.antennas.values())
        return [self.tags.antennas[number] for number in self._visits]

    def _turn(self, chips: bool, antennas: Sequence[Antenna], at: int, end: float) -> None:
        if at >= len(antennas):
            self._after(max(0.0, end - self.agenda.now), partial(self._cycle, chips))
            return
        stalled = self._stalled_until[chips] - self.agenda.now
        if stalled > 0:
            self._after(stalled, partial(self._turn, chips, antennas, at, end))
            return
        antenna = antennas[at]
        tags = len(self.tags.best(antenna.id).uids)
        took = max(inventory_seconds(tags), self._dwell.get(antenna.id, 0.0))
        self._after(took, partial(self._read, chips, antennas, at, end))

    def _read(self, chips: bool, antennas: Sequence[Antenna], at: int, end: float) -> None:
        number = antennas[at].id
        reading = self.tags.read(number, self.agenda.now)
        last = self._sets.get(number)
        self._sets[number] = reading
        self._read_at[number] = (self._cycle_number, self.ticks())
        if last is not reading and (last is None or last.uids != reading.uids):
            self._inventory(number)
        self._turn(chips, antennas, at + 1, end)

    def _inventory(self, number: int) -> None:
        """Send the whole present set of one antenna; an older one that is still under way gives way."""
        self.link.give_way(number)
        self.inventories += 1
        reading = self._sets[number]
        cycle, ticks = self._read_at[number]
        parts = codec.inventory_parts(reading.uids)
        for part, uids in enumerate(parts):
            fields: Fields = {
                "antenna": number,
                "part": part,
                "parts": len(parts),
                "cycle": cycle,
                "ticks_ms": ticks,
                "quality": reading.quality,
                "uids": uids,
            }
            self.link.send("INVENTORY", fields, antenna=number)

    # -- what it says by itself -----------------------------------------------------------------------------

    def _heartbeat(self) -> None:
        counts, before = self.link.counts, self._since_boot
        fields: Fields = {
            "ticks_ms": self.ticks(),
            "bad_crc": counts.bad - before.bad,
            "resent": counts.resent - before.resent,
            "lost": counts.lost - before.lost,
            "supply_mv": SUPPLY_MV,
            "temperature": TEMPERATURE,
        }
        self.link.send("HEARTBEAT", fields)
        self._after(HEARTBEAT_S, self._heartbeat)

    def _digest(self) -> None:
        antennas = [
            {"antenna": number, "count": min(len(r.uids), 255), "crc": codec.digest_of(r.uids)}
            for number, r in sorted(self._sets.items())
        ]
        # each entry takes six bytes of a payload of 512
        self.link.send("DIGEST", {"antennas": antennas[:85]})
        self._after(DIGEST_S, self._digest)

    def _hello(self) -> Fields:
        board = self.board
        return {
            "protocol_min": board.protocol[0],
            "protocol_max": board.protocol[1],
            "firmware": board.firmware,
            "boot_id": self.boot_id,
            "serial": board.serial,
            "capabilities": CAPABILITIES | (SHOE_CAPABILITY if self.shoe is not None else 0),
            "antennas": [{"id": a.id, "kind": a.kind, "index": a.index} for a in self.tags.antennas.values()],
            "buttons": [BUTTON_IDS[name] for name in board.buttons],
            "lamps": list(board.lamps),
        }

    # -- what the Pi asks -----------------------------------------------------------------------------------

    def _obey(self, frame: Frame) -> int | None:
        """Do what a frame asks; the NAK code when it cannot be done."""
        fields, panel = frame.fields, self.panel
        if frame.kind in ("FEED", "ARM"):
            if self.shoe is None:
                return codec.NAK_NOT_ARMED
            if frame.kind == "ARM":
                return self.shoe.arm(fields["armed"])
            return self.shoe.feed(fields["target"], fields["command_id"])
        if frame.kind == "HELLO?":
            # at once: whoever asks has just started, and time may stand still for frames that nobody awaits any more
            self.link.send_now("HELLO", self._hello())
        elif frame.kind == "SCAN":
            wanted = [(item["antenna"], item["dwell_ms"]) for item in fields["antennas"]]
            if any(number not in self.tags.antennas for number, _ in wanted):
                return codec.NAK_OUT_OF_RANGE
            self._visits = list(dict.fromkeys(number for number, _ in wanted))
            self._dwell = {number: ms / 1000.0 for number, ms in wanted}
        elif frame.kind == "INVENTORY?":
            wanted_one = fields["antenna"]
            if wanted_one != ALL_ANTENNAS and wanted_one not in self.tags.antennas:
                return codec.NAK_OUT_OF_RANGE
            for number in sorted(self._sets):
                if wanted_one in (ALL_ANTENNAS, number):
                    self._inventory(number)
        elif frame.kind == "LAMP":
            if fields["lamp"] not in self.board.lamps or fields["colour"] > 4 or fields["pattern"] > 1:
                return codec.NAK_OUT_OF_RANGE
            panel.lamps[fields["lamp"]] = (fields["colour"], fields["pattern"])
        elif frame.kind == "DISPLAY":
            if fields["line"] >= DISPLAY_LINES:
                return codec.NAK_OUT_OF_RANGE
            panel.lines[fields["line"]] = fields["text"]
        elif frame.kind == "BUZZ":
            panel.buzzes += 1
        elif frame.kind == "ORDER":
            panel.orders = tuple((o["order"], o["place"], o["arg"]) for o in fields["orders"])
            self._on_orders(panel.orders)
        return None

    def _shoe_changed(self) -> None:
        if self.shoe is not None:
            self.link.send("SHOE", self.shoe.fields())

    def _after(self, seconds: float, call: Callable[[], None]) -> None:
        """Write a thing down that a restart strikes off."""
        life = self._life

        def alive() -> None:
            if self._life is life:
                call()

        self.agenda.after(seconds, alive)
