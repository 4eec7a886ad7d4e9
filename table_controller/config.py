"""What a club sets for one table: ``table.toml``, read once; a typing error is found, not ignored.

```toml
[game]
rulebook = "standard"            # id of a packaged book, or a .toml file beside this one
betting = "amounts"              # amounts, words or rounds
chips = "sensed"                 # declared, or sensed where chips carry tags
sensors = "ask"                  # silent, ask or tell: what a sensed irregularity becomes
light = false                    # light mode: next hand, player out, counts, the floor; nothing else is owed
smallest_chip = 25
level = 1
small_blind = 50
big_blind = 100
ante = { kind = "big_blind", amount = 100 }
seats = [{ seat = 1, entry = "e1", stack = 10000 }, { seat = 2, entry = "e2", stack = 10000 }]
button = 1                       # of the first hand; then it goes round by itself

[antennas]                       # number on the board = the place or places above it
1 = "seat1"
12 = ["burn", "muck"]

[devices.board]                  # single readers, a panel on pins, a shoe: see ``equipment.py``
path = "/dev/serial/by-id/usb-maldonne"
baud = 921600

[files]                          # relative to this file
deck = "deck.csv"
chips = "chips.csv"
journal = "table.journal"

[camera]                         # see docs/camera.md
source = "/dev/video0"           # http://… (MJPEG), rpicam, pipe:COMMAND
calibration = "camera.json"      # written by `maldonne calibrate`
decks = ["red.npz", "blue.npz"]  # written by `maldonne enroll --camera`
fps = 15

[panel]
buttons = ["FOLD", "CHECK", "YES", "NO", "CUT"]
lamps = true                     # drive the seat lamps

[page]                           # the dealer's page
on = true
host = "127.0.0.1"               # 0.0.0.0 lets tablets in, paired by QR or four digits
port = 8080
language = "fr"
self_dealt = false               # the players deal in turn, one screen for all
rotate = 0                       # 180: the screen stands the other way round at first

[[levels]]                       # level clock of a table without a hub; a break has minutes only
minutes = 20
small_blind = 50
big_blind = 100
[[levels]]
minutes = 10

[mqtt]
host = "127.0.0.1"
port = 1883
club = "lyon"
table = "t1"
```

Without chip sensors ``betting`` is ``rounds`` and the table plays in light mode, unless the file says otherwise.
A place that no antenna covers is "not seen", never missing. Without ``[antennas]`` the board's own word counts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from engine.vocabulary import MAX_SEAT
from table_controller import equipment
from table_controller import messages as m
from table_controller.equipment import DeviceSetting, PinsSetting, ReaderSetting, ShoeSetting
from table_controller.errors import TableError
from table_controller.level_clock import Stage
from table_controller.messages.vocabulary import AnteKind, Chips, Count, EntryId, Label, Limit, Seat
from table_controller.settings_text import dotted, find_line, nearest, unknown_key, wrong_path

Port = Annotated[int, Meta(ge=1, le=65535)]
Host = Annotated[str, Meta(min_length=1, max_length=253)]
Wait = Annotated[float, Meta(gt=0, le=60)]
_T = TypeVar("_T")

CARD_PLACES: Final = ("deck", *(f"seat{n}" for n in range(1, MAX_SEAT + 1)), "board", "burn", "muck")
CHIP_PLACES: Final = (
    *(f"{kind}{n}" for kind in ("bet", "stack") for n in range(1, MAX_SEAT + 1)),
    "pot",
    "bank",
)
BUTTONS: Final = (
    "FOLD CHECK CALL RAISE ALL_IN MINUS PLUS SEAT SEEN CUT SHUFFLED NEXT_HAND POT CLOCK FLOOR YES NO UNDO"
).split()


class ConfigError(TableError):
    """``table.toml`` cannot be used as it stands."""

    code = "table_config"
    default_hint = "correct the line, then start again"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the file: every key is known, every value bounded."""


class AnteSetting(_Part, frozen=True, kw_only=True):
    """The ante: who pays it, and how many chips."""

    kind: AnteKind = "none"
    amount: Chips = 0


class SeatSetting(_Part, frozen=True, kw_only=True):
    """Who sits where, with how many chips at the start (left out: not known)."""

    seat: Seat
    entry: EntryId
    stack: Chips | None = None
    absent: bool = False
    penalty: Count | None = None


class Game(_Part, frozen=True, kw_only=True):
    """What is played while no hub says otherwise, and how the table may speak.

    Attributes:
        rulebook: Id of a packaged rulebook, or the path of a TOML file.
        betting: ``amounts``, ``words`` or ``rounds``: what of the betting is recorded.
        chips: ``sensed`` where tagged chips lie on antennas, else ``declared``.
        sensors: What a sensed irregularity becomes: a note, a question, or a ruling at once.
        light: Light mode: people owe the next hand, who is out, counts at breaks and the floor, and nothing else.
            None: where no amounts and no words are recorded.
        level: Number of the level, 0 without a structure; blinds and ante in chips.
        button: Seat of the first button; None: the last seat in the order of the table.
    """

    rulebook: Annotated[str, Meta(min_length=1, max_length=400)] = "standard"
    betting: Literal["amounts", "words", "rounds"] = "amounts"
    chips: Literal["declared", "sensed"] = "declared"
    sensors: Literal["silent", "ask", "tell"] = "ask"
    light: bool | None = None
    limit: Limit = "no_limit"
    smallest_chip: Annotated[int, Meta(ge=1)] = 1
    level: Count = 0
    small_blind: Chips | None = None
    big_blind: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    ante: AnteSetting = AnteSetting()
    seats: tuple[SeatSetting, ...] = ()
    button: Seat | None = None


class Camera(_Part, frozen=True, kw_only=True):
    """The camera over the table; without `source` there is none.

    Attributes:
        source: `/dev/…`, `http://…` (MJPEG), `rpicam`, `pipe:COMMAND` (YUV 4:2:0 on standard output).
        calibration: What `maldonne calibrate` wrote, relative to the file.
        width, height: Pixels to ask for.
        fps: Pictures a second.
        exposure_ms: How long the shutter of the Pi's own camera is open.
        decks: What `maldonne enroll --camera` wrote, relative to the file: the decks that take turns here.
    """

    source: Annotated[str, Meta(min_length=1, max_length=500)] | None = None
    calibration: str | None = "camera.json"
    width: Annotated[int, Meta(ge=320, le=4096, multiple_of=2)] = 1280
    height: Annotated[int, Meta(ge=240, le=4096, multiple_of=2)] = 720
    fps: Annotated[float, Meta(ge=1, le=120)] = 15.0
    exposure_ms: Annotated[float, Meta(gt=0, le=100)] = 4.0
    decks: tuple[Annotated[str, Meta(min_length=1)], ...] = ()


class Files(_Part, frozen=True, kw_only=True):
    """What lies beside the configuration; without ``deck`` or ``chips`` no tag of that sort is known."""

    deck: str | None = None
    chips: str | None = None
    journal: str = "table.journal"


class Panel(_Part, frozen=True, kw_only=True):
    """Which buttons the panel has, and whether the seat lamps are driven."""

    buttons: tuple[Label, ...] = tuple(BUTTONS)
    lamps: bool = True


class Page(_Part, frozen=True, kw_only=True):
    """The dealer's page.

    Attributes:
        host: The address it listens on; anything but loopback lets paired devices in.
        port: 0 takes a free one.
        language: What a screen reads that has not chosen.
        self_dealt: The players deal in turn; the one screen shows nothing that one of them could not see.
        rotate: Degrees by which the screen is turned at first.
        names: Further host names of the machine.
        folder: Where paired devices are kept, relative to the file.
    """

    on: bool = False
    host: Host = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080
    language: Literal["fr", "en"] = "fr"
    self_dealt: bool = False
    rotate: Literal[0, 180] = 0
    names: tuple[Host, ...] = ()
    folder: str = "page"


class LevelSetting(_Part, frozen=True, kw_only=True):
    """A level of the structure and how long it lasts, in minutes; without blinds it is a break."""

    minutes: Annotated[float, Meta(gt=0, le=100_000)]
    small_blind: Chips | None = None
    big_blind: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    ante: AnteSetting = AnteSetting()


class Tls(_Part, frozen=True, kw_only=True):
    """Certificates for the line to the broker: the authority, and the table's own if the broker asks for one."""

    ca: str
    certificate: str | None = None
    key: str | None = None


class Mqtt(_Part, frozen=True, kw_only=True):
    """Where the broker is and who this table is. ``password_file`` holds the password on its first line.

    ``alone``: what a table does that has lost its hub: play on at the known level, or stop before the next hand.
    """

    host: Host | None = None
    port: Port = 1883
    club: str = "club"
    table: str = "t1"
    user: str | None = None
    password_file: str | None = None
    tls: Tls | None = None
    alone: Literal["play", "stop"] = "play"


class Timing(_Part, frozen=True, kw_only=True):
    """How long the senses wait before they believe, in seconds of table time.

    Attributes:
        rest: Chips that have lain still for so long are one motion.
        chip_cycle: The longest round over the chip antennas: rest is proved by a later read only.
        moved_after: A card read at a new place and not at its old one for so long has moved.
        gone_after: A tag not read for so long is gone from where it lay (which proves no fold).
        patience: A card out of the expected order waits for so long for one that is read late.
        doubt_after: After so long without the expected card the table says what it waits for.
        same_act: A press and a sensed act of one seat within so long are one act.
        stranger: An unknown tag that lies still for so long is a foreign card, not a ghost.
        reaction: Nobody reads what is newly shown and presses for it sooner: the press was for what was shown before.
    """

    rest: Wait = 1.5
    chip_cycle: Wait = 3.0
    moved_after: Wait = 0.9
    gone_after: Wait = 2.0
    patience: Wait = 2.5
    doubt_after: Wait = 8.0
    same_act: Wait = 2.0
    stranger: Wait = 3.0
    reaction: Wait = 0.4


class TableConfig(_Part, frozen=True, kw_only=True):
    """The whole file; paths are whole."""

    game: Game = Game()
    antennas: dict[str, tuple[str, ...]] | None = None
    devices: dict[str, DeviceSetting] = {}
    readers: dict[str, ReaderSetting] = {}
    pins: dict[str, PinsSetting] = {}
    shoe: ShoeSetting = ShoeSetting()
    files: Files = Files()
    camera: Camera = Camera()
    panel: Panel = Panel()
    page: Page = Page()
    levels: tuple[LevelSetting, ...] = ()
    mqtt: Mqtt = Mqtt()
    timing: Timing = Timing()

    @property
    def light(self) -> bool:
        """Whether the table plays in light mode."""
        game = self.game
        return game.light if game.light is not None else game.betting == "rounds"

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The structure of levels and breaks; levels are numbered from 1."""
        found: list[Stage] = []
        number = 0
        for setting in self.levels:
            level = None
            if setting.small_blind is not None and setting.big_blind is not None:
                number += 1
                ante = m.Ante(kind=setting.ante.kind, amount=setting.ante.amount)
                level = m.Level(
                    n=number, small_blind=setting.small_blind, big_blind=setting.big_blind, ante=ante
                )
            found.append(Stage(minutes=setting.minutes, level=level))
        return tuple(found)

    def desired(self) -> m.Desired:
        """The file's own target for the table, in the form of the hub's document: revision 0 of epoch 0."""
        game = self.game
        level = None
        if game.small_blind is not None and game.big_blind is not None:
            level = m.Level(
                n=game.level,
                small_blind=game.small_blind,
                big_blind=game.big_blind,
                ante=m.Ante(kind=game.ante.kind, amount=game.ante.amount),
            )
        return m.Desired(
            epoch=0,
            rev=0,
            tournament=None,
            rulebook=game.rulebook,
            level=level,
            limit=game.limit,
            smallest_chip=game.smallest_chip,
            seats=tuple(
                m.DesiredSeat(seat=s.seat, entry=s.entry, stack=s.stack, absent=s.absent, penalty=s.penalty)
                for s in game.seats
            ),
        )


def load_config(path: Path) -> TableConfig:
    """Read a table's configuration; relative paths in it are taken from the file's own folder.

    Raises:
        ConfigError: Naming file, line, key and, for a key that does not exist, the nearest one that does.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8 text", where=str(path)) from None
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", where=str(path), hint="check the path"
        ) from error
    return parse_config(text, str(path), path.parent)


def parse_config(text: str, name: str, folder: Path) -> TableConfig:
    """Check the text of a configuration file.

    Args:
        text: TOML.
        name: How to call the file in an error.
        folder: What relative paths start from.

    Raises:
        ConfigError: See ``load_config``.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ConfigError(f"not TOML: {error}", where=f"{name}:{line[1]}" if line else name) from error
    strange = unknown_key(values, TableConfig)
    if strange is not None:
        path, hint = strange
        where = f"{name}:{find_line(text, path)}"
        raise ConfigError(f"there is no setting {dotted(path)!r}", where=where, hint=hint)
    _spread_antennas(values, text, name)
    config = _light_by_default(_convert(values, TableConfig, text, name), values)
    _check(config, text, name)
    return _with_folder(config, folder)


def _light_by_default(config: TableConfig, values: dict[str, Any]) -> TableConfig:
    """Where no sensor tells the chips and the file does not say what of the betting is recorded: rounds, lightly."""
    game = config.game
    if game.chips == "sensed" or "betting" in values.get("game", {}) or game.light is False:
        return config
    return msgspec.structs.replace(config, game=msgspec.structs.replace(game, betting="rounds"))


def _spread_antennas(values: dict[str, Any], text: str, name: str) -> None:
    """One place may stand without brackets; a number without a device is that of the only board."""
    antennas = values.get("antennas")
    if not isinstance(antennas, dict):
        return
    for key, places in antennas.items():
        number = key.rpartition(":")[2]
        where = f"{name}:{find_line(text, ('antennas', key))}"
        if not number.isdecimal() or int(number) > 254:
            raise ConfigError(
                f"antennas.{key}: no antenna has this number",
                where=where,
                hint="0 to 254, or device:number where there are several boards",
            )
        if isinstance(places, str):
            antennas[key] = [places]


def _convert(value: Any, form: type[_T], text: str, name: str) -> _T:
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        what = str(error).partition(" - at `")[0]
        path = wrong_path(value, form, error)
        where = f"{name}:{find_line(text, path)}"
        raise ConfigError(f"{dotted(path) or 'the file'}: {what}", where=where) from error


def _check(config: TableConfig, text: str, name: str) -> None:
    """What no single field can say."""

    def wrong(what: str, hint: str, *path: str | int) -> ConfigError:
        return ConfigError(what, where=f"{name}:{find_line(text, path)}", hint=hint)

    for what, hint, path in equipment.refusals(config.devices, config.readers, config.pins):
        raise wrong(what, hint, *path)
    _check_antennas(config, wrong)
    game = config.game
    taken: set[int | str] = set()
    for place, seat in enumerate(game.seats):
        for word in (seat.seat, seat.entry):
            if word in taken:
                what = "seat" if isinstance(word, int) else "entry"
                raise wrong(
                    f"game.seats: {what} {word} is given twice",
                    "each seat has one entry",
                    *("game", "seats", place, what),
                )
            taken.add(word)
    small, big = game.small_blind, game.big_blind
    if (small is None) != (big is None):
        raise wrong("game: one blind without the other", "set small_blind and big_blind", "game")
    if small is not None and big is not None and small > big:
        raise wrong("game.small_blind is above the big blind", "exchange them", "game", "small_blind")
    for place, level in enumerate(config.levels):
        low, high = level.small_blind, level.big_blind
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise wrong(
                "levels: a small blind up to the big blind, or neither in a break",
                "set both",
                *("levels", place),
            )
    if config.levels and config.levels[0].big_blind is None:
        raise wrong("levels: begins with a break", "begin with a level", "levels")
    if game.light and game.betting != "rounds":
        raise wrong(
            f"game.light: nobody says who bets, so betting cannot be {game.betting}",
            'betting = "rounds", or light = false',
            "game",
            "light",
        )
    if game.button is not None and game.seats and game.button not in {seat.seat for seat in game.seats}:
        raise wrong("game.button: nobody sits there", "name the seat of a player", "game", "button")
    if game.chips == "sensed" and config.files.chips is None:
        raise wrong(
            "game.chips is sensed, but no file names the chips",
            'set files.chips, or chips = "declared"',
            "game",
            "chips",
        )
    if game.chips == "sensed" and game.betting != "amounts":
        raise wrong(
            "game.chips is sensed, but amounts are not recorded", 'betting = "amounts"', "game", "betting"
        )
    for button in config.panel.buttons:
        if button not in BUTTONS:
            near = nearest(button, BUTTONS)
            raise wrong(f"panel.buttons: no button is called {button!r}", near, "panel", "buttons")
    for what, value in (("club", config.mqtt.club), ("table", config.mqtt.table)):
        if not m.topics.is_id(value):
            raise wrong(
                f"mqtt.{what}: {value!r} cannot stand in a topic",
                "1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit",
                "mqtt",
                what,
            )


def _check_antennas(config: TableConfig, wrong: Any) -> None:
    boards, readers = config.devices, config.readers
    named = set()
    for key, places in (config.antennas or {}).items():
        device, _, number = key.rpartition(":")
        named.add(device)
        if device and device not in boards and device not in readers:
            raise wrong(
                f"antennas.{key}: there is no device {device!r}",
                nearest(device, (*boards, *readers)),
                *("antennas", key),
            )
        if not device and (len(boards) > 1 or (readers and not boards)):
            raise wrong(
                f"antennas.{key}: on which {'board' if boards else 'reader'}?",
                f"write {next(iter(boards or readers))}:{key}",
                *("antennas", key),
            )
        if device in readers and number != "0":
            raise wrong(f"antennas.{key}: a reader has one antenna", f"write {device}:0", "antennas", key)
        if device in readers and readers[device].desk:
            raise wrong(
                f"antennas.{key}: the enrolment desk is no place of the table",
                f"take out readers.{device}.desk, or this line",
                *("antennas", key),
            )
        if not places:
            raise wrong(f"antennas.{key}: names no place", "leave the line out", "antennas", key)
        for place in places:
            if place not in CARD_PLACES and place not in CHIP_PLACES:
                near = nearest(place, (*CARD_PLACES, *CHIP_PLACES))
                raise wrong(f"antennas.{key}: no antenna can lie at {place!r}", near, "antennas", key)
        if any(place in CARD_PLACES for place in places) and any(place in CHIP_PLACES for place in places):
            raise wrong(
                f"antennas.{key}: reads cards or chips, not both",
                "give each its own antenna",
                "antennas",
                key,
            )
    for name, reader in readers.items():
        if not reader.desk and name not in named:
            raise wrong(
                f"readers.{name}: lies under no place",
                f'write "{name}:0" = the place in [antennas], or desk = true here',
                *("readers", name),
            )
    if config.shoe.on and not boards:
        raise wrong("shoe.on: there is no board that has a shoe", "name it in [devices]", "shoe", "on")


def _with_folder(config: TableConfig, folder: Path) -> TableConfig:
    """Relative paths made whole."""

    def whole(path: str | None) -> str | None:
        return None if path is None else str((folder / path).absolute())

    replace = msgspec.structs.replace
    mqtt = config.mqtt
    tls = mqtt.tls
    if tls is not None:
        tls = Tls(ca=whole(tls.ca) or "", certificate=whole(tls.certificate), key=whole(tls.key))
    game = config.game
    if game.rulebook.endswith(".toml"):
        game = replace(game, rulebook=whole(game.rulebook))
    files = config.files
    return replace(
        config,
        game=game,
        files=Files(deck=whole(files.deck), chips=whole(files.chips), journal=whole(files.journal) or ""),
        camera=replace(
            config.camera,
            calibration=whole(config.camera.calibration),
            decks=tuple(str(folder / deck) for deck in config.camera.decks),
        ),
        page=replace(config.page, folder=whole(config.page.folder) or ""),
        mqtt=replace(mqtt, tls=tls, password_file=whole(mqtt.password_file)),
    )
