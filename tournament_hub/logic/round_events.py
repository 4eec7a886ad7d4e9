"""Hand-for-hand as events of a tournament: rounds let go, hands told as done, tables excused or stopped, run-outs held."""

from __future__ import annotations

from tournament_hub.logic.happened import Happened


class HandForHandAnnounced(Happened, frozen=True, kw_only=True, tag="hand_for_hand_announced"):
    """From now on every table waits after its hand."""


class RoundReleased(Happened, frozen=True, kw_only=True, tag="round_released"):
    """Every table may play one hand."""

    round: int


class HandDone(Happened, frozen=True, kw_only=True, tag="hand_done"):
    """A person says that a table has played its hand of the round (or, after the announcement, that it waits).

    ``again``: it has not, after all.
    """

    table: str
    again: bool = False


class Excused(Happened, frozen=True, kw_only=True, tag="excused"):
    """A person says that nobody waits for this table; ``reason`` None: it is waited for again."""

    table: str
    reason: str | None


class StopTold(Happened, frozen=True, kw_only=True, tag="stop_told"):
    """A person says of a table that was told to stop and does not confirm it: it has stopped, or its hand goes on.

    ``reason``: why nobody waits for the table's own word.
    """

    table: str
    stopped: bool
    reason: str = ""


class RunoutPending(Happened, frozen=True, kw_only=True, tag="runout_pending"):
    """All-in and call: the cards stay down until the other tables are done."""

    table: str
    hand: int | None
    seats: tuple[int, ...] = ()


class RunoutReleased(Happened, frozen=True, kw_only=True, tag="runout_released"):
    """A held hand may be shown and run out."""

    table: str


class HandForHandEnded(Happened, frozen=True, kw_only=True, tag="hand_for_hand_ended"):
    """Tables play on by themselves."""
