"""People who are moved between tables: who is to be sent off, who is on his way here. Pure.

The tournament has reserved a seat; the old table says that he has left and with what, the new one that he has come
and with what. Until he has left the old table deals no hand.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.wording import say_amount
from table_controller import messages as m
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import Form, Pad, Sheet, Tap

Text = Callable[..., str]


def leaving(p: Picture) -> m.MoveOut | None:
    """Who is to be sent off now; None: nobody, or all have been told of."""
    here = {seat.entry for seat in p.desired.seats}
    return next(
        (move for move in p.desired.moves_out if move.entry in here and move.move not in p.told_moves), None
    )


def coming(p: Picture) -> tuple[m.MoveIn, ...]:
    """Who is on his way here, or will be."""
    here = {seat.entry for seat in p.desired.seats}
    return tuple(
        move for move in p.desired.moves_in if move.entry not in here and f"+{move.move}" not in p.told_moves
    )


def stack_of(p: Picture, entry: str) -> int | None:
    """What somebody takes along, as the table has it; None where no amounts are kept."""
    return p.last.stacks.get(entry) if p.settings.betting == "amounts" else None


def send_off(p: Picture, move: m.MoveOut, lang: str, t: Text) -> tuple[str, str, tuple[Tap, ...]]:
    """Who goes where: the line, the smaller one, the buttons."""
    if move.to is None:
        say = t("say.leaves", seat=move.seat)
    else:
        say = t("say.moves", seat=move.seat, table=move.to.table, place=move.to.seat)
    stack = stack_of(p, move.entry)
    fields = (("move", move.move), ("seat", str(move.seat)))
    if stack is None:
        return say, t("then.moves"), (Tap(t("tap.gone"), "departed", fields, look="main", name="gone"),)
    amount = say_amount(stack, lang)
    taps = (
        Tap(
            t("tap.gone_with", amount=amount), "departed", (*fields, ("counted", str(stack))), look="main",
            name="gone",
        ),
        Tap(t("tap.other_count"), sheet=f"departed?move={move.move}", name="gone-other"),
    )  # fmt: skip
    return say, t("then.moves_count"), taps


def welcome(p: Picture, t: Text) -> tuple[Tap, ...]:
    """A button for each who is on his way here."""
    found = []
    for move in coming(p):
        label = t("tap.came", seat=move.seat)
        if p.settings.betting == "amounts":
            found.append(Tap(label, sheet=f"came?move={move.move}", name=f"came-{move.seat}"))
        else:
            fields = (("move", move.move), ("seat", str(move.seat)))
            found.append(Tap(label, "came", fields, name=f"came-{move.seat}"))
    return tuple(found)


def departed_sheet(p: Picture, lang: str, t: Text, move: str) -> Sheet:
    """With how many chips somebody leaves."""
    found = next((each for each in p.desired.moves_out if each.move == move), None)
    if found is None:
        return Sheet(t("sheet.gone"))
    fields = (("move", move), ("seat", str(found.seat)))
    form = Form("departed", t("tap.gone"), (Pad("counted", t("moves.takes")),), fields)
    return Sheet(t("sheet.moves", seat=found.seat), form=form, turn=p.turn)


def came_sheet(p: Picture, lang: str, t: Text, move: str) -> Sheet:
    """With how many chips somebody has come; what the old table has counted is offered first."""
    found = next((each for each in p.desired.moves_in if each.move == move), None)
    if found is None:
        return Sheet(t("sheet.gone"))
    presets = () if found.stack is None else ((say_amount(found.stack, lang), found.stack),)
    fields = (("move", move), ("seat", str(found.seat)))
    form = Form(
        "came", t("tap.came", seat=found.seat), (Pad("counted", t("moves.brings"), presets=presets),), fields
    )
    return Sheet(t("sheet.came", seat=found.seat), form=form, turn=p.turn)
