"""Writes what the noise campaign measured: an SVG by hand, and the tables of the page that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 720, 420, 70, 60, 30, 150
_SERIES: Final = (("wrong", "#b00020"), ("asked", "#b26a00"), ("held", "#1a4d8f"))

Row = tuple[float, "dict[str, int]"]


def _share(row: Row, name: str) -> float:
    return 100.0 * row[1].get(name, 0) / max(1, row[1].get("hands", 0))


def svg(rows: Sequence[Row]) -> str:
    """The picture: shares of hands over the miss rate."""
    most = max((_share(row, name) for row in rows for name, _ in _SERIES), default=0.0)
    top = next(limit for limit in (1, 2, 5, 10, 20, 50, 100) if most <= limit)
    far = max((miss for miss, _ in rows), default=0.0) or 1.0
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(miss: float) -> float:
        return _LEFT + wide * miss / far

    def y(share: float) -> float:
        return _TOP + high * (1 - share / top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="13" role="img" aria-label="Share of hands over the miss rate">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for step in range(6):
        share = top * step / 5
        parts.append(
            f'<path d="M{_LEFT} {y(share):.1f}H{_LEFT + wide}" stroke="#dddddd"/>'
            f'<text x="{_LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:g} %</text>'
        )
    for miss, _ in rows:
        parts.append(
            f'<text x="{x(miss):.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{miss:.0%}</text>'
        )
    parts.append(
        f'<text x="{_LEFT + wide / 2:.1f}" y="{_HEIGHT - 14}" text-anchor="middle">'
        f"{escape('misses of each read, in bursts of 1.5 s')}</text>"
    )
    for at, (name, colour) in enumerate(_SERIES):
        points = " ".join(f"{x(row[0]):.1f},{y(_share(row, name)):.1f}" for row in rows)
        label = _TOP + 16 + 22 * at
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [
            f'<circle cx="{x(row[0]):.1f}" cy="{y(_share(row, name)):.1f}" r="3.5" fill="{colour}"/>'
            for row in rows
        ]
        parts.append(
            f'<path d="M{_LEFT + wide + 16} {label - 4}h22" stroke="{colour}" stroke-width="2.5"/>'
            f'<text x="{_LEFT + wide + 46}" y="{label}">{name} hands</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


_SECTION: Final = """![Shares of wrong, asked and held hands over the miss rate](images/noise.svg)

{hands} clean hands at each miss rate (seed {seed}), six seats, chips and cards.

| misses | hands | wrong | asked | held |
|---|---|---|---|---|
{rows}
"""


def write_section(page: Path, name: str, text: str) -> None:
    """Put text between the two marks of this name in a page, and leave the rest as people wrote it.

    Raises:
        ValueError: The page has no such marks.
    """
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not begin or not end:
        raise ValueError(f"{page} has no marks for {name}")
    page.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


def write_page(folder: Path, rows: Sequence[Row], hands: int, seed: str) -> None:
    """Write `images/noise.svg` and its part of `noise.md` in a folder of documentation."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    (folder / "images" / "noise.svg").write_text(svg(rows), encoding="utf-8")
    table = "\n".join(
        f"| {miss:.0%} | {row.get('hands', 0)} | {row.get('wrong', 0)} | {row.get('asked', 0)} | {row.get('held', 0)} |"
        for miss, row in rows
    )
    text = _SECTION.format(hands=hands, seed=seed, rows=table)
    write_section(folder / "noise.md", "plot", text)


def write_measured(folder: Path, columns: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
    """Write the campaigns' counts into `noise.md`, a column for each table that was played."""
    head = "| | " + " | ".join(title for title, _ in columns) + " |\n" + "|---" * (len(columns) + 1) + "|\n"
    rows = [
        "| " + " | ".join([name, *(dict(lines)[name] for _, lines in columns)]) + " |"
        for name, _ in columns[0][1]
    ]
    write_section(folder / "noise.md", "measured", head + "\n".join(rows) + "\n")
