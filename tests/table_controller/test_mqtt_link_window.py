"""The send window: in order, few at a time, nothing forgotten, whatever comes in between."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from table_controller.journal import OutboxRow
from table_controller.mqtt_link import SendWindow


def row(seq: int) -> OutboxRow:
    return OutboxRow(seq=seq, topic="event", payload=b"%d" % seq, prev="")


def rows(after: int, limit: int, head: int) -> list[OutboxRow]:
    return [row(seq) for seq in range(after + 1, min(after + limit, head) + 1)]


def fill(subject: SendWindow, head: int) -> None:
    while (want := subject.wants(head)) is not None:
        assert subject.offer(want, rows(want.after, want.limit, head))


def send_all(subject: SendWindow, mids: dict[int, int]) -> list[int]:
    sent = []
    while (found := subject.next_row()) is not None:
        mid = len(mids) + 1
        mids[mid] = found.seq
        subject.sent(mid)
        sent.append(found.seq)
    return sent


def test_no_more_than_the_window_is_under_way_and_a_puback_opens_it() -> None:
    subject, mids = SendWindow(0, in_flight=4, buffered=10), {}
    fill(subject, 30)
    assert send_all(subject, mids) == [1, 2, 3, 4]
    assert subject.puback(1)
    assert send_all(subject, mids) == [5]
    assert (subject.confirmed, subject.acked) == (1, 0), "PUBACK moves the cursor and nothing else"


def test_confirmations_out_of_order_move_the_cursor_only_over_what_is_complete() -> None:
    subject, mids = SendWindow(0, in_flight=4), {}
    fill(subject, 4)
    send_all(subject, mids)
    for mid, confirmed in ((3, 0), (2, 0), (1, 3), (4, 4)):
        assert subject.puback(mid)
        assert subject.confirmed == confirmed
    assert not subject.puback(4), "once"
    assert not subject.puback(99), "never sent"


def test_after_a_lost_connection_what_was_not_confirmed_is_sent_again_in_order() -> None:
    subject, mids = SendWindow(0, in_flight=4), {}
    fill(subject, 10)
    send_all(subject, mids)
    subject.puback(1)
    subject.puback(3)
    subject.connection_lost()
    fill(subject, 10)
    assert send_all(subject, dict.fromkeys(range(10), 0)) == [2, 3, 4, 5]


def test_rows_that_were_asked_for_before_a_replay_are_refused() -> None:
    subject = SendWindow(0)
    stale = subject.wants(50)
    assert stale is not None
    subject.rewind(20)
    assert not subject.offer(stale, rows(0, 5, 50))
    fresh = subject.wants(50)
    assert fresh is not None
    assert fresh.after == 20
    assert subject.offer(fresh, rows(20, 5, 50))


def test_rows_that_are_not_the_next_ones_are_a_fault_of_the_program() -> None:
    subject = SendWindow(0)
    want = subject.wants(50)
    assert want is not None
    with pytest.raises(ValueError, match="event 2 offered after 0"):
        subject.offer(want, [row(2)])


def test_what_the_hub_has_is_not_sent() -> None:
    subject, mids = SendWindow(0, in_flight=2, buffered=10), {}
    fill(subject, 10)
    send_all(subject, mids)
    subject.hub_has(5)
    assert subject.puback(1)
    assert subject.puback(2)
    assert send_all(subject, mids) == [6, 7]
    subject.hub_has(40)
    assert subject.wants(40) is None
    assert (subject.taken, subject.confirmed, subject.acked) == (40, 40, 40)


def test_a_replay_is_sent_whole_although_the_hub_said_that_it_has_all() -> None:
    subject, mids = SendWindow(50, in_flight=4, buffered=8), {}
    subject.wants(50)
    subject.rewind(40)
    sent = []
    for _ in range(10):
        fill(subject, 50)
        sent += send_all(subject, mids)
        subject.hub_has(50)
        for mid in list(mids):
            subject.puback(mid)
    assert sent == list(range(41, 51))


def test_a_silent_hub_gets_everything_again_with_growing_patience() -> None:
    subject, mids = SendWindow(0, stall_s=10), {}
    fill(subject, 3)
    send_all(subject, mids)
    assert not subject.resend_when_stalled(0, hub_online=True), "not all is with the broker yet"
    for mid in mids:
        subject.puback(mid)
    assert not subject.resend_when_stalled(100, hub_online=False)
    assert not subject.resend_when_stalled(100, hub_online=True)
    assert not subject.resend_when_stalled(109, hub_online=True)
    assert subject.resend_when_stalled(110, hub_online=True)
    again: dict[int, int] = dict.fromkeys(range(10), 0)
    fill(subject, 3)
    assert send_all(subject, again) == [1, 2, 3]
    for mid in (11, 12, 13):
        subject.puback(mid)
    assert not subject.resend_when_stalled(120, hub_online=True)
    assert not subject.resend_when_stalled(139, hub_online=True)
    assert subject.resend_when_stalled(140, hub_online=True), "twice as long"
    subject.hub_has(3)
    assert not subject.resend_when_stalled(10_000, hub_online=True), "nothing is missing any more"


def test_a_hub_that_was_set_back_is_noticed_by_its_own_word() -> None:
    subject = SendWindow(30, stall_s=10)
    subject.wants(30)
    subject.hub_has(12)
    assert not subject.resend_when_stalled(0, hub_online=True)
    assert subject.resend_when_stalled(10, hub_online=True)
    want = subject.wants(30)
    assert want is not None
    assert want.after == 12
    assert subject.acked == 30, "the journal has cleared those; it gives them from the published stream"


class Evening(RuleBasedStateMachine):
    """Any order of commits, hand-overs, confirmations, losses and acknowledgements; a hub that keeps each once."""

    def __init__(self) -> None:
        super().__init__()
        self.subject = SendWindow(0, in_flight=5, buffered=9, stall_s=1)
        self.head = 0
        self.broker: list[int] = []
        self.flying: dict[int, int] = {}
        self.hub: set[int] = set()
        self.hub_head = 0
        self.mid = 0
        self.last_sent: int | None = None
        self.stale: list[tuple[object, list[OutboxRow]]] = []
        self.now = 0.0

    @rule(count=st.integers(1, 12))
    def commit(self, count: int) -> None:
        self.head += count

    @rule()
    def hand_over(self) -> None:
        if (want := self.subject.wants(self.head)) is not None:
            assert self.subject.offer(want, rows(want.after, want.limit, self.head))

    @rule()
    def ask_and_be_slow(self) -> None:
        if (want := self.subject.wants(self.head)) is not None:
            self.stale.append((want, rows(want.after, want.limit, self.head)))

    @precondition(lambda self: self.stale)
    @rule()
    def offer_late(self) -> None:
        want, found = self.stale.pop()
        self.subject.offer(want, found)  # type: ignore[arg-type]

    @rule()
    def send(self) -> None:
        """In order; what is passed over is only what the hub has."""
        while (found := self.subject.next_row()) is not None:
            if self.last_sent is not None:
                assert found.seq > self.last_sent
                assert found.seq == self.last_sent + 1 or found.seq <= self.hub_head + 1
            self.last_sent = found.seq
            self.mid += 1
            self.flying[self.mid] = found.seq
            self.subject.sent(self.mid)
        assert len(self.flying) <= 5

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), kept=st.booleans())
    def confirm(self, data: st.DataObject, kept: bool) -> None:
        """The broker has one; perhaps it loses it before the hub sees it."""
        mid = data.draw(st.sampled_from(sorted(self.flying)))
        seq = self.flying.pop(mid)
        self.subject.puback(mid)
        if kept:
            self.hub.add(seq)

    @rule()
    def lose_connection(self) -> None:
        self.flying.clear()
        self.last_sent = None
        self.subject.connection_lost()

    @rule()
    def hub_acknowledges(self) -> None:
        while self.hub_head + 1 in self.hub:
            self.hub_head += 1
        self.subject.hub_has(self.hub_head)

    @rule(back=st.integers(0, 5))
    def replay(self, back: int) -> None:
        self.flying.clear()
        self.last_sent = None
        self.subject.rewind(max(0, min(self.hub_head, self.subject.head) - back))

    @invariant()
    def nothing_is_claimed_that_is_not_so(self) -> None:
        assert self.subject.confirmed <= self.subject.taken <= max(self.head, self.subject.acked)
        assert self.subject.acked <= self.hub_head
        assert self.hub_head <= self.head

    def teardown(self) -> None:
        """Faults off: everything must be at the hub in the end, in bounded steps."""
        self.flying.clear()
        self.last_sent = None
        self.subject.connection_lost()
        for _ in range(3 * self.head + 50):
            if self.hub_head == self.head:
                break
            self.now += 10_000
            self.hand_over()
            self.send()
            for mid, seq in list(self.flying.items()):
                del self.flying[mid]
                self.subject.puback(mid)
                self.hub.add(seq)
            self.hub_acknowledges()
            if self.subject.resend_when_stalled(self.now, hub_online=True):
                self.last_sent = None
        assert self.hub_head == self.head
        super().teardown()


TestEvening = Evening.TestCase
TestEvening.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
