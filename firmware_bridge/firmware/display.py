"""The text display of the panel: lines of the Pi on rows of the glass; long lines wander, a broken display says so once.

HD44780 (behind a PCF8574 on I2C) and SSD1306 drivers are written from their data sheets and were never tried on
hardware. Their fonts have no French letters: é is shown as e.
"""

SCROLL_MS = 350
HOLD_MS = 1500  # a long line stands still before it wanders
TRY_AGAIN_MS = 5000
GAP = "   "
# fmt: off
_PLAIN = (
    ("àâä", "a"), ("ç", "c"), ("éèêë", "e"), ("îï", "i"), ("ôö", "o"), ("ùûü", "u"), ("œ", "oe"), ("æ", "ae"),
    ("ÀÂÄ", "A"), ("Ç", "C"), ("ÉÈÊË", "E"), ("ÎÏ", "I"), ("ÔÖ", "O"), ("ÙÛÜ", "U"), ("Œ", "OE"), ("’", "'"),
    ("«»", '"'), ("–—", "-"), ("€", "E"),
)
# fmt: on


def plain(text):
    """The text in letters that every display has; others become a question mark."""
    out = []
    for letter in text:
        if " " <= letter <= "~":
            out.append(letter)
            continue
        for letters, other in _PLAIN:
            if letter in letters:
                out.append(other)
                break
        else:
            out.append(" " if ord(letter) in (0x09, 0xA0, 0x202F) else "?")
    return "".join(out)


class Display:
    """The rows of the glass.

    Args:
        glass: `start()` makes it ready, `write(row, text)` shows exactly `columns` characters; both raise OSError when it
            does not answer.
        rows, columns: Size of the glass.
        broken: `broken()` is told once when the display fails.
    """

    def __init__(self, glass, rows, columns, broken):
        self.rows = rows
        self._glass = glass
        self._columns = columns
        self._broken = broken
        self._texts = [""] * rows
        self._since = [0] * rows
        self._shown = [None] * rows
        self._works = False
        self._told = False
        self._try_at = 0

    def show(self, row, text, now):
        """Show a text on a row."""
        text = plain(text)
        if text != self._texts[row]:
            self._texts[row] = text
            self._since[row] = now

    def step(self, now):
        """Write at most one row that has changed; a display that failed is tried again every five seconds."""
        try:
            if not self._works:
                if now < self._try_at:
                    return
                self._glass.start()
                self._works = True
                self._told = False
                self._shown = [None] * self.rows
            for row in range(self.rows):
                text = self._window(row, now)
                if text != self._shown[row]:
                    self._glass.write(row, text)
                    self._shown[row] = text
                    return
        except OSError:
            self._works = False
            self._try_at = now + TRY_AGAIN_MS
            if not self._told:
                self._told = True
                self._broken()

    def _window(self, row, now):
        text, columns = self._texts[row], self._columns
        if len(text) <= columns:
            return text + " " * (columns - len(text))
        ring = text + GAP
        moved = max(0, now - self._since[row] - HOLD_MS) // SCROLL_MS % len(ring)
        return (ring + ring)[moved : moved + columns]


class Hd44780:
    """A character display of up to 4 rows behind a PCF8574 port expander. Never tried on hardware.

    Wiring of the usual backpack: P0 RS, P1 RW, P2 E, P3 light, P4 to P7 data.
    """

    def __init__(self, i2c, address, columns, sleep_ms):
        self._i2c = i2c
        self._address = address
        self._sleep_ms = sleep_ms
        self._starts = (0x00, 0x40, columns, 0x40 + columns)

    def start(self):
        """Into 4-bit mode from any state, two-line addressing, display on, cleared (about 65 ms)."""
        self._i2c.writeto(self._address, b"\x08")  # a glass that is not there says so before anybody waits
        self._sleep_ms(50)
        for nibble in (0x30, 0x30, 0x30, 0x20):
            self._nibble(nibble, 0)
            self._sleep_ms(5)
        for command in (0x28, 0x0C, 0x06, 0x01):
            self._byte(command, 0)
        self._sleep_ms(2)

    def write(self, row, text):
        """Show a row."""
        self._byte(0x80 | self._starts[row], 0)
        for letter in text:
            # the A00 character set has a yen sign and an arrow in two places of ASCII
            self._byte(ord(letter) if letter not in "\\~" else 0x2D, 1)

    def _byte(self, value, register):
        self._nibble(value & 0xF0, register)
        self._nibble(value << 4 & 0xF0, register)

    def _nibble(self, value, register):
        level = value | 0x08 | register
        self._i2c.writeto(self._address, bytes((level | 0x04, level)))


class Ssd1306:
    """A 128x64 pixel display with the 8x8 letters of framebuf: 16 columns, up to 8 rows. Never tried on hardware."""

    def __init__(self, i2c, address, rows):
        import framebuf

        self._i2c = i2c
        self._address = address
        self._pitch = 8 // rows  # pages of 8 pixels a row
        self._buffer = bytearray(128)
        self._page = framebuf.FrameBuffer(self._buffer, 128, 8, framebuf.MONO_VLSB)

    def start(self):
        """Display on, horizontal addressing, inner charge pump, cleared."""
        # fmt: off
        self._command(0xAE, 0x20, 0x00, 0x40, 0xA1, 0xA8, 0x3F, 0xC8, 0xD3, 0x00, 0xDA, 0x12, 0xD5, 0x80,
                      0xD9, 0xF1, 0xDB, 0x30, 0x81, 0xCF, 0xA4, 0xA6, 0x8D, 0x14, 0xAF)
        # fmt: on
        for page in range(8):
            self._show(page, "")

    def write(self, row, text):
        """Show a row."""
        self._show(row * self._pitch, text)

    def _show(self, page, text):
        self._page.fill(0)
        self._page.text(text, 0, 0, 1)
        self._command(0x21, 0, 127, 0x22, page, page)
        self._i2c.writeto(self._address, b"\x40" + self._buffer)

    def _command(self, *codes):
        for code in codes:
            self._i2c.writeto(self._address, bytes((0x80, code)))
