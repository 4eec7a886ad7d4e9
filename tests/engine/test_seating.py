"""Button and blinds: each dead-button case of the books, newcomers, and a random campaign."""

import pytest

from benchmarks.seating_campaign import campaign
from engine.events import HandStarted, SeatEntry
from engine.seating import (
    Positions,
    SeatingError,
    first_positions,
    hands_to_big_blind,
    next_positions,
    recall,
)

# Six players; seat 2 has the button, 3 the small and 5 the big blind; 6 is under the gun.
SIX = {1, 2, 3, 5, 6, 9}
LAST = first_positions(2, SIX)


def test_the_small_blind_is_left_of_the_button_and_the_big_blind_left_of_that() -> None:
    assert Positions(button=2, small_blind=3, big_blind=5, players=(3, 5, 6, 9, 1, 2)) == LAST


def test_everything_moves_on_by_one_player_when_nobody_is_out() -> None:
    now = next_positions(LAST, SIX)
    assert (now.button, now.small_blind_seat, now.big_blind) == (3, 5, 6)
    assert now.players == (5, 6, 9, 1, 2, 3)


def test_ropta_small_blind_out_the_button_is_dead_and_utg_pays_the_big_blind() -> None:
    now = next_positions(LAST, SIX - {3})
    assert now.dead_button
    assert (now.button, now.small_blind_seat, now.big_blind) == (3, 5, 6)


def test_ropta_big_blind_out_the_old_small_blind_has_the_button_and_there_is_no_small_blind() -> None:
    now = next_positions(LAST, SIX - {5})
    assert not now.dead_button
    assert (now.button, now.small_blind_seat, now.big_blind) == (3, None, 6)


def test_ropta_both_blinds_out_the_button_is_dead_and_utg_pays_the_big_blind_alone() -> None:
    now = next_positions(LAST, SIX - {3, 5})
    assert now.dead_button
    assert (now.button, now.small_blind_seat, now.big_blind) == (3, None, 6)


def test_ropta_big_blind_out_leaves_a_dead_button_one_hand_later() -> None:
    one = next_positions(LAST, SIX - {5})
    two = next_positions(one, SIX - {5})
    assert (two.button, two.dead_button, two.small_blind_seat, two.big_blind) == (5, True, 6, 9)


@pytest.mark.parametrize("out", [{2}, {6}, {9}, {2, 9}])
def test_ropta_others_out_change_nothing_for_the_button(out: set[int]) -> None:
    now = next_positions(LAST, SIX - out)
    assert (now.button, now.small_blind_seat) == (3, 5)
    assert now.big_blind == (9 if 6 in out else 6)


def test_ppc_8_2_the_big_blind_is_never_fictitious_when_who_was_due_is_out() -> None:
    """PPC 8.2: the next player becomes big blind, play is not interrupted."""
    now = next_positions(LAST, SIX - {6})
    assert now.big_blind == 9 and now.big_blind in now.players


def test_ppc_8_1_a_dead_button_may_be_used_and_nobody_escapes_a_blind() -> None:
    now = next_positions(LAST, SIX - {3})
    later = next_positions(now, SIX - {3})
    assert (later.button, later.small_blind_seat, later.big_blind) == (5, 6, 9)


def test_tda_32_over_a_whole_round_everybody_pays_each_blind_once() -> None:
    now, smalls, bigs = LAST, [], []
    for _ in SIX:
        now = next_positions(now, SIX)
        smalls.append(now.small_blind_seat)
        bigs.append(now.big_blind)
    assert sorted(bigs) == sorted(SIX) and sorted(smalls, key=str) == sorted(SIX, key=str)


@pytest.mark.parametrize(
    ("out", "button", "big_blind"),
    [(1, 3, 2), (2, 3, 1), (3, 2, 1)],
    ids=["button out", "small blind out", "big blind out"],
)
def test_tda_34b_going_heads_up_nobody_pays_the_big_blind_twice(
    out: int, button: int, big_blind: int
) -> None:
    """Of 1 (button), 2 (small blind), 3 (big blind) one is out; the small blind has the button."""
    now = next_positions(first_positions(1, {1, 2, 3}), {1, 2, 3} - {out})
    assert now.heads_up
    assert (now.button, now.small_blind_seat, now.big_blind) == (button, button, big_blind)
    assert now.players == (big_blind, button), "cards start with the big blind"


def test_ropta_heads_up_the_button_goes_before_who_paid_the_big_blind_last() -> None:
    now = first_positions(4, {4, 8})
    assert (now.button, now.big_blind) == (4, 8)
    now = next_positions(now, {4, 8})
    assert (now.button, now.small_blind_seat, now.big_blind) == (8, 8, 4)


def test_heads_up_and_a_third_player_sits_down_behind_the_big_blind() -> None:
    """Without the mended order the button would lie before the player who pays the big blind."""
    now = next_positions(Positions(1, 1, 5, players=(5, 1)), {1, 3, 5}, newcomers={3})
    assert (now.button, now.small_blind_seat, now.big_blind, now.waiting) == (3, 5, 1, ())


def test_heads_up_and_a_third_player_sits_down_as_next_big_blind() -> None:
    now = next_positions(Positions(1, 1, 5, players=(5, 1)), {1, 5, 7}, newcomers={7})
    assert (now.button, now.small_blind_seat, now.big_blind) == (1, 5, 7)


def test_tda_8a_a_newcomer_between_button_and_small_blind_waits_one_hand() -> None:
    last = first_positions(2, SIX)  # 3 and 5 pay the blinds
    now = next_positions(last, SIX | {4}, newcomers={4})
    assert (now.button, now.small_blind, now.waiting) == (3, 5, (4,))
    assert 4 not in now.players
    assert next_positions(now, SIX | {4}).waiting == ()


@pytest.mark.parametrize("seat", [4, 7, 8, 10])
def test_tda_10a_a_newcomer_elsewhere_plays_at_once(seat: int) -> None:
    last = next_positions(first_positions(2, SIX), SIX)  # button 3, blinds 5 and 6
    now = next_positions(last, SIX | {seat}, newcomers={seat})
    assert seat in now.players and not now.waiting


def test_a_newcomer_on_the_place_of_the_dead_small_blind_posts_it() -> None:
    now = next_positions(LAST, SIX, newcomers={5})
    assert now.small_blind_seat == 5


@pytest.mark.parametrize(
    ("seat", "hands"),
    [(4, 1), (7, 2), (8, 2), (10, 0)],
    ids=["behind the button", "between the blinds", "at the big blind", "elsewhere"],
)
def test_ppc_9_a_newcomer_waits_until_the_button_has_passed_to_his_left(seat: int, hands: int) -> None:
    """Next hand: button 3, small blind 5, big blind 8 (or 9 where the newcomer is not asked)."""
    settled = {1, 2, 3, 5, 9}
    now = next_positions(
        first_positions(2, settled),
        settled | {seat},
        newcomers={seat},
        entry="between_button_and_big_blind",
    )
    assert now.big_blind == 9, "the newcomer is not asked for a blind"
    waited = 0
    while seat in now.waiting:
        waited += 1
        now = next_positions(now, settled | {seat}, entry="between_button_and_big_blind")
    assert waited == hands
    if hands:
        assert now.players[(now.players.index(seat) + 1) % len(now.players)] == now.button


def test_ppc_9_who_waits_does_not_wait_for_ever_when_the_others_are_out() -> None:
    last = Positions(2, 3, 5, players=(3, 5, 2), waiting=(4,))
    now = next_positions(last, {4, 5}, entry="between_button_and_big_blind")
    assert sorted(now.players) == [4, 5] and not now.waiting


def test_all_but_one_out_the_newcomers_are_dealt_in_although_behind_the_button() -> None:
    last = Positions(1, 3, 7, players=(3, 7, 9, 1))
    now = next_positions(last, {4, 5, 9}, newcomers={4, 5})
    assert now.waiting == () and len(now.players) == 3
    assert (now.button, now.small_blind_seat, now.big_blind) == (5, None, 9)


def test_a_misdeal_keeps_button_and_blinds() -> None:
    assert next_positions(LAST, SIX, misdealt=True) == LAST


def test_reported_fault_the_same_big_blind_again_and_again_while_the_button_sits_out() -> None:
    """Absent players stay in the round: each hand has another big blind."""
    now, payers = LAST, []
    for _ in range(4):
        now = next_positions(now, SIX)
        payers.append(now.big_blind)
    assert payers == [6, 9, 1, 2]


def test_reported_fault_a_big_blind_skipped_or_charged_twice_after_a_bust() -> None:
    now, left, payers = LAST, set(SIX), []
    for out in (3, 9, 5):
        left.discard(out)
        now = next_positions(now, left)
        payers.append(now.big_blind)
    assert payers == [6, 1, 2]


def test_a_button_drawn_for_an_empty_seat_goes_to_the_player_before() -> None:
    assert first_positions(8, SIX).button == 6


@pytest.mark.parametrize("occupied", [set(), {3}, {0, 4}, {4, 11}])
def test_a_table_that_cannot_play_is_refused(occupied: set[int]) -> None:
    with pytest.raises(SeatingError) as raised:
        first_positions(4, occupied)
    assert raised.value.code == "seating" and raised.value.hint
    with pytest.raises(SeatingError):
        next_positions(LAST, occupied)


def _hand(button: int, seats: tuple[int, ...], **blinds: int | None) -> HandStarted:
    entries = tuple(SeatEntry(seat, 1000) for seat in seats)
    return HandStarted(hand=1, button=button, seats=entries, small_blind=5, big_blind=10, **blinds)


def test_positions_are_recalled_from_a_record_that_names_no_blinds() -> None:
    assert recall(_hand(2, tuple(SIX))) == LAST
    assert recall(_hand(4, tuple(SIX))).small_blind == 5, "a dead button stays where it lies"
    assert recall(_hand(4, (4, 8))) == first_positions(4, {4, 8})


@pytest.mark.parametrize("out", [{3}, {5}, {3, 5}, {2}, set()])
def test_the_round_goes_on_the_same_from_the_record_as_from_memory(out: set[int]) -> None:
    now = next_positions(LAST, SIX - out)
    record = _hand(
        now.button, tuple(SIX - out), small_blind_seat=now.small_blind_seat, big_blind_seat=now.big_blind
    )
    after, remembered = next_positions(recall(record), SIX - out), next_positions(now, SIX - out)
    assert after.players == remembered.players
    assert (after.small_blind, after.big_blind) == (remembered.small_blind, remembered.big_blind)
    assert after.dead_button == remembered.dead_button


def test_hands_to_the_big_blind_count_the_players_between() -> None:
    assert [hands_to_big_blind(LAST, seat) for seat in (5, 6, 9, 3)] == [0, 1, 2, 5]
    assert hands_to_big_blind(LAST, 7) == 2, "an open seat counts as if he sat there"


@pytest.mark.parametrize("entry", ["between_button_and_small_blind", "between_button_and_big_blind"])
def test_no_promise_is_broken_in_random_hands_with_busts_and_arrivals(entry) -> None:
    found = campaign(20_000, 7, entry)
    assert found.hands == 20_000
    assert found.violations == []
    assert min(found.dead_buttons, found.dead_small_blinds, found.waits, found.order_mended) > 100


def test_the_campaign_finds_the_textbook_rule_out() -> None:
    """Without the line that mends the order the same campaign must complain."""

    def textbook(last: Positions, occupied: set[int], **others: object) -> Positions:
        now = next_positions(last, occupied, **others)
        if others.get("misdealt") or now.heads_up:
            return now
        return Positions(last.small_blind, now.small_blind, now.big_blind, now.players, now.waiting)

    found = campaign(5_000, 7, "between_button_and_small_blind", textbook)
    assert any("out of seat order" in violation for violation in found.violations)
