"""Where a setting stands in a TOML text, and which key of it no form has: for errors that name the line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

Path = tuple[str | int, ...]
"""Keys by name; the items of a list by their number, from 0."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which of the known words was probably meant.

    >>> nearest("bord", ["board", "burn"])
    "did you mean 'board'?"
    """
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"one of {', '.join(names)}"


def dotted(path: Path) -> str:
    """A path as people say it: without the numbers of items.

    >>> dotted(("game", "seats", 3, "stack"))
    'game.seats.stack'
    """
    return ".".join(part for part in path if isinstance(part, str))


def unknown_key(value: Any, form: Any, path: Path = ()) -> tuple[Path, str] | None:
    """Walk a file's values and their form together; give the first key that no form has, and the nearest one."""
    info = msgspec.inspect.type_info(form)
    return _walk(value, info, path)


def _walk(value: Any, info: msgspec.inspect.Type, path: Path) -> tuple[Path, str] | None:
    parts = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    for part in parts:
        if isinstance(part, msgspec.inspect.StructType) and isinstance(value, dict):
            known = {field.encode_name: field.type for field in part.fields}
            for key, inner in value.items():
                if key not in known:
                    return (*path, key), nearest(key, known)
                found = _walk(inner, known[key], (*path, key))
                if found is not None:
                    return found
        elif isinstance(part, msgspec.inspect.DictType) and isinstance(value, dict):
            for key, inner in value.items():
                found = _walk(inner, part.value_type, (*path, key))
                if found is not None:
                    return found
        elif isinstance(part, msgspec.inspect.VarTupleType) and isinstance(value, list):
            for place, inner in enumerate(value):
                found = _walk(inner, part.item_type, (*path, place))
                if found is not None:
                    return found
    return None


def wrong_path(values: Any, form: Any, error: msgspec.ValidationError) -> Path:
    """The path that a failed conversion names; a dictionary's key, which it leaves open, is found by trying.

    Args:
        values: What was converted.
        form: What it should have become.
        error: What the conversion said.
    """
    _, _, at = str(error).partition(" - at `")
    path: list[str | int] = []
    inner = values
    for name, item in re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", at):
        if item.isdigit():
            path.append(int(item))
        elif name:
            path.append(name)
        elif isinstance(inner, dict):
            found = next((key for key in inner if _fails_alike(values, form, path, key, str(error))), None)
            if found is None:
                break
            path.append(found)
        else:
            break
        inner = _inside(inner, path[-1])
    return tuple(path)


def _inside(value: Any, part: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _fails_alike(values: Any, form: Any, path: list[str | int], key: str, said: str) -> bool:
    """Whether the same is said of a file in which this dictionary has this key alone."""
    try:
        msgspec.convert(_only(values, path, key), form)
    except msgspec.ValidationError as error:
        return str(error) == said
    return False


def _only(value: Any, path: list[str | int], key: str) -> Any:
    if not path:
        return {key: value[key]}
    if isinstance(value, dict):
        return {name: _only(v, path[1:], key) if name == path[0] else v for name, v in value.items()}
    return [_only(v, path[1:], key) if place == path[0] else v for place, v in enumerate(value)]


def find_line(text: str, path: Path) -> int:
    """Give the line of a TOML text (from 1) where a key is set, or the longest part of its path that is.

    >>> find_line("[game]\\nlevel = 1\\n[mqtt]\\nport = 0\\n", ("mqtt", "port"))
    4
    >>> find_line("[[levels]]\\nminutes = 1\\n[[levels]]\\nminutes = 0\\n", ("levels", 1, "minutes"))
    4
    """
    lines = _Lines(text).found
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


_SPACE: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY: Final = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL
)
_PLAIN: Final = re.compile(r"[^,\]}#\n]*")


class _Lines:
    """One walk over a text that is known to be TOML: the line of every key and item.

    Attributes:
        found: Line (from 1) by path.
    """

    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._tables: dict[Path, int] = {}
        section: Path = ()
        while self._skip():
            if text.startswith("[", self._at):
                section = self._header()
            elif not self._setting(section):
                break  # no TOML: whoever reads it says so

    def _skip(self) -> bool:
        """Go over spaces, line ends and remarks; whether anything is left."""
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found is not None else self._at
        return self._at < len(self._text)

    def _mark(self, path: Path, at: int) -> None:
        self.found.setdefault(path, self._text.count("\n", 0, at) + 1)

    def _header(self) -> Path:
        at = self._at
        many = self._text.startswith("[[", at)
        self._at += 2 if many else 1
        path: Path = ()
        names = self._keys()
        for place, name in enumerate(names):
            path = (*path, name)
            last = place == len(names) - 1
            if many and last:
                self._tables[path] = self._tables.get(path, -1) + 1
            self._mark(path, at)
            if path in self._tables:
                path = (*path, self._tables[path])
                self._mark(path, at)
        self._at = self._text.find("]", self._at) + (2 if many else 1)
        return path

    def _keys(self) -> list[str]:
        """A dotted key."""
        names: list[str] = []
        while self._skip():
            found = _KEY.match(self._text, self._at)
            if found is None:
                break
            names.append(found[0].strip("\"'") if found[0][0] in "\"'" else found[0])
            self._at = found.end()
            self._skip()
            if not self._text.startswith(".", self._at):
                break
            self._at += 1
        return names

    def _setting(self, section: Path) -> bool:
        """A key with its value; False where none stands."""
        at, path = self._at, section
        for name in self._keys():
            path = (*path, name)
            self._mark(path, at)
        self._skip()
        if path == section or not self._text.startswith("=", self._at):
            return False
        self._at += 1
        self._value(path)
        return True

    def _value(self, path: Path) -> None:
        self._skip()
        self._mark(path, self._at)
        if self._text.startswith("[", self._at):
            self._at += 1
            place = 0
            while self._more("]"):
                self._value((*path, place))
                place += 1
        elif self._text.startswith("{", self._at):
            self._at += 1
            while self._more("}"):
                if not self._setting(path):
                    return
        else:
            found = _STRING.match(self._text, self._at) or _PLAIN.match(self._text, self._at)
            # No value at all is no TOML: the walk ends.
            self._at = found.end() if found is not None and found[0] else len(self._text)

    def _more(self, end: str) -> bool:
        """Whether another item comes before the list or table ends."""
        self._skip()
        if self._text.startswith(",", self._at):
            self._at += 1
            self._skip()
        if self._at >= len(self._text):
            return False
        if self._text.startswith(end, self._at):
            self._at += 1
            return False
        return True
