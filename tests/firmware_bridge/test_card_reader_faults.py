"""Everything that nfcpy was seen to throw: each becomes a state with a code and a hint, and the reader comes back."""

import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nfc.clf
import pytest
from nfc.clf.pn53x import Chipset
from scripted_board import Heard, open_files

from firmware_bridge import pn532
from firmware_bridge.card_reader import CLOSE_WITHIN, CardReader, ReaderSettings, ReaderTiming
from firmware_bridge.device_errors import ReaderFailing
from firmware_bridge.errors import DEFINED, Unplugged
from firmware_bridge.observations import DeviceState, Inventory
from firmware_bridge.pn532 import Pn532 as Driver
from hw_sim.pn532 import Pad, Pn532

A = "04A1B2C3D4E5F6"
BRISK = ReaderTiming(interval=0.002, window=0.1, repeat=0.15, backoff_first=0.02, backoff_most=0.1)
RF, LIST, READ = 0x32, 0x4A, 0x06


@pytest.fixture
def chip(tmp_path: Path) -> Iterator[Pn532]:
    """A simulated reader with one tag on it."""
    with Pn532(tmp_path / "desk", Pad(A), seed="faults") as chip:
        yield chip


@pytest.fixture
def driver(chip: Pn532) -> Iterator[Driver]:
    """The reader, open."""
    driver = Driver.open(str(chip.path))
    yield driver
    driver.close()


@pytest.fixture
def reader(chip: Pn532, heard: Heard) -> Iterator[CardReader]:
    """The driver's thread on it, ready."""
    with CardReader(ReaderSettings("desk", str(chip.path), targets=2), heard.out, timing=BRISK) as reader:
        heard.next(DeviceState, state="ready")
        yield reader


class TestOneRead:
    """One exchange that goes wrong is one failed read, and the next is whole again."""

    @pytest.mark.parametrize(
        ("fault", "command", "what"),
        [
            ("no_ack", RF, "no acknowledgement"),
            ("no_ack", LIST, "no acknowledgement"),
            ("short_frame", RF, "half-way"),
            ("bad_checksum", LIST, "broken frame"),
            ("error_frame", LIST, "syntax"),
            ("stall", RF, "in time"),
        ],
    )
    @pytest.mark.parametrize("targets", [1, 2])
    def test_fault_of_the_line(
        self, chip: Pn532, driver: Driver, fault: str, command: int, what: str, targets: int
    ) -> None:
        """It should name the failure in words and read well right after it."""
        read = driver.read_one if targets == 1 else driver.read_two
        chip.provoke(fault, command=command)
        with pytest.raises(ReaderFailing, match=what):
            read()
        assert read() == (A,)
        assert chip.counts.faults == {fault: 1}

    @pytest.mark.parametrize(("fault", "what"), [("stall", "in time"), ("short_frame", "half-way")])
    def test_list_that_is_not_answered(self, chip: Pn532, driver: Driver, fault: str, what: str) -> None:
        """It should end a read that the chip never answers, or half, within the second that it is given."""
        chip.provoke(fault, command=LIST)
        with pytest.raises(ReaderFailing, match=what):
            driver.read_two()
        assert driver.read_two() == (A,)
        assert chip.counts.aborted == (fault == "stall")

    @pytest.mark.parametrize(
        "thrown",
        [
            OSError(5, "Input/output error"),
            IndexError("list index out of range"),
            AssertionError("less than 16 byte"),
            ValueError("not enough values to unpack"),
            nfc.clf.UnsupportedTargetError("no"),
            nfc.clf.TransmissionError("no"),
            nfc.clf.TimeoutError("no"),
            Chipset.Error(0x0B, "Protocol error during RF communication"),
        ],
        ids=lambda thrown: type(thrown).__qualname__,
    )
    def test_every_kind_of_exception(
        self, driver: Driver, thrown: Exception, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should take each kind of exception of nfcpy as a failed read."""

        def sense(*targets: Any, **options: Any) -> None:
            raise thrown

        monkeypatch.setattr(driver._frontend, "sense", sense)
        with pytest.raises(ReaderFailing) as failed:
            driver.read_one()
        assert failed.value.__cause__ is thrown
        assert (failed.value.what != "", failed.value.where) == (True, driver.path)

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "01",
            "0101",
            "010100440007",
            "010100440007" + A[:12],
            "0201004400" + "07" + A,
            "01010044000704",
            "00ff",
        ],
    )
    def test_list_that_stops_or_runs_on(
        self, driver: Driver, answer: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should not make tags out of an answer whose length is wrong."""
        chipset = driver._frontend.device.chipset
        whole = chipset.command

        def command(code: int, data: bytes, timeout: float) -> bytearray:
            return bytearray.fromhex(answer) if code == LIST else whole(code, data, timeout)

        monkeypatch.setattr(chipset, "command", command)
        with pytest.raises(ReaderFailing):
            driver.read_two()

    @pytest.mark.parametrize(
        ("answer", "uids"),
        [
            ("00", []),
            ("0101004420" + "07" + A + "0578807002", [A]),
            ("0201004420" + "07" + A + "0578807002" + "02000408" + "04DEADBEEF", [A, "DEADBEEF"]),
            ("0201004400" + "07" + A + "02004400" + "07" + A, [A]),
        ],
        ids=["none", "with an answer to select", "the first with one", "one twice"],
    )
    def test_lists_of_targets(
        self, driver: Driver, answer: str, uids: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should find the UIDs in every form of the list, each once."""
        chipset = driver._frontend.device.chipset
        whole = chipset.command

        def command(code: int, data: bytes, timeout: float) -> bytearray:
            return bytearray.fromhex(answer) if code == LIST else whole(code, data, timeout)

        monkeypatch.setattr(chipset, "command", command)
        assert driver.read_two() == tuple(sorted(uids))

    def test_unplug_is_not_a_failed_read(self, chip: Pn532, driver: Driver) -> None:
        """It should tell a pulled cable from a bad read, and close what is left without a word."""
        chip.unplug()
        with pytest.raises(Unplugged, match="the line broke"):
            for _ in range(3):
                try:
                    driver.read_two()
                except ReaderFailing:
                    continue

    def test_close_after_unplug(self, chip: Pn532, tmp_path: Path) -> None:
        """It should close the port though nfcpy's own closing fails, with termios.error at that."""
        before = open_files()
        driver = Driver.open(str(chip.path))
        chip.unplug()
        with pytest.raises(termios.error):
            driver._frontend.device.close()
        driver.close()
        driver.close()
        # the simulated reader's own two ends are closed by the unplug
        assert open_files() == before - 2

    def test_write_that_nobody_takes_has_a_deadline(self, chip: Pn532, driver: Driver) -> None:
        """It should give its port a deadline for writing too, which nfcpy does not."""
        assert driver._port.tty.write_timeout == 1.0
        assert driver._port.tty.exclusive is True


class TestThread:
    """What the table is told of it."""

    def test_degraded_then_ready(self, chip: Pn532, reader: CardReader, heard: Heard) -> None:
        """It should say that the reader works badly after two failures in a row, and well after ten good reads."""
        chip.provoke("bad_checksum", 1, command=LIST)
        until = time.monotonic() + 20.0
        while reader.health().failed == 0:
            heard.next(Inventory)
            assert time.monotonic() < until
        heard.next(Inventory)
        assert [said.state for said in heard.all if isinstance(said, DeviceState)] == ["ready"]
        chip.provoke("bad_checksum", 3, command=LIST)
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("degraded", "reader-failing")
        assert state.hint == DEFINED["reader-failing"].hint
        assert "broken frame" in state.detail
        assert heard.next(DeviceState).state == "ready"
        assert reader.health().failed == 4
        assert reader.health().connections == 1

    @pytest.mark.parametrize("fault", ["no_ack", "short_frame", "bad_checksum", "error_frame"])
    def test_too_many_failures_open_it_anew(
        self, chip: Pn532, reader: CardReader, heard: Heard, fault: str
    ) -> None:
        """It should close a reader that only fails, say why, and be ready again once it answers."""
        chip.provoke(fault, 5, command=RF)
        heard.next(DeviceState, state="degraded")
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "reader-failed")
        assert "5 reads in a row" in state.detail
        assert state.hint
        assert heard.next(DeviceState).state == "ready"
        assert reader.health().connections == 2
        heard.next(Inventory, uids=(A,))

    def test_many_pulls(self, chip: Pn532, reader: CardReader, heard: Heard) -> None:
        """It should say that the reader is gone, take it back at another terminal, and leak nothing, 25 times."""
        heard.next(Inventory)
        opened = {open_files()}
        for _ in range(25):
            chip.unplug()
            state = heard.next(DeviceState, state="lost")
            assert state.code in ("unplugged", "port-absent", "reader-failed")
            chip.plug()
            heard.next(DeviceState, state="ready")
            heard.next(Inventory, uids=(A,))
            opened.add(open_files())
        assert len(opened) == 1
        assert reader.health().connections == 26

    def test_close_while_the_chip_does_not_answer(
        self, chip: Pn532, reader: CardReader, heard: Heard
    ) -> None:
        """It should end within its deadline though the chip is silent."""
        chip.provoke("stall", 50)
        heard.next(DeviceState, state="degraded")
        reader.close()
        assert CLOSE_WITHIN == 5.0
        assert reader.health().state == "degraded"

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_fault_of_the_program_is_told_before_it_is_loud(
        self, chip: Pn532, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should not keep a fault of its own quiet, and close the port all the same."""

        def broken(self: Driver) -> tuple[str, ...]:
            raise TypeError("a fault of ours")

        monkeypatch.setattr(pn532.Pn532, "read_one", broken)
        with CardReader(ReaderSettings("desk", str(chip.path)), heard.out, timing=BRISK):
            state = heard.next(DeviceState, state="lost")
        assert state.code == "driver-failed"
        assert "a fault of ours" in state.detail

    def test_library_that_is_missing(
        self, chip: Pn532, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should say what to install where nfcpy cannot be loaded."""
        monkeypatch.setattr(
            pn532, "LIBRARY_ERROR", OSError("libusb-1.0.so.0: cannot open shared object file")
        )
        with CardReader(ReaderSettings("desk", str(chip.path)), heard.out, timing=BRISK):
            state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "reader-library")
        assert "libusb" in state.detail
        assert "install" in state.hint


def test_every_error_of_readers_and_panel_has_its_row() -> None:
    """It should explain each code in both languages, within the one table."""
    from firmware_bridge import device_errors

    rows = [row for row in DEFINED.values() if row.code.startswith(("reader-", "gpio-", "button-"))]
    assert len(rows) == 11
    for row in rows:
        assert len({row.what, row.hint, row.what_fr, row.hint_fr}) == 4
    kinds: list[Callable[..., Any]] = [
        each for each in vars(device_errors).values() if isinstance(each, type) and hasattr(each, "code")
    ]
    codes = {kind.__dict__["code"] for kind in kinds if "code" in kind.__dict__}  # type: ignore[attr-defined]
    assert {row.code for row in rows} <= codes
