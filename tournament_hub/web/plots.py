"""Curves and bars as SVG, drawn here: axes with units, lines told apart by their dashes and by a name at their end.

Colours come from the page's style sheet by class, so that they can be dark, light or grey; none says anything alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from markupsafe import Markup, escape

from tournament_hub.web.plots_data import Curve

WIDE: Final = 560
HIGH: Final = 330
LEFT: Final = 92
NAMES: Final = 200
"""Room for names at the lines' ends, or for words at the bars'."""
MARGIN: Final = 24
TOP: Final = 40
BOTTOM: Final = 56
BAR: Final = 30
DASHES: Final = ("", "10 5", "3 4", "14 4 3 4", "6 3", "2 7")


def nice_ticks(most: float, about: int = 5) -> list[float]:
    """Round numbers from 0 to at least ``most``.

    >>> nice_ticks(47)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    >>> nice_ticks(3.2)
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    raw = max(most, 1e-9) / about
    ten = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * ten for factor in (1, 2, 5, 10) if factor * ten >= raw * 0.999)
    return [round(step * count, 10) for count in range(math.ceil(most / step - 1e-9) + 1 or 2)]


def curves(
    lines: Sequence[Curve],
    *,
    title: str,
    across: str,
    up: str,
    number: Callable[[float], str],
    hours: float,
    steps: bool = False,
    average: Curve | None = None,
) -> Markup:
    """Lines against hours.

    Args:
        lines: what is drawn; the first ones are the most solid.
        title: said to who cannot see it.
        across, up: names of the axes with their units.
        number: how a value is written.
        hours: how long the axis is.
        steps: values stay until the next point.
        average: one more line, thin, named by its own name.
    """
    drawn = [*lines, *([average] if average is not None else [])]
    most = max((value for line in drawn for _, value in line.points if value is not None), default=0.0)
    right = WIDE - (NAMES if any(line.name for line in drawn) else MARGIN)
    rows, columns = nice_ticks(max(most, 1.0)), nice_ticks(max(hours, 0.25), 6)
    high, wide = rows[-1], columns[-1]

    def x(hour: float) -> float:
        return LEFT + (right - LEFT) * hour / wide

    def y(value: float) -> float:
        return HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * value / high

    parts = [_open(WIDE, HIGH, title)]
    for row in rows:
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y(row):.1f}" y2="{y(row):.1f}"/>')
        parts.append(_text(LEFT - 8, y(row) + 5, number(row), "end"))
    for column in columns:
        parts.append(
            f'<line class="tick" x1="{x(column):.1f}" x2="{x(column):.1f}" y1="{HIGH - BOTTOM}" y2="{HIGH - BOTTOM + 6}"/>'
        )
        parts.append(_text(x(column), HIGH - BOTTOM + 22, f"{column:g}", "middle"))
    parts.append(
        f'<path class="axis" d="M{LEFT} {TOP} V{HIGH - BOTTOM} H{right}"/>'
        + _text((LEFT + right) / 2, HIGH - 6, across, "middle", "unit")
        + _text(2, TOP - 18, up, "start", "unit")
    )
    ends: list[tuple[float, str, str]] = []
    for place, line in enumerate(drawn):
        kind = "average" if line is average else f"line l{place % len(DASHES)}"
        dash = "2 3" if line is average else DASHES[place % len(DASHES)]
        path = _path(line, x, y, steps=steps)
        if path:
            style = f'class="{kind}"' + (f' stroke-dasharray="{dash}"' if dash else "")
            parts.append(f'<path {style} d="{path}"/>')
            value = next((value for _, value in reversed(line.points) if value is not None), None)
            if line.name and value is not None:
                ends.append((y(value), line.name, style))
    for at, name, style in _apart(ends):
        parts.append(f'<path {style} d="M{right + 8} {at:.1f}h30"/>')
        parts.append(_text(right + 44, at + 5, name[:14], "start", "name"))
    return Markup("".join([*parts, "</svg>"]))


def _path(line: Curve, x: Callable[[float], float], y: Callable[[float], float], *, steps: bool) -> str:
    """A gap where a value is not known."""
    found: list[str] = []
    pen = False
    for hour, value in line.points:
        if value is None:
            pen = False
            continue
        at, up = f"{x(hour):.1f}", f"{y(value):.1f}"
        found.append((f"H{at}V{up}" if steps else f"L{at} {up}") if pen else f"M{at} {up}")
        pen = True
    return "".join(found)


def _apart(ends: list[tuple[float, str, str]], gap: float = 23.0) -> list[tuple[float, str, str]]:
    """Names at the ends of lines, pushed apart until none covers another, and up where the picture ends."""
    found: list[tuple[float, str, str]] = []
    for at, name, style in sorted(ends):
        found.append((max(at, found[-1][0] + gap) if found else at, name, style))
    over = max(0.0, found[-1][0] - (HIGH - BOTTOM)) if found else 0.0
    return [(at - over, name, style) for at, name, style in found]


def bars(
    rows: Sequence[tuple[str, float | None, str]], *, title: str, across: str, nothing: str = "—"
) -> Markup:
    """One bar a row, its number at its end.

    Args:
        rows: name, value (None: not known), the words at the bar's end.
        title: said to who cannot see it.
        across: name of the axis with its unit.
        nothing: what stands where a value is not known.
    """
    high = TOP + BAR * max(1, len(rows)) + BOTTOM
    most = max((value for _, value, _ in rows if value is not None), default=0.0)
    columns = nice_ticks(max(most, 5.0))
    left, right = LEFT, WIDE - NAMES

    def x(value: float) -> float:
        return left + (right - left) * value / columns[-1]

    parts = [_open(WIDE, high, title)]
    bottom = high - BOTTOM
    for column in columns:
        parts.append(
            f'<line class="grid" x1="{x(column):.1f}" x2="{x(column):.1f}" y1="{TOP}" y2="{bottom}"/>'
        )
        parts.append(_text(x(column), bottom + 20, f"{column:g}", "middle"))
    for place, (name, value, words) in enumerate(rows):
        y = TOP + BAR * place
        parts.append(_text(left - 8, y + BAR / 2 + 5, name[:18], "end", "name"))
        if value is None:
            parts.append(_text(left + 6, y + BAR / 2 + 5, nothing, "start"))
            continue
        wide = max(0.0, x(value) - left)
        parts.append(
            f'<rect class="bar" x="{left}" y="{y + 5}" width="{wide:.1f}" height="{BAR - 10}" rx="2"/>'
            + _text(left + wide + 8, y + BAR / 2 + 5, words, "start", "name")
        )
    parts.append(f'<path class="axis" d="M{left} {TOP} V{bottom} H{right}"/>')
    parts.append(_text((left + right) / 2, high - 6, across, "middle", "unit"))
    return Markup("".join([*parts, "</svg>"]))


def _open(wide: float, high: float, title: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {wide:g} {high:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>"
    )


def _text(x: float, y: float, words: str, anchor: str, kind: str = "number") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
