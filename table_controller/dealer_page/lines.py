"""The one instruction of the moment and its buttons. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.rulings import Order
from engine.wording import say_incident, say_order
from engine.wording.questions import ask_options, question_text
from table_controller.dealer_page.confirming import shown_act
from table_controller.dealer_page.lines_hand import HandLines, Now
from table_controller.dealer_page.lines_moves import leaving, send_off, welcome
from table_controller.dealer_page.screen import Tap


class Lines(HandLines):
    """The line larger than all else, the one below it, and the buttons of what is due."""

    def now(self) -> Now:
        """What is due now: the line, the smaller one, the buttons, the tone."""
        if self.p.asked is not None:
            return self._asked(self._usual())
        return self._usual()

    def _usual(self) -> Now:
        p = self.p
        if self.state.calls or p.here.floor:
            return self._floor()
        question = next((order for order in p.expects if order.order == "ask"), None)
        if question is not None and self.running:
            return self._question(question)
        if not self.running:
            return self._between()
        if p.out_of_step:
            return self._lost()
        if p.blind:
            return self.t("say.light"), self.t("then.light"), (self._next(), *welcome(p, self.t)), "calm"
        if p.called is not None and self.state.to_act is not None:
            return self._time()
        act = shown_act(p.expects)
        if self.state.phase == "showdown" and (act is None or act.order in ("show", "gather")):
            now = self._showdown()
        else:
            now = self._play()
        # Light mode owes nothing but the next hand, whatever the antennas tell of this one.
        return (now[0], "", (self._next(), *welcome(p, self.t)), now[3]) if p.light else now

    def _asked(self, usual: Now) -> Now:
        """A question of the sensors; whoever taps something else plays on, and it is let go."""
        asked = self.p.asked
        incident = say_incident(asked.incident if asked else "other", self.lang)
        what = incident[0].upper() + incident[1:]
        seats = ", ".join(str(seat) for seat in asked.seats) if asked else ""
        say = self.t("say.asked_seat", what=what, seat=seats) if seats else self.t("say.asked", what=what)
        taps = (
            Tap(self.t("tap.yes"), "sensed", (("value", "yes"),), look="main", name="yes"),
            Tap(self.t("tap.no"), "sensed", (("value", "no"),), name="no"),
        )
        others = tuple(
            msgspec.structs.replace(tap, look="plain" if tap.look == "main" else tap.look) for tap in usual[2]
        )
        return say, self.t("then.asked", what=usual[0]), (*taps, *others), "ask"

    def _question(self, order: Order) -> Now:
        fact = order.fact or ""
        term = self.p.book.term("substantial_action")
        say = question_text(fact, self.lang, seat=order.seat, sa=term if isinstance(term, str) else None)
        options = order.options or ()
        labels = ask_options(fact, self.lang, options)
        taps = tuple(
            Tap(
                label[0].upper() + label[1:],
                "answer",
                (("fact", fact), ("value", str(value))),
                look="main",
                name=f"answer-{value}",
            )
            for value, label in labels
        )
        return say, "", taps, "ask"

    def _floor(self) -> Now:
        calls = self.state.calls
        about = say_incident(calls[0].incident, self.lang) if calls and calls[0].incident else ""
        then = self.t("then.floor_about", what=about) if about else self.t("then.floor")
        if self.p.floor and not calls:
            then = f"{self.t(f'floor.{self.p.floor}')} {then}"
        before = [order for order in self.p.expects if order.order in ("mix", "draw")]
        if before:
            then = " · ".join(say_order(order, self.lang) for order in before)
        taps = [Tap(self.t("tap.decided"), sheet="decide", look="main", name="decide")]
        if self.p.floor and not calls:
            taps.append(Tap(self.t("tap.withdraw"), "withdraw", look="quiet", name="withdraw"))
        return self.t("say.floor"), then, tuple(taps), "grave"

    def _between(self) -> Now:
        p = self.p
        if self.state.phase == "void" and self.state.hand:
            steps = [
                say_order(order, self.lang)
                for order in self.state.plan
                if order.order not in ("announce", "wait")
            ]
            again = Tap(self.t("tap.redeal"), "redeal", look="main", name="redeal")
            return self.t("say.redeal"), " · ".join(steps), (again,), "grave"
        if len(p.desired.seats) < 2 and not p.desired.moves_out:
            evening = () if p.desired.epoch else (self._evening("main"),)
            return self.t("say.players"), "", (*welcome(p, self.t), *evening), "ask"
        hold = p.desired.hold
        sent = leaving(p)
        if sent is not None and "pause" not in hold:
            say, then, offered = send_off(p, sent, self.lang, self.t)
            return say, then, (*offered, *welcome(p, self.t)), "ask"
        if hold:
            key = next((name for name in ("pause", "break") if name in hold), "hold")
            taps = []
            if key == "pause":
                taps.append(Tap(self.t("tap.go_on"), "pause", (("on", "no"),), look="main", name="go-on"))
            if key == "break":
                taps.append(Tap(self.t("tap.counts"), sheet="counts", look="main", name="counts"))
                taps.append(Tap(self.t("tap.level_on"), "level", (("by", "on"),), name="level-on"))
            return self.t(f"say.{key}"), self.t(f"then.{key}"), (*taps, *welcome(p, self.t)), "still"
        if p.refused is not None and p.refused.reason != "hold":
            say = say_order(Order("wait", for_=_WAITS.get(p.refused.reason, "hand")), self.lang)
            evening = () if p.desired.epoch else (self._evening("plain"),)
            return say, "", (self._next(), *welcome(p, self.t), *evening), "still"
        taps = [self._next(), *welcome(p, self.t)]
        if not self.state.hand and not p.desired.epoch:
            taps.append(self._evening("plain"))
        return self.t("say.next_hand"), self._who_prepares(), tuple(taps), "calm"

    def _evening(self, look: str) -> Tap:
        return Tap(self.t("tap.evening"), sheet="evening", look=look, name="evening")

    def menu(self) -> tuple[Tap, ...]:
        """Buttons that are always there."""
        p, state = self.p, self.state
        taps = [Tap(self.t("menu.what"), sheet="what", name="what")]
        if p.light:
            taps.append(Tap(self.t("menu.out"), sheet="players", name="out"))
        else:
            taps.append(Tap(self.t("menu.undo"), sheet="undo", name="undo"))
            if state.to_act is not None and state.betting != "rounds":
                taps.append(Tap(self.t("menu.time"), "time", name="time"))
        taps.append(Tap(self.t("menu.floor"), "floor", name="floor"))
        taps.append(Tap(self.t("menu.more"), sheet="more", name="more"))
        return tuple(taps)


_WAITS: Final = {"gate": "hand_for_hand", "players": "players", "level": "next_hand", "hold": "hold"}
