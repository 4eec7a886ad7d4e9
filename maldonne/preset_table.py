"""The tournament part of rulebooks, laid out for a director at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.rulebook import Rulebook
from tournament_hub import preset_wording as words
from tournament_hub.logic.presets import SETTINGS, Preset, different, different_offences, preset_of


def heading(language: str) -> str:
    """What the part is called."""
    return words.catalogue().text(language, "heading")


def settings(book: Rulebook, language: str, *, inherited: str, reading: str) -> Iterator[str]:
    """Every setting and every reason for a penalty of one book, a paragraph each.

    Args:
        book: complete.
        language: the reader's.
        inherited: the mark behind an article that another book has written.
        reading: the mark behind one that the text does not quite say.
    """
    preset = preset_of(book)
    for name in SETTINGS:
        article = preset.articles[name]
        cited = article.article if article.official is None else f"{article.article} = {article.official}"
        marks = (reading if article.reading else "") + ("" if article.own else inherited)
        said = f"{words.say_setting(name, language)} : {words.say_value(preset, name, language)}"
        yield f"{said} ({cited}{marks})"
    reasons = "; ".join(_offence(preset, name, language) for name in preset.offences)
    yield f"{words.catalogue().text(language, 'offences')} : {reasons}"


def _offence(preset: Preset, name: str, language: str) -> str:
    offence = preset.offences[name]
    return (
        f"{words.say_offence(name, language)} → {words.say_step(offence.step, language)} ({offence.article})"
    )


def compared(one: Rulebook, two: Rulebook, language: str) -> Iterator[tuple[str, str, str]]:
    """What two books decide differently: name, and what each says."""
    presets = preset_of(one), preset_of(two)
    for name in different(*presets):
        left, right = (
            f"{words.say_value(preset, name, language)} ({preset.article(name)})" for preset in presets
        )
        yield words.say_setting(name, language), left, right
    for name in different_offences(*presets):
        left, right = (
            f"{words.say_step(preset.offences[name].step, language)} ({preset.offences[name].article})"
            if name in preset.offences
            else "–"
            for preset in presets
        )
        yield words.say_offence(name, language), left, right


def compared_data(one: Rulebook, two: Rulebook) -> dict[str, list[object]]:
    """The same for machines: setting → both values."""
    presets = preset_of(one), preset_of(two)
    found: dict[str, list[object]] = {
        name: [getattr(preset, name) for preset in presets] for name in different(*presets)
    }
    for name in different_offences(*presets):
        found[f"offence_{name}"] = [
            preset.offences[name].step if name in preset.offences else None for preset in presets
        ]
    return found
