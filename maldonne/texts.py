"""The words of the command line in French and English, chosen by the environment."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from webkit.language import LANGUAGES, Catalogue


def chosen_language(environment: Mapping[str, str] | None = None) -> str:
    """Find the reader's language from ``LC_ALL``, ``LC_MESSAGES`` or ``LANG``; French when in doubt.

    >>> chosen_language({"LANG": "en_GB.UTF-8"}), chosen_language({"LC_ALL": "fr_FR", "LANG": "en"})
    ('en', 'fr')
    >>> chosen_language({"LANG": "C.UTF-8"}), chosen_language({"LANG": "de_DE"}), chosen_language({})
    ('en', 'fr', 'fr')
    """
    found = os.environ if environment is None else environment
    name = next((found[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if found.get(key)), "")
    code = name.partition(".")[0].partition("_")[0].lower()
    if code in ("c", "posix"):
        return "en"
    return code if code in LANGUAGES else LANGUAGES[0]


@cache
def catalogue() -> Catalogue:
    """The command line's texts."""
    return Catalogue(Path(__file__).parent / "locales")


def say(language: str, name: str, count: int | None = None, **values: object) -> str:
    """Give one text of the command line, filled in."""
    return catalogue().text(language, name, count, **values)
