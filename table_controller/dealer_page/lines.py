"""The one instruction of the moment and its buttons. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from engine import pots
from engine.rulings import Order
from engine.state import HandState
from engine.wording import say_amount, say_incident, say_order
from engine.wording.questions import ask_options, question_text
from table_controller.dealer_page.confirming import shown_act, unseen_deal
from table_controller.dealer_page.picture import Picture, clock_on
from table_controller.dealer_page.screen import Tap
from table_controller.dealer_page.self_dealt import helpers

Text = Callable[..., str]
Now = tuple[str, str, tuple[Tap, ...], str]


class Lines:
    """The line larger than all else, the one below it, and the buttons of what is due."""

    def __init__(self, picture: Picture, lang: str, text: Text) -> None:
        self.p = picture
        self.lang = lang
        self.t = text
        self.state = picture.state
        self.running = self.state.phase not in ("over", "void") and bool(self.state.hand)

    # -- the line and its buttons ----------------------------------------------------------------------------

    def now(self) -> Now:
        """What is due now: the line, the smaller one, the buttons, the tone."""
        p = self.p
        if p.asked is not None:
            return self._asked()
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
            return self.t("say.light"), self.t("then.light"), (self._next(),), "calm"
        if p.called is not None and self.state.to_act is not None:
            return self._time()
        act = shown_act(p.expects)
        if self.state.phase == "showdown" and (act is None or act.order in ("show", "gather")):
            now = self._showdown()
        else:
            now = self._play()
        # Light mode owes nothing but the next hand, whatever the antennas tell of this one.
        return (now[0], "", (self._next(),), now[3]) if p.light else now

    def _lost(self) -> Now:
        """The table does not know how to go on: people do, and may say where the hand stands."""
        return self.t("say.out_of_step"), self.t("then.out_of_step"), (self._right("main"),), "still"

    def _asked(self) -> Now:
        asked = self.p.asked
        incident = say_incident(asked.incident if asked else "other", self.lang)
        what = incident[0].upper() + incident[1:]
        seats = ", ".join(str(seat) for seat in asked.seats) if asked else ""
        say = self.t("say.asked_seat", what=what, seat=seats) if seats else self.t("say.asked", what=what)
        taps = (
            Tap(self.t("tap.yes"), "sensed", (("value", "yes"),), look="main", name="yes"),
            Tap(self.t("tap.no"), "sensed", (("value", "no"),), name="no"),
        )
        return say, self.t("then.asked"), taps, "ask"

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
        before = [order for order in self.p.expects if order.order in ("mix", "draw")]
        if before:
            then = " · ".join(say_order(order, self.lang) for order in before)
        taps = (Tap(self.t("tap.decided"), sheet="decide", look="main", name="decide"),)
        return self.t("say.floor"), then, taps, "grave"

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
        if len(p.desired.seats) < 2:
            return self.t("say.players"), "", (self._evening("main"),), "ask"
        hold = p.desired.hold
        if hold:
            key = next((name for name in ("pause", "break") if name in hold), "hold")
            taps = []
            if key == "pause":
                taps.append(Tap(self.t("tap.go_on"), "pause", (("on", "no"),), look="main", name="go-on"))
            if key == "break":
                taps.append(Tap(self.t("tap.counts"), sheet="counts", look="main", name="counts"))
                taps.append(Tap(self.t("tap.level_on"), "level", (("by", "on"),), name="level-on"))
            return self.t(f"say.{key}"), self.t(f"then.{key}"), tuple(taps), "still"
        if p.refused is not None and p.refused.reason != "hold":
            say = say_order(Order("wait", for_=_WAITS.get(p.refused.reason, "hand")), self.lang)
            return say, "", (self._next(), self._evening("plain")), "still"
        taps = [self._next()]
        if not self.state.hand:
            taps.append(self._evening("plain"))
        return self.t("say.next_hand"), self._who_prepares(), tuple(taps), "calm"

    def _who_prepares(self) -> str:
        """Who deals, cuts and shuffles: on a self-dealt table by name, else the way of every table."""
        found = helpers(self.p)
        if found is None:
            return self.t("then.next_hand")
        return self.t("then.self_dealt", dealer=found.deals, cutter=found.cuts, shuffler=found.shuffles)

    def _play(self) -> Now:
        p, state = self.p, self.state
        act = shown_act(p.expects)
        legal = next((order for order in p.expects if order.order == "act"), None)
        waits = next((order for order in p.expects if order.order == "wait"), None)
        done = Tap(self.t("tap.done"), "done", look="main", name="done")
        if act is not None:
            then = self._following(act)
            # Where an antenna will tell there is no need to; but whoever sees that it does not may.
            taps = (done if self._by_people(act) else msgspec.structs.replace(done, look="quiet"),)
            if act.order == "show":
                then = ""
                taps = (Tap(self.t("tap.all_shown"), "done", look="main", name="done"),)
            return self._sentence(act), then, taps, "calm"
        if legal is not None:
            return self._act(legal)
        if waits is not None and waits.for_ == "round_closed":
            closed = Tap(self.t("tap.round_closed"), "close", look="main", name="close")
            folds = tuple(
                Tap(self.t("tap.seat_folds", seat=n), "mucked", (("seat", str(n)),), look="quiet")
                for n in state.in_hand()
            )
            return say_order(waits, self.lang), self.t("then.round"), (closed, *folds), "calm"
        if waits is not None:
            return say_order(waits, self.lang), "", (self._right("quiet"),), "still"
        return self._lost()

    def _by_people(self, act: Order) -> bool:
        """Whether a person must say that the act is done: no antenna would tell."""
        seen = self.p.cards_seen
        if act.order == "deal":
            return (act.to or "") not in seen
        if act.order in ("burn", "board"):
            return act.order not in seen
        return True

    def _sentence(self, act: Order) -> str:
        state = self.state
        if act.order == "deal" and state.phase == "dealing":
            seats = unseen_deal(state, self.p.cards_seen)
            if len(seats) >= 2 * len(state.order):
                return self.t("say.deal_all", seat=seats[0])
            if len(seats) > len(state.order):
                return self.t("say.deal_rest", seat=seats[0])
        if act.order == "show":
            return self.t("say.show_all")
        if act.order == "board" and act.what is None:
            act = msgspec.structs.replace(act, what=state.coming())
        return say_order(act, self.lang)

    def _following(self, act: Order) -> str:
        """The second line: the act after the one shown, the blinds while the cards are dealt."""
        state = self.state
        if act.order == "deal" and state.phase == "dealing" and not state.off_deck:
            return self._posts()
        others = [order for order in self.p.expects if order is not act and order.order != "post"]
        if others:
            return self.t("then.next", what=self._then_order(others[0]))
        if act.order == "gather":
            return self.t("then.next", what=say_order(Order("burn"), self.lang))
        return ""

    def _then_order(self, order: Order) -> str:
        if order.order == "act":
            return say_order(Order("act", seat=order.seat), self.lang)
        return say_order(order, self.lang)

    def _posts(self) -> str:
        state = self.state
        if state.small_blind_seat is not None:
            return self.t(
                "then.blinds",
                small_seat=state.small_blind_seat,
                small=say_amount(state.small_blind, self.lang),
                big_seat=state.big_blind_seat or "",
                big=say_amount(state.big_blind, self.lang),
            )
        big = say_amount(state.big_blind, self.lang)
        return self.t("then.big_blind", big_seat=state.big_blind_seat or "", big=big)

    def _act(self, legal: Order) -> Now:
        seat = legal.seat or 0
        shown = legal if self.p.open_to_all else msgspec.structs.replace(legal, min=None, max=None)
        then = say_order(msgspec.structs.replace(shown, seat=None), self.lang)
        then = then.partition("— ")[2] or then
        where = (("seat", str(seat)),)
        options = legal.options or ()
        amounts = self.state.betting == "amounts"
        taps: list[Tap] = []
        for option in ("check", "call", "bet", "raise", "all_in", "fold"):
            if option not in options and not (option == "fold" and "check" in options):
                continue
            label = self.t(f"tap.{option}")
            if option == "call" and legal.call:
                label = self.t("tap.call_amount", amount=say_amount(legal.call, self.lang))
            if option in ("bet", "raise") and amounts:
                taps.append(Tap(self.t(f"tap.{option}_more"), sheet=f"raise?seat={seat}", name=option))
                continue
            look = "main" if option in ("check", "call") else "plain"
            if option == "fold" and "check" in options:
                look = "quiet"
            taps.append(Tap(label, "act", (*where, ("said", option)), look=look, name=option))
        if not self.p.open_to_all:
            taps.append(Tap(self.t("tap.count"), "count", look="quiet", name="count"))
        if amounts:
            taps.append(Tap(self.t("tap.silent"), sheet=f"chips?seat={seat}", look="quiet", name="silent"))
        return say_order(Order("act", seat=seat), self.lang), then, tuple(taps), "calm"

    def _time(self) -> Now:
        order = clock_on(self.state)
        legal = next((order for order in self.p.expects if order.order == "act"), None)
        say, then, taps, _ = self._act(legal) if legal is not None else ("", "", (), "")
        if order is not None:
            say = self.t("say.time", seat=order.seat or self.state.to_act or 0)
        gone = Tap(
            self.t("tap.expired"),
            "expired",
            (("seat", str(self.state.to_act)),),
            look="grave",
            hold=True,
            name="expired",
        )
        return say, then, (*taps, gone), "ask"

    def _showdown(self) -> Now:
        p, state = self.p, self.state
        take = Tap(self.t("tap.pots"), "pots", look="main", name="pots")
        pushes = [order for order in p.expects if order.order == "push_pot"]
        silent = p.book.term("announce_winner") == "never" and len(state.in_hand()) > 1 and not state.winners
        if pushes and not silent:
            rest = " · ".join(self._push(order) for order in pushes[1:])
            return self._push(pushes[0]), rest, (take,), "calm"
        if pushes:
            return self.t("say.players_tell"), "", (take,), "calm"
        if state.settled or not p.expects:
            return self.t("say.next_hand"), self._who_prepares(), (self._next(),), "calm"
        taps: list[Tap] = []
        show = next((order for order in p.expects if order.order == "show"), None)
        pot, contenders = open_pot(state)
        say = self.t("say.winners_of", pot=pot) if pot else self.t("say.winners")
        if show is not None:
            say = say_order(show, self.lang)
            seat = (("seat", str(show.seat)),)
            taps.append(Tap(self.t("tap.shown"), "shown", seat, look="main", name="shown"))
            taps.append(Tap(self.t("tap.mucked"), "mucked", seat, name="mucked"))
        for number in contenders:
            taps.append(
                Tap(
                    self.t("tap.wins", seat=number),
                    "winners",
                    (("pot", str(pot)), ("seats", str(number))),
                    look="plain" if show is None else "quiet",
                    name=f"wins-{number}",
                )
            )
        if len(contenders) > 1:
            taps.append(Tap(self.t("tap.split"), sheet=f"winners?pot={pot}", look="quiet", name="split"))
        return say, self.t("then.winners") if show is not None else "", tuple(taps), "calm"

    def _push(self, order: Order) -> str:
        shown = order if self.p.open_to_all else msgspec.structs.replace(order, amount=None)
        return say_order(shown, self.lang)

    # -- buttons that come back ------------------------------------------------------------------------------

    def _next(self) -> Tap:
        """The next hand: held where it ends one that nobody has seen the end of."""
        hold = self.p.light and self.running
        return Tap(self.t("tap.next_hand"), "next", look="main", hold=hold, name="next")

    def _right(self, look: str) -> Tap:
        return Tap(self.t("tap.right"), sheet="right", look=look, name="right")

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


def open_pot(state: HandState) -> tuple[int, list[int]]:
    """The pot whose winner is asked for, from the outermost in, and who can win it (0: the main pot)."""
    if state.pot is None:
        return 0, state.in_hand()
    named = {number for number, _ in state.winners}
    found = pots.layers(state)
    for number in range(len(found) - 1, -1, -1):
        contenders = [seat for seat in state.in_hand() if seat in found[number].seats]
        if len(contenders) > 1 and number not in named:
            return number, contenders
    return 0, state.in_hand()


_WAITS: Final = {"gate": "hand_for_hand", "players": "players", "level": "next_hand", "hold": "hold"}
