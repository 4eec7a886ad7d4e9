"""The engine against PokerKit on the same recorded hands, in one run on one machine.

Both sides get prepared input: PokerKit its parsed hand histories, the engine its table events
(which are more: every card that is dealt or burned is one event). Also the cost of one
``step`` with ``expects``.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from engine import machine
from engine.events import HandEnded, PotTaken, TableEvent
from maldonne import phh, recorded
from table_controller import rulebook_files

ROUNDS = 7
SECONDS = 1.0


def rate(work: Callable[[], None], hands: int) -> float:
    """Hands per second over about a second."""
    done = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < SECONDS:
        work()
        done += hands
    return done / spent


def prepared(files: list[Path]) -> list[list[TableEvent]]:
    """Every hand as the events that a table would have sent, to the last pot taken."""
    book = rulebook_files.load_book("standard")
    hands = []
    for file in files:
        hand = phh.read(file)
        events = list(recorded.table_events(hand, 1))
        state = machine.replay(events, book).state
        while state.phase != "over":
            orders = [order for order in machine.expects(state, book) if order.order == "push_pot"]
            if orders and orders[0].seat is not None:
                event: TableEvent = PotTaken(seat=orders[0].seat, amount=orders[0].amount or 0)
            else:
                event = HandEnded()
            events.append(event)
            state = machine.step(state, event, book).state
        hands.append(events)
    return hands


def main(folder: Path) -> None:
    """Print the figures."""
    from pokerkit import HandHistory  # an optional peer

    warnings.simplefilter("ignore")
    files = sorted(folder.glob("*.phh"))
    book = rulebook_files.load_book("ropta")
    events = prepared(files)
    histories = [HandHistory.loads(file.read_text()) for file in files]

    def ours() -> None:
        for hand in events:
            machine.replay(hand, book)

    def theirs() -> None:
        for history in histories:
            for _ in history:
                pass

    ratios, engine_rates, peer_rates = [], [], []
    for _ in range(ROUNDS):
        a, b = rate(ours, len(events)), rate(theirs, len(histories))
        engine_rates.append(a)
        peer_rates.append(b)
        ratios.append(a / b)
    costs = []
    for hand in events:
        state = machine.start()
        for event in hand:
            begin = time.perf_counter()
            state = machine.step(state, event, book).state
            machine.expects(state, book)
            costs.append((time.perf_counter() - begin) * 1e6)
    costs.sort()
    count = sum(map(len, events))
    print(f"hands {len(files)}, events {count}, rounds {ROUNDS}")
    print(f"engine   {statistics.median(engine_rates):8.0f} hands/s (replay of prepared events)")
    print(f"PokerKit {statistics.median(peer_rates):8.0f} hands/s (replay of parsed histories)")
    print(f"ratio    {statistics.median(ratios):8.1f}  (lowest {min(ratios):.1f}; bar 3, aim 5)")
    print(
        f"step + expects, one event: median {statistics.median(costs):.1f} µs, "
        f"p99 {costs[int(len(costs) * 0.99)]:.1f} µs, worst {costs[-1]:.0f} µs (bar 50)"
    )
