"""``maldonne enroll``: teach the table its decks and chips, on the desk's reader or on an antenna of the table.

A deck is asked for card by card; every card is on the disk before the next is asked for, and ``deck.csv`` itself is
written only when the deck is whole. Work that was broken off goes on with the same command.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

from engine.vocabulary import DECK
from firmware_bridge.errors import DeviceError
from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language
from table_controller import enrolment
from table_controller.config import ConfigError, TableConfig, load_config
from table_controller.enrolment import files
from table_controller.enrolment.desk import DeskError, open_desk
from table_controller.enrolment.teaching import ChipTeaching, DeckCheck, DeckTeaching, News
from table_controller.inventory import InventoryError
from webkit.language import Catalogue

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_WAIT: Final = 0.1
_LARGEST_CHIP: Final = 10**12


class DeskAway(CommandError):
    """The reader does not answer."""

    code = "desk-away"


class Levels(Protocol):
    """Something on which tags are laid."""

    name: str

    def level(self, within: float) -> tuple[str, ...] | None:
        """What lies there now."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--config", required=True, metavar="F", help="the table's table.toml")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--chips", type=int, metavar="N", help="teach chips of this denomination")
    what.add_argument(
        "--camera", action="store_true", help="show a deck, card by card, to the table's camera"
    )
    what.add_argument("--replace", metavar="CARD", help="give one card of a deck a new tag, as Ah")
    parser.add_argument("--deck", metavar="NAME", help="the deck's name (default: the only one, or red)")
    parser.add_argument("--pair", metavar="NAME", help="teach this deck after it: the two take turns")
    parser.add_argument("--by-hand", action="store_true", help="every card is typed before it is laid")
    parser.add_argument("--no-check", action="store_true", help="do not ask for three cards again at the end")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--reader", metavar="NAME", help="a reader of the file (default: its enrolment desk)")
    where.add_argument("--antenna", metavar="N", help="an antenna of the table instead, as 1 or board:1")
    parser.add_argument(
        "--into", metavar="FILE", help="with --camera: the file (default: the deck's name, .npz)"
    )
    parser.add_argument("--json", action="store_true", help="one line for each thing that happens")


def run(options: argparse.Namespace) -> int:
    """Teach what the options name.

    Returns:
        0 when it is written, 1 when it was broken off.

    Raises:
        InputError: The file or an option cannot be used.
        DeskAway: The reader is not there.
    """
    config = _config(options.config)
    if options.camera:
        # OpenCV and the networks are for who shows a deck to the camera
        from maldonne import enroll_camera

        return enroll_camera.run(options, config)
    plan = _plan(config, options)
    try:
        with (
            open_desk(config, reader=options.reader, antenna=options.antenna) as desk,
            typed_lines() as typed,
        ):
            return 0 if plan(Work(desk, typed, options.json)) else 1
    except DeskError as error:
        raise InputError(error.what, where=error.where or options.config, hint=error.hint) from None
    except DeviceError as error:
        raise DeskAway(error.what, where=error.where, hint=error.hint) from None
    except InventoryError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None


def _config(name: str) -> TableConfig:
    path = Path(name)
    if not path.is_file():
        raise InputError("there is no such file", where=name, hint="see docs/table.md")
    try:
        return load_config(path)
    except ConfigError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None


def _plan(config: TableConfig, options: argparse.Namespace) -> Callable[[Work], bool]:
    """Refuse what cannot be done before any device is opened."""
    where = options.config
    deck_file, chip_file = config.files.deck, config.files.chips
    try:
        decks = files.decks_of(Path(deck_file)) if deck_file else {}
        chips = files.chips_of(Path(chip_file)) if chip_file else {}
    except InventoryError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    if options.chips is not None:
        if chip_file is None:
            raise InputError(
                "no file for chips is named", where=where, hint='set chips = "chips.csv" in [files]'
            )
        if not 0 < options.chips <= _LARGEST_CHIP:
            raise InputError(f"{options.chips} is no denomination", where="--chips", hint="at least 1")
        return lambda work: work.chips(options.chips, Path(chip_file), chips, decks)
    if deck_file is None:
        raise InputError("no file for decks is named", where=where, hint='set deck = "deck.csv" in [files]')
    path = Path(deck_file)
    names = list(dict.fromkeys(deck for _, deck in decks.values()))
    name = options.deck or (names[0] if len(names) == 1 else "red")
    if options.replace is not None:
        card = card_of(options.replace)
        if card is None:
            raise InputError(f"{options.replace!r} is no card", where="--replace", hint="as Ah, Td or 2c")
        if options.deck is None and len(names) > 1:
            raise InputError("of which deck?", where="--replace", hint=f"--deck {' or --deck '.join(names)}")
        if name not in names:
            raise InputError(f"there is no deck {name!r}", where=deck_file, hint="teach it first")
        return lambda work: work.replace(card, name, path, decks, chips)
    wanted = [name, *([options.pair] if options.pair else [])]
    if len(set(wanted)) < len(wanted) or any(not each.strip() or "," in each for each in wanted):
        raise InputError("two decks need two names", where="--deck, --pair", hint="as red and blue")

    def both(work: Work) -> bool:
        return all(
            work.deck(each, path, decks, chips, options.by_hand, not options.no_check) for each in wanted
        )

    return both


def card_of(text: str) -> str | None:
    """Read a card as people type it.

    >>> card_of("ah"), card_of("10d"), card_of("1x")
    ('Ah', 'Td', None)
    """
    text = text.strip().replace("10", "T")
    card = text[:1].upper() + text[1:].lower()
    return card if card in DECK else None


def shown(card: str) -> str:
    """A card as people read it.

    >>> shown("Th")
    '10♥'
    """
    return (card[0].replace("T", "10") + _SUITS[card[1]]) if card in DECK else card or "?"


class Work:
    """One sitting at the desk."""

    def __init__(self, desk: Levels, typed: Callable[[], str | None], machine: bool) -> None:
        """Begin.

        Args:
            desk: Where tags are laid.
            typed: Gives a line that was typed, None when there is none.
            machine: One line of JSON for each thing that happens.
        """
        self._desk = desk
        self._typed = typed
        self._machine = machine
        self._lang = chosen_language()

    def deck(
        self,
        name: str,
        path: Path,
        decks: files.Rows,
        chips: dict[str, int],
        by_hand: bool,
        check: bool,
    ) -> bool:
        """Teach a whole deck, or what is left of it; whether it was finished."""
        others = {uid: row for uid, row in decks.items() if row[1] != name}
        part = files.read_part(path)
        done = {uid: card for uid, (card, deck) in part.items() if deck == name and uid not in others}
        self._say("begin", deck=name, desk=self._desk.name)
        if done:
            self._say("resume", count=len(done), deck=name)
        teaching = DeckTeaching(name, others, chips, done=done, by_hand=by_hand)
        began = time.monotonic()

        def keep() -> None:
            files.write_part(path, {uid: (card, name) for uid, card in teaching.rows.items()})

        if not self._teach(teaching, keep):
            self._say("kept", count=len(teaching.rows), path=files.part_of(path))
            return False
        if check and not self._check(teaching):
            return False
        for uid in [uid for uid, row in decks.items() if row[1] == name]:
            del decks[uid]
        decks.update({uid: (card, name) for uid, card in teaching.rows.items()})
        files.write_decks(path, decks)
        files.drop_part(path)
        seconds = round(time.monotonic() - began)
        self._say("deck_done", deck=name, count=len(teaching.rows), seconds=seconds, path=path)
        return True

    def replace(self, card: str, name: str, path: Path, decks: files.Rows, chips: dict[str, int]) -> bool:
        """Give one card a new tag."""
        kept = {uid: row for uid, row in decks.items() if row != (card, name)}
        teaching = DeckTeaching(name, kept, chips, wanted=(card,))
        if not self._teach(teaching, lambda: None):
            return False
        (uid,) = teaching.rows
        files.write_decks(path, {**kept, uid: (card, name)})
        self._say("replaced", card=shown(card), deck=name, path=path)
        return True

    def chips(self, value: int, path: Path, chips: dict[str, int], decks: files.Rows) -> bool:
        """Teach chips of one denomination until an empty line is typed."""
        teaching = ChipTeaching(value, chips, decks)
        self._say("chips_begin", value=value, desk=self._desk.name)
        while True:
            line = self._typed()
            if line == "u":
                teaching.take_back()
            elif line is not None:
                break
            taken = len(teaching.rows)
            level = self._desk.level(_WAIT)
            for news in teaching.see(level) if level is not None else ():
                self._tell(news)
            if len(teaching.rows) != taken:
                self._say("chips_taken", count=len(teaching.rows))
        if teaching.rows:
            files.write_chips(path, {**chips, **teaching.rows})
        self._say("chips_done", count=len(teaching.rows), value=value, path=path)
        return True

    # -- inside ------------------------------------------------------------------------------------------

    def _teach(self, teaching: DeckTeaching, keep: Callable[[], None]) -> bool:
        """Until all is taught; False when people stop."""
        asked = ""
        while not teaching.complete:
            total = len(teaching.rows) + len(teaching.waiting)
            card = teaching.next
            prompt = card or f"?{len(teaching.waiting)}"
            if prompt != asked:
                asked = prompt
                if card is None:
                    self._say("name", count=len(teaching.waiting))
                else:
                    self._say("lay", card=shown(card), count=len(teaching.rows) + 1, total=total)
            line = self._typed()
            if line is not None and not self._obey(line, teaching, keep):
                return False
            level = self._desk.level(_WAIT)
            for news in teaching.see(level) if level is not None else ():
                if news.kind == "taken":
                    keep()
                self._tell(news)
        return True

    def _obey(self, line: str, teaching: DeckTeaching, keep: Callable[[], None]) -> bool:
        """Do what was typed; False to stop."""
        text = line.strip()
        if text == "q":
            return False
        if text == "u":
            card = teaching.take_back()
            if card is not None:
                keep()
                self._say("back", card=shown(card))
        elif text:
            card = card_of(text)
            if card is None or not teaching.name(card):
                self._say("no_card", text=text)
        return True

    def _check(self, teaching: DeckTeaching) -> bool:
        """Three cards laid again, the last of the deck among them: whether they are what was taught."""
        cards = list(teaching.rows.values())
        check = DeckCheck(teaching.rows, (cards[len(cards) // 3], cards[2 * len(cards) // 3], cards[-1]))
        asked: str | None = None
        while check.next is not None:
            if check.next != asked:
                asked = check.next
                self._say("check", card=shown(asked))
            line = self._typed()
            if line is not None and line.strip() == "q":
                return False
            level = self._desk.level(_WAIT)
            for news in check.see(level) if level is not None else ():
                if news.kind == "right":
                    self._say("check_right")
                else:
                    self._say("check_wrong", card=shown(news.card))
        return True

    def _tell(self, news: News) -> None:
        if news.kind == "chip":
            self._say("chip", value=news.card)
        elif news.kind != "taken" or news.deck:
            self._say(news.kind, None, **_values(news))

    def _say(self, name: str, count: int | None = None, **values: Any) -> None:
        if self._machine:
            told = {key: value for key, value in values.items() if value is not None}
            if count is not None:
                told["count"] = count
            print(json.dumps({"enroll": name, **told}, default=str, ensure_ascii=False), flush=True)
        else:
            print(_texts().text(self._lang, f"enroll.{name}", count, **values), flush=True)


def _values(news: News) -> dict[str, str]:
    if news.kind == "several":
        return {}
    values = {"card": shown(news.card)}
    return {**values, "deck": news.deck} if news.kind == "other_deck" else values


@cache
def _texts() -> Catalogue:
    return Catalogue(Path(enrolment.__file__).parent / "locales")


@contextlib.contextmanager
def typed_lines() -> Iterator[Callable[[], str | None]]:
    """Lines of standard input without waiting for them; its end is no line (a desk without a keyboard)."""
    descriptor = sys.stdin.fileno()
    held = bytearray()
    lines: list[str] = []
    ended = False

    def typed() -> str | None:
        nonlocal ended
        while not ended and select.select([descriptor], [], [], 0)[0]:
            data = os.read(descriptor, 4096)
            ended = not data
            held.extend(data)
            *whole, rest = held.split(b"\n")
            held[:] = rest
            lines.extend(bytes(line).decode("utf-8", "replace").strip() for line in whole)
        return lines.pop(0) if lines else None

    yield typed
