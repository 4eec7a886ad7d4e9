"""The hub on any laptop: what only Linux and macOS have is never imported, and no broker is needed to begin."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from selenium.webdriver.common.by import By

from tests.chromium import open_chromium

POSIX_ONLY = ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "syslog", "readline", "curses")
PROGRAM = textwrap.dedent(
    f"""
    import importlib.abc, sys

    class Windows(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {POSIX_ONLY!r}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

    for name in {POSIX_ONLY!r}:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Windows())
    from maldonne.cli import main
    sys.exit(main(sys.argv[1:]))
    """
)


@contextlib.contextmanager
def program(*arguments: str, home: Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The hub as a laptop runs it, without what only Linux and macOS have, and the lines that it says."""
    environment = {**os.environ, "HOME": str(home), "LC_ALL": "fr_FR.UTF-8"}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "hub", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as hub:
        lines: list[str] = []
        assert hub.stdout is not None
        output = hub.stdout
        reader = threading.Thread(target=lambda: lines.extend(iter(output.readline, "")))
        reader.start()
        try:
            yield hub, lines
        finally:
            hub.terminate()
            try:
                hub.wait(30)
            finally:
                hub.kill()
                reader.join()


def said(lines: list[str], word: str) -> str:
    """What follows this word, once it was said."""
    return next((line.split()[1] for line in lines if line.startswith(word)), "")


def test_the_first_start_asks_on_a_page_and_the_evening_can_begin(tmp_path: Path, wait: Callable) -> None:
    """Five answers, then sign-in, draw, clock and referee, with no broker and nothing said to be wrong."""
    with program("--port", "0", home=tmp_path) as (hub, lines):
        wait(lambda: said(lines, "setup:") or hub.poll() is not None, "it asks")
        answers = {"name": "Lyon", "tables": "2", "seats": "8", "pace": "10000 / 15", "rulebook": "ropta"}
        ready = httpx.post(said(lines, "setup:"), data=answers, timeout=15)
        assert "Lyon" in ready.text
        httpx.get(said(lines, "setup:"), timeout=15)  # as the page does that waits for the hub
        wait(lambda: said(lines, "hub:") or hub.poll() is not None, "the hub runs")
        assert hub.poll() is None, hub.stderr.read() if hub.stderr else ""
        assert not said(lines, "director:"), "whoever answered is the director already"
        with httpx.Client(base_url=said(lines, "hub:"), timeout=15) as client:
            for name, value in ready.cookies.items():
                client.cookies.set(name, value)
            floor = client.get("/?lang=fr").text
            assert "Pas de courtier" in floor
            assert 'class="banner bad alarm"' not in floor
            assert re.search(r'<span class="bad">', floor) is None
            assert client.get("/clock/main").status_code == 200
            assert client.get("/paper/main").text.count('<article class="page">') >= 1
            assert "50 / 100" in client.get("/clock/main").text
            assert "Arbitre de poche" in client.get("/referee").text
            assert client.get("/setup").status_code == 404
    assert hub.returncode == 0
    file = tmp_path / ".local" / "share" / "maldonne" / "hub" / "hub.toml"
    assert 'name = "Lyon"' in file.read_text(encoding="utf-8")
    with program("--port", "0", home=tmp_path) as (again, lines):
        wait(lambda: said(lines, "hub:") or again.poll() is not None, "the second start asks nothing")
        assert "Lyon" in httpx.get(said(lines, "hub:"), timeout=15).text
        assert not said(lines, "setup:")


@pytest.mark.system
def test_the_browser_that_answered_finds_the_room_by_itself(tmp_path: Path, wait: Callable) -> None:
    """The questions and the room are at one address: the page waits until the hub is there, and is the director's."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with program("--port", port, home=tmp_path / "home") as (hub, lines):
        browser = open_chromium(tmp_path / "profile")
        try:
            wait(lambda: said(lines, "setup:") or hub.poll() is not None, "it asks")
            browser.get(said(lines, "setup:") + "?lang=fr")
            browser.find_element(By.NAME, "name").clear()
            browser.find_element(By.NAME, "name").send_keys("Club du Rhône")
            browser.find_element(By.CSS_SELECTOR, "button.big").click()
            wait(lambda: said(lines, "hub:") or hub.poll() is not None, "the hub runs")
            assert hub.poll() is None, hub.stderr.read() if hub.stderr else ""
            wait(lambda: browser.find_elements(By.ID, "plan"), "the floor page opens by itself")
            assert "Club du Rhône" in browser.title
            assert "Pas de courtier" in browser.find_element(By.ID, "bar").text
            assert browser.find_elements(By.CSS_SELECTOR, "a[href='/clock/main']"), "as the director"
        finally:
            browser.quit()


def test_a_first_start_that_nobody_answers_ends_when_it_is_asked_to(tmp_path: Path, wait: Callable) -> None:
    with program("--port", "0", home=tmp_path) as (hub, lines):
        wait(lambda: said(lines, "setup:") or hub.poll() is not None, "it asks")
    assert hub.returncode == 0
    assert not list(tmp_path.rglob("hub.toml"))


def test_the_hub_runs_where_only_windows_modules_are(tmp_path: Path, wait: Callable) -> None:
    config = tmp_path / "hub.toml"
    config.write_text(
        '[club]\nname = "Club"\ndata = "data"\n[broker]\nport = 9\n[web]\nport = 0\n', encoding="utf-8"
    )
    command = [sys.executable, "-c", PROGRAM, "hub", "--config", str(config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as hub:
        lines: list[str] = []
        assert hub.stdout is not None
        output = hub.stdout
        reader = threading.Thread(target=lambda: lines.extend(iter(output.readline, "")))
        reader.start()
        try:
            wait(lambda: any(line.startswith("hub: ") for line in lines) or hub.poll() is not None, "it runs")
            assert hub.poll() is None, hub.stderr.read() if hub.stderr else ""
            url = next(line for line in lines if line.startswith("hub: ")).split()[1]
            assert "Arbitre de poche" in httpx.get(url + "/referee?lang=fr", timeout=15).text
            assert httpx.get(url, timeout=15).status_code == 200
        finally:
            hub.terminate()
            reader.join()
            hub.wait(20)
        assert hub.returncode == 0
