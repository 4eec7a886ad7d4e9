"""The real reader driver with the real nfcpy, against the simulated PN532 on a pty."""

import logging
import os
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted_board import Heard, open_files

from firmware_bridge import errors
from firmware_bridge.card_reader import CardReader, ReaderSettings, ReaderTiming
from firmware_bridge.clock import TableClock
from firmware_bridge.observations import DeviceState, Inventory
from firmware_bridge.pn532 import Pn532 as Driver
from firmware_bridge.pn532 import check_path
from hw_sim.pn532 import Pad, Pn532, ReaderFaults

A, B, FOUR, TEN = "04A1B2C3D4E5F6", "04112233445566", "DEADBEEF", "04112233445566778899"
BRISK = ReaderTiming(interval=0.002, window=0.1, repeat=0.15, backoff_first=0.02, backoff_most=0.1)
DEADLINE = 20.0

Plug = Callable[..., Pn532]
Take = Callable[..., CardReader]


@pytest.fixture
def pad() -> Pad:
    """What lies on the reader."""
    return Pad(A)


@pytest.fixture
def plug(tmp_path: Path, pad: Pad) -> Iterator[Plug]:
    """Plugs in simulated readers; at the end none was asked anything it does not know."""
    made: list[Pn532] = []

    def plug(name: str = "desk", **options: object) -> Pn532:
        chip = Pn532(tmp_path / name, options.pop("tags", pad), seed="reader", **options)  # type: ignore[arg-type]
        made.append(chip)
        chip.start()
        return chip

    yield plug
    for chip in made:
        chip.close()
        assert chip.counts.unknown == []
        assert chip.counts.refused == []


@pytest.fixture
def take(heard: Heard, tmp_path: Path) -> Iterator[Take]:
    """Makes and starts drivers; closed before the readers are."""
    made: list[CardReader] = []

    def take(name: str = "desk", *, timing: ReaderTiming = BRISK, **options: object) -> CardReader:
        path = str(options.pop("path", tmp_path / name))
        settings = ReaderSettings(name, path, **options)  # type: ignore[arg-type]
        made.append(CardReader(settings, heard.out, timing=timing))
        made[-1].start()
        return made[-1]

    yield take
    for reader in made:
        reader.close()


class TestReading:
    """What lies on a reader, told as levels."""

    def test_desk(self, plug: Plug, take: Take, heard: Heard, pad: Pad) -> None:
        """It should say that it is ready, and tell each tag that is laid down, then that none is there."""
        plug()
        reader = take()
        assert heard.next(DeviceState).state == "ready"
        said = heard.next(Inventory)
        assert (said.device, said.antenna, said.kind, said.index) == ("desk", 0, "unknown", 0)
        assert (said.uids, said.quality) == ((A,), 100)
        pad.clear()
        heard.next(Inventory, uids=())
        pad.put(FOUR)
        heard.next(Inventory, uids=(FOUR,))
        pad.clear()
        pad.put(TEN)
        heard.next(Inventory, uids=(TEN,))
        health = reader.health()
        assert (health.state, health.code, health.firmware) == ("ready", "", "PN532v1.6")
        assert (health.connections, health.failed, health.quality) == (1, 0, 100)
        assert health.reads > 4
        assert health.last_seen is not None

    def test_zone_of_two_cards(self, plug: Plug, take: Take, heard: Heard, pad: Pad) -> None:
        """It should read two cards at once, and name the place that the configuration gave it."""
        plug()
        pad.put(B)
        take(targets=2, antenna=7, kind="seat", index=3)
        said = heard.next(Inventory)
        assert (said.antenna, said.kind, said.index, said.uids) == (7, "seat", 3, tuple(sorted((A, B))))
        pad.take(A)
        assert heard.next(Inventory, uids=(B,)).quality > 0

    def test_time_is_the_tables(self, plug: Plug, heard: Heard, tmp_path: Path) -> None:
        """It should stamp what it reads with the time last told at the table, as it has no clock of its own."""
        plug()
        clock = TableClock(12.5)
        settings = ReaderSettings("desk", str(tmp_path / "desk"))
        with CardReader(settings, heard.out, clock=clock, timing=BRISK):
            assert heard.next(DeviceState).t == 12.5
            assert heard.next(Inventory).t == 12.5

    def test_flicker_is_a_level_of_middling_quality(
        self, plug: Plug, take: Take, heard: Heard, pad: Pad
    ) -> None:
        """It should keep two cards that come as 2, 1, 0 in every level, and never tell that one is gone."""
        plug(faults=ReaderFaults(flicker=True))
        pad.put(B)
        # a window that a busy machine cannot sleep through
        take(targets=2, timing=ReaderTiming(interval=0.002, window=5.0, repeat=0.05))
        both = tuple(sorted((A, B)))
        heard.next(Inventory, uids=both)
        levels = [heard.next(Inventory) for _ in range(12)]
        assert {level.uids for level in levels} == {both}
        assert 40 <= levels[-1].quality <= 60

    def test_still_card_is_read_every_time(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should let the field rest between reads, so that a tag that was read answers the next time too."""
        chip = plug()
        take(targets=2)
        for _ in range(4):
            assert heard.next(Inventory).quality == 100
        assert chip.counts.commands["InListPassiveTarget"] > 20

    def test_merged_ghost_is_told_like_any_tag(self, plug: Plug, take: Take, heard: Heard, pad: Pad) -> None:
        """It should tell a UID that does not exist: no error came with it, and only the table knows its tags."""
        plug(faults=ReaderFaults(merge=1.0))
        pad.clear()
        pad.put("04000000095D5F")
        pad.put("04000000095830")
        take(targets=2)
        heard.next(Inventory, uids=("04000000095D7F",))

    def test_cut_uid_is_no_uid(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should count the first half of a UID as a read that failed, not as a tag."""
        chip = plug(faults=ReaderFaults(cut=1.0))
        take(targets=2)
        heard.next(DeviceState, state="degraded")
        chip.set_faults(ReaderFaults())
        said = heard.next(Inventory)
        assert said.uids == (A,)

    def test_two_readers_never_mix(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should never tell a tag of one reader at another, while both read at once."""
        plug("left", tags=Pad(A, FOUR))
        plug("right", tags=Pad(B, TEN))
        take("left", targets=2)
        take("right", targets=2)
        for _ in range(6):
            heard.next(Inventory, device="left")
            heard.next(Inventory, device="right")
        seen = {
            name: {
                uid
                for said in heard.all
                if isinstance(said, Inventory) and said.device == name
                for uid in said.uids
            }
            for name in ("left", "right")
        }
        assert seen == {"left": {A, FOUR}, "right": {B, TEN}}

    def test_asked_for(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should tell the level when it is asked for, though nothing changed."""
        plug()
        reader = take(timing=ReaderTiming(interval=0.002, window=30.0, repeat=60.0))
        heard.next(Inventory)
        reader.request_inventory()
        first = heard.next(Inventory)
        assert first.uids == (A,)

    def test_no_uid_in_any_log(
        self, plug: Plug, take: Take, heard: Heard, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It should keep UIDs out of the log, also where everything is logged."""
        caplog.set_level(logging.DEBUG)
        chip = plug()
        take()
        heard.next(Inventory, uids=(A,))
        chip.provoke("bad_checksum", 2)
        heard.next(DeviceState, state="degraded")
        chip.unplug()
        heard.next(DeviceState, state="lost")
        assert "desk is lost" in caplog.text
        assert A not in caplog.text.upper()
        assert A not in repr(heard.all)

    def test_timed_reader(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should read as well when wire and field take their time."""
        plug(timed=True)
        take(targets=2)
        assert heard.next(Inventory).uids == (A,)
        assert heard.next(Inventory).quality == 100


class TestOpening:
    """Ports that are absent, held, or not what they should be."""

    @pytest.mark.parametrize(
        "path",
        [
            "ttyUSB0",
            "",
            "/dev/tty USB0",
            "/dev/x;touch {}",
            "/dev/$(id)",
            "/dev/`id`",
            "/dev/a|b",
            "/dev/%s",
            "/dev/x\ny",
            "/dev/é",
            "/dev/x'",
            '/dev/x"',
            "/dev/*",
            "/dev/~",
            "/dev/x&",
        ],
    )
    def test_path_for_a_shell_is_refused(self, path: str, heard: Heard, tmp_path: Path) -> None:
        """It should refuse a path that nfcpy's shell would read as something else, before anything runs."""
        path = path.format(tmp_path / "touched")
        with pytest.raises(errors.BadCommand) as refused:
            CardReader(ReaderSettings("desk", path), heard.out)
        assert refused.value.code == "reader-path"
        with pytest.raises(errors.BadCommand):
            Driver.open(path)
        assert not (tmp_path / "touched").exists()

    @pytest.mark.parametrize(
        "path",
        [
            "/dev/ttyUSB0",
            "/dev/serial/by-id/usb-1a86_USB2.0-Serial-if00-port0",
            "/dev/serial/by-path/platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.4:1.0-port0",
        ],
    )
    def test_paths_of_devices_are_taken(self, path: str) -> None:
        """It should take the names that the system gives."""
        check_path(path)

    def test_targets(self, heard: Heard) -> None:
        """It should not promise more tags than the chip can read."""
        with pytest.raises(errors.BadCommand, match="3 targets"):
            CardReader(ReaderSettings("desk", "/dev/ttyUSB0", targets=3), heard.out)

    def test_reader_that_is_not_there_and_comes(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should say once that nothing is plugged in, and take the reader up when it comes."""
        reader = take()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "port-absent")
        assert state.hint
        with pytest.raises(errors.NotReady, match="port-absent"):
            reader.wait_ready(0)
        plug()
        assert heard.next(DeviceState).state == "ready"
        reader.wait_ready(DEADLINE)

    def test_reader_held_by_another_program(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should say that another program has the reader, and never read it at the same time."""
        chip = plug()
        other = Driver.open(str(chip.path))
        try:
            take()
            state = heard.next(DeviceState)
            assert (state.state, state.code) == ("lost", "port-busy")
        finally:
            other.close()
        heard.next(DeviceState, state="ready")

    def test_something_else_at_the_port(self, take: Take, heard: Heard, tmp_path: Path, plug: Plug) -> None:
        """It should say once that no PN532 answers, though it tries again and again."""
        master, slave = os.openpty()
        tty.setraw(slave)
        link = tmp_path / "desk"
        link.symlink_to(os.ttyname(slave))
        reader = take()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "reader-missing")
        until = time.monotonic() + DEADLINE
        got = b""
        while got.count(b"\xd4\x02\x2a") < 3:
            assert time.monotonic() < until, "it did not try again"
            got += os.read(master, 4096)
        link.unlink()
        plug()
        assert heard.next(DeviceState).state == "ready"
        reader.close()
        os.close(master)
        os.close(slave)

    @pytest.mark.parametrize("baud", [230400, 460800, 921600])
    def test_chip_left_at_another_speed(self, plug: Plug, take: Take, heard: Heard, baud: int) -> None:
        """It should call a chip back that its last program left at another speed, and asleep or not."""
        chip = plug()
        chip.chip.baud = baud
        chip.chip.asleep = baud == 460800
        take()
        assert heard.next(DeviceState).state == "ready"
        assert heard.next(Inventory).uids == (A,)

    def test_chip_left_inside_a_command(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should end the command that a chip is still busy with."""
        chip = plug()
        first = Driver.open(str(chip.path))
        chip.provoke("stall", command=0x4A)
        first._frontend.device.chipset.command(0x4A, b"\x02\x00", -1)
        first._port.close()  # as a killed program leaves it
        take()
        assert heard.next(DeviceState).state == "ready"
        assert chip.counts.aborted == 1

    def test_everything_is_closed(self, plug: Plug, take: Take, heard: Heard) -> None:
        """It should leave no file open and no thread running, and the chip at its first speed and asleep."""
        chip = plug()
        before = open_files()
        reader = take()
        heard.next(Inventory)
        reader.start()
        reader.close()
        reader.close()
        assert open_files() == before
        assert (chip.chip.baud, chip.chip.asleep) == (115200, True)
