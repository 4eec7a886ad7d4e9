"""The sheets that are laid over the screen: numbers, undo, the floor, people, the hand put right. Pure.

Each is made of the picture and of its query alone, so nothing is kept between two taps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.state import HandState
from engine.vocabulary import STREETS
from engine.wording import say_action, say_amount, say_incident, say_street
from table_controller.dealer_page.deeds_play import undo_key
from table_controller.dealer_page.lines_hand import Text, open_pot
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import ChipsPart, Choice, Form, Line, Pad, Part, Seats, Sheet, Tap
from table_controller.dealer_page.sheets_people import PEOPLE
from table_controller.dealer_page.sheets_what import what
from table_controller.putting_right import TARGETS, pot_of

Query = Mapping[str, str]
Make = Callable[[Picture, str, Text, Query], Sheet]
_CHIPS: Final = (1, 5, 25, 100, 500, 1000, 5000, 25000, 100000, 500000)
_DENOMINATIONS: Final = 6


def make(name: str, picture: Picture, lang: str, text: Text, query: Query) -> Sheet | None:
    """Make a sheet; None when there is none of this name."""
    found = SHEETS.get(name)
    return None if found is None else found(picture, lang, text, query)


def _raise(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """How much: a pad, with minimum, pot and all-in where they may be known."""
    legal = next((order for order in p.expects if order.order == "act"), None)
    seat = p.state.to_act
    if legal is None or seat is None:
        return Sheet(t("sheet.gone"))
    bets = "bet" in (legal.options or ())
    presets: list[tuple[str, int]] = []
    if legal.min is not None and p.open_to_all:
        presets.append((t("pad.min", amount=say_amount(legal.min, lang)), legal.min))
        pot = pot_raise(p.state, seat)
        if pot is not None and legal.min < pot < (legal.max or pot):
            presets.append((t("pad.pot", amount=say_amount(pot, lang)), pot))
    if legal.max is not None and p.open_to_all:
        presets.append((t("pad.max", amount=say_amount(legal.max, lang)), legal.max))
    title = t("sheet.bet" if bets else "sheet.raise", seat=seat)
    form = Form(
        "act",
        t("tap.say_it"),
        (Pad("amount", t("pad.bet" if bets else "pad.raise"), presets=tuple(presets)),),
        (("seat", str(seat)), ("said", "bet" if bets else "raise")),
    )
    return Sheet(title, form=form, turn=p.turn)


def pot_raise(state: HandState, seat: int) -> int | None:
    """What "the pot" is as a total of the round: all chips after a call, on top of the call.

    None where no amounts are kept.
    """
    pot = pot_of(state)
    if pot is None or seat not in state.seats:
        return None
    return state.price + pot + max(state.price - state.seats[seat].bet, 0)


def _chips(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Chips put forward without a word, one tap a chip."""
    seat = p.state.to_act
    if seat is None:
        return Sheet(t("sheet.gone"))
    least = max(p.state.smallest_chip, 1)
    start = next((i for i, chip in enumerate(_CHIPS) if chip >= least), 0)
    values = _CHIPS[start : start + _DENOMINATIONS]
    said = tuple(
        (word, t(f"said.{word or 'nothing'}"), word == "")
        for word in ("", "call", "raise", "all_in", "check")
    )
    form = Form(
        "chips",
        t("tap.put_forward"),
        (
            ChipsPart("chips", t("chips.put"), tuple((say_amount(value, lang), value) for value in values)),
            Choice("said", t("chips.said"), said),
        ),
        (("seat", str(seat)),),
    )
    return Sheet(t("sheet.chips", seat=seat), (t("chips.how"),), form=form, turn=p.turn)


def _winners(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Several share a pot."""
    pot, contenders = open_pot(p.state)
    seats = tuple((seat, False) for seat in contenders)
    part = Seats("seats", t("winners.who"), seats)
    form = Form("winners", t("tap.share"), (part,), (("pot", str(pot)),))
    return Sheet(t("sheet.winners"), form=form, turn=p.turn)


def _undo(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """What would be undone, in words."""
    events = p.undoable
    if not events:
        return Sheet(t("sheet.undo"), (t("undo.nothing"),))
    first = events[0]
    kind = type(first).__name__
    seat = getattr(first, "seat", None)
    if kind == "Acted":
        line = say_action(_act_name(first), getattr(first, "amount", None), lang, seat=seat)
    elif kind == "Claimed":
        claim = getattr(first, "claim", "")
        line = t("undo.time") if claim == "time" else say_incident(claim, lang)
    else:
        line = t(f"undo.{kind}" if kind in _UNDONE else "undo.other", count=len(events), seat=seat or "")
    undo = Tap(t("tap.undo"), "undo", (("of", undo_key(events)),), look="main", name="undo-it")
    return Sheet(t("sheet.undo"), (line[0].upper() + line[1:],), (undo,), turn=p.turn)


def _act_name(event: object) -> str:
    return getattr(event, "said", None) or "bet"


_UNDONE: Final = frozenset(
    "CardMoved ChipsMoved RoundClosed HandShown Winners PotTaken Answered Counted FloorDecided "
    "DeckShuffled DeckCut Presence Conduct".split()
)


def _decide(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """What the floor has decided."""
    state = p.state
    choice = query.get("choice", "")
    if choice in ("hand_dead", "amount_corrected", "note"):
        return _decide_more(p, t, choice)
    running = state.phase not in ("over", "void") and bool(state.hand)
    taps = [_decision(t, "play_on", look="main")]
    call = state.calls[0] if state.calls else None
    if call is not None and call.seat in state.seats:
        seat = state.seats[call.seat]
        if seat.parked is not None or seat.early is not None:
            taps.append(_decision(t, "action_bound"))
            taps.append(_decision(t, "action_refused"))
    if any(order.order == "draw" for order in state.plan):
        taps.append(_decision(t, "burn_assigned"))
    if running:
        taps.append(Tap(t("decide.hand_dead"), sheet="decide?choice=hand_dead", name="hand_dead"))
        if state.betting == "amounts" and state.phase in STREETS and not p.blind:
            taps.append(
                Tap(t("decide.amount_corrected"), sheet="decide?choice=amount_corrected", name="amount")
            )
        taps.append(_decision(t, "hand_void", look="grave", hold=True))
        taps.append(Tap(t("tap.right"), sheet="right", name="right"))
    taps.append(Tap(t("decide.note"), sheet="decide?choice=note", look="quiet", name="note"))
    lines = (say_incident(call.incident, lang),) if call is not None and call.incident else ()
    return Sheet(t("sheet.decide"), lines, tuple(taps), turn=p.turn)


def _decision(t: Text, choice: str, *, look: str = "plain", hold: bool = False) -> Tap:
    label = t(f"decide.{choice}")
    return Tap(label, "decide", (("choice", choice),), look=look, hold=hold, name=choice)


def _decide_more(p: Picture, t: Text, choice: str) -> Sheet:
    live = tuple((seat, False) for seat in p.state.in_hand())
    title = t(f"decide.{choice}")
    if choice == "note":
        form = Form("decide", t("tap.decided"), (Line("note", t("decide.note_text")),))
    elif choice == "hand_dead":
        form = Form(
            "decide",
            t("decide.hand_dead"),
            (Seats("seats", t("decide.whose"), live),),
            (("choice", choice),),
            hold=True,
        )
    else:
        form = Form(
            "decide",
            t("tap.decided"),
            (Seats("seats", t("decide.whose"), live, one=True), Pad("amount", t("decide.total"))),
            (("choice", choice),),
        )
    return Sheet(title, form=form, back="decide", turn=p.turn)


def _right(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """The hand as it really stands: everything is on one sheet, with the table's best guess."""
    state = p.state
    running = state.phase not in ("over", "void") and not p.light
    seats = sorted(state.seats) if running else [seat.seat for seat in p.desired.seats]
    button = Seats("button", t("right.button"), tuple((n, n == state.button) for n in seats), one=True)
    if not running:
        return Sheet(
            t("sheet.right"),
            (t("right.next_hand"),),
            form=Form("right", t("tap.stands_so"), (button,)),
            turn=p.turn,
        )
    guess = state.street() if state.phase != "showdown" else "showdown"
    streets = tuple(
        (name, say_street(name, lang) if name in STREETS else t("right.showdown"), name == guess)
        for name in TARGETS
    )
    live = set(state.in_hand())
    parts: list[Part] = [
        Choice("street", t("right.street"), streets),
        Seats("in", t("right.in"), tuple((n, n in live) for n in seats)),
        button,
    ]
    pot = pot_of(state)
    if pot is not None:
        shown = say_amount(pot, lang) if p.open_to_all else ""
        parts.append(Pad("pot", t("right.pot", pot=shown) if shown else t("right.pot_hidden")))
    return Sheet(t("sheet.right"), form=Form("right", t("tap.stands_so"), tuple(parts)), turn=p.turn)


def _more(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """Everything that is seldom wanted."""
    paused = p.here.paused
    taps = [Tap(t("menu.right"), sheet="right", name="right")]
    if not p.light:
        taps.append(Tap(t("menu.players"), sheet="players", name="players"))
    else:
        taps.append(Tap(t("menu.undo"), sheet="undo", name="undo"))
    taps.append(
        Tap(
            t("tap.go_on" if paused else "menu.pause"),
            "pause",
            (("on", "no" if paused else "yes"),),
            name="pause",
        )
    )
    taps.append(Tap(t("menu.counts"), sheet="counts", name="counts"))
    if p.clock is not None:
        taps.append(Tap(t("menu.levels"), sheet="levels", name="levels"))
    if p.settings.self_dealt:
        there = p.here.croupier
        label = t("menu.croupier_gone" if there else "menu.croupier_here")
        taps.append(Tap(label, "croupier", (("there", "no" if there else "yes"),), name="croupier"))
        if not there:
            taps.append(Tap(t("menu.deals"), sheet="deals", name="deals"))
    if not p.desired.epoch:
        taps.append(Tap(t("menu.evening"), sheet="evening", look="quiet", name="evening"))
    return Sheet(t("sheet.more"), taps=tuple(taps), turn=p.turn)


def _levels(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """The level clock, one level on or back."""
    lines: list[str] = []
    for place, stage in enumerate(p.settings.stages):
        here = "▶ " if p.clock is not None and place == p.clock.place else ""
        if stage.level is None:
            lines.append(here + t("levels.break", minutes=f"{stage.minutes:g}"))
            continue
        small, big = say_amount(stage.level.small_blind, lang), say_amount(stage.level.big_blind, lang)
        lines.append(
            here + t("levels.line", level=stage.level.n, small=small, big=big, minutes=f"{stage.minutes:g}")
        )
    taps = (
        Tap(t("levels.back"), "level", (("by", "back"),), name="level-back"),
        Tap(t("levels.on"), "level", (("by", "on"),), name="level-on"),
    )
    return Sheet(t("sheet.levels"), tuple(lines), taps, back="more", turn=p.turn)


SHEETS: Final[dict[str, Make]] = {
    "raise": _raise,
    "chips": _chips,
    "winners": _winners,
    "undo": _undo,
    "decide": _decide,
    "right": _right,
    "more": _more,
    "levels": _levels,
    "what": what,
    **PEOPLE,
}
