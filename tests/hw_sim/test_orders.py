"""What is marked as done on the panel stays marked while the list only moves on."""

from hypothesis import given
from hypothesis import strategies as st

from hw_sim.orders import ORDER_NAMES, OrderBoard, Shown

CODES = {name: number for number, name in enumerate(ORDER_NAMES)}


def board(*acts: tuple[str, int] | tuple[str, int, int]) -> OrderBoard:
    subject = OrderBoard(lambda: 0.0)
    show(subject, *acts)
    return subject


def show(subject: OrderBoard, *acts: tuple[str, int] | tuple[str, int, int]) -> None:
    subject.receive(tuple((CODES[name], place, arg[0] if arg else 0) for name, place, *arg in acts))


def fresh(subject: OrderBoard) -> str:
    return str(subject.next(lambda act: False) or "")


def test_codes_are_places_in_the_list_of_the_page() -> None:
    names = (
        "deal burn board move shuffle mix draw cut return_cards return_chips post gather change button count "
        "clock find announce show muck push_pot act ask wait"
    )
    assert " ".join(ORDER_NAMES) == names
    subject = board(("push_pot", 3, 500), ("board", 11, 3), ("act", 10))
    assert str(subject) == "push_pot seat 3 500, board board 3, act seat 10"
    subject.receive(((77, 0, 0),))
    assert str(subject) == "order 77"


def test_an_act_is_done_once_while_the_same_list_stays() -> None:
    subject = board(("act", 3, 100))
    act = subject.next(lambda act: False)
    assert act == Shown("act", 3, 100)
    subject.mark(act, 1.0)
    show(subject, ("act", 3, 100))
    assert fresh(subject) == ""
    show(subject, ("act", 4, 100))
    assert fresh(subject) == "act seat 4 100"
    show(subject, ("act", 3, 100))
    assert fresh(subject) == "act seat 3 100"


def test_marks_move_along_with_the_list() -> None:
    subject = board(("deal", 1), ("deal", 2), ("deal", 1), ("deal", 2))
    for _ in range(2):
        act = subject.next(lambda act: False)
        assert act is not None
        subject.mark(act, 1.0)
    show(subject, ("deal", 2), ("deal", 1), ("deal", 2))
    assert subject.done(0) is not None
    assert fresh(subject) == "deal seat 1"
    show(subject, ("deal", 1), ("deal", 2), ("deal", 3))
    assert subject.done(0) is None
    assert fresh(subject) == "deal seat 1"


def test_a_new_list_has_no_marks_but_a_pushed_back_act_keeps_its_own() -> None:
    subject = board(("act", 3))
    subject.mark(Shown("act", 3, 0), 1.0)
    show(subject, ("announce", 0), ("act", 3))
    assert fresh(subject) == "announce"
    assert subject.next(lambda act: act.name == "announce") is None
    # cards of the stub are asked for anew: turn and river look alike
    subject = board(("board", 11, 1))
    subject.mark(Shown("board", 11, 1), 1.0)
    show(subject, ("burn", 12), ("board", 11, 1))
    assert subject.done(1) is None


def test_two_pots_of_one_amount_are_two_acts() -> None:
    subject = board(("push_pot", 3, 500), ("push_pot", 3, 500))
    subject.mark(Shown("push_pot", 3, 500), 1.0)
    assert fresh(subject) == "push_pot seat 3 500"
    subject.mark(Shown("push_pot", 3, 500), 1.0)
    assert fresh(subject) == ""
    assert str(subject) == "push_pot seat 3 500 (done), push_pot seat 3 500 (done)"


@given(st.lists(st.sampled_from(["act", "show", "gather", "muck"]), min_size=1, max_size=12), st.data())
def test_a_window_on_a_queue_never_asks_twice(names: list[str], data: st.DataObject) -> None:
    """However late the table is, following the list does each act of a queue exactly once."""
    queue = [(name, n % 10 + 1, n) for n, name in enumerate(names)]
    width = data.draw(st.integers(1, 4))
    subject = OrderBoard(lambda: 0.0)
    done: list[Shown] = []
    sensed = 0
    show(subject, *queue[:width])
    while sensed < len(queue):
        act = subject.next(lambda act: False)
        may_do, may_sense = act is not None, len(done) > sensed
        if may_do and (not may_sense or data.draw(st.booleans())):
            assert act is not None
            subject.mark(act, 0.0)
            done.append(act)
        else:
            sensed += 1
            show(subject, *queue[sensed : sensed + width])
    assert [(act.name, act.place, act.arg) for act in done] == queue
