"""Reader chips behind one small interface, and the multiplexer that puts one antenna at a time on a chip.

A reader has two generators, advanced by `scanner` one step a turn of the main loop:

- `start()` wakes the chip and configures it;
- `inventory(channel, dwell_ms)` switches to an antenna, reads for at least the dwell time and ends with
  `(list of UIDs, quality)`; a quality of 100 means that nothing was in doubt, each broken answer takes 20 off.

Both raise OSError (`ReaderSilent`) when the chip does not answer. A UID is its bytes, most significant first, as printed
on cards. None of these drivers was ever tried on hardware.
"""

from .scanner import ReaderSilent

TAGS_A_ROUND = 64
DOUBT = 20


def wait_until(now, ms):
    """A generator that gives the loop its turns until so many milliseconds have passed."""
    end = now() + ms
    while now() < end:
        yield


def quality(doubts):
    """How sure a reading is, 0 to 100."""
    return max(0, 100 - DOUBT * doubts)


class Mux:
    """An analogue multiplexer or RF switch: the channel's number in binary on its select pins.

    Args:
        pins: The select pins, least significant first; each is called with 0 or 1.
        settle_ms: So long after a switch the field is not trusted.
        now: Gives the time in milliseconds.
    """

    def __init__(self, pins, settle_ms, now):
        self._pins = pins
        self._settle_ms = settle_ms
        self._now = now
        self._channel = None

    def select(self, channel):
        """Switch; the field must be off while the switch moves. A generator."""
        if channel != self._channel:
            for bit, pin in enumerate(self._pins):
                pin(channel >> bit & 1)
            self._channel = channel
            yield from wait_until(self._now, self._settle_ms)


class SpiPort:
    """One chip on an SPI bus.

    Args:
        bus: The bus: `write(data)`, `readinto(buffer, out)`.
        select: Its select pin, low while the chip is spoken to; called with 0 or 1.
    """

    def __init__(self, bus, select):
        self._bus = bus
        self._select = select
        select(1)

    def write(self, data):
        """Send one SPI frame."""
        self._select(0)
        self._bus.write(data)
        self._select(1)

    def begin(self):
        """Take the chip, for a frame in pieces."""
        self._select(0)

    def put(self, data):
        """Send a piece."""
        self._bus.write(data)

    def get(self, size, out=0xFF):
        """Receive a piece."""
        data = bytearray(size)
        self._bus.readinto(data, out)
        return data

    def end(self):
        """Let the chip go."""
        self._select(1)


__all__ = ("Mux", "ReaderSilent", "SpiPort", "quality", "wait_until")
