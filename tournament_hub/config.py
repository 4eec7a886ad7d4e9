"""What a club sets for its hub: one TOML file, read once; a typing error is found, not ignored.

```toml
[club]
id = "lyon"
name = "Poker Club de Lyon"
data = "hub-data"                # relative to this file

[broker]
host = "127.0.0.1"
port = 1883

[web]
host = "127.0.0.1"
port = 8080

[game]                           # what every table plays unless its own part says otherwise
rulebook = "standard"
small_blind = 100
big_blind = 200
ante = { kind = "big_blind", amount = 200 }

[tables.t1]
name = "Table 1"
seats = [{ seat = 1, entry = "e1", stack = 20000 }, { seat = 2, entry = "e2", stack = 20000 }]
```
"""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from table_controller import messages as m
from table_controller.messages.vocabulary import AnteKind, Chips, EntryId, Label, Limit, Seat
from tournament_hub.errors import ConfigError
from tournament_hub.store_people import Keep
from tournament_hub.store_postgres import is_url

Port = Annotated[int, Meta(ge=1, le=65535)]
PortOrFree = Annotated[int, Meta(ge=0, le=65535)]
Host = Annotated[str, Meta(min_length=1, max_length=253)]
Minor = Annotated[int, Meta(ge=0, le=10**12)]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
_T = TypeVar("_T")


class Club(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose room it is. ``data``: the folder of the record and of the pairing secrets.

    ``database``: a PostgreSQL address that holds the record instead of a file in ``data``. ``language``: of what the hub
    writes unasked: the paper sheets, its log on a terminal.
    """

    id: str = "club"
    name: Label = "maldonne"
    data: str = "maldonne-hub"
    language: Literal["fr", "en"] = "fr"
    database: str | None = None


class Tls(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Certificates for the line to the broker: the authority, and the hub's own if the broker asks for one."""

    ca: str
    certificate: str | None = None
    key: str | None = None


class Broker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the MQTT broker is. ``password_file`` holds the password on its first line, so that it is in no config."""

    host: Host = "127.0.0.1"
    port: Port = 1883
    user: str | None = None
    password_file: str | None = None
    tls: Tls | None = None


class Web(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the floor page is served; port 0 takes a free one. ``names``: further host names of this machine."""

    host: Host = "127.0.0.1"
    port: PortOrFree = 8080
    names: tuple[Host, ...] = ()
    certificate: str | None = None
    key: str | None = None


class AnteSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ante: who pays it, and how many chips."""

    kind: AnteKind = "none"
    amount: Chips = 0


class SeatSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who sits where, with how many chips at the start (left out: not known)."""

    seat: Seat
    entry: EntryId
    stack: Chips | None = None
    absent: bool = False


class Game(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is played: rulebook, limit, blinds and ante in chips."""

    rulebook: Label = "standard"
    limit: Limit = "no_limit"
    smallest_chip: Annotated[int, Meta(ge=1)] = 1
    level: Annotated[int, Meta(ge=0)] = 0
    small_blind: Chips | None = None
    big_blind: Chips | None = None
    ante: AnteSetting = AnteSetting()


class TableSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table: its name on the floor page, and where it differs from ``[game]``."""

    name: Label | None = None
    seats: tuple[SeatSetting, ...] = ()
    rulebook: Label | None = None
    limit: Limit | None = None
    smallest_chip: Annotated[int, Meta(ge=1)] | None = None
    level: Annotated[int, Meta(ge=0)] | None = None
    small_blind: Chips | None = None
    big_blind: Chips | None = None
    ante: AnteSetting | None = None


class LevelSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A level, or a break when it has no blinds; ``minutes`` long."""

    minutes: Annotated[float, Meta(gt=0, le=100_000)]
    small_blind: Chips | None = None
    big_blind: Chips | None = None
    ante: AnteSetting = AnteSetting()
    colour_up: tuple[Chips, ...] = ()


class MoneySetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is played for, in the smallest unit of the currency; only where the club's book says ``money = on``.

    ``prize fee bounty``: of an entry; ``rebuy add_on``: of each; ``added``: beside them. ``shares``: weights of the
    places, best first; ``unit``: prizes are multiples of it.
    """

    currency: Label
    prize: Minor = 0
    fee: Minor = 0
    bounty: Minor = 0
    rebuy: Minor = 0
    add_on: Minor = 0
    added: Minor = 0
    shares: tuple[Annotated[int, Meta(ge=1, le=10**9)], ...] = ()
    unit: Annotated[int, Meta(ge=1, le=10**9)] = 1


class TournamentSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tournament: its rulebook, tables, stacks and levels. ``without_device``: tables told by people alone.

    ``break_order``: in which order tables are broken: all of them by name, or ``listed`` as above, ``reversed``, or
    ``drawn`` once from the seed. ``automatic``: kinds of proposals that the hub does by itself. ``lots``: what each
    place wins, best first.
    ``public_names``: displays may read names of people.
    """

    title: Label = ""
    rulebook: Label = "standard"
    tables: tuple[str, ...] = ()
    without_device: tuple[str, ...] = ()
    seats: Annotated[int, Meta(ge=2, le=10)] = 9
    starting_stack: Chips | None = None
    seed: int = 0
    final_seats: Annotated[int, Meta(ge=2, le=10)] | None = None
    places_paid: Annotated[int, Meta(ge=0)] = 0
    re_entries: Annotated[int, Meta(ge=0)] = 0
    rebuys: Annotated[int, Meta(ge=0)] = 0
    rebuy_stack: Chips = 0
    add_on: bool = False
    add_on_stack: Chips = 0
    smallest_chip: Annotated[int, Meta(ge=1)] = 1
    limit: Limit = "no_limit"
    levels: tuple[LevelSetting, ...] = ()
    break_order: tuple[str, ...] | Literal["listed", "reversed", "drawn"] = "listed"
    automatic: tuple[str, ...] = ()
    lots: tuple[Label, ...] = ()
    public_names: bool = False
    money: MoneySetting | None = None


class SeasonSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The season: the file of its rules, files of results from elsewhere, first and last day (``2026-09-01``)."""

    rules: str | None = None
    results: tuple[str, ...] = ()
    since: Day | None = None
    until: Day | None = None


class HubConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    club: Club = Club()
    broker: Broker = Broker()
    web: Web = Web()
    game: Game = Game()
    keep: Keep = Keep()
    season: SeasonSetting = SeasonSetting()
    tables: dict[str, TableSetting] = {}
    tournament: dict[str, TournamentSetting] = {}

    @property
    def record(self) -> Path | str:
        """Where the hub's record lies: a file, or the address of a server."""
        return self.club.database or Path(self.club.data) / "hub.sqlite3"

    def table_name(self, table: str) -> str:
        """What the floor page calls a table."""
        setting = self.tables.get(table)
        return setting.name if setting is not None and setting.name else table

    def desired(self, table: str) -> m.Desired:
        """The target that the file sets for a table, as revision 0 of epoch 0.

        Raises:
            KeyError: the file does not name this table.
        """
        own = self.tables[table]
        game = self.game
        small = game.small_blind if own.small_blind is None else own.small_blind
        big = game.big_blind if own.big_blind is None else own.big_blind
        ante = own.ante or game.ante
        level = None
        if small is not None and big is not None:
            level = m.Level(
                n=game.level if own.level is None else own.level,
                small_blind=small,
                big_blind=big,
                ante=m.Ante(kind=ante.kind, amount=ante.amount),
            )
        return m.Desired(
            epoch=0,
            rev=0,
            tournament=None,
            rulebook=own.rulebook or game.rulebook,
            level=level,
            limit=own.limit or game.limit,
            smallest_chip=own.smallest_chip or game.smallest_chip,
            seats=tuple(
                m.DesiredSeat(seat=s.seat, entry=s.entry, stack=s.stack, absent=s.absent) for s in own.seats
            ),
        )


def load_config(path: Path) -> HubConfig:
    """Read a hub's configuration; relative paths in it are taken from the file's own folder.

    Raises:
        ConfigError: naming file, line, key and, for a key that does not exist, the nearest one that does.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(path), hint="check the path") from error
    return parse_config(text, str(path), path.parent)


def parse_config(text: str, name: str, folder: Path) -> HubConfig:
    """Check the text of a configuration file.

    Args:
        text: TOML.
        name: how to call the file in an error.
        folder: what relative paths start from.

    Raises:
        ConfigError: see ``load_config``.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f"{name}:{line[1]}" if line else name
        raise ConfigError(f"not TOML: {error}", where=where, hint="correct the line") from error
    _refuse_unknown(values, HubConfig, (), text, name)
    for part, form in (("tables", TableSetting), ("tournament", TournamentSetting)):
        settings = values.get(part)
        if isinstance(settings, dict):  # one by one, so that an error can name its table or tournament
            for ident, setting in settings.items():
                _convert(setting, form, (part, ident), text, name)
    config = _convert(values, HubConfig, (), text, name)
    _check(config, text, name)
    return _with_folder(config, folder)


def _convert(value: Any, form: type[_T], path: tuple[str, ...], text: str, name: str) -> _T:
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        what, _, at = str(error).partition(" - at `$")
        path += tuple(re.findall(r"\.?([^.\[\]`]+)", at))
        where = f"{name}:{find_line(text, path)}"
        raise ConfigError(f"{'.'.join(path)}: {what}", where=where, hint="correct the value") from error


def _check(config: HubConfig, text: str, name: str) -> None:
    """What no single field can say."""

    def wrong(what: str, hint: str, *path: str) -> ConfigError:
        return ConfigError(what, where=f"{name}:{find_line(text, path)}", hint=hint)

    id_hint = "1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit"
    if not m.topics.is_id(config.club.id):
        raise wrong(f"club.id: {config.club.id!r} cannot stand in a topic", id_hint, "club", "id")
    if config.club.database is not None and not is_url(config.club.database):
        raise wrong("club.database: no PostgreSQL address", "postgresql://user@host/name", "club", "database")
    for table, setting in config.tables.items():
        if not m.topics.is_id(table):
            raise wrong(f"tables.{table}: the name cannot stand in a topic", id_hint, "tables", table)
        taken = [f"seat {seat.seat}" for seat in setting.seats] + [
            f"entry {seat.entry}" for seat in setting.seats
        ]
        for word in taken:
            if taken.count(word) > 1:
                raise wrong(
                    f"tables.{table}: {word} is given twice",
                    "each seat has one entry",
                    "tables",
                    table,
                    "seats",
                )
        small = config.game.small_blind if setting.small_blind is None else setting.small_blind
        big = config.game.big_blind if setting.big_blind is None else setting.big_blind
        if (small is None) != (big is None):
            raise wrong(
                f"tables.{table}: one blind without the other", "set small_blind and big_blind", "game"
            )
        if small is not None and big is not None and small > big:
            raise wrong(f"tables.{table}: the small blind is above the big blind", "exchange them", "game")
    owner: dict[str, str] = {}
    for ident, tournament in config.tournament.items():
        path = ("tournament", ident)
        if not m.topics.is_id(ident):
            raise wrong(f"tournament.{ident}: the name cannot stand in a topic", id_hint, *path)
        for table in (*tournament.tables, *tournament.without_device):
            if not m.topics.is_id(table):
                raise wrong(
                    f"tournament.{ident}: {table!r} cannot stand in a topic", id_hint, *path, "tables"
                )
            if table in owner:
                raise wrong(
                    f"tournament.{ident}: {table} is a table of {owner[table]} too",
                    "a table plays one tournament",
                    *path,
                    "tables",
                )
            owner[table] = ident
        fault = _order_fault(tournament)
        if fault:
            every = ", ".join((*tournament.tables, *tournament.without_device))
            raise wrong(
                f"tournament.{ident}: break_order {fault}", f"name once each: {every}", *path, "break_order"
            )
        shares = () if tournament.money is None else tournament.money.shares
        if list(shares) != sorted(shares, reverse=True):
            raise wrong(f"tournament.{ident}: a later place has a larger share", "best first", *path, "money")
        for level in tournament.levels:
            if (level.small_blind is None) != (level.big_blind is None):
                raise wrong(f"tournament.{ident}: one blind without the other", "set both", *path, "levels")
        if tournament.levels and all(level.big_blind is None for level in tournament.levels):
            raise wrong(f"tournament.{ident}: no level has blinds", "add a level", *path, "levels")
    if (config.web.certificate is None) != (config.web.key is None):
        raise wrong("web: a certificate without its key, or the reverse", "set both", "web", "certificate")


def _order_fault(tournament: TournamentSetting) -> str:
    """What is wrong with a posted order that is written table by table; empty: nothing."""
    order = tournament.break_order
    if isinstance(order, str):
        return ""
    tables = (*tournament.tables, *tournament.without_device)
    for table in order:
        if table not in tables:
            return f"names {table}, which is no table of it"
        if order.count(table) > 1:
            return f"names {table} twice"
    missing = [table for table in tables if table not in order]
    return f"leaves out {', '.join(missing)}" if missing else ""


def _with_folder(config: HubConfig, folder: Path) -> HubConfig:
    """Relative paths made whole."""

    def whole(path: str | None) -> str | None:
        return None if path is None else str((folder / path).absolute())

    tls = config.broker.tls
    if tls is not None:
        tls = Tls(ca=whole(tls.ca) or "", certificate=whole(tls.certificate), key=whole(tls.key))
    replace = msgspec.structs.replace
    return replace(
        config,
        club=replace(config.club, data=whole(config.club.data)),
        broker=replace(config.broker, tls=tls, password_file=whole(config.broker.password_file)),
        web=replace(config.web, certificate=whole(config.web.certificate), key=whole(config.web.key)),
        season=replace(
            config.season,
            rules=whole(config.season.rules),
            results=tuple(str((folder / path).absolute()) for path in config.season.results),
        ),
    )


def _refuse_unknown(value: Any, form: Any, path: tuple[str, ...], text: str, name: str) -> None:
    """Walk file and form together; the first key that no form has is an error with its line and nearest name."""
    info = msgspec.inspect.type_info(form)
    for part in info.types if isinstance(info, msgspec.inspect.UnionType) else (info,):
        if isinstance(part, msgspec.inspect.StructType) and isinstance(value, dict):
            known = {field.name: field.type for field in msgspec.structs.fields(part.cls)}
            for key, inner in value.items():
                if key not in known:
                    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
                    hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(known)}"
                    where = f"{name}:{find_line(text, (*path, key))}"
                    raise ConfigError(
                        f"there is no setting {'.'.join((*path, key))!r}", where=where, hint=hint
                    )
                _refuse_unknown(inner, known[key], (*path, key), text, name)
        elif (
            isinstance(part, msgspec.inspect.DictType)
            and isinstance(part.value_type, msgspec.inspect.StructType)
            and isinstance(value, dict)
        ):
            for key, inner in value.items():
                _refuse_unknown(inner, part.value_type.cls, (*path, key), text, name)
        elif isinstance(part, msgspec.inspect.VarTupleType) and isinstance(
            part.item_type, msgspec.inspect.StructType
        ):
            for index, inner in enumerate(value if isinstance(value, list) else ()):
                _refuse_unknown(inner, part.item_type.cls, (*path, str(index)), text, name)


def find_line(text: str, path: tuple[str, ...]) -> int:
    """The line of a TOML text (from 1) where a key is set, or the nearest part of its path that can be found.

    >>> find_line("[a]\\nb = 1\\nc = [{ d = 1 },\\n { d = 2 }]", ("a", "c", "1", "d"))
    4
    """
    plain = next((place for place, part in enumerate(path) if part.isdigit()), len(path))
    line = _find_key(text, list(path[:plain]))
    if plain == len(path):
        return line
    rows = text.splitlines(keepends=True)
    start = sum(len(row) for row in rows[: line - 1])
    element = start
    for _ in range(int(path[plain]) + 1):  # the inline tables of a list, counted
        found = text.find("{", element + 1)
        if found < 0:
            return line
        element = found
    end = text.find("}", element)
    for key in path[plain + 1 :]:
        match = re.compile(rf"\b{re.escape(key)}\b").search(text, element, end if end > 0 else len(text))
        element = match.start() if match else element
    return text.count("\n", 0, element) + 1


def _find_key(text: str, wanted: list[str]) -> int:
    """The line that sets a key, or the header or key of the longest part of its path."""
    best_line, best_length = 1, 0
    section: tuple[str, ...] = ()
    for count, line in enumerate(text.splitlines(), start=1):
        bare = line.split("#", 1)[0]
        header = re.match(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*$", bare)
        if header:
            section = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            found = _common(section, wanted)
            if found == len(section) and found > best_length:
                best_line, best_length = count, found
            continue
        if list(section) != wanted[: len(section)]:
            continue
        depth = len(section)
        for key in wanted[depth:]:
            if not re.search(rf"(^|[\s,{{.\"']){re.escape(key)}[\"']?\s*[=.]", bare):
                break
            depth += 1
        if depth > best_length:
            best_line, best_length = count, depth
    return best_line


def _common(one: tuple[str, ...], other: list[str]) -> int:
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same
