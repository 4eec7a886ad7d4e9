"""What a screen shows, made of a picture and a language and of nothing else. Pure.

One line larger than all else, a smaller one below it, the buttons of the act that is due, the seats. Whatever is shown
in colour is said by a word or a sign as well.
"""

from __future__ import annotations

from typing import Final

from engine.rulings import Ruling
from engine.state import Seat
from engine.vocabulary import MAX_SEAT
from engine.wording import say_amount, say_ruling
from table_controller import messages as m
from table_controller.dealer_page.deeds_people import seats_of
from table_controller.dealer_page.lines import Lines
from table_controller.dealer_page.lines_hand import Text
from table_controller.dealer_page.picture import Picture, clock_on
from table_controller.dealer_page.screen import SeatView, Tap, View
from table_controller.dealer_page.self_dealt import dealer_of
from table_controller.putting_right import pot_of

_BOARD: Final = 5
_CALM: Final = frozenset({"absent_dealt_in", "short_blind", "short_all_in"})
NOTICES: Final = frozenset(
    "fold_cards_there fold_of_whom hand_is_running move_refused nobody_to_act nothing_to_undo press_again press_means_nothing"
    " raise_without_chips".split()
)


def build(picture: Picture, lang: str, text: Text) -> View:
    """Make the screen.

    Args:
        picture: The table.
        lang: ``fr`` or ``en``.
        text: Gives the page's own texts by slug.
    """
    return _Builder(picture, lang, text).view()


class _Builder:
    """One screen in the making."""

    def __init__(self, picture: Picture, lang: str, text: Text) -> None:
        self.p = picture
        self.lang = lang
        self.t = text
        self.state = picture.state
        self.running = self.state.phase not in ("over", "void") and bool(self.state.hand)

    def view(self) -> View:
        lines = Lines(self.p, self.lang, self.t)
        say, then, taps, tone = lines.now()
        p, state, why = self.p, self.state, self._why()
        understood = Tap(self.t("tap.understood"), "understood", look="quiet", name="understood")
        return View(
            say=say,
            then=then,
            why=why,
            taps=(*taps, understood) if why else taps,
            menu=lines.menu(),
            seats=tuple(self._seat(seat) for seat in range(1, MAX_SEAT + 1)),
            board=self._board(),
            hands=self._hands(),
            pot=self._pot(),
            hand=self.t("head.hand", hand=state.hand) if state.hand else self.t("head.no_hand"),
            level=self._level(),
            left=self._left(),
            runs=self._runs(),
            clock=self._clock(),
            seconds=self._seconds(),
            remarks=self._remarks(),
            tone=tone,
            turn=p.turn,
        )

    # -- the table -------------------------------------------------------------------------------------------

    def _seat(self, number: int) -> SeatView:
        there = seats_of(self.p.desired).get(number)
        seat = self.state.seats.get(number) if self.state.hand else None
        if seat is None and there is None:
            return SeatView(number, taken=False)
        playing = seat if self.running else None
        words = self._words(playing)
        if there is not None:
            if there.absent and "absent" not in words:
                words.append("absent")
            if there.penalty:
                words.append("penalty")
        if there is None or (playing is None and self._bust(there)):
            words.append("gone")
        elif playing is None and self.running:
            words.append("next")
        turn = self.running and self.state.to_act == number and not self.p.blind
        return SeatView(
            seat=number,
            taken=True,
            words=tuple(self.t(f"seat.{word}", count=there.penalty or 0 if there else 0) for word in words),
            mark=self._mark(number),
            turn=turn,
            out=any(word in words for word in ("folded", "dead", "absent", "gone")),
            stack=self._chips(seat.stack if seat is not None else None),
            bet=self._bet(playing),
            deals=dealer_of(self.p) == number,
        )

    def _bust(self, there: m.DesiredSeat) -> bool:
        """Whether he has lost his last chip; nobody can tell where no amounts are kept."""
        return self.p.settings.betting == "amounts" and self.p.last.stacks.get(there.entry) == 0

    def _words(self, seat: Seat | None) -> list[str]:
        if seat is None:
            return []
        found = [
            word
            for word, so in (
                ("folded", seat.folded),
                ("dead", seat.dead),
                ("all_in", seat.all_in),
                ("absent", seat.absent),
                ("shown", seat.shown and self.state.phase == "showdown"),
            )
            if so
        ]
        return found[:2]

    def _bet(self, seat: Seat | None) -> str:
        """What lies before a player is for all to see, also on a self-dealt table."""
        return say_amount(seat.bet, self.lang) if seat is not None and seat.bet else ""

    def _chips(self, amount: int | None) -> str:
        if amount is None or self.state.betting != "amounts" or not self.p.open_to_all:
            return ""
        return say_amount(amount, self.lang)

    def _mark(self, number: int) -> str:
        state = self.state
        if not state.hand:
            return ""
        marks = [
            self.t(f"mark.{name}")
            for name, seat in (
                ("button", state.button),
                ("small_blind", state.small_blind_seat),
                ("big_blind", state.big_blind_seat),
            )
            if seat == number
        ]
        return " ".join(marks)

    def _board(self) -> tuple[str, ...]:
        if self.p.blind or not self.running:
            return ()
        cards = [card or "?" for card in self.state.board[:_BOARD]]
        return (*cards, *([""] * (_BOARD - len(cards))))

    def _hands(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Hands that were turned up for all."""
        if not self.running:
            return ()
        return tuple((n, s.hand) for n, s in sorted(self.state.seats.items()) if s.shown and s.hand)

    def _pot(self) -> str:
        pot = pot_of(self.state)
        if pot is None or not self.running or not self.p.open_to_all:
            return ""
        return say_amount(pot, self.lang)

    # -- the clock -------------------------------------------------------------------------------------------

    def _left(self) -> int | None:
        """Seconds left of the level: the hub's clock, else the table's own."""
        hub, own = self.p.hub_clock, self.p.clock
        if hub is not None:
            return round(hub.left) if hub.state != "over" else None
        return round(own.left) if own is not None else None

    def _runs(self) -> bool:
        hub, own = self.p.hub_clock, self.p.clock
        return hub.runs if hub is not None else own is not None and own.since is not None

    def _clock(self) -> str:
        """What the time is of, where it is no level that runs; and that the table counts by itself."""
        hub, own = self.p.hub_clock, self.p.clock
        if hub is None:
            stages = self.p.settings.stages
            rests = own is not None and stages[own.place].level is None
            return self.t("head.break") if rests else ""
        words = [self.t(f"head.{hub.state}")] if hub.state in ("before", "break", "over") else []
        if not hub.confirmed:
            words.append(self.t("head.unconfirmed"))
        return " · ".join(words)

    def _level(self) -> str:
        hub = self.p.hub_clock
        running = hub.level if hub is not None else None
        level = running or self.p.desired.level
        if level is None:
            return ""
        small, big = say_amount(level.small_blind, self.lang), say_amount(level.big_blind, self.lang)
        if level.ante.kind == "none" or not level.ante.amount:
            stakes = self.t("head.stakes", small=small, big=big)
        else:
            ante = say_amount(level.ante.amount, self.lang)
            stakes = self.t("head.stakes_ante", small=small, big=big, ante=ante)
        return self.t("head.level", level=level.n, stakes=stakes) if level.n else stakes

    def _seconds(self) -> int | None:
        called = self.p.called
        order = clock_on(self.state)
        if called is None or order is None or self.state.calls or self.p.here.floor:
            return None
        return max(0, round((order.seconds or 0) - (self.p.t - called)))

    def _why(self) -> tuple[str, ...]:
        """The rulings of the last irregularity, as sentences."""
        never = self.p.book.term("announce_winner") == "never"
        told: list[str] = []
        for ruling in self.p.ruled:
            if ruling.incident in _CALM or (never and ruling.incident == "wrong_pot"):
                continue
            sentence = self._ruling(ruling)
            if sentence not in told:
                told.append(sentence)
        return tuple(told)

    def _ruling(self, ruling: Ruling) -> str:
        term = self.p.book.term("substantial_action")
        return say_ruling(ruling, self.lang, sa=term if isinstance(term, str) else None)

    def _remarks(self) -> tuple[str, ...]:
        found = [self.t(f"doubt.{doubt.reason}", place=doubt.place) for doubt in self.p.doubts[:2]]
        found += [self.t(f"notice.{notice}") for notice in self.p.notices if notice in NOTICES]
        return tuple(found)
