"""The page's place in the table's own thread: takes pictures of the table, does what a tap asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from engine.rulings import Order, Ruling
from table_controller import level_clock
from table_controller.config import TableConfig
from table_controller.dealer_page.picture import Asked, Picture, Settings, clock_on, due
from table_controller.fusion.coverage import CARD_KINDS
from table_controller.hub_clock import ClockNow
from table_controller.running import Running

PANEL: Final = "panel"
"""Who taps with the buttons of the panel."""
NOTICES: Final = 3
"""So many of the last notices are kept on the screen."""


class Wish(Struct, frozen=True):
    """A tap as it came from a screen.

    Attributes:
        deed: What is to be done.
        fields: What the form said with it.
        turn: What the screen was showing (`Picture.turn`); empty where that does not matter.
        by: The device.
    """

    deed: str
    fields: Mapping[str, str]
    turn: str
    by: str

    @property
    def source(self) -> str:
        """Who said it, for the journal."""
        return "panel:display" if self.by == PANEL else f"page:{self.by}"

    def number(self, name: str) -> int | None:
        """A whole number of the form, None where there is none."""
        text = self.fields.get(name, "").replace(" ", "").replace("\u202f", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None

    def seat(self, name: str = "seat") -> int:
        """A seat of the form.

        Raises:
            Refused: It is none.
        """
        found = self.number(name)
        if found is None or not 1 <= found <= 10:
            raise Refused("seat")
        return found

    def seats(self, name: str = "seats") -> tuple[int, ...]:
        """The seats of a list with commas, in order.

        Raises:
            Refused: One of them is none.
        """
        found = []
        for part in self.fields.get(name, "").split(","):
            if not part:
                continue
            if not (part.isascii() and part.isdigit() and 1 <= int(part) <= 10):
                raise Refused("seat")
            found.append(int(part))
        return tuple(dict.fromkeys(found))


class Outcome(Struct, frozen=True):
    """What became of a tap: done, or why not (a slug with its values); and the sheet that is to be shown next."""

    done: bool = True
    reason: str = ""
    values: dict[str, int] = {}
    sheet: str = ""


class Refused(Exception):
    """A tap that cannot be done.

    Attributes:
        reason: A slug with words in the catalogue.
        values: What fills the words.
    """

    def __init__(self, reason: str, **values: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


class Desk:
    """What the page keeps of a table beside the record: what people have seen to, put away, asked to count.

    Attributes:
        running: The hand as it is played.
        seen_to: Acts of the cure that people say they have done, and of which no event can tell.
        ask_hub: Tells the hub what people at the table want or have seen.
        ask_move: Tells the hub who has left or come by a move, and with what.
        told_moves: Of which the hub was told and has not refused it, while they are under way.
        hub_clock: Gives the tournament's clock, where the hub has told one.
        latest: The last picture that was taken.
    """

    def __init__(self, running: Running, config: TableConfig, *, hub: bool) -> None:
        self.running = running
        self.seen_to: frozenset[Order] = frozenset()
        self.ask_hub: Callable[[str, int | None, str | None], None] = lambda kind, seat, entry: None
        self.ask_move: Callable[[str, str, int, int | None], None] = lambda kind, move, seat, counted: None
        self.told_moves: frozenset[str] = frozenset()
        self.hub_clock: Callable[[], ClockNow | None] = lambda: None
        self._put_away: tuple[Ruling, ...] = ()
        self._count: tuple[int, int, str] | None = None
        self._called: tuple[Order, float] | None = None
        self._floor = ""
        self._notices: tuple[str, ...] = ()
        page = config.page
        self.settings = Settings(
            name=config.mqtt.table,
            self_dealt=page.self_dealt,
            rotate=page.rotate,
            stages=config.stages,
            betting=config.game.betting,
            hub=hub,
            button=config.game.button,
        )
        places = [place for each in (config.antennas or {}).values() for place in each]
        self._antennas = frozenset(place for place in places if place.rstrip("0123456789") in CARD_KINDS)
        self.latest = self.picture()

    # -- the floor, as far as it has heard -------------------------------------------------------------------

    @property
    def floor_heard(self) -> str:
        """How a call of the floor stands: ``alone`` (no hub), ``asked``, ``heard`` or ``silent`` (no answer)."""
        return "alone" if not self.settings.hub else self._floor or "asked"

    def floor_answer(self, answer: str) -> None:
        """The hub has heard the call (``heard``), or nobody has answered in time (``silent``)."""
        self._floor = answer

    def move_answer(self, told: str, taken: bool) -> None:
        """The hub has taken what was said of a move: nobody says it again. Or it has not: then people do."""
        if not taken:
            self.told_moves -= {told}
            self.notice("move_refused")

    # -- taps that change only what the page shows -----------------------------------------------------------

    def see_to(self, order: Order) -> None:
        """People have done an act of the cure."""
        self.seen_to |= {order}

    def put_away(self) -> None:
        """People have read the last rulings."""
        self._put_away = self.running.ruled[1]

    def count(self) -> None:
        """The player to act has asked for a count: exact figures are shown until he has acted."""
        self._count = self._act()

    def notice(self, slug: str) -> None:
        """Tell people something once."""
        self.running.notices.append(slug)

    def _act(self) -> tuple[int, int, str]:
        state = self.running.state
        return state.hand, len(state.acts), state.phase

    # -- the picture -----------------------------------------------------------------------------------------

    def refresh(self) -> Picture:
        """Take a new picture and keep it. In the table's thread only."""
        self.latest = self.picture()
        return self.latest

    def picture(self) -> Picture:
        """The table as it is now. In the table's thread only."""
        running = self.running
        state = running.state
        self.seen_to &= frozenset(state.plan)
        self.told_moves &= self._moves()
        ruled = running.ruled[1]
        question = running.question
        expects = running.engine_expects if question is not None else running.expects
        if expects is running.engine_expects:
            expects = due(state, running.book, self.seen_to)
        if running.notices:
            self._notices = tuple(running.notices[-NOTICES:])
            running.notices.clear()
        stages = self.settings.stages
        clock = None
        if stages and running.desired.epoch == 0:
            clock = level_clock.read(stages, running.here.clock or level_clock.begin(stages), running.now)
        return Picture(
            settings=self.settings,
            state=state,
            book=running.book,
            expects=expects,
            asked=None
            if question is None
            else Asked(question.ruling.incident, question.ruling.seats, question.offer.place),
            refused=running.refused,
            ruled=() if ruled == self._put_away else ruled,
            here=running.here,
            desired=running.effective,
            last=running.last,
            clock=clock,
            hub_clock=self.hub_clock(),
            t=running.now,
            light=running.light,
            cards_seen=self._cards_seen(),
            out_of_step=running.out_of_step,
            undoable=running.undoable,
            called=self._time_called(),
            counted=self._count == self._act(),
            doubts=running.doubts,
            floor=self.floor_heard if running.here.floor else "",
            notices=self._notices,
            told_moves=self.told_moves,
        )

    def forget_notices(self) -> None:
        """A tap that meant something puts away what was said of those before."""
        self._notices = ()
        self.running.notices.clear()

    def _moves(self) -> frozenset[str]:
        """The moves under way, as `told_moves` names them."""
        desired = self.running.desired
        return frozenset(
            (*(move.move for move in desired.moves_out), *(f"+{move.move}" for move in desired.moves_in))
        )

    def _cards_seen(self) -> frozenset[str]:
        """Places of cards that antennas cover, as the file says or as the boards have told."""
        if self._antennas:
            return self._antennas
        coverage = self.running.fusion.coverage
        places = ["deck", "board", "burn", "muck", *(f"seat{seat}" for seat in range(1, 11))]
        return frozenset(place for place in places if coverage.covers(place))

    def _time_called(self) -> float | None:
        """Since when the clock runs on a player."""
        order = clock_on(self.running.state)
        if order is None:
            self._called = None
        elif self._called is None or self._called[0] is not order:
            self._called = (order, self.running.now)
        return None if self._called is None else self._called[1]
