"""Light mode: one held button a hand, and what little else people owe."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from engine import events as ev
from engine.vocabulary import seat_place
from table_controller import messages as m
from table_controller.config import ConfigError, TableConfig, parse_config
from table_controller.fusion import Offer
from table_controller.running import Running

Make = Callable[..., Any]


def told(running: Running) -> list[Any]:
    """The public events since the last time."""
    return [event.body for draft in running.take_drafts() for event in draft.events]


def test_a_table_without_chip_sensors_plays_lightly_unless_it_says_otherwise(
    settings: Callable[..., TableConfig],
) -> None:
    plain = settings(betting=None)
    assert (plain.game.betting, plain.light) == ("rounds", True)
    assert not settings(betting="amounts").light
    assert not settings(betting=None, game="light = false").light
    assert settings(betting=None, game="light = false").game.betting == "amounts"
    assert not settings(betting="rounds", game="light = false").light


def test_light_mode_with_amounts_contradicts_itself(tmp_path: Any) -> None:
    text = '[game]\nbetting = "amounts"\nlight = true\n'
    with pytest.raises(ConfigError) as raised:
        parse_config(text, "table.toml", tmp_path)
    assert raised.value.where == "table.toml:3"


def test_thirty_clean_hands_cost_one_tap_each(thumb: Make) -> None:
    subject = thumb(players=9, betting=None)
    for number in range(1, 31):
        before = subject.taps
        assert subject.tap("next").done
        assert subject.taps - before == 1
        assert subject.running.state.hand == number
        view = subject.view()
        assert view.say == "Jouez la main"
        assert [tap.name for tap in view.taps] == ["next"]
        assert view.taps[0].hold  # it ends a hand of which the table has seen no end
    assert subject.taps == 30
    hands = [body for body in told(subject.running) if isinstance(body, m.HandStart)]
    assert len(hands) == 30
    # the button goes round: nine players, thirty hands
    assert [hand.button for hand in hands[:10]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]


ANTENNAS = "[antennas]\n" + "\n".join(
    f'{number} = "{place}"'
    for number, place in enumerate(["deck", "board", "burn", "muck", *(f"seat{n}" for n in range(1, 7))])
)


class Antennas:
    """Cards that antennas read: what fusion would offer, hand after hand."""

    def __init__(self, running: Running, seed: int) -> None:
        self._running = running
        self._random = random.Random(seed)

    def see(self, *events: ev.TableEvent) -> None:
        """The senses tell an act."""
        for event in events:
            self._running._judge(Offer((event,), "antenna", "somewhere"))

    def deal(self) -> None:
        for _ in range(2):
            for seat in self._running.state.order:
                self.see(ev.CardMoved(card=None, from_="deck", to=seat_place(seat)))

    def street(self, cards: int) -> None:
        self.see(ev.CardMoved(card=None, from_="deck", to="burn"))
        deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
        left = [card for card in deck if card not in self._running.state.board]
        for card in self._random.sample(left, cards):
            self.see(ev.CardMoved(card=card, from_="deck", to="board", face="up"))

    def fold(self, seat: int) -> None:
        place = seat_place(seat)
        self.see(*(ev.CardMoved(card=None, from_=place, to="muck", by="player") for _ in range(2)))


def test_thirty_clean_hands_with_card_antennas_cost_one_tap_each(thumb: Make) -> None:
    subject = thumb(players=6, betting=None, levels=ANTENNAS)
    antennas = Antennas(subject.running, 7)
    subject.running.fusion.next = lambda state, expects: None  # what is read is said by `antennas`
    rng = random.Random(1)
    for number in range(1, 31):
        before = subject.taps
        subject.tap("next")
        antennas.deal()
        streets = rng.choice([0, 1, 2, 3])
        for street in range(streets):
            if rng.random() < 0.6 and len(subject.running.state.in_hand()) > 2:
                antennas.fold(rng.choice(subject.running.state.in_hand()))
            antennas.street(3 if street == 0 else 1)
        state = subject.running.state
        assert len(state.board) == (0, 3, 4, 5)[streets]
        assert subject.running.question is None, subject.running.question
        assert subject.running.ruled == (-1, ())
        assert subject.taps - before == 1
        assert state.hand == number
        view = subject.view()
        assert [tap.name for tap in view.taps] == ["next"]
        assert view.say != "Jouez la main"  # the cards are followed: it says what comes
    subject.tap("next")
    bodies = told(subject.running)
    assert sum(isinstance(body, m.HandEnd) for body in bodies) == 30
    assert not [body for body in bodies if isinstance(body, (m.Incident, m.Ruling))]


def test_who_is_out_is_not_dealt_in_any_more(thumb: Make) -> None:
    subject = thumb(players=4, betting=None)
    subject.tap("next")
    outcome = subject.tap("out", "seat-3", "out")
    assert outcome.done
    assert subject.asked == [("seat_empty", 3)]
    out = next(tap for tap in subject.sheet("seat?seat=2").taps if tap.name == "out")
    assert out.hold
    assert 3 in subject.running.state.seats  # the running hand is as it was
    subject.tap("next")
    assert sorted(subject.running.state.seats) == [1, 2, 4]


def test_misdeal_is_said_and_the_hand_is_dealt_again_with_the_same_button(thumb: Make) -> None:
    subject = thumb(players=5, betting=None)
    subject.tap("next")
    sheet = subject.sheet("what?group=exposed_card&pick=first_card_exposed&seat=2&answers=no")
    apply = sheet.taps[0]
    assert apply.name == "apply" and apply.hold
    assert subject.do(apply.deed, dict(apply.fields)).done
    assert subject.running.state.phase == "void"
    assert subject.view().say == "Reprenez tout et redonnez"
    subject.tap("redeal")
    state = subject.running.state
    assert (state.hand, state.button, state.phase) == (1, 1, "dealing")
    bodies = told(subject.running)
    ruled = [body for body in bodies if isinstance(body, m.Ruling)]
    assert [(body.ruling, body.article) for body in ruled] == [("misdeal", "ROPTA misdeal a")]
    assert sum(isinstance(body, m.Misdeal) for body in bodies) == 1


def test_what_the_book_says_is_kept_though_nobody_follows_the_hand(thumb: Make) -> None:
    subject = thumb(players=5, betting=None)
    subject.tap("next")
    fields = {"incident": "premature_turn", "facts": '{"sa_since": false}'}
    assert subject.do("claim", fields).done
    assert subject.running.state.phase == "dealing"  # the table still follows nothing
    notes = [e.body for d in subject.running.take_drafts() for e in d.entries if e.kind == "note"]
    assert any(b'"consulted"' in note and b"premature_turn" in note for note in notes)


def test_in_light_mode_all_facts_of_a_case_are_asked_of_people(thumb: Make) -> None:
    subject = thumb(players=5, betting=None)
    subject.tap("next")
    sheet = subject.sheet("what?group=wrong_deal&pick=wrong_card_count&seat=2")
    assert sheet.taps[0].name.startswith("answer-")  # before or after action: only people know


def test_counts_at_a_break_reach_the_record(thumb: Make) -> None:
    subject = thumb(players=3, betting=None)
    subject.tap("next")
    sheet = subject.sheet("counts")
    assert [tap.name for tap in sheet.taps] == ["count-1", "count-2", "count-3"]
    assert subject.do("stack", {"seat": "2", "amount": "12300"}).done
    counts = [body for body in told(subject.running) if isinstance(body, m.Counted)]
    assert [(body.seat, body.counted, body.by) for body in counts] == [(2, 12300, "thumb")]


def test_next_hand_of_the_panel_ends_the_hand_too(thumb: Make) -> None:
    from firmware_bridge.codes import BUTTONS
    from firmware_bridge.observations import Button
    from table_controller.fusion.presses import Presses

    subject = thumb(players=4, betting=None)
    subject.running.fusion._presses = Presses(("NEXT_HAND",))
    number = next(key for key, name in BUTTONS.items() if name == "NEXT_HAND")
    for hand in (1, 2, 3):
        down = Button(t=float(hand), device="b", id=number, pressed=True, count=2 * hand, gap=False)
        up = Button(t=hand + 0.5, device="b", id=number, pressed=False, count=2 * hand + 1, gap=False)
        subject.running.take(down)
        subject.running.take(up)
        assert subject.running.state.hand == hand
