"""What each antenna reads, and the guided walk: in table time, and in real Chromium with the simulator behind."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "dealer_page"))

from firmware_bridge.observations import Inventory, Tick
from hw_sim.measured_rates import read_measured
from table_controller.doctor.rates import Measuring, RatesError
from table_controller.fusion import Coverage

A, B, C = "04A1B2C3D4E5F6", "04112233445566", "04112233445577"


class Walk:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "measured_rates.json"
        self.t = 100.0
        self.measuring = self.again()

    def again(self) -> Measuring:
        return Measuring(Coverage({"1": ("seat1",), "2": ("burn", "muck")}, "felt"), self.path)

    def read(self, antenna: int, *uids: str) -> None:
        self.measuring.hear(
            Inventory(
                t=self.t, device="felt", antenna=antenna, kind="seat", index=1, uids=uids, quality=90, cycle=1
            )
        )

    def wait(self, seconds: float) -> None:
        self.t += seconds
        self.measuring.hear(Tick(t=self.t, device="table"))


def test_the_rate_is_the_share_of_the_time_since_a_tag_came(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.read(1)
    walk.wait(30.0)
    walk.read(1, A)
    walk.wait(6.0)
    walk.read(1)
    walk.wait(2.0)
    (row,) = walk.measuring.rows()
    assert (row.antenna, row.places, row.present) == ("felt:1", ("seat1",), 0)
    assert row.rate == pytest.approx(0.75)
    walk.wait(20.0)
    assert walk.measuring.rows()[0].rate is None


def test_a_tag_on_two_antennas_is_said_without_its_name(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.read(1, A, B)
    walk.read(2, B)
    walk.wait(1.0)
    seat, burn = walk.measuring.rows()
    assert (seat.present, seat.elsewhere) == (2, ("burn", "muck"))
    assert (burn.present, burn.elsewhere) == (1, ("seat1",))
    assert A not in repr(walk.measuring.rows()) and B not in repr(walk.measuring.rows())


def test_the_walk_is_measured_in_ten_seconds_and_kept(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.read(1, A, B)
    walk.wait(5.0)
    walk.measuring.measure("felt:1", "two")
    walk.wait(4.0)
    row = walk.measuring.rows()[0]
    assert (row.busy, row.left) == ("two", 6.0)
    with pytest.raises(RatesError, match="another step"):
        walk.measuring.measure("felt:1", "one")
    walk.read(1, A)
    walk.wait(4.0)
    walk.read(1, A, B)
    walk.wait(2.0)
    row = walk.measuring.rows()[0]
    assert row.busy == "" and row.measured == {"two": 0.2}
    assert json.loads(walk.path.read_text()) == {"measured": {"seat1": {"two": 0.2}}}
    walk.measuring = walk.again()
    walk.read(1, A)
    assert walk.measuring.rows()[0].measured == {"two": 0.2}
    assert read_measured(walk.path).centre == 0.01


def test_nothing_there_is_all_missed_and_a_third_card_does_not_count_for_two(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.read(1)
    walk.measuring.measure("felt:1", "metal")
    walk.wait(10.0)
    walk.read(1, A, B, C)
    walk.measuring.measure("felt:1", "two")
    walk.wait(10.0)
    assert walk.measuring.rows()[0].measured == {"metal": 1.0, "two": 0.0}


@pytest.mark.parametrize(("antenna", "step"), [("felt:9", "one"), ("felt:x", "one"), ("felt:1", "four")])
def test_what_cannot_be_measured(tmp_path: Path, antenna: str, step: str) -> None:
    walk = Walk(tmp_path)
    walk.read(1, A)
    with pytest.raises(RatesError):
        walk.measuring.measure(antenna, step)


def test_a_disk_that_does_not_take_it_is_said(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.path.mkdir()
    walk.read(1, A)
    walk.measuring.measure("felt:1", "one")
    walk.wait(10.0)
    assert walk.measuring.trouble is not None
    assert walk.measuring.rows()[0].measured == {"one": 0.0}
