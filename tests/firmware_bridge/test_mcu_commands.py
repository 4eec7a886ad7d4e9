"""What the driver is told and what befalls it: commands, the shoe, restarts, unplugged cables, the end."""

import threading
from pathlib import Path

import msgspec
import pytest
from scripted_board import (
    HELLO,
    RESTARTED,
    A,
    B,
    Heard,
    MakeMcu,
    Peer,
    beat,
    open_files,
    whole,
)

from firmware_bridge import frames
from firmware_bridge.clock import TableClock
from firmware_bridge.errors import BadCommand, CommandQueueFull, NotReady
from firmware_bridge.link import Timing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import (
    Button,
    CommandRefused,
    DeviceState,
    Fault,
    Heartbeat,
    Inventory,
    Shoe,
    Tick,
)


class TestCommands:
    """What the table wants shown, and only the newest of it."""

    def test_newest_lamp_wins_while_the_line_is_slow(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should leave out the colours between the one under way and the last one wanted."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(1, "red")
        seq, _ = peer.expect(frames.LampFrame(1, 1, 0), answer=False)
        for colour in ("amber", "green", "blue"):
            subject.set_lamp(1, colour)
        peer.ack(seq)
        peer.expect(frames.LampFrame(1, 4, 0))

    def test_newest_line_and_orders_win(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should keep one waiting text a line and one list of orders."""
        subject = make_mcu()
        peer.greet()
        subject.set_display(0, "un")
        subject.send_orders([(0, 1, 1)])
        first, _ = peer.expect(frames.DisplayFrame(0, "un"), answer=False)
        second, _ = peer.expect(frames.OrderFrame((frames.OrderEntry(0, 1, 1),)), answer=False)
        for text in ("deux", "trois"):
            subject.set_display(0, text)
            subject.send_orders([("wait", "none", len(text))])
        peer.ack(first)
        peer.expect(frames.DisplayFrame(0, "trois"))
        peer.ack(second)
        peer.expect(frames.OrderFrame((frames.OrderEntry(23, 0, 5),)))

    def test_same_state_is_not_sent_twice(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should spare the line what the board already shows."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(1, "red")
        peer.expect(frames.LampFrame(1, 1, 0))
        subject.set_lamp(1, "red")
        subject.set_lamp(2, "red")
        peer.expect(frames.LampFrame(2, 1, 0))

    def test_board_without_a_display(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should leave out what the board said it does not have."""
        subject = make_mcu()
        peer.greet(msgspec.structs.replace(HELLO, capabilities=2))
        subject.set_display(0, "rien")
        subject.buzz(10)
        subject.set_lamp(9, "red")
        subject.set_lamp(3, "red")
        peer.expect(frames.LampFrame(3, 1, 0))

    def test_commands_that_no_board_can_take(self, make_mcu: MakeMcu, peer: Peer) -> None:
        """It should refuse them at once, in the caller's thread."""
        subject = make_mcu()
        with pytest.raises(BadCommand, match="40"):
            subject.set_display(0, "x" * 41)
        with pytest.raises(BadCommand):
            subject.set_lamp(300, "red")
        with pytest.raises(BadCommand, match="mauve"):
            subject.set_lamp(1, "mauve")
        with pytest.raises(BadCommand, match="seat11"):
            subject.send_orders([("deal", "seat11", 0)])
        with pytest.raises(BadCommand):
            subject.feed(13, 1)
        with pytest.raises(BadCommand):
            Mcu("/dev/null", 0, "felt", None)  # type: ignore[arg-type]
        peer.greet()

    def test_command_does_not_wait_for_the_board_to_speak(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should wake the thread that reads, and so send at once on a silent line."""
        subject = make_mcu(timing=Timing(degraded=600.0, lost=600.0, hello=600.0, read=600.0))
        peer.greet()
        subject.wait_ready(10)
        subject.set_lamp(1, "red")
        peer.expect(frames.LampFrame(1, 1, 0))
        subject.close()

    def test_many_threads_command_at_once(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should show what each thread wanted last."""
        subject = make_mcu()
        peer.greet()

        def blink(lamp: int) -> None:
            for turn in range(50):
                subject.set_lamp(lamp, 1 + turn % 3)
            subject.set_lamp(lamp, 4)

        threads = [threading.Thread(target=blink, args=(lamp,)) for lamp in (1, 2, 3)]
        for thread in threads:
            thread.start()
        last: dict[int, int] = {}
        while last != {1: 4, 2: 4, 3: 4}:
            _, frame = peer.expect(frames.LampFrame)
            last[frame.lamp] = frame.colour
        for thread in threads:
            thread.join()


class TestShoe:
    """The dealing shoe moves only when it is told, and never twice for one command."""

    def test_feed_and_its_answer(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should arm, feed, and tell what the shoe did."""
        subject = make_mcu()
        peer.greet()
        subject.arm(True)
        peer.expect(frames.ArmFrame(True))
        subject.feed(3, 77)
        peer.expect(frames.FeedFrame(3, 77))
        peer.tell(frames.ShoeFrame(1, 5, 3, 77))
        peer.tell(frames.ShoeFrame(200, 6, 3, 77))
        said = heard.next(Shoe)
        assert (said.state, said.cards_out, said.target, said.command_id) == ("feeding", 5, 3, 77)
        assert heard.next(Shoe).state == "unknown"
        subject.close()
        peer.expect(frames.ArmFrame(False))

    def test_feed_that_is_not_armed(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should give the refused feed back by its command id."""
        subject = make_mcu()
        peer.greet()
        subject.feed(12, 5)
        seq, _ = peer.expect(frames.FeedFrame(12, 5), answer=False)
        peer.nak(seq, 4)
        refused = heard.next(CommandRefused)
        assert (refused.command, refused.reason, refused.command_id) == ("FEED", "not-armed", 5)

    def test_feed_without_a_board(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should refuse a feed while nobody is there, and not keep it for later."""
        peer.unplug()
        subject = make_mcu()
        subject.feed(1, 1)
        assert heard.next(CommandRefused).reason == "not-connected"
        peer.plug()
        peer.greet()

    def test_feed_on_a_board_without_a_shoe(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should say that there is no shoe."""
        subject = make_mcu()
        peer.greet(msgspec.structs.replace(HELLO, capabilities=7))
        subject.feed(1, 1)
        assert heard.next(CommandRefused).reason == "not-fitted"

    def test_feed_under_way_when_the_board_restarts(
        self, peer: Peer, heard: Heard, make_mcu: MakeMcu
    ) -> None:
        """It should not feed again what may have been fed: the table looks and decides."""
        subject = make_mcu()
        peer.greet()
        subject.feed(1, 8)
        peer.expect(frames.FeedFrame(1, 8), answer=False)
        subject.feed(2, 9)
        peer.restart_numbers()
        peer.tell(RESTARTED)
        peer.welcome()
        refused = [heard.next(CommandRefused), heard.next(CommandRefused)]
        assert [(r.command_id, r.reason) for r in refused] == [(8, "connection-lost"), (9, "not-connected")]

    def test_too_many_feeds(self, peer: Peer, make_mcu: MakeMcu, heard: Heard) -> None:
        """It should refuse to pile up feeds behind a shoe that does not answer."""
        subject = make_mcu(timing=Timing(resend=60.0, degraded=60, lost=60))
        peer.greet()
        subject.feed(1, 0)
        peer.expect(frames.FeedFrame(1, 0), answer=False)
        for command_id in range(1, 33):
            subject.feed(1, command_id)
        subject.feed(1, 32)
        with pytest.raises(CommandQueueFull):
            subject.feed(1, 33)

    def test_armed_while_the_table_thinks(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should arm again every second of table time, and disarm when the table has not asked for ten."""
        subject = make_mcu()
        peer.greet()
        peer.send(beat(0))
        heard.next(Heartbeat)
        subject.arm(True)
        peer.expect(frames.ArmFrame(True))
        for second in range(1, 10):
            peer.send(beat(second * 1000 - 100))
            peer.send(beat(second * 1000))
            peer.expect(frames.ArmFrame(True))
        peer.send(beat(10_000))
        peer.expect(frames.ArmFrame(False))
        peer.send(beat(12_000))
        subject.buzz(1)
        peer.expect(frames.BuzzFrame(1))


class TestComingsAndGoings:
    """Restarts, unplugged cables, silence; and time goes on."""

    def test_restart_of_the_board(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should greet again, show everything again, and go on with the table's time where it was."""
        subject = make_mcu(clock=TableClock(1000.0))
        peer.greet()
        subject.set_lamp(2, "green")
        peer.expect(frames.LampFrame(2, 3, 0))
        peer.tell(frames.ButtonFrame(1, True, 4_000_000, 5))
        peer.tell(whole(1, 900, 4_000_700, A))
        peer.restart_numbers()
        peer.tell(RESTARTED)
        peer.welcome(shown=(frames.LampFrame(2, 3, 0),))
        peer.tell(whole(1, 1, 40, B))
        peer.tell(frames.ButtonFrame(1, True, 140, 1))
        assert heard.next(Button).t == 1000.0
        assert heard.next(Inventory).t == 1000.7
        restart = heard.next(DeviceState, state="found")
        assert "restarted" in restart.detail
        assert heard.next(DeviceState).state == "ready"
        assert heard.next(Inventory).t == 1000.7
        press = heard.next(Button)
        assert (press.t, press.gap) == (1000.8, False)
        assert subject.health().restarts == 1

    def test_unplugged_and_plugged_in_again(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should say once that the line broke, and come back through the same path with everything shown."""
        subject = make_mcu()
        peer.greet()
        subject.set_display(0, "Coupez")
        peer.expect(frames.DisplayFrame(0, "Coupez"))
        peer.tell(whole(1, 5, 1000, A))
        peer.unplug()
        state = heard.next(DeviceState, state="lost")
        assert state.code == "unplugged"
        assert state.hint
        subject.set_display(0, "Donnez")
        peer.plug()
        peer.greet(shown=(frames.DisplayFrame(0, "Donnez"),))
        peer.tell(whole(1, 90, 61_000, A, B))
        heard.next(DeviceState, state="ready")
        assert heard.next(Inventory).t == 60.0
        assert subject.health().connections == 2

    def test_loose_plug(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should wait longer only while the board stays away, not after each of many short losses."""
        make_mcu(timing=Timing(degraded=60.0, lost=60.0, backoff_first=0.02, backoff_most=1e6))
        for _ in range(14):
            peer.greet()
            heard.next(DeviceState, state="ready")
            peer.unplug()
            peer.plug()
            heard.next(DeviceState, state="lost")
        peer.greet()

    def test_presses_missed_while_unplugged(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should show by the line count that presses were missed, and drop a level that comes too late."""
        make_mcu()
        peer.greet()
        peer.tell(frames.ButtonFrame(1, True, 100, 65535))
        peer.tell(frames.ButtonFrame(1, False, 200, 0))
        peer.tell(frames.ButtonFrame(1, False, 300, 0))
        peer.tell(frames.ButtonFrame(1, True, 900, 5))
        peer.tell(frames.ButtonFrame(1, False, 500, 4))
        peer.tell(frames.ButtonFrame(2, True, 1000, 9))
        said = [heard.next(Button) for _ in range(5)]
        assert [(b.id, b.count, b.gap) for b in said] == [
            (1, 65535, False),
            (1, 0, False),
            (1, 0, False),
            (1, 5, True),
            (2, 9, False),
        ]

    def test_late_heartbeats(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should call a board without heartbeats degraded, and ready when they come again."""
        make_mcu(timing=Timing(degraded=0.2, lost=60.0))
        peer.greet()
        state = heard.next(DeviceState, state="degraded")
        assert state.code == "heartbeat-late"
        peer.send(beat(500))
        assert heard.next(DeviceState).state == "ready"

    def test_silent_board(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should call a board that says nothing at all lost, and try its port again."""
        make_mcu(timing=Timing(degraded=60.0, lost=0.3))
        peer.greet()
        state = heard.next(DeviceState, state="lost")
        assert state.code == "heartbeat-missing"
        peer.greet()
        heard.next(DeviceState, state="ready")

    def test_heartbeat_and_fault(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should pass on the board's counters, supply and faults."""
        subject = make_mcu()
        peer.greet()
        peer.send(beat(500))
        peer.tell(frames.FaultFrame(2, 4))
        peer.tell(frames.FaultFrame(99, 1))
        said = heard.next(Heartbeat)
        assert (said.bad_frames, said.resent, said.lost) == (1, 2, 3)
        assert (said.supply, said.temperature) == (5.021, -7)
        fault = heard.next(Fault)
        assert (fault.code, fault.argument) == ("reader_silent", 4)
        assert heard.next(Fault).code == "fault_99"
        health = subject.health()
        assert (health.supply, health.peer_lost) == (5.021, 3)
        assert health.last_seen is not None

    def test_ticks_wrap(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should count on through the wrap of the board's 32-bit clock, with a tick for each tenth."""
        make_mcu(clock=TableClock(5.0))
        peer.greet()
        peer.send(beat(2**32 - 250))
        peer.send(beat(250))
        assert [heard.next(Heartbeat).t, heard.next(Heartbeat).t] == [5.0, 5.5]
        ticks = [said.t for said in heard.all if isinstance(said, Tick)]
        assert ticks == [5.1, 5.2, 5.3, 5.4, 5.5]


class TestEnding:
    """Nothing is left behind."""

    def test_threads_and_files_are_given_back(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should join its thread and close its port, also after losses."""
        threads = threading.active_count()
        files = open_files()
        with make_mcu() as subject:
            peer.greet()
            peer.unplug()
            peer.plug()
            peer.greet()
            subject.wait_ready(10)
        subject.close()
        assert threading.active_count() == threads
        assert open_files() == files

    def test_close_without_start_and_without_a_board(self, peer: Peer, heard: Heard, tmp_path: Path) -> None:
        """It should close from any state."""
        Mcu(str(tmp_path / "none"), 115_200, "felt", heard.out).close()
        with Mcu(str(tmp_path / "none"), 115_200, "felt", heard.out) as subject:
            assert heard.next(DeviceState).code == "port-absent"
            with pytest.raises(NotReady, match="port-absent"):
                subject.wait_ready(0)

    def test_fault_of_the_program_is_loud(
        self, peer: Peer, heard: Heard, make_mcu: MakeMcu, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should tell the table that the device is gone, and not hide the fault."""
        raised: list[threading.ExceptHookArgs] = []
        monkeypatch.setattr(threading, "excepthook", raised.append)

        def broken() -> float:
            raise ZeroDivisionError("broken clock")

        subject = make_mcu(monotonic=broken)
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "driver-failed")
        subject.close()
        assert [args.exc_type for args in raised] == [ZeroDivisionError]
