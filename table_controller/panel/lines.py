"""A text and what can be pressed, put on two lines of forty characters. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 40
_GAP: Final = 2
# A number stays with the word before it ("siège 4"), a question mark with its question.
_TOGETHER: Final = re.compile(r" (?=[\d?!:;»])|(?<=«) ")

Two = tuple[str, str]


def _plain(text: str) -> str:
    """Small displays have no thin spaces."""
    return _TOGETHER.sub("\u00a0", text.replace("\u202f", "\u00a0"))


def _fill(words: list[str], room: int) -> str:
    """Take words from the front as long as they fit; a word longer than the room is cut."""
    line = ""
    while words and len(line) + bool(line) + len(words[0]) <= room:
        line = f"{line} {words.pop(0)}" if line else words.pop(0)
    if not line and words:
        line, words[0] = words[0][:room], words[0][room:]
    return line


def pages(text: str, hint: str) -> list[Two]:
    """A text on as many screens as it needs, each with what can be pressed at the end of its second line.

    >>> pages("Donnez deux cartes à chacun, une par une, le siège 2 d'abord", "OUI=fait")
    [('Donnez deux cartes à chacun, une par', "une, le siège 2 d'abord         OUI=fait")]
    """
    words = _plain(text).split()
    hint = hint[:WIDTH]
    room = max(WIDTH - len(hint) - (_GAP if hint else 0), 0)
    found: list[Two] = []
    while words or not found:
        first = _fill(words, WIDTH)
        second = _fill(words, room) if words and room > _GAP else ""
        found.append((first.replace("\u00a0", " "), _with(second.replace("\u00a0", " "), hint)))
    return found


def _with(text: str, hint: str) -> str:
    return text + hint.rjust(WIDTH - len(text)) if hint else text


def fit(texts: Sequence[str], hints: Sequence[str]) -> Two:
    """The first text and hint that fit together; the last ones are cut where nothing does.

    Args:
        texts: The instruction, the fullest first.
        hints: What can be pressed, the fullest first.
    """
    for text in texts:
        for hint in hints:
            if len(hint) <= WIDTH and len(found := pages(text, hint)) == 1:
                return found[0]
    first, second = pages(texts[-1], hints[-1])[0]
    return first[: WIDTH - 1] + "…", second
