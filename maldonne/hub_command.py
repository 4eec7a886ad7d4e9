"""``maldonne hub``: the tournament room, on any laptop."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from maldonne.errors import CommandError, InputError
from tournament_hub import hub
from tournament_hub.errors import ConfigError, HubError
from webkit.errors import WebkitError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--config", metavar="F", help="the club's hub.toml (left out: this machine only)")


def run(options: argparse.Namespace) -> int:
    """Run the room until SIGINT or SIGTERM.

    Raises:
        InputError: the configuration cannot be used.
        CommandError: the room cannot be opened.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr)
    path = Path(options.config) if options.config else None
    if path is not None and not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="see docs/hub.md")
    try:
        return hub.run(path)
    except ConfigError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    except (HubError, WebkitError) as error:
        raise CommandError(error.what, where=error.where, hint=error.hint) from None
