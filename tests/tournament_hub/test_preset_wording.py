"""Every setting of a tournament, every word it can have and every packaged reason is said in both languages."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from table_controller.rulebook_files import available, load_book
from tournament_hub.logic.presets import SETTINGS, Step, preset_of
from tournament_hub.preset_wording import catalogue, say_offence, say_setting, say_step, say_value
from webkit.language import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_and_word_is_said(language: str) -> None:
    preset = preset_of(load_book("standard"))
    names = [say_setting(name, language) for name in SETTINGS]
    assert len(set(names)) == len(names)
    for name, form in SETTINGS.items():
        words = [word for word in get_args(form) if isinstance(word, str)]
        said = [say_value(msgspec.structs.replace(preset, **{name: word}), name, language) for word in words]
        assert len(set(said)) == len(words) and all(said)
    assert {say_step(step, language) for step in get_args(Step)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_packaged_reasons_are_said_and_a_clubs_own_by_its_name(language: str) -> None:
    for name in available():
        for offence in preset_of(load_book(name)).offences:
            assert f"offence.{offence}" in catalogue()
    assert say_offence("late_to_the_table", language) == "late to the table"
