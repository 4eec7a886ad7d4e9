"""What the panel's two lines say now, and what a press of one of its buttons does. In the table's thread.

Words of players, YES, NO and the other buttons of the game keep their own way through the senses. Here is what they
cannot say: irregularities, seats, amounts, the floor, and whatever has no button of its own on this panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button, Observation
from table_controller.config import TableConfig
from table_controller.dealer_page import sheets
from table_controller.dealer_page.deeds import perform
from table_controller.dealer_page.desk import PANEL, Desk, Wish
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import Sheet, Tap, View
from table_controller.dealer_page.view import NOTICES, build
from table_controller.fusion.presses import BOUNCE, Press
from table_controller.panel.dialog import Dialog, Said
from table_controller.panel.hints import Hints
from table_controller.panel.layout import HOLD, LABELS, Gesture, Layout, lacks, layout_of, seldom
from table_controller.panel.lines import Two, fit, pages
from webkit.language import Catalogue

_HERE: Final = Path(__file__).parent
_PAGE: Final = Path(sheets.__file__).parent
_SEE: Final = 0.15
"""A new instruction is on the display for so long before anybody can have pressed for it (seconds)."""
_TOLD: Final = 4.0
"""What became of a press is shown for so long (seconds of table time)."""
_BY: Final = PANEL


@dataclass
class _Down:
    """A button that is down: since when, and whether its press has already been taken."""

    since: float
    done: bool = False


class Panel:
    """The panel of one table.

    Attributes:
        layout: What it can say.
    """

    def __init__(self, desk: Desk, config: TableConfig, lang: str) -> None:
        self.layout: Layout = layout_of(config.panel.buttons)
        self._desk = desk
        self._config = config
        self._lang = lang
        own, page = Catalogue(_HERE / "locales"), Catalogue(_PAGE / "locales")

        def text(name: str, count: int | None = None, **values: object) -> str:
            catalogue = own if name in own else page
            return catalogue.text(lang, name, count, **values)

        self._t = text
        self._words = Hints(self.layout, desk, lang, text)
        self._dialog = Dialog(self._sheet, text)
        self._shown: tuple[Picture, View] | None = None
        self._turn = ("", 0.0)  # what was shown last, since when
        self._read = 0  # sentences of the last rulings that were read
        self._why: tuple[str, ...] = ()
        self._told: tuple[str, float] = ("", 0.0)
        self._notices: tuple[str, ...] = ()
        self._down: dict[str, _Down] = {}
        self._up: dict[str, float] = {}

    # -- what it can say at all --------------------------------------------------------------------------------

    def shortcomings(self) -> tuple[str, ...]:
        """What must be said elsewhere on this table, in sentences; empty where the panel says everything."""
        config, t = self._config, self._t
        covered = self._desk.picture().cards_seen
        game = config.game
        found = lacks(
            self.layout,
            betting=game.betting,
            light=config.light,
            chips=game.chips == "sensed",
            deal_seen={"board", "burn"} <= covered and any(place.startswith("seat") for place in covered),
        )
        lines: list[str] = []
        words = [slug.partition(".")[2] for slug in found if slug.startswith("word.")]
        if words:
            lines.append(t("panel.lacks.words", words=", ".join(LABELS[self._lang][word] for word in words)))
        lines += [t(f"panel.lacks.{slug}") for slug in found if not slug.startswith("word.")]
        lines += [t(f"panel.seldom.{slug}") for slug in seldom(self.layout)]
        if not lines:
            return ()
        remedy = "panel.page_says" if config.page.on else "panel.no_page"
        return (*lines, t(remedy if found or config.page.on else "panel.plays"))

    # -- what is shown -----------------------------------------------------------------------------------------

    def lines(self) -> Two:
        """The two lines of the display as they are to be now."""
        now = self._desk.running.now
        self._notice(now)
        text, until = self._told
        if text and now < until:
            return pages(text, "")[0]
        if self._dialog.open:
            return self._choosing()
        view = self._view()
        if self._to_read(view):
            return pages(view.why[self._read], self._hint_read())[0]
        return self._words.lead(view)

    def _notice(self, now: float) -> None:
        """What became of a press that meant nothing is told once."""
        notices = self._desk.latest.notices
        if notices != self._notices and notices and notices[-1] in NOTICES:
            self._told = (self._t(f"notice.{notices[-1]}"), now + _TOLD)
        self._notices = notices

    @property
    def floor(self) -> str | None:
        """How a call of the floor by people here stands (`Desk.floor_heard`); None: none is open."""
        return self._desk.latest.floor or None

    @property
    def told_in(self) -> frozenset[int]:
        """Seats that are in the hand as people have told it, where no antenna reads any seat."""
        picture = self._desk.latest
        state = picture.state
        if picture.blind or state.phase in ("over", "void"):
            return frozenset()
        if any(place.startswith("seat") for place in picture.cards_seen):
            return frozenset()
        return frozenset(seat for seat in state.in_hand() if state.seats[seat].cards)

    @property
    def seat(self) -> int | None:
        """The seat that the instruction is about: its lamp blinks."""
        picture = self._desk.latest
        if picture.state.phase in ("over", "void") or picture.blind:
            return None
        first = next((order for order in picture.expects if order.order != "post"), None)
        if first is None:
            return None
        return (
            first.seat
            if first.order in ("act", "ask", "show", "push_pot", "count", "find", "clock")
            else None
        )

    def _view(self) -> View:
        """The page's screen of the last picture, made again only when it would differ."""
        picture = self._desk.latest
        held = self._shown
        if held is None or not picture.same(held[0]) or held[1].seconds is not None:
            held = self._shown = picture, build(picture, self._lang, self._t)
            view = held[1]
            if (view.turn, view.say) != (self._turn[0].partition("|")[0], self._turn[0].partition("|")[2]):
                self._turn = (f"{view.turn}|{view.say}", self._desk.running.now)
            if view.why != self._why:
                self._why, self._read = view.why, 0
        return held[1]

    def _to_read(self, view: View) -> bool:
        return self.layout.take is not None and self._read < len(view.why)

    def _hint_read(self) -> str:
        last = self._read + 1 >= len(self._why)
        return self._words.say(self.layout.take, self._t("panel.understood" if last else "panel.on"))

    def _choosing(self) -> Two:
        item, layout, t = self._dialog.item, self.layout, self._t
        on = self._words.say(layout.next, t("panel.on"))
        if not item.chosen:
            return fit([item.text], [on])
        take = self._words.say(layout.take, t("panel.take"))
        other = self._words.say(layout.next, t("panel.other"))
        return fit([item.text], [f"{take} {other}"])

    # -- pressed -------------------------------------------------------------------------------------------------

    def pressed(self, press: Press) -> bool:
        """A button went down.

        Returns:
            Whether it meant something here; if not, it is the game's.
        """
        name = press.button
        self._desk.refresh()
        open_floor = self._desk.running.here.floor
        self._told = ("", 0.0)
        if name == "FLOOR":
            self._dialog.close()
            if not open_floor:
                self._do(Said("floor", {}, ""))
            self._down[name] = _Down(press.t, done=not open_floor)
            return True
        if name == self.layout.both:
            self._down[name] = _Down(press.t)
            return True
        return self._gesture(Gesture(name), press.t)

    def see(self, observation: Observation) -> None:
        """Notice that a button has been held, or was let go."""
        if isinstance(observation, Button) and (name := BUTTONS.get(observation.id, "")):
            if not observation.pressed:
                self._up[name] = observation.t
            elif name in self._up and observation.t - self._up[name] < BOUNCE:
                self._up.pop(name)  # its contact has bounced: it was down all the time
        for name, down in list(self._down.items()):
            up = self._up.get(name)
            held = (observation.t if up is None or up < down.since else up) - down.since >= HOLD
            if held and not down.done:
                down.done = True
                self._desk.refresh()
                self._held(name, down.since)
            if up is not None and up >= down.since and observation.t - up >= BOUNCE:
                del self._down[name]
                self._up.pop(name, None)
                if not down.done and name == self.layout.both:
                    self._desk.refresh()
                    self._gesture(Gesture(name), down.since)

    def _held(self, name: str, since: float) -> None:
        if name == "FLOOR":
            self._do(Said("withdraw", {}, ""))
        else:
            self._gesture(Gesture(name, held=True), since)

    def _gesture(self, gesture: Gesture, t: float) -> bool:
        layout = self.layout
        if self._dialog.open:
            return self._in_dialog(gesture)
        view = self._view()
        if gesture == layout.take and self._to_read(view) and self._desk.latest.cards_seen:
            self._read = len(view.why)  # where antennas follow the cure, YES is always its next act
        elif gesture == layout.take and self._to_read(view):
            self._read += 1
            if self._read >= len(view.why):
                self._do(Said("understood", {}, ""))
            return True
        if gesture == layout.take:
            return self._take(view, t)
        if gesture == layout.next:
            self._choose(view)
            return True
        name = gesture.button
        if name == "SEAT":
            self._dialog.sheet("players")
        elif name in ("PLUS", "MINUS"):
            self._choose(view)
        elif name == "SEEN" and not self._seen_in_deal():
            self._dialog.sheet("what?group=exposed_card")
        elif name == "RAISE" and (tap := self._amount_wanted(view)) is not None:
            self._dialog.sheet(tap.sheet)
        elif name == "NO" and (tap := self._mucked(view)) is not None:
            self._do(Said(tap.deed, dict(tap.fields), view.turn))
        elif name in ("YES", "NO") and self._asked_otherwise(view):
            self._choose(view)
        else:
            self._read = len(view.why)  # whoever plays on has read enough
            return False
        return True

    def _in_dialog(self, gesture: Gesture) -> bool:
        layout, dialog = self.layout, self._dialog
        if gesture == layout.next:
            dialog.next()
        elif gesture == layout.take:
            said = dialog.take()
            if said is not None:
                dialog.close()
                self._do(said)
        elif gesture.button == "MINUS":
            dialog.before()
        elif gesture.button == "NO":
            dialog.back()
        elif gesture.button in ("PLUS", "SEAT"):
            dialog.next()
        else:
            dialog.close()
            return self._gesture(gesture, self._desk.running.now)
        return True

    def _take(self, view: View, t: float) -> bool:
        """The large button of the page; acts that antennas see too keep their way through the senses."""
        picture, main = self._desk.latest, self._words.main(view)
        if main is None and self._words.any_winner(view):
            return self._do(Said("pots", {}, view.turn))
        if main is None:
            if self._asked_otherwise(view):
                self._choose(view)
                return True
            return False
        if picture.asked is not None:
            return False if self.layout.take == Gesture("YES") else self._do(_said(main, view.turn))
        if main.name == "done" and picture.cards_seen and self.layout.take == Gesture("YES"):
            return False
        if main.name == "next" and self.layout.take == Gesture("NEXT_HAND"):
            return False
        if t < self._turn[1] + _SEE and main.deed not in ("next", "redeal"):
            return True  # it was for what was shown before
        if main.sheet:
            self._dialog.sheet(main.sheet)
            return True
        if main.hold and self.layout.next is not None:
            self._dialog.choose("", (main,), view.turn)
            self._dialog.take()
            return True
        return self._do(_said(main, view.turn))

    def _choose(self, view: View) -> None:
        """All that can be said now, one after the other: what is due first."""
        title = view.say if len(pages(view.say, "+++++++++++++++")) > 1 else ""
        taps = [tap for tap in (*view.taps, *view.menu) if tap.name not in ("understood",)]
        self._dialog.choose(title, taps, view.turn)

    def _asked_otherwise(self, view: View) -> bool:
        """A question is open that YES and NO cannot answer."""
        asks = bool(view.taps) and view.taps[0].name.startswith("answer-")
        return asks and not self._words.two_answers(view)

    def _seen_in_deal(self) -> bool:
        """The deal is followed card by card, so SEEN speaks of the last one."""
        state = self._desk.running.state
        return state.phase == "dealing" and state.deal_at >= 0

    def _amount_wanted(self, view: View) -> Tap | None:
        """A raise whose amount no antenna tells."""
        running = self._desk.running
        seat = running.state.to_act
        if running.state.betting != "amounts" or running.fusion.coverage.covers(f"bet{seat}"):
            return None
        return next((tap for tap in view.taps if tap.name in ("bet", "raise") and tap.sheet), None)

    def _mucked(self, view: View) -> Tap | None:
        asked = self._desk.latest.asked is not None
        return None if asked else next((tap for tap in view.taps if tap.name == "mucked"), None)

    def _sheet(self, address: str) -> Sheet | None:
        name, _, query = address.partition("?")
        return sheets.make(name, self._desk.picture(), self._lang, self._t, _query(query))

    def _do(self, said: Said) -> bool:
        """Do what a tap on the page would do; say why, if it cannot be done."""
        outcome = perform(self._desk, Wish(said.deed, said.fields, said.turn, _BY))
        if not outcome.done:
            text = self._t(f"refused.{outcome.reason}", **outcome.values)
            self._told = (text, self._desk.running.now + _TOLD)
        return True


def _said(tap: Tap, turn: str) -> Said:
    return Said(tap.deed, dict(tap.fields), turn)


def _query(text: str) -> dict[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(text, keep_blank_values=True))
