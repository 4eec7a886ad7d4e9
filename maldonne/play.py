"""``maldonne play``: recorded hands played again and compared with the record.

``--engine`` takes the short way: the record's events go straight to the engine. Without it the
hand goes through simulated hardware, drivers, controller, MQTT and hub.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine import machine
from engine.events import FloorDecided, HandEnded, PotTaken, TableEvent, Winners
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from engine.wording import say_order, say_phase, say_ruling, spoken_term
from maldonne.errors import InputError
from maldonne.oracle import pokerkit_stacks
from maldonne.outcome import Outcome, compare, recorded_winners
from maldonne.phh import RecordedHand, read_all
from maldonne.recorded import table_events
from maldonne.slips import ARRANGEMENTS, Slip, SlippingDealer, parse_slips
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import load_book

# A hand has at most ten pots of ten winners; more acts after the last card mean that it hangs.
_MOST_ENDING_ACTS: Final = 120
_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("hands", metavar="HAND.phh", nargs="+", help="recorded hands")
    parser.add_argument("--engine", action="store_true", help="through the engine alone, no hardware")
    parser.add_argument("--rulebook", metavar="ID|FILE.toml", default="standard", help="default: standard")
    parser.add_argument(
        "--errors", metavar="SPEC", help="dealer's slips: expose:7, double_burn:flop … or a rate"
    )
    parser.add_argument("--faults", metavar="SPEC", help="device faults: miss=0.05,ghost=0.01,unplug …")
    parser.add_argument(
        "--seed", metavar="N", type=int, default=1, help="draws the unknown cards (default 1)"
    )
    parser.add_argument(
        "--table",
        choices=("chips+cards", "cards", "seven"),
        default="chips+cards",
        help="equipment of the simulated table: chips and cards, cards only, cards at seven of ten seats",
    )
    parser.add_argument("--json", action="store_true", help="one object a hand")


def run(options: argparse.Namespace) -> int:
    """Read every record, then play them; nothing is played when one is bad."""
    hands = [hand for name in options.hands for hand in read_all(Path(name))]
    book = load_book(options.rulebook)
    language = chosen_language()
    if not options.engine:
        return _through_the_wires(hands, book, language, options)
    if options.faults:
        raise InputError(
            "the engine alone has no device to fail", where="--faults", hint="leave out --engine"
        )
    slips = [parse_slips(options.errors, hand, options.seed) if options.errors else () for hand in hands]
    good = 0
    for number, (hand, wrong) in enumerate(zip(hands, slips, strict=True), start=1):
        _progress(number, len(hands))
        if wrong:
            outcome = play_with_slips(hand, book, wrong, language)
        else:
            outcome = play_hand(hand, book, options.seed, language)
        report(outcome, book, language, as_json=options.json)
        good += outcome.ok
    if not options.json and len(hands) > 1:
        print(say(language, "play.total", good=good, all=len(hands)))
    return 0 if good == len(hands) else 1


def _through_the_wires(
    hands: Sequence[RecordedHand], book: Rulebook, language: str, options: argparse.Namespace
) -> int:
    """Play the records on simulated hardware; see `maldonne.play_wires`."""
    from maldonne import play_wires  # the whole stack: only this path pays for it

    if options.errors:
        for hand in hands:
            parse_slips(options.errors, hand, options.seed)
    for hand in hands:
        if "#" in hand.file:
            raise InputError(
                "several hands in one file are for --engine", where=hand.file, hint="add --engine"
            )
    due = [expected_stacks(hand) for hand in hands]
    good = 0
    begin = time.monotonic()
    outcomes = play_wires.play(
        hands,
        book,
        due,
        language,
        seed=options.seed,
        equipment=options.table,
        faults=options.faults or "",
        errors=options.errors or "",
        rulebook=options.rulebook,
    )
    for number, outcome in enumerate(outcomes, start=1):
        _progress(number, len(hands))
        report(outcome, book, language, as_json=options.json)
        good += outcome.ok
    if not options.json and len(hands) > 1:
        print(say(language, "play.total", good=good, all=len(hands)))
        spent = time.monotonic() - begin
        print(say(language, "play.rate", seconds=round(spent, 1), rate=round(len(hands) / spent, 2)))
    return 0 if good == len(hands) else 1


def _progress(number: int, total: int) -> None:
    """Show how far long work has come, to a person only."""
    if total > 1 and sys.stderr.isatty():
        print(f"\r{number}/{total}", end="\n" if number == total else "", file=sys.stderr, flush=True)


def report(outcome: Outcome, book: Rulebook, language: str, *, as_json: bool) -> None:
    """Print one hand's outcome."""
    if as_json:
        print(_encoder.encode(outcome).decode())
        return
    if outcome.ok:
        print(say(language, "play.same", file=outcome.file))
    else:
        print(say(language, "play.other", count=len(outcome.differences), file=outcome.file))
    for difference in outcome.differences:
        print("  " + difference)
    for ruling in outcome.rulings:
        print("  " + say_ruling(ruling, language, sa=spoken_term(book)))


def expected_stacks(hand: RecordedHand) -> tuple[int, ...] | None:
    """Give the stacks that are due: the record's, else the oracle's, else nobody's.

    The oracle has no say where hands reached the showdown that the record neither shows nor
    mucks: it would deal them out as equal.
    """
    if hand.finishing_stacks is not None:
        return hand.finishing_stacks
    folded = {act.player for act in hand.acts if act.kind == "fold"}
    told = {act.player for act in hand.acts if act.kind in ("show", "muck") and None not in act.cards}
    live = set(range(len(hand.seats))) - folded
    if len(live) > 1 and live - told:
        return None
    return pokerkit_stacks(Path(hand.file))


def play_with_slips(hand: RecordedHand, book: Rulebook, slips: Sequence[Slip], language: str) -> Outcome:
    """Play one record with a dealer who slips, through the engine alone, and compare.

    Which faces a slip turns up is luck: of the arrangements of the deck the first is taken in
    which the hand still ends as recorded, for only there can anything be compared.
    """
    outcomes = []
    for arrangement in ARRANGEMENTS:
        played = SlippingDealer(hand, book, slips, arrangement).play()
        outcomes.append(_outcome(hand, played.state, played.rulings, played.wanted, book, language))
        if outcomes[-1].ok:
            return outcomes[-1]
    return min(outcomes, key=lambda outcome: len(outcome.differences))


def play_hand(hand: RecordedHand, book: Rulebook, seed: int, language: str) -> Outcome:
    """Play one record through the engine alone and compare."""
    state = machine.start()
    rulings: list[Ruling] = []
    for event, undone in machine.resolved(table_events(hand, seed)):
        if undone:
            state = msgspec.structs.replace(state, events=state.events + 1)
            continue
        state = _take(state, event, book, rulings)
        for call in state.calls:
            if call.incident == "absent_dealt_in" and call.seat is not None:
                # The record folds his hand: that is what its floor decided.
                decided = FloorDecided(choice="hand_dead", by="record", seats=(call.seat,))
                state = _take(state, decided, book, rulings)
    state, late = end_hand(hand, state, book, rulings)
    return _outcome(hand, state, tuple(rulings), late, book, language)


def _outcome(
    hand: RecordedHand,
    state: HandState,
    rulings: tuple[Ruling, ...],
    late: Sequence[Order],
    book: Rulebook,
    language: str,
) -> Outcome:
    """Compare where the hand ended with the record; ``late`` is what was still to be done."""
    others = []
    if late:
        words = " · ".join(say_order(order, language) for order in late)
        others.append(
            say(language, "difference.unfinished", phase=say_phase(state.phase, language), orders=words)
        )
    found = machine.summary(state, book)
    return compare(hand, found, expected_stacks(hand), language, rulings=rulings, others=others)


def _take(state: HandState, event: TableEvent, book: Rulebook, rulings: list[Ruling]) -> HandState:
    """Take one event, keep its rulings, give the state after it."""
    step = machine.step(state, event, book)
    rulings += step.rulings
    return step.state


def end_hand(
    hand: RecordedHand, state: HandState, book: Rulebook, rulings: list[Ruling]
) -> tuple[HandState, Sequence[Order]]:
    """Let the winners take their pots as the engine orders, and end the hand.

    Where the cards do not tell, the record names the winners.

    Args:
        hand: the record.
        state: after its last event.
        book: the rulebook in force.
        rulings: gets those that are given on the way.

    Returns:
        The state, and what the engine still wanted (nothing when the hand ended as it should).
    """
    named = False
    for _ in range(_MOST_ENDING_ACTS):
        if state.phase == "over":
            return state, ()
        orders = machine.expects(state, book)
        events: list[TableEvent] = []
        if not orders:
            events.append(HandEnded())
        elif orders[0].order == "push_pot" and orders[0].seat is not None:
            events.append(PotTaken(seat=orders[0].seat, amount=orders[0].amount or 0))
        elif state.phase == "showdown" and not named:
            named = True
            winners = recorded_winners(hand, machine.summary(state, book))
            events += [Winners(pot=pot, seats=seats) for pot, seats in sorted(winners.items())]
        if not events:
            return state, orders
        for event in events:
            state = _take(state, event, book, rulings)
    return state, machine.expects(state, book)
