"""Places are derived from groups: ties by preset, hand-for-hand across tables, undo, late entries, no place twice."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.rulebook_files import load_book
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.ranking import Bust, Group, added, decided, places, undecided, without

BOOKS = ("ppc2011", "stars", "ropta", "tda2024", "wsop2026", "standard")
ENTRIES = [f"e{number}" for number in range(1, 7)]


def preset(name: str) -> Preset:
    return preset_of(load_book(name))


PRESETS = {name: preset(name) for name in BOOKS}


def bust(entry: str, stack: int | None, table: str = "t1") -> Bust:
    return Bust(entry, table, stack)


def ranked(groups: tuple[Group, ...], book: str, over: bool = False) -> dict[str, int]:
    return {place.entry: place.place for place in places(ENTRIES, groups, PRESETS[book], over=over)}


def one(*busts: Bust, bubble: bool = False, announced: bool = False) -> tuple[Group, ...]:
    return added((), "g1", busts, bubble=bubble, announced=announced)


def test_whoever_goes_out_first_is_last() -> None:
    groups = added(one(bust("e3", 100)), "g2", [bust("e1", 100)])
    assert ranked(groups, "ropta") == {"e3": 6, "e1": 5}


@pytest.mark.parametrize(
    ("book", "article"), [("ppc2011", "PPC 8.5"), ("stars", "STARS ranking"), ("ropta", "ROPTA elimination")]
)
def test_in_one_hand_the_larger_stack_at_its_start_ranks_higher(book: str, article: str) -> None:
    assert PRESETS[book].article("tie") == article
    assert ranked(one(bust("e1", 100), bust("e2", 900)), book) == {"e2": 5, "e1": 6}


@pytest.mark.parametrize("book", ["stars", "ropta", "standard", "tda2024"])
def test_equal_stacks_share_the_place(book: str) -> None:
    """STARS ranking, ROPTA elimination: equal for good."""
    found = places(ENTRIES, one(bust("e1", 100), bust("e2", 100), bust("e3", 50)), PRESETS[book])
    assert [(p.entry, p.place, p.last, p.open) for p in found] == [
        ("e1", 4, 5, None),
        ("e2", 4, 5, None),
        ("e3", 6, 6, None),
    ]


def test_ppc_8_5_equal_stacks_play_a_heads_up_between_them() -> None:
    groups = one(bust("e1", 100), bust("e2", 100))
    found = places(ENTRIES, groups, PRESETS["ppc2011"])
    assert [(p.place, p.open) for p in found] == [(5, "heads_up")] * 2
    assert undecided(groups, PRESETS["ppc2011"]) == (("g1", ("e1", "e2"), "heads_up"),)
    groups = decided(groups, "g1", ["e2", "e1"])
    assert ranked(groups, "ppc2011") == {"e2": 5, "e1": 6}
    assert undecided(groups, PRESETS["ppc2011"]) == ()


def test_a_heads_up_does_not_overrule_different_stacks() -> None:
    groups = decided(one(bust("e1", 100), bust("e2", 200)), "g1", ["e1", "e2"])
    assert ranked(groups, "ppc2011") == {"e2": 5, "e1": 6}


def test_only_those_of_the_group_can_be_put_in_order() -> None:
    with pytest.raises(ValueError, match="group g1 is e1, e2"):
        decided(one(bust("e1", 1), bust("e2", 1)), "g1", ["e1", "e3"])


# -- hand for hand across tables --------------------------------------------------------

ROUND = (bust("e1", 500, "t1"), bust("e2", 900, "t2"), bust("e3", 100, "t1"))


def test_stars_hfh_one_round_is_ranked_by_stacks_across_tables() -> None:
    assert ranked(one(*ROUND), "stars") == {"e2": 4, "e1": 5, "e3": 6}


def test_wsop_hand_for_hand_tables_tie_and_a_table_goes_by_its_stacks() -> None:
    assert ranked(one(*ROUND), "wsop2026") == {"e1": 4, "e2": 4, "e3": 6}


def test_tda_rp_8_all_who_go_out_in_the_round_share() -> None:
    assert ranked(one(*ROUND), "tda2024") == {"e1": 4, "e2": 4, "e3": 4}


def test_ropta_two_tables_are_equal_outside_the_bubble_and_go_by_stacks_on_it() -> None:
    assert ranked(one(*ROUND[:2]), "ropta") == {"e1": 5, "e2": 5}
    assert ranked(one(*ROUND[:2], bubble=True), "ropta") == {"e2": 5, "e1": 6}


def test_ppc_says_nothing_of_several_tables_and_takes_standard() -> None:
    assert ranked(one(*ROUND), "ppc2011") == {"e2": 4, "e1": 5, "e3": 6}


@pytest.mark.parametrize("book", BOOKS)
def test_two_of_one_table_in_a_round_go_by_their_stacks(book: str) -> None:
    """ROPTA hand-for-hand: two out at the same table are told apart by their stacks before the hand."""
    busts = (bust("e1", 500), bust("e3", 100))
    assert ranked(one(*busts, bubble=True), book) == {"e1": 5, "e3": 6}


def test_tda_rp_8_out_in_the_hand_of_the_announcement_shares_when_it_breaks_the_bubble() -> None:
    busts = (bust("e1", 500), bust("e3", 100))
    assert ranked(one(*busts, bubble=True, announced=True), "tda2024") == {"e1": 5, "e3": 5}
    assert ranked(one(*busts, bubble=True, announced=True), "stars") == {"e1": 5, "e3": 6}


def test_a_stack_that_was_never_recorded_is_not_zero() -> None:
    groups = one(bust("e1", None), bust("e2", 100))
    assert undecided(groups, PRESETS["stars"]) == (("g1", ("e1", "e2"), "stack_unknown"),)
    assert ranked(decided(groups, "g1", ["e1", "e2"]), "stars") == {"e1": 5, "e2": 6}
    assert places(ENTRIES, one(bust("e1", None)), PRESETS["stars"])[0].open is None


# -- what must never happen ---------------------------------------------------------------


def test_a_bust_told_again_counts_once() -> None:
    groups = one(bust("e1", 100))
    assert added(groups, "g1", [bust("e1", 100)]) == groups
    assert added(groups, "g2", [bust("e1", 300)]) == groups
    assert added(groups, "g1", [bust("e2", 50), bust("e2", 50)])[0].busts[1:] == (bust("e2", 50),)


def test_late_entries_move_every_place_and_none_is_given_twice() -> None:
    """206 duplicate places after late entries, elsewhere."""
    groups: tuple[Group, ...] = ()
    entries = ENTRIES[:4]
    for number, entry in enumerate(ENTRIES[:3]):
        groups = added(groups, f"g{number}", [bust(entry, 10)])
        entries = [*entries, f"late{number}a", f"late{number}b"]
        given = [place.place for place in places(entries, groups, PRESETS["ropta"])]
        assert given == sorted(set(given)) and given[-1] == len(entries)


def test_the_last_one_is_first_only_when_it_is_over() -> None:
    groups = one(*[bust(entry, 10 + number) for number, entry in enumerate(ENTRIES[1:])])
    assert "e1" not in ranked(groups, "ropta")
    assert ranked(groups, "ropta", over=True)["e1"] == 1
    ended = ranked(without(groups, "e2"), "ropta", over=True)  # a director has ended it: those left share
    assert ended == {"e1": 1, "e2": 1, "e6": 3, "e5": 4, "e4": 5, "e3": 6}


def test_an_undone_bust_gives_back_every_place_after_it() -> None:
    groups = added(added(one(bust("e1", 5)), "g2", [bust("e2", 5), bust("e3", 5)]), "g3", [bust("e4", 5)])
    assert ranked(groups, "stars") == {"e4": 3, "e2": 4, "e3": 4, "e1": 6}
    assert ranked(without(groups, "e1"), "stars") == {"e4": 4, "e2": 5, "e3": 5}
    assert ranked(without(groups, "e2"), "stars") == {"e4": 4, "e3": 5, "e1": 6}
    assert without(without(groups, "e2"), "e3") == (groups[0], groups[2])


def test_a_stranger_or_a_double_is_refused() -> None:
    with pytest.raises(ValueError, match="never entered"):
        places(["e1"], one(bust("e2", 5)), PRESETS["ropta"])
    with pytest.raises(ValueError, match="twice"):
        places(ENTRIES, (*one(bust("e2", 5)), *one(bust("e2", 5))), PRESETS["ropta"])


BUSTS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["t1", "t2", "t3"]), st.one_of(st.none(), st.integers(1, 3))
    ),
    max_size=14,
)


@settings(max_examples=200, deadline=None)
@given(BUSTS, st.sampled_from(BOOKS), st.booleans(), st.booleans(), st.integers(0, 5))
def test_places_fill_the_ranks_without_gap_or_double(
    outs: list[tuple[int, str, int | None]], book: str, bubble: bool, announced: bool, late: int
) -> None:
    groups: tuple[Group, ...] = ()
    for number, (key, table, stack) in enumerate(outs):
        groups = added(
            groups, f"g{key}", [Bust(f"p{number}", table, stack)], bubble=bubble, announced=announced
        )
    entries = [*(f"p{number}" for number in range(len(outs) + late)), "winner"]
    found = places(entries, groups, PRESETS[book])
    filled = sorted(
        rank for place, last in {(p.place, p.last) for p in found} for rank in range(place, last + 1)
    )
    assert filled == list(range(len(entries) - len(outs) + 1, len(entries) + 1))
    for (place, last), tied in itertools.groupby(found, key=lambda p: (p.place, p.last)):
        assert len(list(tied)) == last - place + 1
    # Undone in any order and played again in the same order it is the same.
    names = [f"p{number}" for number in range(len(outs))]
    random.Random(late).shuffle(names)
    rest = groups
    for name in names:
        rest = without(rest, name)
    assert rest == ()
