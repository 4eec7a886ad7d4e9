"""Plays button and blinds through random busts and arrivals and counts broken promises.

Run ``python -m benchmarks.seating_campaign [HANDS] [SEED]``; it prints the number of hands and of
violations for both ways of seating newcomers. The checks follow players (entries), not seats,
and share nothing with ``engine.seating`` but its answers.
"""

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from engine.seating import Entry, Positions, first_positions, next_positions

SEATS = 10


@dataclass
class Tally:
    """What a campaign has found."""

    hands: int = 0
    heads_up: int = 0
    dead_buttons: int = 0
    dead_small_blinds: int = 0
    waits: int = 0
    order_mended: int = 0  # hands in which the textbook rule alone would break the seat order
    violations: list[str] = field(default_factory=list)


@dataclass
class Table:
    """One table: who sits where, and what each player has paid."""

    seats: dict[int, int]  # seat -> entry
    came: dict[int, int]  # entry -> hand of his arrival
    paid: dict[int, list[int]] = field(default_factory=dict)  # entry -> hands of his big blinds
    sat_out: dict[int, int] = field(default_factory=dict)  # entry -> hands waited
    played: set[int] = field(default_factory=set)


def _between(start: int, end: int) -> Iterator[int]:
    """The seats strictly between two seats, clockwise."""
    seat = start % SEATS + 1
    while seat != end:
        yield seat
        seat = seat % SEATS + 1


def _check(
    hand: int, table: Table, before: Positions, who: dict[int, int], now: Positions, entry: Entry
) -> list[str]:
    """Compare one move of button and blinds with every promise; ``who`` sat there the hand before."""
    wrong: list[str] = []
    seats = table.seats
    strict = entry == "between_button_and_small_blind"
    if sorted((*now.players, *now.waiting)) != sorted(seats):
        wrong.append("somebody is neither dealt in nor waiting")
    if now.big_blind not in now.players:
        wrong.append("the big blind is fictitious")
    if len(seats) == 2 or (len(now.players) == 2 and not strict):
        if not now.button == now.small_blind != now.big_blind:
            wrong.append("heads-up without the small blind on the button")
    else:
        order = [now.button, *_between(now.button, now.button)]
        places = [order.index(seat) for seat in (now.button, now.small_blind, now.big_blind)]
        if not places[0] < places[1] < places[2]:
            wrong.append("button and blinds out of seat order")
    payer, payer_before = seats.get(now.big_blind), who[before.big_blind]
    if payer == payer_before:
        wrong.append("big blind twice running")
    settled_before = {who[seat] for seat in before.players}
    for seat in _between(before.big_blind, now.big_blind):
        if seats.get(seat) in (settled_before if not strict else set(seats.values())):
            wrong.append("a player was skipped by the big blind")
    alive = set(seats.values())
    if payer_before in alive and seats.get(now.small_blind) != payer_before:
        wrong.append("the old big blind does not pay the small blind")
    old_small = who.get(before.small_blind) if before.small_blind in before.players else None
    if (
        old_small in alive
        and len(now.players) > 2
        and len(before.players) > 2
        and old_small not in (seats.get(now.button), payer)
    ):
        wrong.append("the old small blind has neither button nor big blind")
    if (
        min(len(now.players), len(before.players)) > 2
        and before.button in before.players
        and seats.get(now.button) == who[before.button]
    ):
        wrong.append("the same player has the button twice running")
    passed = [] if before.heads_up or now.heads_up else list(_between(before.button, now.button))
    for seat in now.waiting:
        player = seats[seat]
        if not strict and player == who.get(seat) and seat in passed:
            wrong.append("a newcomer waits although the button has passed him")
        if player in table.played:
            wrong.append("a player who was in already has to wait")
        if table.sat_out.get(player, 0) >= (1 if strict else 5):
            wrong.append("a newcomer waits too long")
        if strict and seat not in _between(now.button, now.small_blind):
            wrong.append("a newcomer waits who is not between button and small blind")
    last = table.paid.get(payer, [None])[-1] if payer is not None else None
    if last is not None:
        for player in alive - {payer}:
            if table.came[player] <= last and player in table.played:
                times = sum(last < paid < hand for paid in table.paid.get(player, ()))
                waited = table.sat_out.get(player, 0)
                if times != 1 and (strict or not waited):
                    wrong.append(f"a player paid {times} big blinds in another's round")
    return wrong


def _mended(before: Positions, now: Positions) -> bool:
    """Whether the textbook's button (the old small blind's place) was not taken."""
    return len(now.players) > 2 and now.button != before.small_blind


def campaign(hands: int, seed: int, entry: Entry, move: Callable[..., Positions] = next_positions) -> Tally:
    """Play ``hands`` hands at tables of every size and check each move that ``move`` makes."""
    luck = random.Random(seed)
    tally = Tally()
    numbers = count(1)
    while tally.hands < hands:
        capacity = luck.randint(2, SEATS)
        places = luck.sample(range(1, SEATS + 1), capacity)
        start = luck.sample(places, luck.randint(2, capacity))
        seats = {seat: next(numbers) for seat in start}
        table = Table(seats, dict.fromkeys(seats.values(), 0))
        bust, arrive = luck.choice([0.02, 0.08, 0.2]), luck.choice([0.02, 0.1, 0.3])
        now = first_positions(luck.choice(places), seats)
        table.paid[seats[now.big_blind]] = [0]
        table.played.update(seats.values())
        for hand in range(1, luck.randint(10, 120)):
            before, who = now, dict(seats)
            if luck.random() < 0.02:
                if move(now, seats, misdealt=True) != now:
                    tally.violations.append("a misdeal moved the button")
                continue
            for seat in list(seats):
                if len(seats) > 1 and luck.random() < bust:
                    del seats[seat]
            new = []
            for seat in places:
                if seat not in seats and (luck.random() < arrive or len(seats) < 2):
                    seats[seat] = next(numbers)
                    table.came[seats[seat]] = hand
                    new.append(seat)
            now = move(before, set(seats), newcomers=new, entry=entry)
            wrong = _check(hand, table, before, who, now, entry)
            tally.violations += [f"{what}: {before} {sorted(seats)} -> {now}" for what in wrong]
            for seat in now.waiting:
                table.sat_out[seats[seat]] = table.sat_out.get(seats[seat], 0) + 1
            table.played.update(seats[seat] for seat in now.players)
            table.paid.setdefault(seats[now.big_blind], []).append(hand)
            tally.hands += 1
            tally.heads_up += now.heads_up
            tally.dead_buttons += now.dead_button
            tally.dead_small_blinds += now.small_blind_seat is None
            tally.waits += len(now.waiting)
            tally.order_mended += _mended(before, now)
            if tally.hands == hands:
                break
    return tally


def main() -> int:
    """Run both campaigns and print what they found; 1 when a promise was broken."""
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    broken = 0
    ways: tuple[Entry, ...] = ("between_button_and_small_blind", "between_button_and_big_blind")
    for entry in ways:
        found = campaign(hands, seed, entry)
        broken += len(found.violations)
        print(
            f"{entry}: {found.hands} hands, {len(found.violations)} violations "
            f"({found.heads_up} heads-up, {found.dead_buttons} dead buttons, "
            f"{found.dead_small_blinds} dead small blinds, {found.waits} hands waited, "
            f"{found.order_mended} times the order was mended)"
        )
        for line in found.violations[:10]:
            print("  " + line)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
