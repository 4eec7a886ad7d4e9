"""The pocket referee as a page: what happened, a few questions, what the book says. No table and no hand is needed.

The answers given so far are the address (``/referee/ropta/burn/no_burn.turn``): the browser's back key takes the last
one back, and an answer can be sent to somebody. The server keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from engine import referee, wording
from engine.errors import EngineError
from engine.rulebook import Rulebook
from table_controller.rulebook_files import hand_books, load_book
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Role

Books = Callable[[], tuple[Rulebook, ...]]


class Choice(msgspec.Struct, frozen=True):
    """One large button: what it says, where it leads."""

    text: str
    href: str


class Step(msgspec.Struct, frozen=True):
    """An answer given before: its words, and the address at which another one can be given."""

    text: str
    href: str


class RefereePage:
    """The pages under ``/referee``.

    Args:
        default: the rulebook that the room plays by; it is asked first.
    """

    def __init__(self, default: str) -> None:
        self._default = default

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""

        async def show(request: Request, visitor: Visitor) -> Response:
            return self._show(site(), request, visitor)

        return [
            Page("/referee", show, Role.DISPLAY),
            Page("/referee/{book}", show, Role.DISPLAY),
            Page("/referee/{book}/{answers:path}", show, Role.DISPLAY),
        ]

    def _show(self, site: Site, request: Request, visitor: Visitor) -> Response:
        room = room_book(self._default)
        name = request.path_params.get("book", room.id)
        book = next((book for book in (room, *hand_books()) if book.id == name), None)
        if book is None:
            raise HTTPException(404)
        answers = [part for part in request.path_params.get("answers", "").split("/") if part]
        language = visitor.language
        term = wording.spoken_term(book)
        try:
            steps, asked = walk(book, answers, language, term)
        except referee.BadAnswer:
            raise HTTPException(404) from None
        shown: dict[str, Any] = {"question": None, "choices": (), "said": None}
        if isinstance(asked, referee.Answer):
            shown["said"] = wording.say_answer(asked, language, sa=term, books=hand_books())
        else:
            shown["question"] = wording.say_asked(asked, language, sa=term)
            shown["choices"] = tuple(
                Choice(label, address(book.id, [*answers, given]))
                for given, label in wording.say_choices(asked, language)
            )
        books = tuple(
            Choice(other.name, address(other.id, answers[:2]))
            for other in _once((room, *hand_books()))
            if other.id != book.id
        )
        return site.page(request, visitor, "referee.html", book=book, books=books, steps=steps, **shown)


def walk(
    book: Rulebook, answers: Sequence[str], language: str, term: str | None
) -> tuple[list[Step], referee.Pick | referee.Question | referee.Answer]:
    """Take the answers one by one: the words of each, and what is asked next or answered.

    Raises:
        BadAnswer: one is none of those that were offered.
    """
    steps = []
    for place, given in enumerate(answers):
        asked = referee.consult(book, answers[:place], ())
        if isinstance(asked, referee.Answer):
            break
        label = dict(wording.say_choices(asked, language)).get(given, given)
        if isinstance(asked, referee.Question):
            label = f"{wording.say_asked(asked, language, sa=term)} {label}"
        steps.append(Step(label, address(book.id, answers[:place])))
    return steps, referee.consult(book, answers, hand_books())


def address(book: str, answers: Sequence[str]) -> str:
    """The address of a consultation.

    >>> address("ropta", ["wrong_deal", "wrong_card_count", "3+"])
    '/referee/ropta/wrong_deal/wrong_card_count/3%2B'
    """
    return "/".join(["/referee", *(quote(part, safe="") for part in (book, *answers))])


@cache
def room_book(name: str) -> Rulebook:
    """The book that the room plays by; where its file is not here, the common denominator."""
    try:
        return load_book(name)
    except EngineError:
        return load_book("standard")


def _once(books: Sequence[Rulebook]) -> list[Rulebook]:
    return list({book.id: book for book in books}.values())
