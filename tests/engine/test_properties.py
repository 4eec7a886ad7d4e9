"""Whatever happens at the table: the engine never raises, cards and chips are conserved."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import events as ev
from engine import machine, plan
from engine.referee import GROUPS
from engine.rulings import INCIDENTS, RULINGS, encode
from engine.vocabulary import DECK
from table_controller import rulebook_files

BOOKS = ("standard", "ppc2011", "pokernews", "ltpq", "ropta", "stars", "tda2024")
PLACES = ["deck", "board", "burn", "muck", "aside", "felt", "off_table"] + [f"seat{n}" for n in range(1, 11)]


class Evening:
    """Plays hands by what the engine expects, and slips at the given rate (any event at any time)."""

    def __init__(self, seed: int, book: str, rate: float) -> None:
        self.random = random.Random(seed)
        self.book = rulebook_files.load_book(book)
        self.rate = rate
        self.state = machine.start()
        self.events: list[ev.TableEvent] = []
        self.rulings = []
        self.out: list[bytes] = []
        self.hand = 0
        self.total = 0
        self.deck: list[str] = []

    def take(self, event: ev.TableEvent) -> None:
        before = msgspec.json.encode(self.state)
        done = machine.step(self.state, event, self.book)
        assert msgspec.json.encode(self.state) == before, "step changed the state that it was given"
        self.events.append(event)
        self.state = done.state
        self.rulings += done.rulings
        self.out += [encode(ruling) for ruling in done.rulings]
        self.check()

    def check(self) -> None:
        state = self.state
        summary = machine.summary(state, self.book)
        if summary.pot is not None and not self.counted:
            chips = (
                sum(stack or 0 for stack in summary.stacks.values())
                + sum(summary.bets.values())
                + summary.pot
            )
            assert chips == self.total, (chips, self.total, self.events[-1])
            assert all(stack is None or stack >= 0 for stack in summary.stacks.values())
            assert all(bet >= 0 for bet in summary.bets.values())
            assert summary.pot >= 0
            assert sum(pot.amount for pot in summary.pots) == summary.pot
        known = [card for card in state.board if card is not None]
        assert len(known) == len(set(known))
        assert len(state.board) <= 5
        machine.expects(state, self.book)

    @property
    def counted(self) -> bool:
        return any(isinstance(event, ev.Counted) for event in self.events)

    def draw(self) -> str:
        while self.deck:
            card = self.deck.pop()
            if card not in self.state.board:
                return card
        return self.random.choice([card for card in DECK if card not in self.state.board])

    def start(self) -> None:
        rng = self.random
        count = rng.randint(2, 10)
        seats = sorted(rng.sample(range(1, 11), count))
        stacks = {n: rng.choice([30, 100, 150, 1000, 5000, 10000]) for n in seats}
        self.hand += 1
        self.deck = list(DECK)
        rng.shuffle(self.deck)
        self.total = sum(stacks.values())
        self.take(
            ev.HandStarted(
                hand=self.hand,
                button=rng.choice(seats),
                seats=tuple(
                    ev.SeatEntry(n, stacks[n], absent=rng.random() < 0.05 * bool(self.rate)) for n in seats
                ),
                small_blind=50,
                big_blind=100,
                ante=ev.Ante(
                    rng.choice(["none", "classic", "big_blind", "button"]), rng.choice([0, 10, 100])
                ),
                dealer_seat=rng.choice([None, rng.choice(seats)]),
                dealer="D",
            )
        )

    def follow(self) -> None:
        """Do what is expected."""
        rng = self.random
        orders = machine.expects(self.state, self.book)
        if not orders or (self.state.phase in ("over", "void") and rng.random() < 0.3):
            if self.state.phase not in ("over", "void"):
                self.take(ev.HandEnded())
            self.start()
            return
        seen = [order for order in orders if plan.observable(order) or order.order == "wait"] or orders
        order = rng.choice(seen) if len({o.order for o in seen}) == 1 else seen[0]
        name = order.order
        if name == "deal":
            self.take(ev.CardMoved(card=None, from_="deck", to=order.to or "seat1", face="down"))
        elif name == "burn":
            self.draw()
            self.take(ev.CardMoved(card=None, from_="deck", to="burn", face="down"))
        elif name == "board":
            self.take(ev.CardMoved(card=self.draw(), from_="deck", to="board", face="up"))
        elif name == "act":
            self.take(self.an_act(order.seat or 1, order.options or ("fold",), order.min, order.max))
        elif name == "move":
            self.take(
                ev.CardMoved(card=order.card, from_=order.from_ or "deck", to=order.to or "deck", face="down")
            )
        elif name == "shuffle":
            self.take(ev.DeckShuffled())
        elif name == "cut":
            self.take(ev.DeckCut())
        elif name == "gather":
            for number, seat in self.state.seats.items():
                if seat.bet:
                    self.take(ev.ChipsMoved(from_=f"bet{number}", to="pot", amount=seat.bet))
        elif name == "show":
            self.take(ev.HandShown(seat=order.seat or 1, to="table", cards=(self.draw(), self.draw())))
        elif name == "push_pot":
            self.take(ev.PotTaken(seat=order.seat or 1, amount=order.amount or 0))
        elif name == "ask":
            self.take(
                ev.Answered(fact=order.fact or "by", value=rng.choice(list(order.options or ("yes", "no"))))
            )
        elif name == "wait" and self.state.calls:
            self.decide()
        elif name == "wait":
            live = self.state.in_hand()
            pots = machine.summary(self.state, self.book).pots
            for index in range(len(pots)):
                self.take(ev.Winners(pot=index, seats=tuple(live)))
            if machine.expects(self.state, self.book) == orders:
                self.take(ev.HandEnded())
        elif name == "muck":
            for _ in range(2):
                self.take(ev.CardMoved(card=None, from_=f"seat{order.seat}", to="muck", face="down"))
            self.drop_stale(order)
        else:
            self.drop_stale(order)

    def drop_stale(self, order) -> None:
        """Acts that no sensor proves: play goes on."""
        state = self.state
        if state.to_act is not None and state.phase in machine.PLAYED:
            self.take(ev.Acted(seat=state.to_act, said=self.random.choice(["fold", "call", "check"])))
        elif machine.expects(state, self.book)[:1] == (order,):
            self.take(ev.HandEnded())

    def decide(self) -> None:
        rng = self.random
        live = self.state.in_hand() or list(self.state.seats) or [1]
        board = [card for card in self.state.board if card is not None]
        self.take(
            ev.FloorDecided(
                choice=rng.choice([*sorted(RULINGS), "let them play"]),
                by="TD",
                seats=(rng.choice(live),),
                cards=(rng.choice(board),) if board and rng.random() < 0.7 else None,
            )
        )

    def an_act(self, seat: int, options, low: int | None, high: int | None) -> ev.Acted:
        said = self.random.choice(options)
        amount = None
        if said in ("bet", "raise") and low is not None and high is not None:
            amount = self.random.choice([low, high, self.random.randint(low, high)])
        return ev.Acted(seat=seat, said=said, amount=amount)

    def slip(self) -> None:
        """Any event whatsoever."""
        rng = self.random
        seat = rng.randint(1, 10)
        card = rng.choice([None, self.draw() if self.deck else None, rng.choice(DECK)])
        unseen = [c for c in DECK if c not in self.state.board]
        face = rng.choice([None, "down", "up"])
        kind = rng.randint(0, 17)
        place, other = rng.choice(PLACES), rng.choice(PLACES)
        if kind <= 3:
            if other == "board":
                card = rng.choice(unseen)
            origin = "deck" if kind < 2 else place
            by = rng.choice(["dealer", "player", "deck", "unknown"])
            self.take(ev.CardMoved(card=card, from_=origin, to=other, face=face, by=by))
        elif kind == 4:
            at = rng.choice(PLACES)
            self.take(
                ev.CardExposed(
                    card=rng.choice(unseen),
                    at=at,
                    by=rng.choice(["dealer", "player", "deck", "unknown"]),
                    seen_by=rng.choice(["all", "majority", "some"]),
                )
            )
        elif kind <= 7:
            said = rng.choice([None, "fold", "check", "call", "bet", "raise", "all_in", "pot"])
            chips = rng.choice([None, (25,), (100, 100), (500, 25), (5000,)])
            amount = rng.choice([None, 0, 1, 150, 400, 99999])
            self.take(
                ev.Acted(
                    seat=seat,
                    said=said,
                    amount=amount,
                    chips=chips,
                    word=rng.choice([None, "before", "with", "after"]),
                    conditional=rng.random() < 0.1,
                )
            )
        elif kind <= 10:
            claim = rng.choice(sorted(ev.CLAIMS))
            self.take(
                ev.Claimed(
                    claim=claim,
                    seat=rng.choice([None, seat]),
                    card=rng.choice([None, rng.choice(unseen)]),
                    facts=rng.choice(
                        [None, {"identified": True}, {"readable": False}, {"order_known": False}]
                    ),
                )
            )
        elif kind == 11:
            self.take(ev.Presence(seat=seat, present=rng.random() < 0.5))
        elif kind == 12:
            self.take(ev.TimeExpired(seat=rng.choice([seat, self.state.to_act or seat])))
        elif kind == 13:
            self.decide()
        elif kind == 14:
            self.take(ev.HandShown(seat=seat, to=rng.choice(["one", "table"]), cards=("As", "Kd")))
        elif kind == 15:
            self.take(
                rng.choice(
                    [
                        ev.StubDropped(),
                        ev.BoardDisturbed(),
                        ev.RoundClosed(),
                        ev.DeckShuffled(by_seat=3),
                        ev.DeckCut(by_seat=3),
                        ev.ForeignCard(at=place, kind=rng.choice(["joker", "other_deck", "unknown"])),
                        ev.DuplicateCard(at=place),
                        ev.DeckCounted(missing=("7d",)),
                    ]
                )
            )
        elif kind == 16:
            self.take(ev.PotTaken(seat=seat, amount=rng.choice([0, 100, 150, 10**6])))
        else:
            self.take(
                ev.ChipsMoved(from_=f"bet{seat}", to=rng.choice(["pot", f"stack{seat}", "bank"]), amount=100)
            )

    def play(self, steps: int) -> Evening:
        self.start()
        for _ in range(steps):
            if self.random.random() < self.rate:
                self.slip()
            else:
                self.follow()
        return self


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_clean_hands_give_no_ruling_of_deal_burn_or_board(book, seed):
    evening = Evening(seed, book, 0).play(150)
    names = {ruling.incident for ruling in evening.rulings}
    slips = {
        name
        for group in ("exposed_card", "wrong_deal", "boxed_card", "burn", "too_soon", "board", "stub", "deck")
        for name in GROUPS[group]
    } - {"absent_dealt_in"}
    assert not names & slips


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.02, 0.1, 0.4, 1.0]))
def test_any_event_at_any_time(book, seed, rate):
    evening = Evening(seed, book, rate).play(120)
    rows = {(row.article, row.rulebook) for rows in evening.book.rows.values() for row in rows}
    rows.add((evening.book.floor.article, evening.book.floor.rulebook))
    for ruling in evening.rulings:
        assert (ruling.article, ruling.rulebook) in rows
        assert ruling.ruling in RULINGS
        assert ruling.incident in INCIDENTS
    again = machine.replay(evening.events, evening.book)
    assert [encode(ruling) for ruling in again.rulings] == evening.out
    assert msgspec.json.encode(again.state) == msgspec.json.encode(evening.state)


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_every_call_of_the_floor_can_be_left(book, seed):
    evening = Evening(seed, book, 0.3).play(100)
    for _ in range(200):
        if not evening.state.calls:
            break
        evening.take(ev.FloorDecided(choice="play_on", by="TD"))
    assert not evening.state.calls
    evening.rate = 0
    hand = evening.hand
    for _ in range(400):
        evening.follow()
        if evening.hand > hand:
            return
    pytest.fail(f"the hand never ends: {machine.expects(evening.state, evening.book)}")
