"""Each book's tournament part: what `rules.md` says of it, with its article, and how a slip is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import MalformedRulebook
from table_controller.rulebook_files import available, load_book
from tournament_hub.logic.presets import SETTINGS, Preset, different, different_offences, preset_of

HEAD = 'id = "club"\nname = "Club"\nversion = "1"\ndate = "2026-01-01"\nsource = "test"\n'


def preset(name: str) -> Preset:
    return preset_of(load_book(name))


def club(tmp_path: Path, part: str, extends: str = "ropta") -> str:
    file = tmp_path / "club.toml"
    file.write_text(f'{HEAD}extends = "{extends}"\n{part}', encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("name", available())
def test_every_packaged_book_has_every_setting_with_its_article(name: str) -> None:
    found = preset(name)
    assert list(found.articles.keys() ^ SETTINGS.keys()) == []
    assert all(article.article.strip() for article in found.articles.values())
    assert found.offences and all(offence.article for offence in found.offences.values())


@pytest.mark.parametrize("name", available())
def test_money_is_off_in_every_book_as_shipped(name: str) -> None:
    assert preset(name).money == "off"


CELLS: list[tuple[str, str, Any, str]] = [
    ("ppc2011", "newcomer_waits", "between_button_and_big_blind", "PPC 9"),
    ("ppc2011", "late_levels", 2, "PPC 3.3"),
    ("ppc2011", "late_stack", "less_passed_blinds", "PPC 3.3"),
    ("ppc2011", "declared_leave", "stack_removed", "PPC 3.4"),
    ("ppc2011", "absence_minutes", 30, "PPC 3.4"),
    ("ppc2011", "tie", "heads_up", "PPC 8.5"),
    ("ppc2011", "colour_up", "three_for_one", "PPC 10.3"),
    ("ppc2011", "colour_up_when", "break", "PPC 2.1"),
    ("ppc2011", "raced_out", "ante_chip", "PPC 10.2"),
    ("ppc2011", "ante_short", "eliminated", "PPC 8.4"),
    ("ppc2011", "warnings_before_penalty", 2, "PPC 12.2"),
    ("ppc2011", "penalty_orbits_max", 4, "PPC 12.2"),
    ("stars", "balance_mover", "least_moved", "STARS balance"),
    ("stars", "balance_seat", "same_position", "STARS balance"),
    ("stars", "declared_leave", "blinded_off", "STARS absent"),
    ("stars", "tie", "shared", "STARS ranking"),
    ("stars", "tie_across_tables", "starting_stack", "STARS hfh"),
    ("ropta", "final_table_seats", 9, "ROPTA final table"),
    ("ropta", "final_table_odd", True, "ROPTA final table"),
    ("ropta", "start_players", 3, "ROPTA start"),
    ("ropta", "restart_players", 2, "ROPTA start"),
    ("ropta", "late_levels", 2, "ROPTA late"),
    ("ropta", "late_stack", "blinded_off", "ROPTA late"),
    ("ropta", "late_seat", "soonest_big_blind", "ROPTA late"),
    ("ropta", "halt_short", 3, "ROPTA halt"),
    ("ropta", "halt_short_few_tables", 2, "ROPTA halt"),
    ("ropta", "break_order", "posted", "ROPTA closing order"),
    ("ropta", "hand_for_hand_near", "bubble_or_final_table", "ROPTA hand-for-hand"),
    ("ropta", "hand_for_hand_minutes_off", 2, "ROPTA hand-for-hand"),
    ("ropta", "hand_for_hand_all_in", "face_down", "ROPTA hand-for-hand"),
    ("ropta", "tie", "shared", "ROPTA elimination"),
    ("ropta", "tie_across_tables", "tie_outside_bubble", "ROPTA elimination"),
    ("ropta", "colour_up", "race_cards", "ROPTA colour-up"),
    ("ropta", "hand_begins", "pot_awarded", "ROPTA levels"),
    ("ropta", "ante_dead_button", "none", "ROPTA antes"),
    ("ropta", "ante_heads_up", True, "ROPTA antes"),
    ("ropta", "short_penalty", True, "ROPTA penalties"),
    ("ropta", "penalty_degree", "normal", "ROPTA degrees"),
    ("ropta", "same_decks", True, "ROPTA two decks"),
    ("tda2024", "newcomer_waits", "between_button_and_small_blind", "TDA 8-A"),
    ("tda2024", "balance_mover", "next_big_blind", "TDA 11-A"),
    ("tda2024", "halt_short", 3, "TDA 11-D"),
    ("tda2024", "bubble_share_on_announce", True, "TDA RP-8"),
    ("tda2024", "tie_across_tables", "all_share", "TDA RP-8"),
    ("tda2024", "raced_out", "never", "TDA 24"),
    ("tda2024", "hand_begins", "first_riffle", "TDA 23"),
    ("tda2024", "penalty_redeal", "one_hand", "TDA 35-C"),
    ("wsop2026", "tolerance_many_tables", 2, "WSOP balance"),
    ("wsop2026", "many_tables_above", 12, "WSOP balance"),
    ("wsop2026", "tolerance", 1, "WSOP balance"),
    ("wsop2026", "tie_across_tables", "tie", "WSOP hand-for-hand"),
]


@pytest.mark.parametrize(("name", "setting", "value", "article"), CELLS)
def test_cell(name: str, setting: str, value: Any, article: str) -> None:
    found = preset(name)
    assert (getattr(found, setting), found.article(setting)) == (value, article)
    assert found.articles[setting].own


def test_what_a_book_lacks_comes_from_standard_and_says_so() -> None:
    found = preset("ppc2011")
    assert found.tie_across_tables == "starting_stack"
    assert not found.articles["tie_across_tables"].own
    assert found.article("tie_across_tables") == "STARS hfh"


def test_wsop_is_a_tournament_part_alone() -> None:
    book = load_book("wsop2026")
    assert not [row for rows in book.rows.values() for row in rows if row.rulebook == book.id]
    assert book.terms == load_book("standard").terms


def test_a_club_overrides_single_settings_and_adds_a_reason(tmp_path: Path) -> None:
    part = """
[tournament]
tie = { is = "heads_up", article = "QN 30" }
absence_minutes = { is = 20, article = "QN 31", official = "7.2" }
offence_late = { is = "warning", article = "QN 32" }
"""
    found = preset(club(tmp_path, part))
    assert (found.tie, found.absence_minutes, found.tie_across_tables) == (
        "heads_up",
        20,
        "tie_outside_bubble",
    )
    assert found.articles["absence_minutes"].official == "7.2"
    assert different(found, preset("ropta")) == ["absence_minutes", "tie"]
    assert different_offences(found, preset("ropta")) == ["late"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('ties = { is = "shared", article = "X" }', "no such tournament setting: ties (did you mean tie?)"),
        (
            'tie = { is = "share", article = "X" }',
            "tie is 'share', not one of shared, heads_up (did you mean shared?)",
        ),
        ("tie = { is = 3, article = 'X' }", "tie is 3, not one of shared, heads_up"),
        ('halt_short = { is = 1, article = "X" }', "halt_short is 1: Expected `int` >= 2"),
        ('final_table_odd = { is = "yes", article = "X" }', "final_table_odd is 'yes': Expected `bool`"),
        ('tie = { is = "shared" }', "tie: Object missing required field `article`"),
        ('tie = { is = "shared", article = "" }', "tie: Expected `str` of length >= 1"),
        ('tie = "shared"', "tie: Expected `object`, got `str`"),
        ('offence_late = { is = "shame", article = "X" }', "offence_late is 'shame', not one of warning"),
    ],
)
def test_a_slip_is_answered_in_one_line_with_its_line_number(tmp_path: Path, line: str, told: str) -> None:
    file = club(tmp_path, f"\n[tournament]\nlate_levels = {{ is = 3, article = 'X' }}\n{line}\n")
    with pytest.raises(MalformedRulebook) as error:
        preset_of(load_book(file), file)
    assert str(error.value).startswith(f"{file}:10: {told}")
    assert "\n" not in str(error.value)


def test_a_slip_in_an_extended_file_does_not_name_a_line_of_this_one(tmp_path: Path) -> None:
    league = tmp_path / "league.toml"
    league.write_text(
        f'{HEAD.replace("club", "league")}extends = "ropta"\n[tournament]\ntie = {{ is = "x", article = "L" }}\n',
        encoding="utf-8",
    )
    with pytest.raises(MalformedRulebook, match="extended book"):
        preset(club(tmp_path, "", "league.toml"))


def test_orbits_stand_the_right_way_round(tmp_path: Path) -> None:
    file = club(tmp_path, "\n[tournament]\npenalty_orbits_min = { is = 5, article = 'X' }\n")
    with pytest.raises(MalformedRulebook, match=r":9: penalty_orbits_min is above"):
        preset_of(load_book(file), file)
