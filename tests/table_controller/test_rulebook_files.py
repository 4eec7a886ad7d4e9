"""Reading rulebooks: the packaged ones, a club's own, and the text that a journal keeps."""

from pathlib import Path

import pytest

from engine.errors import MalformedRulebook
from table_controller.rulebook_files import available, load_book, load_resolved, resolve

CLUB = """id = "{id}"
name = "Club"
version = "1"
date = "2026-01-01"
source = "club"
extends = "{extends}"

[[hand]]
incident = "boxed_card"
ruling = "play_on"
article = "{id} 1"
"""


def write(file: Path, id_: str, extends: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CLUB.format(id=id_, extends=extends), encoding="utf-8")
    return str(file)


def test_the_books_of_the_documents_are_packaged() -> None:
    assert {"standard", "ppc2011", "stars", "pokernews", "ltpq", "ropta", "tda2024"} <= set(available())


@pytest.mark.parametrize("name", available())
def test_every_packaged_book_can_be_used(name: str) -> None:
    book = load_book(name)
    assert book.id == name and book.lineage[0] == name
    assert book.floor.ruling == ("call_floor",)
    assert name not in [other.id for other in book.others]


def test_the_other_books_stand_by_for_suggestions_the_standard_first() -> None:
    ids = [other.id for other in load_book("ltpq").others]
    assert ids[0] == "standard" and {"ropta", "tda2024"} <= set(ids)


def test_a_club_extends_a_packaged_book(tmp_path: Path) -> None:
    book = load_book(write(tmp_path / "club.toml", "club", "ropta"))
    assert book.lineage == ("club", "ropta", "standard")
    assert book.candidates("boxed_card")[0].article == "club 1"
    assert book.candidates("first_card_exposed")[0].rulebook == "ropta"
    assert "ropta" in [other.id for other in book.others]


def test_a_club_extends_a_file_beside_its_own(tmp_path: Path) -> None:
    write(tmp_path / "league" / "base.toml", "league", "ppc2011")
    book = load_book(write(tmp_path / "club.toml", "club", "league/base.toml"))
    assert book.lineage == ("club", "league", "ppc2011", "standard")


@pytest.mark.parametrize("name", ["standard", "ropta", "stars"])
def test_the_text_of_a_packaged_book_gives_the_same_book_again(name: str) -> None:
    book, text = resolve(name)
    again = load_resolved(text)
    assert (again.id, again.lineage, again.rows, again.terms) == (
        book.id,
        book.lineage,
        book.rows,
        book.terms,
    )
    assert resolve(name)[1] == text, "the same text every time, so that its hash can name it"


def test_the_text_of_a_clubs_book_needs_no_file_any_more(tmp_path: Path) -> None:
    parent = tmp_path / "base.toml"
    write(parent, "league", "ropta")
    file = Path(write(tmp_path / "club.toml", "club", "base.toml"))
    book, text = resolve(str(file))
    file.unlink()
    parent.unlink()
    again = load_resolved(text)
    assert (again.lineage, again.rows, again.others) == (book.lineage, book.rows, book.others)
    assert str(tmp_path) not in text, "where the club keeps its files is nobody's business"


@pytest.mark.parametrize("text", ["", 'id = "x"\n', "#:: rulebook x\nnonsense"])
def test_a_text_that_is_no_book_is_refused(text: str) -> None:
    with pytest.raises(MalformedRulebook):
        load_resolved(text)


def test_a_text_without_its_parent_is_refused() -> None:
    text = resolve("ropta")[1].partition("#:: rulebook standard")[0]
    with pytest.raises(MalformedRulebook, match="not kept"):
        load_resolved(text)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(MalformedRulebook, match="did you mean ropta"):
        load_book("ropt")


def test_a_book_that_extends_itself_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "club.toml", "club", "club.toml")
    with pytest.raises(MalformedRulebook, match="extends itself"):
        load_book(file)


def test_a_fault_in_the_parents_file_names_that_file(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text("id = \n")
    with pytest.raises(MalformedRulebook) as raised:
        load_book(write(tmp_path / "club.toml", "club", "base.toml"))
    assert raised.value.where == f"{base}:1"
