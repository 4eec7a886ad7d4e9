"""Where a setting stands in a TOML text, and which key of it no form has: for errors that name the line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

import msgspec

Path = tuple[str, ...]


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which of the known words was probably meant.

    >>> nearest("bord", ["board", "burn"])
    "did you mean 'board'?"
    """
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"one of {', '.join(names)}"


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
            for inner in value:
                found = _walk(inner, part.item_type, path)
                if found is not None:
                    return found
    return None


def find_line(text: str, path: Path) -> int:
    """Give the line of a TOML text (from 1) where a key is set, or the nearest part of its path that can be found.

    >>> find_line("[game]\\nlevel = 1\\n[mqtt]\\nport = 0\\n", ("mqtt", "port"))
    4
    """
    best_line, best_length = 1, 0
    section: Path = ()
    wanted = [part for part in path if not part.isdigit() or path[0] == "antennas"]
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


def _common(one: Path, other: list[str]) -> int:
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same
