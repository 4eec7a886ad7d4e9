"""The picture of a table: made of its events alone, and the same from the same."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from table_controller import messages as m
from tournament_hub.projection import Picture, reduce_event

LEVEL = m.Level(n=1, small_blind=100, big_blind=200)


def run(*bodies: m.EventBody, amends: int | None = None) -> Picture:
    picture = Picture()
    for seq, body in enumerate(bodies, start=1):
        given_amends = amends if seq == len(bodies) else None
        picture = reduce_event(
            picture,
            m.Event(
                life="a" * 32,
                boot=1,
                seq=seq,
                hand=1,
                t=float(seq),
                utc="x",
                body=body,
                prev=m.GENESIS,
                amends=given_amends,
            ),
        )
    return picture


def seats(**stacks: int | None) -> tuple[m.SeatStack, ...]:
    return tuple(
        m.SeatStack(seat=int(name[1:]), entry=f"e{name[1:]}", stack=stack) for name, stack in stacks.items()
    )


START = m.HandStart(hand=7, level=LEVEL, button=1, sb=None, bb=4, seats=seats(s1=100, s4=None))


def test_hand_from_start_to_end() -> None:
    picture = run(START)
    assert (picture.hand, picture.running, picture.button, picture.small_blind_seat) == (7, True, 1, None)
    assert picture.seats[1].stack is None
    picture = run(START, m.HandEnd(stacks=seats(s1=40, s4=160)))
    assert (picture.running, picture.hands, [seat.stack for seat in picture.seats]) == (False, 1, [40, 160])


def test_board_grows_street_by_street_and_a_redealt_street_replaces_its_own() -> None:
    flop = m.Board(street="flop", cards=("9h", "7s", "4c"))
    picture = run(START, flop, m.Board(street="turn", cards=("2d",)), m.Board(street="river", cards=(None,)))
    assert picture.board == ("9h", "7s", "4c", "2d", None)
    picture = run(START, flop, m.Board(street="turn", cards=("2d",)), m.Board(street="turn", cards=("3d",)))
    assert picture.board == ("9h", "7s", "4c", "3d")
    assert run(START, flop, START).board == ()


def test_misdeal_clears_the_board_and_counts() -> None:
    picture = run(START, m.Board(street="flop", cards=("9h", "7s", "4c")), m.Misdeal(reason="seat_skipped"))
    assert (picture.board, picture.misdeals, picture.hands) == ((), 1, 0)


def test_void_hand_is_not_a_hand() -> None:
    assert (
        run(START, m.HandEnd(stacks=(), void=True)).hands,
        run(m.HandEnd(stacks=(), void=True)).voided,
    ) == (0, 1)


def test_correction_changes_stacks_and_not_the_count() -> None:
    picture = run(START, m.HandEnd(stacks=seats(s1=1, s4=2)), m.HandEnd(stacks=seats(s1=2, s4=1)), amends=2)
    assert (picture.hands, [seat.stack for seat in picture.seats]) == (1, [2, 1])


def test_ruling_stands_until_it_is_undone() -> None:
    ruling = m.Ruling(ruling="misdeal", incident="no_burn", rulebook="x", article="y")
    assert run(START, ruling).ruling is not None
    assert run(START, ruling, m.Annulled(reason="mistake"), amends=1).ruling is not None
    assert run(START, ruling, m.Annulled(reason="mistake"), amends=2).ruling is None


def test_arrivals_departures_and_counts() -> None:
    picture = run(
        START,
        m.Arrive(entry="e9", move=None, stack=300, seat=2),
        m.Counted(seat=2, declared=300, counted=280, by="x"),
    )
    assert [(seat.seat, seat.stack) for seat in picture.seats] == [(1, 100), (2, 280), (4, None)]
    assert [seat.seat for seat in run(START, m.Depart(entry="e1", move=None, stack=1)).seats] == [4]
    assert run(START, m.Arrive(entry="e9", move=None, stack=1)).seats == START.seats


def test_an_entry_busts_once() -> None:
    end = m.HandEnd(stacks=seats(s1=0), busts=(m.Bust(entry="e1", start_stack=5),))
    assert run(START, end, end).busts == ("e1",)


@given(
    st.lists(
        st.sampled_from([START, m.HandEnd(stacks=()), m.Misdeal(reason="x"), m.Burned(n=1)]), max_size=30
    )
)
def test_serial_counts_every_event_and_hands_every_end(bodies: list[m.EventBody]) -> None:
    picture = run(*bodies)
    assert picture.serial == len(bodies)
    assert picture.hands == sum(isinstance(body, m.HandEnd) for body in bodies)


def test_unknown_event_changes_only_the_count(streams: Callable) -> None:
    assert run(m.UnknownBody({"a": 1})) == Picture(serial=1)  # type: ignore[arg-type]
