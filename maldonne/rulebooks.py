"""``maldonne rulebooks``: what each rulebook answers, side by side, with articles."""

import argparse
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.advice import remarks
from engine.cases import effective
from engine.rulebook import Row, Rulebook
from maldonne import preset_table, rulebook_table
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import available, load_book
from tournament_hub.logic.presets import preset_of

_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument("--json", action="store_true", help="for machines")
    actions.add_parser("list", help="the packaged books", parents=[both])
    show = actions.add_parser("show", help="every answer of one book", parents=[both])
    show.add_argument("book", metavar="ID|FILE.toml")
    diff = actions.add_parser("diff", help="where two books answer differently", parents=[both])
    diff.add_argument("book", metavar="A")
    diff.add_argument("other", metavar="B")
    check = actions.add_parser("check", help="whether a club's file can be used", parents=[both])
    check.add_argument("book", metavar="FILE.toml")


def run(options: argparse.Namespace) -> int:
    """Do the action that was asked for."""
    language = chosen_language()
    lines = {"list": _list, "show": _show, "diff": _diff, "check": _check}[options.action](options, language)
    for line in lines:
        print(line)
    return 0


def _json(data: Any) -> str:
    return _encoder.encode(data).decode()


def _about(book: Rulebook) -> dict[str, Any]:
    """What a book is, as data."""
    own = sum(row.rulebook == book.id for rows in book.rows.values() for row in rows)
    return {
        "id": book.id,
        "name": book.name,
        "version": book.version,
        "date": book.date,
        "source": book.source,
        "lineage": book.lineage,
        "own_rows": own,
        "inherited_rows": sum(map(len, book.rows.values())) - own,
    }


def _row(row: Row) -> dict[str, Any]:
    """One answer as data, without what is empty."""
    data = {
        "ruling": row.ruling,
        "article": row.article,
        "rulebook": row.rulebook,
        "when": row.when,
        "do": row.do,
        "read_as": row.read_as,
        "penalty": row.penalty,
        "official": row.official,
        "reading": row.reading,
        "line": row.line,
    }
    return {key: value for key, value in data.items() if value}


def _list(options: argparse.Namespace, language: str) -> Iterator[str]:
    books = [load_book(name) for name in available()]
    if options.json:
        yield _json([_about(book) for book in books])
        return
    yield from rulebook_table.list_lines(books, [_about(book)["own_rows"] for book in books], language)


def _show(options: argparse.Namespace, language: str) -> Iterator[str]:
    book = load_book(options.book)
    if not options.json:
        yield from rulebook_table.show_lines(book, language)
        return
    yield _json(
        {
            **_about(book),
            "floor": _row(book.floor),
            "terms": book.terms,
            "rows": {name: [_row(row) for row in effective(book, name)] for name in sorted(book.rows)},
            "tournament": book.tournament,
        }
    )


def _diff(options: argparse.Namespace, language: str) -> Iterator[str]:
    one, two = load_book(options.book), load_book(options.other)
    if not options.json:
        yield from rulebook_table.diff_lines(one, two, language)
        return
    incidents = [incident for _, found in rulebook_table.compared(one, two) for incident in found]
    yield _json(
        {
            "books": [one.id, two.id],
            "terms": {
                name: [one.term(name), two.term(name)] for name in rulebook_table.different_terms(one, two)
            },
            "incidents": {
                incident: [[_row(row) for row in effective(book, incident)] for book in (one, two)]
                for incident in sorted(incidents)
            },
            "tournament": preset_table.compared_data(one, two),
        }
    )


def _check(options: argparse.Namespace, language: str) -> Iterator[str]:
    book = load_book(options.book)
    preset_of(book, options.book)
    about = _about(book)
    found = remarks(book)
    if options.json:
        yield _json({"ok": True, **about, "remarks": found})
        return
    yield say(
        language,
        "rulebooks.checked",
        id=about["id"],
        own=about["own_rows"],
        inherited=about["inherited_rows"],
        line=" < ".join(about["lineage"]),
    )
    for remark in found:
        yield from rulebook_table.wrapped(
            say(
                language,
                f"remark.{remark.code}",
                where=f"{options.book}:{remark.line}",
                incident=remark.incident,
                ruling=remark.ruling,
                names=", ".join(remark.names),
            ),
            rest="    ",
        )
