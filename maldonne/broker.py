"""A broker of our own for the demo, a one-laptop club and the tests: mosquitto if installed, else the embedded one.

It listens on 127.0.0.1 only and ends with the program that started it. A club's real broker is a service of its
own: `deploy/mosquitto.conf` and `deploy/acl`.

What the embedded one (iotcore) lacks: accounts and topic rights, persistence (after a restart everything retained
is gone until its sender connects again), the retain flag on messages to those already subscribed, and more than
100 retained messages for someone who subscribes late.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from maldonne.errors import CommandError

HOST: Final = "127.0.0.1"
START_DEADLINE_S: Final = 15.0
STOP_DEADLINE_S: Final = 5.0

Kind = Literal["mosquitto", "iotcore"]

#: Who may do what on a club's broker. The account of a table is its id. `deploy/acl` is this text.
ACL: Final = """\
# Rights on the broker of one club. The account of a table has the table's id as its name; `hub` is the tournament
# room, `display` every screen that only shows. Accounts: mosquitto_passwd /etc/mosquitto/maldonne.passwd <name>
#
# `+` stands for the club: one broker serves one club. Where two clubs share a broker write the club's id instead.

user hub
topic readwrite maldonne/1/+/#

# The patterns below hold for every account; what is denied here comes first.
user display
topic deny maldonne/1/+/table/#
topic deny maldonne/1/+/hub/#
topic deny maldonne/1/+/tournament/#
topic read maldonne/1/+/public/#

# A table says what it is and what happened, under its own name only.
pattern write maldonne/1/+/table/%u/birth
pattern write maldonne/1/+/table/%u/state
pattern write maldonne/1/+/table/%u/event
pattern write maldonne/1/+/table/%u/heartbeat
pattern write maldonne/1/+/table/%u/request/+
pattern write maldonne/1/+/table/%u/reply/+
# It sees what the broker says of it, so that it can contradict, and clears its own old alerts.
pattern readwrite maldonne/1/+/table/%u/status
pattern readwrite maldonne/1/+/table/%u/alert/+

# It reads what the hub wants of it, and what all tables may know.
pattern read maldonne/1/+/table/%u/desired
pattern read maldonne/1/+/table/%u/command/+
pattern read maldonne/1/+/table/%u/response/+
pattern read maldonne/1/+/hub/ack/%u
pattern read maldonne/1/+/hub/status
pattern read maldonne/1/+/tournament/#
"""

#: What keeps messages and is the same in a club and here; the reasons stand in `deploy/mosquitto.conf`.
MOSQUITTO_SETTINGS: Final = """\
persistence true
autosave_interval 1
max_queued_messages 100000
max_inflight_messages 200
message_size_limit 16384
max_packet_size 20480
set_tcp_nodelay true
retain_available true
check_retain_source true
allow_zero_length_clientid false
"""

_IOTCORE = """\
id = 0
[router]
id = 0
max_connections = 2000
max_outgoing_packet_count = 200
max_segment_size = 104857600
max_segment_count = 10
[v5.1]
name = "v5"
listen = "{host}:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 60000
max_payload_size = 20480
max_inflight_count = 100
dynamic_filters = true
"""

# CONNECT of MQTT 5 with a fresh session, to see whether somebody answers as a broker does.
_CONNECT: Final = b"\x10\x18\x00\x04MQTT\x05\x02\x00\x0a\x00\x00\x0bmaldonne-up"
_CONNACK: Final = 0x20


class BrokerError(CommandError):
    """There is no broker, or it did not start."""

    code = "broker"


class Broker:
    """A broker in a process of its own.

    Args:
        kind: Which one.
        directory: Where it keeps its files; removed at `stop` when the caller gave none.
        port: Its port on 127.0.0.1.
        users: Accounts and passwords (mosquitto only); without them everybody on this machine may connect.
    """

    def __init__(
        self,
        kind: Kind,
        directory: Path,
        port: int,
        users: Mapping[str, str] | None = None,
        *,
        temporary: bool = False,
    ) -> None:
        self.kind: Kind = kind
        self.host = HOST
        self.port = port
        self.directory = directory
        self._temporary = temporary
        self._command = (
            _mosquitto(directory, port, users) if kind == "mosquitto" else _iotcore(directory, port)
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Its process, None when it does not run."""
        return self._process.pid if self._process is not None and self.is_running else None

    def start(self, deadline_s: float = START_DEADLINE_S) -> None:
        """Starts it, also again after `stop` or `kill`, and waits until it answers.

        Raises:
            BrokerError: It ended at once, or does not answer in time; with its last words.
        """
        if self.is_running:
            return
        if _in_use(self.port):
            raise BrokerError(
                f"port {self.port} is in use",
                hint="choose another with --broker-port, or stop what runs there",
            )
        with (self.directory / "broker.log").open("ab") as log:
            process = subprocess.Popen(
                [*_ends_with_us(), *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                start_new_session=True,  # Ctrl-C is for us; the broker goes last
            )
        self._process = process
        until = time.monotonic() + deadline_s
        while time.monotonic() < until:
            if _answers(self.port):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
                self._process = None
                raise BrokerError(
                    f"{self.kind} ended at once: {self._last_words()}",
                    hint=f"see {self.directory}/broker.log",
                )
        self.kill()
        raise BrokerError(
            f"{self.kind} did not answer within {deadline_s:g} s", hint=f"see {self.directory}/broker.log"
        )

    def stop(self) -> None:
        """Ends it, at once if it does not go by itself, and removes its files when they were only lent."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(STOP_DEADLINE_S)
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def kill(self) -> None:
        """Ends it like a power cut would: it writes nothing any more."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait(STOP_DEADLINE_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _last_words(self) -> str:
        text = (self.directory / "broker.log").read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " / ".join(lines[-3:])[-400:] or "it said nothing"


def available() -> Kind:
    """Which broker this machine has; mosquitto is preferred.

    Raises:
        BrokerError: Neither.
    """
    if find_mosquitto() is not None:
        return "mosquitto"
    if importlib.util.find_spec("iotcore") is not None:
        return "iotcore"
    raise BrokerError(
        "there is no broker on this machine", hint="sudo apt install mosquitto, or pip install iotcore"
    )


def find_mosquitto() -> str | None:
    """Where mosquitto is; Debian puts it where a user's PATH does not look."""
    return shutil.which(
        "mosquitto", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    )


def start_broker(
    port: int = 0,
    *,
    kind: Kind | None = None,
    directory: Path | None = None,
    users: Mapping[str, str] | None = None,
) -> Broker:
    """Starts a broker on 127.0.0.1 and waits until it answers.

    Args:
        port: The port; 0 takes a free one.
        kind: Which broker; None takes mosquitto if installed, else the embedded one.
        directory: Where it keeps its files; None: a directory that goes with it.
        users: Accounts and their passwords; the rights are those of `ACL`. The embedded broker has none.

    Returns:
        The running broker: `stop()` it, or use it as a context manager.

    Raises:
        BrokerError: It cannot be started.
    """
    kind = kind if kind is not None else available()
    if users and kind != "mosquitto":
        raise BrokerError("the embedded broker has no accounts", hint="sudo apt install mosquitto")
    attempts = 1 if port else 5
    for attempt in range(attempts):
        place = directory if directory is not None else Path(tempfile.mkdtemp(prefix="maldonne-broker-"))
        place.mkdir(parents=True, exist_ok=True)
        broker = Broker(kind, place, port or _free_port(), users, temporary=directory is None)
        try:
            broker.start()
        except BrokerError:
            broker.stop()
            if attempt == attempts - 1:
                raise
        else:
            return broker
    raise BrokerError("no free port was found")


# ------------------------------------------------------------------ inside


def _mosquitto(directory: Path, port: int, users: Mapping[str, str] | None) -> list[str]:
    program = find_mosquitto()
    if program is None:
        raise BrokerError("mosquitto is not installed", hint="sudo apt install mosquitto")
    lines = [MOSQUITTO_SETTINGS, f"listener {port} {HOST}", f"persistence_location {directory}/"]
    lines += [
        "log_dest stderr",
        "log_type error",
        "log_type warning",
        "log_type notice",
        "connection_messages false",
    ]
    if os.geteuid() == 0:
        lines.append("user root")  # else it would change to an account that may not read its directory
    if users:
        accounts, rights = directory / "passwords", directory / "acl"
        rights.write_text(ACL, encoding="utf-8")
        _write_accounts(accounts, users)
        lines += ["allow_anonymous false", f"password_file {accounts}", f"acl_file {rights}"]
    else:
        lines.append("allow_anonymous true")
    config = directory / "mosquitto.conf"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [program, "-c", str(config)]


def _write_accounts(path: Path, users: Mapping[str, str]) -> None:
    """mosquitto_passwd hashes a plain file in place, so that no password stands on a command line."""
    program = shutil.which("mosquitto_passwd")
    if program is None:
        raise BrokerError("mosquitto_passwd is not installed", hint="sudo apt install mosquitto")
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}:{password}\n" for name, password in users.items()), encoding="utf-8")
    done = subprocess.run(
        [program, "-U", str(path)], capture_output=True, timeout=STOP_DEADLINE_S * 2, check=False
    )
    if done.returncode != 0:
        raise BrokerError(
            f"the accounts could not be written: {done.stderr.decode(errors='replace').strip()}"
        )


def _iotcore(directory: Path, port: int) -> list[str]:
    if importlib.util.find_spec("iotcore") is None:
        raise BrokerError("the embedded broker is not installed", hint="pip install iotcore")
    config = directory / "iotcore.toml"
    config.write_text(_IOTCORE.format(host=HOST, port=port), encoding="utf-8")
    return [sys.executable, "-P", "-m", "iotcore", "--config", str(config), "--log-level", "CRITICAL"]


def _ends_with_us() -> list[str]:
    """Makes the kernel end the broker when we are gone, also when we were killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def _in_use(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=1.0):
            return True
    except OSError:
        return False


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=1.0) as line:
            line.sendall(_CONNECT)
            answer = line.recv(1)
            return bool(answer) and answer[0] == _CONNACK
    except OSError:
        return False
