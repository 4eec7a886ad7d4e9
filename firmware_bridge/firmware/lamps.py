"""Seat lamps and the ring of the next act: one WS2812 chain, colours and patterns as the line names them."""

OFF, RED, AMBER, GREEN, BLUE = range(5)
STEADY, BLINK = range(2)
BLINK_MS = 500
_RGB = ((0, 0, 0), (255, 0, 0), (255, 96, 0), (0, 255, 0), (0, 0, 255))


class Lamps:
    """What the Pi wants to see lit, and the chain that shows it.

    Args:
        chain: `write(colours)` puts one (red, green, blue) a pixel on the chain.
        pixels: Length of the chain.
        lamps: Pixel of each lamp.
        places: Pixel of each place of an ORDER (1-10 seat, 11 board, 12 burn, 13 muck, 14 deck, 15 pot, 16 aside): lit
            blue for the next act; empty where the table has no such ring.
        brightness: 0 to 255.
    """

    def __init__(self, chain, pixels, lamps, places, brightness):
        self._chain = chain
        self._lamps = lamps
        self._places = places
        self._brightness = brightness
        self._wanted = {}
        self._next = None
        self._shown = None
        self._pixels = pixels
        self._changed = True
        self._phase = None

    def has(self, lamp):
        """The board has this lamp."""
        return lamp in self._lamps

    def set(self, lamp, colour, pattern):
        """Show a colour on a lamp."""
        self._wanted[self._lamps[lamp]] = (colour, pattern)
        self._changed = True

    def order(self, place):
        """Light the place of the next act, and no other place; 0 for none."""
        self._next = self._places.get(place)
        self._changed = True

    def step(self, now):
        """Write the chain when anything has changed or blinks."""
        dark = (now // BLINK_MS) % 2 == 1
        if not self._changed and dark == self._phase:
            return
        self._changed = False
        self._phase = dark
        colours = [_RGB[OFF]] * self._pixels
        for pixel, (colour, pattern) in self._wanted.items():
            if pattern == STEADY or not dark:
                colours[pixel] = self._dimmed(_RGB[colour])
        if self._next is not None:
            colours[self._next] = self._dimmed(_RGB[BLUE])
        if colours != self._shown:
            self._shown = colours
            self._chain.write(colours)

    def _dimmed(self, rgb):
        return tuple(value * self._brightness // 255 for value in rgb)


class Ws2812:
    """The chain on a pin of an RP2040, through MicroPython's own driver. Never tried on hardware."""

    def __init__(self, pin, pixels):
        import neopixel

        self._chain = neopixel.NeoPixel(pin, pixels)

    def write(self, colours):
        """Put one (red, green, blue) a pixel on the chain."""
        for at, rgb in enumerate(colours):
            self._chain[at] = rgb
        self._chain.write()
