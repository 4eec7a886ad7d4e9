"""The small language in which a club writes its points: numbers, names, arithmetic, a few functions. Nothing else.

It is total: every evaluation ends, in a number or in a named error. There are no attributes, no calls but those of
``FUNCTIONS``, no names but those handed in, no loops and no text; long or deep expressions are refused when read.

    round(10 * sqrt(entries) / sqrt(place) + 5 * knockouts)
    if(place <= 3, 100 - 20 * place, max(1, entries - place))
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from tournament_hub.errors import HubError

LONGEST: Final = 300
DEEPEST: Final = 30
LARGEST: Final = 1e12
"""Beyond this no points are meant: an overflow."""

_TOKEN: Final = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([a-z_][a-z0-9_]*)|(\*\*|//|<=|>=|==|!=|[-+*/%(),<>]))"
)

FUNCTIONS: Final[dict[str, tuple[int, int]]] = {
    "abs": (1, 1),
    "ceil": (1, 1),
    "floor": (1, 1),
    "if": (3, 3),
    "ln": (1, 1),
    "log10": (1, 1),
    "max": (1, 10),
    "min": (1, 10),
    "round": (1, 2),
    "sqrt": (1, 1),
}
"""Each function with how many arguments it takes, at least and at most. ``round(x, 1)``: one decimal, halves up."""

_LEVELS: Final = (("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/", "//", "%"))
_Node = Callable[[Mapping[str, float]], float]


class FormulaError(HubError):
    """A formula that cannot be read, or that has no value; ``reason`` names which.

    ``syntax``, ``unknown-name``, ``arguments``, ``too-long``, ``too-deep``; and at evaluation ``division-by-zero``,
    ``domain`` (a root or logarithm of a number that has none), ``overflow``.
    """

    code = "hub-formula"

    def __init__(self, reason: str, what: str, *, where: str) -> None:
        super().__init__(what, where=where, hint="see docs/tournament-records.md")
        self.reason = reason


class Formula:
    """A formula, read once.

    Args:
        text: as a club writes it.
        names: what it may name.
        where: how to call it in a message: file and line.

    Raises:
        FormulaError: it cannot be read.
    """

    def __init__(self, text: str, names: tuple[str, ...], where: str = "formula") -> None:
        self.text = text
        self._where = where
        self._names = names
        if len(text) > LONGEST:
            raise self._wrong("too-long", f"{len(text)} characters, at most {LONGEST}")
        self._tokens = self._split(text)
        self._at = 0
        self._depth = 0
        self._root = self._level(0)
        if self._at < len(self._tokens):
            raise self._wrong("syntax", f"{self._tokens[self._at]!r} is too much")

    def value(self, given: Mapping[str, float]) -> float:
        """Reckon it; every name of the formula must be given.

        >>> Formula("round(10 * sqrt(entries / place), 1)", ("entries", "place")).value({"entries": 20, "place": 3})
        25.8

        Raises:
            FormulaError: it has no value for these.
        """
        return self._root(given)

    # -- reading ------------------------------------------------------------------------

    def _split(self, text: str) -> list[str]:
        found, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._wrong("syntax", f"{text[at:].strip()[0]!r} cannot stand in a formula")
            found.append(match[1] or match[2] or match[3])
            at = match.end()
        if not found:
            raise self._wrong("syntax", "it is empty")
        return found

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            raise self._wrong("syntax", f"{wanted!r} is missing before {self._peek() or 'the end'!r}")
        self._at += 1

    def _level(self, level: int) -> _Node:
        """Operators of one strength, from left to right."""
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._peek()
            self._at += 1
            left = self._binary(operator, left, self._level(level + 1))
        return left

    def _unary(self) -> _Node:
        self._deeper()
        sign = self._peek()
        if sign in ("-", "+"):
            self._at += 1
            inner = self._unary()
            node: _Node = inner if sign == "+" else lambda given: -inner(given)
        else:
            node = self._power()
        self._depth -= 1
        return node

    def _power(self) -> _Node:
        base = self._atom()
        if self._peek() != "**":
            return base
        self._at += 1
        return self._binary("**", base, self._unary())

    def _atom(self) -> _Node:
        token = self._peek()
        if not token or token in (")", ",") or (not token[0].isalnum() and token[0] not in "._("):
            raise self._wrong("syntax", f"a number or a name is missing before {token or 'the end'!r}")
        self._at += 1
        if token == "(":
            self._deeper()
            inner = self._level(0)
            self._take(")")
            self._depth -= 1
            return inner
        if token[0].isdigit() or token[0] == ".":
            number = self._bounded(float(token))
            return lambda given: number
        if self._peek() == "(":
            return self._call(token)
        if token not in self._names:
            raise self._wrong("unknown-name", f"{token} is none of {', '.join(self._names)}")
        return lambda given: self._bounded(float(given[token]))

    def _call(self, name: str) -> _Node:
        if name not in FUNCTIONS:
            raise self._wrong("unknown-name", f"{name}() is none of {', '.join(FUNCTIONS)}")
        self._take("(")
        self._deeper()
        arguments = [self._level(0)]
        while self._peek() == ",":
            self._at += 1
            arguments.append(self._level(0))
        self._take(")")
        self._depth -= 1
        least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            raise self._wrong("arguments", f"{name}() takes {least} to {most}, not {len(arguments)}")
        if name == "if":
            condition, yes, no = arguments
            return lambda given: yes(given) if condition(given) else no(given)
        return lambda given: self._applied(name, [argument(given) for argument in arguments])

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong("too-deep", f"more than {DEEPEST} within each other")

    # -- reckoning ------------------------------------------------------------------------

    def _binary(self, operator: str, left: _Node, right: _Node) -> _Node:
        return lambda given: self._reckoned(operator, left(given), right(given))

    def _reckoned(self, operator: str, one: float, two: float) -> float:
        if operator in ("/", "//", "%") and two == 0:
            raise self._wrong("division-by-zero", f"{one:g} {operator} 0")
        match operator:
            case "+":
                found = one + two
            case "-":
                found = one - two
            case "*":
                found = one * two
            case "/":
                found = one / two
            case "//":
                found = one // two
            case "%":
                found = one % two
            case "**":
                found = self._raised(one, two)
            case _:
                held = {
                    "<": one < two,
                    "<=": one <= two,
                    ">": one > two,
                    ">=": one >= two,
                    "==": one == two,
                    "!=": one != two,
                }
                return float(held[operator])
        return self._bounded(found)

    def _raised(self, one: float, two: float) -> float:
        if one < 0 and two != int(two):
            raise self._wrong("domain", f"{one:g} ** {two:g}")
        try:
            return float(one**two)
        except ZeroDivisionError:
            raise self._wrong("division-by-zero", f"0 ** {two:g}") from None
        except OverflowError:
            raise self._wrong("overflow", f"{one:g} ** {two:g}") from None

    def _applied(self, name: str, given: list[float]) -> float:
        first = given[0]
        if (name == "sqrt" and first < 0) or (name in ("ln", "log10") and first <= 0):
            raise self._wrong("domain", f"{name}({first:g})")
        match name:
            case "abs":
                return abs(first)
            case "ceil":
                return float(math.ceil(first))
            case "floor":
                return float(math.floor(first))
            case "ln":
                return math.log(first)
            case "log10":
                return math.log10(first)
            case "max":
                return max(given)
            case "min":
                return min(given)
            case "sqrt":
                return math.sqrt(first)
            case _:
                return rounded(first, int(min(6, max(0, given[1]))) if len(given) > 1 else 0)

    def _bounded(self, value: float) -> float:
        if not -LARGEST <= value <= LARGEST:
            raise self._wrong("overflow", f"{value:g} is beyond {LARGEST:g}")
        return value

    def _wrong(self, reason: str, what: str) -> FormulaError:
        return FormulaError(reason, f"{reason}: {what}", where=self._where)


def rounded(value: float, decimals: int) -> float:
    """Round halves up, as people do on paper; a hair below a half through binary fractions counts as the half.

    >>> rounded(2.5, 0), rounded(1.005, 2), rounded(-2.5, 0)
    (3.0, 1.01, -3.0)
    """
    scale = 10**decimals
    whole = math.floor(abs(value) * scale + 0.5 + 1e-9)
    return math.copysign(whole / scale, value) if whole else 0.0
