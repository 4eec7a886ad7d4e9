"""What the book asks of people and no program can do: said to the director at the moment at which it applies.

Each is said until somebody has done it (``Noted``), then never again for the same table or level's kind of ante. At a
table with a device its own program sees to antes; people are told for the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposal import Choice, Proposal
from tournament_hub.logic.state import State, Table, open_tables, short_of_restart


def decks(state: State, preset: Preset) -> Iterator[Proposal]:
    """All tables are treated alike: the same number of decks at each (ROPTA two decks). Asked for new tables too."""
    if not preset.same_decks:
        return
    played = [table.id for table in open_tables(state) if table.seats]
    new = [name for name in played if f"decks:{name}" not in state.noted]
    if len(played) > 1 and new:
        yield Proposal(
            id=f"decks:{len(played)}:{new[0]}",
            kind="decks",
            values={"tables": tuple(played)},
            article=preset.article("same_decks"),
            effects=(ev.Noted(notes=tuple(f"decks:{name}" for name in new)),),
        )


def antes(state: State, preset: Preset) -> Iterator[Proposal]:
    """How antes go where a dealer has nothing but his memory: dead button, a stack that is too short, heads-up."""
    stages = state.settings.stages
    bare = [table for table in open_tables(state) if not table.device and table.seats]
    if not stages or not bare:
        return
    ante = clocks.level_now(state.clock, stages).ante
    if ante.kind == "none" or not ante.amount:
        return
    if ante.kind == "button" and preset.ante_dead_button == "none":
        yield from _once(state, preset, "ante_button", "ante_dead_button", amount=ante.amount)
    if ante.kind == "classic":
        kind = "ante_out" if preset.ante_short == "eliminated" else "ante_all_in"
        yield from _once(state, preset, kind, "ante_short", amount=ante.amount)
    if any(len(table.seats) == 2 for table in bare):
        kind = "ante_heads_up" if preset.ante_heads_up else "ante_not_heads_up"
        yield from _once(state, preset, kind, "ante_heads_up", amount=ante.amount)


def _once(state: State, preset: Preset, kind: str, setting: str, **values: object) -> Iterator[Proposal]:
    if kind not in state.noted:
        yield Proposal(
            id=kind,
            kind=kind,
            values=values,
            article=preset.article(setting),
            effects=(ev.Noted(notes=(kind,)),),
        )


def colour_ups(state: State, preset: Preset) -> Iterator[Proposal]:
    """Chips that leave: in the break that has them, by the book's rule, until somebody has seen to it."""
    stages = state.settings.stages
    if not stages or not state.clock.started:
        return
    number = state.clock.stage
    if stages[number].level is not None and preset.colour_up_when != "any":
        return
    for value in stages[number].colour_up:
        note = f"colour_up:{number}:{value}"
        if note not in state.noted:
            yield Proposal(
                id=note,
                kind=f"colour_up_{preset.colour_up}",
                values={"chips": value},
                article=preset.article("colour_up"),
                effects=(ev.Noted(notes=(note,)),),
            )


def restarts(state: State, preset: Preset) -> Iterator[Proposal]:
    """After a break a table goes on with so many who are back in their seats (ROPTA start), or a person says why not."""
    stages = state.settings.stages
    if stages and clocks.state(state.clock, stages) == "break":
        return  # they have until its end
    for table in open_tables(state):
        missing = short_of_restart(state, table)
        if missing:
            yield Proposal(
                id=f"restart:{table.id}",
                kind="restart",
                values={"table": table.id, "players": _present(state, table), "need": table.needs},
                article=preset.article("restart_players"),
                alternatives=(
                    Choice(
                        "restart_anyway",
                        {"table": table.id},
                        (ev.Passed(block=f"restart:{table.id}", reason="director"),),
                    ),
                ),
                question=True,
            )


def _present(state: State, table: Table) -> int:
    return sum(not state.entries[name].absent for name in table.seats.values())
