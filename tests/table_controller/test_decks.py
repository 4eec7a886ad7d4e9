"""The decks in people's hands: a count with its progress, a deck put away, a card with a new tag."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from engine import events as ev
from engine.vocabulary import DECK
from table_controller import notes
from table_controller.decks import DeckCare, DeckRefused
from table_controller.enrolment.files import decks_of, write_decks
from tests.table_controller.rig import Rig, card_uid

NEW = "04FFEEDDCCBBAA"
PHONE = "08123456"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "deck.csv"
    write_decks(path, {card_uid(card, deck): (card, deck) for deck in ("red", "blue") for card in DECK})
    return path


def table(file: Path | None = None, **parts: object) -> tuple[Rig, DeckCare]:
    rig = Rig(3, **parts)  # type: ignore[arg-type]
    rig.wait(1.0)
    rig.decks = DeckCare(rig.running, rig.tags, file)
    return rig, rig.decks


def pass_over(rig: Rig, uids: Iterable[str], place: str = "board") -> None:
    """One card after the other over an antenna."""
    for uid in uids:
        rig.put([uid], place)
        rig.wait(0.5)
        rig.put([uid], None)
    rig.wait(0.5)


def tags(deck: str = "red") -> list[str]:
    return [card_uid(card, deck) for card in DECK]


def counts(rig: Rig) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What was recorded of counts of the red deck: missing, extra."""
    return [(each.missing, each.extra) for each in rig.of(ev.DeckCounted) if each.deck == "red"]


def said(care: DeckCare) -> str:
    assert care.view.said is not None
    return care.view.said[0]


def test_std_deck_count_a_whole_deck_counts_itself() -> None:
    """STD deck count: the check is done when the last card has passed, and is in the record."""
    rig, care = table()
    care.count("red")
    pass_over(rig, tags()[:31])
    assert care.view.work is not None
    assert (care.view.work.seen, care.view.work.missing) == (31, None)
    pass_over(rig, reversed(tags()[31:]), "seat2")
    assert care.view.work is None
    assert said(care) == "whole"
    assert counts(rig) == [((), ())]
    assert [row.counted for row in care.view.rows] == [True, None]


def test_std_deck_count_what_is_missing_is_named_and_refused() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, [tag for tag in tags() if tag != card_uid("Kh")])
    with pytest.raises(DeckRefused) as unseen:
        care.conclude("page:x")
    assert unseen.value.code == "not_shown"
    care.ask_missing()
    assert care.view.work is not None
    assert care.view.work.missing == ("Kh",)
    care.conclude("page:x")
    rig.collect()
    assert counts(rig) == [(("Kh",), ())]
    assert care.view.said == ("not_whole", {"deck": "red", "count": 51})
    assert [ruling.ruling for ruling in rig.running.ruled[1]] == ["start_refused"]
    assert care.view.rows[0].counted is False


def test_a_card_found_again_makes_the_count_whole() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, tags()[1:])
    care.ask_missing()
    pass_over(rig, tags()[:1], "burn")
    assert said(care) == "whole"


def test_no_name_leaves_before_somebody_asks() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, tags()[:20])
    assert not [card for card in DECK if card in repr(care.view).replace("'red'", "")]


def test_other_decks_cards_and_strangers_stop_the_count_for_people() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, [card_uid("2c", "blue"), PHONE, *tags()])
    work = care.view.work
    assert work is not None
    assert (work.seen, work.others, work.strangers) == (52, (("2c", "blue"),), 1)
    care.ask_missing()
    care.conclude("page:x", others_are_in=True)
    rig.collect()
    assert counts(rig) == [((), ("2c",))]


def test_cards_of_the_resting_deck_beside_the_antenna_are_not_extra() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, [card_uid("2c", "blue"), *tags()])
    assert care.view.work is not None  # it waits for a person's word
    care.ask_missing()
    care.conclude("page:x")
    rig.collect()
    assert counts(rig) == [((), ())]


def test_counting_is_no_play() -> None:
    """What passes over the antennas while a deck is counted asks nothing and moves nothing."""
    rig, care = table()
    care.count("red")
    pass_over(rig, [*tags()[:10], PHONE], "seat1")
    assert rig.of(ev.CardMoved) == []
    assert rig.of(ev.ForeignCard) == []
    assert rig.running.question is None


def test_a_hand_that_begins_ends_the_work_and_is_dealt_as_ever() -> None:
    rig, care = table()
    care.count("red")
    pass_over(rig, tags()[:10])
    rig.start()
    rig.deal()
    assert said(care) == "hand_began"
    assert care.view.hand
    assert [to for _, to in rig.moves()] == ["seat1", "seat2", "seat3"] * 2
    with pytest.raises(DeckRefused) as running:
        care.count("blue")
    assert running.value.code == "hand_is_running"


def test_work_that_nobody_goes_on_with_ends() -> None:
    rig, care = table()
    care.count("red")
    rig.t += 601.0
    rig.wait(0.5)
    assert care.view.work is None
    assert said(care) == "gone"


def test_ropta_deck_change_a_deck_that_was_put_away_does_not_play() -> None:
    """ROPTA deck change: the spare is dealt; a card of the deck that was put away is asked about."""
    rig, care = table()
    care.put_away("red", "page:x")
    assert [row.stands for row in care.view.rows] == ["away", "ready"]
    rig.start()
    for turn in (0, 1):
        for seat in rig.order:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", deck="blue")
    assert [to for _, to in rig.moves()] == ["seat1", "seat2", "seat3"] * 2
    assert rig.running.question is None


def test_a_card_of_the_deck_that_was_put_away_is_not_dealt() -> None:
    rig, care = table()
    care.put_away("red", "page:x")
    rig.start()
    rig.card("2h", "seat1", deck="red")
    rig.wait(3.0)
    assert rig.moves() == []
    assert rig.expected() == "deal"


def test_the_last_deck_stays() -> None:
    _, care = table()
    care.put_away("red", "page:x")
    with pytest.raises(DeckRefused) as last:
        care.put_away("blue", "page:x")
    assert last.value.code == "last_deck"
    care.take_up("red", "page:x")
    care.put_away("blue", "page:x")
    assert [row.stands for row in care.view.rows] == ["ready", "away"]


def test_what_was_put_away_stays_so_after_a_restart() -> None:
    rig, care = table()
    care.put_away("red", "page:x")
    rig.collect()
    kept = rig.noted(notes.HereSet)[-1].here
    again, _ = table()
    again.running.here = kept
    found = DeckCare(again.running, again.tags, None)
    assert [row.stands for row in found.view.rows] == ["away", "ready"]


def test_a_new_tag_is_written_in_the_old_ones_line_and_plays_at_once(file: Path) -> None:
    rig, care = table(file)
    care.replace("red", "2h")
    rig.put([NEW], "burn")
    rig.wait(1.5)
    assert care.view.work is not None
    assert care.view.work.found
    assert card_uid("2h") in decks_of(file)  # nothing before a person's word
    care.confirm(right=True)
    rows = decks_of(file)
    assert rows[NEW] == ("2h", "red")
    assert card_uid("2h") not in rows
    assert [*rows].index(NEW) == DECK.index("2h")
    assert care.view.said == ("replaced", {"deck": "red", "card": "2h"})
    rig.put([NEW], None)
    rig.start()
    rig.put([NEW], "seat1")
    rig.wait(1.0)
    assert rig.moves() == [("deck", "seat1")]
    assert rig.running.question is None


def test_a_card_that_lies_there_already_is_found(file: Path) -> None:
    """A board tells a level only when it changes: it is asked for all of them when the work begins."""
    rig, care = table(file)
    rig.put([NEW], "burn")
    rig.wait(1.0)
    asked: list[str] = []
    care.ask_boards = lambda: asked.append("now")
    care.replace("red", "2h")
    assert asked == ["now"]
    rig.scan()
    rig.wait(1.0)
    assert care.view.work is not None
    assert care.view.work.found


def test_a_phone_is_no_card(file: Path) -> None:
    """One unknown tag waits for a word; refused, it is not looked at again; two are too many."""
    rig, care = table(file)
    before = file.read_bytes()
    care.replace("red", "2h")
    rig.put([PHONE], "burn")
    rig.wait(1.5)
    care.confirm(right=False)
    rig.wait(1.5)
    assert care.view.work is not None
    assert not care.view.work.found
    rig.put([NEW, "04010203040506"], "seat1")
    rig.wait(1.5)
    assert care.view.work.several
    with pytest.raises(DeckRefused) as none:
        care.confirm(right=True)
    assert none.value.code == "no_tag"
    assert file.read_bytes() == before


def test_a_taught_card_is_never_taken_for_the_new_one(file: Path) -> None:
    rig, care = table(file)
    care.replace("red", "2h")
    rig.put([card_uid("3h", "blue")], "burn")
    rig.wait(1.5)
    assert care.view.work is not None
    assert not care.view.work.found


def test_a_file_that_cannot_be_written_stays_and_is_told(file: Path) -> None:
    rig, care = table(file)
    care.replace("red", "2h")
    rig.put([NEW], "burn")
    rig.wait(1.5)
    file.write_text("uid,card,deck\n")
    with pytest.raises(DeckRefused) as refused:
        care.confirm(right=True)
    assert refused.value.code == "file"
    assert file.read_text() == "uid,card,deck\n"
    assert rig.tags.card(card_uid("2h")) is not None


def test_a_table_whose_antennas_read_no_cards_counts_by_hand() -> None:
    _, care = table(places=["pot"])
    with pytest.raises(DeckRefused) as blind:
        care.count("red")
    assert blind.value.code == "no_antenna"
