"""The hub is killed at random points, again and again: nothing is lost, nothing counts twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tournament_hub.store import Store

STACKS = {1: 20000, 4: 18000}
PROGRAM = """
import sys
from pathlib import Path
from tournament_hub.hub import run
sys.exit(run(Path(sys.argv[1])))
"""


class Process:
    """The real program, in a process of its own."""

    def __init__(self, config: Path) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(config)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self._child.stdout.readline() if self._child.stdout else ""
        if not line.startswith("hub: http://127.0.0.1:"):
            self.kill()
            raise AssertionError(f"the hub did not start: {line!r}")

    def kill(self) -> None:
        os.kill(self._child.pid, signal.SIGKILL)
        self._child.communicate(timeout=10)

    def terminate(self) -> tuple[int, str]:
        self._child.send_signal(signal.SIGTERM)
        _, errors = self._child.communicate(timeout=15)
        return self._child.returncode, errors


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_random_points_every_result_counts_once(
    mosquitto: Any, voices: Callable, tmp_path: Path, wait: Callable, seed: int
) -> None:
    config = tmp_path / "hub.toml"
    config.write_text(
        f'[club]\nid = "test"\ndata = "data"\n[broker]\nport = {mosquitto.port}\n[web]\nport = 0\n[tables.t1]\n'
    )
    rng = random.Random(seed)
    table = voices()
    table.say()
    for _ in range(5):
        hub = Process(config)
        before = table.acked
        burst = [payload for _ in range(rng.randrange(5, 40)) for payload in table.stream.play_hand(STACKS)]
        wanted = before + rng.randrange(1, len(burst))
        table.send(*burst)
        table.send(*rng.choices(table.stream.payloads, k=10))
        # A table's heartbeat tells a hub that came too late what it has missed.
        wait(lambda wanted=wanted: (table.beat(), table.acked >= wanted)[1], "some of it is acknowledged")
        hub.kill()
    hub = Process(config)
    wait(lambda: (table.beat(), table.acked >= table.stream.seq)[1], "all of it is acknowledged")
    code, errors = hub.terminate()
    assert (code, errors) == (0, "")
    store = Store(tmp_path / "data" / "hub.sqlite3")
    try:
        assert store.payloads("t1", table.stream.life) == table.stream.payloads
        assert store.hands("t1") == list(range(1, table.stream.hand + 1))
        assert store.alarms() == []
        assert store.epoch == 7  # six starts, and this one
        assert store.rebuild() == table.stream.seq
    finally:
        store.close()
