"""What the eyes report as an error."""

from __future__ import annotations


class VisionError(Exception):
    """Something that the camera's programs cannot do, with the next step for the person who reads it.

    `code` is a stable slug.

    Args:
        what: What is wrong, in one sentence.
        where: The file, device or field.
        hint: The next step.
    """

    code = "vision"
    default_hint = "see docs/vision.md"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint or self.default_hint
        place = f" at {where}" if where else ""
        super().__init__(f"{self.code}{place}: {what} ({self.hint})")
