"""The real driver and a whole simulated board: cables pulled, replies lost, noise, other programs; nothing is moved wrongly."""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scripted_board import HELLO, Heard, open_files
from sim_board import SimBoard, pause, wait_for

from firmware_bridge import frames, framing
from firmware_bridge.clock import TableClock
from firmware_bridge.errors import DEFINED, PeerLost
from firmware_bridge.link import Counters, Link, Outbox, Timing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import Button, DeviceState, Inventory
from firmware_bridge.ports import wait_for_port
from hw_sim import codec

PULLS = int(os.environ.get("MALDONNE_PULLS", "100"))
CORRUPTED = int(os.environ.get("MALDONNE_CORRUPTED", "10000000"))
READY_WITHIN = 5.0


def driver_of(board: SimBoard, heard: Heard, *, device: bool = False, **more: Any) -> Mcu:
    """The driver of the board, by its stable path or by the kernel's own name."""
    path = board.line.device if device else board.line.path
    return Mcu(str(path), 921_600, "felt", heard.out, by_id=board.by_id, **more)


def ready_again(mcu: Mcu, connections: int) -> Callable[[], bool]:
    """Whether the driver has opened the port once more and knows who is there."""
    return lambda: mcu.health().connections > connections and mcu.health().state in ("ready", "degraded")


class TestCable:
    """USB is pulled at any step and comes back by itself."""

    def test_a_hundred_pulls(self, tmp_path: Path, heard: Heard) -> None:
        """It should be ready within 5 s of the plug each time, with what lies on the table, and leak nothing."""
        rng = random.Random("pulls")
        slowest, files = 0.0, set[int]()
        with SimBoard(tmp_path, speed=20.0) as board, driver_of(board, heard) as mcu:
            mcu.wait_ready(READY_WITHIN)
            uid = board.deal("seat1")
            for pull in range(PULLS):
                # at any step: of the greeting, the scan plan, the first inventories, or while the table shows something
                mcu.set_display(1, f"pull {pull}")
                pause(rng.uniform(0.0, 0.06))
                connections = mcu.health().connections
                board.pull()
                pause(rng.uniform(0.0, 0.09))
                board.put_back(renamed=pull % 3 == 0)
                slowest = max(slowest, wait_for(ready_again(mcu, connections), READY_WITHIN))
                if pull % 10 == 9:
                    heard.next(DeviceState, state="ready")
                    heard.drain()
                    mcu.request_inventory(1)
                    assert heard.next(Inventory, antenna=1).uids == (uid,)
                    files.add(open_files())
            wait_for(lambda: board.do(lambda: board.mcu.panel.lines.get(1)) == f"pull {PULLS - 1}")
        assert len(files) == 1
        assert slowest < READY_WITHIN

    @pytest.mark.parametrize("where", ["path", "serial number"])
    def test_a_long_wait_ends_with_the_plug(self, tmp_path: Path, where: str) -> None:
        """It should not sleep through the plug, however long its waits have become."""
        by_id = tmp_path / "by-id"
        by_id.mkdir()
        (by_id / "usb-other").touch()
        path = tmp_path / "ttyACM0" if where == "path" else by_id / "usb-board"
        with Later(0.2, path.touch):
            began = time.monotonic()
            wait_for_port(threading.Event(), str(tmp_path / "ttyACM0"), 60.0, by_id)
        assert time.monotonic() - began < READY_WITHIN

    def test_a_wait_ends_with_the_program(self, tmp_path: Path) -> None:
        """It should not hold up a program that ends."""
        stop = threading.Event()
        with Later(0.1, stop.set):
            wait_for_port(stop, str(tmp_path / "none"), 60.0, tmp_path / "none either")
        assert stop.is_set()


class Later:
    """Does something in a thread of its own after a moment; joined at the end."""

    def __init__(self, seconds: float, what: Callable[[], object]) -> None:
        self._timer = threading.Timer(seconds, what)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *error: object) -> None:
        self._timer.join()


@pytest.mark.parametrize(
    ("way", "lost"), [*(("up", n) for n in range(14)), *(("down", n) for n in range(10))]
)
def test_one_lost_frame_at_any_step_of_the_start(tmp_path: Path, heard: Heard, way: str, lost: int) -> None:
    """It should be up, or say by name what is wrong, within 5 s, whichever reply or question is lost at the start."""
    sent = 0

    def tap(frame: bytes) -> bytes:
        nonlocal sent
        sent += 1
        return b"" if sent == lost + 1 else frame

    board = SimBoard(tmp_path, speed=4.0)
    if way == "up":
        board.line.tap = tap
    else:
        board.line.tap_down = tap
    with board:
        board.deal("seat1")
        began = time.monotonic()
        with driver_of(board, heard) as mcu:
            state = heard.next(DeviceState)
            while state.state not in ("ready", "lost"):
                state = heard.next(DeviceState)
            assert state.state == "ready" or state.code in DEFINED
            wait_for(lambda: mcu.health().state == "ready", READY_WITHIN)
            assert time.monotonic() - began < READY_WITHIN + 1.0
            # and nothing stays unknown: every antenna's set is asked for again until it is there
            wait_for(lambda: _antennas(heard) == {0, 1, 2, 3, 11, 12, 13})


def _antennas(heard: Heard) -> set[int]:
    heard.drain()
    return {said.antenna for said in heard.all if isinstance(said, Inventory)}


def test_no_reply_at_all_is_a_named_error(tmp_path: Path, heard: Heard) -> None:
    """It should say what is wrong within 5 s of a start at which the board never answers."""
    board = SimBoard(tmp_path)
    board.line.tap = lambda frame: b""
    with board, driver_of(board, heard):
        began = time.monotonic()
        assert heard.next(DeviceState, state="lost").code == "hello-missing"
        assert time.monotonic() - began < 5.0


class TestNoise:
    """Garbage, late replies, restarts in the middle of a frame."""

    @pytest.mark.parametrize(
        "faults",
        ["garbage=0.3", "late_reply=0.3", "crc_flip=0.1,drop_frame=0.1,dup_frame=0.1,drop_ack=0.1"],
    )
    def test_everything_arrives(self, tmp_path: Path, heard: Heard, faults: str) -> None:
        """It should bring every card through a bad line, and no press twice; one that was given up is pressed again."""
        with SimBoard(tmp_path, faults=faults, speed=4.0) as board, driver_of(board, heard) as mcu:
            wait_for(lambda: mcu.health().state in ("ready", "degraded"))
            uids = {board.deal("board") for _ in range(5)}
            wait_for(lambda: set(_last(heard, 11)) == uids)
            made = 0
            while not any(said.pressed for said in _buttons(heard)):
                # a board gives up what is not acknowledged after four sendings, and so does not press for ever
                made += 1
                assert made <= 5
                board.do(lambda: board.mcu.press("CHECK"))
                pause(1.0)
            board.do(
                lambda: board.breaker.change("garbage=0,late_reply=0,crc_flip=0,drop_frame=0,drop_ack=0")
            )
            mcu.set_lamp(1, "green")
            wait_for(lambda: board.do(lambda: board.mcu.panel.lamps.get(1)) == (3, 0))
            counts = [said.count for said in _buttons(heard)]
            assert counts == sorted(set(counts))
            assert sum(said.pressed for said in _buttons(heard)) <= made

    def test_boot_in_the_middle_of_a_frame(self, tmp_path: Path, heard: Heard) -> None:
        """It should be ready with the new life of the board, whatever half a frame and text of a ROM stood before it."""
        with SimBoard(tmp_path, speed=10.0) as board, driver_of(board, heard) as mcu:
            mcu.wait_ready(READY_WITHIN)
            uid = board.deal("seat2")
            wait_for(lambda: _last(heard, 2) == (uid,))
            for restart in range(1, 6):
                board.do(lambda: board.breaker.strike("midframe"))
                wait_for(lambda restart=restart: mcu.health().restarts == restart, READY_WITHIN)
                mcu.wait_ready(READY_WITHIN)
                heard.drain()
                mcu.request_inventory(2)
                heard.next(Inventory, antenna=2, uids=(uid,))
            assert mcu.health().bad_frames >= 5

    def test_noise_alone_is_never_an_observation(self, heard: Heard) -> None:
        """It should make nothing of a million random bytes but a count."""
        rng = random.Random("noise")
        link = Link(Outbox(), Timing(), Counters(), 7)
        link.known = True
        found = []
        for _ in range(1000):
            found += link.feed(rng.randbytes(1000), 0.0)
        assert found == []
        assert heard.drain() == []


def _last(heard: Heard, antenna: int) -> tuple[str, ...]:
    heard.drain()
    said = [item for item in heard.all if isinstance(item, Inventory) and item.antenna == antenna]
    return said[-1].uids if said else ()


def _buttons(heard: Heard) -> list[Button]:
    heard.drain()
    return [item for item in heard.all if isinstance(item, Button)]


class TestOthersAtThePort:
    """Two openers of one port."""

    def test_the_second_is_refused_with_one_line(
        self, tmp_path: Path, heard: Heard, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It should refuse a second controller once, by one line that says who to look for, and not disturb the first."""
        with SimBoard(tmp_path) as board, driver_of(board, heard) as first:
            first.wait_ready(READY_WITHIN)
            other = Heard()
            with driver_of(board, other):
                state = other.next(DeviceState)
                assert (state.state, state.code) == ("lost", "port-busy")
                assert "fuser" in state.hint
            assert [said for said in other.drain() if isinstance(said, DeviceState)] == []
            assert first.health().connections == 1
            assert first.health().state == "ready"
        lines = [record.getMessage() for record in caplog.records if "port-busy" in record.getMessage()]
        assert lines
        assert all("\n" not in line and "another program holds the device" in line for line in lines)

    def test_a_program_that_asks_is_sent_away(self, tmp_path: Path, heard: Heard) -> None:
        """It should hold its port alone: another program that asks for the lock does not get it."""
        with SimBoard(tmp_path) as board, driver_of(board, heard) as mcu:
            mcu.wait_ready(READY_WITHIN)
            board.do(lambda: board.breaker.strike("opener", 1.0))
            assert board.breaker.intruder is not None
            assert board.breaker.intruder.refused

    def test_a_program_that_was_there_first(self, tmp_path: Path, heard: Heard) -> None:
        """It should say who stands in the way, and have the port as soon as it is free."""
        with SimBoard(tmp_path, speed=4.0) as board:
            board.do(lambda: board.breaker.strike("opener", 4.0))
            with driver_of(board, heard) as mcu:
                assert heard.next(DeviceState).code == "port-busy"
                heard.next(DeviceState, state="ready")
                assert mcu.health().state == "ready"

    def test_a_program_that_reads_bytes_away(self, tmp_path: Path, heard: Heard) -> None:
        """It should come through it, or say that the line broke and come back; no frame is made of pieces."""
        with SimBoard(tmp_path, speed=4.0) as board, driver_of(board, heard) as mcu:
            mcu.wait_ready(READY_WITHIN)
            board.do(lambda: board.breaker.strike("thief", 3600.0))
            uids = {board.deal("board") for _ in range(3)}
            thief = board.breaker.intruder
            assert thief is not None
            # the driver and the thief race for each byte: the cards move on, and the thief never rests, until he has won once
            moved = board.do(board.world.top)
            places = itertools.cycle(("seat1", "seat2"))

            def won() -> bool:
                board.do(lambda: board.world.move_card(moved, next(places), face="down"))
                until = time.monotonic() + 0.5
                while not thief.stolen and time.monotonic() < until:
                    thief.steal()
                return bool(thief.stolen) or thief.refused

            wait_for(won)
            board.do(thief.close)
            wait_for(lambda: set(_last(heard, 11)) == uids)
            states = [item for item in heard.all if isinstance(item, DeviceState)]
            assert all(state.code in DEFINED or state.state in ("ready", "found") for state in states)


# -- corrupted frames -------------------------------------------------------------------------------------------


def _samples() -> list[tuple[bytes, tuple[int, framing.Received]]]:
    """Frames that move or show something, both ways, as bytes and as what they are."""
    uid = "04A1B2C3D4E5F6"
    wanted: list[frames.Frame] = [
        frames.FeedFrame(3, 0x01020304),
        frames.ArmFrame(True),
        frames.LampFrame(4, 1, 0),
        frames.DisplayFrame(1, "Brûlez une carte"),
        frames.OrderFrame((frames.OrderEntry(0, 4, 1), frames.OrderEntry(1, 12, 0))),
        frames.BuzzFrame(200),
        frames.ScanFrame((frames.ScanEntry(1, 30),)),
        frames.ButtonFrame(1, True, 12345, 17),
        frames.ButtonFrame(16, True, 99999, 3),
        framing.split_inventory(3, 40, 5000, 100, [uid])[0],
        frames.AckFrame(900),
        frames.NakFrame(901, 4),
        HELLO,
    ]
    return [(framing.encode(frame, 700 + n), (700 + n, frame)) for n, frame in enumerate(wanted)]


def corrupt(rng: random.Random, raw: bytes) -> bytes:
    """One frame as a bad line may give it: bits flipped, bytes lost, doubled, put in, a piece of another frame."""
    out = bytearray(raw)
    how = rng.random()
    if how < 0.5:
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    elif how < 0.65:
        at = rng.randrange(len(out))
        del out[at : at + rng.randint(1, 4)]
    elif how < 0.8:
        at = rng.randrange(len(out))
        out[at:at] = rng.randbytes(rng.randint(1, 4))
    elif how < 0.9:
        at = rng.randrange(len(out))
        out[at : at + 1] = out[at : at + 1] * 2
    else:
        at = rng.randrange(1, len(out))
        out[at:] = rng.randbytes(len(out) - at)
    return bytes(out) + b"\x00"


def campaign(count: int, seed: str) -> tuple[int, int]:
    """So many corrupted frames into both decoders; gives wrong frames and refused candidates."""
    rng = random.Random(seed)
    samples = _samples()
    right = {(seq, repr(msgspec.structs.asdict(frame))) for _, (seq, frame) in samples}
    ours, theirs = framing.Decoder(), codec.Decoder()
    bodies = {(frame.kind, frame.seq, repr(frame.fields)) for raw, _ in samples for frame in _told(raw)}
    wrong = 0
    for _ in range(count):
        raw, _ = samples[rng.randrange(len(samples))]
        broken = corrupt(rng, raw)
        for seq, found in ours.feed(broken):
            if (seq, repr(msgspec.structs.asdict(found))) not in right:
                wrong += 1
        for other in theirs.feed(broken):
            if (
                not isinstance(other, codec.Frame)
                or (other.kind, other.seq, repr(other.fields)) not in bodies
            ):
                wrong += 1
    return wrong, ours.bad


def _told(raw: bytes) -> list[codec.Frame]:
    return [frame for frame in codec.Decoder().feed(raw) if isinstance(frame, codec.Frame)]


def test_corrupted_frames_move_nothing() -> None:
    """It should make no wrong frame of 100,000 corrupted ones, at either end of the line."""
    wrong, refused = campaign(100_000, "corrupted")
    assert wrong == 0
    assert refused > 90_000


@pytest.mark.faults
@pytest.mark.timeout(2400)
def test_corrupted_frames_move_nothing_in_ten_million() -> None:
    """The same with MALDONNE_CORRUPTED frames (ten million unless it says otherwise)."""
    wrong, refused = campaign(CORRUPTED, "ten million")
    assert wrong == 0
    assert refused > 0.9 * CORRUPTED


def test_the_campaign_would_see_a_wrong_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """It should count wrong frames where the check sum is not looked at."""
    monkeypatch.setattr(zlib, "crc32", lambda data: 0)
    wrong, _ = campaign(3000, "unchecked")
    assert wrong > 0


# -- a noisy line is told before it breaks ------------------------------------------------------------------------


def test_lost_peer_is_named() -> None:
    """It should end four sendings without an answer in one named error."""
    outbox = Outbox()
    link = Link(outbox, Timing(), Counters(), 1)
    link.known = True
    outbox.put(("BUZZ", 0), "buzz", frames.BuzzFrame(1))
    with pytest.raises(PeerLost, match="BUZZ"):
        for tenth in range(20):
            link.poll(tenth * 0.11, "here")


def test_clock_goes_on_over_a_pull(tmp_path: Path, heard: Heard) -> None:
    """It should never tell a time before the last, though the board's own count begins again."""
    clock = TableClock(100.0)
    with SimBoard(tmp_path, speed=10.0) as board, driver_of(board, heard, clock=clock) as mcu:
        mcu.wait_ready(READY_WITHIN)
        heard.next(DeviceState, state="ready")
        board.pull()
        heard.next(DeviceState, state="lost")
        board.put_back()
        again = heard.next(DeviceState, state="ready")
        assert again.t >= 100.0
