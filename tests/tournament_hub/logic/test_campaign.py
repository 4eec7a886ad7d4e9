"""Whole random tournaments by every preset: no entry in two places, no chip lost, no table ahead, no deadlock."""

from __future__ import annotations

import dataclasses
import os

import msgspec
import pytest

from maldonne.tournament_play import Play, Told, rough
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, payouts
from tournament_hub.logic.presets import preset_of

BOOKS = ("standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026")
CAMPAIGN = int(os.environ.get("MALDONNE_TOURNAMENTS", "1000"))


def played(seed: int, entries: int) -> Told:
    """One tournament with everything that goes wrong, checked."""
    name = BOOKS[seed % len(BOOKS)]
    preset = msgspec.structs.replace(preset_of(load_book(name)), money="on")
    capacity = (6, 8, 9, 10)[seed // len(BOOKS) % 4]
    wishes = dataclasses.replace(rough(entries, seed), capacity=capacity)
    play = Play(wishes, preset, name)
    began = play.state.settings
    told = play.run()
    assert told.violations == []
    count = len(told.state.entries)
    filled = sorted(n for p, last in {(p.place, p.last) for p in told.places} for n in range(p, last + 1))
    assert filled == list(range(1, count + 1)) and len({p.entry for p in told.places}) == count
    pool = 5001 * count
    paid = payouts.payouts(preset, pool, payouts.prizes(pool, payouts.shares_for(wishes.paid)), told.places)
    assert sum(payout.amount for payout in paid) == pool
    log = msgspec.json.decode(msgspec.json.encode(told.log), type=list[ev.Record])
    assert machine.replay(began, log, preset) == told.state
    return told


@pytest.mark.parametrize("seed", range(24))
def test_random_tournament(seed: int) -> None:
    told = played(seed, 10 + seed * 37 % 50)
    assert told.hands > len(told.state.entries)


def test_random_tournaments_meet_everything_that_they_are_for() -> None:
    kinds = {type(record.event).__name__ for seed in range(30, 42) for record in played(seed, 40).log}
    assert kinds >= {
        "LateEntered", "Presence", "TableBreaking", "MoveSettled", "Heard", "Returned", "Busted", "BigBlindTold",
        "HandForHandAnnounced", "RoundReleased", "RunoutReleased", "HandForHandEnded", "Redrawn", "Held",
    }  # fmt: skip


@pytest.mark.faults
@pytest.mark.timeout(7200)
def test_campaign_of_random_tournaments() -> None:
    for seed in range(1000, 1000 + CAMPAIGN):
        played(seed, 10 + seed * 7919 % (491 if seed % 10 == 0 else 90))
