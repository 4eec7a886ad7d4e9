"""An incident in plain sentences, as text or as one printable page of HTML. Pure but for its catalogue."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from engine.rulebook import Row
from engine.rulings import Order
from engine.wording import (
    say_incident,
    say_order,
    say_phase,
    say_place,
    say_row,
    say_ruling,
    say_ruling_name,
)
from engine.wording.questions import ask_options, question_text
from table_controller.report.gathering import Answer, Decision, Incident, Moment
from table_controller.rulebook_files import load_book
from webkit.language import Catalogue

_WIDTH: Final = 78
_MOST: Final = 4
"""So many acts that were due are named."""

Section = tuple[str, tuple[str, ...]]


@cache
def _catalogue() -> Catalogue:
    return Catalogue(Path(__file__).parent / "locales")


class Words:
    """The report of one incident in one language."""

    def __init__(self, incident: Incident, lang: str, *, table: str) -> None:
        self._i = incident
        self._lang = lang
        self._table = table
        term = incident.book.term("substantial_action")
        self._sa = term if isinstance(term, str) else None

    def _t(self, name: str, count: int | None = None, **values: object) -> str:
        return _catalogue().text(self._lang, name, count, **values)

    @property
    def title(self) -> str:
        """What happened, in a few words."""
        name = self._t("decision.only") if self._i.name == "other" else say_incident(self._i.name, self._lang)
        return name[0].upper() + name[1:]

    @property
    def head(self) -> str:
        """Table, hand, number, time."""
        i = self._i
        return self._t("head", table=self._table, hand=i.hand, number=i.number, when=self._when(i.when))

    def sections(self) -> tuple[Section, ...]:
        """Every section with its sentences."""
        found: list[Section] = [
            (self._t("section.sensed"), tuple(self._sensed())),
            (self._t("section.expected"), tuple(self._expected())),
            (self._t("section.ruling"), tuple(self._ruled())),
            (self._t("section.article"), tuple(self._articles())),
            (self._t("section.decided"), tuple(self._decided())),
        ]
        if self._i.undone:
            found.append((self._t("section.undone"), (self._t("undone"),)))
        return tuple(found)

    def _when(self, when: Moment) -> str:
        day, _, clock = when.utc.partition("T")
        return self._t("when", day=day, clock=clock[:8], t=f"{when.t:.1f}".replace(".", self._t("point")))

    def _sensed(self) -> list[str]:
        i, t = self._i, self._t
        lines: list[str] = []
        if i.seats:
            lines.append(t("about", len(i.seats), seats=", ".join(str(seat) for seat in i.seats)))
        if i.evidence:
            senses = t("and").join(t(f"sense.{sense}") for sense in i.evidence)
            where = ", ".join(say_place(place, self._lang) for place in i.places if place)
            lines.append(t("sensed.at", senses=senses, where=where) if where else t("sensed", senses=senses))
        elif i.told_by:
            lines.append(t("told", who=self._who(i.told_by)))
        else:
            lines.append(t("sensed", senses=t("sense.antenna")) if i.reads else t("sensed.nothing"))
        for read in i.reads:
            where = say_place(read.place, self._lang)
            lines.append(
                t("read", read.cards, where=where, age=f"{read.age:.1f}".replace(".", t("point")))
                if read.age is not None
                else t("read.never", where=where)
            )
        if not i.reads:
            lines.append(t("read.none"))
        return lines

    def _expected(self) -> list[str]:
        i = self._i
        found = [self._t("phase", phase=say_phase(i.phase, self._lang))]
        told = [order for order in i.expected if order.order not in ("announce", "post")][:_MOST]
        found += [f"— {self._order(order)}" for order in told]
        return found if told else [*found, self._t("expected.nothing")]

    def _order(self, order: Order) -> str:
        return say_order(order, self._lang)

    def _ruled(self) -> list[str]:
        i = self._i
        if not i.rulings:
            only = i.name == "other"
            return [self._t("ruling.by_people" if only else "ruling.none")]
        lines = [say_ruling(ruling, self._lang, sa=self._sa) for ruling in i.rulings]
        for ruling in i.rulings:
            lines += [f"→ {self._order(order)}" for order in ruling.orders if order.order != "announce"]
        return list(dict.fromkeys(lines))

    def _articles(self) -> list[str]:
        i = self._i
        rows: list[Row] = []
        for ruling in i.rulings:
            cited = [row for row in i.book.candidates(ruling.incident) if row.article == ruling.article]
            cited.sort(key=lambda row: (ruling.ruling not in row.ruling, row.penalty != ruling.penalty))
            rows += cited[:1] or [i.book.floor]
        if not rows:
            rows = list(i.book.candidates(i.name)[:1])
        lines: list[str] = []
        for row in dict.fromkeys((row.article, row.rulebook, row.incident) for row in rows):
            article, origin, _ = row
            lines.append(self._t("article", article=article, source=self._source(origin)))
        lines += [say_row(row, self._lang, sa=self._sa) for row in rows]
        official = {r.official for r in i.rulings if r.official}
        lines += [self._t("official", text=text) for text in sorted(official)]
        return list(dict.fromkeys(lines)) or [self._t("article.none")]

    def _source(self, origin: str) -> str:
        """The book that an article stands in: its name, edition and publisher."""
        book = self._i.book
        if origin != book.id and origin in book.lineage:
            book = load_book(origin)
        return self._t("source", book=book.name, version=book.version, source=book.source)

    def _decided(self) -> list[str]:
        i = self._i
        lines = [self._answer(answer) for answer in i.answers]
        if i.decision is not None:
            lines += self._decision(i.decision)
        elif any(ruling.ruling == "call_floor" for ruling in i.rulings):
            lines.append(self._t("decision.open"))
        if lines:
            return lines
        who = self._who(i.told_by) if i.told_by else self._t("who.table")
        return [self._t("decided.by_book", who=who, when=self._when(i.when))]

    def _answer(self, answer: Answer) -> str:
        t = self._t
        when = self._when(answer.when)
        who = self._who(answer.by) if answer.by else t("who.people")
        if answer.sensed:
            question = say_incident(answer.fact, self._lang)
            return t(
                f"answer.{answer.value}", question=question[0].upper() + question[1:], who=who, when=when
            )
        question = question_text(answer.fact, self._lang, sa=self._sa)
        labels = dict(ask_options(answer.fact, self._lang, (answer.value,)))
        return t(
            "answer.fact",
            question=question,
            value=labels.get(answer.value, answer.value),
            who=who,
            when=when,
        )

    def _decision(self, decision: Decision) -> list[str]:
        t = self._t
        choice = say_ruling_name(decision.choice, self._lang)
        who = self._who(decision.by)
        lines = [t("decision", choice=choice, who=who, when=self._when(decision.when))]
        if decision.seats:
            lines.append(t("about", len(decision.seats), seats=", ".join(map(str, decision.seats))))
        if decision.note:
            lines.append(t("decision.note", note=decision.note))
        return lines

    def _who(self, source: str) -> str:
        """Who said it, from the record's own word."""
        kind, _, name = source.partition(":")
        if kind in ("page", "panel", "decision"):
            return self._t(f"who.{kind}", device=name)
        return self._t("who.people") if source == "people" else source


def text(words: Sequence[Words]) -> str:
    """All reports as plain text, eighty columns wide."""
    import textwrap

    parts: list[str] = []
    for one in words:
        parts += [one.title.upper(), one.head, "=" * _WIDTH]
        for heading, lines in one.sections():
            parts += ["", heading]
            for line in lines:
                parts.append(textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    "))
        parts.append("")
    return "\n".join(parts)


def page(words: Sequence[Words], lang: str) -> str:
    """All reports as one HTML document, a sheet of A4 each."""
    sheets: list[str] = []
    for one in words:
        body = "".join(
            f"<section><h2>{html.escape(heading)}</h2>"
            + "".join(f"<p>{html.escape(line)}</p>" for line in lines)
            + "</section>"
            for heading, lines in one.sections()
        )
        signed = _catalogue().text(lang, "signed")
        sheets.append(
            f"<article><header><h1>{html.escape(one.title)}</h1><p>{html.escape(one.head)}</p></header>"
            f"{body}<footer><p>{html.escape(signed)}</p></footer></article>"
        )
    title = html.escape(words[0].title if words else "")
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(sheets) + "\n</body>\n</html>\n"
    )


_STYLE: Final = (
    "@page{size:A4;margin:18mm}"
    "body{font:11pt/1.4 'DejaVu Sans',Arial,sans-serif;color:#000;background:#fff;margin:0}"
    "article{max-width:174mm;margin:12mm auto;break-after:page}article:last-child{break-after:auto}"
    "header{border-bottom:2pt solid #000;margin-bottom:5mm}h1{font-size:18pt;margin:0}"
    "header p{margin:1mm 0 3mm}h2{font-size:12pt;margin:5mm 0 1mm}section{break-inside:avoid}"
    "section p{margin:0 0 1mm 5mm}footer{margin-top:12mm;border-top:.5pt solid #000}"
    "@media print{article{margin:0;max-width:none}}"
)
