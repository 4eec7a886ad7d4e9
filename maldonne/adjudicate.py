"""``maldonne adjudicate``: table events in, rulings out."""

import argparse
import sys
from pathlib import Path

import msgspec

from engine import machine
from engine.errors import MalformedEvent, MalformedRulebook
from engine.events import HandStarted, TableEvent, read_lines
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling, Summary, encode
from engine.wording import say_order, say_phase, say_ruling, spoken_term
from maldonne.errors import InputError
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import load_book

_LARGEST_INPUT = 256 << 20
_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "events", metavar="EVENTS.jsonl|-", help="a journal or scenario; - reads standard input"
    )
    parser.add_argument(
        "--rulebook",
        metavar="ID|FILE.toml",
        help="packaged id or a club's file; wins over the events' own, which wins over standard",
    )
    parser.add_argument("--json", action="store_true", help="one ruling a line, then the state")
    parser.add_argument("--trace", action="store_true", help="also what is expected after each event")


def run(options: argparse.Namespace) -> int:
    """Read everything, then rule; nothing is printed when the input is bad."""
    lines = _lines(options.events)
    events = list(read_lines(lines, name=options.events))
    if not events:
        raise InputError("holds no event", where=f"{options.events}:1", hint="one JSON object a line")
    places = [f"{options.events}:{number}" for number, line in enumerate(lines, start=1) if line.strip()]
    books = _books(events, places, options.rulebook)
    printer = _Json() if options.json else _Plain(chosen_language())
    state = machine.start()
    book = load_book(options.rulebook or "standard")
    for index, (event, undone) in enumerate(machine.resolved(events)):
        if isinstance(event, HandStarted):
            book = books[event.rulebook]
        if undone:
            state = msgspec.structs.replace(state, events=state.events + 1)
            continue
        step = machine.step(state, event, book)
        state = step.state
        printer.event(index, step.rulings, book)
        if options.trace:
            printer.expected(index, machine.expects(state, book))
    printer.state(machine.summary(state, book))
    return 0


def _lines(name: str) -> list[bytes]:
    """Give the lines of a file or of standard input.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(_LARGEST_INPUT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot be read: {reason}", where=name) from None
    if len(raw) > _LARGEST_INPUT:
        raise InputError("is larger than 256 MiB", where=name, hint="adjudicate one session at a time")
    return raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")


def _books(events: list[TableEvent], places: list[str], wanted: str | None) -> dict[str | None, Rulebook]:
    """Give the book of every hand, by the name that its first event has.

    Raises:
        MalformedRulebook: the book wanted cannot be used.
        MalformedEvent: a hand names a book that is not packaged.
    """
    books: dict[str | None, Rulebook] = {}
    for event, place in zip(events, places, strict=True):
        if not isinstance(event, HandStarted) or event.rulebook in books:
            continue
        chosen = wanted or event.rulebook or "standard"
        if not wanted and (chosen.endswith(".toml") or "/" in chosen):
            raise MalformedEvent(f"rulebook {chosen} is a file", where=place, hint="name it by --rulebook")
        try:
            books[event.rulebook] = load_book(chosen)
        except MalformedRulebook as error:
            if wanted:
                raise
            raise MalformedEvent(
                f"rulebook {error.where}: {error.what}", where=place, hint=error.hint
            ) from None
    return books


class _Json:
    """Prints for machines: one ruling a line, then the state."""

    def event(self, index: int, rulings: tuple[Ruling, ...], book: Rulebook) -> None:
        """Print the rulings on one event."""
        for ruling in rulings:
            print(encode(ruling).decode())

    def expected(self, index: int, orders: tuple[Order, ...]) -> None:
        """Print what is expected after an event."""
        print(_encoder.encode({"expects": orders, "event": index}).decode())

    def state(self, summary: Summary) -> None:
        """Print the final state."""
        print(_encoder.encode({"state": summary}).decode())


class _Plain:
    """Prints for people."""

    def __init__(self, language: str) -> None:
        self._language = language

    def event(self, index: int, rulings: tuple[Ruling, ...], book: Rulebook) -> None:
        """Print the rulings on one event, the cure once for all of them."""
        cure: tuple[Order, ...] = ()
        for ruling in rulings:
            text = say_ruling(ruling, self._language, sa=spoken_term(book))
            print(say(self._language, "ruling", number=index + 1, text=text))
            cure = cure or ruling.orders
        for order in cure:
            print("   → " + say_order(order, self._language))

    def expected(self, index: int, orders: tuple[Order, ...]) -> None:
        """Print what is expected after an event."""
        words = " · ".join(say_order(order, self._language) for order in orders)
        print(say(self._language, "expects", number=index + 1, orders=words or "–"))

    def state(self, summary: Summary) -> None:
        """Print the final state in a few lines."""
        lang = self._language
        print(say(lang, "state.phase", phase=say_phase(summary.phase, lang)))
        for name, value in (
            ("board", " ".join(card or "??" for card in summary.board)),
            ("stacks", ", ".join(f"{seat}: {'?' if s is None else s}" for seat, s in summary.stacks.items())),
            ("bets", ", ".join(f"{seat}: {bet}" for seat, bet in summary.bets.items() if bet)),
            ("pots", ", ".join(str(pot.amount) for pot in summary.pots)),
            ("dead", ", ".join(map(str, summary.dead_seats))),
        ):
            if value:
                print(say(lang, f"state.{name}", value=value))
