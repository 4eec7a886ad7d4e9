"""All texts by language, the first language first; written by ``maldonne.catalogues``."""

from typing import Final

from engine.locales.catalogue import en, fr

TEXTS: Final[dict[str, dict[str, str | tuple[str, ...]]]] = {
    "fr": fr.TEXTS,
    "en": en.TEXTS,
}
PLURALS: Final[dict[str, tuple[int, ...]]] = {
    "fr": fr.PLURAL,
    "en": en.PLURAL,
}
