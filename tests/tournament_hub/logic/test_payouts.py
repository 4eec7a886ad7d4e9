"""Lots, and money where it is written: the sum is exact, equal places get equal shares, and off means no word of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller import messages as m
from table_controller.messages.tournament import Payouts as PayoutsMessage
from table_controller.rulebook_files import available, load_book
from tests.tournament_hub.money_words import MONEY
from tournament_hub.logic import payouts as money
from tournament_hub.logic.payouts import Lot, MoneyIsOff, Payout, Price
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.ranking import Bust, Place, added, decided, places


def preset(name: str, *, on: bool = True) -> Preset:
    return msgspec.structs.replace(preset_of(load_book(name)), money="on" if on else "off")


STARS = preset("stars")


def by_entry(paid: tuple[Payout, ...]) -> dict[str, int]:
    return {payout.entry: payout.amount for payout in paid}


def test_stars_ranking_places_five_and_six_share_their_prizes() -> None:
    """Six are left, two go out with equal stacks: (5th + 6th) / 2 each."""
    entries = [f"e{number}" for number in range(1, 7)]
    groups = added((), "g1", [Bust("e5", "t1", 700), Bust("e6", "t1", 700)])
    table = money.prizes(100_000, (30, 25, 18, 12, 9, 6))
    paid = money.payouts(STARS, 100_000, table, places(entries, groups, STARS))
    assert paid == (Payout("e5", 5, 7500), Payout("e6", 5, 7500))


def test_ropta_equal_for_good_is_paid_alike() -> None:
    found = (Place("e1", 1, 1), Place("e2", 2, 3), Place("e3", 2, 3))
    assert by_entry(money.payouts(preset("ropta"), 100, (50, 30, 20), found)) == {
        "e1": 50,
        "e2": 25,
        "e3": 25,
    }


def test_ppc_8_5_nobody_is_paid_before_the_heads_up() -> None:
    ppc = preset("ppc2011")
    groups = added((), "g1", [Bust("e1", "t1", 5), Bust("e2", "t1", 5)])
    assert money.payouts(ppc, 100, (60, 40), places(["e1", "e2"], groups, ppc)) == ()
    groups = decided(groups, "g1", ["e2", "e1"])
    assert by_entry(money.payouts(ppc, 100, (60, 40), places(["e1", "e2"], groups, ppc))) == {
        "e2": 60,
        "e1": 40,
    }


def test_483_01_is_never_paid_of_483_00() -> None:
    """Seven entries at 69.00; thirds and ties: every cent goes out once."""
    pool = money.takings(STARS, [(Price(prize=6900, fee=500), 7)]).pool
    assert pool == 48_300
    for weights in ((1, 1, 1), (50, 30, 20), (3, 2, 2), money.shares_for(4)):
        table = money.prizes(pool, weights)
        assert sum(table) == pool
        found = (Place("a", 1, 3), Place("b", 1, 3), Place("c", 1, 3), Place("d", 4, 4))
        amounts = by_entry(money.payouts(STARS, pool, table, found))
        assert sum(amounts.values()) == pool
        assert max(amounts[e] for e in "abc") - min(amounts[e] for e in "abc") <= 1


def test_a_table_that_is_not_the_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="prizes are 48301, the pool is 48300"):
        money.payouts(STARS, 48_300, (48_301,), ())


def test_prizes_in_whole_euros_leave_the_rest_to_the_first() -> None:
    assert money.prizes(48_350, (50, 30, 20), unit=100) == (24_250, 14_500, 9_600)


@pytest.mark.parametrize("weights", [(), (0,), (20, 30), (50, -1)])
def test_weights_that_share_nothing_or_rise_are_refused(weights: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="weigh"):
        money.prizes(100, weights)


def test_what_was_paid_is_pool_fees_and_bounties() -> None:
    found = money.takings(STARS, [(Price(4000, 500, 1000), 10), (Price(4000, 0, 1000), 3)])
    assert found == money.Takings(pool=52_000, fees=5_000, bounties=13_000)
    with pytest.raises(ValueError, match="negative"):
        money.takings(STARS, [(Price(-1), 1)])


def test_a_bounty_is_shared_by_those_who_won_his_chips() -> None:
    won = money.bounties(STARS, 1001, [("e1", ["e2"]), ("e3", ["e2", "e4"])])
    assert won == {"e2": 1001 + 501, "e4": 500}
    with pytest.raises(ValueError, match="nobody"):
        money.bounties(STARS, 1, [("e1", [])])


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 10**9),
    st.lists(st.integers(1, 10**4), min_size=1, max_size=30),
    st.integers(1, 500),
    st.randoms(use_true_random=False),
)
def test_the_sum_of_prizes_is_the_pool_always(
    pool: int, weights: list[int], unit: int, random: object
) -> None:
    table = money.prizes(pool, sorted(weights, reverse=True), unit)
    assert sum(table) == pool and min(table) >= 0
    assert list(table[1:]) == sorted(table[1:], reverse=True) and table[0] >= max(table)
    found, place = [], 1
    while place <= len(table):
        size = random.randint(1, 4)  # type: ignore[attr-defined]
        found += [Place(f"e{place}-{number}", place, place + size - 1) for number in range(size)]
        place += size
    paid = money.payouts(STARS, pool, table, found)
    assert sum(payout.amount for payout in paid) == pool
    told = money.message(STARS, "EUR", pool, table, paid)
    assert told is not None and sum(row.amount for row in told.rows) == pool
    assert m.decode(m.encode(told), PayoutsMessage) == told


def test_open_places_are_told_with_those_paid_and_add_up_to_the_pool() -> None:
    table = money.prizes(100_00, (50, 30, 20))
    paid = money.payouts(STARS, 100_00, table, [Place("a", 2, 3), Place("b", 2, 3)])
    told = money.message(STARS, "EUR", 100_00, table, paid)
    assert told is not None
    assert [(row.place, row.entry, row.amount) for row in told.rows] == [
        (1, None, 5000),
        (2, "a", 2500),
        (2, "b", 2500),
    ]


def test_a_long_list_goes_in_several_messages() -> None:
    table = money.prizes(10**7, [1] * 200)
    first, second = (money.message(STARS, "EUR", 10**7, table, (), start) for start in (0, 150))
    assert first is not None and second is not None
    assert (len(first.rows), len(second.rows), second.first, second.total) == (150, 50, 150, 200)
    assert sum(row.amount for row in (*first.rows, *second.rows)) == 10**7


# -- lots --------------------------------------------------------------------------------


def test_lots_are_texts_by_place_and_need_no_money() -> None:
    found = [Place("e1", 1, 1), Place("e2", 2, 3), Place("e3", 2, 3), Place("e4", 4, 4)]
    assert money.lots({1: "Coupe", 2: "Panier", 3: "Livre"}, found) == (
        Lot("e1", 1, ("Coupe",)),
        Lot("e2", 2, ("Panier", "Livre")),
        Lot("e3", 2, ("Panier", "Livre")),
    )


def test_no_lot_is_given_before_the_place_is_decided() -> None:
    assert money.lots({5: "Livre"}, [Place("e1", 5, 6, "heads_up")]) == ()


# -- money = off ---------------------------------------------------------------------------

OFF = re.compile(r"^(?:setting\.money|money\.)")
"""Texts that are only said where money is on; and the one that says that it is off."""


@pytest.mark.parametrize("name", available())
def test_off_as_shipped_nothing_of_money_can_be_reckoned(name: str) -> None:
    shipped = preset(name, on=False)
    assert preset_of(load_book(name)).money == "off"
    for call in (
        lambda: money.takings(shipped, [(Price(100), 9)]),
        lambda: money.payouts(shipped, 0, (), ()),
        lambda: money.bounties(shipped, 1, []),
    ):
        with pytest.raises(MoneyIsOff):
            call()
    assert money.message(shipped, "EUR", 100, (100,), ()) is None


def test_no_text_of_the_room_speaks_of_money_outside_the_texts_of_money() -> None:
    """Screens and logs are made of these texts: whatever is filled in, without ``money.`` there is no such word."""
    folder = Path(money.__file__).resolve().parents[1]
    checked = 0
    for file in folder.rglob("*.po"):
        for block in file.read_text(encoding="utf-8").split("\n\n"):
            name = re.search(r'^msgid "(.*)"', block, re.MULTILINE)
            if name is None or not name[1] or OFF.match(name[1]):
                continue
            for text in re.findall(r'^(?:msgstr(?:\[\d\])? )?"(.*)"$', block, re.MULTILINE):
                checked += 1
                assert not MONEY.search(text), f"{file.name}: {name[1]}: {text}"
    assert checked > 200


def test_the_words_of_money_are_found() -> None:
    """The test above can fail."""
    for text in (
        "12 €",
        "le prize pool",
        "une recave",
        "Add-on à la pause",
        "le gain de la 3e place",
        "Bounty",
        "fees",
    ):
        assert MONEY.search(text), text
    for text in ("Ils gagnent le pot", "prise de parole", "primé", "tapis", "rebuild"):
        assert not MONEY.search(text), text
