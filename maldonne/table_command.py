"""``maldonne table``: one table's controller, the program of its Raspberry Pi."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from pathlib import Path
from types import FrameType

from maldonne.errors import InputError
from maldonne.texts import chosen_language, say
from table_controller.config import ConfigError, load_config
from table_controller.table import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--config", required=True, metavar="F", help="the table's table.toml")


def run(options: argparse.Namespace) -> int:
    """Run the table until SIGINT or SIGTERM.

    Raises:
        InputError: the configuration cannot be used.
        TableError: a device file or the journal cannot be used.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr)
    path = Path(options.config)
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="see docs/table.md")
    try:
        config = load_config(path)
    except ConfigError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    language = chosen_language()
    table = Table(config, lang=language)

    def stop(number: int, frame: FrameType | None) -> None:
        table.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with table:
            print(say(language, "table.ready", None, path=path), flush=True)
            if table.page is not None:
                print(say(language, "table.page", None, url=table.page.url), flush=True)
                invitation = table.page.invitation()
                if invitation is not None:
                    print(say(language, "table.invitation", None, url=invitation), flush=True)
            if config.devices:
                for line in table.panel.shortcomings():
                    print(say(language, "table.panel", None, line=line), flush=True)
            table.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0
