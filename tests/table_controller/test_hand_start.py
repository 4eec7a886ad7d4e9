"""How a hand starts: composed of document, last hand and the way of the table, or a reason why not."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine import events as ev
from engine.seating import Positions
from engine.state import HandState, Seat
from table_controller import messages as m
from table_controller.hand_start import REASONS, LastHand, NotNow, Started, Way, compose, leave
from tests.table_controller.rig import STACK, Rig

LEVEL = m.Level(n=2, small_blind=50, big_blind=100, ante=m.Ante(kind="big_blind", amount=100))
AMOUNTS = Way("amounts", "declared", 1)


def desired(*seats: int, stack: int | None = 10000, **more: Any) -> m.Desired:
    people = more.pop("people", {})
    fields: dict[str, Any] = {
        "epoch": 3,
        "rev": 7,
        "tournament": "open",
        "rulebook": "standard",
        "level": LEVEL,
        "limit": "no_limit",
        "smallest_chip": 25,
        "seats": tuple(
            m.DesiredSeat(**{"seat": n, "entry": f"e{n}", "stack": stack, **people.get(n, {})}) for n in seats
        ),
    }
    return m.Desired(**{**fields, **more})


FIRST = LastHand()


def composed(document: m.Desired, last: LastHand = FIRST, way: Way = AMOUNTS, **more: Any) -> Started:
    made = compose(document, last, way, **more)
    assert isinstance(made, Started)
    return made


def after(made: Started, **more: Any) -> LastHand:
    """What a hand leaves that changed no stack."""
    stacks = {seat.entry: seat.stack for seat in made.event.seats if seat.entry is not None}
    fields: dict[str, Any] = {
        "hand": made.event.hand,
        "positions": made.positions,
        "stacks": stacks,
        "gate_used": made.gate,
        "started": made.event,
    }
    return LastHand(**{**fields, **more})


# -- what a hand is made of --------------------------------------------------------------------------------


def test_a_first_hand_has_level_seats_and_the_button_of_the_file() -> None:
    event = composed(desired(1, 2, 4, 7)).event
    assert (event.hand, event.button, event.small_blind_seat, event.big_blind_seat) == (1, 1, 2, 4)
    assert (event.small_blind, event.big_blind) == (50, 100)
    assert event.ante == ev.Ante("big_blind", 100)
    assert [(s.seat, s.stack, s.entry) for s in event.seats] == [(n, 10000, f"e{n}") for n in (1, 2, 4, 7)]
    assert (event.smallest_chip, event.limit, event.rulebook) == (25, "no_limit", "standard")
    assert event.dealer_seat is None


def test_without_a_word_on_it_the_last_seat_has_the_first_button() -> None:
    assert composed(desired(2, 5, 9), way=Way("amounts", "declared")).event.button == 9


def test_the_button_goes_round_by_the_engines_seating() -> None:
    last, buttons = LastHand(), []
    for _ in range(5):
        made = composed(desired(1, 2, 4, 7), last)
        buttons.append((made.event.button, made.event.small_blind_seat, made.event.big_blind_seat))
        last = after(made)
    assert buttons == [(1, 2, 4), (2, 4, 7), (4, 7, 1), (7, 1, 2), (1, 2, 4)]
    assert last.hand == 5


def test_heads_up_the_small_blind_has_the_button() -> None:
    event = composed(desired(3, 8), way=Way("amounts", "declared", 3)).event
    assert (event.button, event.small_blind_seat, event.big_blind_seat) == (3, 3, 8)


def test_a_seat_that_empties_leaves_a_dead_blind_or_button() -> None:
    first = composed(desired(1, 2, 4, 7))
    # the big blind (4) is out: he would have had the small blind
    second = composed(desired(1, 2, 7), after(first))
    assert (second.event.small_blind_seat, second.event.big_blind_seat) == (None, 7)
    third = composed(desired(1, 2, 7), after(second))
    assert third.event.big_blind_seat == 1
    assert third.event.button == 4  # nobody sits there: a dead button


def test_the_hubs_button_wins_over_the_tables_own() -> None:
    given = m.Buttons(button=4, small_blind_seat=7, big_blind_seat=1)
    made = composed(desired(1, 2, 4, 7, button=given), after(composed(desired(1, 2, 4, 7))))
    assert (made.event.button, made.event.small_blind_seat, made.event.big_blind_seat) == (4, 7, 1)
    assert made.positions.players == (7, 1, 2, 4)


def test_the_hubs_dead_small_blind_is_dead() -> None:
    given = m.Buttons(button=4, small_blind_seat=None, big_blind_seat=1)
    event = composed(desired(1, 2, 4, button=given)).event
    assert event.small_blind_seat is None and event.big_blind_seat == 1


def test_stacks_are_the_tables_own_and_the_hubs_only_for_who_is_new() -> None:
    first = composed(desired(1, 2, 4))
    last = after(first, stacks={"e1": 4000, "e2": 16000, "e4": 10000})
    event = composed(desired(1, 2, 4, 7, stack=777), last).event
    stacks = {seat.entry: seat.stack for seat in event.seats}
    assert stacks == {"e1": 4000, "e2": 16000, "e4": 10000, "e7": 777}


def test_who_has_no_chips_is_not_dealt_in() -> None:
    last = after(composed(desired(1, 2, 4)), stacks={"e1": 0, "e2": 20000, "e4": 10000})
    event = composed(desired(1, 2, 4), last).event
    assert [seat.seat for seat in event.seats] == [2, 4]


@pytest.mark.parametrize("betting", ["words", "rounds"])
def test_where_betting_is_not_recorded_there_are_no_stacks(betting: Any) -> None:
    event = composed(desired(1, 2, 4, stack=None), way=Way(betting, "declared", 1)).event
    assert event.betting == betting
    assert {seat.stack for seat in event.seats} == {None}


def test_the_absent_and_the_penalised_are_dealt_in_as_absent() -> None:
    people = {2: {"absent": True}, 4: {"penalty": 2}}
    event = composed(desired(1, 2, 4, people=people)).event
    assert {seat.seat: seat.absent for seat in event.seats} == {1: False, 2: True, 4: True}


def test_sensed_chips_are_said_so() -> None:
    assert composed(desired(1, 2), way=Way("amounts", "sensed", 1)).event.chips == "sensed"
    assert composed(desired(1, 2)).event.chips == "declared"


# -- why not -----------------------------------------------------------------------------------------------


def test_a_hold_forbids_with_the_hubs_reasons() -> None:
    assert compose(desired(1, 2, hold=("break", "moves")), LastHand(), AMOUNTS) == NotNow(
        "hold", ("break", "moves")
    )


@pytest.mark.parametrize(
    ("gate", "used", "starts"), [(1, None, True), (1, 1, False), (1, 2, False), (2, 1, True), (None, 5, True)]
)
def test_a_gate_is_for_one_hand(gate: int | None, used: int | None, starts: bool) -> None:
    made = compose(desired(1, 2, gate=gate), LastHand(gate_used=used), AMOUNTS)
    if starts:
        assert isinstance(made, Started) and made.gate == gate
    else:
        assert made == NotNow("gate")


def test_without_a_level_no_hand_starts() -> None:
    assert compose(desired(1, 2, level=None), LastHand(), AMOUNTS) == NotNow("level")


@pytest.mark.parametrize("stacks", [{}, {1: 100}, {1: 100, 2: 0}])
def test_two_players_with_chips_are_needed(stacks: dict[int, int]) -> None:
    people = {n: {"stack": stack} for n, stack in stacks.items()}
    assert compose(desired(*stacks, people=people), LastHand(), AMOUNTS) == NotNow("players")


def test_every_reason_is_a_known_word() -> None:
    documents = (desired(1, 2, hold=("x",)), desired(1, 2, level=None), desired(1))
    found = [compose(document, LastHand(), AMOUNTS) for document in documents]
    assert all(isinstance(made, NotNow) and made.reason in REASONS for made in found)


# -- a deal that does not count ----------------------------------------------------------------------------


def test_a_void_hand_is_dealt_again_as_it_was_even_at_a_new_level() -> None:
    first = composed(desired(1, 2, 4, gate=5))
    last = after(first, void=True)
    higher = replace(LEVEL, n=3, small_blind=100, big_blind=200)
    again = composed(desired(1, 2, 4, gate=5, level=higher), last)
    assert again.event == first.event
    assert (again.level.small_blind, again.level.big_blind) == (50, 100)
    assert again.gate == 5


def test_a_hold_forbids_a_redeal_too() -> None:
    last = after(composed(desired(1, 2, 4)), void=True)
    assert compose(desired(1, 2, 4, hold=("clock",)), last, AMOUNTS) == NotNow("hold", ("clock",))


# -- players who deal --------------------------------------------------------------------------------------


def test_at_a_self_dealt_table_the_button_deals() -> None:
    way = Way("amounts", "declared", 4, self_dealt=True)
    assert composed(desired(1, 2, 4), way=way).event.dealer_seat == 4


def test_for_a_dead_button_the_player_at_its_right_deals() -> None:
    way = Way("amounts", "declared", 1, self_dealt=True)
    last = LastHand(
        hand=1, positions=Positions(button=1, small_blind=2, big_blind=4, players=(2, 4, 7, 1)), stacks={}
    )
    stacks = {f"e{n}": 10000 for n in (1, 4, 7)}
    made = composed(desired(1, 4, 7), replace(last, stacks=stacks), way)
    assert made.event.button == 2  # nobody sits there any more
    assert made.event.dealer_seat == 1


def test_another_may_deal_in_his_place_if_he_plays() -> None:
    way = Way("amounts", "declared", 4, self_dealt=True)
    assert composed(desired(1, 2, 4), way=way, deals_for={4: 2}).event.dealer_seat == 2
    assert composed(desired(1, 2, 4), way=way, deals_for={4: 9}).event.dealer_seat == 4


# -- what a hand leaves ------------------------------------------------------------------------------------


def test_a_hand_leaves_its_stacks_and_keeps_those_of_who_sat_out() -> None:
    made = composed(desired(1, 2, gate=4))
    state = HandState(phase="over", hand=1)
    state.seats = {1: Seat(1, entry="e1", stack=5), 2: Seat(2, entry="e2", stack=19995)}
    last = leave(state, LastHand(stacks={"e9": 300}), made)
    assert last.stacks == {"e9": 300, "e1": 5, "e2": 19995}
    assert (last.hand, last.void, last.gate_used, last.started) == (1, False, 4, made.event)
    assert last.positions == made.positions


def test_without_a_gate_the_last_one_used_is_remembered() -> None:
    made = composed(desired(1, 2))
    assert leave(HandState(phase="void", hand=2), LastHand(gate_used=6), made).gate_used == 6


# -- at the table ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("button", ["CUT", "NEXT_HAND"])
def test_a_press_starts_the_hand(button: str) -> None:
    rig = Rig(4)
    rig.press(button)
    assert [event.hand for event in rig.of(ev.HandStarted)] == [1]
    assert rig.state.phase == "dealing"
    assert [body.hand for body in rig.told(m.HandStart)] == [1]
    assert [opening.rulebook for opening in rig.openings] == ["standard"]


def test_no_other_button_and_no_card_starts_a_hand() -> None:
    rig = Rig(4)
    rig.deal()
    for name in ("YES", "NO", "FOLD", "CHECK", "POT", "SHUFFLED", "UNDO", "FLOOR", "CLOCK", "SEEN"):
        rig.press(name)
    assert rig.of(ev.HandStarted) == []
    assert not rig.told(m.HandStart) and not rig.told(m.Dealt)


def test_a_press_during_a_hand_starts_none() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.press("NEXT_HAND")
    rig.press("CUT")
    assert len(rig.of(ev.HandStarted)) == 1
    assert rig.running.notices.count("hand_is_running") == 2


def test_why_no_hand_starts_is_shown_until_the_document_changes() -> None:
    rig = Rig(4)
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, hold=("break",)))
    rig.press("NEXT_HAND")
    assert rig.running.refused == NotNow("hold", ("break",))
    assert [(order.order, order.for_) for order in rig.running.expects] == [("wait", "hold")]
    rig.running.direct(replace(rig.desired, epoch=1, rev=2))
    rig.press("NEXT_HAND")
    assert rig.running.refused is None and rig.state.hand == 1


def test_the_gate_is_stamped_on_its_one_hand() -> None:
    rig = Rig(2, betting="words")
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, gate=3))
    rig.start()
    rig.deal()
    assert [body.gate for body in rig.told(m.HandStart)] == [3]
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(1.0)
    assert rig.state.phase == "over" and rig.running.last.gate_used == 3
    rig.press("NEXT_HAND")
    assert rig.running.refused == NotNow("gate")
    rig.running.direct(replace(rig.desired, epoch=1, rev=2, gate=4))
    rig.press("NEXT_HAND")
    assert [body.gate for body in rig.told(m.HandStart)] == [3, 4]


def test_the_next_hand_has_the_stacks_that_this_one_left() -> None:
    rig = Rig(2, betting="amounts")
    rig.start()
    rig.deal()
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(1.0)
    rig.press("NEXT_HAND")
    hands = rig.of(ev.HandStarted)
    assert [event.button for event in hands] == [2, 1]
    assert {seat.seat: seat.stack for seat in hands[1].seats} == {1: STACK + 50, 2: STACK - 50}
