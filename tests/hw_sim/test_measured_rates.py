"""The file of the guided walk, read by the simulator."""

import json
from pathlib import Path
from typing import Any

import pytest

from hw_sim.antennas import Rates
from hw_sim.config import read_config
from hw_sim.errors import ConfigError
from hw_sim.measured_rates import read_measured


def write(folder: Path, measured: Any) -> Path:
    path = folder / "measured_rates.json"
    path.write_text(json.dumps({"measured": measured}))
    return path


def test_what_was_measured_counts_and_the_rest_is_assumed(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"seat1": {"one": 0.02, "two": 0.10, "metal": 0.9}, "seat2": {"one": 0.04, "hand": 0.2}},
    )
    rates = read_measured(path)
    assert rates.centre == pytest.approx(0.03)
    assert rates.overlapped == pytest.approx(0.08)
    assert (rates.metal, rates.hand) == (0.9, 0.2)
    assert rates.edge == Rates.typical().edge
    assert rates.missing("centre", "seat2", False) == 0.04
    assert rates.missing("centre", "seat9", False) == pytest.approx(0.03)
    assert read_measured(write(tmp_path, {}), Rates()) == Rates()


@pytest.mark.parametrize(
    "measured", [{"seat1": {"one": 1.2}}, {"seat1": {"four": 0.1}}, {"seat1": 3}, [], {"seat1": {"one": "x"}}]
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, measured: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read_measured(write(tmp_path, measured))
    assert caught.value.where.endswith("measured_rates.json")
    with pytest.raises(ConfigError):
        read_measured(tmp_path / "none.json")


def test_a_configuration_names_the_file_of_the_walk(tmp_path: Path) -> None:
    write(tmp_path, {"seat1": {"one": 0.25}})
    sim = tmp_path / "sim.toml"
    text = "rates = 'measured_rates.json'\n[random]\nplayers = 3\nstack = 5000\nsmall_blind = 50\nbig_blind = 100\n"
    sim.write_text(text)
    assert read_config(sim).rates.centre == 0.25
    sim.write_text(text.replace("measured_rates.json", "dirty"))
    with pytest.raises(ConfigError, match="dirty"):
        read_config(sim)
