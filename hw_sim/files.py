"""The files that a simulated table leaves for the controller: deck.csv, chips.csv, table.toml.

They are the whole contract between simulator and controller; no code is shared.

Does not model: enrolment, a table that is configured by hand, a configuration that does not fit the table.
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hw_sim.antennas import Antenna
from hw_sim.world import World


def write_tags(directory: Path, world: World) -> None:
    """Write which tag is which card or chip: deck.csv (uid,card,deck) and chips.csv (uid,denomination)."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "deck.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("uid", "card", "deck"))
        rows.writerows((c.uid, c.name, c.deck) for deck in world.decks.values() for c in deck)
    with (directory / "chips.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("uid", "denomination"))
        rows.writerows((chip.uid, chip.value) for chip in world.all_chips)


def toml_value(value: Any) -> str:
    """Write one value as TOML; tables inside become inline tables, None inside them is left out."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {toml_value(v)}" for key, v in value.items() if v is not None)
        return f"{{ {inner} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    return json.dumps(str(value), ensure_ascii=False)


def write_table(path: Path, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Write table.toml; keys whose value is None are left out."""
    lines: list[str] = []
    for name, keys in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in keys.items() if value is not None]
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")


def antenna_table(antennas: Iterable[Antenna]) -> dict[str, str | list[str]]:
    """Antenna number to its place, or places."""
    return {str(a.id): a.places[0] if len(a.places) == 1 else list(a.places) for a in antennas}
