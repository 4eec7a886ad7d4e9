"""Whatever is said and put forward: nothing raises, no chip is lost, the legal is taken as it is."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import events as ev
from engine import machine, pots
from engine.readings import READINGS
from engine.rulings import encode
from engine.vocabulary import DECK, STREETS
from table_controller.rulebook_files import load_book

BOOKS = ("standard", "ppc2011", "pokernews", "ltpq", "ropta", "stars", "tda2024")
SAID = (None, "fold", "check", "call", "bet", "raise", "all_in", "pot")
CHIPS = (1, 5, 25, 100, 500, 1000, 5000)
# Rulings that inform of a legal act without changing it.
INFORMS = {"short_all_in", "open_muck", "short_blind"}


class Table:
    """A hand under way; ``take`` checks after every event what must always hold."""

    def __init__(self, rng: random.Random, book: str, **more: object) -> None:
        self.rng = rng
        self.book = load_book(book)
        self.state = machine.start()
        self.rulings = []
        count = rng.randint(2, 10)
        seats = sorted(rng.sample(range(1, 11), count))
        stacks = {n: rng.choice([rng.randint(1, 300), rng.randint(100, 3000), 10000]) for n in seats}
        self.known = more.get("betting", "amounts") == "amounts"
        self.total = sum(stacks.values())
        self.take(
            ev.HandStarted(
                hand=1,
                button=rng.choice(seats),
                seats=tuple(ev.SeatEntry(n, stacks[n]) for n in seats),
                small_blind=50,
                big_blind=100,
                ante=ev.Ante(rng.choice(["none", "none", "classic", "big_blind", "button"]), 25),
                smallest_chip=rng.choice([1, 25]),
                **more,  # type: ignore[arg-type]
            )
        )
        for _ in range(2):
            for n in self.state.order:
                if self.state.phase == "dealing":
                    self.take(ev.CardMoved(card=None, from_="deck", to=f"seat{n}", face="down"))
        self.deck = list(DECK)
        rng.shuffle(self.deck)

    def take(self, event: ev.TableEvent) -> list[object]:
        before = msgspec.json.encode(self.state)
        done = machine.step(self.state, event, self.book)
        assert msgspec.json.encode(self.state) == before
        self.state = done.state
        self.rulings += done.rulings
        self.check(event)
        for ruling in done.rulings:
            encode(ruling)
        machine.expects(self.state, self.book)
        return list(done.rulings)

    def check(self, event: ev.TableEvent) -> None:
        d = self.state
        if not self.known:
            assert d.pot is None
            assert all(s.bet == 0 and s.stack is None for s in d.seats.values())
            return
        in_stacks = sum(s.stack or 0 for s in d.seats.values())
        in_front = sum(s.bet for s in d.seats.values())
        assert in_stacks + in_front + (d.pot or 0) == self.total, event
        assert all((s.stack or 0) >= 0 and s.bet >= 0 and s.paid >= s.bet for s in d.seats.values()), event
        assert (d.pot or 0) >= 0
        layers = pots.layers(d)
        assert sum(pot.amount for pot in layers) == (d.pot or 0), event
        if d.chips == "declared":
            assert all(s.owed == 0 for s in d.seats.values()), event
        if d.to_act is not None and d.phase in STREETS:
            actor = d.seats[d.to_act]
            assert actor.live and not actor.all_in, event
        if d.awards:
            assert sum(amount for _, _, amount in d.awards) == d.pot, event

    def street(self) -> None:
        """Deal what is due, when it is due."""
        orders = machine.expects(self.state, self.book)
        for order in orders[:1]:
            if order.order == "gather":
                number = next(n for n, s in self.state.seats.items() if s.bet)
                self.take(ev.ChipsMoved(from_=f"bet{number}", to="pot", amount=1))
            elif order.order == "burn":
                self.take(ev.CardMoved(card=None, from_="deck", to="burn", face="down"))
            elif order.order == "board":
                self.take(ev.CardMoved(card=self.deck.pop(), from_="deck", to="board", face="up"))


def anything(rng: random.Random, table: Table) -> ev.TableEvent:
    """Any well-formed event about words, chips, hands and pots."""
    d = table.state
    seats = [*d.seats, rng.randint(1, 10)]
    seat = d.to_act if d.to_act is not None and rng.random() < 0.6 else rng.choice(seats)
    kind = rng.random()
    if kind < 0.72:
        chips = tuple(rng.choice(CHIPS) for _ in range(rng.randint(0, 5))) if rng.random() < 0.5 else None
        return ev.Acted(
            seat=seat,
            said=rng.choice(SAID),
            amount=rng.choice([None, None, rng.randint(0, 1200), 20000]),
            chips=chips,
            word=rng.choice([None, "before", "with", "after"]),
            conditional=rng.random() < 0.03,
            group=rng.choice([None, 1, 2]),
        )
    if kind < 0.80:
        number = rng.choice(list(d.seats))
        place = (f"bet{number}", f"stack{number}", "pot", "bank")
        return ev.ChipsMoved(from_=rng.choice(place), to=rng.choice(place), amount=rng.randint(0, 800))
    if kind < 0.85:
        cards = tuple(rng.choice([None, *DECK]) for _ in range(rng.randint(0, 3)))
        return ev.HandShown(seat=rng.choice(seats), to=rng.choice(["one", "table"]), cards=cards)
    if kind < 0.89:
        return ev.PotTaken(seat=rng.choice(seats), amount=rng.randint(0, 3000))
    if kind < 0.91:
        return ev.TimeExpired(seat=seat)
    if kind < 0.93:
        return ev.Winners(pot=rng.randint(0, 3), seats=(rng.choice(seats),))
    if kind < 0.98:
        choice = rng.choice(
            ["play_on", "action_bound", "action_refused", "amount_corrected", "hand_dead", "bets_returned"]
        )
        amounts = {str(rng.choice(seats)): rng.randint(0, 600)}
        return ev.FloorDecided(choice=choice, by="director", seats=(rng.choice(seats),), amounts=amounts)
    return ev.Claimed(
        claim=rng.choice(["string_bet", "player_skipped", "out_of_turn"]), seat=rng.choice(seats)
    )


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    book=st.sampled_from(BOOKS),
    limit=st.sampled_from(["no_limit", "pot_limit", "fixed_limit"]),
    chips=st.sampled_from(["declared", "sensed"]),
    mode=st.sampled_from(["amounts", "amounts", "words", "rounds"]),
)
def test_no_sequence_of_words_and_chips_raises_or_loses_a_chip(seed, book, limit, chips, mode):
    rng = random.Random(seed)
    table = Table(rng, book, limit=limit, chips=chips, betting=mode)
    for _ in range(60):
        if rng.random() < 0.25:
            table.street()
        else:
            table.take(anything(rng, table))
    table.take(ev.HandEnded())


def legal_act(rng: random.Random, seat: int, order: object) -> ev.Acted:
    """One of the acts that the engine offers."""
    option = rng.choice(order.options)  # type: ignore[attr-defined]
    if option not in ("bet", "raise"):
        return ev.Acted(seat=seat, said=option)
    low, high = order.min, order.max  # type: ignore[attr-defined]
    return ev.Acted(seat=seat, said=option, amount=rng.choice([low, high, rng.randint(low, high)]))


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    book=st.sampled_from(BOOKS),
    limit=st.sampled_from(["no_limit", "pot_limit", "fixed_limit"]),
)
def test_no_legal_act_is_refused_and_every_hand_comes_to_its_end(seed, book, limit):
    rng = random.Random(seed)
    table = Table(rng, book, limit=limit)
    table.rulings.clear()
    for _ in range(400):
        orders = machine.expects(table.state, table.book)
        if not orders:
            break
        order = orders[0]
        if order.order == "act":
            actor = table.state.to_act
            assert actor is not None
            acts = len(table.state.acts)
            table.take(legal_act(rng, actor, order))
            assert len(table.state.acts) == acts + 1
        elif order.order == "show":
            hand = (table.deck.pop(), table.deck.pop())
            table.take(ev.HandShown(seat=order.seat or 0, to="table", cards=hand))
        elif order.order == "push_pot":
            table.take(ev.PotTaken(seat=order.seat or 0, amount=order.amount or 0))
        elif order.order in ("burn", "board", "gather"):
            table.street()
        else:
            raise AssertionError(order)
    assert table.state.phase == "showdown"
    assert table.state.pot == 0
    assert {r.incident for r in table.rulings} <= INFORMS


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), book=st.sampled_from(BOOKS), low=st.integers(1, 99))
def test_no_amount_between_call_and_minimum_is_taken_as_it_is(seed, book, low):
    rng = random.Random(seed)
    table = Table(rng, book)
    for _ in range(rng.randint(0, 30)):
        order = next(iter(machine.expects(table.state, table.book)), None)
        if order is None or order.order not in ("act", "burn", "board", "gather"):
            return
        if order.order != "act":
            table.street()
            continue
        actor = table.state.to_act
        if order.min is not None and rng.random() < 0.4:
            seat = table.state.seats[actor]
            price = max(table.state.price, seat.bet)
            illegal = price + (order.min - price) * low // 100
            if not price < illegal < min(order.min, seat.bet + (seat.stack or 0)):
                continue
            said = rng.choice(["bet", "raise", None])
            rulings = table.take(ev.Acted(seat=actor, said=said, amount=illegal))
            assert {r.ruling for r in rulings} & {"amount_corrected", "call_floor"}
            after = table.state.seats[actor]
            assert after.bet != illegal or after.stack == 0
            return
        table.take(legal_act(rng, actor, order))


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(
    "incident",
    [
        "below_minimum_raise",
        "oversized_chip",
        "several_chips",
        "word_against_chips",
        "string_bet",
        "call_without_bet",
        "check_facing_bet",
        "underbet",
        "undercall",
        "underraise",
        "smaller_chip",
        "short_all_in",
        "reopened",
        "out_of_turn",
        "conditional_word",
        "bet_before_card",
        "simultaneous",
        "wrong_pot",
        "asked_to_see",
        "hidden_chips",
        "utg_posted",
        "short_blind",
        "ante_eliminated",
        "player_skipped",
        "time_expired",
        "open_muck",
    ],
)
def test_every_betting_incident_can_be_claimed_under_every_book(script, book, incident):
    hand = script(6).to_flop().act("1 bet 300, 2 raise 900").claim(incident, seat=2).run(book)
    assert hand.rulings or hand.next.order == "ask"
    assert all(ruling.article for ruling in hand.rulings)


@pytest.mark.parametrize("book", BOOKS)
def test_every_reading_in_a_book_is_one_that_the_engine_knows(book):
    rows = [row for rows in load_book(book).rows.values() for row in rows]
    assert {row.read_as for row in rows if row.read_as is not None} <= set(READINGS)
