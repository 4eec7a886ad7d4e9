"""``maldonne tournament simulate``: the hub's logic over a whole random tournament, places and decisions in plain words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import msgspec

from maldonne.errors import InputError
from maldonne.texts import chosen_language, say
from maldonne.tournament_play import Play, Told, Wishes
from table_controller.rulebook_files import load_book
from tournament_hub.logic import payouts
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.wording import Wording
from tournament_hub.wording_tournament import say_decision

BUY_IN = 5000
"""Cents that an entry pays in a simulation with money."""
PAID_OF = 7
"""One entry in so many is paid."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    play = actions.add_parser("simulate", help="play a random tournament through the hub's logic")
    play.add_argument(
        "--entries", type=int, required=True, metavar="N", help="entries at the start, 2 to 2000"
    )
    play.add_argument("--seats", type=int, default=9, metavar="N", help="seats of a table (default 9)")
    play.add_argument(
        "--rulebook", "--preset", default="standard", metavar="ID", help="whose tournament rules"
    )
    play.add_argument(
        "--seed", type=int, default=1, metavar="N", help="same seed, same tournament (default 1)"
    )
    play.add_argument("--late", type=int, default=0, metavar="N", help="late entries (default 0)")
    play.add_argument("--money", action="store_true", help="with prizes: their sum is the pool")
    play.add_argument("--json", action="store_true", help="one JSON object instead of words")


def run(options: argparse.Namespace) -> int:
    """Play it, say what came of it.

    Returns:
        0, or 1 when something that must always hold did not.

    Raises:
        InputError: a number that no tournament has, or an unknown rulebook.
    """
    for name, value, low, high in (
        ("--entries", options.entries, 2, 2000),
        ("--seats", options.seats, 2, 10),
        ("--late", options.late, 0, 1000),
    ):
        if not low <= value <= high:
            raise InputError(f"{name} is {value}", where="tournament simulate", hint=f"{low} to {high}")
    preset = preset_of(load_book(options.rulebook))
    if options.money:
        preset = msgspec.structs.replace(preset, money="on")
    wishes = Wishes(
        entries=options.entries,
        capacity=options.seats,
        seed=options.seed,
        late=options.late,
        absent=0.01,
        paid=max(1, options.entries // PAID_OF) if options.money else 0,
    )
    told = Play(wishes, preset, options.rulebook).run()
    paid = _prizes(told, preset, wishes.paid) if options.money else ()
    if options.json:
        print(msgspec.json.encode(_facts(told, paid)).decode())
    else:
        for line in _words(told, paid, chosen_language()):
            print(line)
    return 1 if told.violations else 0


def _prizes(told: Told, preset: Preset, paid: int) -> tuple[payouts.Payout, ...]:
    pool = BUY_IN * len(told.state.entries)
    if not told.places:
        return ()
    table = payouts.prizes(pool, payouts.shares_for(paid))
    found = payouts.payouts(preset, pool, table, told.places)
    if sum(payout.amount for payout in found) != pool:
        told.violations.append("prizes differ from the pool")
    return found


def _facts(told: Told, paid: tuple[payouts.Payout, ...]) -> dict[str, object]:
    return {
        "entries": len(told.state.entries),
        "hands": told.hands,
        "minutes": round(told.minutes, 1),
        "moves": told.moves,
        "places": [{"entry": place.entry, "place": place.place} for place in told.places],
        "payouts": [{"place": p.place, "entry": p.entry, "amount": p.amount} for p in paid],
        "violations": told.violations,
    }


def _words(told: Told, paid: tuple[payouts.Payout, ...], language: str) -> Iterator[str]:
    wording = Wording()
    for record in told.log:
        saying = say_decision(record.event)
        if saying is not None:
            hours, rest = divmod(int(record.at), 3600)
            yield f"{hours}:{rest // 60:02d}  {wording.say(saying, language)}"
    yield say(
        language,
        "simulated.summary",
        entries=len(told.state.entries),
        hands=told.hands,
        minutes=round(told.minutes),
        moves=told.moves,
    )
    amounts = {payout.entry: payout.amount for payout in paid}
    for place in told.places:
        prize = amounts.get(place.entry, 0)
        yield f"{place.place:>4}. {place.entry}" + (f"  {prize / 100:.2f} €" if prize else "")
    for violation in told.violations:
        yield say(language, "simulated.violation", what=violation)
