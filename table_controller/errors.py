"""The root of everything that a table's program reports as an error."""

from __future__ import annotations


class TableError(Exception):
    """Something that a table cannot do, with the next step for the person who reads it.

    `code` is a stable slug. What is not in this tree is a fault of the program and crashes loudly.

    Args:
        what: What is wrong, in one sentence.
        where: The file, topic, device or field.
        hint: The next step.
    """

    code = "table_error"
    default_hint = "see the log of the table's program"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint or self.default_hint
        place = f" at {where}" if where else ""
        super().__init__(f"{self.code}{place}: {what} ({self.hint})")
