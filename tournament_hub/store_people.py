"""Names of people: one table that can be erased, what is kept how long, and one person's right to see or to be forgotten.

Everywhere else a person is a pseudonym (``p-…``) or an entry id. People type names all the same: a device is called
"Anne's phone", a note names a player. ``forget`` blacks these too, in every text that people type, and then looks for what
is left in every file of the data folder: it says so when it found any.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from tournament_hub.errors import HubError
from tournament_hub.store import Store

BLACKED: Final = "—"
"""What stands where a name stood."""
TYPED: Final = frozenset(
    (
        "by",
        "note",
        "text",
        "detail",
        "hint",
        "reason",
        "name",
        "fr",
        "en",
        "dealer",
        "acknowledged_by",
        "confirmed_by",
        "title",
    )
)
"""Fields of payloads that hold what people type; ids, cards and numbers are never touched."""

Days = Annotated[int, Meta(ge=0, le=36500)]


class Keep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long each kind is kept, in days; 0 = for good.

    Attributes:
        names: after the person was last entered anywhere.
        alarms: that somebody has taken.
        requests: what tables asked, with the answers.
        targets: earlier targets of tables, with who wanted them; the present one stays.
        events: streams of tables whose journal is another by now.
        tournaments: logs of tournaments, after their last record.
    """

    names: Days = 730
    alarms: Days = 90
    requests: Days = 30
    targets: Days = 90
    events: Days = 365
    tournaments: Days = 0


class Person(Struct, frozen=True):
    """One row of the table of names.

    Attributes:
        person: pseudonym, ``p-…``.
        details: another form of the name, or an address; blacked with the name.
        seen_utc: when he was last entered anywhere.
        number: his number in the club.
        paid_up: the season for which he is a member in order; empty: not known.
        adult: somebody has seen that he is of age. A date of birth is kept nowhere.
    """

    person: str
    name: str
    details: str = ""
    added_utc: str = ""
    seen_utc: str = ""
    number: str = ""
    paid_up: str = ""
    adult: bool = False


class UnknownPerson(HubError):
    """Nobody is kept under that name or pseudonym, or several are."""

    code = "hub-unknown-person"


class StillThere(HubError):
    """A name was blacked in the record and still stands in a file of the data folder."""

    code = "hub-still-there"


def save_person(store: Store, person: Person, utc: str) -> None:
    """Keep a name, or a changed one; inside ``transaction``. ``utc``: he is entered somewhere now."""
    store.database.execute(
        "INSERT INTO people (person, name, details, added_utc, seen_utc, number, paid_up, adult)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person) DO UPDATE SET"
        " name = excluded.name, details = excluded.details, seen_utc = excluded.seen_utc,"
        " number = excluded.number, paid_up = excluded.paid_up, adult = excluded.adult",
        (
            person.person,
            person.name,
            person.details,
            utc,
            utc,
            person.number,
            person.paid_up,
            int(person.adult),
        ),
    )


def drop_person(store: Store, person: str) -> None:
    """A name that was put on the list by mistake goes; inside ``transaction``. Who has played is forgotten instead."""
    store.database.execute("DELETE FROM people WHERE person = ?", (person,))


def people(store: Store) -> list[Person]:
    """Everybody whose name is kept, by name."""
    rows = store.database.execute(
        "SELECT person, name, details, added_utc, seen_utc, number, paid_up, adult FROM people"
    )
    found = [
        Person(person, name, details, added, seen, number, paid_up, bool(adult))
        for person, name, details, added, seen, number, paid_up, adult in rows
    ]
    return sorted(found, key=lambda held: (held.name.casefold(), held.person))


def find(store: Store, wanted: str) -> Person:
    """Somebody by his pseudonym or by his name.

    Raises:
        UnknownPerson: nobody is kept under it, or several.
    """
    held = people(store)
    for person in held:
        if person.person == wanted:
            return person
    found = [person for person in held if _folded(person.name) == _folded(wanted)]
    if len(found) == 1:
        return found[0]
    what = "nobody is kept under this name" if not found else f"{len(found)} people have this name"
    hint = "look at the list of players" if not found else f"name one: {', '.join(p.person for p in found)}"
    raise UnknownPerson(what, where=wanted, hint=hint)


# -- to be forgotten -------------------------------------------------------------------


class Forgotten(Struct, frozen=True):
    """What was done: how many texts were blacked, by table of the record, and in which other files.

    ``shared``: forms that are also part of another person's name, and stay there.
    """

    person: str
    blacked: dict[str, int]
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()


def forget(store: Store, person: Person, folder: Path | None = None, also: Iterable[str] = ()) -> Forgotten:
    """Erase a name: the row, every text that people typed it into, deleted pages and the write-ahead file.

    Results stay, under the pseudonym. Outside ``transaction``.

    Args:
        store: the record; no hub runs with it.
        person: who.
        folder: the data folder, for the names of devices and copies of the record in it.
        also: other forms of the name that were typed: a first name, a nickname.

    Raises:
        StillThere: the name still stands in a file that this program did not write.
        StoreFault: the record cannot be written.
    """
    names = _names(person, also)
    with store.transaction():
        blacked = _black_record(store, names)
    store.database.purge()  # a reader stops it here, while the person can still be found and forgotten again
    files = []
    if folder is not None:
        files = [name for name in (_black_devices(folder, names),) if name]
        files += _black_copies(folder, store, person, also)
        files += _drop_paper(folder, names)
    with store.transaction():
        row = store.database.execute("DELETE FROM people WHERE person = ?", (person.person,))
        blacked["people"] = row.rowcount
    store.database.purge()
    others = [held.name.casefold() for held in people(store)]
    shared = tuple(name for name in names if any(name.casefold() in other for other in others))
    left = scan(folder, [name for name in names if name not in shared]) if folder is not None else []
    if left:
        raise StillThere(
            f"the name still stands in {', '.join(left)}",
            where=str(folder),
            hint="these files are none of the hub's: delete them, or move them away",
        )
    return Forgotten(person.person, blacked, tuple(files), shared)


def _names(person: Person, also: Iterable[str]) -> list[str]:
    found = [person.name, person.details, *also]
    return sorted({name.strip() for name in found if name.strip()}, key=len, reverse=True)


def _black_record(store: Store, names: list[str]) -> dict[str, int]:
    db = store.database
    counts: dict[str, int] = {}
    pattern = _pattern(names)
    for table, keys, texts, payloads in (
        ("desired", ("id",), ("said_by", "reason"), ("document",)),
        ("alarms", ("id",), ("detail", "taken_by"), ()),
        ("requests", ("tbl", "kind", "tx"), (), ("payload", "response")),
        ("records", ("tournament", "n"), (), ("payload",)),
        ("events", ("tbl", "life", "seq"), (), ("payload",)),
        ("results", ("tbl", "life", "seq"), (), ("body",)),
        ("heads", ("tbl", "life"), (), ("picture",)),
        ("configured", ("tbl",), (), ("document",)),
    ):
        columns = (*texts, *payloads)
        changed = 0
        rows = db.execute(f"SELECT {', '.join((*keys, *columns))} FROM {table}").fetchall()
        for row in rows:
            old = row[len(keys) :]
            new = [
                None
                if value is None
                else pattern.sub(BLACKED, value)
                if name in texts
                else _black(value, pattern)
                for name, value in zip(columns, old, strict=True)
            ]
            if new != list(old):
                changed += 1
                mark = ", redacted = 1" if table == "events" else ""
                db.execute(
                    f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in columns)}{mark}"
                    f" WHERE {' AND '.join(f'{key} = ?' for key in keys)}",
                    (*new, *row[: len(keys)]),
                )
        if changed:
            counts[table] = changed
    store.reload()
    return counts


def _pattern(names: list[str]) -> re.Pattern[str]:
    """The name as a word of its own, in either of the two ways in which accents are written."""
    forms = {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")}
    words = "|".join(re.escape(name) for name in sorted(forms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def _black(payload: bytes, pattern: re.Pattern[str]) -> bytes:
    """The payload with the name blacked in what people typed; the same bytes where it does not stand."""
    if not pattern.search(payload.decode("utf-8", "replace")) and b"\\u" not in payload:
        return payload
    try:
        data = msgspec.json.decode(payload)
    except msgspec.DecodeError:
        return payload
    black = _walk(data, pattern, False)
    return payload if black == data else msgspec.json.encode(black)


def _walk(value: Any, pattern: re.Pattern[str], typed: bool) -> Any:
    match value:
        case dict():
            return {key: _walk(held, pattern, key in TYPED) for key, held in value.items()}
        case list():
            return [_walk(held, pattern, typed) for held in value]
        case str() if typed:
            return pattern.sub(BLACKED, value)
        case _:
            return value


def _black_devices(folder: Path, names: list[str]) -> str | None:
    """Devices that were let in under the name keep their right to come in and lose the name."""
    file = folder / "web" / "devices.json"
    if not file.is_file():
        return None
    pattern = _pattern(names)
    before = file.read_text(encoding="utf-8")
    data = json.loads(before)
    for row in data.values():
        row["name"] = pattern.sub(BLACKED, str(row["name"]))
    if data == json.loads(before):
        return None
    fresh = file.with_name(file.name + ".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(data, out)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
    return str(file)


def _black_copies(folder: Path, store: Store, person: Person, also: Iterable[str]) -> list[str]:
    """Backups that lie in the data folder hold the name too."""
    found = []
    for path in sorted(folder.rglob("*")):
        if str(path) == store.database.where or not _is_sqlite(path):
            continue
        if not any(name.encode() in path.read_bytes() for name in _names(person, also)):
            continue
        copy = Store(path, starting=False)
        try:
            forget(copy, person, None, also)
        finally:
            copy.close()
            path.with_name(path.name + ".lock").unlink(missing_ok=True)
        found.append(str(path))
    return found


def _drop_paper(folder: Path, names: list[str]) -> list[str]:
    """Paper sheets with the name on them go; the hub writes them anew at its next start."""
    forms = {form for name in names for form in _written(name)}
    found = [path for path in sorted((folder / "paper").rglob("*.html")) if _holds(path, forms)]
    for path in found:
        path.unlink()
    return [str(path) for path in found]


def _is_sqlite(path: Path) -> bool:
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def scan(folder: Path, names: Iterable[str]) -> list[str]:
    """Files below the folder in which one of the names stands, in whatever form it may be written."""
    forms = {form for name in names for form in _written(name)}
    return [
        str(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and _holds(path, forms)
    ]


def _written(name: str) -> Iterator[bytes]:
    """A name's bytes: UTF-8 with accents in either way, JSON's escapes, UTF-16, the old Western page."""
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, name)
        yield text.encode("utf-8")
        yield json.dumps(text)[1:-1].encode("ascii")
        yield text.encode("utf-16-le")
        try:
            yield text.encode("cp1252")
        except UnicodeEncodeError:
            continue


def _holds(path: Path, forms: set[bytes]) -> bool:
    """Whether a file has one of the forms as a word of its own, also across the edge of two pieces."""
    data = path.read_bytes()
    for form in forms:
        for match in re.finditer(re.escape(form), data):
            around = data[max(0, match.start() - 1) : match.start()] + data[match.end() : match.end() + 1]
            if len(form) > 8 or not any(chr(byte).isalnum() for byte in around if byte < 128):
                return True
    return False


# -- to see what is kept -----------------------------------------------------------------


def export_person(store: Store, person: Person) -> dict[str, Any]:
    """Everything that is kept of a person: name, and what each tournament's log says of him and of his entries."""
    tournaments = []
    for tournament in store.tournaments():
        records = [msgspec.json.decode(payload) for payload in store.records(tournament)]
        entries = sorted({entry for record in records for entry in _entries(record, person.person)})
        about = [record for record in records if _mentions(record, {person.person, *entries})]
        if about:
            tournaments.append({"tournament": tournament, "entries": entries, "records": about})
    return {"person": msgspec.to_builtins(person), "tournaments": tournaments}


def _entries(record: Any, person: str) -> Iterator[str]:
    """Entries that a record gives to a player."""
    if isinstance(record, dict):
        if record.get("player") == person and isinstance(record.get("entry") or record.get("id"), str):
            yield record.get("entry") or record["id"]
        for value in record.values():
            yield from _entries(value, person)
    elif isinstance(record, list):
        for value in record:
            yield from _entries(value, person)


def _mentions(value: Any, wanted: set[str]) -> bool:
    if isinstance(value, dict):
        return any(key in wanted or _mentions(held, wanted) for key, held in value.items())
    if isinstance(value, list):
        return any(_mentions(held, wanted) for held in value)
    return isinstance(value, str) and value in wanted


# -- how long -----------------------------------------------------------------------------


def retain(store: Store, keep: Keep, utc: str) -> dict[str, int]:
    """Let go of what has been kept long enough; how many rows of each kind went. Outside ``transaction``.

    Args:
        store: the record.
        keep: days by kind.
        utc: now.
    """
    db = store.database
    gone: dict[str, int] = {}

    def drop(kind: str, days: int, sql: str, times: int = 1) -> None:
        if days:
            count = db.execute(sql, (_before(utc, days),) * times).rowcount
            if count:
                gone[kind] = gone.get(kind, 0) + count

    with store.transaction():
        drop("names", keep.names, "DELETE FROM people WHERE seen_utc < ?")
        drop("alarms", keep.alarms, "DELETE FROM alarms WHERE taken_by IS NOT NULL AND utc < ?")
        drop("requests", keep.requests, "DELETE FROM requests WHERE utc <> '' AND utc < ?")
        drop(
            "targets",
            keep.targets,
            "DELETE FROM desired WHERE utc <> '' AND utc < ?"
            " AND id NOT IN (SELECT max(id) FROM desired GROUP BY tbl)",
        )
        drop(
            "tournaments",
            keep.tournaments,
            "DELETE FROM records WHERE tournament IN"
            " (SELECT tournament FROM records GROUP BY tournament HAVING max(utc) < ?)",
        )
        if keep.events:
            _drop_lives(store, _before(utc, keep.events), gone)
        store.reload()
    if "names" in gone:
        db.purge()
    return gone


def _drop_lives(store: Store, before: str, gone: dict[str, int]) -> None:
    """Whole streams, never a part of one: what is left can still be rebuilt and proved."""
    db = store.database
    lives = db.execute(
        "SELECT events.tbl, events.life FROM events LEFT JOIN tables ON tables.tbl = events.tbl AND"
        " tables.life = events.life WHERE tables.life IS NULL GROUP BY events.tbl, events.life"
        " HAVING max(received_utc) < ?",
        (before,),
    ).fetchall()
    for key in lives:
        count = db.execute("DELETE FROM events WHERE tbl = ? AND life = ?", key).rowcount
        for table in ("results", "heads"):
            db.execute(f"DELETE FROM {table} WHERE tbl = ? AND life = ?", key)
        gone["events"] = gone.get("events", 0) + count


def _before(utc: str, days: int) -> str:
    moment = datetime.datetime.fromisoformat(utc) - datetime.timedelta(days=days)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()
