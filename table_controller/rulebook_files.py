"""Where rulebooks are read from: the packaged ones and a club's own files.

The only place that opens a rulebook file. ``load_book`` takes the id of a packaged book
(``ropta``) or the path of a club's TOML file, follows ``extends`` and hands the engine a
complete book, with the other packaged books beside it for suggestions.
"""

from __future__ import annotations

import difflib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from engine.cures import STEP_NAMES
from engine.errors import MalformedRulebook
from engine.rulebook import Rulebook, load

# Whose answers are suggested first where a book is silent.
_SUGGESTED_FIRST = ("standard", "ropta", "tda2024", "pokernews", "ppc2011")
_LARGEST_FILE = 1 << 20
_SECTION = "#:: rulebook "
# Where a TOML reader says that a text breaks off.
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")

Texts = tuple[tuple[str, str], ...]
"""A book's text and those that it extends, each under the name by which it is called."""


def available() -> tuple[str, ...]:
    """Give the ids of the packaged rulebooks, in alphabetical order."""
    folder = files("engine").joinpath("rulebooks")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def hand_books() -> tuple[Rulebook, ...]:
    """Give the packaged books that say something of a hand, if only that the director decides."""
    books = (load_book(name) for name in available())
    return tuple(
        book
        for book in books
        if book.floor.rulebook == book.id
        or any(row.rulebook == book.id for rows in book.rows.values() for row in rows)
    )


def load_book(name: str) -> Rulebook:
    """Read the book that a table shall play by.

    Args:
        name: id of a packaged book, or the path of a TOML file (ends in ``.toml`` or has a ``/``).

    Raises:
        MalformedRulebook: no such book, or a file that cannot be used; names file, line and the
            nearest name that exists.
    """
    return resolve(name)[0]


def resolve(name: str) -> tuple[Rulebook, str]:
    """Read a book, and the text that a journal keeps of it: its own and all that it extends.

    Raises:
        MalformedRulebook: as ``load_book``.
    """
    if _is_path(name):
        book, texts = _from_file(Path(name), "", ())
        if book.id in available():
            raise MalformedRulebook(
                f"id {book.id} is that of a packaged rulebook",
                where=f"{name}:{_line_of(book.text, 'id')}",
                hint="give the club's book an id of its own",
            )
    else:
        book, texts = _packaged(name)
    whole = ((book.id, book.text), *texts[1:])
    text = "".join(f"{_SECTION}{called}\n{own.rstrip()}\n" for called, own in whole)
    return _with_others(book), text


def load_resolved(text: str, name: str = "journal") -> Rulebook:
    """Read a book from the text that ``resolve`` gave, without any file.

    Raises:
        MalformedRulebook: the text is not complete or not a rulebook.
    """
    parts = re.split(rf"^{re.escape(_SECTION)}(.*)\n", text, flags=re.MULTILINE)
    left = list(zip(parts[1::2], parts[2::2], strict=True))
    if not left or parts[0].strip():
        raise MalformedRulebook("holds no rulebook", where=name)

    def following(wanted: str) -> Rulebook:
        if not left or left[0][0] != wanted:
            raise MalformedRulebook(f"extends {wanted}, which is not kept with it", where=name)
        called, own = left.pop(0)
        return load(own, f"{name}[{called}]", parent=following, steps=STEP_NAMES)

    return _with_others(following(left[0][0]))


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or "/" in name or "\\" in name


@cache
def _packaged(name: str) -> tuple[Rulebook, Texts]:
    known = available()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        raise MalformedRulebook(
            "no such rulebook",
            where=name,
            hint=f"did you mean {close[0]}?" if close else f"one of {', '.join(known)}, or a .toml file",
        )
    text = files("engine").joinpath("rulebooks", f"{name}.toml").read_text(encoding="utf-8")
    inherited: list[tuple[str, str]] = []

    def parent(wanted: str) -> Rulebook:
        book, texts = _packaged(wanted)
        inherited.extend(texts)
        return book

    book = load(text, f"{name}.toml", parent=parent, steps=STEP_NAMES)
    return book, ((name, text), *inherited)


def _from_file(path: Path, called: str, line: tuple[Path, ...]) -> tuple[Rulebook, Texts]:
    place = path.resolve()
    if place in line:
        raise MalformedRulebook("extends itself, directly or through others", where=str(path))
    text = _read(path)
    inherited: list[tuple[str, str]] = []

    def parent(wanted: str) -> Rulebook:
        if _is_path(wanted):
            book, texts = _from_file(path.parent / wanted, wanted, (*line, place))
        elif wanted in available():
            book, texts = _packaged(wanted)
        else:
            close = difflib.get_close_matches(wanted, available(), n=1, cutoff=0.4)
            raise MalformedRulebook(
                f"extends {wanted}, which is no packaged rulebook",
                where=f"{path}:{_line_of(text, 'extends')}",
                hint=f"did you mean {close[0]}?" if close else f"one of {', '.join(available())}",
            )
        inherited.extend(texts)
        return book

    try:
        book = load(text, str(path), parent=parent, steps=STEP_NAMES)
    except RecursionError:
        raise MalformedRulebook("is nested too deeply", where=f"{path}:1") from None
    except MalformedRulebook as error:
        found = _AT_LINE.search(error.what)
        if error.where != str(path) or found is None:
            raise
        what = _AT_LINE.sub("", error.what)
        raise MalformedRulebook(what, where=f"{path}:{found.group(1)}", hint=error.hint) from None
    if book.id in book.lineage[1:]:
        raise MalformedRulebook(
            f"id {book.id} is also that of a book that it extends", where=f"{path}:{_line_of(text, 'id')}"
        )
    return book, ((called, text), *inherited)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise MalformedRulebook(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(raw) > _LARGEST_FILE:
        raise MalformedRulebook("is larger than 1 MiB", where=str(path), hint="is this a rulebook?")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedRulebook("is not UTF-8 text", where=f"{path}:{line}") from None


def _with_others(book: Rulebook) -> Rulebook:
    """Put the other packaged books beside this one, those that write rows of their own."""
    known = available()
    ordered = [name for name in _SUGGESTED_FIRST if name in known]
    ordered += [name for name in known if name not in ordered]
    others = []
    for name in ordered:
        other = _packaged(name)[0]
        writes = any(row.rulebook == other.id for rows in other.rows.values() for row in rows)
        if other.id != book.id and writes:
            others.append(other)
    return msgspec.structs.replace(book, others=tuple(others))


def _line_of(text: str, key: str) -> int:
    found = re.search(rf"^{key}\s*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1
