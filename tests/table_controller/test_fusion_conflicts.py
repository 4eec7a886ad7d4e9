"""Named conflicts of tags, places that are not covered, and what is known of a card or chip that is not read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import events as ev
from engine.vocabulary import DECK
from table_controller import dealer_page, notes
from table_controller import fusion as fusion_package
from table_controller import messages as m
from table_controller.fusion import Coverage, Fusion
from table_controller.inventory import HiddenCard, Tags
from tests.table_controller.rig import Rig, card_uid
from tests.table_controller.test_fusion_cards import DEAL_4, called_round, dealt
from webkit.language import Catalogue

SECOND_TAG = "04C1C0DE000001"
STRANGER = "04FFFFFFFFFF01"


def reasons(rig: Rig) -> set[tuple[str, str]]:
    return {(doubt.place, doubt.reason) for doubt in rig.running.doubts}


def everybody_in(rig: Rig, count: int) -> None:
    """Nothing was concluded: the deal stands as it was, and nobody is asked."""
    assert rig.state.in_hand() == list(range(1, count + 1))
    assert rig.running.question is None and not rig.told(m.Incident)


# -- one tag at two places -----------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["seat2", "seat4", "board", "burn", "muck"])
def test_a_tag_reported_by_another_reader_as_well_is_named_and_stays_where_it_is(other: str) -> None:
    """A reader that gives out the tag of another one: never is the card of one place at the other."""
    rig = dealt(Rig(4))
    mine = card_uid(rig.holes(3)[0])
    rig.lie[other].add(mine)
    rig.wait(30.0)
    assert {("seat3", "card_read_twice"), (other, "card_read_twice")} <= reasons(rig)
    assert rig.moves() == DEAL_4
    everybody_in(rig, 4)
    assert set(rig.running.fusion.hand(3)) == set(rig.holes(3))


@pytest.mark.parametrize("other", ["seat2", "board", "muck"])
def test_it_stays_there_while_its_own_reader_misses_it(other: str) -> None:
    rig = dealt(Rig(4))
    mine = {card_uid(card) for card in rig.holes(3)}
    for _ in range(6):
        rig.lie[other] |= mine
        rig.wait(5.0)
        rig.lie["seat3"] -= mine
        rig.wait(4.0)
        rig.lie["seat3"] |= mine
        rig.wait(3.0)
    assert rig.moves() == DEAL_4
    everybody_in(rig, 4)


def test_the_conflict_is_over_when_one_of_them_is_gone() -> None:
    rig = dealt(Rig(4))
    mine = card_uid(rig.holes(3)[0])
    rig.lie["seat4"].add(mine)
    rig.wait(10.0)
    rig.lie["seat4"].discard(mine)
    rig.wait(1.0)
    assert reasons(rig) == set()
    assert m.Doubt(place="seat4", reason="card_read_twice", resolved=True) in rig.told(m.Doubt)


def test_a_card_on_its_way_is_no_conflict() -> None:
    rig = dealt(Rig(4))
    rig.muck(3)
    rig.wait(5.0)
    assert rig.state.seats[3].folded
    assert not [doubt for doubt in rig.told(m.Doubt) if doubt.reason == "card_read_twice"]


def test_a_card_of_the_deal_between_two_antennas_goes_to_whom_it_is_due() -> None:
    rig = Rig(4)
    rig.start()
    rig.lie["seat2"].add(card_uid(rig.holes(1)[0]))
    rig.card(rig.holes(1)[0], "seat1", then=0)
    rig.lie["seat2"].add(card_uid(rig.holes(1)[0]))
    rig.wait(12.0)
    assert rig.moves() == [("deck", "seat1")] and rig.running.question is None
    assert ("seat2", "card_read_twice") in reasons(rig)


# -- two tags of one card ------------------------------------------------------------------------------------


def two_tags(rig: Rig, card: str) -> None:
    """The club's file names a second tag for a card."""
    tags = rig.running.fusion._cards._tags
    tags.take(Tags({**tags.cards, SECOND_TAG: HiddenCard(card, "red")}, {}))


def test_two_tags_of_one_card_are_named_and_the_second_is_no_card_of_this_hand() -> None:
    rig = called_round(dealt(Rig(4)))
    two_tags(rig, rig.holes(1)[0])
    rig.put([SECOND_TAG], "board")
    rig.wait(30.0)
    assert {("seat1", "same_card_twice"), ("board", "same_card_twice")} <= reasons(rig)
    assert rig.state.board == () and rig.running.question is None
    rig.put([SECOND_TAG], None)
    rig.wait(1.0)
    assert reasons(rig) == set()


def test_the_doubt_names_no_card() -> None:
    rig = called_round(dealt(Rig(4)))
    two_tags(rig, rig.holes(1)[0])
    rig.put([SECOND_TAG], "board")
    rig.wait(5.0)
    assert f'"{rig.holes(1)[0]}"'.encode() not in rig.everything()


# -- the other deck, and tags of no deck ---------------------------------------------------------------------


def test_a_card_of_the_other_deck_where_a_card_is_due_is_named() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.card("Ks", "burn", then=0.8)
    rig.card("2c", "board", deck="blue", then=10.0)
    assert ("board", "other_deck") in reasons(rig)
    assert rig.state.board == () and rig.running.question is None
    rig.card("2c", None, deck="blue", then=1.0)
    rig.card("3c", "board", then=1.0)
    assert rig.state.board == ("3c",) and reasons(rig) == set()


def test_a_card_of_the_other_deck_that_is_dealt_is_named_at_its_seat() -> None:
    rig = Rig(4)
    rig.start()
    rig.card(rig.holes(1)[0], "seat1")
    rig.card("As", "seat2", deck="blue", then=10.0)
    assert ("seat2", "other_deck") in reasons(rig)
    rig.card("As", None, deck="blue")
    rig.card(rig.holes(2)[0], "seat2", then=1.0)
    assert rig.moves() == [("deck", "seat1"), ("deck", "seat2")] and reasons(rig) == set()


def test_two_decks_take_turns_hand_by_hand() -> None:
    """While one is dealt the other is shuffled over an antenna; the next hand it is the other way round."""
    rig = Rig(4)
    for hand, (deck, resting) in enumerate((("red", "blue"), ("blue", "red"), ("red", "blue")), 1):
        rig.start() if hand == 1 else rig.press("NEXT_HAND")
        order = list(rig.state.order)
        for turn in (0, 1):
            for seat in order:
                rig.card(rig.holes(seat)[turn], f"seat{seat}", deck=deck)
                rig.card("As", "muck", deck=resting, then=0.4)
                rig.card("As", None, deck=resting, then=0.1)
        assert rig.state.phase == "preflop" and rig.running.fusion.deck_in_play == deck
        assert all(len(rig.running.fusion.hand(seat)) == 2 for seat in rig.seats)
        while rig.state.to_act is not None:
            rig.press("FOLD")
        rig.press("POT")
        assert rig.state.phase == "over"
        for seat in order:
            for card in rig.holes(seat):
                rig.card(card, None, deck=deck, then=0)
        rig.wait(3.0)
    assert rig.running.question is None and not rig.told(m.Incident)
    assert not [doubt for doubt in rig.told(m.Doubt) if doubt.reason == "other_deck"]


def test_a_tag_that_nobody_has_taught_is_asked_about_when_it_lies_still() -> None:
    rig = dealt(Rig(4))
    for _ in range(20):  # ghosts: read once
        rig.lie["seat2"].add(STRANGER)
        rig.scan("seat2")
        rig.lie["seat2"].discard(STRANGER)
        rig.wait(1.0)
    assert rig.running.question is None and not rig.of(ev.ForeignCard)
    rig.lie["seat2"].add(STRANGER)
    rig.wait(5.0)
    assert [note.incident for note in rig.noted(notes.Asked)] == ["foreign_card"]


# -- what is covered -----------------------------------------------------------------------------------------


def test_seven_antennas_of_ten_deal_ten_hands_and_doubt_none() -> None:
    rig = Rig(10, blind=("seat8", "seat9", "seat10"))
    rig.start()
    rig.deal()
    rig.press("YES")
    assert rig.state.phase == "preflop"
    assert rig.running.fusion.readable(8) is None and rig.running.fusion.readable(7) == 2
    assert rig.told(m.Doubt) == [] and rig.running.question is None


def test_one_antenna_for_two_places_tells_the_cards_of_both_by_their_order() -> None:
    places: list[str | tuple[str, ...]] = [
        "deck",
        ("seat1", "seat2"),
        ("seat3", "seat4"),
        ("board", "burn"),
        "muck",
    ]
    rig = Rig(4, places=places)
    rig.start()
    rig.deal()
    assert rig.state.phase == "preflop" and rig.running.question is None
    assert rig.moves() == DEAL_4
    called_round(rig)
    rig.card("Ks", "burn", then=1.0)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board", then=0.6)
    rig.wait(1.0)
    assert rig.state.board == ("2c", "3c", "4c") and rig.state.burns == (None,)


# -- what is not read ----------------------------------------------------------------------------------------


def test_a_card_once_seen_at_a_seat_is_held_to_be_there() -> None:
    rig = dealt(Rig(4))
    mine = {card_uid(card) for card in rig.holes(2)}
    rig.unread |= mine
    rig.wait(600.0)
    assert set(rig.running.fusion.hand(2)) == set(rig.holes(2))
    assert rig.running.fusion.readable(2) == 0
    everybody_in(rig, 4)
    assert rig.running.doubts == ()


def test_doubt_comes_only_when_the_answer_is_needed() -> None:
    """The two cards of a seat lie under a guard: nothing is shown until they are to be shown or counted."""
    rig = dealt(Rig(4))
    rig.unread |= {card_uid(card) for card in rig.holes(2)}
    called_round(rig)
    rig.street("2c", "3c", "4c", burn="Ks")
    while rig.state.to_act is not None:
        rig.press("CHECK")
    assert not rig.told(m.Doubt)


def test_the_account_is_of_the_cards_read_since_the_shuffle() -> None:
    rig = dealt(Rig(4))
    account = rig.running.fusion._cards.account
    assert (len(account), account.deck) == (8, "red")
    rig.running.say(ev.HandEnded(), "page")
    rig.wait(2.5)
    rig.press("CUT")
    assert (len(account), account.deck) == (0, None)


def blinds_and_deal() -> Rig:
    """Four players with tagged chips: blinds are in, the cards are dealt."""
    rig = Rig(4, chips=True)
    rig.start()
    rig.bet(1, 50, then=1.0)
    rig.bet(2, 100, then=1.0)
    rig.deal()
    return rig


def test_a_missing_chip_is_said_with_the_place_where_it_was_read_last() -> None:
    rig = blinds_and_deal()
    chip = rig.pick(4, 1000)
    rig.put(chip, None)
    rig.wait(20.0)
    assert rig.running.doubts == ()
    rig.wait(20.0)
    assert reasons(rig) == {("stack4", "chips_missing")}
    rig.put(chip, "stack4")
    rig.wait(5.0)
    assert reasons(rig) == {
        ("stack4", "chips_missing")
    }  # one read is no proof: it may be read once in a while
    rig.wait(8.0)
    assert rig.running.doubts == ()


def test_a_chip_read_once_in_a_while_is_one_hint_that_stands() -> None:
    rig = blinds_and_deal()
    chip = rig.pick(4, 1000)
    rig.put(chip, None)
    rig.wait(35.0)
    for _ in range(5):
        rig.put(chip, "stack4")
        rig.wait(1.0)
        rig.put(chip, None)
        rig.wait(7.0)
        assert reasons(rig) == {("stack4", "chips_missing")}


def test_change_from_the_bank_is_not_missing() -> None:
    rig = blinds_and_deal()
    rig.put(rig.pick(4, 100), None)
    rig.values["E0FF000000320001"] = rig.values["E0FF000000320002"] = 50
    rig.running.fusion._chips._tags._chips.update(rig.values)  # type: ignore[union-attr]
    rig.put(["E0FF000000320001", "E0FF000000320002"], "stack4")
    rig.wait(60.0)
    assert rig.running.doubts == ()
    # and another that is missed for a moment is not taken for the one that went to the bank
    rig.put(rig.pick(4, 1000), None)
    rig.wait(4.0)
    assert rig.running.doubts == ()


# -- words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_doubt_is_an_instruction_in_both_languages(lang: str) -> None:
    found: set[str] = set()
    for path in Path(fusion_package.__file__).parent.glob("*.py"):
        found |= set(re.findall(r'DoubtAt\([^"]*"([a-z_]+)"\)', path.read_text(encoding="utf-8")))
    assert {"card_read_twice", "same_card_twice", "other_deck", "fold_not_seen", "chips_missing"} <= found
    catalogue = Catalogue(Path(dealer_page.__file__).parent / "locales")
    for reason in found:
        text = catalogue.text(lang, f"doubt.{reason}", None, place="X")
        assert text and "doubt." not in text


def test_a_table_without_any_antenna_doubts_nothing() -> None:
    fusion = Fusion(
        Tags({card_uid(card): HiddenCard(card, "red") for card in DECK}, {}),
        Coverage({}, "board"),
        Rig(2).running.fusion._timing,
    )
    assert fusion.doubts == () and fusion.readable(1) is None


def test_a_neighbours_card_read_at_a_seat_that_has_folded_is_not_told_there() -> None:
    """A hand that is gone gets no card: whose card is read there lies at another seat, unread for the moment."""
    rig = Rig(4)
    rig.start()
    rig.deal()
    seat = rig.order[2]
    assert rig.state.to_act == seat
    rig.muck(seat)
    rig.press("FOLD")
    assert rig.state.seats[seat].folded
    other = rig.order[3]
    card = card_uid(rig.holes(other)[1])
    cards = rig.running.fusion._cards
    spot = cards.lying.spots[card]
    rig.lie[f"seat{other}"].discard(card)
    rig.lie[f"seat{seat}"].add(card)
    rig.scan()
    spot.told = None  # it was read only once where it was dealt, so nobody says that it lies there
    cards._moving.add(card)
    rig.wait(7.0)
    assert spot.told is None
    assert rig.running.fusion._cards.hand(seat) == ()
    assert rig.running.question is None
