"""What every event of a tournament is."""

from __future__ import annotations

from msgspec import Struct


class Happened(Struct, frozen=True, kw_only=True, tag_field="event", omit_defaults=True):
    """Something that changes a tournament."""
