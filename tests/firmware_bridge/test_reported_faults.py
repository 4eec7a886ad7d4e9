"""Faults that others have reported in public, tried on these drivers: each test carries the row of the list of reports.

Row 10: a card that is "present" every second poll (miguelbalboa/rfid 437), one left asleep by a noisy reply (ESPuino 448).
Row 11: the UID of one reader reported on another (PN5180-Library 31, OpenRFID 26).
Row 12: a lost serial reply freezes the start for ever (mpf 2036), nothing comes back after a loss (mpf 1905).
Row 13: a resend loop (OctoPi 463), two readers on one port (pyserial 86, OctoPrint 1603).
Row 14: a board that drops and comes back under another name, retransmits climb first (klipper 3599, 1919), a stall (2312).
Row 15: presses dropped by debouncing, a release lost in the kernel (gpiozero 1039, 550; lg 18).
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scripted_board import Heard, Peer
from sim_board import SimBoard, pause, wait_for

from firmware_bridge import frames
from firmware_bridge.card_reader import CardReader, ReaderSettings, ReaderTiming
from firmware_bridge.debounce import ContactTiming
from firmware_bridge.device_errors import ReaderFailing
from firmware_bridge.errors import DEFINED
from firmware_bridge.link import Timing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import Button, CommandRefused, DeviceState, Inventory, Shoe
from firmware_bridge.panel import Panel, PanelSettings, PanelTiming
from firmware_bridge.pn532 import Pn532 as Driver
from firmware_bridge.ports import find_port
from firmware_bridge.reading import Reading
from hw_sim.gpio import Header, Pins
from hw_sim.pn532 import Pad, Pn532, ReaderFaults
from table_controller.fusion.presses import Presses

A, B = "04A1B2C3D4E5F6", "0400112233445F"
POLLS = 10_000
KILLS = int(os.environ.get("MALDONNE_KILLS", "3"))
RESTARTS = int(os.environ.get("MALDONNE_RESTARTS", "100"))
BRISK = ReaderTiming(interval=0.002, window=0.1, repeat=0.15, backoff_first=0.02, backoff_most=0.1)
NOT_LATE = Timing(degraded=60.0, lost=60.0)


def removed(levels: list[tuple[str, ...]], uid: str) -> int:
    """How often a tag that had been told was no longer in the next level."""
    return sum(uid in before and uid not in after for before, after in itertools.pairwise(levels))


# -- row 10 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("faults", "tags"),
    [
        (ReaderFaults(flicker=True), (A,)),
        (ReaderFaults(flicker=True), (A, B)),
        (ReaderFaults(halt=0.2), (A,)),
        (ReaderFaults(miss=0.2), (A, B)),
    ],
    ids=["every second poll", "two cards as 2, 1, 0", "left asleep", "one read in five"],
)
def test_row_10_a_still_card_is_never_removed(
    tmp_path: Path, faults: ReaderFaults, tags: tuple[str, ...]
) -> None:
    """It should tell no removal in 10,000 polls of still cards, by the real library and the real chip's commands."""
    reading, levels, now = Reading(), [], 0.0
    with Pn532(tmp_path / "zone", Pad(*tags), faults=faults, seed="row 10") as chip:
        driver = Driver.open(str(chip.path))
        try:
            for _ in range(POLLS if faults.flicker and len(tags) == 1 else POLLS // 5):
                now += 0.05
                try:
                    read: tuple[str, ...] | None = driver.read_two()
                except ReaderFailing:
                    # a busy machine: the driver's thread takes it for a read without anything as well
                    read = None
                level = reading.take(now, read)
                if level is not None:
                    levels.append(level.uids)
        finally:
            driver.close()
    settled = levels[levels.index(tuple(sorted(tags))) :]
    assert len(settled) > 50
    assert [removed(settled, uid) for uid in tags] == [0] * len(tags)


def test_row_10_a_card_left_asleep_is_read_again_without_lifting_it(tmp_path: Path, heard: Heard) -> None:
    """It should find a tag that went to sleep on a noisy reply by itself, for it switches the field off between reads."""
    with (
        Pn532(tmp_path / "zone", Pad(A), seed="row 10") as chip,
        CardReader(ReaderSettings("zone", str(chip.path), targets=2), heard.out, timing=BRISK),
    ):
        heard.next(Inventory, uids=(A,))
        chip.set_faults(ReaderFaults(halt=1.0))
        heard.next(Inventory, uids=())
        chip.set_faults(ReaderFaults())
        heard.next(Inventory, uids=(A,))


# -- row 11 ------------------------------------------------------------------------------------------------------


def test_row_11_no_uid_of_one_reader_is_told_by_another(tmp_path: Path, heard: Heard) -> None:
    """It should never tell A's card at B, though B's own is at the rim of its field and often not read."""
    with (
        Pn532(tmp_path / "a", Pad(A), seed="row 11 a") as left,
        Pn532(tmp_path / "b", Pad(B), faults=ReaderFaults(miss=0.7, halt=0.2), seed="row 11 b") as right,
        CardReader(ReaderSettings("left", str(left.path), antenna=1), heard.out, timing=BRISK) as one,
        CardReader(ReaderSettings("right", str(right.path), antenna=2), heard.out, timing=BRISK) as other,
    ):
        wait_for(lambda: min(one.health().reads, other.health().reads) >= 300)
    heard.drain()
    told: dict[str, set[str]] = {"left": set(), "right": set()}
    for said in heard.all:
        if isinstance(said, Inventory):
            told[said.device] |= set(said.uids)
            assert said.antenna == {"left": 1, "right": 2}[said.device]
    assert told == {"left": {A}, "right": {B}}


def test_row_11_a_board_that_repeats_a_uid_is_told_as_it_is(tmp_path: Path, heard: Heard) -> None:
    """It should hand a UID at two antennas on as two, each at its own: the conflict is for the table to see and to hold."""
    with SimBoard(tmp_path, faults="echo=1", speed=4.0) as board, _driver(board, heard):
        uid = board.deal("seat1")
        assert heard.next(Inventory, antenna=2, uids=(uid,)).index == 2
        wait_for(lambda: _level(heard, 1) == (uid,))


def _level(heard: Heard, antenna: int) -> tuple[str, ...]:
    heard.drain()
    said = [item for item in heard.all if isinstance(item, Inventory) and item.antenna == antenna]
    return said[-1].uids if said else ()


def _driver(board: SimBoard, heard: Heard, *, device: bool = False, **more: Any) -> Mcu:
    path = board.line.device if device else board.line.path
    return Mcu(str(path), 921_600, "felt", heard.out, by_id=board.by_id, **more)


# -- row 12 ------------------------------------------------------------------------------------------------------
# (each lost reply of the start: test_line_faults.test_one_lost_frame_at_any_step_of_the_start)


def test_row_12_a_driver_killed_in_the_middle_of_a_message_comes_back(tmp_path: Path) -> None:
    """It should be ready within 5 s, 100 times, after a driver that went without a word in the midst of the board's frame."""
    rng = random.Random("row 12")
    slowest = 0.0
    with SimBoard(tmp_path, faults="ghost=0.5", speed=20.0) as board:
        for _ in range(RESTARTS):
            heard = Heard()
            with _driver(board, heard) as mcu:
                began = time.monotonic()
                mcu.wait_ready(5.0)
                slowest = max(slowest, time.monotonic() - began)
            # what a kill leaves: part of a frame taken, part of one sent, no goodbye
            dead = os.open(board.line.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(dead, bytes([rng.randrange(1, 256) for _ in range(rng.randrange(1, 12))]))
            wait_for(lambda dead=dead: _took(dead, rng.randrange(1, 9)))
            os.close(dead)
    assert slowest < 5.0


PROGRAM = """
import queue, sys
from firmware_bridge.mcu import Mcu
with Mcu(sys.argv[1], 921600, "felt", queue.SimpleQueue()) as mcu:
    mcu.wait_ready(20)
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_row_12_a_killed_program_leaves_the_port_usable(tmp_path: Path) -> None:
    """It should be ready within 5 s after the whole program was killed while the board spoke to it."""
    root = Path(__file__).parents[2]
    with SimBoard(tmp_path, faults="ghost=0.5", speed=20.0) as board:
        for _ in range(KILLS):
            with subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(board.line.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": str(root)},
            ) as program:
                assert program.stdout is not None
                assert program.stdout.readline() == "ready\n"
                program.kill()
            with _driver(board, Heard()) as mcu:
                began = time.monotonic()
                mcu.wait_ready(5.0)
                assert time.monotonic() - began < 5.0


def _took(descriptor: int, count: int) -> bool:
    try:
        return len(os.read(descriptor, count)) > 0
    except BlockingIOError:
        return False


# -- row 13 ------------------------------------------------------------------------------------------------------


def test_row_13_a_broken_frame_whose_answer_is_late_ends_in_no_loop(tmp_path: Path, heard: Heard) -> None:
    """It should be in step again within 1 s of the noise's end, with the newest colour shown, and send no old one again."""
    with SimBoard(tmp_path) as board, _driver(board, heard, timing=NOT_LATE) as mcu:
        mcu.wait_ready(5.0)
        heard.next(DeviceState, state="ready")
        board.do(lambda: board.breaker.change("late_reply=1,crc_flip=0.3"))
        for colour in (1, 2, 3, 4) * 5:
            mcu.set_lamp(1, colour)
            pause(0.02)
        wait_for(lambda: mcu.health().resends > 0)
        board.do(lambda: board.breaker.change("late_reply=0,crc_flip=0"))
        mcu.set_lamp(1, "green")
        shown = wait_for(lambda: board.do(lambda: board.mcu.panel.lamps.get(1)) == (3, 0))
        wait_for(lambda: mcu.idle)
        resends = mcu.health().resends
        for _ in range(3):
            pause(0.15)
        assert mcu.health().resends == resends
        assert board.do(lambda: board.mcu.panel.lamps.get(1)) == (3, 0)
    # a busy machine may hold the processes up, the promise itself is a second
    assert shown < 5.0


def test_row_13_an_answer_to_an_older_frame_is_none_to_the_newer(
    peer: Peer, make_mcu: Any, heard: Heard
) -> None:
    """It should not take the late answer to a frame that it gave up for one to the frame that followed."""
    subject = make_mcu()
    peer.greet()
    subject.set_display(1, "one")
    first, _ = peer.expect(frames.DisplayFrame(1, "one"), answer=False)
    peer.expect_repeat(first, times=3)
    assert heard.next(DeviceState, state="lost").code == "peer-lost"
    shown = (frames.DisplayFrame(1, "one"),)
    peer.ack(first)
    peer.greet(shown=shown)
    subject.set_display(1, "two")
    second, _ = peer.expect(frames.DisplayFrame(1, "two"), answer=False)
    peer.ack(first)
    peer.expect_repeat(second)
    peer.ack(second)


def test_row_13_a_second_program_is_refused(tmp_path: Path, heard: Heard) -> None:
    """It should refuse a second instance at the port by its lock, and the first should go on."""
    with SimBoard(tmp_path) as board, _driver(board, heard) as mcu:
        mcu.wait_ready(5.0)
        other = Heard()
        with _driver(board, other):
            assert other.next(DeviceState).code == "port-busy"
        assert (mcu.health().state, mcu.health().connections) == ("ready", 1)


# -- row 14 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [False, True], ids=["stable path", "kernel's own name"])
def test_row_14_a_board_that_comes_back_under_another_name_deals_no_card_twice(
    tmp_path: Path, heard: Heard, device: bool
) -> None:
    """It should say that the board is gone, find it by its serial number, and never repeat a feed by itself."""
    with SimBoard(tmp_path, shoe=True, speed=4.0) as board, _driver(board, heard, device=device) as mcu:
        mcu.wait_ready(5.0)
        fed: list[int] = []
        for number in range(1, 7):
            connections = mcu.health().connections
            mcu.arm(True)
            wait_for(lambda: board.do(lambda: board.mcu.shoe is not None and board.mcu.shoe.armed))
            mcu.feed(number, number)
            fed.append(number)
            if number % 2 == 0:
                # the cable goes while the card is on its way, the board comes back as ttyACM1, 2, 3
                wait_for(lambda number=number: board.do(lambda: len(_steps(board))) >= number)
                board.pull()
                lost = heard.next(DeviceState, state="lost")
                assert lost.code in ("unplugged", "port-absent")
                board.put_back(renamed=True)
                wait_for(
                    lambda seen=connections: (
                        mcu.health().connections > seen and mcu.health().state in ("ready", "degraded")
                    ),
                    5.0,
                )
                board.do(_unjam(board))
            else:
                heard.next(Shoe, state="ready", command_id=number)
        steps = board.do(lambda: list(_steps(board)))
    assert steps == [(number, number) for number in fed]
    refused = [said for said in heard.all if isinstance(said, CommandRefused)]
    assert all(said.command == "FEED" and said.reason == "connection-lost" for said in refused)


def _steps(board: SimBoard) -> list[tuple[int, int]]:
    assert board.mcu.shoe is not None
    steps: list[tuple[int, int]] = board.mcu.shoe.steps
    return steps


def _unjam(board: SimBoard) -> Any:
    """Somebody opens the shoe's door and closes it."""

    def open_the_door() -> None:
        assert board.mcu.shoe is not None
        board.mcu.shoe.jammed = False

    return open_the_door


def test_row_14_another_board_at_the_old_name_is_not_taken_for_it(tmp_path: Path, heard: Heard) -> None:
    """It should follow the serial number when another device has got the old name."""
    board, other = tmp_path / "one", tmp_path / "other"
    with SimBoard(board, serial="SIM-0001") as first, _driver(first, heard, device=True) as mcu:
        mcu.wait_ready(5.0)
        first.pull()
        heard.next(DeviceState, state="lost")
        with SimBoard(other, serial="SIM-0002") as second:
            # the other board is plugged in first and gets the name that has become free
            assert second.line.device is not None
            (board / "ttyACM0").symlink_to(second.line.device)
            first.put_back(renamed=True)
            heard.next(DeviceState, state="ready")
            wait_for(lambda: mcu.health().serial == "SIM-0001", 5.0)
            assert Path(find_port(mcu.path, "SIM-0001", first.by_id)).name.startswith("usb-maldonne")
        mcu.close()


def test_row_14_a_stall_of_600_ms_changes_nothing(tmp_path: Path, heard: Heard) -> None:
    """It should lose neither the board nor a card when the board says nothing for 600 ms."""
    with SimBoard(tmp_path) as board, _driver(board, heard) as mcu:
        mcu.wait_ready(5.0)
        heard.next(DeviceState, state="ready")
        uid = board.deal("seat1")
        wait_for(lambda: _level(heard, 1) == (uid,))
        board.do(lambda: pause(0.6))
        more = board.deal("seat1")
        wait_for(lambda: set(_level(heard, 1)) == {uid, more})
        states = [said.state for said in heard.all if isinstance(said, DeviceState)]
        assert "lost" not in states
        assert mcu.health().connections == 1
        assert not [
            said for said in heard.all if isinstance(said, Inventory) and said.uids == () and said.cycle > 3
        ]


def test_row_14_rising_retransmits_are_told_before_the_line_is_lost(tmp_path: Path, heard: Heard) -> None:
    """It should say that the line is noisy while it still works, with what to look at, and take it back when it is well."""
    timing = Timing(degraded=60.0, lost=60.0, noisy_within=3.0, resends=6)
    with SimBoard(tmp_path, speed=2.0) as board, _driver(board, heard, timing=timing) as mcu:
        mcu.wait_ready(5.0)
        heard.next(DeviceState, state="ready")
        board.do(lambda: board.breaker.change("drop_frame=0.3,crc_flip=0.2,ghost=0.5"))
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("degraded", "line-noisy")
        assert state.hint == DEFINED["line-noisy"].hint
        assert "sent again" in state.detail
        board.do(lambda: board.breaker.change("drop_frame=0,crc_flip=0,ghost=0"))
        assert heard.next(DeviceState).state == "ready"
        assert mcu.health().connections == 1


# -- row 15 ------------------------------------------------------------------------------------------------------

FOLD = 4
ONE_BUTTON = PanelSettings("panel", buttons={1: FOLD})


@pytest.fixture
def header() -> Iterator[Header]:
    """The pins of a simulated Pi 5 in the place of this machine's own."""
    header = Header("pi5")
    with Pins(header):
        yield header


def _contact(**times: float) -> PanelTiming:
    return PanelTiming(contact=msgspec.structs.replace(ContactTiming(calm=0.2), **times), reread=0.02)


def _presses(heard: Heard) -> list[bool]:
    heard.drain()
    return [said.pressed for said in heard.all if isinstance(said, Button)]


def test_row_15_a_press_shorter_than_the_debounce_and_the_next_are_two(header: Header, heard: Heard) -> None:
    """It should make one action of a press of 0.1 s with a debounce of 1 s, and one of the next press."""
    with Panel(ONE_BUTTON, heard.out, timing=_contact(debounce=1.0)) as panel:
        panel.wait_ready(20.0)
        header.play(FOLD, [(0.0, 0), (0.1, None)])
        wait_for(lambda: _presses(heard) == [True, False])
        header.play(FOLD, [(0.0, 0)])
        wait_for(lambda: _presses(heard) == [True, False, True])
        header.release(FOLD)
        wait_for(lambda: _presses(heard) == [True, False, True, False])
        assert panel.health().presses == 2
        assert panel.health().out_of_order == ()


def test_row_15_a_burst_of_twenty_edges_is_one_press_and_no_hold(header: Header, heard: Heard) -> None:
    """It should make one action of a burst of 20 edges, more than the kernel keeps, and hold nothing afterwards."""
    with Panel(ONE_BUTTON, heard.out, timing=_contact()) as panel:
        panel.wait_ready(20.0)
        burst: list[tuple[float, int | None]] = [
            (0.0005 * edge, 0 if edge % 2 == 0 else None) for edge in range(20)
        ]
        header.play(FOLD, [*burst, (0.010, 0), (0.15, None)])
        wait_for(lambda: _presses(heard) == [True, False])
        pause(0.3)
        assert _presses(heard) == [True, False]
        assert panel.health().out_of_order == ()


def test_row_15_a_press_that_chatters_a_thousand_times_a_second_is_one(header: Header, heard: Heard) -> None:
    """It should make one action of a contact that chatters at 1 kHz for 0.15 s before it stays closed."""
    with Panel(ONE_BUTTON, heard.out, timing=_contact()) as panel:
        panel.wait_ready(20.0)
        chatter: list[tuple[float, int | None]] = [
            (0.0005 * edge, 0 if edge % 2 == 0 else None) for edge in range(300)
        ]
        header.play(FOLD, [*chatter, (0.15, 0), (0.35, None)])
        wait_for(lambda: _presses(heard)[-1:] == [False])
        pause(0.2)
        assert _presses(heard) == [True, False]
        assert panel.health().presses == 1


@pytest.mark.parametrize("fault", ["bounce", "chatter"])
def test_row_15_a_board_that_does_not_debounce_still_presses_once(
    tmp_path: Path, heard: Heard, fault: str
) -> None:
    """It should hand on every level in order without a gap; of them the table makes one press."""
    with SimBoard(tmp_path, faults=f"{fault}=1") as board, _driver(board, heard, timing=NOT_LATE) as mcu:
        mcu.wait_ready(5.0)
        heard.next(DeviceState, state="ready")
        presses, taken = Presses(("CHECK",)), []
        # what was pressed before the program knew the board is not counted, so let its time begin
        wait_for(lambda: _seconds(heard) > 1.0)
        edges = 6 if fault == "bounce" else 300
        for _ in range(3):
            before = len(_presses(heard))
            board.do(lambda: board.mcu.press("CHECK"))
            wait_for(lambda before=before: len(_presses(heard)) == before + edges)
            pause(0.3)
        for said in heard.all:
            if isinstance(said, DeviceState) and said.state == "ready":
                presses.ready(said.device, said.t)
            elif isinstance(said, Button):
                assert not said.gap
                taken.append(presses.feed(said))
        assert [press.button for press in taken if press is not None] == ["CHECK"] * 3


def _seconds(heard: Heard) -> float:
    heard.drain()
    return heard.all[-1].t if heard.all else 0.0
