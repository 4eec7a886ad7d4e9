"""``maldonne demo`` as a user runs it."""

from __future__ import annotations

import re
import signal
import urllib.request

import psutil
import pytest


def family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


@pytest.mark.timeout(180)
def test_hands_are_played_counted_and_nothing_is_left(tmp_path, program, wait_until):
    demo = program("demo", "--tables", "2", "--hands", "2", "--no-web", log=tmp_path / "log")
    wait_until(lambda: len(psutil.Process(demo.process.pid).children()) >= 3, "broker and tables run")
    everybody = family(psutil.Process(demo.process.pid))
    wait_until(lambda: demo.process.poll() is not None, "the demo ends by itself", 120)
    assert demo.end() == 0, demo.said()
    assert "2 tables, 4 hands" in demo.said()
    assert "4 hands of 4" in demo.said()
    wait_until(lambda: not any(one.is_running() for one in everybody), "everything has ended")


@pytest.mark.timeout(180)
def test_ctrl_c_leaves_nothing_running(tmp_path, program, wait_until):
    demo = program("demo", "--tables", "1", "--speed", "10", log=tmp_path / "log")
    wait_until(lambda: "new hand" in demo.said(), "a hand is played", 60)
    page = re.search(r"http://\S+", demo.said())
    assert page is not None
    with urllib.request.urlopen(f"{page.group(0)}/?lang=fr", timeout=10) as answer:
        text = answer.read().decode()
    assert "Table 1" in text
    everybody = family(psutil.Process(demo.process.pid))
    assert len(everybody) >= 3
    demo.process.send_signal(signal.SIGINT)
    wait_until(lambda: demo.process.poll() is not None, "the demo ends", 30)
    assert demo.end() == 0
    wait_until(lambda: not any(one.is_running() for one in everybody), "everything has ended")
