"""The dealing shoe: one command id is at most one card, and nothing moves unless the Pi has just said that it may.

A feed is written down in a memory that survives restarts and power cuts before the first motor turns. Whatever is lost
afterwards (the answer, the supply, the line), the same id never moves a card again: it is acknowledged and not
executed. A feed that was cut short by a restart comes back as a jam: a person must look into the shoe.

The rollers are not stopped by this program but by the mechanism itself, in an interrupt, as soon as a card has left the
gate: a loop that is late pulls no second card.

The shoe moves only while armed; ARM holds for two seconds. Everything but a clean feed disarms it. A jam, a double feed
and a carriage that does not reach its place are cleared by opening and closing the door.
"""

from . import codec

READY, FEEDING, DOUBLE_FEED, JAM, EMPTY, DOOR, MISALIGNED, DISARMED = range(8)

ARM_MS = 2000
KNOWN_IDS = 32

# sensors of the mechanism, as bits
GATE = 1  # a card is in the gate
LOADED = 2  # there are cards in the shoe
OPEN = 4  # the door is open
THICK = 8  # what is in the gate is thicker than a card
ALIGNED = 16  # the carriage is at its place

_RESTING, _AIMING, _PULLING, _PASSING, _SETTLING = range(5)


class Timing:
    """How long each part of a feed may take, in milliseconds.

    Attributes:
        aim: The carriage reaches any place.
        pull: A card reaches the gate.
        passing: One card has passed the gate; longer, and it is two that overlap.
        jam: Whatever is in the gate has left it.
        settle: So long after a card the gate is watched for a second one.
    """

    def __init__(self, aim=600, pull=500, passing=200, jam=800, settle=80):
        self.aim = aim
        self.pull = pull
        self.passing = passing
        self.jam = jam
        self.settle = settle


class Shoe:
    """The shoe as the line knows it.

    Args:
        mechanism: `sensors()` gives the bits above; `aim(target)` sends the carriage; `pull()` turns the rollers until a
            card has left the gate; `passed()` gives how many cards have left the gate since then, and how long the slowest
            took (ms); `stop()` stops everything at once.
        memory: `load()` gives the last record or None, `ids` then those of the last feeds; `begin(command_id, target, cards_out)` and
            `finish(cards_out)` write and raise OSError when they cannot.
        targets: Where this shoe can deal: 1-10 seats, 11 board, 12 burn.
        timing: How long a feed may take.
        report: `report()` is told every change of `fields()`.
        forgetful: `forgetful()` is told when the memory cannot be written.
    """

    def __init__(self, mechanism, memory, targets, timing, report, forgetful):
        self._mechanism = mechanism
        self._memory = memory
        self._targets = targets
        self._timing = timing
        self._report = report
        self._forgetful = forgetful
        self._fault = None
        self._armed_until = None
        self._phase = _RESTING
        self._deadline = 0
        self._thick = False
        self._cards_before = 0
        self._remembers = False  # the memory has been read since the board started
        self._open_record = False  # begun in the memory and not finished there
        self._known = [None] * KNOWN_IDS
        self._known_at = 0
        self._cards_out = 0
        self._target = 0
        self._command_id = 0
        self._told = None
        self._mechanism.stop()
        self._remember_last()

    def _remember_last(self):
        """Read what was fed before the restart; until the memory has answered nothing moves."""
        try:
            record = self._memory.load()
        except OSError:
            self._forgetful()
            return
        self._remembers = True
        if record is None:
            return
        self._command_id, self._target, self._cards_out, finished = record
        for command_id in self._memory.ids:
            self._note(command_id)
        if not finished:
            self._open_record = True
            self._fault = JAM

    # -- what the Pi asks ----------------------------------------------------------------------------

    @property
    def moving(self):
        """A feed is under way."""
        return self._phase != _RESTING

    @property
    def state(self):
        """The state as SHOE names it."""
        if self._fault is not None:
            return self._fault
        if self.moving:
            return FEEDING
        return DISARMED if self._armed_until is None else READY

    def fields(self):
        """The fields of SHOE."""
        return {
            "state": self.state,
            "cards_out": self._cards_out,
            "target": self._target,
            "command_id": self._command_id,
        }

    def arm(self, armed, now):
        """ARM: let the shoe move for two seconds, or stop it; a shoe with a fault cannot be armed."""
        if not armed:
            self._disarm(now)
            return None
        if not self._remembers:
            self._remember_last()
        if not self._remembers or self._fault is not None:
            return codec.NAK_NOT_ARMED
        self._armed_until = now + ARM_MS
        self._tell()
        return None

    def feed(self, target, command_id, now):
        """FEED: one card for this command id, now or never."""
        if command_id in self._known:
            return None
        if target not in self._targets:
            return codec.NAK_OUT_OF_RANGE
        if self._armed_until is None or now >= self._armed_until or self._fault is not None:
            return codec.NAK_NOT_ARMED
        if self.moving:
            return codec.NAK_BUSY
        bits = self._mechanism.sensors()
        if bits & OPEN or bits & GATE or not bits & LOADED:
            self._look(bits)
            return codec.NAK_NOT_ARMED
        try:
            self._memory.begin(command_id, target, self._cards_out)
        except OSError:
            self._forgetful()
            return codec.NAK_BUSY
        self._open_record = True
        self._note(command_id)
        self._command_id = command_id
        self._target = target
        self._thick = False
        self._cards_before = self._cards_out
        self._mechanism.aim(target)
        self._enter(_AIMING, now + self._timing.aim)
        self._tell()
        return None

    # -- its own life --------------------------------------------------------------------------------

    def step(self, now):
        """Look at the sensors and go on; call it every few milliseconds while something moves."""
        bits = self._mechanism.sensors()
        if self._armed_until is not None and now >= self._armed_until:
            self._disarm(now)
        if bits & OPEN or self._fault is not None or not self.moving:
            self._look(bits)
            return
        if self._phase == _AIMING:
            if bits & ALIGNED:
                self._mechanism.pull()
                self._enter(_PULLING, now + self._timing.pull)
            elif now >= self._deadline:
                self._break(MISALIGNED)
            return
        passed = self._count(bits)
        if self._phase == _SETTLING:
            if now >= self._deadline:
                self._settled(bits)
        elif passed:
            self._enter(_SETTLING, now + self._timing.settle)
        elif self._phase == _PULLING and bits & GATE:
            self._enter(_PASSING, now + self._timing.jam)
        elif now >= self._deadline:
            empty = self._phase == _PULLING and not bits & LOADED
            self._break(EMPTY if empty else JAM)

    def _count(self, bits):
        """Take over what the gate has seen: cards that left, and whether one of them was two."""
        passed, longest_ms = self._mechanism.passed()
        if passed > 1 or longest_ms > self._timing.passing or (bits & GATE and bits & THICK):
            self._thick = True
        cards = max(passed, 2) if self._thick and passed else passed
        self._cards_out = (self._cards_before + cards) & 0xFFFF
        return passed

    def _settled(self, bits):
        """No card has followed for a while: the feed is over."""
        if bits & GATE:
            self._break(JAM)
        elif self._thick:
            self._break(DOUBLE_FEED)
        else:
            self._phase = _RESTING
            self._finish()
            self._look(bits)
            self._tell()

    def _look(self, bits):
        """While nothing is fed: door, cards left, and what a person has put right."""
        if bits & OPEN:
            if self._fault != DOOR:
                self._break(DOOR)
        elif self._fault == DOOR:
            # somebody has looked; what still stands in the gate is a jam all the same
            self._clear(JAM if bits & GATE else None)
        elif bits & GATE and self._fault is None:
            self._break(JAM)
        elif self._fault is None and not bits & LOADED:
            self._break(EMPTY)
        elif self._fault == EMPTY and bits & LOADED:
            self._clear(None)

    def _enter(self, phase, deadline):
        self._phase = phase
        self._deadline = deadline

    def _disarm(self, now):
        """Not allowed to move any more; a card in the gate stays where it is and needs a person."""
        self._armed_until = None
        self._mechanism.stop()
        if self._phase in (_PULLING, _PASSING) and self._mechanism.passed()[0]:
            # it has left meanwhile: only the watch for a second one is open
            self._enter(_SETTLING, now + self._timing.settle)
        elif self._phase == _PASSING:
            self._break(JAM)
        elif self._phase in (_AIMING, _PULLING):
            # no card has come out; the id is spent all the same
            self._phase = _RESTING
            self._finish()
        self._tell()

    def _break(self, fault):
        """Stop everything; the feed under way is over, whatever came of it, and its record open until somebody looks."""
        self._mechanism.stop()
        if self._phase in (_PULLING, _PASSING, _SETTLING):
            self._count(0)
        self._phase = _RESTING
        self._armed_until = None
        self._fault = fault
        self._tell()

    def _clear(self, fault):
        self._fault = fault
        if fault is None:
            self._finish()
        self._tell()

    def _finish(self):
        if not self._open_record:
            return
        try:
            self._memory.finish(self._cards_out)
            self._open_record = False
        except OSError:
            self._forgetful()

    def _note(self, command_id):
        self._known[self._known_at] = command_id
        self._known_at = (self._known_at + 1) % KNOWN_IDS

    def _tell(self):
        now_is = (self.state, self._cards_out, self._target, self._command_id)
        if now_is != self._told:
            self._told = now_is
            self._report()
