"""``maldonne hub``: the tournament room, on any laptop; its backups, and the names of people in it."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

import msgspec

from maldonne import hub_setup
from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language, say
from tournament_hub import hub, store_backup, store_people
from tournament_hub.config import HubConfig
from tournament_hub.errors import ConfigError, HubError
from tournament_hub.store import Store
from tournament_hub.store_backup import BackupError
from tournament_hub.store_people import UnknownPerson
from webkit.errors import WebkitError

_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--config", metavar="F", help="the club's hub.toml (left out: the one made at the first start)"
    )
    parser.add_argument(
        "--setup", action="store_true", help="ask the five questions of the first start again"
    )
    parser.add_argument("--page", action="store_true", help="ask them in a browser, not on the terminal")
    parser.add_argument("--port", metavar="N", type=int, help="port of the pages (0: a free one)")
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument("--config", metavar="F", default=argparse.SUPPRESS, help="the club's hub.toml")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", parser_class=type(parser))
    copy = actions.add_parser("backup", help="copy the record, also while the hub runs", parents=[both])
    copy.add_argument("target", metavar="FILE", help="a new file")
    copy.add_argument("--without-names", action="store_true", help="leave out the names of people")
    copy.add_argument("--json", action="store_true", help="for machines")
    back = actions.add_parser("restore", help="put a backup in the place of the record", parents=[both])
    back.add_argument("source", metavar="FILE", help="a backup")
    back.add_argument("--replace", action="store_true", help="overwrite the record that is there")
    back.add_argument("--json", action="store_true", help="for machines")
    forget = actions.add_parser("forget", help="erase a person's name everywhere", parents=[both])
    forget.add_argument("person", metavar="PERSON", help="name or pseudonym")
    forget.add_argument(
        "--also", metavar="NAME", action="append", default=[], help="another form of the name that was typed"
    )
    forget.add_argument("--json", action="store_true", help="for machines")
    export = actions.add_parser("export-person", help="all that is kept of a person, as JSON", parents=[both])
    export.add_argument("person", metavar="PERSON", help="name or pseudonym")
    export.add_argument("--output", metavar="FILE", help="a new file (left out: standard output)")


def run(options: argparse.Namespace) -> int:
    """Run the room until SIGINT or SIGTERM, or do the action that was asked for.

    Raises:
        InputError: the configuration, a file or a name cannot be used.
        CommandError: the room or its record cannot be opened.
    """
    path = Path(options.config) if options.config else None
    if options.port is not None and not 0 <= options.port <= 65535:
        raise InputError("no port", where=f"--port {options.port}", hint="0 to 65535")
    if path is not None and not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="see docs/hub.md")
    try:
        if options.action is None:
            logging.basicConfig(
                level=logging.WARNING, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr
            )
            if path is None and not _ready(options):
                return 0
            return hub.run(path, port=options.port)
        actions = {
            "backup": _backup,
            "restore": _restore,
            "forget": _forget,
            "export-person": _export,
        }
        actions[options.action](hub.settings(path), options)
    except (ConfigError, BackupError, UnknownPerson) as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    except (HubError, WebkitError) as error:
        raise CommandError(error.what, where=error.where, hint=error.hint) from None
    return 0


def _ready(options: argparse.Namespace) -> bool:
    """Whether there is a file to start with; at the first start it is made. False: asked to end before it was."""
    file = hub.home_folder() / hub.CONFIG
    if file.is_file() and not options.setup:
        return True
    return hub_setup.first_start(file, port=options.port, on_page=options.page)


def _backup(config: HubConfig, options: argparse.Namespace) -> None:
    found = store_backup.backup(config.record, Path(options.target), names=not options.without_names)
    _tell(options, "hub.backed_up", found)


def _restore(config: HubConfig, options: argparse.Namespace) -> None:
    found = store_backup.restore(Path(options.source), config.record, replace=options.replace)
    _tell(options, "hub.restored", found)


def _tell(options: argparse.Namespace, text: str, found: store_backup.Contents) -> None:
    if options.json:
        print(_encoder.encode(found).decode())
        return
    print(
        say(
            chosen_language(),
            text,
            path=found.path,
            events=found.events,
            tournaments=found.tournaments,
            people=found.people,
        )
    )


def _open(config: HubConfig) -> Store:
    """The record, without a hub.

    Raises:
        InputError: there is none yet.
    """
    if isinstance(config.record, Path) and not config.record.is_file():
        raise InputError("there is no record yet", where=str(config.record), hint="start the hub once")
    return Store(config.record, starting=False)


def _forget(config: HubConfig, options: argparse.Namespace) -> None:
    store = _open(config)
    try:
        person = store_people.find(store, options.person)
        done = store_people.forget(store, person, Path(config.club.data), options.also)
    finally:
        store.close()
    if options.json:
        print(_encoder.encode(done).decode())
        return
    texts = sum(count for kind, count in done.blacked.items() if kind != "people")
    print(say(chosen_language(), "hub.forgotten", person=done.person, texts=texts, files=len(done.files)))


def _export(config: HubConfig, options: argparse.Namespace) -> None:
    store = _open(config)
    try:
        found = store_people.export_person(store, store_people.find(store, options.person))
    finally:
        store.close()
    text = msgspec.json.format(_encoder.encode(found), indent=2).decode()
    if options.output is None:
        print(text)
        return
    try:
        descriptor = os.open(options.output, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", where=options.output, hint="choose another file"
        ) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text + "\n")
