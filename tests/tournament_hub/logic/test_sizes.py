"""Sizes of all tables at once are those of each by itself, whatever moves are under way."""

from __future__ import annotations

import dataclasses

import pytest

from maldonne.tournament_play import Play, rough
from table_controller.rulebook_files import load_book
from tournament_hub.logic import machine
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.state import size, sizes


@pytest.mark.parametrize("name", ["ropta", "stars"])
def test_sizes_are_the_sizes_of_each_table(name: str) -> None:
    preset = preset_of(load_book(name))
    play = Play(dataclasses.replace(rough(40, 5), capacity=6), preset, name)
    state = play.state
    moved = 0
    for record in play.run().log:
        state = machine.apply(state, record.event, preset, record.at)
        assert sizes(state) == {table.id: size(state, table) for table in state.tables.values()}
        moved += len(state.moves)
    assert moved
