"""What can be told to a running table, one line each: faults, slips, neglect, how cards lie. Also the words of a scenario.

    faults                        what is broken now
    fault miss=0.1,metal@seat3    set faults, mend them (miss=0), let events happen (unplug)
    strike unplug 2.5             an event, for so many seconds
    slip expose:7                 a slip of the running hand, or of the next
    slips 0.02                    slips of every hand from the next on (a rate or a plan; `none`)
    neglect lifted=0.3            what people neglect from now on (`usual`, `none`)
    cover seat3 metal             how the cards of a place lie: centre edge metal hand flicker held
    slide seat3                   somebody slides them into the middle
    square seat3, spread seat3    squares the cards of a place on one another, spreads them
    status                        hand, time, faults

A table that runs by itself listens on the socket `control` in its directory; `maldonne sim --tell` speaks to it.

Does not model: several people who tell it things at once; lines are taken one after the other.
"""

import contextlib
import os
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, get_args

from hw_sim.errors import ConfigError, SimError
from hw_sim.faults import EVENTS, Faults
from hw_sim.neglect import Neglect
from hw_sim.slips import Slips
from hw_sim.world import CARD_PLACES, NO_ANTENNA, Spot

if TYPE_CHECKING:
    from hw_sim.bench import Bench

NAME: Final = "control"
PATIENCE_S: Final = 10.0
_LONGEST: Final = 4096
_SPOTS: Final = get_args(Spot)
_PLACES: Final = tuple(place for place in CARD_PLACES if place not in NO_ANTENNA)


@dataclass(frozen=True)
class Cue:
    """One line of a scenario, told at a virtual time or when a hand begins.

    Attributes:
        at: Virtual seconds; None where a hand says when.
        hand: The hand's number; 0 where a time says when.
    """

    tell: str
    at: float | None = None
    hand: int = 0

    def __post_init__(self) -> None:
        check(self.tell)
        if (self.at is None) is (self.hand < 1) or (self.at is not None and self.at < 0):
            raise ConfigError(f"{self.tell!r} has no moment", hint="either at = seconds or hand = number")


def check(line: str) -> tuple[str, list[str]]:
    """Take a line apart and see that it can be obeyed.

    Raises:
        ConfigError: No such command, or something in it that does not exist.
    """
    verb, *rest = line.split() or [""]
    wanted = {
        "cover": 2,
        "slide": 1,
        "square": 1,
        "spread": 1,
        "fault": 1,
        "slip": 1,
        "slips": 1,
        "neglect": 1,
    }
    if verb not in (*wanted, "faults", "strike", "status"):
        raise ConfigError(f"nobody can be told {line!r}", hint="see docs/simulator.md")
    if verb == "strike":
        if not rest or rest[0] not in EVENTS:
            raise ConfigError(f"{line!r}: no event", hint=", ".join(EVENTS))
        _seconds(rest[1:], line)
    elif len(rest) != wanted.get(verb, 0):
        raise ConfigError(f"{line!r}: {wanted.get(verb, 0)} words after {verb}", hint="no blanks in a list")
    elif verb == "fault":
        Faults.parse(rest[0])
    elif verb in ("slip", "slips"):
        plan(rest[0])
        if verb == "slip" and plan(rest[0]).rate:
            raise ConfigError(f"{line!r}: a slip has a name", hint="expose:7, double_burn:flop, extra")
    elif verb == "neglect":
        Neglect().changed(rest[0])
    elif verb in ("cover", "slide", "square", "spread") and rest[0] not in _PLACES:
        raise ConfigError(f"{line!r}: no antenna reads cards at {rest[0]}", hint=", ".join(_PLACES))
    if verb == "cover" and rest[1] not in _SPOTS:
        raise ConfigError(f"{line!r}: no card lies so", hint=", ".join(_SPOTS))
    return verb, rest


def _seconds(words: list[str], line: str) -> float | None:
    if not words:
        return None
    try:
        seconds = float(words[0])
    except ValueError:
        seconds = -1.0
    if len(words) > 1 or not 0.0 <= seconds <= 3600.0:
        raise ConfigError(f"{line!r}: for how long?", hint="seconds, 0 to 3600")
    return seconds


def plan(text: str, seed: str = "", tells: float = 1.0) -> Slips:
    """The slips that a text means; `none` for nobody slips.

    Raises:
        ConfigError: An unknown slip, or one without its place.
    """
    return Slips("" if text == "none" else text, seed, tells=tells)


class Commands:
    """Obeys lines at one bench, in the bench's own thread."""

    def __init__(self, bench: "Bench") -> None:
        self._bench = bench

    def obey(self, line: str) -> str:
        """Do what a line says; gives what there is to answer.

        Raises:
            ConfigError: It makes no sense; nothing was done.
        """
        verb, rest = check(line)
        bench = self._bench
        table, lying = bench.table, bench.lying
        if verb == "faults":
            return str(bench.breaker.faults) or "none"
        if verb == "status":
            hand = table.hand.label if table.hand is not None else "between hands"
            return f"t={bench.agenda.now:.1f} {hand} faults: {str(bench.breaker.faults) or 'none'}"
        if verb == "fault":
            return str(bench.breaker.change(rest[0])) or "none"
        if verb == "strike":
            bench.breaker.strike(rest[0], _seconds(rest[1:], line))
            return rest[0]
        if verb == "slip":
            table.slip_soon(plan(rest[0]).of_hand(1, 2))
            return rest[0]
        if verb == "slips":
            table.slips = plan(rest[0], bench.config.seed, table.slips.tells)
            bench.truth.add(bench.agenda.now, "slips_set", plan=rest[0])
            return rest[0]
        if verb == "neglect":
            table.neglect = table.neglect.changed(rest[0])
            bench.truth.add(bench.agenda.now, "neglect_set", set=str(table.neglect))
            return str(table.neglect) or "none"
        place = rest[0]
        if verb == "cover":
            spot: Spot = rest[1]  # type: ignore[assignment]
            return f"{lying.cover(place, spot)} cards"
        if verb == "slide":
            return f"{lying.slide(place)} cards"
        bench.world.square(place, verb == "square")
        bench.truth.add(bench.agenda.now, "squared" if verb == "square" else "spread", at=place)
        return f"{len(bench.world.cards(place))} cards"


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for a socket's path that is short enough for one, however deep its directory lies."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        here = Path(f"/proc/self/fd/{folder}")
        yield str(here / path.name) if here.exists() else str(path)
    finally:
        os.close(folder)


class Control:
    """Listens on a socket and lets each line be obeyed. A context manager, with a thread of its own.

    Args:
        path: Where the socket lies.
        obey: Does what a line says, and gives the answer; SimError for what cannot be done.
    """

    def __init__(self, path: Path, obey: Callable[[str], str]) -> None:
        """Begin to listen.

        Raises:
            OSError: No socket can lie there.
        """
        self.path = path
        self._obey = obey
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            with _short(path) as name:
                self._server.bind(name)
            path.chmod(0o600)
            self._server.listen()
        except OSError:
            self._server.close()
            raise
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up and end the thread."""
        os.write(self._wake_write, b"!")
        self._thread.join()
        self._server.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._server, selectors.EVENT_READ)
            ready.register(self._wake_read, selectors.EVENT_READ)
            while True:
                if any(key.fd == self._wake_read for key, _ in ready.select()):
                    return
                client, _ = self._server.accept()
                with client, contextlib.suppress(OSError):
                    client.settimeout(PATIENCE_S)
                    self._serve(client)

    def _serve(self, client: socket.socket) -> None:
        with client.makefile("r", encoding="utf-8", errors="replace") as lines:
            line = lines.readline(_LONGEST).strip()
        try:
            answer = "ok " + self._obey(line)
        except SimError as error:
            answer = f"error {error}"
        client.sendall(answer.encode() + b"\n")


def tell(path: Path, line: str) -> str:
    """Tell a line to the table that listens on a socket; gives its answer.

    Raises:
        SimError: Nobody listens there, or the line could not be obeyed.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(PATIENCE_S)
        try:
            with _short(path) as name:
                client.connect(name)
            client.sendall(line.encode() + b"\n")
            with client.makefile("r", encoding="utf-8") as lines:
                word, _, answer = lines.readline(_LONGEST).strip().partition(" ")
        except OSError as error:
            raise SimError(
                f"no simulated table listens: {error}",
                where=str(path),
                hint="start it: maldonne sim --config F",
            ) from error
    if word != "ok":
        raise ConfigError(answer or "no answer", where=str(path))
    return answer
