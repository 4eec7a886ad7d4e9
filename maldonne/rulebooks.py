"""``maldonne rulebooks``: what each rulebook answers, side by side, with articles."""

import argparse
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.rulebook import Row, Rulebook
from engine.wording import say_book, say_fact, say_incident, say_penalty
from engine.wording.voice import voice
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import available, load_book

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
    for book in books:
        about = _about(book)
        extends = " < ".join(book.lineage)
        yield f"{book.id:<11} {about['own_rows']:>3} + {about['inherited_rows']:>3}   {book.name} ({book.date})   {extends}"
    yield say(language, "rulebooks.columns")


def _show(options: argparse.Namespace, language: str) -> Iterator[str]:
    book = load_book(options.book)
    if options.json:
        yield _json(
            {
                **_about(book),
                "floor": _row(book.floor),
                "terms": book.terms,
                "rows": {name: [_row(row) for row in effective(book, name)] for name in sorted(book.rows)},
                "tournament": book.tournament,
            }
        )
        return
    yield f"{book.name} — {book.version}, {book.date}"
    yield book.source
    yield say(language, "rulebooks.floor", article=book.floor.article)
    for name, term in sorted(book.terms.items()):
        yield f"  {name} = {term.value}   {term.article} ({term.rulebook})"
    for incident in sorted(book.rows):
        yield ""
        yield f"{say_incident(incident, language)} [{incident}]"
        for row in effective(book, incident):
            yield "  " + _answer(row, book, language)


def _answer(row: Row, book: Rulebook, language: str) -> str:
    """One answer in words: conditions, rulings, article, whose it is."""
    term = book.term("substantial_action")
    sa = term if isinstance(term, str) else None
    conditions = ", ".join(say_fact(fact, value, language, sa=sa) for fact, value in row.when.items())
    rulings = " + ".join(_worded(name, language) for name in row.ruling)
    line = f"{conditions}: {rulings}" if conditions else rulings
    if row.read_as:
        line += f" [{row.read_as}]"
    if row.penalty:
        line += f" ({say_penalty(row.penalty, language)})"
    line += f" — {row.article}"
    if row.official:
        line += f" = {row.official}"
    if row.reading:
        line += f" ({say(language, 'rulebooks.reading')})"
    if row.rulebook != book.id:
        line += f" ({say(language, 'rulebooks.from', book=say_book(row.rulebook, language))})"
    return line


def _worded(name: str, language: str) -> str:
    """A ruling's name alone, without a case."""
    return (
        say(language, "rulebooks.call_floor")
        if name == "call_floor"
        else voice(language).say(f"ruling.{name}")
    )


def effective(book: Rulebook, incident: str) -> tuple[Row, ...]:
    """Give the rows that can answer: none after the first that has no condition."""
    rows = book.candidates(incident)
    last = next((place for place, row in enumerate(rows) if not row.when), len(rows))
    return rows[: last + 1]


def _diff(options: argparse.Namespace, language: str) -> Iterator[str]:
    one, two = load_book(options.book), load_book(options.other)
    terms = {
        name: [book.terms[name].value if name in book.terms else None for book in (one, two)]
        for name in sorted({*one.terms, *two.terms})
    }
    terms = {name: values for name, values in terms.items() if values[0] != values[1]}
    incidents = [
        incident
        for incident in sorted({*one.rows, *two.rows})
        if _answers(one, incident) != _answers(two, incident)
    ]
    if options.json:
        yield _json(
            {
                "books": [one.id, two.id],
                "terms": terms,
                "incidents": {
                    incident: [[_row(row) for row in effective(book, incident)] for book in (one, two)]
                    for incident in incidents
                },
            }
        )
        return
    for name, values in terms.items():
        yield f"{name}: {one.id} {values[0]} / {two.id} {values[1]}"
    for incident in incidents:
        yield ""
        yield f"{say_incident(incident, language)} [{incident}]"
        for book in (one, two):
            rows = effective(book, incident)
            for row in rows:
                yield f"  {book.id:<10} {_answer(row, book, language)}"
            if not rows:
                floor = _worded("call_floor", language)
                yield f"  {book.id:<10} {floor} — {book.floor.article}"
    if not incidents and not terms:
        yield say(language, "rulebooks.same", one=one.id, two=two.id)


def _answers(book: Rulebook, incident: str) -> list[tuple[Any, ...]]:
    """What a book answers, apart from whose article it is."""
    return [(row.when, row.ruling, row.do, row.read_as, row.penalty) for row in effective(book, incident)]


def _check(options: argparse.Namespace, language: str) -> Iterator[str]:
    about = _about(load_book(options.book))
    if options.json:
        yield _json({"ok": True, **about})
        return
    yield say(
        language,
        "rulebooks.checked",
        id=about["id"],
        own=about["own_rows"],
        inherited=about["inherited_rows"],
        line=" < ".join(about["lineage"]),
    )
