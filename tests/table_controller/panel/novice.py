"""Whoever knows no poker and does only what two lines and lamps say; sits at the other end of the serial wire."""

from __future__ import annotations

import random
import re
from typing import Any

from table_controller.dealer_page.deeds import perform
from table_controller.dealer_page.desk import Wish
from table_controller.dealer_page.view import build

# What is printed on the buttons.
PRINTED = {
    "PASSE": "FOLD",
    "PAROLE": "CHECK",
    "PAYÉ": "CALL",
    "RELANCE": "RAISE",
    "TAPIS": "ALL_IN",
    "-": "MINUS",
    "+": "PLUS",
    "SIÈGE": "SEAT",
    "VUE": "SEEN",
    "COUPE": "CUT",
    "MÉLANGE": "SHUFFLED",
    "SUIVANTE": "NEXT_HAND",
    "POT": "POT",
    "TEMPS": "CLOCK",
    "ARBITRE": "FLOOR",
    "OUI": "YES",
    "NON": "NO",
    "ANNULER": "UNDO",
}
TOKEN = re.compile(
    r"(?<!\S)("
    + "|".join(sorted(map(re.escape, PRINTED), key=len, reverse=True))
    + r")( long)?(?:=(\S+)| [\d ]+(?=\s|$)|(?=\s|$))"
)
ON_PAGE = "→ sur la page"
WAITING = "Préparez la main suivante"
MOST = 1500


class Offered:
    """What the display says that can be pressed."""

    def __init__(self, text: str) -> None:
        self.what: dict[str, tuple[str, bool]] = {}
        for label, held, meaning in TOKEN.findall(text):
            self.what[meaning or label] = (PRINTED[label], bool(held))

    def __contains__(self, meaning: str) -> bool:
        return meaning in self.what

    @property
    def words(self) -> list[str]:
        return [word for word in ("PASSE", "PAROLE", "PAYÉ", "RELANCE", "TAPIS") if word in self.what]


class Novice:
    """Reads two lines, presses what stands there; has never heard of poker."""

    def __init__(self, table: Any, seed: str) -> None:
        self.table = table
        self.rng = random.Random(seed)
        self.seen: list[str] = []
        self.on_page = 0
        self.applied = 0
        self.wrong: str | None = None

    def look(self) -> Offered:
        lines = self.table.board.lines
        assert any(lines), f"nothing is shown after {self.seen[-5:]}"
        self.seen.append(" | ".join(line.strip() for line in lines))
        return Offered(" ".join(lines))

    def press(self, offered: Offered, meaning: str) -> None:
        button, held = offered.what[meaning]
        self.table.press(button, held=1.2 if held else 0.15)

    def step(self) -> None:
        offered = self.look()
        if not offered.what and ON_PAGE not in self.seen[-1]:
            self.table.wait(4.5)  # a remark, which goes by itself
            offered = self.look()
        assert offered.what or ON_PAGE in self.seen[-1], f"a dead end: {self.seen[-8:]}"
        if "prendre" in offered or "suite" in offered:
            self.browse(offered)
        elif ON_PAGE in self.seen[-1] and (self.rng.random() < 0.4 or not offered.what):
            self.tap_page()
        elif "compris" in offered:
            self.press(offered, "compris")
        elif offered.words and self.rng.random() < 0.9:
            calm = [word for word in offered.words if word in ("PAROLE", "PAYÉ")]
            word = self.rng.choice(calm if calm and self.rng.random() < 0.75 else offered.words)
            self.press(offered, word)
        else:
            others = [
                m for m in offered.what if m not in ("choix", "…", "retirer") and m not in offered.words
            ]
            more = [m for m in ("choix", "…") if m in offered]
            rest = others if others and self.rng.random() < 0.9 else more or others or offered.words
            self.press(offered, self.rng.choice(rest))

    def browse(self, offered: Offered) -> None:
        """Sentences are read, choices looked at; sooner or later one is taken."""
        if "suite" in offered:
            self.press(offered, "suite")
        elif "Retour" in self.seen[-1]:
            self.press(offered, self.rng.choice(["prendre", "autre"]))
        elif self.rng.random() < 0.4:
            self.applied += "C'est arrivé" in self.seen[-1]
            self.press(offered, "prendre")
        else:
            self.press(offered, "autre")

    def something_happens(self) -> bool:
        """Find "what has happened" among the choices and go where it leads.

        Returns:
            Whether something was applied.
        """
        before = self.applied
        offered = self.look()
        way = next((m for m in ("choix", "…") if m in offered), None)
        if way is None:
            return False
        self.press(offered, way)
        for _ in range(60):
            offered = self.look()
            if "Que s'est-il passé ?" in self.seen[-1] and "prendre" in offered:
                self.press(offered, "prendre")
                break
            if "prendre" not in offered and "suite" not in offered:
                return False
            self.press(offered, "autre" if "autre" in offered else "suite")
        for _ in range(200):
            offered = self.look()
            if "prendre" not in offered and "suite" not in offered:
                return self.applied > before
            if "prendre" in offered and re.search("C'est arrivé|Sûr", self.seen[-1]):
                self.applied += "C'est arrivé" in self.seen[-1]
                self.press(offered, "prendre")
            else:
                self.browse(offered)
        raise AssertionError(f"it asks for ever: {self.seen[-10:]}")

    def tap_page(self) -> None:
        """What no button can say is said on the page: its large button, or a word."""
        table = self.table
        self.on_page += 1
        view = build(table.desk.picture(), "fr", table.panel._t)
        taps = [tap for tap in view.taps if tap.deed and tap.name not in ("silent", "all_in")]
        assert taps, f"nothing to tap: {view.say} {self.seen[-5:]}"
        main = [tap for tap in taps if tap.look == "main"]
        tap = self.rng.choice(main or taps)
        assert perform(table.desk, Wish(tap.deed, dict(tap.fields), view.turn, "screen")).done, tap
        table.wait(0.3)

    def hand(self, *, irregular: bool = False) -> None:
        """From "prepare the next hand" to the next time it stands there."""
        number = self.table.state.hand
        wrong_at = self.rng.randrange(1, 8) if irregular else -1
        for step in range(MOST):
            if self.table.state.hand > number and self.table.state.phase == "over":
                return
            if step >= wrong_at >= 0 and self.table.state.phase not in ("over", "void"):
                wrong_at = -1 if self.something_happens() else step + 1
            self.step()
        raise AssertionError(f"the hand never ends: {self.seen[-12:]}")
