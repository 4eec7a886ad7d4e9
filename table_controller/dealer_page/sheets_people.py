"""Sheets about people: who sits where, one seat, penalties, stacks, who deals, a new evening. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.vocabulary import MAX_SEAT
from engine.wording import say_amount
from table_controller import messages as m
from table_controller.dealer_page import lines_moves
from table_controller.dealer_page.conduct import REASONS
from table_controller.dealer_page.deeds_people import seats_of
from table_controller.dealer_page.lines_hand import Text
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import Form, Pad, Seats, Sheet, Tap
from table_controller.dealer_page.self_dealt import helpers

Query = Mapping[str, str]
_MEASURES: Final = ((0, 0), (1, 0), (3, 0), (0, 1), (0, 2), (0, 4))
"""Hands and orbits to miss, both none: a warning (ROPTA degrees, PPC 12.2)."""


def _seat_number(query: Query) -> int | None:
    text = query.get("seat", "")
    seat = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
    return seat if 1 <= seat <= MAX_SEAT else None


def _players(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """All seats: each opens its own sheet."""
    there = seats_of(p.desired)
    taps = tuple(
        Tap(
            t("players.seat" if seat in there else "players.free", seat=seat),
            sheet=f"seat?seat={seat}",
            look="plain" if seat in there else "quiet",
            name=f"seat-{seat}",
        )
        for seat in range(1, MAX_SEAT + 1)
    )
    return Sheet(t("sheet.players"), (t("players.how"),), taps, turn=p.turn)


def _seat(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """One seat: what may be said of it."""
    seat = _seat_number(query)
    if seat is None:
        return Sheet(t("sheet.gone"))
    word = seats_of(p.desired).get(seat)
    here = (("seat", str(seat)),)
    title = t("sheet.seat", seat=seat)
    if word is None:
        return _free(p, t, seat)
    running = p.state.phase not in ("over", "void") and bool(p.state.hand)
    taps: list[Tap] = []
    if word.absent:
        taps.append(Tap(t("seat.back"), "back", here, look="main", name="back"))
    else:
        taps.append(Tap(t("seat.go"), "absent", here, name="absent"))
    early = running and not p.blind and p.state.to_act not in (None, seat) and seat in p.state.seats
    if early and p.state.seats[seat].live and p.state.betting != "rounds":
        taps.append(Tap(t("seat.early"), sheet=f"early?seat={seat}", name="early"))
    if running and not p.blind and seat in p.state.seats and p.state.seats[seat].live:
        taps.append(Tap(t("seat.hand_dead"), sheet=f"what?group=hand&seat={seat}", look="quiet", name="hand"))
    taps.append(Tap(t("seat.penalise"), sheet=f"penalty?seat={seat}", name="penalty"))
    if word.penalty:
        taps.append(Tap(t("seat.pardon", count=word.penalty), "pardon", here, look="quiet", name="pardon"))
    taps.append(Tap(t("seat.count"), sheet=f"stack?seat={seat}", name="stack"))
    found = helpers(p)
    if found is not None and seat != found.deals:
        fields = (*here, ("turn", str(found.turn)))
        taps.append(Tap(t("seat.deals", seat=seat, turn=found.turn), "deals", fields, name="deals"))
    taps.append(Tap(t("seat.is_out"), "out", here, look="grave", hold=True, name="out"))
    lines = (t("seat.not_in_hand"),) if running and seat not in p.state.seats else ()
    return Sheet(title, lines, tuple(taps), turn=p.turn)


def _free(p: Picture, t: Text, seat: int) -> Sheet:
    """A free seat: somebody sits down, or will."""
    here = (("seat", str(seat)),)
    title = t("sheet.free", seat=seat)
    late = Tap(t("seat.late"), "late", here, look="quiet", name="late")
    if p.settings.betting != "amounts":
        sits = Tap(t("seat.sits"), "arrived", here, look="main", name="arrived")
        return Sheet(title, (), (sits, late), turn=p.turn)
    form = Form("arrived", t("seat.sits"), (Pad("stack", t("seat.stack")),), here)
    return Sheet(title, form=form, turn=p.turn)


def _early(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """A player has spoken before his turn."""
    seat = _seat_number(query)
    if seat is None or seat not in p.state.seats:
        return Sheet(t("sheet.gone"))
    here = (("seat", str(seat)),)
    taps = [
        Tap(t(f"tap.{said}"), "early", (*here, ("said", said)), name=said)
        for said in ("fold", "check", "call", "all_in")
    ]
    form = None
    if p.state.betting == "amounts":
        facing = p.state.price > 0
        form = Form(
            "early",
            t("tap.raise" if facing else "tap.bet"),
            (Pad("amount", t("pad.raise" if facing else "pad.bet")),),
            (*here, ("said", "raise" if facing else "bet")),
        )
    else:
        taps.append(Tap(t("tap.raise"), "early", (*here, ("said", "raise")), name="raise"))
    return Sheet(t("sheet.early", seat=seat), (t("early.how"),), tuple(taps), form, turn=p.turn)


def _penalty(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """First the reason with its article, then the measure."""
    seat = _seat_number(query)
    if seat is None:
        return Sheet(t("sheet.gone"))
    reason = query.get("reason", "")
    title = t("sheet.penalty", seat=seat)
    if reason not in REASONS:
        taps = tuple(
            Tap(
                f"{t(f'conduct.{name}')} ({article})",
                sheet=f"penalty?seat={seat}&reason={name}",
                name=name,
            )
            for name, article in REASONS.items()
        )
        return Sheet(title, (), taps, back=f"seat?seat={seat}", turn=p.turn)
    given = (("seat", str(seat)), ("reason", reason))
    measures = []
    for hands, orbits in _MEASURES:
        kind = "orbits" if orbits else "hands" if hands else "warning"
        fields = (*given, ("hands", str(hands)), ("orbits", str(orbits)))
        label = t(f"penalty.{kind}", hands or orbits)
        measures.append(Tap(label, "penalty", fields, name=f"{kind}-{hands or orbits}"))
    line = f"{t(f'conduct.{reason}')} ({REASONS[reason]})"
    return Sheet(title, (line,), tuple(measures), back=f"penalty?seat={seat}", turn=p.turn)


def _stack(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """A stack that was counted."""
    seat = _seat_number(query)
    if seat is None:
        return Sheet(t("sheet.gone"))
    held = p.state.seats.get(seat)
    known = held.stack if held is not None else None
    lines: tuple[str, ...] = ()
    if known is not None and p.open_to_all:
        lines = (t("stack.known", amount=say_amount(known, lang)),)
    form = Form("stack", t("tap.counted"), (Pad("amount", t("stack.counted")),), (("seat", str(seat)),))
    return Sheet(t("sheet.stack", seat=seat), lines, form=form, back=query.get("back", ""), turn=p.turn)


def _departed(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    return lines_moves.departed_sheet(p, lang, t, query.get("move", ""))


def _came(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    return lines_moves.came_sheet(p, lang, t, query.get("move", ""))


def _counts(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Counts at a break: every seat in turn, and what they come to."""
    there = seats_of(p.desired)
    taps = []
    total = 0
    for seat in sorted(there):
        held = p.state.seats.get(seat)
        known = held.stack if held is not None else there[seat].stack
        shown = say_amount(known, lang) if known is not None and p.open_to_all else ""
        total += known or 0
        label = t("counts.seat", seat=seat, amount=shown) if shown else t("players.seat", seat=seat)
        taps.append(Tap(label, sheet=f"stack?seat={seat}&back=counts", name=f"count-{seat}"))
    lines = (t("counts.total", amount=say_amount(total, lang)),) if total and p.open_to_all else ()
    return Sheet(t("sheet.counts"), lines, tuple(taps), turn=p.turn)


def _deals(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Who deals in place of whose turn it is."""
    found = helpers(p)
    if found is None:
        return Sheet(t("sheet.deals"), (t("deals.nobody"),))
    taps = tuple(
        Tap(
            t("deals.himself", seat=seat) if seat == found.turn else t("players.seat", seat=seat),
            "deals",
            (("seat", str(seat)), ("turn", str(found.turn))),
            look="main" if seat == found.deals else "plain",
            name=f"deals-{seat}",
        )
        for seat in sorted(seats_of(p.desired))
    )
    return Sheet(t("sheet.deals"), (t("deals.turn", seat=found.turn),), taps, turn=p.turn)


def _evening(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Who plays tonight, with how many chips, and where the button begins."""
    there = seats_of(p.desired)
    every = tuple((seat, seat in there) for seat in range(1, MAX_SEAT + 1))
    first = max(there, default=0)
    parts: list[Seats | Pad] = [
        Seats("seats", t("evening.seats"), every),
        Seats("button", t("evening.button"), tuple((n, n == first) for n in range(1, 11)), one=True),
    ]
    if p.settings.betting == "amounts":
        usual = _usual_stack(p.desired.seats)
        parts.insert(1, Pad("stack", t("evening.stack"), str(usual) if usual else ""))
    form = Form("evening", t("tap.evening_go"), tuple(parts), hold=bool(p.state.hand))
    return Sheet(t("sheet.evening"), (t("evening.how"),), form=form, turn=p.turn)


def _usual_stack(seats: tuple[m.DesiredSeat, ...]) -> int | None:
    stacks = [seat.stack for seat in seats if seat.stack]
    return max(set(stacks), key=stacks.count) if stacks else None


PEOPLE: Final[dict[str, Callable[[Picture, str, Text, Query], Sheet]]] = {
    "departed": _departed,
    "came": _came,
    "players": _players,
    "seat": _seat,
    "early": _early,
    "penalty": _penalty,
    "stack": _stack,
    "counts": _counts,
    "deals": _deals,
    "evening": _evening,
}
