"""The pocket referee's page: a person without any table taps to the ruling, in two languages, and can go back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

import httpx
import pytest

from engine.referee import GROUPS, QUESTIONS
from table_controller.rulebook_files import hand_books
from tournament_hub.hub import Hub
from tournament_hub.web.referee import room_book

LINK = re.compile(r'<a class="choice" href="([^"]+)">([^<]+)</a>')


@pytest.fixture
def visitor(hubs: Callable[[], Hub]) -> Iterator[httpx.Client]:
    """A browser on the machine itself, which may look."""
    with httpx.Client(base_url=hubs().url, timeout=15) as client:
        yield client


def offered(page: str) -> dict[str, str]:
    """Label and address of every answer that is offered."""
    main = page.partition('<details class="sheet books">')[0]
    return {unescape(text): unescape(href) for href, text in LINK.findall(main)}


def test_three_taps_lead_to_the_ruling_with_its_article(visitor: httpx.Client) -> None:
    page = visitor.get("/referee/ropta").text
    assert "Que s'est-il passé\u202f?" in unescape(page)
    assert len(offered(page)) == len(GROUPS)
    page = visitor.get(offered(page)["Une brûlée oubliée, en trop ou montrée"]).text
    page = visitor.get(offered(page)["Turn sans brûlée"]).text
    while offered(page):
        page = visitor.get(next(iter(offered(page).values()))).text
    assert "ROPTA" in page
    assert '<ol class="steps"><li>' in page
    assert "Les autres règlements" in page


def test_an_answer_is_taken_back_by_its_own_link_and_the_language_keeps_the_address(
    visitor: httpx.Client,
) -> None:
    at = "/referee/ropta/burn/no_burn.turn"
    page = visitor.get(at).text
    assert 'href="/referee/ropta/burn"' in page
    english = visitor.get(at + "?lang=en").text
    assert "Pocket referee" in english
    assert "Arbitre" not in english.partition("<main")[2]


def test_every_group_of_every_book_ends_in_something_to_do(visitor: httpx.Client) -> None:
    for book in hand_books():
        for group in GROUPS:
            page = visitor.get(f"/referee/{book.id}/{group}").text
            page = visitor.get(list(offered(page).values())[-1]).text
            for _ in range(QUESTIONS + 1):
                if not offered(page):
                    break
                page = visitor.get(list(offered(page).values())[-1]).text
            assert '<ol class="steps"><li>' in page, (book.id, group)


@pytest.mark.parametrize(
    "at", ["/referee/hoyle", "/referee/ropta/nothing", "/referee/ropta/burn/no_burn.flop/perhaps"]
)
def test_an_address_that_leads_nowhere_is_not_found(visitor: httpx.Client, at: str) -> None:
    assert visitor.get(at).status_code == 404


def test_a_room_whose_book_is_not_here_asks_the_common_one() -> None:
    assert room_book("not-a-book").id == "standard"
