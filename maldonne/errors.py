"""What a command reports instead of doing its work, each with its exit status."""


class CommandError(Exception):
    """A failure of a command, with the next step for the person who typed it.

    ``code`` is a stable slug; ``exit_status`` is 1 for a failure of the program's own and 2 for
    bad input.
    """

    code = "command"
    exit_status = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        """Keep what is wrong, where it stands (file:line, option) and what to do next."""
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(": ".join(part for part in (where, what) if part) + (f" ({hint})" if hint else ""))


class InputError(CommandError):
    """A file, line or option that the command cannot use."""

    code = "input"
    exit_status = 2


class MalformedHand(InputError):
    """A hand history that is not PHH, or not of a game that this program plays."""

    code = "malformed-hand"
