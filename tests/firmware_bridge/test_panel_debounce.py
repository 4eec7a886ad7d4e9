"""One press is one action, whatever the contact does: bounces, chatter, glitches, lost edges (gpiozero 1039, 550; lg 18)."""

import random

import pytest

from firmware_bridge.debounce import Change, Contact, ContactTiming, Cured, News, Trouble

START = 1000.0


class Finger:
    """Presses one contact on a clock of its own; edges reach the subject unless they are lost.

    Between edges the subject is looked at whenever it asks for it, and every tenth of a second.
    """

    def __init__(
        self, timing: ContactTiming | None = None, *, closed: bool = False, reread: float = 0.1
    ) -> None:
        self.subject = Contact(timing or ContactTiming())
        self.now = START
        self.closed = closed
        self.reread = reread
        self._reread_at = START
        self.news: list[News] = self.subject.begin(self.now, closed)

    def wait(self, seconds: float) -> None:
        """Let time pass with the contact as it is."""
        end = self.now + seconds
        while True:
            due = self.subject.due()
            at = min(self._reread_at, end if due is None else due)
            if at > end:
                break
            self.now = max(self.now, at)
            self.news += self.subject.look(self.now, self.closed)
            if at >= self._reread_at:
                self._reread_at = self.now + self.reread
            if self.now >= end:
                break
        self.now = end

    def move(self, closed: bool, *, lost: bool = False) -> None:
        """The contact opens or closes."""
        if closed != self.closed:
            self.closed = closed
            if not lost:
                self.subject.edge(self.now, closed)

    def bounce(self, closed: bool, gaps: list[float]) -> None:
        """Close or open with bounces so many seconds apart."""
        self.move(closed)
        for gap in gaps:
            self.wait(gap)
            self.move(not self.closed)
        self.move(closed)

    def changes(self) -> list[tuple[bool, int, bool]]:
        """The changes told so far."""
        return [(item.pressed, item.count, item.gap) for item in self.news if isinstance(item, Change)]

    def presses(self) -> int:
        """How often it was told as pressed."""
        return sum(pressed for pressed, _, _ in self.changes())


def test_one_clean_press() -> None:
    """It should tell down and up once each, a debounce after the contact came to rest."""
    finger = Finger()
    finger.wait(1.0)
    finger.move(True)
    finger.wait(0.02)
    assert finger.news == []
    finger.wait(0.01)
    assert finger.changes() == [(True, 1, False)]
    finger.wait(0.1)
    finger.move(False)
    finger.wait(0.03)
    assert finger.changes() == [(True, 1, False), (False, 2, False)]


def test_a_hundred_thousand_presses() -> None:
    """It should make exactly one action of each of 100,000 presses that bounce for 0.1 to 20 ms at both ends."""
    rng = random.Random(15)
    subject = Contact(ContactTiming())
    now, told, wrong = START, 0, 0
    subject.begin(now, False)
    for number in range(100_000):
        for closed in (True, False):
            left = rng.uniform(0.0001, 0.02)
            level = closed
            subject.edge(now, level)
            while left > 0:
                gap = rng.uniform(0.00005, left)
                left -= max(gap, 0.0001)
                now += gap
                level = not level
                subject.edge(now, level)
            if level != closed:
                subject.edge(now, closed)
            # it is looked at too early as well: a busy machine wakes when it likes
            now += 0.02
            early = subject.look(now, closed)
            now += 0.0051
            news = early + subject.look(now, closed)
            told += sum(isinstance(item, Change) and item.pressed for item in news)
            wrong += news != [Change(closed, (2 * number + (1 if closed else 2)) % 65536, False)]
            now += rng.uniform(0.03, 0.2)
    assert (told, wrong) == (100_000, 0)


@pytest.mark.parametrize("held", [0.1, 0.5, 0.99])
def test_press_shorter_than_the_debounce(held: float) -> None:
    """It should make one action of a press of 0.1 s with a debounce of 1 s, and one of the next press; none is held."""
    finger = Finger(ContactTiming(debounce=1.0))
    finger.move(True)
    finger.wait(held)
    finger.move(False)
    finger.wait(1.5)
    assert finger.changes() == [(True, 1, False), (False, 2, False)]
    finger.move(True)
    finger.wait(2.0)
    assert finger.changes()[2:] == [(True, 3, False)]
    finger.move(False)
    finger.wait(2.0)
    assert finger.changes()[3:] == [(False, 4, False)]
    finger.wait(100.0)
    assert len(finger.news) == 4


def test_short_tap_that_bounces() -> None:
    """It should make one action of a tap of 10 ms within the usual debounce."""
    finger = Finger()
    finger.bounce(True, [0.001, 0.0005])
    finger.wait(0.01)
    finger.bounce(False, [0.002, 0.001])
    finger.wait(0.2)
    assert finger.changes() == [(True, 1, False), (False, 2, False)]


@pytest.mark.parametrize("closed_for", [0.0001, 0.001, 0.004])
def test_disturbance_is_no_press(closed_for: float) -> None:
    """It should make nothing of a closure too short for a finger."""
    finger = Finger()
    finger.move(True)
    finger.wait(closed_for)
    finger.move(False)
    finger.wait(5.0)
    assert finger.news == []


def test_burst_of_twenty_edges() -> None:
    """It should make one action of a burst of twenty edges that ends closed."""
    finger = Finger()
    finger.bounce(True, [0.0007] * 20)
    finger.wait(0.2)
    assert finger.changes() == [(True, 1, False)]


def test_bounce_at_letting_go_is_no_second_press() -> None:
    """It should not take long bounces of the release for another press."""
    finger = Finger()
    finger.move(True)
    finger.wait(0.3)
    finger.bounce(False, [0.004, 0.012, 0.003, 0.001])
    finger.wait(1.0)
    assert finger.changes() == [(True, 1, False), (False, 2, False)]


def test_two_presses() -> None:
    """It should tell two presses as two."""
    finger = Finger()
    for _ in range(2):
        finger.move(True)
        finger.wait(0.06)
        finger.move(False)
        finger.wait(0.06)
    assert finger.changes() == [(True, 1, False), (False, 2, False), (True, 3, False), (False, 4, False)]


class TestOutOfOrder:
    """A button that cannot be believed does nothing, and is told of."""

    def test_chatter_of_ten_seconds(self) -> None:
        """It should press nothing, tell of the bad contact after a second, and believe it again when it is calm."""
        finger = Finger()
        for _ in range(5000):
            finger.move(True)
            finger.wait(0.001)
            finger.move(False)
            finger.wait(0.001)
        assert finger.news == [Trouble("chatter")]
        assert finger.subject.trouble == Trouble("chatter")
        finger.wait(2.0)
        assert finger.news == [Trouble("chatter"), Cured()]
        finger.move(True)
        finger.wait(0.1)
        assert finger.presses() == 1

    def test_slow_chatter(self) -> None:
        """It should press nothing either while a contact opens and closes every 10 ms for ten seconds."""
        finger = Finger()
        for _ in range(500):
            finger.move(True)
            finger.wait(0.01)
            finger.move(False)
            finger.wait(0.01)
        assert finger.news == [Trouble("chatter")]

    def test_chatter_that_ends_closed(self) -> None:
        """It should press nothing when a bad contact comes to rest closed."""
        finger = Finger()
        for _ in range(700):
            finger.move(True)
            finger.wait(0.001)
            finger.move(False)
            finger.wait(0.001)
        finger.move(True)
        finger.wait(60.0)
        finger.move(False)
        finger.wait(0.5)
        assert finger.news == [Trouble("chatter")]
        finger.wait(1.0)
        assert finger.news == [Trouble("chatter"), Cured()]

    def test_held(self) -> None:
        """It should tell a button that is held for ten seconds, count one press, and its release once it was let go."""
        finger = Finger()
        finger.move(True)
        finger.wait(60.0)
        assert finger.news == [Change(True, 1, False), Trouble("held")]
        finger.move(False)
        finger.wait(2.0)
        assert finger.news[2:] == [Change(False, 2, False), Cured()]

    def test_shorted_when_the_program_starts(self) -> None:
        """It should press nothing with a line that is closed from the start, and tell of it at once."""
        finger = Finger(closed=True)
        assert finger.news == [Trouble("held")]
        finger.wait(3600.0)
        assert finger.news == [Trouble("held")]
        finger.move(False)
        finger.wait(2.0)
        assert finger.news == [Trouble("held"), Cured()]
        finger.move(True)
        finger.wait(0.1)
        assert finger.changes() == [(True, 1, False)]

    def test_calm_begins_again_with_every_edge(self) -> None:
        """It should not believe a bad contact that only rests for a moment."""
        finger = Finger(closed=True)
        for _ in range(20):
            finger.move(False)
            finger.wait(0.8)
            finger.move(True)
            finger.wait(0.05)
        assert finger.news == [Trouble("held")]


class TestLostEdges:
    """The level is read again, so that nothing stays that is not so."""

    def test_lost_release(self) -> None:
        """It should find a release that nobody was told of, say that it was found, and hold nothing for ever."""
        finger = Finger()
        finger.move(True)
        finger.wait(0.3)
        finger.move(False, lost=True)
        finger.wait(0.2)
        assert finger.changes() == [(True, 1, False), (False, 2, True)]

    def test_lost_press(self) -> None:
        """It should find a press whose edge was lost."""
        finger = Finger()
        finger.wait(0.35)
        finger.move(True, lost=True)
        finger.wait(0.2)
        assert finger.changes() == [(True, 1, True)]

    def test_edges_lost_inside_a_burst(self) -> None:
        """It should make one press of a burst of which only the kernel's last sixteen edges are left."""
        finger = Finger()
        for number in range(40):
            finger.move(not finger.closed, lost=number < 24)
        finger.move(True)
        finger.wait(0.3)
        assert finger.presses() == 1
        assert finger.subject.trouble is None

    def test_pins_that_were_away(self) -> None:
        """It should tell that a button is up that was down when the pins went."""
        finger = Finger()
        finger.move(True)
        finger.wait(0.3)
        assert finger.subject.begin(finger.now + 5.0, False) == [Change(False, 2, True)]
        assert finger.subject.begin(finger.now + 6.0, False) == []

    def test_count_wraps(self) -> None:
        """It should count in sixteen bits, as boards do."""
        subject = Contact(ContactTiming())
        now, counts = START, []
        subject.begin(now, False)
        for number in range(65_538):
            now += 0.1
            subject.edge(now, number % 2 == 0)
            [change] = subject.look(now + 0.03, number % 2 == 0)
            assert isinstance(change, Change)
            counts.append(change.count)
        assert counts[-4:] == [65535, 0, 1, 2]
