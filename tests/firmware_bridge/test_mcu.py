"""The real driver over a real pty, against a board that fails the test on anything it did not expect."""

import msgspec
import pytest
import serial
from scripted_board import HELLO, RESTARTED, A, B, C, Heard, MakeMcu, Peer, golden_lines, whole

from firmware_bridge import frames, framing
from firmware_bridge.errors import NotReady
from firmware_bridge.link import Timing
from firmware_bridge.observations import (
    Button,
    CommandRefused,
    DeviceState,
    Inventory,
)


class TestGreeting:
    """Who is there, and whether both speak the same language."""

    def test_greets_and_asks_for_everything(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_own_scan_plan(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should read the antennas of the configuration, not all that the board has."""
        make_mcu(scan=[(2, 20), (1, 40)])
        peer.expect(frames.HelloRequestFrame())
        peer.tell(HELLO)
        peer.expect(frames.ScanFrame((frames.ScanEntry(2, 20), frames.ScanEntry(1, 40))))
        peer.expect(frames.InventoryRequestFrame(255))

    def test_nothing_is_taken_before_the_greeting(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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
        peer: Peer,
        heard: Heard,
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

    def test_later_version_of_the_line_is_refused(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should refuse a board whose very header is of a later version, by its versions."""
        subject = make_mcu()
        peer.expect(frames.HelloRequestFrame())
        [vector] = [line for line in golden_lines() if line["name"] == "another_version"]
        peer.raw(bytes.fromhex(vector["hex"]))
        state = heard.next(DeviceState, state="lost")
        assert (state.code, "protocol 2" in state.detail) == ("protocol-refused", True)
        subject.close()
        peer.unplug()

    def test_refused_board_is_news_once(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_asks_again_when_only_the_question_was_heard(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should ask anew when the board acknowledges the question and then says nothing."""
        make_mcu()
        first, _ = peer.expect(frames.HelloRequestFrame())
        second, _ = peer.expect(frames.HelloRequestFrame())
        assert first != second
        peer.tell(HELLO)
        peer.welcome()

    def test_first_byte_closes_half_a_frame(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should begin with 00, so that the board's decoder starts afresh."""
        make_mcu()
        assert peer.first_byte() == b"\x00"
        peer.greet()

    def test_silent_port(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should ask again and again, and then say that nothing at this port knows its name."""
        subject = make_mcu(timing=Timing(resend=0.02, hello=0.4))
        peer.expect(frames.HelloRequestFrame(), answer=False)
        assert heard.next(DeviceState).state == "found"
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "hello-missing")
        assert peer.link.name in state.detail
        subject.close()
        peer.unplug()

    def test_port_that_is_not_there_and_comes(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should say that nothing is plugged in, and take the board up when it comes."""
        peer.unplug()
        make_mcu()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "port-absent")
        peer.plug()
        peer.greet()
        heard.next(DeviceState, state="ready")

    def test_port_held_by_another(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should say that another program has the port, and take it when that lets go."""
        with serial.Serial(str(peer.link), 921_600, exclusive=True):
            make_mcu()
            state = heard.next(DeviceState)
            assert (state.state, state.code) == ("lost", "port-busy")
        peer.greet()
        heard.next(DeviceState, state="ready")


class TestInventories:
    """What lies on the antennas, whatever the line does to the telling of it."""

    def test_parts_make_one_set(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_newer_cycle_replaces_an_unfinished_one(
        self, peer: Peer, heard: Heard, make_mcu: MakeMcu
    ) -> None:
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

    def test_digest_that_differs_asks(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_many_antennas_that_differ(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should ask one question for all when many differ."""
        make_mcu()
        peer.greet()
        entries = tuple(framing.digest_entry(antenna, [A]) for antenna in range(1, 6))
        peer.tell(frames.DigestFrame(entries[:4]))
        for antenna in range(1, 5):
            peer.expect(frames.InventoryRequestFrame(antenna))
        peer.tell(frames.DigestFrame(entries))
        peer.expect(frames.InventoryRequestFrame(255))

    def test_nothing_is_known_after_a_restart(self, peer: Peer, make_mcu: MakeMcu) -> None:
        """It should not take the sets from before a restart for what lies there now."""
        make_mcu()
        peer.greet()
        peer.tell(whole(1, 1, 100, A))
        peer.restart_numbers()
        peer.tell(RESTARTED)
        peer.welcome()
        peer.tell(frames.DigestFrame((framing.digest_entry(1, [A]),)))
        peer.expect(frames.InventoryRequestFrame(1))

    def test_digest_that_goes_on_differing_asks_who_is_there(self, peer: Peer, make_mcu: MakeMcu) -> None:
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

    def test_asked_for_counts_whatever_its_cycle(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_lost_ack(self, peer: Peer, make_mcu: MakeMcu) -> None:
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
        self, peer: Peer, heard: Heard, make_mcu: MakeMcu
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
        self, peer: Peer, heard: Heard, make_mcu: MakeMcu
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

    def test_refused_command(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_busy_is_tried_again(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_type_that_the_board_does_not_know(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_frames_that_cannot_be_taken(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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

    def test_broken_frames_are_counted(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
        """It should drop what is broken, take what is whole, and count."""
        subject = make_mcu()
        peer.greet()
        broken = bytearray(framing.encode(whole(1, 1, 5, A), 7))
        broken[8] ^= 4
        peer.raw(b"noise\x00" + bytes(broken))
        peer.tell(whole(1, 2, 10, B))
        assert heard.next(Inventory).uids == (B,)
        assert subject.health().bad_frames == 2

    def test_board_that_reads_nothing(self, peer: Peer, heard: Heard, make_mcu: MakeMcu) -> None:
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
