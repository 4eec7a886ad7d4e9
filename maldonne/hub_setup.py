"""The first start of ``maldonne hub``: five questions on the terminal, or on a page, and the file that they make."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import hand_books
from tournament_hub.config import Web, parse_config
from tournament_hub.first_settings import FIELDS, Answers, NotAnAnswer, answered, config_text, defaults
from tournament_hub.web.setup_page import SetupServer
from webkit.errors import WebkitError

BROWSER_S = 5.0
"""Seconds that a browser gets to take the last page whole; then the hub starts, whatever it did."""
MOST_TRIES = 5
"""Wrong answers to one question before the program gives up."""


def first_start(file: Path, *, port: int | None, on_page: bool) -> bool:
    """Ask for what is needed and write the club's file.

    Args:
        file: where it will lie.
        port: of the pages; None: the usual one.
        on_page: on a page even when a terminal is there.

    Returns:
        False when the program was asked to end before everything was answered.

    Raises:
        InputError: too many wrong answers, or the terminal was closed.
        CommandError: the file cannot be written, or the page's address is taken.
    """
    if sys.stdin.isatty() and not on_page:
        write(file, ask(input), port)
        return True
    return _by_page(file, port)


def ask(read: Callable[[str], str]) -> Answers:
    """The five questions on a terminal; an empty line takes what stands in brackets.

    Args:
        read: shows a question and gives what is typed.

    Raises:
        InputError: too many wrong answers, or nobody types any more.
    """
    language = "en" if chosen_language() == "en" else "fr"
    answers = defaults("en" if language == "en" else "fr")
    print(say(language, "hub.setup.welcome"))
    for number, field in enumerate(FIELDS, 1):
        if field == "rulebook":
            for place, book in enumerate(hand_books(), 1):
                print(f"   {place}  {book.id:<12} {book.name}")
        for _ in range(MOST_TRIES):
            words = say(language, f"hub.setup.{field}")
            try:
                answers = answered(answers, field, read(f"{number}. {words} [{answers.shown(field)}] "))
                break
            except NotAnAnswer as wrong:
                print("   " + say(language, f"hub.setup.wrong.{wrong.code}"))
            except EOFError:
                raise InputError(
                    "nobody answers", where="terminal", hint="maldonne hub --page asks in a browser"
                ) from None
        else:
            raise InputError(
                "too many answers that cannot be used", where=field, hint="start it again, see docs/hub.md"
            )
    return answers


def write(file: Path, answers: Answers, port: int | None) -> None:
    """Write the club's file; an earlier one is kept beside it.

    Raises:
        CommandError: it cannot be written.
    """
    text = config_text(answers, seed=secrets.randbelow(2**31), port=port)
    parse_config(text, file.name, file.parent)
    fresh = file.with_name(file.name + ".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            file.replace(file.with_name(file.name + ".before"))
        fresh.replace(file)
    except OSError as error:
        raise CommandError(
            f"cannot be written: {error.strerror}", where=str(file), hint="choose another place with --config"
        ) from None
    print(say(chosen_language(), "hub.setup.written", path=str(file)), flush=True)


def _by_page(file: Path, port: int | None) -> bool:
    failed: list[CommandError] = []

    def keep(answers: Answers) -> None:
        try:
            write(file, answers, port)
        except CommandError as error:
            failed.append(error)

    file.parent.mkdir(parents=True, exist_ok=True)
    with _asked_to_end() as ended:
        try:
            server = SetupServer(file.parent, Web().port if port is None else port, keep)
            server.start()
        except WebkitError as error:
            raise CommandError(error.what, where=error.where, hint=error.hint) from None
        try:
            print(f"setup: {server.url}", flush=True)
            while not server.answered.wait(0.25):
                if ended.is_set():
                    return False
            server.waits.wait(BROWSER_S)  # closed at once, the page would come without its script
        finally:
            server.close()
        if failed:
            raise failed[0]
        return not ended.is_set()


@contextlib.contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Set when the program is asked to end while nobody has answered yet."""
    ended = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        ended.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
