"""What rulebooks answer, laid out for a director at a terminal: one incident a line, one book a column."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from engine import cases, wording
from engine.cases import Cases
from engine.referee import GROUPS
from engine.rulebook import Row, Rulebook
from maldonne import preset_table
from maldonne.texts import say

WIDTH: Final = 100
_FIRST: Final = 24
_BETWEEN: Final = " │ "
# Stands for a space inside an article while lines are broken.
_HARD_SPACE: Final = "\ue000"
READING: Final = "*"
INHERITED: Final = "†"
# Terms whose values need no name: seconds and how many raises.
# What goes without saying in an incident: no need to say that nothing more is wrong.
_USUAL: Final = (("above", "none"), ("barred", False))
_COUNTED: Final = ("clock_grace_seconds", "clock_seconds", "clock_countdown_seconds", "raise_cap")


def width() -> int:
    """Give the columns of the terminal that are used."""
    return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, 60), WIDTH)


def wrapped(text: str, first: str = "", rest: str = "", size: int | None = None) -> list[str]:
    """Break a text into lines of the terminal's width (or ``size``), never inside an article or a file's name."""
    lines = textwrap.wrap(
        text,
        size or width(),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_HARD_SPACE, " ") for line in lines] or [first.rstrip()]


class Told(Struct, frozen=True):
    """One case that a book tells apart, with the rows that answer it alike; ``when`` None = otherwise."""

    when: dict[str, Any] | None
    rows: tuple[Row, ...]

    def same(self, other: "Told") -> bool:
        """Whether another book says the same of the same case, whatever its article."""
        return self.when == other.when and _says(self.rows[0]) == _says(other.rows[0])


def told(book: Rulebook, incident: str) -> list[Told]:
    """Give what a book answers, one entry for each case; cases that differ by the article alone are one."""
    found = Cases(book, incident).outcomes({})
    if all(_says(row) == _says(found[0]) for row in found):
        return [Told({}, found)]
    entries: list[Told] = []
    for place, row in enumerate(found):
        when = {fact: value for fact, value in row.when.items() if (fact, value) not in _USUAL}
        before = entries[-1] if entries else None
        if before is not None and when and _special(before, when, row):
            # The case before is a special one of this: the same answer, an article of its own.
            entries[-1] = Told(when, (*before.rows, row))
            continue
        last = place == len(found) - 1 and not when
        entries.append(Told(None if last else when, (row,)))
    return entries


def _special(before: Told, when: dict[str, Any], row: Row) -> bool:
    if not before.when or _says(before.rows[0]) != _says(row):
        return False
    return when.items() <= before.when.items()


def _says(row: Row) -> tuple[object, ...]:
    return (sorted(row.ruling), row.do, row.read_as, row.penalty)


def answers(book: Rulebook, entries: Sequence[Told], language: str, *, steps: bool = False) -> list[str]:
    """Put cases into words, one paragraph each; ``steps`` adds what is done, not only what is ruled."""
    texts = []
    for entry in entries:
        text = _answer(entry.rows, book, language, steps)
        if entry.when is None:
            text = say(language, "rulebooks.case", when=say(language, "rulebooks.otherwise"), answer=text)
        elif entry.when:
            text = say(
                language,
                "rulebooks.case",
                when=wording.say_conditions(entry.when, language),
                answer=text,
            )
        texts.append(text)
    return texts


def _answer(rows: Sequence[Row], book: Rulebook, language: str, steps: bool) -> str:
    row = rows[0]
    text = wording.say_rulings(row, language)
    if row.penalty:
        text += f" ({wording.say_penalty(row.penalty, language)})"
    if steps and row.do:
        text += f". {'. '.join(wording.say_step(step, language) for step in row.do)}"
    return f"{text} ({', '.join(_articles(rows, book))})"


def _articles(rows: Sequence[Row], book: Rulebook) -> list[str]:
    """The articles of rows that say the same, each once, with their marks."""
    marks: dict[str, str] = {}
    for row in rows:
        article = row.article if row.official is None else f"{row.article} = {row.official}"
        mark = (READING if row.reading else "") + (INHERITED if row.rulebook != book.id else "")
        marks[article] = max(mark, marks.get(article, ""), key=len)
    return [(article + mark).replace(" ", _HARD_SPACE) for article, mark in marks.items()]


def compared(one: Rulebook, two: Rulebook) -> list[tuple[str, list[str]]]:
    """Give the incidents that two books answer differently, by group, in the order of the referee."""
    found = []
    for group, incidents in GROUPS.items():
        different = [incident for incident in incidents if not cases.same_answers(one, two, incident)]
        if different:
            found.append((group, different))
    return found


def diff_lines(one: Rulebook, two: Rulebook, language: str) -> Iterator[str]:
    """Lay two books side by side: their terms, then every incident that they answer differently."""
    groups = compared(one, two)
    terms = different_terms(one, two)
    tournament = list(preset_table.compared(one, two, language))
    if not groups and not terms and not tournament:
        yield say(language, "rulebooks.same", one=one.id, two=two.id)
        return
    count = sum(len(incidents) for _, incidents in groups)
    yield from wrapped(say(language, "rulebooks.differ", count, one=one.name, two=two.name))
    widths = _widths(2)
    yield ""
    yield from _row(["", one.name, two.name], widths)
    yield _rule(widths)
    for name in terms:
        yield from _row(
            [say(language, f"term.{name}"), *(term_value(book, name, language) for book in (one, two))],
            widths,
        )
    for group, incidents in groups:
        yield _rule(widths)
        yield from _row([wording.say_group(group, language).upper(), "", ""], widths, spanning=True)
        for place, incident in enumerate(incidents):
            yield _rule(widths) if not place else _BETWEEN.join(" " * size for size in widths).rstrip()
            cells = _compared_cells(one, two, incident, language)
            yield from _row([wording.say_incident(incident, language), *cells], widths)
    if tournament:
        yield _rule(widths)
        yield from _row([preset_table.heading(language).upper(), "", ""], widths, spanning=True)
        for name, left, right in tournament:
            yield from _row([name, left, right], widths)
    yield _rule(widths)
    yield from _notes(language)


def _compared_cells(one: Rulebook, two: Rulebook, incident: str, language: str) -> list[list[str]]:
    """What two books say of an incident, without the cases in which they agree."""
    books = (one, two)
    entries = [told(book, incident) for book in books]
    left = [
        [entry for entry in own if not any(entry.same(other) for other in others)]
        for own, others in (entries, entries[::-1])
    ]
    # Where one book has only cases that the other has too, all of them are set against what the other adds.
    left = [own or every for own, every in zip(left, entries, strict=True)]
    cells = [answers(book, own, language) for book, own in zip(books, left, strict=True)]
    if [_says(entry.rows[0])[0] for entry in left[0]] == [_says(entry.rows[0])[0] for entry in left[1]] and [
        entry.when for entry in left[0]
    ] == [entry.when for entry in left[1]]:
        cells = [answers(book, own, language, steps=True) for book, own in zip(books, left, strict=True)]
    for cell, own, every in zip(cells, left, entries, strict=True):
        if len(own) < len(every):
            cell.append(say(language, "rulebooks.rest_same"))
    return cells


def show_lines(book: Rulebook, language: str) -> Iterator[str]:
    """Every answer of one book, by group, with the names that a club's file uses."""
    yield f"{book.name} — {book.version}, {book.date}"
    yield from wrapped(book.source)
    yield from wrapped(say(language, "rulebooks.floor", article=book.floor.article))
    yield ""
    for name in sorted(book.terms):
        term = book.terms[name]
        mark = INHERITED if term.rulebook != book.id else ""
        text = f"{say(language, f'term.{name}')} : {term_value(book, name, language, article=False)}"
        yield from wrapped(f"{text} ({term.article}{mark})", "  ", "      ")
    for group, incidents in GROUPS.items():
        answered = [incident for incident in incidents if cases.effective(book, incident)]
        if not answered:
            continue
        yield ""
        yield wording.say_group(group, language).upper()
        for incident in answered:
            yield from wrapped(f"{wording.say_incident(incident, language)}  [{incident}]", "  ", "  ")
            for text in answers(book, told(book, incident), language):
                yield from wrapped(text, "    · ", "      ")
    yield ""
    yield preset_table.heading(language).upper()
    for text in preset_table.settings(book, language, inherited=INHERITED, reading=READING):
        yield from wrapped(text, "  ", "      ")
    silent = [i for incidents in GROUPS.values() for i in incidents if not cases.effective(book, i)]
    if silent:
        yield ""
        names = ", ".join(wording.say_incident(incident, language) for incident in silent)
        yield from wrapped(say(language, "rulebooks.silent", names=names))
    yield ""
    yield from _notes(language)


def list_lines(books: Sequence[Rulebook], own: Sequence[int], language: str) -> Iterator[str]:
    """The packaged books, a line each under headings."""
    table = [
        [say(language, f"rulebooks.head.{name}") for name in ("id", "name", "date", "own", "extends")],
        *(
            [book.id, book.name, book.date, str(count), " < ".join(book.lineage[1:]) or "–"]
            for book, count in zip(books, own, strict=True)
        ),
    ]
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    for number, row in enumerate(table):
        cells = [
            text.rjust(size) if place == 3 else text.ljust(size)
            for place, (text, size) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
        if not number:
            yield "  ".join("─" * size for size in widths)


def different_terms(one: Rulebook, two: Rulebook) -> list[str]:
    """Name the terms that two books set differently."""
    names = sorted({*one.terms, *two.terms})
    return [name for name in names if one.term(name) != two.term(name)]


def term_value(book: Rulebook, name: str, language: str, *, article: bool = True) -> str:
    """Say what a book sets a term to, with its article."""
    term = book.terms.get(name)
    if term is None:
        return "–"
    if name == "substantial_action":
        text = wording.say_substantial_action(str(term.value), language)
        text = text[text.index("(") + 1 : -1]
    elif name in _COUNTED:
        text = say(language, f"term.{name}.value", int(term.value))
    else:
        text = say(language, f"term.{name}.{term.value}")
    if not article:
        return text
    return f"{text} ({term.article}{INHERITED if term.rulebook != book.id else ''})"


def _notes(language: str) -> Iterator[str]:
    yield from wrapped(say(language, "rulebooks.note.inherited"), f"{INHERITED} ", "  ")
    yield from wrapped(say(language, "rulebooks.note.reading"), f"{READING} ", "  ")


def _widths(books: int) -> list[int]:
    room = width() - _FIRST - books * len(_BETWEEN)
    return [_FIRST, *([room // books] * books)]


def _rule(widths: Sequence[int]) -> str:
    return "─┼─".join("─" * size for size in widths)


def _row(
    cells: Sequence[str | Sequence[str]], widths: Sequence[int], *, spanning: bool = False
) -> Iterator[str]:
    """One row of the table; each cell is wrapped in its column. ``spanning`` lets the first cell run over all."""
    if spanning:
        yield from wrapped(str(cells[0]))
        return
    columns = []
    for cell, size in zip(cells, widths, strict=True):
        paragraphs = [cell] if isinstance(cell, str) else list(cell)
        marked = len(paragraphs) > 1
        lines: list[str] = []
        for paragraph in paragraphs:
            first, rest = ("· ", "  ") if marked else ("", "")
            lines += wrapped(paragraph, first, rest, size)
        columns.append(lines)
    for number in range(max(map(len, columns))):
        parts = [
            (lines[number] if number < len(lines) else "").ljust(size)
            for lines, size in zip(columns, widths, strict=True)
        ]
        yield _BETWEEN.join(parts).rstrip()
