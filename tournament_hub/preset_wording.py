"""What a tournament's settings are called, in French and English; French first."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tournament_hub.logic.presets import Preset
from webkit.language import Catalogue


@cache
def catalogue() -> Catalogue:
    """The texts."""
    return Catalogue(Path(__file__).parent / "locales" / "presets")


def say_setting(name: str, language: str) -> str:
    """What a setting decides: « Équilibrage : qui change de table »."""
    return catalogue().text(language, f"setting.{name}")


def say_value(preset: Preset, name: str, language: str) -> str:
    """What a preset has decided."""
    value = getattr(preset, name)
    if isinstance(value, bool):
        return catalogue().text(language, "yes" if value else "no")
    if isinstance(value, int):
        return str(value)
    return catalogue().text(language, f"setting.{name}.{value}")


def say_offence(name: str, language: str) -> str:
    """A reason for a penalty; one that a club has added is said by its own name."""
    slug = f"offence.{name}"
    return catalogue().text(language, slug) if slug in catalogue() else name.replace("_", " ")


def say_step(step: str, language: str) -> str:
    """What usually follows: a warning, a penalty, …"""
    return catalogue().text(language, f"step.{step}")
