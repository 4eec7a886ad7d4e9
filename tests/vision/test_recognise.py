"""Readers and enrolled decks."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.detect import find_cards
from vision.detect.geometry import straighten
from vision.enrolling import joined
from vision.models import FOLDER, ModelMissing, run
from vision.process import with_decks
from vision.recognise import CARDS, DeckUnusable, EnrolledDeck, Enrolment, read_crops, read_patches
from vision.recognise.cards import best, combined, joint

HERE = Path(__file__).parent / "pictures"


@pytest.fixture(scope="module")
def crops() -> dict[str, Any]:
    """The cards of the rendered board, straightened by their true outlines."""
    picture = np.asarray(cv2.imread(str(HERE / "board.jpg")), np.uint8)
    return {
        str(entry["card"] or "back"): straighten(picture, np.array(entry["quad"], np.float32), 64, 96)
        for entry in json.loads((HERE / "board.json").read_text(encoding="utf-8"))
    }


def test_faces_and_the_back_are_told_apart_and_faces_named(crops: dict[str, Any]) -> None:
    readings = read_crops(list(crops.values()))
    for name, kind, table in zip(crops, readings.kind, readings.cards, strict=True):
        if name == "back":
            assert kind.argmax() == 2
        else:
            assert kind.argmax() == 1
            assert best(table)[0] == name


def test_a_card_reads_the_same_from_its_other_end(crops: dict[str, Any]) -> None:
    names = [name for name in crops if name != "back"]
    turned = [np.ascontiguousarray(crops[name][::-1, ::-1]) for name in names]
    assert [best(table)[0] for table in read_crops(turned).cards] == names


def test_nothing_to_read_gives_empty_tables() -> None:
    assert read_crops([]).cards.shape == (0, 53)
    assert read_patches([]).shape == (0, 53)


def test_probabilities_of_cards_and_none_sum_to_one() -> None:
    rank, suit = np.full((1, 14), 1 / 14, np.float32), np.full((1, 5), 0.2, np.float32)
    table = joint(rank, suit)
    assert table.sum() == pytest.approx(1, abs=1e-4)
    assert best(table[0])[0] is None


def test_two_readings_that_disagree_are_not_sure() -> None:
    first, second = np.full(53, 0.001, np.float32), np.full(53, 0.001, np.float32)
    first[3], second[9] = 0.95, 0.95
    assert best(combined(first, second))[1] < 0.6
    assert best(combined(first, first))[1] > 0.99


def test_an_enrolled_deck_names_its_cards_and_its_back(crops: dict[str, Any], tmp_path: Path) -> None:
    enrolment = Enrolment("club-1")
    for name, crop in crops.items():
        enrolment.add(name, [crop])
    assert "3c" in enrolment.missing and "Ah" not in enrolment.missing
    file = tmp_path / "club-1.npz"
    enrolment.finish(partial=True).save(file)
    deck = EnrolledDeck.load(file)
    assert deck.name == "club-1"
    softer = {name: cv2.GaussianBlur(crop, (0, 0), 0.8) for name, crop in crops.items()}
    readings = read_crops(list(softer.values()))
    for name, features in zip(softer, readings.features, strict=True):
        table, similar, is_back = deck.compare(features)
        assert similar > 0.8
        assert is_back is (name == "back")
        if name != "back":
            assert CARDS[int(table[:52].argmax())] == name


@pytest.mark.parametrize(
    "change", [{"reader": np.array(["0" * 16])}, {"form": np.array([1]), "reader": None}]
)
def test_a_deck_that_another_reader_saw_must_be_enrolled_again(
    crops: dict[str, Any], tmp_path: Path, change: dict[str, Any]
) -> None:
    enrolment = Enrolment("club-3")
    enrolment.add("Ah", [crops["Ah"]])
    file = tmp_path / "club-3.npz"
    enrolment.finish(partial=True).save(file)
    with np.load(file) as stored:
        kept = {**stored, **change}
    with file.open("wb") as stream:
        np.savez(stream, **{key: value for key, value in kept.items() if value is not None})
    with pytest.raises(DeckUnusable, match="enrolled with another reader") as caught:
        EnrolledDeck.load(file)
    assert "enrol the deck again" in caught.value.hint and str(file) in str(caught.value)


def test_enrolment_refuses_what_cannot_be(crops: dict[str, Any]) -> None:
    enrolment = Enrolment("club-2")
    with pytest.raises(DeckUnusable, match="there is no card"):
        enrolment.add("1x", [crops["Ah"]])
    with pytest.raises(DeckUnusable, match="shows a face"):
        enrolment.add("back", [crops["Ah"]])
    enrolment.add("Ah", [crops["Ah"]])
    with pytest.raises(DeckUnusable, match="not shown yet"):
        enrolment.finish()
    enrolment.add("Kh", [crops["Ah"]])
    with pytest.raises(DeckUnusable, match="look the same"):
        enrolment.finish(partial=True)


def test_a_file_that_is_no_deck_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deck.npz"
    file.write_text("uid,card", encoding="utf-8")
    with pytest.raises(DeckUnusable) as caught:
        EnrolledDeck.load(file)
    assert str(file) in str(caught.value)
    with pytest.raises(DeckUnusable):
        EnrolledDeck.load(tmp_path / "absent.npz")


def test_the_networks_are_small_and_a_missing_one_says_what_to_do() -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("*.onnx")) <= 6_300_000
    with pytest.raises(ModelMissing, match="make train"):
        run("absent", np.zeros((1, 8, 8, 3), np.uint8))


def _deck(name: str, crops: dict[str, Any]) -> EnrolledDeck:
    enrolment = Enrolment(name)
    for card, crop in crops.items():
        enrolment.add(card, [crop])
    return enrolment.finish(partial=True)


def test_a_decks_own_faces_weigh_more_than_a_network_that_never_saw_them(crops: dict[str, Any]) -> None:
    """A reader that is wrongly sure is overruled; where the deck knows nothing its word stands."""
    deck = _deck("club", crops)
    name = next(card for card in crops if card != "back")
    features = read_crops([crops[name]]).features[0]
    wrong = np.full(53, 1e-4, np.float32)
    wrong[(CARDS.index(name) + 5) % 52] = 0.99
    assert best(deck.read(wrong, features))[0] == name


def test_decks_that_take_turns_are_read_as_one(crops: dict[str, Any]) -> None:
    names = [card for card in crops if card != "back"]
    halves = [{card: crops[card] for card in names[::2]}, {card: crops[card] for card in names[1::2]}]
    both = joined([_deck("red", halves[0]), _deck("blue", halves[1])])
    assert both is not None and both.name == "red+blue" and joined([]) is None
    for name, features in zip(names, read_crops([crops[card] for card in names]).features, strict=True):
        assert CARDS[int(both.compare(features)[0][:52].argmax())] == name


def test_a_card_taken_back_is_missing_again(crops: dict[str, Any]) -> None:
    enrolment = Enrolment("club", _deck("club", crops))
    name = next(card for card in crops if card != "back")
    features = read_crops([crops[name]]).features[0]
    assert enrolment.like(features, "2c", 0.99) == name and enrolment.like(features, name, 0.99) is None
    enrolment.take_back(name)
    assert name in enrolment.missing and enrolment.like(features, "2c", 0.99) is None


def test_a_deck_that_cannot_be_used_is_said_and_the_camera_reads_without_it(
    crops: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "red.npz"
    _deck("red", crops).save(file)
    find, wrong = with_decks(find_cards, (str(file), str(tmp_path / "blue.npz")))
    assert "blue.npz" in wrong and "red.npz" not in wrong and find is not find_cards
    assert with_decks(find_cards, ()) == (find_cards, "")
    find, wrong = with_decks(find_cards, (str(tmp_path / "blue.npz"),))
    assert find is find_cards and wrong
