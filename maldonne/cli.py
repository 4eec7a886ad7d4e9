"""The one program, ``maldonne``: a table of commands, one module each.

A command's module has ``add_arguments(parser)`` and ``run(options) -> int`` (the exit status).
It is imported only when it is called, so that no command pays for another's libraries. Bad input
ends with status 2 and one line on standard error, a failure of the program's own with 1.
"""

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn

from engine.errors import EngineError
from maldonne.errors import CommandError
from table_controller.errors import TableError


class Command(NamedTuple):
    """One entry of the table: the word typed, the module that does it, what the help says."""

    name: str
    module: str
    help: str


COMMANDS: Final = (
    Command("demo", "maldonne.demo", "broker, hub, page and simulated tables on nothing but the install"),
    Command("adjudicate", "maldonne.adjudicate", "table events in, rulings out"),
    Command("ask", "maldonne.ask", "the pocket referee: a few questions, then what the book says"),
    Command("play", "maldonne.play", "play recorded hands and compare with the record"),
    Command("table", "maldonne.table_command", "one table's controller, the program of its Raspberry Pi"),
    Command("hub", "maldonne.hub_command", "the tournament room: floor page, tables, record"),
    Command("sim", "maldonne.sim_command", "one simulated table: hardware and people"),
    Command(
        "calibrate", "maldonne.calibrate", "teach the camera its table; the sheets to print; table ready?"
    ),
    Command("look", "maldonne.look", "the cards in pictures, a video or what a camera sees"),
    Command("tournament", "maldonne.tournament", "a whole random tournament through the hub's logic"),
    Command("enroll", "maldonne.enroll", "teach the table its decks and chips"),
    Command("doctor", "maldonne.doctor", "every device of a table: found, version, errors, next step"),
    Command("rulebooks", "maldonne.rulebooks", "what each rulebook answers, side by side, with articles"),
    Command(
        "season", "maldonne.season_command", "a season's points from files of results, players and teams"
    ),
    Command("journal", "maldonne.journal", "a table's record: read it, prove it whole, hand histories"),
)


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the options and leave with status 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser(wanted: str | None = None) -> Parser:
    """Build the parser; only the command ``wanted`` gets its options."""
    top = Parser(prog="maldonne", description="The rules, tables and hub of a live poker tournament.")
    choices = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser, title="commands"
    )
    for command in COMMANDS:
        entry = choices.add_parser(command.name, help=command.help, description=command.help)
        if command.name == wanted:
            module = importlib.import_module(command.module)
            module.add_arguments(entry)
            entry.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status: 0 done, 1 a failure of the program's own, 2 bad input.
    """
    typed = list(sys.argv[1:] if arguments is None else arguments)
    wanted = next((word for word in typed if not word.startswith("-")), None)
    options = parser(wanted).parse_args(typed)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except EngineError as error:
        return _say(error, 2)
    except CommandError as error:
        return _say(error, error.exit_status)
    except TableError as error:
        return _say(error, 1)
    except KeyboardInterrupt:
        return 1
    except BrokenPipeError:
        # The reader of our output has gone (a pager, head): nothing is left to say to him.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _say(error: Exception, status: int) -> int:
    """Put an error on standard error as one line."""
    print("maldonne: " + " ".join(str(error).split()), file=sys.stderr)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
