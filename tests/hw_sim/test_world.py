"""What truly lies where, and what of it can be read."""

import random

import pytest

from hw_sim.errors import WorldError
from hw_sim.world import CARD_NAMES, Piles, World, make_chips, make_deck


def make_world(piles: Piles | None = None, seed: str = "1") -> World:
    rng = random.Random("world")
    decks = {"A": make_deck("A", 7, rng), "B": make_deck("B", 8, rng)}
    return World(decks, make_chips({25: 20, 100: 20}, rng), piles=piles or Piles(), seed=seed)


def dealing(world: World) -> World:
    world.stack_deck("A", CARD_NAMES)
    return world


def test_two_decks_of_52_tags_of_their_own_kind() -> None:
    subject = make_world()
    cards = [card for deck in subject.decks.values() for card in deck]
    assert len({card.uid for card in cards}) == 104
    assert {card.name for card in subject.decks["A"]} == set(CARD_NAMES)
    assert all(len(card.uid) == 14 and card.uid.startswith("04") for card in subject.decks["A"])
    assert all(len(card.uid) == 16 and card.uid.startswith("E0") for card in subject.decks["B"])
    assert all(chip.uid.startswith("E0") for chip in subject.all_chips)


def test_the_stub_in_the_hand_is_on_no_antenna_and_a_squared_deck_answers_two_at_most() -> None:
    counts = set()
    subject = dealing(make_world())
    assert subject.readable("deck") == ()
    for _ in range(40):
        subject.put_deck()
        shows = subject.readable("deck")
        counts.add(len(shows))
        # the lowest cards are next to the antenna
        assert list(shows) == [card.uid for card in subject.cards("deck")[: len(shows)]]
        subject.take_deck()
        assert subject.readable("deck") == ()
    assert counts == {0, 1, 2}


def test_the_deck_is_dealt_from_the_top() -> None:
    subject = dealing(make_world())
    assert subject.top().name == CARD_NAMES[0]
    subject.move_card(subject.top(), "seat1", face="down")
    assert subject.top().name == CARD_NAMES[1]
    subject.put_deck()
    with pytest.raises(WorldError, match="no card in the dealer's hand"):
        subject.top()


def test_the_resting_deck_is_silent_everywhere() -> None:
    subject = dealing(make_world())
    resting = {card.uid for card in subject.decks["B"]}
    assert {subject.where(uid) for uid in resting} == {"rest"}
    assert subject.readable("rest") == ()


@pytest.mark.parametrize("place", ["burn", "muck"])
def test_a_pile_shows_only_its_newest(place: str) -> None:
    subject = dealing(make_world())
    uids = []
    for _ in range(5):
        uids.append(subject.top().uid)
        subject.move_card(subject.top(), place, face="down")
        assert list(subject.readable(place)) == uids[-2:]
    one = dealing(make_world(Piles(newest=1)))
    for _ in range(3):
        last = one.top()
        one.move_card(last, place, face="down")
    assert one.readable(place) == (last.uid,)


def test_from_the_third_aligned_card_on_nothing_is_read() -> None:
    subject = dealing(make_world())
    for _ in range(3):
        subject.move_card(subject.top(), "seat2", face="down")
    assert len(subject.readable("seat2")) == 3
    subject.square("seat2")
    assert len(subject.readable("seat2")) == 2
    subject.square("seat2", False)
    assert len(subject.readable("seat2")) == 3
    other = dealing(make_world(Piles(aligned=3)))
    for _ in range(4):
        other.move_card(other.top(), "seat2", face="down")
    other.square("seat2")
    assert len(other.readable("seat2")) == 3


def test_the_board_and_standing_chips_are_read_whole() -> None:
    subject = dealing(make_world())
    for _ in range(5):
        subject.move_card(subject.top(), "board", face="up")
    assert len(subject.readable("board")) == 5
    chips = subject.bank_chips([25] * 12 + [100] * 9)
    assert subject.move_chips(chips, "stack4") == 1200
    assert len(subject.readable("stack4")) == 21
    subject.move_chips(chips[:3], "air")
    assert len(subject.readable("stack4")) == 18
    assert subject.readable("air") == ()


def test_no_antenna_reaches_cards_beside_the_table() -> None:
    subject = dealing(make_world())
    for place in ("off_table", "felt", "aside", "air", "hand"):
        subject.move_card(subject.top(), place)
        assert subject.readable(place) == ()


def test_every_move_changes_the_version_of_both_places() -> None:
    subject = dealing(make_world())
    before = dict(subject.versions)
    subject.move_card(subject.top(), "seat1", face="down")
    assert subject.versions["hand"] > before["hand"]
    assert subject.versions["seat1"] > before["seat1"]
    assert subject.versions["seat2"] == before["seat2"]


def test_faces_and_places_are_known() -> None:
    subject = dealing(make_world())
    card = subject.top()
    subject.move_card(card, "seat1", face="down")
    assert subject.face(card) == "down"
    subject.turn(card, "up")
    assert subject.face(card) == "up"
    assert subject.places()["seat1"] == card.name
    assert subject.places()["hand"] == "51 cards"
    subject.rest_deck("A")
    assert subject.face(card) == "down"
    assert subject.places() == {}


def test_what_cannot_be_is_refused() -> None:
    subject = make_world()
    with pytest.raises(WorldError, match="no cards can lie at stack1"):
        subject.move_card(subject.decks["A"][0], "stack1")
    with pytest.raises(WorldError, match="no chips can lie at seat1"):
        subject.move_chips(subject.bank_chips([25]), "seat1")
    with pytest.raises(WorldError, match="no chip of 25 left"):
        subject.bank_chips([25] * 21)
    with pytest.raises(WorldError, match="52 different"):
        subject.stack_deck("A", CARD_NAMES[:51])
    with pytest.raises(WorldError, match="UIDs of 5 bytes"):
        make_deck("C", 5, random.Random(1))
