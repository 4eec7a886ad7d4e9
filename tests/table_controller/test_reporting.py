"""What the public learns of each event, and that it never depends on a card that nobody has seen."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine import events as ev
from engine import machine
from engine.rulings import Order
from table_controller import messages as m
from table_controller import reporting
from table_controller.rulebook_files import load_book
from tests.table_controller.rig import SPARE, Rig, card_uid

BOOK = load_book("standard")
BODY = msgspec.json.Encoder(order="deterministic")


class Told:
    """A hand told event by event, with what the public learns of it."""

    def __init__(
        self, players: int = 3, *, betting: Any = "amounts", stack: int = 2000, **start: Any
    ) -> None:
        self.state = machine.start()
        self.all: list[Any] = []
        self.seats = list(range(1, players + 1))
        self.first = self.tell(
            ev.HandStarted(
                hand=1,
                button=players,
                seats=tuple(
                    ev.SeatEntry(n, stack if betting == "amounts" else None, entry=f"e{n}")
                    for n in self.seats
                ),
                small_blind=50,
                big_blind=100,
                betting=betting,
                **start,
            )
        )

    def tell(self, event: ev.TableEvent, **more: Any) -> list[Any]:
        before = self.state
        step = machine.step(before, event, BOOK)
        self.state = step.state
        found = reporting.bodies(event, before, self.state, step.rulings, **more)
        self.all += found
        return found

    def deal(self) -> None:
        for seat in self.seats * 2:
            self.tell(ev.CardMoved(card=None, from_="deck", to=f"seat{seat}"))

    def act(self, seat: int, said: Any, amount: int | None = None) -> list[Any]:
        return self.tell(ev.Acted(seat=seat, said=said, amount=amount))

    def street(self, *cards: str | None) -> list[Any]:
        found = self.tell(ev.CardMoved(card=None, from_="deck", to="burn"))
        for card in cards:
            found += self.tell(ev.CardMoved(card=card, from_="deck", to="board", face="up"))
        return found

    def limped(self) -> None:
        self.deal()
        self.act(3, "call")
        self.act(1, "call")
        self.act(2, "check")

    def of(self, kind: type) -> list[Any]:
        return [body for body in self.all if type(body) is kind]


# -- the hand begins ---------------------------------------------------------------------------------------


def test_a_hand_begins_with_who_is_in_it_and_who_posts() -> None:
    told = Told()
    start = told.first[0]
    assert type(start) is m.HandStart
    assert (start.hand, start.button, start.sb, start.bb, start.gate) == (1, 3, 1, 2, None)
    assert [(s.seat, s.entry, s.stack) for s in start.seats] == [(n, f"e{n}", 2000) for n in (1, 2, 3)]
    assert told.first[1:] == [
        m.Post(seat=1, kind="small_blind", amount=50),
        m.Post(seat=2, kind="big_blind", amount=100),
    ]


def test_level_and_gate_are_stamped_on_it() -> None:
    level = m.Level(n=7, small_blind=50, big_blind=100, ante=m.Ante(kind="none", amount=0))
    told = Told()
    event = ev.HandStarted(
        hand=2, button=1, seats=(ev.SeatEntry(1, 500), ev.SeatEntry(2, 500)), small_blind=50, big_blind=100
    )
    told.tell(ev.HandEnded())
    started = told.tell(event, level=level, gate=12)[0]
    assert started.level == level and started.gate == 12


@pytest.mark.parametrize(
    ("kind", "amount", "antes"),
    [("classic", 10, [(1, 10), (2, 10), (3, 10)]), ("big_blind", 100, [(2, 100)]), ("button", 30, [(3, 30)])],
)
def test_antes_are_told_with_who_pays_them(kind: Any, amount: int, antes: list[tuple[int, int]]) -> None:
    told = Told(ante=ev.Ante(kind, amount))
    assert [(post.seat, post.amount) for post in told.of(m.Post) if post.kind == "ante"] == antes


def test_a_straddle_is_told_as_one() -> None:
    told = Told(4, straddles=(ev.Straddle(3, 200),))
    assert m.Post(seat=3, kind="straddle", amount=200) in told.first


def test_where_no_amounts_are_kept_nothing_is_posted() -> None:
    told = Told(betting="words")
    assert [type(body) for body in told.first] == [m.HandStart]
    assert {seat.stack for seat in told.first[0].seats} == {None}


# -- cards and acts ----------------------------------------------------------------------------------------


def test_the_deal_says_seat_and_count_only() -> None:
    told = Told()
    told.deal()
    assert [(body.seat, body.n) for body in told.of(m.Dealt)] == [
        (1, 1),
        (2, 1),
        (3, 1),
        (1, 2),
        (2, 2),
        (3, 2),
    ]


def test_acts_say_what_they_are_and_the_total_of_the_round() -> None:
    told = Told()
    told.deal()
    assert told.act(3, "raise", 300) == [m.Action(seat=3, kind="raise", to=300, all_in=False)]
    assert told.act(1, "fold") == [m.Action(seat=1, kind="fold", to=None, all_in=False)]
    assert told.act(2, "all_in") == [m.Action(seat=2, kind="raise", to=2000, all_in=True)]
    assert told.act(3, "call")[0] == m.Action(seat=3, kind="call", to=2000, all_in=True)


def test_both_cards_to_the_muck_are_one_fold() -> None:
    told = Told()
    told.deal()
    found = told.tell(ev.CardMoved(card=None, from_="seat3", to="muck", by="player", group="x"))
    found += told.tell(ev.CardMoved(card=None, from_="seat3", to="muck", by="player", group="x"))
    assert [body for body in found if type(body) is m.Action] == [
        m.Action(seat=3, kind="fold", to=None, all_in=False)
    ]


def test_words_without_amounts_have_no_total() -> None:
    told = Told(betting="words")
    told.deal()
    assert told.act(3, "raise") == [m.Action(seat=3, kind="raise", to=None, all_in=False)]


def test_a_street_is_told_once_it_is_complete() -> None:
    told = Told()
    told.limped()
    found = told.street("2c", "7d", "Jh")
    assert found == [m.Burned(n=1), m.Board(street="flop", cards=("2c", "7d", "Jh"))]
    for seat in (1, 2, 3):
        assert told.act(seat, "check") == [m.Action(seat=seat, kind="check", to=0, all_in=False)]
    assert told.street("Ts") == [m.Burned(n=2), m.Board(street="turn", cards=("Ts",))]


def test_a_board_card_that_gets_its_name_later_is_told_again() -> None:
    told = Told()
    told.limped()
    told.street(None, "7d", "Jh")
    told.tell(ev.CardExposed(card="2c", at="board", by="dealer"))
    boards = told.of(m.Board)
    assert boards[0].cards == (None, "7d", "Jh")
    assert sorted(boards[-1].cards) == ["2c", "7d", "Jh"]


def test_an_act_out_of_turn_is_told_when_it_binds() -> None:
    told = Told(4)
    told.deal()
    told.act(1, "call", 100)
    assert told.of(m.Action) == []
    told.act(3, "fold")
    told.act(4, "fold")
    assert [(body.seat, body.kind, body.to) for body in told.of(m.Action)] == [
        (3, "fold", None),
        (4, "fold", None),
        (1, "call", 100),
    ]
    assert "out_of_turn" in {body.incident for body in told.of(m.Incident)}


# -- rulings -----------------------------------------------------------------------------------------------


def test_an_incident_is_told_once_with_all_its_rulings() -> None:
    told = Told()
    told.tell(ev.CardMoved(card=None, from_="deck", to="seat1"))
    found = told.tell(ev.CardMoved(card="Ah", from_="deck", to="seat2", face="up"))
    incidents = [body for body in found if type(body) is m.Incident]
    rulings = [body for body in found if type(body) is m.Ruling]
    assert len(incidents) == 1 and rulings
    assert {ruling.incident for ruling in rulings} == {incidents[0].incident}
    assert all(ruling.article and ruling.rulebook for ruling in rulings)


def test_a_misdeal_is_told_with_its_reason() -> None:
    told = Told()
    found = told.tell(ev.CardMoved(card="Ah", from_="deck", to="seat1", face="up"))
    assert [body.reason for body in found if type(body) is m.Misdeal] == ["first_card_exposed"]
    assert told.state.phase == "void"


def test_what_a_check_of_the_deck_misses_is_not_for_the_hall() -> None:
    told = Told()
    told.deal()
    found = told.tell(ev.DeckCounted(missing=("Qs",)))
    assert any(type(body) is m.Incident and body.incident == "missing_card" for body in found)
    assert all(body.cards == () for body in found if type(body) is m.Incident)
    assert b'"Qs"' not in b"".join(BODY.encode(body) for body in found)


# -- the end -----------------------------------------------------------------------------------------------


def test_the_end_says_stacks_and_who_is_out() -> None:
    told = Told(2, stack=100)
    told.deal()
    told.act(2, "all_in")
    for cards in (("2c", "7d", "Jh"), ("4s",), ("9s",)):
        told.street(*cards)
    told.tell(ev.HandShown(seat=1, to="table", cards=("Ah", "Ad")))
    told.tell(ev.HandShown(seat=2, to="table", cards=("Kh", "Qd")))
    assert [(body.seat, body.cards) for body in told.of(m.Tabled)] == [(1, ("Ah", "Ad")), (2, ("Kh", "Qd"))]
    assert [(body.pot, body.seats, body.amounts) for body in told.of(m.Award)] == [(0, (1,), (200,))]
    told.tell(ev.PotTaken(seat=1, amount=200))
    end = told.tell(ev.HandEnded())[-1]
    assert type(end) is m.HandEnd and not end.void
    assert {s.entry: s.stack for s in end.stacks} == {"e1": 200, "e2": 0}
    assert end.busts == (m.Bust(entry="e2", start_stack=100),)


def test_a_split_pot_names_who_gets_the_odd_chip() -> None:
    told = Told(ante=ev.Ante("classic", 1))
    told.deal()
    told.act(3, "fold")
    told.act(1, "call")
    told.act(2, "check")
    for cards in (("Ts", "Js", "Qs"), ("Ks",), ("As",)):
        told.street(*cards)
        told.act(1, "check")
        told.act(2, "check")
    told.tell(ev.HandShown(seat=1, to="table", cards=("2h", "2d")))
    told.tell(ev.HandShown(seat=2, to="table", cards=("3h", "3d")))
    awards = told.of(m.Award)
    assert [(dict(zip(body.seats, body.amounts, strict=True)), body.odd_chip_seat) for body in awards] == [
        ({1: 102, 2: 101}, 1)
    ]


def test_what_nobody_called_is_not_awarded() -> None:
    told = Told()
    told.deal()
    told.act(3, "fold")
    told.act(1, "fold")
    assert [(body.seats, body.amounts, body.odd_chip_seat) for body in told.of(m.Award)] == [
        ((2,), (100,), None)
    ]


def test_a_hand_shown_to_one_player_is_not_tabled() -> None:
    told = Told()
    told.limped()
    found = told.tell(ev.HandShown(seat=1, to="one", to_seat=2, cards=("Ah", "Ad")))
    assert not any(type(body) is m.Tabled for body in found)


def test_a_count_says_what_was_thought_before() -> None:
    told = Told()
    found = told.tell(ev.Counted(seat=3, amount=1975, by="floor"))
    assert found[0] == m.Counted(seat=3, declared=2000, counted=1975, by="floor")


def test_a_hand_that_does_not_count_takes_nobody_out() -> None:
    told = Told(2, stack=100)
    told.deal()
    told.act(2, "all_in")
    end = reporting.hand_void(told.state)
    assert end.void and end.busts == ()


def test_an_order_is_the_same_on_the_wire() -> None:
    order = Order("act", seat=3, options=("fold", "call"), call=100, min=200, max=900)
    wire = reporting.order_of(order)
    assert msgspec.to_builtins(wire) == msgspec.to_builtins(order)
    long = reporting.order_of(Order("announce", text="x" * 1000))
    assert long.text is not None and len(long.text) == 400


# -- the snapshot ------------------------------------------------------------------------------------------


def snapshot(told: Told, **more: Any) -> m.TableState:
    state = told.state
    readable: dict[int, int | None] = {1: 2, 2: 0, 3: None}
    return reporting.snapshot(
        state,
        machine.summary(state, BOOK),
        machine.expects(state, BOOK),
        rev=1,
        seq=5,
        level=None,
        doubts=(),
        readable=readable,
        seated=[m.DesiredSeat(seat=9, entry="e9", stack=1, absent=True)],
        gate_used=None,
        desired_rev=0,
        life="0" * 32,
        boot=1,
        **more,
    )


def test_the_snapshot_counts_cards_where_somebody_can_see_them() -> None:
    told = Told()
    told.limped()
    told.street("2c", "7d", "Jh")
    seen = snapshot(told)
    assert {seat.seat: seat.cards for seat in seen.seats} == {1: 2, 2: 2, 3: None, 9: None}
    assert seen.board == ("2c", "7d", "Jh") and seen.to_act == 1 and seen.phase == "flop"
    assert [(pot.amount, pot.seats) for pot in seen.pots] == [(300, (1, 2, 3))]
    assert seen.stacks == {1: 1900, 2: 1900, 3: 1900}


def test_without_amounts_the_snapshot_knows_no_chips() -> None:
    told = Told(betting="words")
    told.limped()
    seen = snapshot(told)
    assert set(seen.stacks.values()) == {None}
    assert all(pot.amount is None for pot in seen.pots)


# -- secrecy -----------------------------------------------------------------------------------------------


def play(holes: dict[str, str], burns: tuple[str, str, str]) -> Rig:
    """One hand with irregularities through the senses; only the unseen cards are given."""
    rig = Rig(4)
    swap = lambda card: holes.get(card, card)  # noqa: E731
    rig.start()
    for place, seat in enumerate(rig.order * 2):
        rig.card(swap(rig.holes(seat)[place // 4]), f"seat{seat}")
    rig.press("CALL")
    rig.put([card_uid(swap(card)) for card in rig.holes(4)], "muck")
    rig.wait(3.0)
    rig.press("CALL")
    rig.press("CHECK")
    rig.street("2c", "3c", "4c", burn=burns[0])
    rig.card(swap(rig.holes(1)[0]), None, then=6.0)
    rig.card(swap(rig.holes(1)[0]), "seat1", then=1.0)
    rig.press("CHECK")
    rig.press("RAISE")
    rig.press("FOLD")
    rig.put([card_uid(swap(card)) for card in rig.holes(3)], "muck")
    rig.wait(2.0)
    rig.card(burns[1], "burn", then=9.0)
    rig.press("FOLD")
    rig.press("UNDO")
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(3.0)
    return rig


def test_two_hands_that_differ_only_in_unseen_cards_are_the_same_bytes() -> None:
    plain = Rig(4)
    names = sorted({card for seat in plain.seats for card in plain.holes(seat)})
    free = [card for card in SPARE if card not in {"2c", "3c", "4c", "Ks", "Qs", "Js"}]
    one = play({}, ("Ks", "Qs", "Js"))
    other = play(dict(zip(names, free, strict=False)), ("Ah", "Kh", "Qh"))
    turned = play(dict(zip(names, reversed(names), strict=True)), ("Js", "Ks", "Qs"))
    assert one.state.phase == other.state.phase == "over"
    assert len(one.entries) > 20
    for rig in (other, turned):
        assert [msgspec.json.encode(entry) for entry in rig.entries if entry.kind == "note"] == [
            msgspec.json.encode(entry) for entry in one.entries if entry.kind == "note"
        ]
        assert rig.everything() == one.everything()
        assert [msgspec.json.encode(event.body) for event in rig.public] == [
            msgspec.json.encode(event.body) for event in one.public
        ]
