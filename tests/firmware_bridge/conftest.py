"""The scripted board and the table's queue, given to the tests and put away after them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.mcu import Mcu

sys.path.insert(0, str(Path(__file__).parent))

from scripted_board import PATIENT, Heard, Peer


@pytest.fixture
def heard() -> Iterator[Heard]:
    """The table's queue; at the end its times must have been in order."""
    listener = Heard()
    yield listener
    listener.drain()
    listener.check_order()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    """The scripted board, plugged in."""
    board = Peer(tmp_path / "board")
    yield board
    board.finish()


@pytest.fixture
def make_mcu(peer: Peer, heard: Heard) -> Iterator[Callable[..., Mcu]]:
    """Makes and starts drivers for the scripted board; closed before the board is."""
    made: list[Mcu] = []

    def make(**options: Any) -> Mcu:
        options.setdefault("timing", PATIENT)
        path = str(options.pop("path", peer.link))
        mcu = Mcu(path, 921_600, "felt", heard.out, **options)
        made.append(mcu)
        mcu.start()
        return mcu

    yield make
    for mcu in made:
        mcu.close()


@pytest.fixture
def make_peer(tmp_path: Path) -> Iterator[Callable[[str], Peer]]:
    """Makes more scripted boards."""
    made: list[Peer] = []

    def make(name: str) -> Peer:
        made.append(Peer(tmp_path / name))
        return made[-1]

    yield make
    for board in made:
        board.finish()
