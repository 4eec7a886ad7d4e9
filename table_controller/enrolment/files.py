"""``deck.csv`` and ``chips.csv`` written so that a power cut leaves the old file or the new one, never half of one.

What is taught so far of a deck that is not complete lies beside it, in ``deck.csv.part``, after every card: work that
was broken off goes on where it was.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from table_controller.inventory import InventoryError, read_chips, read_deck

Rows = dict[str, tuple[str, str]]
"""Card and deck by UID."""


def decks_of(path: Path) -> Rows:
    """The cards that a file names; none where there is no file yet.

    Raises:
        InventoryError: The file cannot be used as it stands.
    """
    if not path.exists():
        return {}
    return {uid: (card.reveal(), card.deck) for uid, card in read_deck(path).items()}


def chips_of(path: Path) -> dict[str, int]:
    """The chips that a file names; none where there is no file yet.

    Raises:
        InventoryError: The file cannot be used as it stands.
    """
    return read_chips(path) if path.exists() else {}


def write_decks(path: Path, rows: Rows) -> None:
    """Put all cards into ``deck.csv``, the decks in the order in which they were taught.

    Raises:
        InventoryError: The disk does not take it; the old file stays.
    """
    _replace(path, ("uid", "card", "deck"), ((uid, card, deck) for uid, (card, deck) in rows.items()))


def write_chips(path: Path, chips: Mapping[str, int]) -> None:
    """Put all chips into ``chips.csv``.

    Raises:
        InventoryError: The disk does not take it; the old file stays.
    """
    _replace(path, ("uid", "denomination"), ((uid, str(value)) for uid, value in chips.items()))


def part_of(path: Path) -> Path:
    """Where a deck lies that is not complete."""
    return path.with_name(path.name + ".part")


def read_part(path: Path) -> Rows:
    """What was taught before the work was broken off.

    Raises:
        InventoryError: The file is no such record: nothing of it is used.
    """
    part = part_of(path)
    if not part.exists():
        return {}
    try:
        lines = list(csv.reader(part.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise InventoryError(f"cannot be read: {error}", where=str(part), hint="delete it") from None
    if not lines or lines[0] != ["uid", "card", "deck"] or any(len(line) != 3 for line in lines):
        raise InventoryError("is no unfinished deck", where=str(part), hint="delete it and begin again")
    return {uid: (card, deck) for uid, card, deck in lines[1:]}


def write_part(path: Path, rows: Rows) -> None:
    """Keep what is taught so far of a deck.

    Raises:
        InventoryError: The disk does not take it.
    """
    _replace(
        part_of(path), ("uid", "card", "deck"), ((uid, card, deck) for uid, (card, deck) in rows.items())
    )


def drop_part(path: Path) -> None:
    """The deck is complete."""
    part_of(path).unlink(missing_ok=True)


def _replace(path: Path, heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Give a file these lines, all or none."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the file, make sure that it is on the disk, then let it take the file's name.

    Raises:
        InventoryError: The disk does not take it; the old file stays.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise InventoryError(
            f"cannot be written: {error.strerror}",
            where=str(path),
            hint="check the disk and who owns the folder",
        ) from error
