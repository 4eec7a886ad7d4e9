"""``maldonne sim``: one simulated table, its hardware and its people, for a controller that runs elsewhere."""

from __future__ import annotations

import argparse
import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

from hw_sim import bench, control
from hw_sim.config import read_config
from hw_sim.errors import ConfigError, ScriptError, SimError
from maldonne.errors import CommandError, InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--config", required=True, metavar="F", help="what the simulated table plays (TOML)")
    parser.add_argument(
        "--tell",
        metavar="LINE",
        help="instead: tell the running table of this file a fault, a slip, a neglect: 'fault miss=0.1', 'status'",
    )


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Both signals end the play in good order, also where a script in the background had SIGINT ignored."""
    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(options: argparse.Namespace) -> int:
    """Play until the hands are over or somebody interrupts.

    Raises:
        InputError: the configuration or a recorded hand cannot be used.
        CommandError: the play could not go on.
    """
    path = Path(options.config)
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="see docs/simulator.md")
    try:
        if options.tell is not None:
            print(control.tell(read_config(path).directory / control.NAME, options.tell))
            return 0
        with _stoppable():
            return bench.main(path, lambda line: print(line, flush=True))
    except (ConfigError, ScriptError) as error:
        raise InputError(str(error), where=str(path)) from None
    except SimError as error:
        raise CommandError(str(error), where=str(path)) from None
