"""The line and the buttons while a hand is played. Pure."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engine import pots
from engine.rulings import Order
from engine.state import HandState
from engine.wording import say_amount, say_order
from table_controller.dealer_page.confirming import shown_act, unseen_deal
from table_controller.dealer_page.picture import Picture, clock_on
from table_controller.dealer_page.screen import Tap
from table_controller.dealer_page.self_dealt import helpers

Text = Callable[..., str]
Now = tuple[str, str, tuple[Tap, ...], str]


class HandLines:
    """What a hand that is being played asks for: the acts of the dealer, the words of the player, the pots."""

    def __init__(self, picture: Picture, lang: str, text: Text) -> None:
        self.p = picture
        self.lang = lang
        self.t = text
        self.state = picture.state
        self.running = self.state.phase not in ("over", "void") and bool(self.state.hand)

    def _lost(self) -> Now:
        """The table does not know how to go on: people do, and may say where the hand stands."""
        return self.t("say.out_of_step"), self.t("then.out_of_step"), (self._right("main"),), "still"

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

    def _who_prepares(self) -> str:
        """Who deals, cuts and shuffles: on a self-dealt table by name, else the way of every table."""
        found = helpers(self.p)
        if found is None:
            return self.t("then.next_hand")
        return self.t("then.self_dealt", dealer=found.deals, cutter=found.cuts, shuffler=found.shuffles)

    def _next(self) -> Tap:
        """The next hand: held where it ends one that nobody has seen the end of."""
        hold = self.p.light and self.running
        return Tap(self.t("tap.next_hand"), "next", look="main", hold=hold, name="next")

    def _right(self, look: str) -> Tap:
        return Tap(self.t("tap.right"), sheet="right", look=look, name="right")


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
