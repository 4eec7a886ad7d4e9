"""Penalties by preset: what a book proposes, how many hands, how they count down."""

from __future__ import annotations

import msgspec
import pytest

from table_controller.rulebook_files import load_book
from tournament_hub.logic import penalties as p
from tournament_hub.logic.penalties import Fault, Proposed, proposed
from tournament_hub.logic.presets import Preset, preset_of


def preset(name: str, degree: str | None = None) -> Preset:
    found = preset_of(load_book(name))
    return msgspec.structs.replace(found, penalty_degree=degree) if degree else found


ROPTA, PPC, TDA = preset("ropta"), preset("ppc2011"), preset("tda2024")
WARNED = Fault("bets_to_the_middle", "warning")


def test_ppc_12_2_a_penalty_follows_two_warnings_whatever_they_were_for() -> None:
    before: list[Fault] = []
    for _ in range(2):
        found = proposed(PPC, "hand_exposed", before)
        assert found == Proposed("warning", "PPC 11.4", "PPC 12.2")
        before.append(Fault("bets_to_the_middle", "warning"))
    assert proposed(PPC, "hand_exposed", before) == Proposed("orbits", "PPC 11.4", "PPC 12.2", (1, 4))


def test_ppc_12_2_cheating_is_disqualification_at_once() -> None:
    assert proposed(PPC, "cheating", []).kind == "disqualification"


def test_ropta_degrees() -> None:
    """Light: warnings and explanations. Normal: a warning, then a penalty in proportion. Heavy: no warning."""
    light, heavy = preset("ropta", "light"), preset("ropta", "heavy")
    assert proposed(ROPTA, "open_muck", []).kind == "warning"
    assert proposed(ROPTA, "open_muck", [WARNED]) == Proposed("hands", "ROPTA 9.22", "ROPTA penalties")
    assert proposed(light, "open_muck", [WARNED] * 5).kind == "warning"
    assert proposed(heavy, "open_muck", []).kind == "hands"


def test_ropta_penalties_go_from_short_to_long_and_longer() -> None:
    before = [WARNED, Fault("open_muck", "hands")]
    assert proposed(ROPTA, "open_muck", before).orbits == (2, 4)
    before += [Fault("open_muck", "orbits")] * 5
    assert proposed(ROPTA, "open_muck", before).orbits == (4, 4)


def test_ropta_shown_to_a_player_in_the_hand_is_a_heavier_penalty() -> None:
    assert proposed(ROPTA, "shown_to_player_in_hand", [WARNED]).kind == "orbits"
    assert proposed(ROPTA, "hand_exposed", [WARNED]).kind == "hands"


@pytest.mark.parametrize("offence", ["collusion", "chip_dumping", "identity_or_age"])
def test_ropta_collusion_is_disqualification_in_every_degree(offence: str) -> None:
    for degree in ("light", "normal", "heavy"):
        assert proposed(preset("ropta", degree), offence, []).kind == "disqualification"


def test_tda_33_dodging_blinds_is_named() -> None:
    assert proposed(TDA, "dodging_blinds", [WARNED]).article == "TDA 33"


def test_what_the_book_does_not_name_is_the_directors() -> None:
    with pytest.raises(KeyError):
        proposed(PPC, "sneezing", [])


def test_ropta_penalties_missed_hands_are_players_at_the_table_times_orbits() -> None:
    assert p.missed_hands(ROPTA, 9, 2) == 18
    with pytest.raises(ValueError, match=r"5 orbits; 1 to 4 \(ROPTA penalties\)"):
        p.missed_hands(ROPTA, 9, 5)


def test_ropta_penalties_a_short_one_is_less_than_an_orbit() -> None:
    assert p.short_hands(ROPTA, 9, 8) == 8
    with pytest.raises(ValueError, match="fewer than an orbit of 9"):
        p.short_hands(ROPTA, 9, 9)
    with pytest.raises(ValueError, match=r"no short penalty \(PPC 12.2\)"):
        p.short_hands(PPC, 9, 3)


def test_each_hand_at_whichever_table_counts_down_to_none() -> None:
    left = p.missed_hands(ROPTA, 3, 1)
    seen = []
    for _ in range(5):
        left = p.left_after_hand(ROPTA, left)
        seen.append(left)
    assert seen == [2, 1, 0, 0, 0]


def test_tda_35_c_a_misdeal_and_its_redeal_are_one_hand() -> None:
    assert p.left_after_hand(TDA, 5, void=True) == 5
    assert p.left_after_hand(TDA, 5) == 4
    every = msgspec.structs.replace(TDA, penalty_redeal="every_deal")
    assert p.left_after_hand(every, 5, void=True) == 4


def test_ppc_3_4_blinds_go_on_for_thirty_minutes() -> None:
    assert not p.absence_over(PPC, 100.0, 100.0 + 29 * 60)
    assert p.absence_over(PPC, 100.0, 100.0 + 30 * 60)


def test_stars_absent_players_stay_in_for_ever() -> None:
    assert not p.absence_over(preset("stars"), 0.0, 1e9)
