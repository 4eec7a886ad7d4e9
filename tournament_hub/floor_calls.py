"""Calls of the floor: who comes, what is ruled, what follows from it, and how the table where it was made learns of it.

A ruling's effects are ordinary events with the call as their cause, so undoing the ruling undoes them. What the table must
know stands in its target until it is obeyed there, so no message of it can be lost. Everything in here runs on the hub's
thread, inside the store's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from table_controller import messages as m
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Call
from tournament_hub.tournament_log import TournamentLog

PLAY_ON = "play_on"
"""What a table is told when a ruling has words and no code."""


class FloorCalls:
    """The calls of one tournament.

    Args:
        log: the tournament.
    """

    def __init__(self, log: TournamentLog) -> None:
        self._log = log

    def open(self) -> tuple[Call, ...]:
        """All that are not closed, the oldest first."""
        return tuple(call for call in self._log.state.calls.values() if call.state != "closed")

    def make(
        self,
        kind: str,
        by: str,
        now: float,
        utc: str,
        *,
        table: str | None = None,
        seat: int | None = None,
        hold: bool = False,
    ) -> str:
        """A person on the floor notes a call himself; the call's id comes back.

        Args:
            kind: ``ruling pot_dispute count clock misdeal device_fault behaviour chips medical``.
            by: who.
            now: seconds on the hub's clock.
            utc: a label for people.
            table: where, if at a table.
            seat: whose.
            hold: the table deals no further hand until it is closed.
        """
        call = f"floor-{len(self._log.log) + 1}"
        self._log.say(ev.CallOpened(call=call, kind=kind, table=table, seat=seat, hold=hold), by, now, utc)
        return call

    def come(self, call: str, rev: int, by: str, now: float, utc: str) -> None:
        """Somebody is on his way.

        Raises:
            Refused: ``call-changed``, somebody else was faster.
        """
        self._log.say(ev.CallAnswered(call=call, rev=rev, state="acknowledged"), by, now, utc)

    def answer_call(
        self,
        call: str,
        rev: int,
        by: str,
        now: float,
        utc: str,
        *,
        code: str = "",
        text: str = "",
        article: str = "",
        effects: Iterable[ev.Event] = (),
        seats: tuple[int, ...] = (),
        cards: tuple[str, ...] = (),
        amounts: Mapping[str, int] | None = None,
        to_act: int | None = None,
    ) -> int:
        """Rule and close a call, with all that follows, or nothing of it; how many events came of it.

        Args:
            call: which.
            rev: the revision that whoever rules has seen.
            by: who rules.
            now: seconds on the hub's clock.
            utc: a label for people.
            code: a ruling's name (``hand_dead``, ``misdeal``, ``play_on``, …), or empty with a text.
            text: in the director's words.
            article: what it rests on.
            effects: what it does in the tournament: penalties, stacks, a disqualification.
            seats: whom it concerns at the table.
            cards: which cards.
            amounts: chips by seat, as the table takes them.
            to_act: who goes on.

        Raises:
            Refused: ``call-changed``; neither code nor text; an effect that does not fit.
        """
        held = self._log.state.calls.get(call)
        if held is None:
            raise Refused("no-call", "there is no such call", where=call, hint="look at the open calls")
        if held.state == "closed":
            raise Refused("call-changed", "it is closed by now", where=call, hint="undo it first")
        if not code and not text:
            raise Refused("no-ruling", "nothing is ruled", where=call, hint="choose a ruling or write one")
        decision = None
        if held.origin:
            note = "; ".join(part for part in (text, article) if part)
            decision = m.Decision(
                call=held.origin,
                choice=code or PLAY_ON,
                by=by[:120],
                seats=seats,
                cards=cards,
                amounts=dict(amounts) if amounts else None,
                to_act=to_act,
                note=note[:400] or None,
            )
        answer = ev.CallAnswered(
            call=call, rev=rev, state="closed", code=code, text=text, article=article, decision=decision
        )
        following = list(effects)
        self._log.check([answer, *following], now)
        self._log.say(answer, by, now, utc)
        return 1 + len(self._log.say_all(following, by, now, utc, cause=call))
