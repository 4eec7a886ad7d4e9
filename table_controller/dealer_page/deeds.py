"""All taps by name, and whether one counts only while the screen shows what it was made on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from table_controller.dealer_page import deeds_people as people
from table_controller.dealer_page import deeds_play as play
from table_controller.dealer_page import deeds_table as table
from table_controller.dealer_page.desk import Desk, Outcome, Refused, Wish

Do = Callable[[Desk, Wish], Outcome]


class Deed(NamedTuple):
    """What a tap does.

    Attributes:
        do: Carries it out, in the table's thread.
        turn: It belongs to the turn that was shown when it was made; later it means nothing.
    """

    do: Do
    turn: bool = True


DEEDS: Final[dict[str, Deed]] = {
    "act": Deed(play.act),
    "chips": Deed(play.chips),
    "early": Deed(play.early, turn=False),
    "done": Deed(play.done),
    "close": Deed(play.close_round),
    "shown": Deed(play.shown),
    "mucked": Deed(play.mucked),
    "winners": Deed(play.winners),
    "pots": Deed(play.pots),
    "next": Deed(play.next_hand),
    "redeal": Deed(play.redeal),
    "answer": Deed(play.answer),
    "sensed": Deed(play.sensed),
    "claim": Deed(play.claim, turn=False),
    "time": Deed(play.time),
    "expired": Deed(play.expired),
    "undo": Deed(play.undo, turn=False),
    "understood": Deed(play.understood, turn=False),
    "count": Deed(play.count),
    "absent": Deed(people.absent, turn=False),
    "back": Deed(people.back, turn=False),
    "arrived": Deed(people.arrived, turn=False),
    "late": Deed(people.late, turn=False),
    "out": Deed(people.out, turn=False),
    "departed": Deed(people.departed, turn=False),
    "came": Deed(people.came, turn=False),
    "stack": Deed(people.stack, turn=False),
    "penalty": Deed(people.penalty, turn=False),
    "pardon": Deed(people.pardon, turn=False),
    "deals": Deed(people.deals, turn=False),
    "croupier": Deed(people.croupier, turn=False),
    "pause": Deed(table.pause, turn=False),
    "level": Deed(table.level, turn=False),
    "floor": Deed(table.floor, turn=False),
    "withdraw": Deed(table.withdraw, turn=False),
    "decide": Deed(table.decide, turn=False),
    "right": Deed(table.right, turn=False),
    "evening": Deed(table.evening, turn=False),
}


def perform(desk: Desk, wish: Wish) -> Outcome:
    """Do what a tap asks for, in the table's thread; what cannot be done changes nothing."""
    deed = DEEDS.get(wish.deed)
    if deed is None:
        return Outcome(False, "unknown")
    if deed.turn and wish.turn != desk.picture().turn:
        return Outcome(False, "changed")
    running = desk.running
    if deed.turn and running.question is not None and wish.deed != "sensed":
        # Who goes on playing leaves the sensors' question unanswered.
        events = running.state.events
        running.answer("unanswered")
        if running.state.events != events:
            return Outcome(False, "changed")
    try:
        outcome = deed.do(desk, wish)
    except Refused as refused:
        return Outcome(False, refused.reason, refused.values)
    if wish.deed in ("next", "redeal") and running.state.phase == "dealing":
        table.start_clock(desk, wish.source)
    desk.forget_notices()
    return outcome
