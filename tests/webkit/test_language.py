"""Texts in French and English, and who reads which."""

from __future__ import annotations

from pathlib import Path

import pytest

from webkit.errors import CatalogueFault
from webkit.language import Catalogue, choose_language, number

FR = 'msgid ""\nmsgstr "Language: fr\\n"\n\n# note\nmsgid "a"\nmsgstr "bonjour {who}"\n\n'
PLURAL_FR = 'msgid "n"\nmsgid_plural "n"\nmsgstr[0] "{count} table"\nmsgstr[1] "{count} tables"\n'
EN = FR.replace("bonjour", "hello")


def catalogue(folder: Path, fr: str, en: str) -> Catalogue:
    (folder / "fr.po").write_text(fr, encoding="utf-8")
    (folder / "en.po").write_text(en, encoding="utf-8")
    return Catalogue(folder)


def test_fills_in_a_text_in_both_languages(tmp_path: Path) -> None:
    subject = catalogue(tmp_path, FR, EN)
    assert subject.text("fr", "a", who="x") == "bonjour x"
    assert subject.text("en", "a", who="x") == "hello x"


@pytest.mark.parametrize(
    ("language", "count", "said"),
    [
        ("fr", 0, "0 table"),
        ("fr", 1, "1 table"),
        ("fr", 2, "2 tables"),
        ("en", 0, "0 tables"),
        ("en", 1, "1 table"),
    ],
)
def test_plural_follows_the_language(tmp_path: Path, language: str, count: int, said: str) -> None:
    subject = catalogue(tmp_path, FR + PLURAL_FR, EN + PLURAL_FR)
    assert subject.text(language, "n", count) == said


def test_text_over_several_lines_is_joined(tmp_path: Path) -> None:
    long = 'msgid "a"\nmsgstr ""\n"one "\n"two"\n'
    assert catalogue(tmp_path, long, long).text("fr", "a") == "one two"


@pytest.mark.parametrize(
    ("fr", "en"),
    [
        (FR, EN + 'msgid "b"\nmsgstr "b"\n'),  # a text that one language lacks
        (FR, EN.replace("{who}", "{whom}")),  # other places to fill in
        (FR + FR.partition("# note\n")[2], EN),  # given twice
        (FR.replace("bonjour {who}", ""), EN),  # empty
        (FR + "msgid unquoted\n", EN),
        (FR + '"dangling"\n', EN),
        (FR + 'msgctxt "x"\n', EN),
    ],
)
def test_damaged_catalogue_is_refused(tmp_path: Path, fr: str, en: str) -> None:
    with pytest.raises(CatalogueFault):
        catalogue(tmp_path, fr, en)


def test_missing_file_unknown_text_and_missing_value_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CatalogueFault):
        Catalogue(tmp_path / "none")
    subject = catalogue(tmp_path, FR, EN)
    with pytest.raises(CatalogueFault):
        subject.text("fr", "zzz")
    with pytest.raises(CatalogueFault):
        subject.text("fr", "a")


@pytest.mark.parametrize(
    ("asked", "remembered", "accepts", "chosen"),
    [
        (None, None, None, "fr"),
        ("en", "fr", "fr", "en"),
        ("xx", "en", None, "en"),
        (None, None, "en-GB,en;q=0.9,fr;q=0.3", "en"),
        (None, None, "fr;q=0.9, en;q=0.1", "fr"),
        (None, None, "*;q=1, ;;;, q=q", "fr"),
        (None, None, "en;q=0", "fr"),
    ],
)
def test_language_is_asked_then_remembered_then_the_browsers(
    asked: str | None, remembered: str | None, accepts: str | None, chosen: str
) -> None:
    assert choose_language(asked, remembered, accepts) == chosen


def test_numbers_are_grouped_as_the_reader_does() -> None:
    assert number(1234567, "en") == "1,234,567"
    assert number(1234567, "fr") == "1\u202f234\u202f567"
    assert number(999, "fr") == "999"
