"""``maldonne journal``: a table's record read, proved whole, and given out as hand histories."""

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.errors import MalformedEvent, MalformedRulebook
from engine.events import TableEvent, Undone, decode
from engine.rulebook import Rulebook
from engine.rulings import Ruling
from engine.wording import say_ruling
from maldonne.errors import InputError
from maldonne.phh_writer import write
from maldonne.texts import chosen_language, say
from table_controller.journal import HandRow, JournalCorrupt, JournalMismatch, JournalTooNew, Reading
from table_controller.report import writing
from table_controller.report.gathering import incidents
from table_controller.rulebook_files import load_book, load_resolved

_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument("file", metavar="FILE", help="a table's journal")
    some = argparse.ArgumentParser(add_help=False)
    some.add_argument("--hand", metavar="N", type=int, help="this hand only")
    show = actions.add_parser("show", help="what happened and what was ruled", parents=[both, some])
    show.add_argument("--json", action="store_true", help="one entry a line")
    check = actions.add_parser("verify", help="whether it is as it was written", parents=[both])
    check.add_argument("--json", action="store_true", help="for machines")
    export = actions.add_parser("export", help="hand histories", parents=[both, some])
    form = export.add_mutually_exclusive_group()
    form.add_argument("--phh", action="store_true", help="poker hand histories, for other programs")
    form.add_argument("--jsonl", action="store_true", help="table events, for adjudicate (default)")
    report = actions.add_parser("report", help="an incident on one printable page", parents=[both])
    report.add_argument("--hand", metavar="N", type=int, required=True, help="the hand")
    report.add_argument(
        "--incident", metavar="K", type=int, help="the K-th incident of the hand (default: each)"
    )
    report.add_argument("--lang", choices=("fr", "en"), help="language of the report (default: yours)")
    paper = report.add_mutually_exclusive_group()
    paper.add_argument("--html", action="store_true", help="a page to print, one sheet of A4 an incident")
    paper.add_argument("--text", action="store_true", help="plain text (default)")


def run(options: argparse.Namespace) -> int:
    """Open the journal, without changing anything in it, and do the action."""
    try:
        with Reading.of(Path(options.file)) as journal:
            actions = {"show": _show, "verify": _verify, "export": _export, "report": _report}
            lines = actions[options.action](journal, options)
            for line in lines:
                print(line)
            return 1 if options.action == "verify" and journal.verify() else 0
    except (JournalMismatch, JournalTooNew, JournalCorrupt) as error:
        raise InputError(error.what, where=error.where or options.file, hint=error.hint) from None


def _hands(journal: Reading, number: int | None) -> list[tuple[HandRow, int | None]]:
    """Give the hands asked for, each with its last entry (None: the journal's last).

    Raises:
        InputError: there is no such hand.
    """
    rows = list(journal.hands())
    ends: list[int | None] = [row.start - 1 for row in rows[1:]]
    found = list(zip(rows, [*ends, None], strict=False))
    if number is None:
        return found
    wanted = [pair for pair in found if pair[0].hand == number]
    if not wanted:
        raise InputError(f"has no hand {number}", where=str(journal.path), hint="see journal show")
    return wanted


def _spans(journal: Reading, number: int | None) -> list[tuple[int, int | None]]:
    """Give the entries to read, from first to last: those of one hand, or the whole journal."""
    if number is None:
        return [(1, None)]
    return [(row.start, last) for row, last in _hands(journal, number)]


def _events(journal: Reading, first: int, last: int | None) -> Iterator[TableEvent]:
    """Give the table events among the entries; what is no event of the engine's is left out."""
    for entry in journal.entries(first, last):
        if entry.kind != "note":
            with contextlib.suppress(MalformedEvent):
                yield decode(entry.body)


def _show(journal: Reading, options: argparse.Namespace) -> Iterator[str]:
    language = chosen_language()
    for first, last in _spans(journal, options.hand):
        rulings: dict[int, list[bytes]] = {}
        for row in journal.rulings(first, last):
            rulings.setdefault(row.entry, []).append(row.body)
        for entry in journal.entries(first, last):
            given = rulings.get(entry.idx, [])
            if options.json:
                yield _encoder.encode(
                    {
                        "entry": entry.idx,
                        "t": entry.t,
                        "utc": entry.utc,
                        "hand": entry.hand,
                        "kind": entry.kind,
                        "body": msgspec.Raw(entry.body),
                        "rulings": [msgspec.Raw(body) for body in given],
                    }
                ).decode()
                continue
            yield f"{entry.idx:>6}  {entry.utc}  {entry.hand or '-':>4}  {entry.body.decode(errors='replace')}"
            for body in given:
                yield "        " + _said(body, language)


def _said(body: bytes, language: str) -> str:
    """Put a stored ruling in words; one of another version stays as it is."""
    try:
        return say_ruling(msgspec.json.decode(body, type=Ruling), language)
    except msgspec.MsgspecError:
        return body.decode(errors="replace")


def _verify(journal: Reading, options: argparse.Namespace) -> Iterator[str]:
    language = chosen_language()
    problems = journal.verify()
    entries = hands = 0
    last = ""
    if not problems:
        for entry in journal.entries():
            entries, last = entries + 1, entry.hash
        hands = sum(1 for _ in journal.hands())
    if options.json:
        yield _encoder.encode(
            {
                "ok": not problems,
                "life": journal.life,
                "entries": entries,
                "hands": hands,
                "hash": last,
                "problems": [str(problem) for problem in problems],
            }
        ).decode()
        return
    for problem in problems:
        yield str(problem)
    if problems:
        yield say(language, "journal.damaged", count=len(problems))
    else:
        yield say(language, "journal.whole", entries=entries, hands=hands, hash=last[:16] or "-")


def _export(journal: Reading, options: argparse.Namespace) -> Iterator[str]:
    if not options.phh:
        for first, last in _spans(journal, options.hand):
            for entry in journal.entries(first, last):
                if entry.kind != "note":
                    yield entry.body.decode()
        return
    hands = _hands(journal, options.hand)
    texts = [_history(journal, row, last) for row, last in hands]
    for number, text in enumerate(texts, start=1):
        if len(texts) > 1:
            yield f"[{number}]"
        yield text


def _report(journal: Reading, options: argparse.Namespace) -> Iterator[str]:
    """Give the report of one incident of a hand, or of each.

    Raises:
        InputError: there is no such hand or incident.
    """
    _hands(journal, options.hand)
    language = options.lang or chosen_language()
    found = incidents(journal, options.hand)
    if options.incident is not None:
        found = [one for one in found if one.number == options.incident]
    if not found:
        number = options.incident
        what = (
            f"has no incident {number} in hand {options.hand}" if number else "nothing happened in this hand"
        )
        raise InputError(what, where=str(journal.path), hint="see journal show")
    words = [writing.Words(one, language, table=journal.header.table) for one in found]
    yield writing.page(words, language).rstrip() if options.html else writing.text(words).rstrip()


def _history(journal: Reading, row: HandRow, last: int | None) -> str:
    """Write one hand as PHH.

    An event that was undone is named by its place in the journal; in the hand's own history it
    counts from the hand's first event.
    """
    before = sum(1 for _ in _events(journal, 1, row.start - 1))
    events = [
        Undone(index=event.index - before, t=event.t, group=event.group)
        if isinstance(event, Undone) and event.index >= before
        else event
        for event in _events(journal, row.start, last)
    ]
    book = _book(journal, row)
    try:
        return write(events, book, {"table": journal.header.table})
    except InputError as error:
        raise InputError(error.what, where=f"{journal.path}, hand {row.hand}", hint=error.hint) from None


def _book(journal: Reading, row: HandRow) -> Rulebook:
    """Give the book that the hand was played by: the journal keeps its text."""
    text = journal.text(row.text_hash)
    if text is not None:
        with contextlib.suppress(MalformedRulebook):
            return load_resolved(text, f"{journal.path}[{row.rulebook}]")
    return load_book(row.rulebook)
