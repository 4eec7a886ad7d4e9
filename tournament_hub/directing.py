"""A tournament that runs: what tables report becomes its events, what it decides becomes targets, clock and commands.

Its record is a ``TournamentLog``; ``reports`` takes what tables say, ``calls`` the calls of the floor, ``publisher`` tells
tables and displays. Everything in here runs on the hub's thread, inside the store's transaction; time is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_controller.messages import tournament as forms
from tournament_hub.config import TournamentSetting
from tournament_hub.effects import Ways
from tournament_hub.floor_calls import FloorCalls
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import colour_up, payouts, stopping
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.publishing import Publisher
from tournament_hub.store_people import people
from tournament_hub.table_reports import TableReports
from tournament_hub.tournament_log import TournamentLog
from tournament_hub.tournament_settings import settings_of

REMEMBER_S = 30.0
"""Seconds of the clock that a power cut may cost at most."""


class Directing(TournamentLog):
    """One tournament as it runs.

    Args:
        ident: its name in the configuration.
        setting: its part of the configuration.
        preset: what its rulebook decides.
        ways: the room's record, targets and words.
    """

    def __init__(self, ident: str, setting: TournamentSetting, preset: Preset, ways: Ways) -> None:
        devices = dict.fromkeys(setting.tables, True) | dict.fromkeys(setting.without_device, False)
        super().__init__(settings_of(ident, setting), devices, preset, ways)
        self.setting = setting
        self.calls = FloorCalls(self)
        """Calls of the floor: ``calls.answer_call(…)``."""
        self.reports = TableReports(self, ways)
        names = self.names if setting.public_names else None
        self.publisher = Publisher(self, ways, self._payouts, names)

    def reload(self) -> None:
        """Play the log again: at the start, and after a transaction that failed."""
        super().reload()
        if self._told:  # not at the start, when nobody follows yet
            self.publisher.forget()

    def names(self) -> Mapping[str, str]:
        """Entry → what people are called, of those whose name is kept."""
        held = {person.person: person.name for person in people(self._ways.store)}
        return {e.id: held[e.player] for e in self.state.entries.values() if e.player in held}

    # -- what a director does with one word ---------------------------------------------------

    def draw(self, by: str, now: float, utc: str) -> int:
        """Give seats to all who wait before the start, and the button to every table; how many events came of it."""
        count = 0
        for _ in range(1 + len(self.state.tables)):
            found = next((p for p in self.proposals(now) if p.kind in ("draw", "button")), None)
            if found is None:
                break
            count += self.do(found.id, by, now, utc)
        return count

    def begin(self, by: str, now: float, utc: str, *, reason: str = "") -> None:
        """The first hands may be dealt, the clock runs.

        Args:
            by: who.
            now: seconds on the hub's clock.
            utc: a label for people.
            reason: why a table may start with fewer players than the book says; empty: it may not.

        Raises:
            Refused: nobody sits, or a table is too short (and no reason is given).
        """
        passed = (ev.Passed(block="start", reason=reason),) if reason else ()
        self.say_all((*passed, ev.Started()), by, now, utc)

    def colour_up(
        self,
        table: str,
        old: int,
        new: int,
        chips: Mapping[str, int],
        by: str,
        now: float,
        utc: str,
        *,
        dealt: Mapping[int, Sequence[str]] | None = None,
        totals: Mapping[str, int] | None = None,
    ) -> colour_up.TableLog:
        """Exchange a value at one table by the book's rule, once its chips were counted.

        Args:
            table: where.
            old: the value that goes.
            new: the next higher one, a multiple of it.
            chips: entry → how many chips of ``old`` it has; who is not named has none.
            by: who.
            now: seconds on the hub's clock.
            utc: a label for people.
            dealt: for a race, the cards that each seat was dealt, from ``colour_up.race``.
            totals: entry → its whole stack, where it was counted together with the chips.

        Raises:
            Refused: not now by the book, a stack that nobody knows, or the numbers do not fit.
        """
        held = self.state.tables.get(table)
        if held is None or not held.seats:
            raise Refused("no-table", "nobody sits there", where=table, hint="look at the tables")
        stages, clock = self.state.settings.stages, self.state.clock
        in_break = not stages or clocks.state(clock, stages) in ("break", "before")
        if not colour_up.allowed(self.preset, in_break=in_break):
            article = self.preset.article("colour_up_when")
            raise Refused(
                "colour-up-when", f"only in a break ({article})", where=table, hint="wait for the break"
            )
        stacks = []
        for seat, name in held.seats.items():
            total = (totals or {}).get(name, self.state.entries[name].stack)
            if total is None:
                raise Refused("stack-unknown", "its stack is not known", where=name, hint="count it first")
            stacks.append(colour_up.Stack(seat, name, total, chips.get(name, 0)))
        ante = clocks.level_now(clock, stages).ante.amount if stages else 0
        try:
            told = colour_up.colour_up(self.preset, table, old, new, stacks, dealt=dealt, ante=ante)
        except ValueError as error:
            raise Refused("colour-up", str(error), where=table, hint="count again") from error
        out = [seat.entry for seat in told.seats if seat.eliminated]
        counted = {name: total for name, total in (totals or {}).items() if name in held.seats.values()}
        events: list[ev.Event] = [
            ev.Counted(entry=name, stack=total)
            for name, total in counted.items()
            if total != self.state.entries[name].stack
        ]
        events += [ev.Disqualified(entry=name, left=True, reason="raced_out") for name in out]
        after = {seat.entry: seat.after for seat in told.seats if not seat.eliminated}
        events.append(ev.ColouredUp(table=table, stacks=after))
        self.say_all(events, by, now, utc)
        return told

    # -- time ------------------------------------------------------------------------------

    def tick(self, now: float, utc: str, heard: Callable[[str], bool]) -> None:
        """Time passes: the level, tables that fall silent, what the hub does by itself, what must be said again."""
        self.open(now, utc)
        for table in list(self.state.tables.values()):
            if table.device and table.status != "closed" and heard(table.id) != table.heard:
                self.say(ev.Heard(table=table.id, heard=not table.heard), "hub", now, utc)
        stages = self.state.settings.stages
        if stages and self.state.started and not self.state.over:
            tables = self.state.tables.values()
            running = any(stopping.holds_up(self.state, table) for table in tables if table.seats)
            act = clocks.Ticked(hands_running=running)
            moved = clocks.moved(self.state.clock, stages, act, self.time(now)) is not self.state.clock
            if moved or self.time(now) - self.log[-1].at >= REMEMBER_S:
                self.say(ev.Clocked(act=act), "hub", now, utc)
        self._automatic(now, utc)
        self.publisher.tick(now, utc)
        self.publish(now, utc)

    def _automatic(self, now: float, utc: str) -> None:
        wanted = self.state.settings.automatic
        done: set[str] = set()
        for _ in range(20):
            if not wanted:
                return
            todo = (p for p in self.proposals(now) if p.kind in wanted and not p.question)
            found = next((p for p in todo if p.id not in done), None)
            if found is None:
                return
            done.add(found.id)
            for event in found.effects:
                self.report(event, "hub", now, utc)

    def publish(self, now: float, utc: str, *, whole: bool = False) -> None:
        """Send what has changed: targets of tables, clock, moves, standings; ``whole``: all of it."""
        self.publisher.publish(now, utc, whole=whole)

    # -- prizes ----------------------------------------------------------------------------------

    def _payouts(self) -> list[forms.Payouts]:
        """What is published of prizes: nothing where money is off or the club has set none."""
        money = self.setting.money
        if money is None or self.preset.money != "on":
            return []
        entries = self.state.entries.values()
        sold = (
            (payouts.Price(money.prize, money.fee, money.bounty), len(entries)),
            (payouts.Price(money.rebuy), sum(entry.rebuys for entry in entries)),
            (payouts.Price(money.add_on), sum(entry.add_ons for entry in entries)),
        )
        pool = payouts.takings(self.preset, sold).pool + money.added
        paid = max(1, min(self.state.settings.places_paid or len(money.shares) or 1, max(1, len(entries))))
        weights = money.shares[:paid] or payouts.shares_for(paid)
        table = payouts.prizes(pool, weights, money.unit)
        won = payouts.payouts(self.preset, pool, table, self.places()) if entries else ()
        found: list[forms.Payouts] = []
        first = 0
        while True:
            page = payouts.message(self.preset, money.currency, pool, table, won, first)
            if page is None:
                return found
            found.append(page)
            first += len(page.rows)
            if not page.rows or first >= (page.total or 0):
                return found

    def lots(self) -> tuple[payouts.Lot, ...]:
        """What the places that are decided win that is no money, as the club has written it."""
        texts = dict(enumerate(self.setting.lots, 1))
        return payouts.lots(texts, self.places())
