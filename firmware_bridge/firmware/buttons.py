"""The button panel: one press of a finger is one press on the line, and a broken button says so once and then nothing.

Contacts bounce for some milliseconds; a level counts when it has stood for the debounce time. A button that is down for
longer than any finger, that was down when the board started, or that chatters faster than any finger is reported as
stuck, and its line is ignored until it has been open and quiet for a while.
"""

QUIET_MS = 1000  # open for so long, a button is whole again
AT_BOOT_MS = 2000  # down since the board started and still down: shorted
CHATTER_MS = 1000  # in so long ...
CHATTER_CHANGES = 16  # ... no finger presses and lets go eight times


class _Button:
    def __init__(self, number, now):
        self.id = number
        self.raw = False
        self.since = now  # of the raw level
        self.down = False  # what the Pi knows
        self.count = 0
        self.stuck = False
        self.held = False  # it was down when the board started
        self.settled_at = now  # its level last stood for the debounce time
        self.window_at = now
        self.changes = 0


class Buttons:
    """All buttons of the panel.

    Args:
        numbers: The buttons' ids in the order of the bits that `poll` gets.
        debounce_ms: A level that has stood for so long counts.
        stuck_ms: A button that is down for so long is stuck.
        changed: `changed(id, pressed, count)` is told each press and release.
        stuck: `stuck(id)` is told once when a button is broken.
    """

    def __init__(self, numbers, debounce_ms, stuck_ms, changed, stuck):
        self._numbers = numbers
        self._debounce_ms = debounce_ms
        self._stuck_ms = stuck_ms
        self._changed = changed
        self._stuck = stuck
        self._all = []
        self._bits = None

    def poll(self, bits, now):
        """Take the raw levels, one bit a button (1 = down); call it every few milliseconds."""
        if self._bits is None:
            self._all = [_Button(number, now) for number in self._numbers]
            for at, button in enumerate(self._all):
                button.raw = button.held = bool(bits >> at & 1)
        if bits != self._bits:
            for at, button in enumerate(self._all):
                raw = bool(bits >> at & 1)
                if raw != button.raw:
                    button.raw = raw
                    button.since = now
            self._bits = bits
        for button in self._all:
            self._settle(button, now)

    def levels(self):
        """What the Pi has been told: (id, pressed, count) of every button that has ever changed."""
        return [(button.id, button.down, button.count) for button in self._all if button.count]

    def _settle(self, button, now):
        stood = now - button.since
        if button.stuck:
            if not button.raw and stood >= QUIET_MS:
                button.stuck = button.held = False
                button.settled_at = button.window_at = now
                button.changes = 0
                if button.down:
                    self._tell(button, False)
            return
        if now - button.window_at >= CHATTER_MS:
            button.window_at = now
            button.changes = 0
        if stood < self._debounce_ms:
            if now - button.settled_at >= CHATTER_MS:
                self._break(button)
            return
        button.settled_at = now
        if button.held:
            # down since the board started: no press of this hand
            if not button.raw:
                button.held = False
            elif stood >= AT_BOOT_MS:
                self._break(button)
        elif button.raw and stood >= self._stuck_ms:
            self._break(button)
        elif button.raw != button.down:
            button.changes += 1
            if button.changes > CHATTER_CHANGES:
                self._break(button)
            else:
                self._tell(button, button.raw)

    def _break(self, button):
        button.stuck = True
        self._stuck(button.id)

    def _tell(self, button, pressed):
        button.down = pressed
        button.count = (button.count + 1) & 0xFFFF
        self._changed(button.id, pressed, button.count)
