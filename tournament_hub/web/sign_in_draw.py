"""The draw from the door's phone: shown before it is done, buttons, one table more, the start, and back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic import seating
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State, open_tables
from tournament_hub.web.sign_in_acts import Door, Notice


class DrawView(Struct, frozen=True):
    """The page of the draw. ``trouble``: why there is nothing to propose; ``back``: there is a draw to take back."""

    seed: str
    digest: str
    waiting: int
    proposed: tuple[ev.Seating, ...]
    buttons: int
    back: bool
    trouble: Refused | None


def draw(door: Door, seed: str, digest: str) -> Notice:
    """Seats for all who wait, exactly as they were shown.

    Raises:
        Refused: too few seats.
    """
    drawn = preview(door.state, seed)
    if drawn is None or digest_of(drawn) != digest:
        return Notice(name="sign_in.said.draw_changed", tone="warn")
    door.say((drawn,))
    return Notice(name="sign_in.said.drawn", count=len(drawn.seats))


def buttons(door: Door) -> Notice:
    """The button of every table that has none."""
    events = missing_buttons(door)
    door.say(events)
    return Notice(name="sign_in.said.buttons", count=len(events))


def start(door: Door, *, anyway: bool = False) -> Notice:
    """The first hands may be dealt.

    Raises:
        Refused: too few players at a table.
    """
    first: tuple[ev.Event, ...] = (ev.Passed(block="start", reason="door"),) if anyway else ()
    door.say((*first, ev.Started()))
    return Notice(name="sign_in.said.started")


def open_table(door: Door) -> Notice:
    """One more table, told by people."""
    taken = {*door.state.tables, *door.elsewhere}
    number = 1 + max((int(found) for name in taken for found in re.findall(r"[0-9]{1,6}", name)), default=0)
    bare = any(name.isdigit() for name in door.state.tables)
    name = str(number) if bare else f"t{number}"
    door.say((ev.TableOpened(table=name, capacity=door.state.settings.capacity, device=False),))
    return Notice(name="sign_in.said.table", values={"table": name})


def undo_draw(door: Door) -> Notice:
    """Take the last draw back, before anybody has played.

    Raises:
        Refused: there is none, or somebody has played.
    """
    record = last_draw(door.directing.log)
    if record is None:
        raise Refused("undone", "there is no draw", where="draw", hint="nothing to do")
    door.take_back(record.n)
    return Notice(name="sign_in.said.undrawn")


def draw_view(door: Door) -> DrawView:
    """What the page of the draw proposes now."""
    state = door.state
    seed = f"{state.settings.seed}/draw/{state.rev}"
    waiting = sum(entry.where == "waiting" for entry in state.entries.values())
    drawn, trouble = None, None
    if not state.started:
        try:
            drawn = preview(state, seed)
        except Refused as refused:
            trouble = refused
    return DrawView(
        seed=seed,
        digest="" if drawn is None else digest_of(drawn),
        waiting=waiting,
        proposed=() if drawn is None else drawn.seats,
        buttons=len(missing_buttons(door)),
        back=not state.started and last_draw(door.directing.log) is not None,
        trouble=trouble,
    )


def missing_buttons(door: Door) -> tuple[ev.Event, ...]:
    """A button for every table that has players and no button yet."""
    state = door.state
    return tuple(
        seating.draw_button(
            table, door.directing.preset, f"{state.settings.seed}/button/{table.id}/{state.rev}"
        )
        for table in open_tables(state)
        if len(table.seats) > 1
        and not table.running
        and table.positions is None
        and table.first_button is None
        and table.big_blind_next is None
    )


def preview(state: State, seed: str) -> ev.Drawn | None:
    """What a draw with this seed gives now; None: nobody waits, or the seed is none of ours.

    Raises:
        Refused: too few seats, or a promised seat that is not free.
    """
    ours = re.fullmatch(rf"{state.settings.seed}/draw/([0-9]+)", seed)
    if ours is None or int(ours[1]) > state.rev or not seating.to_seat(state):
        return None
    return seating.draw(state, seed)


def digest_of(drawn: ev.Drawn) -> str:
    """Tells one draw from another."""
    return hashlib.sha256(msgspec.json.encode(drawn)).hexdigest()[:16]


def last_draw(log: Sequence[ev.Record]) -> ev.Record | None:
    """The last draw that was not taken back."""
    undone = {record.undoes for record in log}
    draws = (record for record in reversed(log) if isinstance(record.event, ev.Drawn))
    return next((r for r in draws if r.n not in undone and r.undoes is None and r.undo), None)
