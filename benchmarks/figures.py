"""Puts measured figures into the documentation, between their marks."""

from __future__ import annotations

import re
from pathlib import Path


def write(text: str, path: Path, mark: tuple[str, str]) -> None:
    """Put the text between the two marks of a document.

    Raises:
        ValueError: The document has no such marks.
    """
    old = path.read_text(encoding="utf-8")
    new, count = re.subn(
        re.escape(mark[0]) + ".*?" + re.escape(mark[1]),
        lambda _: mark[0] + "\n" + text + mark[1],
        old,
        flags=re.S,
    )
    if not count:
        raise ValueError(f"{path} has no {mark[0]}")
    path.write_text(new, encoding="utf-8")
