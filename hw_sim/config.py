"""What a simulated table is: antennas, way of playing, seeds, stakes; and the file that says so.

Does not model: nothing is simulated here.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from hw_sim.antennas import Antenna, Rates
from hw_sim.betting import Game
from hw_sim.control import Cue, plan
from hw_sim.errors import ConfigError
from hw_sim.faults import Faults
from hw_sim.mcu import BUTTONS, Board
from hw_sim.measured_rates import read_measured
from hw_sim.motions import Habits
from hw_sim.neglect import Neglect
from hw_sim.play import Manners
from hw_sim.script import HandSource, PhhHands, Positions, RandomHands, Stakes, phh_files
from hw_sim.slips import Slips
from hw_sim.world import SEATS, Piles


@dataclass(frozen=True)
class Layout:
    """Which antennas a table has, and how it is played on them."""

    antennas: tuple[Antenna, ...]
    manners: Manners


def antennas_for(
    seats: Sequence[int] = SEATS, *, chips: bool = True, uncovered: Sequence[str] = (), bank: bool = False
) -> tuple[Antenna, ...]:
    """One antenna for each place: deck 0, seats by number, board 11, burn 12, muck 13, bets from 21, stacks
    from 31, pot 41, bank 42; the uncovered places are left out."""
    places = {0: "deck", **{seat: f"seat{seat}" for seat in seats}, 11: "board", 12: "burn", 13: "muck"}
    if chips:
        places |= {20 + seat: f"bet{seat}" for seat in seats} | {30 + seat: f"stack{seat}" for seat in seats}
        places[41] = "pot"
        if bank:
            places[42] = "bank"
    return tuple(Antenna(number, (place,)) for number, place in places.items() if place not in uncovered)


def layout(name: str, manners: Manners | None = None) -> Layout:
    """A table by name: `chips+cards`, `cards` (words pressed, no chips) or `seven` (of ten seats covered).

    Args:
        name: Which antennas.
        manners: How it is played, None for what is usual on such a table.

    Raises:
        ConfigError: No table is called so.
    """
    words = Manners(betting="words", chips=False)
    if name == "chips+cards":
        return Layout(antennas_for(), manners or Manners())
    if name == "cards":
        return Layout(antennas_for(chips=False), manners or words)
    if name == "seven":
        uncovered = ("seat8", "seat9", "seat10")
        return Layout(antennas_for(chips=False, uncovered=uncovered), manners or words)
    raise ConfigError(f"no table is called {name!r}", hint="chips+cards, cards or seven")


@dataclass(frozen=True)
class Mqtt:
    """Where the controller finds its broker, for table.toml."""

    host: str = "127.0.0.1"
    port: int = 1883
    club: str = "demo"
    table: str = "table-1"


@dataclass(frozen=True)
class BenchConfig:
    """Everything that makes one simulated table.

    Attributes:
        directory: Where the controller's files and truth.jsonl go.
        source: What the people play.
        stacks: Chips of each seat when the table opens.
        game: Stakes and places of the first hand, for table.toml.
        layout: Antennas and way of playing.
        seed: Everything random comes from it.
        speed: Virtual seconds a real second, 0 as fast as the other end follows.
        amounts: Sums that must be payable in chips (blinds, antes, record bets), beyond the stacks.
        most_chips: The most that will ever lie on the table, if more than the first stacks.
        denominations: Chips to use, None to choose them from the amounts.
        decks: Names of the decks and bytes of their UIDs; two are a named pair that take turns.
        slips: What goes wrong by itself.
        neglect: What people leave undone.
        scenario: What is told to the table at given moments (`hw_sim.control`).
        page: Takes what somebody types on the dealer's page, as an event of the contract; None: nobody can.
        entries: The entry id of a seat, for table.toml.
        settle_s: At speed 0: real seconds that the controller gets to speak before time jumps on.
        contact_s: Real seconds until somebody must have opened the line, or come back.
        camera_port: Where a camera over the table streams, 0 for a free port; None: there is no camera.
    """

    directory: Path
    source: HandSource
    stacks: Mapping[int, int]
    game: Game
    layout: Layout = field(default_factory=lambda: layout("chips+cards"))
    seed: str = "1"
    speed: float = 1.0
    amounts: tuple[int, ...] = ()
    most_chips: int = 0
    denominations: tuple[int, ...] | None = None
    decks: Mapping[str, int] = field(default_factory=lambda: {"A": 7, "B": 8})
    board: Board = field(default_factory=Board)
    rates: Rates = field(default_factory=Rates)
    piles: Piles = field(default_factory=Piles)
    faults: Faults = field(default_factory=Faults)
    habits: Habits = field(default_factory=Habits)
    slips: Slips = field(default_factory=Slips)
    neglect: Neglect = field(default_factory=Neglect)
    scenario: tuple[Cue, ...] = ()
    page: Callable[[Mapping[str, Any]], None] | None = None
    entries: Mapping[int, str] = field(default_factory=dict)
    rulebook: str = "standard"
    sensors: str = "ask"
    light: bool = False
    mqtt: Mqtt = Mqtt()
    settle_s: float = 0.003
    contact_s: float = 60.0
    camera_port: int | None = None


def random_table(
    directory: Path,
    *,
    seats: Mapping[int, int],
    stakes: Stakes,
    seed: str,
    count: int | None = None,
    button: int | None = None,
    **more: Any,
) -> BenchConfig:
    """A table of random clean hands that goes round by itself; without tagged chips who is broke buys in again.

    Args:
        directory: Where its files go.
        seats: Chips of each seat.
        stakes: Blinds and ante, the same throughout.
        seed: Everything random comes from it.
        count: How many hands, None until one player has everything.
        button: Where the button lies in the first hand, None for the last seat.
        more: Other attributes of `BenchConfig`.
    """
    first = max(seats) if button is None else button
    at, small, big = Positions(first).next(sorted(seats))
    game = Game(
        stakes.small_blind,
        stakes.big_blind,
        at,
        small,
        big,
        stakes.ante_kind,
        stakes.ante,
        smallest_chip=stakes.smallest_chip,
    )
    plan = BenchConfig(
        directory=directory,
        source=RandomHands(seed, lambda: stakes, button=first, count=count),
        stacks=dict(seats),
        game=game,
        seed=seed,
        **more,
    )
    return plan if plan.layout.manners.chips else _with_rebuys(plan, stakes, first, count)


def _with_rebuys(plan: BenchConfig, stakes: Stakes, button: int, count: int | None) -> BenchConfig:
    rebuy = max(plan.stacks.values())
    return replace(
        plan, source=RandomHands(plan.seed, lambda: stakes, button=button, count=count, rebuy=rebuy)
    )


def recorded_table(directory: Path, paths: Sequence[Path], *, seed: str, **more: Any) -> BenchConfig:
    """A table of recorded hands, each with stacks of its own.

    Raises:
        ScriptError: One of the files is no such record.
    """
    source = PhhHands(paths, seed)
    if not source.scripts:
        raise ConfigError("there is no hand to play")
    first = source.scripts[0]
    return BenchConfig(
        directory=directory,
        source=source,
        stacks=first.stacks,
        game=first.game,
        seed=seed,
        amounts=source.amounts,
        most_chips=source.most_chips,
        **more,
    )


_TOP: Final = (
    "directory",
    "seed",
    "speed",
    "table",
    "rulebook",
    "sensors",
    "faults",
    "slips",
    "neglect",
    "scenario",
    "rates",
    "buttons",
    "baud",
    "contact_s",
    "camera_port",
    "phh",
    "random",
    "mqtt",
)
_RANDOM: Final = (
    "seats",
    "players",
    "stack",
    "small_blind",
    "big_blind",
    "ante_kind",
    "ante",
    "smallest_chip",
    "button",
    "count",
)


class _Keys:
    """The keys of one table of the file, each asked for with its type."""

    def __init__(self, keys: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        self._keys = keys
        self._where = where
        for key in keys:
            if key not in known:
                near = get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else "known: " + ", ".join(known)
                raise ConfigError(f"unknown key {key!r}", where=where, hint=hint)

    def get(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        """The value of a key, the default when it is not there."""
        value = self._keys.get(key, default)
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ConfigError(f"{key} = {value!r} is of the wrong type", where=self._where)
        return value


def _words(listed: str | Mapping[str, Any], where: str) -> str:
    """Faults or neglect as one text: they may be a text already, or a table of numbers (true: as the bare name)."""
    if isinstance(listed, str):
        return listed
    words = []
    for name, number in listed.items():
        if number is True:
            words.append(name)
        elif isinstance(number, int | float) and not isinstance(number, bool):
            words.append(f"{name}={number}")
        elif number is not False:
            raise ConfigError(
                f"{name} = {number!r} is of the wrong type", where=where, hint="a number or true"
            )
    return ",".join(words)


def _slips(listed: str | Mapping[str, Any], seed: str, where: str) -> Slips:
    if isinstance(listed, str):
        return plan(listed, seed)
    keys = _Keys(listed, ("plan", "rate", "tells"), where)
    if "plan" in listed and "rate" in listed:
        raise ConfigError("either a plan or a rate", where=where)
    rate = keys.get("rate", (int, float), 0)
    return plan(
        keys.get("plan", str, f"{rate:.9f}".rstrip("0").rstrip(".") if rate else "none"),
        seed,
        float(keys.get("tells", (int, float), 1.0)),
    )


def _scenario(listed: Sequence[Any], where: str) -> tuple[Cue, ...]:
    cues: list[Cue] = []
    for number, item in enumerate(listed, 1):
        here = f"{where} [[scenario]] {number}"
        if not isinstance(item, dict):
            raise ConfigError("is no table", where=here)
        keys = _Keys(item, ("at", "hand", "tell"), here)
        at = keys.get("at", (int, float), None)
        try:
            cues.append(Cue(keys.get("tell", str, ""), at, keys.get("hand", int, 0)))
        except ConfigError as error:
            raise ConfigError(error.what, where=here, hint=error.hint) from None
    return tuple(cues)


def _rates(named: str, path: Path) -> Rates:
    """The antennas' rates: clean, as assumed of a real table, or as a club has measured them."""
    if named == "clean":
        return Rates()
    if named == "typical":
        return Rates.typical()
    if not named.endswith(".json"):
        raise ConfigError(
            f"rates = {named!r}", where=str(path), hint="clean, typical or a measured_rates.json"
        )
    return read_measured(path.parent / named)


def read_config(path: Path) -> BenchConfig:
    """Read the table of one simulator configuration.

    Keys: `directory` (default: beside the file), `seed`, `speed`, `table` (chips+cards, cards, seven),
    `rulebook`, `sensors`, `faults` (as on the command line, or a table), `slips` (as on the command line, or {plan or rate,
    tells}), `neglect` (a text or a table), `[[scenario]]` {at or hand, tell}, `rates` (clean, typical, or the file of
    a club's own walk, measured_rates.json), `buttons`, `baud`, `contact_s`, `camera_port` (an MJPEG camera over the table),
    `mqtt` {host, port, club, table}, and either `phh` (files and folders) or `[random]` with
    `seats` {seat = chips} or `players` and `stack`, blinds, ante, smallest chip, button and count.

    Raises:
        ConfigError: The file cannot be read, or a key in it makes no sense; names file and key.
        ScriptError: A recorded hand cannot be played.
    """
    where = str(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=where) from error
    keys = _Keys(data, _TOP, where)
    mqtt = _Keys(keys.get("mqtt", dict, {}), ("host", "port", "club", "table"), f"{where} [mqtt]")
    rates = _rates(keys.get("rates", str, "clean"), path)
    seed = str(keys.get("seed", (str, int), "1"))
    directory = path.parent / keys.get("directory", str, path.stem)
    if ("phh" in data) is ("random" in data):
        raise ConfigError("either phh or [random] says what is played", where=where)
    if "phh" in data:
        paths = [path.parent / str(item) for item in keys.get("phh", list, [])]
        config = recorded_table(directory, list(phh_files(paths)), seed=seed)
    else:
        how = layout(keys.get("table", str, "chips+cards"))
        config = _random(directory, keys.get("random", dict, {}), seed, how, f"{where} [random]")
    usual = config.mqtt
    return replace(
        config,
        speed=float(keys.get("speed", (int, float), 1.0)),
        layout=layout(keys.get("table", str, "chips+cards")),
        rulebook=keys.get("rulebook", str, config.rulebook),
        sensors=keys.get("sensors", str, config.sensors),
        faults=Faults.parse(_words(keys.get("faults", (str, dict), ""), f"{where} [faults]")),
        slips=_slips(keys.get("slips", (str, dict), ""), seed, f"{where} [slips]"),
        neglect=Neglect().changed(_words(keys.get("neglect", (str, dict), ""), f"{where} [neglect]")),
        scenario=_scenario(keys.get("scenario", list, []), where),
        rates=rates,
        board=Board(
            buttons=tuple(keys.get("buttons", list, list(BUTTONS))), baud=keys.get("baud", int, 921600)
        ),
        contact_s=float(keys.get("contact_s", (int, float), config.contact_s)),
        camera_port=keys.get("camera_port", int, None),
        mqtt=Mqtt(
            mqtt.get("host", str, usual.host),
            mqtt.get("port", int, usual.port),
            mqtt.get("club", str, usual.club),
            mqtt.get("table", str, usual.table),
        ),
    )


def _random(directory: Path, table: Mapping[str, Any], seed: str, how: Layout, where: str) -> BenchConfig:
    keys = _Keys(table, _RANDOM, where)
    stack = keys.get("stack", int, 10000)
    players = keys.get("players", int, 6)
    if not 2 <= players <= len(SEATS):
        raise ConfigError(f"players = {players}", where=where, hint="2 to 10")
    listed = keys.get("seats", dict, None)
    seats = dict.fromkeys(range(1, players + 1), stack)
    if listed is not None:
        try:
            seats = {int(seat): int(chips) for seat, chips in listed.items()}
        except ValueError as error:
            raise ConfigError(f"seats: {error}", where=where) from error
        if not set(seats) <= set(SEATS) or len(seats) < 2:
            raise ConfigError(f"seats = {listed}", where=where, hint="two seats or more, 1 to 10")
    kind = keys.get("ante_kind", str, "none")
    if kind not in ("none", "classic", "big_blind", "button"):
        raise ConfigError(f"ante_kind = {kind!r}", where=where, hint="none, classic, big_blind or button")
    stakes = Stakes(
        keys.get("small_blind", int, 50),
        keys.get("big_blind", int, 100),
        kind,
        keys.get("ante", int, 0),
        keys.get("smallest_chip", int, 25),
    )
    if min(stakes.smallest_chip, stakes.small_blind, stakes.big_blind, stakes.ante + 1, *seats.values()) < 1:
        raise ConfigError("smallest_chip, blinds and stacks are at least 1, the ante 0", where=where)
    for name in ("small_blind", "big_blind", "ante"):
        if getattr(stakes, name) % stakes.smallest_chip:
            raise ConfigError(f"{name} is no multiple of the smallest chip", where=where)
    if any(chips % stakes.smallest_chip for chips in seats.values()):
        raise ConfigError("a stack is no multiple of the smallest chip", where=where)
    return random_table(
        directory,
        seats=seats,
        stakes=stakes,
        seed=seed,
        count=keys.get("count", int, None),
        button=keys.get("button", int, None),
        layout=how,
    )
