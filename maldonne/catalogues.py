"""Compile the engine's gettext catalogues into Python modules: ``python -m maldonne.catalogues``.

The engine reads no files, so its texts are committed as modules of plain literals. Translators
edit ``engine/locales/<language>/LC_MESSAGES/maldonne.po`` and run this; ``--check`` only tells
whether the committed modules are up to date.
"""

import argparse
import ast
import gettext
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

LOCALES: Final = Path(__file__).resolve().parent.parent / "engine" / "locales"
FIRST_LANGUAGE: Final = "fr"
# A plural form depends at most on the last two digits and on small numbers: 200 entries tell all.
PLURAL_ENTRIES: Final = 200

_FIELD = re.compile(r"^(msgid|msgid_plural|msgstr(?:\[\d\])?)[ \t]+(\".*\")$")
_PLACE = re.compile(r"\{([a-z_]*)\}")
_PLURAL_HEADER = re.compile(r"^Plural-Forms:\s*nplurals=(\d);\s*plural=([^;]+);", re.MULTILINE)

Text = str | tuple[str, ...]


class CatalogueError(ValueError):
    """A translation file that cannot be compiled."""

    code = "catalogue"

    def __init__(self, what: str, *, where: str, hint: str = "") -> None:
        """Keep what is wrong, where it stands (file:line) and what to do next."""
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(f"{where}: {what}" + (f" ({hint})" if hint else ""))


class Language(Struct, frozen=True):
    """One compiled catalogue; ``plural[n]`` is the form for the number n (above 199: its last two digits + 100)."""

    code: str
    texts: dict[str, Text]
    plural: tuple[int, ...]


def places(text: Text) -> frozenset[str]:
    """Name the places to fill in, in all forms of a text.

    >>> sorted(places(("Donnez une carte au siège {seat}", "Donnez {n} cartes au siège {seat}")))
    ['n', 'seat']
    """
    forms = (text,) if isinstance(text, str) else text
    return frozenset(name for form in forms for name in _PLACE.findall(form))


def french_spaces(text: str) -> str:
    """Put the spaces that French wants before high punctuation and inside its quotes: they never break a line.

    >>> french_spaces("Annoncez : « Tapis » ; qui ?") == "Annoncez\\xa0: «\\xa0Tapis\\xa0»\\u202f; qui\\u202f?"
    True
    """
    text = re.sub(r" (?=[:»])", "\u00a0", text).replace("« ", "«\u00a0")
    return re.sub(r" (?=[;?!])", "\u202f", text)


def read_po(content: str, code: str, where: str) -> Language:
    """Read one ``.po`` file.

    Raises:
        CatalogueError: a line is not understood, a text is missing, doubtful or given twice, or
            the header lacks its plural rule.
    """
    header = ""
    texts: dict[str, Text] = {}
    for line, entry in _entries(content, where):
        name = entry.get("msgid", "")
        forms = tuple(entry[field] for field in sorted(entry) if field.startswith("msgstr"))
        if not name:
            header = forms[0] if forms else ""
            continue
        if name in texts:
            raise CatalogueError(f"{name} is given twice", where=f"{where}:{line}", hint="remove one")
        if not forms or not all(forms):
            raise CatalogueError(
                f"{name} has no translation", where=f"{where}:{line}", hint="fill in its msgstr"
            )
        if code == "fr":
            forms = tuple(french_spaces(form) for form in forms)
        texts[name] = forms if "msgid_plural" in entry else forms[0]
    found = _PLURAL_HEADER.search(header)
    if not found:
        raise CatalogueError(
            "the header has no Plural-Forms", where=f"{where}:1", hint="copy it from gettext's manual"
        )
    count = int(found[1])
    short = [name for name, text in texts.items() if isinstance(text, tuple) and len(text) != count]
    if short:
        raise CatalogueError(f"{short[0]} needs {count} forms", where=where, hint="msgstr[0], msgstr[1] …")
    try:
        rule = gettext.c2py(found[2])
    except ValueError as error:
        raise CatalogueError(f"Plural-Forms: {error}", where=f"{where}:1") from None
    return Language(code, texts, tuple(rule(n) for n in range(PLURAL_ENTRIES)))


def _entries(content: str, where: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Give each entry of a ``.po`` file with the line on which it begins."""
    entry: dict[str, str] = {}
    field, start = "", 1
    for number, line in enumerate([*content.splitlines(), ""], start=1):
        stripped = line.strip()
        if stripped.startswith("#"):
            if stripped.startswith("#,") and "fuzzy" in stripped:
                raise CatalogueError("a doubtful (fuzzy) entry", where=f"{where}:{number}", hint="settle it")
            continue
        if not stripped:
            if entry:
                yield start, entry
            entry, field = {}, ""
            continue
        match = _FIELD.match(stripped)
        if match:
            if match[1] == "msgid" and entry:
                yield start, entry
                entry = {}
            start = start if entry else number
            field, quoted = match[1], match[2]
        elif stripped.startswith('"') and field:
            quoted = stripped
        else:
            raise CatalogueError("not understood", where=f"{where}:{number}", hint="see gettext's .po format")
        try:
            entry[field] = entry.get(field, "") + str(ast.literal_eval(quoted))
        except (ValueError, SyntaxError):
            raise CatalogueError("not quoted", where=f"{where}:{number}", hint='write "text"') from None


def compare(languages: Mapping[str, Language]) -> None:
    """Refuse languages that do not hold the same texts with the same places to fill in.

    Raises:
        CatalogueError: naming the first text that differs.
    """
    first = languages[FIRST_LANGUAGE]
    for code, other in languages.items():
        for name in sorted(first.texts.keys() ^ other.texts.keys()):
            lacking = code if name in first.texts else FIRST_LANGUAGE
            raise CatalogueError(f"{name} is missing", where=lacking, hint="add it with its translation")
        for name, text in first.texts.items():
            if places(text) != places(other.texts[name]):
                raise CatalogueError(
                    f"{name} has other places to fill in than in {FIRST_LANGUAGE}",
                    where=code,
                    hint=f"use {sorted(places(text))}",
                )


def read_all(locales: Path = LOCALES) -> dict[str, Language]:
    """Read every language, French first.

    Raises:
        CatalogueError: a file cannot be compiled, or the languages differ.
    """
    languages = {}
    files = sorted(
        locales.glob("*/LC_MESSAGES/maldonne.po"), key=lambda file: (_code(file) != FIRST_LANGUAGE, file)
    )
    if not files or _code(files[0]) != FIRST_LANGUAGE:
        raise CatalogueError(
            f"no catalogue {FIRST_LANGUAGE}", where=str(locales), hint="it is the first language"
        )
    for file in files:
        where = f"{_code(file)}/LC_MESSAGES/maldonne.po"
        try:
            content = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CatalogueError(f"cannot be read: {error}", where=where) from None
        languages[_code(file)] = read_po(content, _code(file), where)
    compare(languages)
    return languages


def _code(file: Path) -> str:
    return file.parent.parent.name


def render(languages: Mapping[str, Language]) -> dict[str, str]:
    """Write the modules of ``engine.locales.catalogue``: file name -> source."""
    modules = {f"{code}.py": _module(language) for code, language in languages.items()}
    codes = sorted(languages)
    lines = [
        '"""All texts by language, the first language first; written by ``maldonne.catalogues``."""',
        "",
        "from typing import Final",
        "",
        f"from engine.locales.catalogue import {', '.join(codes)}",
        "",
        "TEXTS: Final[dict[str, dict[str, str | tuple[str, ...]]]] = {",
        *(f'    "{code}": {code}.TEXTS,' for code in languages),
        "}",
        "PLURALS: Final[dict[str, tuple[int, ...]]] = {",
        *(f'    "{code}": {code}.PLURAL,' for code in languages),
        "}",
    ]
    modules["__init__.py"] = "\n".join(lines) + "\n"
    return modules


def _module(language: Language) -> str:
    lines = [
        f'"""Texts in {language.code}; written by ``maldonne.catalogues`` from the .po file, edit that one."""',
        "",
        "from typing import Final",
        "",
        "# fmt: off",
        "TEXTS: Final[dict[str, str | tuple[str, ...]]] = {",
    ]
    for name, text in language.texts.items():
        forms = (text,) if isinstance(text, str) else text
        literal = ", ".join(_literal(form) for form in forms)
        lines.append(
            f"    {_literal(name)}: " + (literal if isinstance(text, str) else f"({literal},)") + ","
        )
    lines.append("}")
    digits = "".join(str(form) for form in language.plural)
    lines.append(f'PLURAL: Final = tuple(int(form) for form in "{digits}")')
    return "\n".join(lines) + "\n"


def _literal(text: str) -> str:
    """Write a text as a Python literal in double quotes, with the invisible spaces in sight."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("\u00a0", "\\xa0").replace("\u202f", "\\u202f") + '"'


def main(arguments: list[str] | None = None) -> int:
    """Write the modules, or with ``--check`` tell whether they are up to date.

    Returns:
        0 when done or up to date, 1 when out of date, 2 when a catalogue is refused.
    """
    parser = argparse.ArgumentParser(prog="python -m maldonne.catalogues", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when out of date")
    options = parser.parse_args(arguments)
    try:
        modules = render(read_all())
    except CatalogueError as error:
        print(error, file=sys.stderr)
        return 2
    folder = LOCALES / "catalogue"
    stale = [name for name, source in modules.items() if _current(folder / name) != source]
    if options.check:
        for name in stale:
            print(f"{name} is out of date: run python -m maldonne.catalogues", file=sys.stderr)
        return 1 if stale else 0
    folder.mkdir(exist_ok=True)
    for name in stale:
        (folder / name).write_text(modules[name], encoding="utf-8")
        print(f"written: engine/locales/catalogue/{name}")
    return 0


def _current(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.exists() else None


if __name__ == "__main__":
    sys.exit(main())
