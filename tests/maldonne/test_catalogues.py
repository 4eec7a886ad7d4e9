"""The compiler of the texts: what it refuses, what it writes, and that the committed modules are its own."""

import doctest
from pathlib import Path

import pytest

from engine.locales.catalogue import PLURALS, TEXTS
from maldonne import catalogues
from maldonne.catalogues import LOCALES, CatalogueError, compare, read_all, read_po, render

HEADER = 'msgid ""\nmsgstr ""\n"Language: xx\\n"\n"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'


def po(*entries: str) -> str:
    """A translation file with these entries."""
    return HEADER + "\n".join(entries)


def test_the_committed_modules_are_what_the_translations_give() -> None:
    for name, source in render(read_all()).items():
        committed = (LOCALES / "catalogue" / name).read_text(encoding="utf-8")
        assert committed == source, f"{name} is out of date: run python -m maldonne.catalogues"


def test_the_check_agrees_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert catalogues.main(["--check"]) == 0
    assert capsys.readouterr().out == ""


def test_what_is_compiled_is_what_was_translated() -> None:
    for code, language in read_all().items():
        assert TEXTS[code] == language.texts
        assert PLURALS[code] == language.plural


def test_plural_rules_follow_each_language() -> None:
    assert [PLURALS["fr"][n] for n in (0, 1, 2, 100)] == [0, 0, 1, 1]
    assert [PLURALS["en"][n] for n in (0, 1, 2, 100)] == [1, 0, 1, 1]


def test_an_entry_may_run_over_lines_and_carry_remarks() -> None:
    language = read_po(
        po("#. what a dealer does", 'msgid "a"', 'msgstr ""', '"Brûlez "', '"une carte"'), "xx", "x.po"
    )
    assert language.texts == {"a": "Brûlez une carte"}


def test_french_gets_its_spaces_and_other_languages_do_not() -> None:
    entry = po('msgid "a"', 'msgstr "Qui ? « Lui »"')
    assert read_po(entry, "fr", "x.po").texts["a"] == "Qui\u202f? «\u00a0Lui\u00a0»"
    assert read_po(entry, "en", "x.po").texts["a"] == "Qui ? « Lui »"


@pytest.mark.parametrize(
    ("content", "what", "where"),
    [
        (po('msgid "a"', 'msgstr ""'), "a has no translation", "x.po:6"),
        (po('msgid "a"', 'msgstr "b"', "", 'msgid "a"', 'msgstr "c"'), "a is given twice", "x.po:9"),
        (po("#, fuzzy", 'msgid "a"', 'msgstr "b"'), "doubtful", "x.po:6"),
        (po('msgid "a"', "msgstr b"), "not understood", "x.po:7"),
        (po('msgid "a"', 'msgstr "b" "'), "not quoted", "x.po:7"),
        (po('msgid "a"', 'msgid_plural "a"', 'msgstr[0] "b"'), "a needs 2 forms", "x.po"),
        ('msgid "a"\nmsgstr "b"\n', "no Plural-Forms", "x.po:1"),
        (HEADER.replace("(n > 1)", "(n >)"), "Plural-Forms", "x.po:1"),
    ],
)
def test_a_damaged_translation_is_refused_with_file_and_line(content: str, what: str, where: str) -> None:
    with pytest.raises(CatalogueError, match=what) as caught:
        read_po(content, "xx", "x.po")
    assert caught.value.where == where
    assert caught.value.code == "catalogue"


def test_languages_that_differ_are_refused() -> None:
    french = read_po(po('msgid "a"', 'msgstr "siège {seat}"'), "fr", "fr.po")
    other_place = read_po(po('msgid "a"', 'msgstr "seat {number}"'), "en", "en.po")
    other_text = read_po(po('msgid "b"', 'msgstr "seat {seat}"'), "en", "en.po")
    with pytest.raises(CatalogueError, match="other places to fill in") as caught:
        compare({"fr": french, "en": other_place})
    assert "seat" in caught.value.hint
    with pytest.raises(CatalogueError, match="a is missing") as caught:
        compare({"fr": french, "en": other_text})
    assert caught.value.where == "en"


def test_a_third_language_needs_no_code(tmp_path: Path) -> None:
    for code, text in (("fr", "une"), ("en", "one"), ("pl", "jedna")):
        folder = tmp_path / code / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "maldonne.po").write_text(po('msgid "count"', f'msgstr "{text}"'), encoding="utf-8")
    languages = read_all(tmp_path)
    assert list(languages) == ["fr", "en", "pl"]
    modules = render(languages)
    assert set(modules) == {"fr.py", "en.py", "pl.py", "__init__.py"}
    assert '"pl": pl.TEXTS' in modules["__init__.py"]
    found: dict[str, object] = {}
    exec(modules["pl.py"], found)
    assert found["TEXTS"] == {"count": "jedna"}


def test_a_tree_without_the_first_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no catalogue fr"):
        read_all(tmp_path)


def test_a_refused_catalogue_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "maldonne.po").write_bytes(b'msgid "\xff"\n')
    monkeypatch.setattr(catalogues, "read_all", lambda: read_all(tmp_path))
    monkeypatch.setattr(catalogues, "LOCALES", tmp_path)
    assert catalogues.main([]) == 2
    assert capsys.readouterr().err.startswith("fr/LC_MESSAGES/maldonne.po: cannot be read")
    assert not (tmp_path / "catalogue").exists()


def test_stale_modules_are_told_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    languages = read_all()
    monkeypatch.setattr(catalogues, "read_all", lambda: languages)
    monkeypatch.setattr(catalogues, "LOCALES", tmp_path)
    assert catalogues.main(["--check"]) == 1
    assert "fr.py is out of date" in capsys.readouterr().err
    assert catalogues.main([]) == 0
    assert catalogues.main(["--check"]) == 0
    assert (tmp_path / "catalogue" / "fr.py").exists()


def test_the_examples_in_the_docstrings_hold() -> None:
    result = doctest.testmod(catalogues)
    assert result.failed == 0
    assert result.attempted > 0
