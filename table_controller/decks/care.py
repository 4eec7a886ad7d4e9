"""The decks of one table in people's hands: which may be dealt, a count with its progress, a card with a new tag.

Everything happens between two hands. While somebody works with a deck the antennas of cards tell nothing else: what
passes over them is no play. Names of cards leave this module only when a person asks which are missing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from engine.events import DeckCounted
from engine.vocabulary import is_card
from firmware_bridge.observations import Inventory
from table_controller.decks.working import WHOLE, Antenna, Count, NewTag
from table_controller.enrolment.files import decks_of, write_decks
from table_controller.errors import TableError
from table_controller.fusion.coverage import CARD_KINDS
from table_controller.here import Here
from table_controller.inventory import InventoryError, Tags
from table_controller.running import Running

Stands = Literal["in_play", "ready", "away"]
_GONE: Final = 600.0
"""Work that nobody goes on with for so many seconds of table time is over: the antennas are the game's again."""


class DeckRefused(TableError):
    """What a person wants done with a deck cannot be done now; ``code`` has words in the page's catalogue."""

    code = "deck_refused"
    default_hint = "look at the page again"


def _refused(code: str, what: str, hint: str) -> DeckRefused:
    error = DeckRefused(what, hint=hint)
    error.code = code
    return error


class DeckRow(Struct, frozen=True):
    """One deck. ``counted``: whether its last count here came to 52; None: not counted since the program began."""

    name: str
    stands: Stands
    counted: bool | None


class Work(Struct, frozen=True):
    """What is being done with a deck.

    Attributes:
        kind: ``count`` or ``replace``.
        seen: Cards that have passed; ``others``: cards of other decks; ``strangers``: unknown tags.
        missing: Which have not passed; None until a person asked.
        card: The card that gets a new tag.
        found: One unknown tag lies there and waits for a word; ``several``: more than one.
    """

    kind: Literal["count", "replace"]
    deck: str
    seen: int = 0
    others: tuple[tuple[str, str], ...] = ()
    strangers: int = 0
    missing: tuple[str, ...] | None = None
    card: str = ""
    found: bool = False
    several: bool = False


class DecksView(Struct, frozen=True):
    """What the page shows.

    Attributes:
        rows: Every deck of the club's file.
        work: What is being done now.
        said: What became of the last work: a slug with its values.
        hand: A hand is running: nothing can be done.
        places: Where cards can be laid.
        file: Name of the club's file.
    """

    rows: tuple[DeckRow, ...] = ()
    work: Work | None = None
    said: tuple[str, dict[str, str | int]] | None = None
    hand: bool = False
    places: tuple[str, ...] = ()
    file: str = ""


class DeckCare:
    """All decks of one table. Deeds and levels come in the table's thread, `view` may be asked from any.

    Attributes:
        ask_boards: Makes the boards tell what lies on their antennas: they tell a level only when it changes.
    """

    def __init__(self, running: Running, tags: Tags, deck_file: Path | None) -> None:
        """Take over what people had put away before.

        Args:
            running: The hand as it is played.
            tags: What the club has taught; a new tag is put in here too.
            deck_file: The club's ``deck.csv``.
        """
        self.ask_boards: Callable[[], None] = lambda: None
        self._running = running
        self._tags = tags
        self._file = deck_file
        self._work: Count | NewTag | None = None
        self._asked = False
        self._touched = 0.0
        self._held: dict[Antenna, Inventory] = {}
        self._said: tuple[str, dict[str, str | int]] | None = None
        self._counted: dict[str, bool] = {}
        self._lock = threading.Lock()
        self._view = DecksView()
        running.fusion.withdraw(frozenset(running.here.decks_away))
        self._look()

    # -- what is read ----------------------------------------------------------------------------------------

    def hear(self, seen: object) -> bool:
        """Take an observation; True: it belongs to the work with a deck and is no play."""
        if self._work is None:
            if self._view.hand is self._between():
                self._look()
            return False
        running = self._running
        if not self._between():
            self._end("hand_began")
            return False
        if running.now - self._touched > _GONE:
            self._end("gone")
            return False
        before = self._work_now()
        mine = isinstance(seen, Inventory) and self._read(seen, self._work)
        self._work.look(running.now)
        if self._work_now() != before:
            self._touched = running.now
            if isinstance(self._work, Count) and self._work.clean:
                self._record((), (), "antennas")
            self._look()
        return mine

    def _read(self, seen: Inventory, work: Count | NewTag) -> bool:
        """Take what a card antenna reads; whether it was one."""
        places = self._running.fusion.coverage.places(seen)
        if not places or places[0].rstrip("0123456789") not in CARD_KINDS:
            return False
        antenna = (seen.device, seen.antenna)
        self._held[antenna] = seen
        work.see(antenna, seen.uids, seen.t)
        return True

    # -- what people do ------------------------------------------------------------------------------------------

    def put_away(self, deck: str, source: str) -> None:
        """A deck leaves the table (a marked card, a dead tag): its cards are strange from now on.

        Raises:
            DeckRefused: A hand runs, there is no such deck, or it is the last one.
        """
        self._may(deck)
        here = self._running.here
        if deck in here.decks_away:
            return
        if len(here.decks_away) + 1 >= len(self._tags.decks):
            raise _refused("last_deck", f"{deck} is the last deck", "take another one into play first")
        self._say(
            msgspec.structs.replace(here, decks_away=(*here.decks_away, deck)), source, "put_away", deck
        )

    def take_up(self, deck: str, source: str) -> None:
        """A deck comes (back) to the table.

        Raises:
            DeckRefused: A hand runs, or there is no such deck.
        """
        self._may(deck)
        here = self._running.here
        away = tuple(name for name in here.decks_away if name != deck)
        self._say(msgspec.structs.replace(here, decks_away=away), source, "taken_up", deck)

    def count(self, deck: str) -> None:
        """The deck's cards will pass over the antennas.

        Raises:
            DeckRefused: A hand runs, there is no such deck, or no antenna reads cards.
        """
        self._may(deck)
        self._readable()
        self._begin(Count(deck, self._tags.cards, self._tags.chips))

    def ask_missing(self) -> None:
        """All cards have passed: which were not read?

        Raises:
            DeckRefused: Nothing is being counted.
        """
        self._counting()
        self._asked = True
        self._look()

    def conclude(self, source: str, *, others_are_in: bool = False) -> None:
        """The deck is as it was read: its count goes into the record.

        Args:
            source: Who says so.
            others_are_in: The cards of another deck that were read were among these.

        Raises:
            DeckRefused: Nothing is being counted, or nobody has seen what is missing.
        """
        work = self._counting()
        if not self._asked and not work.clean:
            raise _refused("not_shown", "nobody has seen what is missing", "look at the missing cards first")
        extra = tuple(card for card, _ in work.others) if others_are_in else ()
        self._record(work.missing(), extra, source)
        self._look()

    def replace(self, deck: str, card: str) -> None:
        """A card of the deck will get a new tag: lay the new card alone on an antenna.

        Raises:
            DeckRefused: A hand runs, there is no such deck or card, or nowhere to write it.
        """
        self._may(deck)
        self._readable()
        if not is_card(card):
            raise _refused("no_card", f"{card!r} is no card", "choose the card")
        self._begin(NewTag(deck, card, {*self._tags.cards, *self._tags.chips}))

    def confirm(self, *, right: bool) -> None:
        """A person says whether the unknown tag that was found is the new card; it is written at once.

        Raises:
            DeckRefused: No tag waits for a word, or the file cannot be written (the old one stays).
        """
        work = self._work
        if not isinstance(work, NewTag) or work.found is None:
            raise _refused("no_tag", "no unknown tag lies there", "lay the new card alone on an antenna")
        self._touched = self._running.now
        if not right:
            work.not_this()
            self._look()
            return
        try:
            self._write(work.deck, work.card, work.found)
        except InventoryError as error:
            raise _refused("file", f"{error.what} ({error.where})", error.hint) from error
        self._counted.pop(work.deck, None)
        self._end("replaced", deck=work.deck, card=work.card)

    def stop(self) -> None:
        """Leave the work; nothing of it counts."""
        if self._work is not None:
            self._end("stopped")

    # -- what is shown -----------------------------------------------------------------------------------------

    @property
    def view(self) -> DecksView:
        """The decks as they are; from any thread."""
        with self._lock:
            return self._view

    # -- inside ------------------------------------------------------------------------------------------------

    def _between(self) -> bool:
        return self._running.state.phase in ("over", "void")

    def _may(self, deck: str) -> None:
        if not self._between():
            raise _refused("hand_is_running", "a hand is being played", "finish the hand first")
        if deck not in self._tags.decks:
            raise _refused("no_deck", f"there is no deck {deck!r}", "teach it with `maldonne enroll`")

    def _readable(self) -> None:
        if not self._places():
            raise _refused("no_antenna", "no antenna of this table reads cards", "count the deck by hand")

    def _counting(self) -> Count:
        if not isinstance(self._work, Count):
            raise _refused("no_count", "no deck is being counted", "choose a deck first")
        self._touched = self._running.now
        return self._work

    def _begin(self, work: Count | NewTag) -> None:
        self._give_back()
        self._work, self._asked, self._said = work, False, None
        self._touched = self._running.now
        self.ask_boards()
        self._look()

    def _record(self, missing: tuple[str, ...], extra: tuple[str, ...], source: str) -> None:
        work = self._counting()
        whole = not missing and not extra
        self._counted[work.deck] = whole
        self._running.say(DeckCounted(missing=missing, extra=extra, deck=work.deck), source)
        count = WHOLE - len(missing) + len(extra)
        self._end("whole" if whole else "not_whole", deck=work.deck, count=count)

    def _end(self, said: str, **values: str | int) -> None:
        self._work, self._asked = None, False
        self._said = (said, values)
        self._give_back()
        self._look()

    def _give_back(self) -> None:
        """What lies on the antennas now is for the game again."""
        held, self._held = self._held, {}
        for inventory in held.values():
            self._running.take(msgspec.structs.replace(inventory, t=max(inventory.t, self._running.now)))

    def _say(self, here: Here, source: str, said: str, deck: str) -> None:
        running = self._running
        running.set_here(here, source)
        running.fusion.withdraw(frozenset(running.here.decks_away))
        self._said = (said, {"deck": deck})
        self._look()

    def _write(self, deck: str, card: str, uid: str) -> None:
        """The new tag takes the old one's line in the club's file, then in the table's memory."""
        if self._file is None:
            raise InventoryError("no file for decks is named", hint="set deck in [files]")
        rows: dict[str, tuple[str, str]] = {}
        for old, named in decks_of(self._file).items():
            rows[uid if named == (card, deck) else old] = named
        write_decks(self._file, rows)
        self._tags.take(Tags.load(self._file, None))

    def _places(self) -> tuple[str, ...]:
        coverage = self._running.fusion.coverage
        names = ("board", "burn", "muck", "deck", *(f"seat{seat}" for seat in range(1, 11)))
        return tuple(name for name in names if coverage.covers(name))

    def _work_now(self) -> Work | None:
        work = self._work
        if work is None:
            return None
        if isinstance(work, Count):
            missing = work.missing() if self._asked else None
            return Work("count", work.deck, work.seen, work.others, len(work.strangers), missing)
        return Work("replace", work.deck, card=work.card, found=work.found is not None, several=work.several)

    def _look(self) -> None:
        running = self._running
        playing = running.fusion.deck_in_play
        away = running.here.decks_away
        rows = tuple(
            DeckRow(
                name,
                "away" if name in away else "in_play" if name == playing else "ready",
                self._counted.get(name),
            )
            for name in self._tags.decks
        )
        view = DecksView(
            rows,
            self._work_now(),
            self._said,
            not self._between(),
            self._places(),
            "" if self._file is None else self._file.name,
        )
        with self._lock:
            self._view = view
