"""French and English for what people read: choosing the language, and the texts themselves.

Texts live in gettext ``.po`` files (one per language, message ids are slugs such as ``log.flop``) and are read as they
are: a translator edits the file and starts the program again, nothing has to be compiled.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from webkit.errors import CatalogueFault

LANGUAGES = ("fr", "en")
"""What a page can be read in; the first one is what somebody gets who asks for neither."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_ACCEPTED = re.compile(r"^([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*(?:\s*;\s*q=([01](?:\.[0-9]{1,3})?))?$")


def choose_language(asked: str | None, remembered: str | None, accept_language: str | None) -> str:
    """The language for one reader: what he asked for, else what he took last time, else what his browser prefers.

    >>> choose_language(None, None, "de, en;q=0.8, fr;q=0.5")
    'en'
    >>> choose_language("fr", "en", None)
    'fr'
    >>> choose_language(None, None, "de")
    'fr'
    """
    for wish in (asked, remembered):
        if wish in LANGUAGES:
            return str(wish)
    best, best_weight = LANGUAGES[0], 0.0
    for part in (accept_language or "").split(",")[:20]:
        match = _ACCEPTED.match(part.strip())
        if match and match[1].lower() in LANGUAGES:
            weight = float(match[2]) if match[2] else 1.0
            if weight > best_weight:
                best, best_weight = match[1].lower(), weight
    return best


def french_number(value: int) -> str:
    """A count of chips as a French reader groups it, with a thin space that never breaks the line.

    >>> french_number(1234567) == "1\\u202f234\\u202f567"
    True
    """
    return f"{value:,}".replace(",", "\u202f")


def number(value: int, language: str) -> str:
    """A count of chips, grouped by thousands the way the reader's language does it.

    >>> number(12500, "en")
    '12,500'
    """
    return french_number(value) if language == "fr" else f"{value:,}"


def chips_shown(value: int | None, language: str) -> str:
    """A count of chips as it is shown; a dash where it is not known.

    >>> chips_shown(None, "en"), chips_shown(12500, "en")
    ('—', '12,500')
    """
    return "—" if value is None else number(value, language)


class Catalogue:
    """The texts of one package in every language.

    Args:
        folder: holds ``fr.po`` and ``en.po``.

    Raises:
        CatalogueFault: a file is missing or damaged, or the languages do not hold the same texts with the same
            places to fill in.
    """

    def __init__(self, folder: Path) -> None:
        self._where = str(folder)
        self._texts: dict[str, dict[str, tuple[str, ...]]] = {}
        for language in LANGUAGES:
            self._texts[language] = read_po(folder / f"{language}.po")
        self._compare()

    def _compare(self) -> None:
        first = self._texts[LANGUAGES[0]]
        for language in LANGUAGES[1:]:
            other = self._texts[language]
            for name in sorted(first.keys() ^ other.keys()):
                raise CatalogueFault(
                    f"the text {name!r} is not in every language",
                    where=self._where,
                    hint="add it to the other file",
                )
            for name, forms in first.items():
                if _places(forms) != _places(other[name]):
                    raise CatalogueFault(
                        f"the text {name!r} has other places to fill in per language",
                        where=self._where,
                        hint="use the same {names} in every language",
                    )

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts[LANGUAGES[0]])

    def __contains__(self, name: str) -> bool:
        return name in self._texts[LANGUAGES[0]]

    def text(self, language: str, name: str, count: int | None = None, /, **values: object) -> str:
        """One text, filled in.

        Args:
            language: one of ``LANGUAGES``.
            name: the text's slug.
            count: chooses between singular and plural where the text has both (French: 0 and 1 are singular); it is
                also the value of ``{count}``.
            values: what fills the ``{places}``.

        Raises:
            CatalogueFault: no such text, or a place is left without a value.
        """
        forms = self._texts[language].get(name)
        if forms is None:
            raise CatalogueFault(
                f"there is no text {name!r}", where=self._where, hint="add it to every language"
            )
        form = forms[0]
        if count is not None:
            values["count"] = count
            singular = count in (0, 1) if language == "fr" else count == 1
            form = forms[0] if singular or len(forms) == 1 else forms[1]
        try:
            return form.format_map(values)
        except KeyError as missing:
            raise CatalogueFault(
                f"the text {name!r} needs a value for {missing}", where=self._where, hint="pass it by name"
            ) from missing


def _places(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(place for form in forms for place in _PLACEHOLDER.findall(form))


def read_po(path: Path) -> dict[str, tuple[str, ...]]:
    """Read one gettext ``.po`` file: slug -> its text, or its singular and plural.

    Raises:
        CatalogueFault: the file cannot be read, a line is not understood, a text is empty or given twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CatalogueFault(
            f"cannot be read: {error.strerror}", where=str(path), hint="install it again"
        ) from error
    texts: dict[str, tuple[str, ...]] = {}
    entry: dict[str, str] = {}
    field = ""
    for count, line in enumerate([*lines, ""], start=1):
        stripped = line.strip()
        if stripped.startswith("#"):
            continue
        if not stripped:
            _keep(entry, texts, path, count)
            entry, field = {}, ""
            continue
        key, _, rest = stripped.partition(" ")
        if stripped.startswith('"'):
            rest = stripped
        else:
            field = key
            entry[field] = ""
        if not field or not re.fullmatch(r"msgid|msgid_plural|msgstr(\[[01]\])?", field):
            raise CatalogueFault(
                f"line {count} is not understood", where=str(path), hint="see gettext's .po format"
            )
        try:
            entry[field] += str(ast.literal_eval(rest))
        except (ValueError, SyntaxError) as error:
            raise CatalogueFault(
                f"line {count} is not quoted", where=str(path), hint='write "text"'
            ) from error
    return texts


def _keep(entry: dict[str, str], texts: dict[str, tuple[str, ...]], path: Path, line: int) -> None:
    name = entry.get("msgid")
    if not name:  # nothing, or the header, whose id is empty
        return
    forms = tuple(entry[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if key in entry)
    if name in texts or not forms or not all(forms):
        raise CatalogueFault(
            f"the text {name!r} before line {line} is empty or given twice",
            where=str(path),
            hint="correct the entry",
        )
    texts[name] = forms
