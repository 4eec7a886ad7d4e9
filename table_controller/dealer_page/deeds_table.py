"""Taps about the table as a whole: pause, level clock, the floor, the hand put right, a new evening."""

from __future__ import annotations

from typing import Final

import msgspec

from engine import events as ev
from engine import seating
from engine.rulings import RULINGS
from table_controller import level_clock, notes
from table_controller.dealer_page.desk import Desk, Outcome, Refused, Wish
from table_controller.hand_start import LastHand, Started
from table_controller.here import Here, SeatWord
from table_controller.putting_right import CannotBe, lay_out

_TEXT: Final = 400


def pause(desk: Desk, wish: Wish) -> Outcome:
    """Play stops after this hand and the clock at once; or both go on."""
    running, stages = desk.running, desk.settings.stages
    paused = wish.fields.get("on") == "yes"
    here = msgspec.structs.replace(running.here, paused=paused)
    if stages and here.clock is not None:
        turn = level_clock.stop if paused else level_clock.start
        here = msgspec.structs.replace(here, clock=turn(stages, here.clock, running.now))
    running.set_here(here, wish.source)
    return Outcome()


def level(desk: Desk, wish: Wish) -> Outcome:
    """The level clock goes one level on or back."""
    running, stages = desk.running, desk.settings.stages
    if not stages:
        raise Refused("no_levels")
    by = 1 if wish.fields.get("by") == "on" else -1
    clock = running.here.clock or level_clock.begin(stages)
    clock = level_clock.move(stages, clock, running.now, by)
    running.set_here(msgspec.structs.replace(running.here, clock=clock), wish.source)
    return Outcome()


def start_clock(desk: Desk, when: str) -> None:
    """The level clock starts with the first hand, and with the first one after a break that nobody ended."""
    running, stages = desk.running, desk.settings.stages
    here = running.here
    if not stages or running.desired.epoch or here.paused:
        return
    clock = here.clock or level_clock.begin(stages)
    if clock.since is None:
        clock = level_clock.start(stages, clock, running.now)
        running.set_here(msgspec.structs.replace(here, clock=clock), when)


def floor(desk: Desk, wish: Wish) -> Outcome:
    """Somebody calls the floor."""
    running = desk.running
    if not running.here.floor:
        here = msgspec.structs.replace(running.here, floor=True, floor_call=running.here.rev + 1)
        running.set_here(here, wish.source)
        desk.floor_answer("")
        desk.ask_hub("floor", running.state.to_act, None)
    return Outcome()


def withdraw(desk: Desk, wish: Wish) -> Outcome:
    """Whoever called the floor does not need it any more."""
    running = desk.running
    if not running.here.floor:
        raise Refused("no_call")
    running.set_here(msgspec.structs.replace(running.here, floor=False), wish.source)
    return Outcome()


def decide(desk: Desk, wish: Wish) -> Outcome:
    """What the floor has decided: it closes the oldest open call, or one that people have made."""
    running = desk.running
    choice = wish.fields.get("choice", "")
    note = wish.fields.get("note", "").strip()[:_TEXT] or None
    if choice not in RULINGS and not note:
        raise Refused("choice")
    seats = wish.seats() or None
    amount = wish.number("amount")
    amounts = {str(seats[0]): amount} if seats and amount is not None else None
    if choice == "hand_void" and not running.state.acts:
        choice = "misdeal"
    if choice in ("hand_dead", "amount_corrected") and not seats:
        raise Refused("seat")
    if choice == "amount_corrected" and amounts is None:
        raise Refused("amount")
    event = ev.FloorDecided(choice=choice or "play_on", by=wish.by, seats=seats, amounts=amounts, note=note)
    running.say_all((event,), wish.source)
    if running.here.floor:
        running.set_here(msgspec.structs.replace(running.here, floor=False), wish.source)
    return Outcome()


def right(desk: Desk, wish: Wish) -> Outcome:
    """The hand stands as people say: street, who is in, button, pot."""
    running = desk.running
    button = wish.number("button") or running.state.button
    if running.state.phase in ("over", "void") or running.light:
        return _button(desk, wish, button)
    started = running.started
    if started is None:
        raise Refused("no_hand")
    street = wish.fields.get("street", "")
    live = frozenset(wish.seats("in"))
    pot = wish.number("pot")
    positions = started.positions
    if button != positions.button:
        players = [entry.seat for entry in started.event.seats]
        positions = seating.first_positions(button, players)
    try:
        layout = lay_out(
            started.event, positions, running.state, running.book, street=street, live=live, pot=pot
        )
    except CannotBe as wrong:
        raise Refused(f"right_{wrong.reason}", least=wrong.least) from None
    note = notes.PutRight(
        source=wish.source, street=street, seats=tuple(sorted(live)), button=positions.button, pot=pot
    )
    desk.seen_to = frozenset()
    made = Started(layout.event, layout.positions, started.level, started.gate)
    running.put_right(made, layout.events, note)
    return Outcome()


def _button(desk: Desk, wish: Wish, button: int) -> Outcome:
    """Where no hand is followed only the button can be wrong: the next hand has it where people say."""
    running = desk.running
    if button not in {seat.seat for seat in running.effective.seats}:
        raise Refused("nobody_there")
    running.set_here(msgspec.structs.replace(running.here, button=button), wish.source)
    return Outcome()


def evening(desk: Desk, wish: Wish) -> Outcome:
    """A new evening: the seats as the page has them, everybody with the starting stack, the first level."""
    running = desk.running
    if running.desired.epoch:
        raise Refused("hub_rules")
    if running.state.phase not in ("over", "void"):
        raise Refused("hand_is_running")
    seats = wish.seats()
    stack = wish.number("stack")
    button = wish.number("button")
    if len(seats) < 2 or (desk.settings.betting == "amounts" and not stack):
        raise Refused("players" if len(seats) < 2 else "stack")
    known = {seat.seat: seat for seat in running.desired.seats}
    words = []
    for seat in range(1, 11):
        before = known.get(seat)
        if seat in seats:
            entry = before.entry if before is not None else f"s{seat}"
            words.append(SeatWord(entry, seat, stack, over=before))
        elif before is not None:
            words.append(SeatWord(before.entry, seat, out=True, over=before))
    here = Here(
        rev=running.here.rev,
        seats=tuple(words),
        croupier=running.here.croupier,
        decks_away=running.here.decks_away,
        button=button if button in seats else None,
    )
    # Stacks and positions of an earlier evening mean nothing any more; hands are counted on.
    running.last = LastHand(hand=running.last.hand, gate_used=running.last.gate_used)
    running.set_here(here, wish.source)
    return Outcome()
