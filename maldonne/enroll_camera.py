"""``maldonne enroll --camera``: a deck is shown to the table's camera, so that its own faces are known.

Each card is laid face up where the board lies, until it is taken; its name comes from its tag, or, ``--by-hand``,
the cards are asked for in order. Work that was broken off goes on with the same command.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from firmware_bridge.errors import DeviceError
from maldonne.enroll import DeskAway, Levels, card_of, shown, typed_lines
from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language, say
from table_controller.config import TableConfig
from table_controller.enrolment import files
from table_controller.enrolment.desk import DeskError, open_desk
from table_controller.inventory import InventoryError
from vision.calibration import load
from vision.detect import find_cards
from vision.enrolling import Sitting
from vision.errors import VisionError
from vision.frames import NoFrame, Source, open_source
from vision.recognise import BACK, DeckUnusable, EnrolledDeck

WAIT: Final = 10.0
"""The camera may take so long for a picture (s)."""
_TAG: Final = 0.02
_PLACE: Final = "board"
_TELL: Final = frozenset({"several", "side", "same", "reads_other", "twin"})
_AFTER: Final = 12
"""So many pictures in a row show the same trouble before it is told: hands come and go."""


def run(options: argparse.Namespace, config: TableConfig) -> int:
    """Show a deck to the camera.

    Returns:
        0 when the whole deck is written, 1 when it was broken off.

    Raises:
        InputError: The file names no camera or no deck, or an option cannot be used.
        CommandError: The camera gives no pictures.
        DeskAway: The reader is not there.
    """
    camera, where = config.camera, options.config
    if camera.source is None:
        raise InputError("the table has no camera", where=where, hint="set source in [camera]")
    uids, name = _deck(options, config)
    path = Path(options.into) if options.into else Path(where).parent / f"{name}.npz"
    begun = _begun(path)
    try:
        with contextlib.ExitStack() as opened:
            desk = None
            if not options.by_hand:
                desk = opened.enter_context(open_desk(config, reader=options.reader, antenna=options.antenna))
            size = (camera.width, camera.height)
            source = opened.enter_context(
                open_source(camera.source, size=size, fps=camera.fps, exposure=camera.exposure_ms / 1000)
            )
            typed = opened.enter_context(typed_lines())
            scale, region = _spot(camera.calibration)
            sitting = Sitting(name, find_cards, scale_mm=scale, region=region, begun=begun)
            showing = Showing(sitting, source, typed, _part(path), options.json)
            names = _by_tag(desk, uids, showing) if desk is not None else None
            if not showing.deck(names):
                return 1
            sitting.enrolment.finish().save(path)
    except VisionError as error:
        raise CommandError(error.what, where=error.where, hint=error.hint) from None
    except DeskError as error:
        raise InputError(error.what, where=error.where or where, hint=error.hint) from None
    except DeviceError as error:
        raise DeskAway(error.what, where=error.where, hint=error.hint) from None
    _part(path).unlink(missing_ok=True)
    showing.tell("done", deck=name, path=path)
    if str(path.absolute()) not in camera.decks:
        showing.tell("set", line=f'decks = ["{path.name}"]')
    return 0


def _deck(options: argparse.Namespace, config: TableConfig) -> tuple[dict[str, str], str]:
    """The cards of the deck by their tags, and its name."""
    try:
        rows = files.decks_of(Path(config.files.deck)) if config.files.deck else {}
    except InventoryError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    names = list(dict.fromkeys(deck for _, deck in rows.values()))
    name = options.deck or (names[0] if len(names) == 1 else "red")
    if not options.by_hand and name not in names:
        raise InputError(
            f"no tags of a deck {name!r} are taught",
            where=config.files.deck or options.config,
            hint="teach them first, name another with --deck, or use --by-hand",
        )
    if not name.strip() or "/" in name:
        raise InputError(f"{name!r} is no name for a deck", where="--deck", hint="as red")
    return {uid: card for uid, (card, deck) in rows.items() if deck == name}, name


def _part(path: Path) -> Path:
    return path.with_suffix(".part.npz")


def _begun(path: Path) -> EnrolledDeck | None:
    """What was taken before the work was broken off; none where it was taken with another reader."""
    with contextlib.suppress(DeckUnusable):
        return EnrolledDeck.load(_part(path))
    return None


def _spot(calibration: str | None) -> tuple[float | None, tuple[int, int, int, int] | None]:
    """Millimetres per pixel and the part of the picture where the board lies; none without a calibration."""
    if calibration is None or not Path(calibration).exists():
        return None, None
    table = load(Path(calibration))
    plane = table.plane()
    zone = next((zone for zone in table.zones if zone.name == _PLACE), None)
    if zone is None:
        return None, None
    corners = plane.to_pixels(np.asarray(zone.corners, np.float32))
    left, top = np.maximum(corners.min(axis=0), 0)
    right, bottom = corners.max(axis=0)
    scale = plane.mm_per_pixel(float(left + right) / 2, float(top + bottom) / 2)
    return scale, (int(left), int(top), int(right - left), int(bottom - top))


def _by_tag(desk: Levels, uids: dict[str, str], showing: Showing) -> Callable[[], str | None]:
    """The name of the one card of the deck whose tag is read now."""

    lies: tuple[str, ...] = ()

    def name() -> str | None:
        nonlocal lies
        level = desk.level(_TAG)
        lies = lies if level is None else level
        cards = [uids[uid] for uid in lies if uid in uids]
        if lies and not cards:
            showing.trouble("no_tag")
        return cards[0] if len(cards) == 1 else None

    return name


class Showing:
    """One deck before the camera, and what people are told meanwhile."""

    def __init__(
        self,
        sitting: Sitting,
        source: Source,
        typed: Callable[[], str | None],
        part: Path,
        machine: bool,
    ) -> None:
        self._sitting = sitting
        self._source = source
        self._typed = typed
        self._part = part
        self._machine = machine
        self._lang = chosen_language()
        self._trouble = ("", 0)
        self._insist = False
        self._stopped = False

    def deck(self, name_now: Callable[[], str | None] | None) -> bool:
        """Until the whole deck is taken; False when people stop.

        Args:
            name_now: Reads the name of the card that lies there from its tag; None asks for the cards in order.
        """
        enrolment = self._sitting.enrolment
        self.tell("begin", deck=enrolment.name)
        if enrolment.taken:
            self.tell("resume", enrolment.taken)
        if name_now is not None:
            self.tell("any")
            while set(enrolment.missing) - {BACK}:
                if not self._take(name_now):
                    return False
        for name in enrolment.missing:
            self.tell("back" if name == BACK else "lay", card=shown(name), number=enrolment.taken + 1)
            while name in enrolment.missing:
                if not self._take(lambda: name):  # noqa: B023
                    return False
        return True

    def _take(self, name_now: Callable[[], str | None]) -> bool:
        """Look at one picture, with the card's name as it is known now; False to stop."""
        for line in self._lines():
            if line == "q":
                enrolment = self._sitting.enrolment
                if enrolment.taken:
                    enrolment.finish(partial=True).save(self._part)
                self.tell("kept", enrolment.taken)
                return False
            card = card_of(line) if line else None
            if card is not None:
                self._sitting.enrolment.take_back(card)
                self.tell("again", card=shown(card))
            self._insist = not line
        name = name_now()
        try:
            image = self._source.read(WAIT).image
        except NoFrame:
            return True
        if name is None:
            return True
        seen = self._sitting.look(image, name, insist=self._insist)
        if seen == "taken":
            self._insist = False
            enrolment = self._sitting.enrolment
            enrolment.finish(partial=True).save(self._part)
            self.tell("taken", enrolment.taken, card=shown(name))
        elif seen in _TELL:
            self.trouble(seen, card=shown(name), other=shown(self._sitting.other))
        else:
            self._trouble = ("", 0)
        return True

    def _lines(self) -> Iterator[str]:
        while (line := self._typed()) is not None:
            yield line

    def trouble(self, what: str, **values: Any) -> None:
        """Say what is wrong once it has been so for a while."""
        name, count = self._trouble
        self._trouble = (what, count + 1 if name == what else 1)
        if self._trouble[1] == _AFTER:
            self.tell(what, **values)

    def tell(self, what: str, count: int | None = None, **values: Any) -> None:
        """Say one line, or give it as JSON."""
        if self._machine:
            told = {"enroll_camera": what, **values, **({} if count is None else {"count": count})}
            print(json.dumps(told, default=str, ensure_ascii=False), flush=True)
        else:
            print(say(self._lang, f"enroll_camera.{what}", count, **values), flush=True)
