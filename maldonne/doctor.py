"""``maldonne doctor``: every device of a table, how it is and what to do next. Nothing moves and nothing is changed.

While the table runs its devices belong to it: then the doctor reads what the table itself knows of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from firmware_bridge.codes import BUTTONS
from maldonne.errors import InputError
from maldonne.texts import chosen_language
from table_controller import doctor
from table_controller.config import ConfigError, TableConfig, load_config
from table_controller.doctor import Difference, Finding, examine, read_health, unlike
from table_controller.doctor.examination import MOST_ERRORS
from table_controller.inventory import InventoryError, Tags, read_chips, read_deck
from webkit.language import Catalogue

if TYPE_CHECKING:
    from maldonne.doctor_camera import CameraFinding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--config", required=True, metavar="F", help="the table's table.toml")
    parser.add_argument("--json", action="store_true", help="one line a device")
    parser.add_argument(
        "--within", type=float, default=5.0, metavar="S", help="seconds for the devices to answer (default 5)"
    )


def run(options: argparse.Namespace) -> int:
    """Look at every device.

    Returns:
        0 when all is well, 1 when anything is not.

    Raises:
        InputError: The file cannot be used.
    """
    path = Path(options.config)
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="see docs/table.md")
    if not 0 < options.within <= 600:
        raise InputError(f"{options.within:g} is no time", where="--within", hint="seconds, up to 600")
    try:
        config = load_config(path)
    except ConfigError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    language = chosen_language()
    running = read_health(Path(config.files.journal))
    if running is not None:
        found = list(running)
    else:
        found = examine(config, within=options.within, progress=_progress if sys.stderr.isatty() else _silent)
    camera = None
    if config.camera.source is not None:
        # OpenCV and the networks are for a table that has a camera
        from maldonne.doctor_camera import examine_camera

        camera = examine_camera(config, within=options.within, running=running is not None)
    differences = unlike(config, found)
    wrong = _files_wrong(config)
    if options.json:
        for finding in found:
            row = msgspec.to_builtins(finding) | {"well": finding.well, "next": finding.next_step(language)}
            print(msgspec.json.encode({"device": row}).decode())
        if camera is not None:
            row = msgspec.to_builtins(camera) | {"well": camera.well}
            print(msgspec.json.encode({"camera": row}).decode())
        for difference in differences:
            print(msgspec.json.encode({"difference": difference}).decode())
        if wrong is not None:
            print(
                msgspec.json.encode(
                    {"file": {"what": wrong.what, "where": wrong.where, "next": wrong.hint}}
                ).decode()
            )
    else:
        for line in _lines(config, found, camera, differences, wrong, language, running is not None):
            print(line)
    well = all(finding.well for finding in found) and (camera is None or camera.well)
    return 0 if well and not differences and wrong is None else 1


def _silent(name: str) -> None:
    """Nobody watches."""


def _progress(name: str) -> None:
    print(f"… {name}", file=sys.stderr, flush=True)


def _files_wrong(config: TableConfig) -> InventoryError | None:
    files = config.files
    try:
        Tags.load(Path(files.deck) if files.deck else None, Path(files.chips) if files.chips else None)
    except InventoryError as error:
        return error
    return None


def _lines(
    config: TableConfig,
    found: list[Finding],
    camera: CameraFinding | None,
    differences: list[Difference],
    wrong: InventoryError | None,
    lang: str,
    running: bool,
) -> Iterator[str]:
    def text(name: str, count: int | None = None, **values: object) -> str:
        return _texts().text(lang, f"doctor.{name}", count, **values)

    if running:
        yield text("running")
    for finding in found:
        yield from _of_device(finding, lang)
    if camera is not None:
        yield from _of_camera(camera, lang)
    if not found and camera is None:
        yield text("none")
    for each in differences:
        yield text(
            "difference",
            antenna=each.antenna,
            file=", ".join(each.file) or text("nothing"),
            board=each.board or text("nothing"),
        )
    if wrong is not None:
        yield text("file_wrong", what=wrong.what, where=wrong.where, hint=wrong.hint)
    elif config.files.deck or config.files.chips:
        cards = read_deck(Path(config.files.deck)) if config.files.deck else {}
        chips = read_chips(Path(config.files.chips)) if config.files.chips else {}
        decks = ", ".join(dict.fromkeys(card.deck for card in cards.values())) or "–"
        yield text("files", cards=len(cards), decks=decks, chips=len(chips))
    ill = sum(not finding.well for finding in found) + len(differences) + (wrong is not None)
    ill += camera is not None and not camera.well
    yield text("look", ill) if ill else text("well")


def _of_device(finding: Finding, lang: str) -> Iterator[str]:
    def text(name: str, **values: object) -> str:
        return _texts().text(lang, f"doctor.{name}", None, **values)

    yield text("line", kind=text(f"kind.{finding.kind}"), device=finding.name, state=text(finding.state))
    yield text("path", path=finding.path)
    if finding.version:
        yield text("version", version=finding.version)
    if finding.last_seen is not None:
        yield text("seen", seconds=_decimal(finding.last_seen, lang))
    if finding.errors is not None:
        yield text("errors", percent=_decimal(100 * finding.errors, lang))
        if finding.errors > MOST_ERRORS:
            yield text("errors_many")
    if finding.out_of_order:
        yield text("broken", buttons=", ".join(BUTTONS[number] for number in finding.out_of_order))
    if finding.code:
        yield text("what", code=finding.code, what=finding.what(lang))
        hint = finding.next_step(lang)
        if hint:
            yield text("next", hint=hint)


def _of_camera(camera: CameraFinding, lang: str) -> Iterator[str]:
    def text(name: str, **values: object) -> str:
        return _texts().text(lang, f"doctor.{name}", None, **values)

    state = "ready" if camera.well else "lost" if camera.trouble in ("lost", "stale") else "degraded"
    yield text("camera.line", source=camera.source, state=text(state))
    if camera.width:
        yield text(
            "camera.picture",
            width=camera.width,
            height=camera.height,
            markers=camera.markers,
            of=camera.of,
        )
    if camera.decks:
        yield text("camera.decks", decks=", ".join(camera.decks))
    if camera.trouble:
        yield text("what", code=f"camera_{camera.trouble}", what=text(f"camera.{camera.trouble}"))
    for what, hint in camera.wrong:
        yield text("what", code="camera_file", what=what)
        yield text("next", hint=hint)


def _decimal(value: float, lang: str) -> str:
    shown = f"{value:.1f}"
    return shown.replace(".", ",") if lang == "fr" else shown


@cache
def _texts() -> Catalogue:
    return Catalogue(Path(doctor.__file__).parent / "locales")
