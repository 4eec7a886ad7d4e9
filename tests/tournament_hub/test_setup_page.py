"""The questions of the first start on a page: at this machine only, answered once, and the browser is the director's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tournament_hub.first_settings import Answers
from tournament_hub.web.setup_page import SetupServer
from webkit.pairing import Pairing, Role


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[SetupServer, list[Answers]]]:
    """The page, and what it was told."""
    kept: list[Answers] = []
    server = SetupServer(tmp_path, 0, kept.append)
    server.start()
    yield server, kept
    server.close()


def test_the_questions_stand_there_with_answers_that_work(asked: tuple[SetupServer, list[Answers]]) -> None:
    server, _ = asked
    french = httpx.get(server.url).text
    for text in ("Nom du club", "Club de poker", "20000 / 20", "ROPTA"):
        assert text in french
    english = httpx.get(server.url + "?lang=en").text
    assert "How many tables" in english and 'value="Poker club"' in english
    answer = httpx.get(server.url.removesuffix("/setup") + "/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/setup")


def test_wrong_answers_are_shown_again_and_nothing_is_kept(asked: tuple[SetupServer, list[Answers]]) -> None:
    server, kept = asked
    answer = httpx.post(server.url, data={"name": "<Lyon>", "tables": "many", "seats": "9", "pace": "1"})
    assert answer.status_code == 422
    assert "Un nombre de tables, de 1 à 200." in answer.text.replace("\u00a0", " ")
    assert 'value="&lt;Lyon&gt;"' in answer.text and 'value="many"' in answer.text
    assert kept == [] and not server.answered.is_set()


def test_answers_are_kept_once_and_the_browser_is_let_in(
    asked: tuple[SetupServer, list[Answers]], tmp_path: Path
) -> None:
    server, kept = asked
    fields = {"name": "Lyon", "tables": "3", "seats": "8", "pace": "10000 / 15", "rulebook": "ropta"}
    answer = httpx.post(server.url, data=fields)
    assert answer.status_code == 200
    assert "Lyon" in answer.text
    again = httpx.post(server.url, data={**fields, "name": "Paris"})
    assert again.status_code == 200
    assert kept == [Answers(name="Lyon", tables=3, seats=8, stack=10000, minutes=15, rulebook="ropta")]
    assert server.answered.is_set() and not server.waits.is_set()
    httpx.get(server.url)
    assert server.waits.is_set(), "the browser has taken the last page and looks for the hub"
    pairing = Pairing(tmp_path / "web")
    device = pairing.recognise(answer.cookies.get(pairing.cookie))
    assert device is not None and device.role is Role.DIRECTOR


def test_who_is_elsewhere_is_not_asked(asked: tuple[SetupServer, list[Answers]]) -> None:
    server, kept = asked
    far = {"x-forwarded-for": "10.0.0.9"}
    assert httpx.get(server.url, headers=far).status_code == 401
    assert httpx.post(server.url, data={"name": "x"}, headers=far).status_code == 401
    assert kept == []
