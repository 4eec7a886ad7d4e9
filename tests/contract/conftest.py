"""Gives every contract test its device, simulated and, where one is named, real."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "firmware_bridge"))

from rigs import VARIABLES, Rig, rig_of
from scripted_board import Heard


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test of a module on the kinds that it names in `KINDS`, each simulated and real."""
    if "rig" in metafunc.fixturenames:
        kinds = getattr(metafunc.module, "KINDS", tuple(VARIABLES))
        cases = [(kind, real) for kind in kinds for real in (False, True)]
        ids = [f"{'real' if real else 'simulated'} {kind}" for kind, real in cases]
        metafunc.parametrize("rig", cases, ids=ids, indirect=True)


@pytest.fixture(scope="session")
def libraries() -> None:
    """Load what keeps a thread for ever once it is loaded, before a test counts its threads."""
    import os

    if os.environ.get(VARIABLES["panel"]):
        import gpiozero.pins.lgpio  # noqa: F401


@pytest.fixture
def heard() -> Iterator[Heard]:
    """The table's queue; at the end its times must have been in order."""
    listener = Heard()
    yield listener
    listener.drain()
    listener.check_order()


@pytest.fixture
def rig(request: pytest.FixtureRequest, libraries: None, tmp_path: Path) -> Iterator[Rig]:
    """The device under test."""
    kind, real = request.param
    with rig_of(kind, real, tmp_path) as rig:
        yield rig
