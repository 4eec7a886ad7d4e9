"""The firmware's main loop: everything the board does, one short turn after the other, and nothing that waits.

It reports tags and presses and takes no decision. `Firmware` is given its ports (see `ports`), so that the same code runs
on the board, under MicroPython on a host, and on a clock that a test turns.
"""

from . import codec
from .antennas import Antenna, Antennas
from .buttons import Buttons
from .display import Display
from .lamps import BLINK, BLUE, Lamps
from .link import Link
from .scanner import Scanner
from .shoe import Shoe, Timing
from .shoe_memory import ShoeMemory

FIRMWARE = "maldonne 1.0.0"
PROTOCOL = 1

HEARTBEAT_MS = 500
DIGEST_MS = 1000
LOG_AGAIN_MS = 10000
LOG_TIMES = 6
BUZZ_MAX_MS = 5000
LOW_MEMORY = 16384
SUPPLY_HYSTERESIS_MV = 100

FAULT_READER_SILENT = 2
FAULT_SUPPLY_LOW = 3
FAULT_DISPLAY = 4
FAULT_BUTTON_STUCK = 6
FAULT_MEMORY = 7
MEMORY_OF_SHOE = 0xFFFF
MEMORY_OF_BOARD = 0xFFFE

HAS_DISPLAY, HAS_LAMPS, HAS_BUZZER, HAS_SHOE, HAS_TEMPERATURE = 1, 2, 4, 8, 16
ALL_ANTENNAS = 0xFF


class Firmware:
    """One board, from power-on to power-off.

    Args:
        settings: Checked settings (`settings.check`).
        ports: The hardware, or what stands in for it.
        complaint: A line for the technician, said for a minute and whenever the Pi asks who this is; empty when all is
            well.
    """

    def __init__(self, settings, ports, complaint=""):
        self._settings = settings
        self._ports = ports
        self._complaint = complaint
        self._now = now = ports.now()
        self._unsent = b""
        self._low = False
        self._short = False
        self._buzz_until = None
        self._beat_at = now + HEARTBEAT_MS
        self._digest_at = now + DIGEST_MS
        self._log_at = now
        self._logs_left = LOG_TIMES
        self.link = Link(self._obey, self._hello, self._restate)
        self.link.put((codec.HELLO,), codec.HELLO, self._hello())
        self._fit_antennas()
        self._fit_panel()
        self.shoe = self._fit_shoe()
        if self.shoe is not None:
            self._shoe_changed()

    # -- what is fitted ------------------------------------------------------------------------------

    def _fit_antennas(self):
        self._scanners = []
        every = []
        for at, reader in enumerate(self._settings["readers"]):
            driver = self._ports.readers[at]
            antennas = [Antenna(a["id"], a["kind"], a["index"], a["channel"]) for a in reader["antennas"]]
            every += antennas
            self._scanners.append(Scanner(driver, antennas, reader["period_ms"], self._read, self._silent))
        self.antennas = Antennas(every, lambda number: self._fault(FAULT_MEMORY, number))

    def _fit_panel(self):
        settings, ports = self._settings, self._ports
        self.buttons = self.lamps = self.display = None
        panel, lamps, display = settings["buttons"], settings["lamps"], settings["display"]
        if panel is not None:
            self.buttons = Buttons(
                panel["ids"],
                panel["debounce_ms"],
                panel["stuck_ms"],
                self._button,
                lambda number: self._fault(FAULT_BUTTON_STUCK, number),
            )
        if lamps is not None:
            self.lamps = Lamps(
                ports.chain, lamps["pixels"], lamps["lamps"], lamps["places"], lamps["brightness"]
            )
        if display is not None:
            self.display = Display(
                ports.glass, display["rows"], display["columns"], lambda: self._fault(FAULT_DISPLAY, 0)
            )

    def _fit_shoe(self):
        shoe = self._settings["shoe"]
        if shoe is None:
            return None
        timing = Timing(shoe["aim"], shoe["pull"], shoe["pass"], shoe["jam"], shoe["settle"])
        return Shoe(
            self._ports.mechanism,
            ShoeMemory(self._ports.store),
            tuple(shoe["angles"]),
            timing,
            self._shoe_changed,
            lambda: self._fault(FAULT_MEMORY, MEMORY_OF_SHOE),
        )

    # -- one turn ------------------------------------------------------------------------------------

    def turn(self):
        """Do a little of everything; call it for ever, some hundred times a second at least."""
        ports = self._ports
        now = self._now = ports.now()
        data = ports.line.read()
        if data:
            self.link.feed(data, now)
        if self.buttons is not None:
            self.buttons.poll(ports.button_bits(), now)
        if self.shoe is not None:
            self.shoe.step(now)
        for scanner in self._scanners:
            scanner.step(now)
        if self.lamps is not None:
            self.lamps.step(now)
        # a display is slow: not while a card is in the air
        if self.display is not None and not (self.shoe is not None and self.shoe.moving):
            self.display.step(now)
        if self._buzz_until is not None and now >= self._buzz_until:
            self._buzz_until = None
            ports.buzz(False)
        self._speak(now)
        if not self._unsent:
            self._unsent = self.link.poll(now)
        if self._unsent:
            sent = ports.line.write(self._unsent)
            self._unsent = self._unsent[sent:]

    def _speak(self, now):
        """What the board says by itself, by the clock."""
        if now >= self._beat_at:
            self._beat_at = now + HEARTBEAT_MS
            self._heartbeat(now)
        if now >= self._digest_at:
            self._digest_at = now + DIGEST_MS
            self.link.put((codec.DIGEST,), codec.DIGEST, self.antennas.digest())
            if not (self.shoe is not None and self.shoe.moving):
                self._watch_memory()
        if self._complaint and self._logs_left and now >= self._log_at:
            self._log_at = now + LOG_AGAIN_MS
            self._logs_left -= 1
            self.link.beat(codec.LOG, {"text": self._complaint[:80]})

    def _heartbeat(self, now):
        supply = self._ports.supply_mv()
        settings = self._settings["supply"]
        if settings is not None:
            if not self._low and supply < settings["low_mv"]:
                self._low = True
                self._fault(FAULT_SUPPLY_LOW, supply)
            elif self._low and supply >= settings["low_mv"] + SUPPLY_HYSTERESIS_MV:
                self._low = False
        fields = {
            "ticks_ms": self._ticks(now),
            "bad_crc": self.link.bad & 0xFFFFFFFF,
            "resent": self.link.resent & 0xFFFFFFFF,
            "lost": self.link.lost & 0xFFFFFFFF,
            "supply_mv": max(0, min(supply, 0xFFFF)),
            "temperature": max(-128, min(self._ports.temperature(), 127)),
        }
        self.link.beat(codec.HEARTBEAT, fields)

    def _watch_memory(self):
        short = self._ports.free_memory() < LOW_MEMORY
        if short and not self._short:
            self._fault(FAULT_MEMORY, MEMORY_OF_BOARD)
        self._short = short

    # -- what it says --------------------------------------------------------------------------------

    def _hello(self):
        settings = self._settings
        capabilities = HAS_DISPLAY if settings["display"] is not None else 0
        capabilities |= HAS_LAMPS if settings["lamps"] is not None else 0
        capabilities |= HAS_BUZZER if settings["buzzer"] is not None else 0
        capabilities |= HAS_SHOE if settings["shoe"] is not None else 0
        capabilities |= HAS_TEMPERATURE if settings["temperature"] else 0
        return {
            "protocol_min": PROTOCOL,
            "protocol_max": PROTOCOL,
            "firmware": FIRMWARE,
            "boot_id": self._ports.boot_id,
            "serial": settings["serial"],
            "capabilities": capabilities,
            "antennas": [a for reader in settings["readers"] for a in reader["antennas"]],
            "buttons": settings["buttons"]["ids"] if settings["buttons"] is not None else [],
            "lamps": sorted(settings["lamps"]["lamps"]) if settings["lamps"] is not None else [],
        }

    def _restate(self):
        """The Pi is there again: levels that it may have missed. Its antennas it compares by DIGEST."""
        if self.shoe is not None:
            self._shoe_changed()
        if self.buttons is not None:
            for number, pressed, count in self.buttons.levels():
                if not self.link.waits((codec.BUTTON, number)):
                    self._button(number, pressed, count)

    def _read(self, antenna, uids, quality, cycle):
        if self.antennas.take(antenna, uids, quality, cycle, self._ticks(self._now)):
            self._tell_set(antenna)

    def _tell_set(self, antenna):
        self.link.put_set((codec.INVENTORY, antenna.id), antenna.frames())

    def _silent(self, antenna):
        self._fault(FAULT_READER_SILENT, antenna.id)

    def _button(self, number, pressed, count):
        fields = {"id": number, "pressed": pressed, "ticks_ms": self._ticks(self._now), "count": count}
        self.link.queue((codec.BUTTON, number), codec.BUTTON, fields)

    def _shoe_changed(self):
        self.link.put((codec.SHOE,), codec.SHOE, self.shoe.fields())

    def _fault(self, code, argument):
        self.link.put((codec.FAULT, code, argument), codec.FAULT, {"code": code, "argument": argument})

    def _ticks(self, now):
        return now & 0xFFFFFFFF

    # -- what the Pi asks ----------------------------------------------------------------------------

    def _obey(self, kind, fields, now):
        """Do what a frame asks; the code of the NAK when it cannot be done."""
        if kind == codec.HELLO_REQUEST:
            self.link.put((codec.HELLO,), codec.HELLO, self._hello())
            self._restate()
            self._log_at, self._logs_left = now, LOG_TIMES
        elif kind == codec.SCAN:
            return self._plan(fields["antennas"])
        elif kind == codec.INVENTORY_REQUEST:
            return self._ask(fields["antenna"])
        elif kind == codec.LAMP:
            return self._light(fields)
        elif kind == codec.DISPLAY:
            if self.display is None or fields["line"] >= self.display.rows:
                return codec.NAK_OUT_OF_RANGE
            self.display.show(fields["line"], fields["text"], now)
        elif kind == codec.BUZZ:
            if self._settings["buzzer"] is None:
                return codec.NAK_OUT_OF_RANGE
            self._buzz_until = now + min(fields["ms"], BUZZ_MAX_MS)
            self._ports.buzz(True)
        elif kind == codec.ORDER:
            if self.lamps is not None:
                self.lamps.order(fields["orders"][0]["place"] if fields["orders"] else 0)
        elif self.shoe is None:
            return codec.NAK_NOT_ARMED
        elif kind == codec.ARM:
            return self.shoe.arm(fields["armed"], now)
        else:
            return self.shoe.feed(fields["target"], fields["command_id"], now)
        return None

    def _plan(self, wanted):
        by_id = self.antennas.by_id
        visits = {}
        order = []
        for entry in wanted:
            if entry["antenna"] not in by_id:
                return codec.NAK_OUT_OF_RANGE
            if entry["antenna"] not in visits:
                order.append(entry["antenna"])
            visits[entry["antenna"]] = entry["dwell_ms"]
        for scanner in self._scanners:
            scanner.plan([(by_id[number], visits[number]) for number in order])
        self.antennas.keep(order)
        return None

    def _ask(self, number):
        if number != ALL_ANTENNAS and number not in self.antennas.by_id:
            return codec.NAK_OUT_OF_RANGE
        for antenna in self.antennas.all:
            if antenna.known and number in (ALL_ANTENNAS, antenna.id):
                self._tell_set(antenna)
        return None

    def _light(self, fields):
        lamps = self.lamps
        if (
            lamps is None
            or not lamps.has(fields["lamp"])
            or fields["colour"] > BLUE
            or fields["pattern"] > BLINK
        ):
            return codec.NAK_OUT_OF_RANGE
        lamps.set(fields["lamp"], fields["colour"], fields["pattern"])
        return None
