"""The lead of the moment: the instruction on the two lines and what can be pressed for it. Pure but for its place."""

from __future__ import annotations

from typing import Final

from engine.wording import say_amount, short_order
from table_controller.dealer_page.desk import Desk
from table_controller.dealer_page.lines_hand import Text
from table_controller.dealer_page.screen import Tap, View
from table_controller.panel.layout import LABELS, Gesture, Layout, spoken
from table_controller.panel.lines import WIDTH, Two, fit

# Taps of the page that have a button of their own.
_BUTTON_OF: Final = {
    "fold": "FOLD",
    "check": "CHECK",
    "call": "CALL",
    "bet": "RAISE",
    "raise": "RAISE",
    "all_in": "ALL_IN",
    "pots": "POT",
}
_SHORT: Final = frozenset("done close shown pots next redeal decide go-on counts evening right yes".split())
_WORDS: Final = frozenset({"fold", "check", "call", "bet", "raise", "all_in"})
_ONLY_CHOSEN: Final = ("wins-", "answer-")


class Hints:
    """What the display says while nothing is being chosen on it."""

    def __init__(self, layout: Layout, desk: Desk, lang: str, text: Text) -> None:
        self._layout = layout
        self._desk = desk
        self._lang = lang
        self._t = text

    def say(self, gesture: Gesture | None, what: str) -> str:
        return "" if gesture is None else f"{spoken(gesture, self._lang)}={what}"

    def lead(self, view: View) -> Two:
        """The instruction of the moment and what can be pressed for it."""
        picture, t = self._desk.latest, self._t
        texts = [self._floor_text() if picture.here.floor else view.say]
        if view.seconds is not None:
            texts = [f"{texts[0]} ({view.seconds} s)"]
        first = next((order for order in picture.expects if order.order != "post"), None)
        if first is not None and view.say and not picture.here.floor and view.tone == "calm":
            texts.append(" ".join(short_order(first, self._lang, WIDTH)))
        hints = [hint for hint in self._hints(view) if hint] or [t("panel.on_page")]
        return fit(texts, hints)

    def _floor_text(self) -> str:
        return self._t(f"panel.floor.{self._desk.floor_heard}")

    def _hints(self, view: View) -> list[str]:
        """What can be pressed, the fullest first."""
        t, layout = self._t, self._layout
        parts: list[str] = []
        bare: list[str] = []
        unsaid = False
        labels = LABELS[self._lang]
        main = self.main(view)
        for tap in view.taps:
            button = _BUTTON_OF.get(tap.name, "")
            if button in layout.fitted:
                parts.append(labels[button] + self._cost(tap))
                bare.append(labels[button])
            elif tap.name in _WORDS or (
                tap.name.startswith(_ONLY_CHOSEN) and main is None and not self.any_winner(view)
            ):
                unsaid = True
        if self.two_answers(view):
            parts += [f"{labels[b]}={tap.label}" for b, tap in zip(("YES", "NO"), view.taps, strict=False)]
            bare = parts
        elif main is not None and layout.take is not None:
            what = t(f"panel.main.{main.name}") if main.name in _SHORT else main.label
            done = self.say(layout.take, what)
            parts, bare = [done, *parts], [done, *bare]
        elif self.any_winner(view):
            done = self.say(layout.take, t("panel.main.pots"))
            parts, bare = [done], [done]
        elif main is not None and main.name == "next" and layout.start:
            parts = bare = [f"{labels[layout.start]}={t('panel.main.next')}"]
        elif main is not None and main.name == "done" and not parts:
            unsaid = True
        if view.tone == "ask" and self._desk.latest.asked is not None and "NO" in layout.fitted:
            parts, bare = [*parts, f"{labels['NO']}={t('panel.main.no')}"], [*bare, labels["NO"]]
        if self._desk.latest.here.floor and "FLOOR" in layout.fitted:
            parts.append(f"{spoken(Gesture('FLOOR', held=True), self._lang)}={t('panel.withdraw')}")
        choose = self.say(layout.next, t("panel.choose"))
        short = f"{spoken(layout.next, self._lang)}=…" if layout.next is not None else ""
        elsewhere = t("panel.on_page") if unsaid and layout.next is None else ""
        found = []
        for words in (parts, bare):
            found += [" ".join(x for x in (*words, more) if x) for more in (elsewhere or choose, short)]
        found.append(" ".join(bare))
        return found

    def _cost(self, tap: Tap) -> str:
        """What a call costs, where amounts are kept."""
        legal = next((order for order in self._desk.latest.expects if order.order == "act"), None)
        if tap.name != "call" or legal is None or not legal.call:
            return ""
        return " " + say_amount(legal.call, self._lang).replace("\u202f", " ")

    def main(self, view: View) -> Tap | None:
        """What "take" says at the lead: the large button, where it is no word of a player."""
        if view.tone == "ask" and self._desk.latest.asked is None:
            return None
        mains = [tap for tap in view.taps if tap.look == "main" and tap.name not in _WORDS]
        return mains[0] if len(mains) == 1 else None

    def two_answers(self, view: View) -> bool:
        """A question of the rulebook that YES and NO answer, both answers fitting on the display."""
        answers = [tap for tap in view.taps if tap.name.startswith("answer-")]
        if len(answers) != len(view.taps) or len(answers) != 2 or not {"YES", "NO"} <= self._layout.fitted:
            return False
        labels = LABELS[self._lang]
        texts = [f"{labels[b]}={tap.label}" for b, tap in zip(("YES", "NO"), answers, strict=True)]
        return len(" ".join(texts)) <= WIDTH

    def any_winner(self, view: View) -> bool:
        """Nobody can name the winner here and no amounts are kept: it is enough that the pot is taken."""
        if self._layout.next is not None or self._layout.take is None or self.main(view) is not None:
            return False
        wins = any(tap.name.startswith("wins-") for tap in view.taps)
        return wins and self._desk.running.state.betting != "amounts"
