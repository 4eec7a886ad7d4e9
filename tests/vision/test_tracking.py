"""Cards followed over a simulated table by an oracle's outlines: what is told of them, and what is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.camera_stage import Stage
from hw_sim.camera_place import Pose, lies_at, seat_spot
from hw_sim.camera_scene import player_hand
from vision.detect import SeenCard
from vision.sightings import Sighting
from vision.tracking import CardAt, Tracker
from vision.zones import Zones, standard_zones


@pytest.fixture
def stage() -> Stage:
    subject = Stage()
    subject.run(0.8)
    return subject


def kinds(stage: Stage) -> list[tuple[str, str, str]]:
    return [(s.kind, s.zone, s.face) for s in stage.sightings() if s.zone != "deck"]


def test_a_clean_deal_tells_arrivals_and_nothing_else(stage: Stage) -> None:
    for seat in (1, 4, 7, 10, 1, 4, 7, 10):
        stage.move(stage.world.top(), f"seat{seat}")
    stage.run(1.0)
    assert {kind for kind, _, _ in kinds(stage)} == {"arrived"}
    assert {zone for _, zone, _ in kinds(stage)} == {"seat1", "seat4", "seat7", "seat10"}
    assert all(face == "down" for _, _, face in kinds(stage))
    assert all(s.card is None for s in stage.sightings())


def test_a_card_turned_over_on_its_way_is_exposed_in_flight_and_at_rest(stage: Stage) -> None:
    card = stage.world.top()
    stage.move(card, "seat5", face="up", shows=True)
    stage.run(0.6)
    flight, rest = stage.sightings("exposed_in_flight"), stage.sightings("exposed_at_rest")
    assert [s.card for s in rest] == [card.name] and [s.zone for s in rest] == ["seat5"]
    assert len(flight) == 1 and flight[0].track == rest[0].track and flight[0].origin == "deck"


def test_a_flash_on_the_way_is_told_though_it_lies_face_down(stage: Stage) -> None:
    stage.move(stage.world.top(), "seat6", shows=True)
    stage.run(0.6)
    assert [(k, f) for k, z, f in kinds(stage) if z != "deck"] == [
        ("exposed_in_flight", "up"),
        ("arrived", "down"),
    ]


def test_a_card_beside_the_table_or_between_the_places_is_dropped(stage: Stage) -> None:
    card = stage.world.top()
    stage.move(card, "off_table")
    other = stage.world.top()
    stage.move(other, "felt", face="up")
    stage.run(0.8)
    dropped = stage.sightings("dropped")
    assert [(s.zone, s.face) for s in dropped] == [("floor", "down"), ("corridor", "up")]
    true = {each.uid: each for each in stage.scene.truth(stage.t)}
    for sighting, uid in zip(dropped, (card.uid, other.uid), strict=True):
        # where the felt's plane is seen: beyond the rail a card lies lower than that
        x, y = stage.calibration.plane().to_mm(true[uid].quad).mean(axis=0)
        assert abs(sighting.x - x) < 5 and abs(sighting.y - y) < 5
    assert abs(dropped[1].x - true[other.uid].x) < 5 and abs(dropped[1].y - true[other.uid].y) < 5
    assert dropped[1].card == other.name


def test_a_card_that_a_player_turns_is_turned(stage: Stage) -> None:
    card = stage.world.top()
    stage.move(card, "seat2")
    stage.run(1.5)
    stage.world.turn(card, "up")
    stage.run(0.8)
    (turned,) = stage.sightings("turned")
    assert (turned.zone, turned.face, turned.card) == ("seat2", "up", card.name)
    assert turned.rested > 1.0
    assert not stage.sightings("exposed_at_rest")


def test_a_boxed_card_shows_on_top_of_the_deck(stage: Stage) -> None:
    stage.world.turn(stage.world.top(), "up")
    stage.run(0.8)
    (turned,) = [s for s in stage.sightings() if s.face == "up"]
    assert (turned.zone, turned.card) == ("deck", stage.world.top().name)
    assert turned.kind in ("turned", "exposed_at_rest")


def test_a_hand_before_a_card_holds_its_last_state(stage: Stage) -> None:
    stage.move(stage.world.top(), "seat3")
    stage.run(0.8)
    x, y, _ = seat_spot(3)
    before = len(stage.sightings())
    # the hand moves a little all the time, as hands do
    for number in range(40):
        t = stage.t + number / 15
        stage.scene.hands.append(player_hand(3, x + 8 * (number % 2), y + 5 * (number % 3), t, t + 0.07))
    stage.run(4.0)
    assert len(stage.sightings()) == before


def test_what_lies_over_a_board_card_covers_it(stage: Stage) -> None:
    for _ in range(3):
        stage.move(stage.world.top(), "board", face="up")
    stage.run(0.6)
    card = stage.world.cards("board")[1]
    pose = lies_at("board", 1, card.uid)
    assert pose is not None
    stage.scene.over.append((pose.x, pose.y, 48.0))
    stage.run(3.2)
    assert [(s.kind, s.zone, s.card) for s in stage.sightings("covered", "left")] == [
        ("covered", "board", card.name)
    ]


def test_a_card_that_is_taken_away_has_left(stage: Stage) -> None:
    card = stage.world.top()
    stage.move(card, "seat8")
    stage.run(0.6)
    stage.world.move_card(card, "rest")
    stage.run(1.6)
    assert [(s.kind, s.zone) for s in stage.sightings("left")] == [("left", "seat8")]


def test_a_card_on_its_way_is_above_the_felt_and_beyond_the_rail_it_falls() -> None:
    watcher = Stage().watcher
    plane = watcher.plane
    assert plane is not None
    over, beyond = (
        watcher._lowered(Sighting(kind="exposed_in_flight", track=1, at=0.0, x=x, y=y, zone=zone), plane)
        for x, y, zone in ((600.0, 0.0, "corridor"), (1050.0, 520.0, "floor"))
    )
    # the camera hangs 1.9 m over (0, 260)
    assert over.x == pytest.approx(593.7, abs=0.3) and over.y == pytest.approx(2.7, abs=0.3)
    assert (beyond.x, beyond.y, beyond.zone) == (1050.0, 520.0, "floor")


def tracker() -> Tracker:
    return Tracker(Zones(standard_zones(1840.0, 940.0)))


def lying(name: str | None, sure: float = 0.95, *, up: bool = True, x: float = 0.0) -> list[CardAt]:
    return [CardAt(x, 10.0, 0.0, up, 0.99, (name, sure) if name else None)]


def feed(subject: Tracker, names: list[str | None], **more: bool) -> list[Sighting]:
    told: list[Sighting] = []
    for number, name in enumerate(names):
        told += subject.feed(lying(name, **more), number / 15)
    return told


def test_identity_abstains_when_the_votes_do_not_agree() -> None:
    (agreed,) = feed(tracker(), ["Ah"] * 8)
    (split,) = feed(tracker(), ["Ah", "Ad"] * 4)
    assert (agreed.card, split.card) == ("Ah", None)
    assert agreed.confidence >= 0.98


@pytest.mark.parametrize(
    ("sure", "told"),
    [
        ((0.95,) * 8, "Ah"),
        ((0.7,) * 8, None),
        ((0.6, 0.99, *(0.6,) * 6), None),
        ((0.6, 0.9, 0.92, *(0.6,) * 5), "Ah"),
    ],
)
def test_many_pictures_that_are_half_sure_of_a_name_tell_none(
    sure: tuple[float, ...], told: str | None
) -> None:
    subject, sightings = tracker(), []
    for number, weight in enumerate(sure):
        sightings += subject.feed(lying("Ah", weight), number / 15)
    assert [(s.kind, s.card) for s in sightings] == [("arrived", told)]


@pytest.mark.parametrize(("last", "told"), [("Ah", "Ah"), ("Ad", None)])
def test_a_name_that_the_last_pictures_contradict_is_not_told(last: str, told: str | None) -> None:
    subject, sightings = tracker(), []
    for number in range(40):
        card = (
            CardAt(-300, 150, 0, False, 0.99)
            if number < 2
            else CardAt(-300, 150, 0, True, 0.99, ("Ah", 0.99))
        )
        subject.feed([card], number / 15)
    for number in range(2):
        card = CardAt(-250 + 50 * number, 150, 0, True, 0.99, (last, 0.99))
        sightings += subject.feed([card], (40 + number) / 15, moving=lambda x, y: True)
    assert [(s.kind, s.card) for s in sightings] == [("exposed_in_flight", told)]


@pytest.mark.parametrize(("sure", "told"), [(0.96, "Ah"), (0.92, None)])
def test_a_name_on_the_way_must_be_surer_than_at_rest(sure: float, told: str | None) -> None:
    subject, sightings = tracker(), []
    for number in range(4):
        card = CardAt(-300 + 40 * number, 150.0, 0.0, number > 0, 0.99, ("Ah", sure) if number else None)
        sightings += subject.feed([card], number / 15)
    assert [(s.kind, s.face, s.card) for s in sightings] == [("exposed_in_flight", "up", told)]


def test_a_card_that_lay_face_up_and_is_moved_on_face_down_showed_nothing_on_its_way() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    for number in range(8):
        told += subject.feed([CardAt(-600, 150, 0, True, 0.99)], 2.0 + number / 15)
    before = [s.kind for s in told]
    # the picture in which it begins to move shows its face, in the next ones it is turned over
    for number in range(6):
        told += subject.feed(
            [CardAt(-560 + 80 * number, 170, 0, number == 0, 0.99)],
            2.0 + (8 + number) / 15,
            moving=lambda x, y: True,
        )
    assert len(before) == 1 and [s.kind for s in told[1:] if s.kind == "exposed_in_flight"] == []


def test_a_card_that_lay_face_up_and_is_lost_over_the_board_is_no_covered_board_card() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    times = iter(2.0 + number / 15 for number in range(100))
    for _ in range(8):
        told += subject.feed([CardAt(200, -360, 0, True, 0.99)], next(times))
    for step in range(
        1, 5
    ):  # pushed to the muck over the board; there it is turned over, and other cards lie about
        told += subject.feed(
            [CardAt(200 - 45 * step, -360 + 100 * step, 0, True, 0.99)], next(times), moving=lambda x, y: True
        )
    for _ in range(60):
        told += subject.feed([], next(times), changed=lambda x, y: True)
    assert [(s.kind, s.zone) for s in told if s.kind != "exposed_in_flight"] == [
        ("exposed_at_rest", "seat6"),
        ("left", "seat6"),
    ]
    assert (told[-1].x, told[-1].y) == (200.0, -360.0)


def test_of_two_cards_at_a_seat_the_one_that_stays_does_not_turn_when_the_other_is_folded() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    times = iter(2.0 + number / 15 for number in range(100))
    stays = CardAt(185, -358, 0, False, 0.99)
    for _ in range(8):
        told += subject.feed([CardAt(231, -363, 0, True, 0.99), stays], next(times))
    told.clear()
    # The other flies over it, and is all that is found at first.
    for step in range(1, 6):
        flying = CardAt(231 - 46 * step, -363 + 110 * step, 0.2 * step, step < 4, 0.99)
        seen = [flying] if step < 3 else [flying, stays]
        told += subject.feed(seen, next(times), moving=lambda x, y: y < 200, searched=lambda x, y: y > -300)
    for _ in range(8):
        told += subject.feed([CardAt(0, 190, 0.8, False, 0.99), stays], next(times))
    assert [s for s in told if s.kind == "turned"] == []


def test_a_card_that_passes_over_a_board_card_does_not_take_its_place() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    times = iter(2.0 + number / 15 for number in range(100))
    board = CardAt(0, 10, 0, True, 0.99)
    for _ in range(8):
        told += subject.feed([CardAt(200, -360, 0, True, 0.99), board], next(times))
    told.clear()
    for x, y in (
        (140, -230),
        (75, -110),
        (12, -15),
    ):  # the last lies over the board card, which is not found then
        seen = [CardAt(x, y, 0.5, True, 0.99)] + ([board] if y < -100 else [])
        told += subject.feed(seen, next(times), moving=lambda x, y: True)
    for _ in range(12):  # turned over and lost among others in the muck
        told += subject.feed([board], next(times), moving=lambda x, y: y > 100)
    for _ in range(20):
        told += subject.feed([board], next(times))
    assert [(s.kind, s.zone) for s in told if s.kind != "exposed_in_flight"] == [("left", "seat6")]


@pytest.mark.parametrize(("step", "told"), [(12.0, ["dropped"]), (40.0, [])])
def test_a_card_of_which_outlines_differ_by_a_little_lies_still(step: float, told: list[str]) -> None:
    subject, kinds = tracker(), []
    subject.feed([], 0.0)
    for number in range(12):  # on a printed marker: now and then its edge is taken for the card's
        x = -278.0 + (step if number % 3 == 2 else 0.0)
        kinds += [s.kind for s in subject.feed([CardAt(x, -528, 0, False, 0.99)], 2.0 + number / 15)]
    assert kinds == told


def test_a_flash_beside_a_card_is_not_that_card() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    times = iter(2.0 + number / 15 for number in range(100))
    lies = CardAt(-392, 367, 0, True, 0.99)

    def yes(x: float, y: float) -> bool:
        return True

    def no(x: float, y: float) -> bool:
        return False

    for _ in range(8):
        told += subject.feed([lies], next(times))
    told.clear()
    for cards in ([CardAt(-316, 264, 0, True, 0.99)], [lies, CardAt(-496, 249, 0, True, 0.99)]):
        told += subject.feed(cards, next(times), moving=yes, searched=no, stirred=no)
    assert [(s.kind, s.x, s.y) for s in told] == [("exposed_in_flight", -496.0, 249.0)]


def test_a_card_thrown_off_the_table_is_known_by_where_it_lay_long_before() -> None:
    stage = Stage()
    stage.run(0.8)
    card = stage.world.top()
    stage.move(card, "seat5")
    stage.run(4.0)
    stage.move(card, "off_table", who="seat5")
    stage.run(0.8)
    assert [(s.zone, s.origin) for s in stage.sightings("dropped")] == [("floor", "seat5")]


def test_few_pictures_a_second_are_enough_to_come_to_rest() -> None:
    subject, told = tracker(), []
    for number in range(5):
        told += subject.feed(lying("Ah", up=False), 2.0 + 0.8 * number, searched=lambda x, y: False)
    assert [s.kind for s in told] == ["arrived"]
    assert subject.settling() == []


def test_a_face_seen_in_one_picture_of_three_is_no_exposure() -> None:
    subject = tracker()
    told: list[Sighting] = []
    for number, up in enumerate([False, True, False, False, True, False, False]):
        told += subject.feed([CardAt(-300 + 60 * number, 150.0, 0.0, up, 0.99)], number / 15)
    assert told == []


def test_two_cards_that_pass_one_another_keep_their_numbers() -> None:
    subject = tracker()
    told: list[Sighting] = []
    for number in range(16):
        at = min(number, 8)
        told += subject.feed(
            [
                CardAt(-320 + 20 * at, 10.0, 0, True, 0.99, ("2c", 0.99)),
                CardAt(160 - 20 * at, 40.0, 0, True, 0.99, ("9d", 0.99)),
            ],
            number / 15,
        )
    rest = {s.card: s.x for s in told if s.kind == "arrived"}
    assert rest == {"2c": pytest.approx(-160.0), "9d": pytest.approx(0.0)}


def test_a_card_that_falls_where_another_lay_before_is_a_drop_of_its_own() -> None:
    subject = tracker()
    told = subject.feed([], 0.0)
    t = 2.0
    for _ in range(12):  # the first lies face up on the floor, the second still on the deck
        told += subject.feed(
            [CardAt(-1049, 506, 0, True, 0.99), CardAt(130, 330, 0, False, 0.99)],
            t,
            searched=lambda x, y: True,
        )
        t += 1 / 15
    assert [(s.kind, s.zone) for s in told if s.zone == "floor"] == [("dropped", "floor")]
    told.clear()
    # A hand has taken the first; before anybody is sure of it the second flies there and stops at once.
    for x, y in [(-230, 376), (-533, 437), (-795, 499), (-1010, 543), *[(-1049, 556)] * 8]:
        told += subject.feed(
            [CardAt(x, y, 0, False, 0.99)],
            t,
            moving=lambda at_x, at_y: True,
        )
        t += 1 / 15
    assert [(s.kind, s.zone, s.origin, s.face) for s in told if s.zone == "floor"] == [
        ("dropped", "floor", "deck", "down")
    ]


def test_a_card_laid_elsewhere_by_hand_counts_where_it_lies(stage: Stage) -> None:
    card = stage.world.top()
    stage.scene.lies[card.uid] = Pose(-300.0, -60.0, 0.4)
    stage.move(card, "aside", face="down")
    stage.run(0.6)
    assert [(s.kind, s.zone) for s in stage.sightings() if s.zone != "deck"] == [("dropped", "corridor")]


def test_a_printed_marker_that_is_taken_for_a_card_is_none() -> None:
    stage = Stage()
    marker = stage.calibration.markers[1]
    quad = stage.calibration.plane().to_pixels(
        [[marker.x + a, marker.y + b] for a, b in ((-31, -44), (31, -44), (31, 44), (-31, 44))]
    )
    phantom = SeenCard(quad.astype(np.float32), False, None, 0.99, 1.0)
    stage.watcher._find = lambda frame, **more: [phantom]
    stage.run(1.5)
    assert stage.sightings() == []


def test_a_wrist_that_looks_like_a_back_on_the_rail_is_no_drop() -> None:
    stage = Stage()
    stage.run(1.0)
    stage.scene.hands.append(player_hand(4, *seat_spot(4)[:2], stage.t, stage.t + 1.5))
    x, y, out = seat_spot(4)
    at_x, at_y = x + 150 * math.cos(out), y + 150 * math.sin(out)
    corners = [
        [at_x + a * math.cos(out) - b * math.sin(out), at_y + a * math.sin(out) + b * math.cos(out)]
        for a, b in ((-44, -31), (44, -31), (44, 31), (-44, 31))
    ]
    wrist = SeenCard(stage.calibration.plane().to_pixels(corners).astype(np.float32), False, None, 0.99, 1.0)
    stage.watcher._find = lambda frame, **more: [wrist] if stage.scene._hands(stage.t) else []
    stage.run(3.0)
    assert [s for s in stage.sightings() if s.kind == "dropped"] == []


def test_a_back_on_the_rail_is_a_drop_as_soon_as_it_lies_by_itself() -> None:
    subject, told = tracker(), []
    subject.feed([], 0.0)
    for number in range(20):
        told += subject.feed([CardAt(0, -520, 0, False, 0.99, alone=number > 9)], 2.0 + number / 15)
    assert [(s.kind, s.zone) for s in told] == [("dropped", "rail")]
    assert told[0].at == pytest.approx(2.0 + 12 / 15, abs=1e-3)


def test_an_arm_pulled_back_is_no_card_that_flies_off() -> None:
    told: dict[bool, list[str]] = {}
    for alone in (False, True):
        subject = tracker()
        subject.feed([], 0.0)
        kinds: list[str] = []
        for number, y in enumerate((-300, -380, -460, -540)):
            told_now = subject.feed([CardAt(0, y, 0, False, 0.99, alone=alone)], 2.0 + number / 15)
            kinds += [s.kind for s in told_now]
        for number in range(4, 20):
            kinds += [s.kind for s in subject.feed([], 2.0 + number / 15)]
        told[alone] = kinds
    assert told == {False: [], True: ["dropped"]}
