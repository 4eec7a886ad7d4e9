"""The real driver over a real pty, against a board that fails the test on anything it did not expect."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import serial

from firmware_bridge import frames, framing
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

MakeMcu = Callable[..., Mcu]
HELLO = frames.HelloFrame(
    1,
    1,
    "scripted 1",
    11,
    "S-1",
    0b11111,
    (frames.AntennaInfo(1, 2, 3), frames.AntennaInfo(2, 3, 0), frames.AntennaInfo(3, 8, 0)),
    (1, 2, 16),
    (1, 2, 3),
)
RESTARTED = msgspec.structs.replace(HELLO, boot_id=12)
A, B, C = "04A1B2C3D4E5F6", "0400112233445F", "E004015011223344"


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def beat(ticks_ms: int) -> frames.HeartbeatFrame:
    return frames.HeartbeatFrame(ticks_ms, 1, 2, 3, 5021, -7)


def whole(antenna: int, cycle: int, ticks_ms: int, *uids: str) -> frames.InventoryFrame:
    [frame] = framing.split_inventory(antenna, cycle, ticks_ms, 90, uids)
    return frame


class TestGreeting:
    """Who is there, and whether both speak the same language."""

    def test_greets_and_asks_for_everything(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should ask who is there, set the scan plan, and read every antenna."""
        subject = make_mcu()
        peer.greet()
        assert heard.next(DeviceState).state == "found"
        assert heard.next(DeviceState).state == "ready"
        subject.wait_ready(10)
        peer.tell(whole(1, 1, 500, B, A))
        said = heard.next(Inventory)
        assert (said.device, said.antenna, said.kind, said.index) == ("felt", 1, "seat", 3)
        assert (said.uids, said.quality, said.cycle) == ((B, A), 90, 1)
        health = subject.health()
        assert (health.state, health.firmware, health.serial) == ("ready", "scripted 1", "S-1")
        assert health.connections == 1

    def test_own_scan_plan(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should read the antennas of the configuration, not all that the board has."""
        make_mcu(scan=[(2, 20), (1, 40)])
        peer.expect(frames.HelloRequestFrame())
        peer.tell(HELLO)
        peer.expect(frames.ScanFrame((frames.ScanEntry(2, 20), frames.ScanEntry(1, 40))))
        peer.expect(frames.InventoryRequestFrame(255))

    def test_nothing_is_taken_before_the_greeting(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should neither believe nor acknowledge a board that has not said who it is."""
        make_mcu()
        peer.expect(frames.HelloRequestFrame())
        early = peer.send(whole(1, 1, 500, A))
        peer.tell(HELLO)
        peer.welcome()
        assert early not in peer.acked
        heard.next(DeviceState, state="ready")
        assert heard.drain() == []
        peer.send(whole(1, 1, 500, A), seq=early)
        peer.wait_ack(early)
        assert heard.next(Inventory).uids == (A,)

    @pytest.mark.parametrize(
        ("first", "last", "spoken", "update"),
        [(1, 1, (2, 3), "firmware"), (4, 9, (2, 3), "maldonne")],
        ids=["older board", "newer board"],
    )
    def test_other_protocol_is_refused(
        self,
        peer: Any,
        heard: Any,
        make_mcu: MakeMcu,
        first: int,
        last: int,
        spoken: tuple[int, int],
        update: str,
    ) -> None:
        """It should name both versions and which of the two to update, and command nothing."""
        subject = make_mcu(protocol=spoken)
        peer.expect(frames.HelloRequestFrame())
        peer.send(msgspec.structs.replace(HELLO, protocol_min=first, protocol_max=last))
        state = heard.next(DeviceState, state="lost")
        assert state.code == "protocol-refused"
        assert f"protocol{'s 4 to 9' if last > first else ' 1'}" in state.detail
        assert "protocols 2 to 3" in state.detail
        assert update in state.hint
        with pytest.raises(NotReady, match="protocol-refused"):
            subject.wait_ready(0)
        subject.close()
        peer.unplug()

    def test_later_version_of_the_line_is_refused(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should refuse a board whose very header is of a later version, by its versions."""
        subject = make_mcu()
        peer.expect(frames.HelloRequestFrame())
        [vector] = [line for line in golden_lines() if line["name"] == "another_version"]
        peer.raw(bytes.fromhex(vector["hex"]))
        state = heard.next(DeviceState, state="lost")
        assert (state.code, "protocol 2" in state.detail) == ("protocol-refused", True)
        subject.close()
        peer.unplug()

    def test_refused_board_is_news_once(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should look at a refused board again and again, and tell the table only once."""
        quick = Timing(degraded=60.0, lost=60.0, hello=10.0, backoff_first=0.01, backoff_most=0.02)
        subject = make_mcu(protocol=(2, 3), timing=quick)
        for _ in range(3):
            peer.expect(frames.HelloRequestFrame())
            peer.send(HELLO)
        peer.expect(frames.HelloRequestFrame())
        said = heard.drain()
        assert [(state.state, state.code) for state in said] == [("found", ""), ("lost", "protocol-refused")]
        peer.send(msgspec.structs.replace(HELLO, protocol_max=2))
        assert heard.next(DeviceState).state == "ready"
        subject.wait_ready(10)
        peer.welcome()

    def test_asks_again_when_only_the_question_was_heard(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should ask anew when the board acknowledges the question and then says nothing."""
        make_mcu()
        first, _ = peer.expect(frames.HelloRequestFrame())
        second, _ = peer.expect(frames.HelloRequestFrame())
        assert first != second
        peer.tell(HELLO)
        peer.welcome()

    def test_first_byte_closes_half_a_frame(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should begin with 00, so that the board's decoder starts afresh."""
        make_mcu()
        assert peer.first_byte() == b"\x00"
        peer.greet()

    def test_silent_port(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should ask again and again, and then say that nothing at this port knows its name."""
        subject = make_mcu(timing=Timing(resend=0.02, hello=0.4))
        peer.expect(frames.HelloRequestFrame(), answer=False)
        assert heard.next(DeviceState).state == "found"
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "hello-missing")
        assert peer.link.name in state.detail
        subject.close()
        peer.unplug()

    def test_port_that_is_not_there_and_comes(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should say that nothing is plugged in, and take the board up when it comes."""
        peer.unplug()
        make_mcu()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "port-absent")
        peer.plug()
        peer.greet()
        heard.next(DeviceState, state="ready")

    def test_port_held_by_another(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should say that another program has the port, and take it when that lets go."""
        with serial.Serial(str(peer.link), 921_600, exclusive=True):
            make_mcu()
            state = heard.next(DeviceState)
            assert (state.state, state.code) == ("lost", "port-busy")
        peer.greet()
        heard.next(DeviceState, state="ready")


def golden_lines() -> list[dict[str, Any]]:
    path = Path(__file__).parent.parent / "golden" / "serial" / "frames.jsonl"
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


class TestInventories:
    """What lies on the antennas, whatever the line does to the telling of it."""

    def test_parts_make_one_set(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should say nothing until the whole present set is there."""
        make_mcu()
        peer.greet()
        heard.next(DeviceState, state="ready")
        tags = [f"04{n:02X}0000000001" for n in range(100)]
        first, second = framing.split_inventory(3, 7, 1000, 80, tags)
        peer.tell(first)
        assert [said for said in heard.drain() if isinstance(said, Inventory)] == []
        peer.tell(second)
        said = heard.next(Inventory)
        assert (said.kind, said.cycle, said.uids) == ("pot", 7, tuple(tags))

    def test_newer_cycle_replaces_an_unfinished_one(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should drop half a set when a newer one comes, and ignore what is late of the older."""
        make_mcu()
        peer.greet()
        old = framing.split_inventory(3, 7, 1000, 80, [f"04{n:02X}0000000001" for n in range(100)])
        peer.tell(old[0])
        peer.tell(whole(3, 8, 1100, C))
        peer.tell(old[1])
        peer.tell(old[0])
        peer.tell(whole(3, 9, 1200))
        assert (heard.next(Inventory).cycle, heard.next(Inventory).cycle) == (8, 9)

    def test_digest_that_differs_asks(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should ask for the antenna whose sum differs, and only for that."""
        subject = make_mcu()
        peer.greet()
        peer.tell(whole(1, 1, 100, A, B))
        peer.tell(whole(2, 1, 110))
        same, empty = framing.digest_entry(1, [B, A]), framing.digest_entry(2, [])
        peer.tell(frames.DigestFrame((same, empty)))
        subject.buzz(1)
        peer.expect(frames.BuzzFrame(1))
        peer.tell(frames.DigestFrame((same, framing.digest_entry(2, [C]))))
        peer.expect(frames.InventoryRequestFrame(2))
        peer.tell(whole(2, 2, 200, C))
        assert heard.next(Inventory, antenna=2, cycle=2).uids == (C,)
        peer.tell(frames.DigestFrame((same, framing.digest_entry(2, [C]))))
        subject.buzz(2)
        peer.expect(frames.BuzzFrame(2))

    def test_many_antennas_that_differ(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should ask one question for all when many differ."""
        make_mcu()
        peer.greet()
        entries = tuple(framing.digest_entry(antenna, [A]) for antenna in range(1, 6))
        peer.tell(frames.DigestFrame(entries[:4]))
        for antenna in range(1, 5):
            peer.expect(frames.InventoryRequestFrame(antenna))
        peer.tell(frames.DigestFrame(entries))
        peer.expect(frames.InventoryRequestFrame(255))

    def test_nothing_is_known_after_a_restart(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should not take the sets from before a restart for what lies there now."""
        make_mcu()
        peer.greet()
        peer.tell(whole(1, 1, 100, A))
        peer.restart_numbers()
        peer.tell(RESTARTED)
        peer.welcome()
        peer.tell(frames.DigestFrame((framing.digest_entry(1, [A]),)))
        peer.expect(frames.InventoryRequestFrame(1))

    def test_digest_that_goes_on_differing_asks_who_is_there(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should notice a board that restarted unheard and counts its cycles from 0."""
        make_mcu()
        peer.greet()
        peer.tell(whole(1, 900, 100, A))
        for _ in range(2):
            peer.tell(frames.DigestFrame((framing.digest_entry(1, [B]),)))
            peer.expect(frames.InventoryRequestFrame(1))
        peer.tell(frames.DigestFrame((framing.digest_entry(1, [B]),)))
        peer.expect(frames.HelloRequestFrame())
        peer.expect(frames.InventoryRequestFrame(1))

    def test_asked_for_counts_whatever_its_cycle(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should believe an answer even when the board counts from 0 again."""
        make_mcu()
        peer.greet()
        peer.tell(whole(1, 900, 100, A))
        peer.tell(frames.DigestFrame((framing.digest_entry(1, [B]),)))
        peer.expect(frames.InventoryRequestFrame(1))
        peer.tell(whole(1, 3, 200, B))
        assert (heard.next(Inventory).cycle, heard.next(Inventory).cycle) == (900, 3)


class TestPromises:
    """Answers, resends, duplicates, refusals."""

    def test_lost_ack(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should send the same frame with the same seq again until it is answered."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(2, "green", blink=True)
        seq, _ = peer.expect(frames.LampFrame(2, 3, 1), answer=False)
        peer.expect_repeat(seq)
        peer.ack(seq)
        subject.set_lamp(2, "off")
        peer.expect(frames.LampFrame(2, 0, 0))
        assert subject.health().resends >= 1

    def test_unanswered_board_is_lost_and_greeted_anew(
        self, peer: Any, heard: Any, make_mcu: MakeMcu
    ) -> None:
        """It should give up after three resends, say so, and begin again with the greeting on the same port."""
        subject = make_mcu()
        peer.greet()
        subject.set_display(1, "Brûlez une carte")
        shown = frames.DisplayFrame(1, "Brûlez une carte")
        seq, _ = peer.expect(shown, answer=False)
        peer.expect_repeat(seq, times=3)
        state = heard.next(DeviceState, state="lost")
        assert state.code == "peer-lost"
        assert "DISPLAY" in state.detail
        peer.greet(shown=(shown,))
        heard.next(DeviceState, state="ready")
        assert subject.health().connections == 1

    def test_repeated_seq_is_answered_but_not_executed(
        self, peer: Any, heard: Any, make_mcu: MakeMcu
    ) -> None:
        """It should take a press once when its ACK was lost and the board sent it again."""
        subject = make_mcu()
        peer.greet()
        press = frames.ButtonFrame(1, True, 1000, 1)
        seq = peer.tell(press)
        peer.send(press, seq=seq)
        peer.wait_ack(seq)
        peer.tell(frames.ButtonFrame(1, False, 1100, 2))
        assert [heard.next(Button).pressed, heard.next(Button).pressed] == [True, False]
        assert heard.drain() == []
        assert subject.health().duplicates == 1

    def test_refused_command(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should tell the table which command was refused and why, and go on."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(1, 4)
        seq, _ = peer.expect(frames.LampFrame(1, 4, 0), answer=False)
        peer.nak(seq, 5)
        refused = heard.next(CommandRefused)
        assert (refused.command, refused.reason) == ("LAMP", "out-of-range")
        subject.set_lamp(1, "red")
        peer.expect(frames.LampFrame(1, 1, 0))

    def test_busy_is_tried_again(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should come back later with a frame that the board had no time for."""
        subject = make_mcu()
        peer.greet()
        heard.next(DeviceState, state="ready")
        subject.buzz(300)
        seq, _ = peer.expect(frames.BuzzFrame(300), answer=False)
        peer.nak(seq, 3)
        peer.expect_repeat(seq)
        peer.ack(seq)
        subject.buzz(301)
        peer.expect(frames.BuzzFrame(301))
        assert heard.drain() == []

    def test_type_that_the_board_does_not_know(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should not send a kind of command again that the board does not know."""
        subject = make_mcu()
        peer.greet()
        subject.send_orders([("burn", "burn", 0)])
        seq, _ = peer.expect(frames.OrderFrame((frames.OrderEntry(1, 12, 0),)), answer=False)
        peer.nak(seq, 1)
        assert heard.next(CommandRefused).command == "ORDER"
        subject.send_orders([("deal", "seat1", 1)])
        subject.buzz(1)
        peer.expect(frames.BuzzFrame(1))
        peer.restart_numbers()
        peer.tell(RESTARTED)
        peer.welcome(shown=(frames.OrderFrame((frames.OrderEntry(0, 1, 1),)),))

    def test_frames_that_cannot_be_taken(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should refuse an unknown type with 1, a bad payload with 2, and a command meant for a board with 1."""
        make_mcu()
        peer.greet()
        heard.next(DeviceState, state="ready")
        for vector in golden_lines():
            if vector["kind"] == "refused" and vector["direction"] == "up" and vector["nak"]:
                peer.raw(bytes.fromhex(vector["hex"]))
                peer.wait_nak(vector["seq"], vector["nak"])
        seq = peer.send(frames.BuzzFrame(5))
        peer.wait_nak(seq, 1)
        assert heard.drain() == []

    def test_broken_frames_are_counted(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should drop what is broken, take what is whole, and count."""
        subject = make_mcu()
        peer.greet()
        broken = bytearray(framing.encode(whole(1, 1, 5, A), 7))
        broken[8] ^= 4
        peer.raw(b"noise\x00" + bytes(broken))
        peer.tell(whole(1, 2, 10, B))
        assert heard.next(Inventory).uids == (B,)
        assert subject.health().bad_frames == 2

    def test_board_that_reads_nothing(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should never block on a full line: it reads on and says that the board is lost."""
        make_mcu()
        peer.greet()
        for count in range(20_000):
            peer.send(frames.ButtonFrame(1, count % 2 == 0, count, count))
        assert heard.next(DeviceState, state="lost").code == "peer-lost"
        peer.acked.clear()
        peer.greet()
        heard.next(DeviceState, state="ready")
        peer.acked.clear()


class TestCommands:
    """What the table wants shown, and only the newest of it."""

    def test_newest_lamp_wins_while_the_line_is_slow(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should leave out the colours between the one under way and the last one wanted."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(1, "red")
        seq, _ = peer.expect(frames.LampFrame(1, 1, 0), answer=False)
        for colour in ("amber", "green", "blue"):
            subject.set_lamp(1, colour)
        peer.ack(seq)
        peer.expect(frames.LampFrame(1, 4, 0))

    def test_newest_line_and_orders_win(self, peer: Any, make_mcu: MakeMcu) -> None:
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

    def test_same_state_is_not_sent_twice(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should spare the line what the board already shows."""
        subject = make_mcu()
        peer.greet()
        subject.set_lamp(1, "red")
        peer.expect(frames.LampFrame(1, 1, 0))
        subject.set_lamp(1, "red")
        subject.set_lamp(2, "red")
        peer.expect(frames.LampFrame(2, 1, 0))

    def test_board_without_a_display(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should leave out what the board said it does not have."""
        subject = make_mcu()
        peer.greet(msgspec.structs.replace(HELLO, capabilities=2))
        subject.set_display(0, "rien")
        subject.buzz(10)
        subject.set_lamp(9, "red")
        subject.set_lamp(3, "red")
        peer.expect(frames.LampFrame(3, 1, 0))

    def test_commands_that_no_board_can_take(self, make_mcu: MakeMcu, peer: Any) -> None:
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

    def test_command_does_not_wait_for_the_board_to_speak(self, peer: Any, make_mcu: MakeMcu) -> None:
        """It should wake the thread that reads, and so send at once on a silent line."""
        subject = make_mcu(timing=Timing(degraded=600.0, lost=600.0, hello=600.0, read=600.0))
        peer.greet()
        subject.wait_ready(10)
        subject.set_lamp(1, "red")
        peer.expect(frames.LampFrame(1, 1, 0))
        subject.close()

    def test_many_threads_command_at_once(self, peer: Any, make_mcu: MakeMcu) -> None:
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

    def test_feed_and_its_answer(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_feed_that_is_not_armed(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should give the refused feed back by its command id."""
        subject = make_mcu()
        peer.greet()
        subject.feed(12, 5)
        seq, _ = peer.expect(frames.FeedFrame(12, 5), answer=False)
        peer.nak(seq, 4)
        refused = heard.next(CommandRefused)
        assert (refused.command, refused.reason, refused.command_id) == ("FEED", "not-armed", 5)

    def test_feed_without_a_board(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should refuse a feed while nobody is there, and not keep it for later."""
        peer.unplug()
        subject = make_mcu()
        subject.feed(1, 1)
        assert heard.next(CommandRefused).reason == "not-connected"
        peer.plug()
        peer.greet()

    def test_feed_on_a_board_without_a_shoe(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should say that there is no shoe."""
        subject = make_mcu()
        peer.greet(msgspec.structs.replace(HELLO, capabilities=7))
        subject.feed(1, 1)
        assert heard.next(CommandRefused).reason == "not-fitted"

    def test_feed_under_way_when_the_board_restarts(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_too_many_feeds(self, peer: Any, make_mcu: MakeMcu, heard: Any) -> None:
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

    def test_armed_while_the_table_thinks(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_restart_of_the_board(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_unplugged_and_plugged_in_again(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_loose_plug(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should wait longer only while the board stays away, not after each of many short losses."""
        make_mcu(timing=Timing(degraded=60.0, lost=60.0, backoff_first=0.02, backoff_most=1e6))
        for _ in range(14):
            peer.greet()
            heard.next(DeviceState, state="ready")
            peer.unplug()
            peer.plug()
            heard.next(DeviceState, state="lost")
        peer.greet()

    def test_presses_missed_while_unplugged(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_late_heartbeats(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should call a board without heartbeats degraded, and ready when they come again."""
        make_mcu(timing=Timing(degraded=0.2, lost=60.0))
        peer.greet()
        state = heard.next(DeviceState, state="degraded")
        assert state.code == "heartbeat-late"
        peer.send(beat(500))
        assert heard.next(DeviceState).state == "ready"

    def test_silent_board(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
        """It should call a board that says nothing at all lost, and try its port again."""
        make_mcu(timing=Timing(degraded=60.0, lost=0.3))
        peer.greet()
        state = heard.next(DeviceState, state="lost")
        assert state.code == "heartbeat-missing"
        peer.greet()
        heard.next(DeviceState, state="ready")

    def test_heartbeat_and_fault(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_ticks_wrap(self, peer: Any, heard: Any, make_mcu: MakeMcu) -> None:
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

    def test_threads_and_files_are_given_back(self, peer: Any, make_mcu: MakeMcu) -> None:
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

    def test_close_without_start_and_without_a_board(self, peer: Any, heard: Any, tmp_path: Path) -> None:
        """It should close from any state."""
        Mcu(str(tmp_path / "none"), 115_200, "felt", heard.out).close()
        with Mcu(str(tmp_path / "none"), 115_200, "felt", heard.out) as subject:
            assert heard.next(DeviceState).code == "port-absent"
            with pytest.raises(NotReady, match="port-absent"):
                subject.wait_ready(0)

    def test_fault_of_the_program_is_loud(
        self, peer: Any, heard: Any, make_mcu: MakeMcu, monkeypatch: pytest.MonkeyPatch
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
