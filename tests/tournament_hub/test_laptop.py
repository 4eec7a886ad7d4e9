"""The hub on any laptop: what only Linux and macOS have is never imported, and no broker is needed to begin."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import httpx

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
