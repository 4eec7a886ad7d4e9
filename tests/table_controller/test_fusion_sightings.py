"""The camera's word beside the antennas': what becomes of it at the engine, alone, together and in contradiction."""

from __future__ import annotations

from typing import Any

import pytest

from engine import events as ev
from firmware_bridge.observations import DeviceState
from table_controller import notes
from table_controller.fusion.sightings import Sighted
from tests.table_controller.rig import HOLES, Rig, card_uid
from vision.sightings import Sighting


class Watched(Rig):
    """A table of wood and tags with somebody who says what a camera would."""

    def __init__(self, players: int = 4, **more: Any) -> None:
        super().__init__(players, **more)
        self.tracks = 0
        self.camera("ready")

    def camera(self, state: str) -> None:
        self.feed(DeviceState(t=self.t, device="camera", state=state))  # type: ignore[arg-type]

    def sees(self, kind: str, zone: str, *, track: int | None = None, then: float = 0.0, **more: Any) -> int:
        """The camera sees something; gives the card's track."""
        if track is None:
            self.tracks += 1
            track = self.tracks
        fields: dict[str, Any] = {"confidence": 0.99, **more}
        sighting = Sighting(kind=kind, track=track, at=self.t, zone=zone, **fields)  # type: ignore[arg-type]
        self.feed(Sighted(t=self.t, device="camera", sighting=sighting))  # type: ignore[arg-type]
        if then:
            self.wait(then)
        return track

    def deal_seen(self, count: int, *, last: str = "") -> None:
        """Deal so many cards, each seen by camera and antenna; `last` is how the last of them is seen."""
        places = [*self.order, *self.order][:count]
        for number, seat in enumerate(places):
            turn = number // len(self.order)
            card = self.holes(seat)[turn]
            lies = f"seat{seat}"
            self.put([card_uid(card)], lies)
            self.wait(0.2)
            if number == count - 1 and last:
                getattr(self, last)(lies, card)
            else:
                self.sees("arrived", lies, origin="deck")
            self.wait(0.5)

    def exposed(self, place: str, card: str) -> None:
        track = self.sees("exposed_in_flight", "corridor", origin="deck", face="up", card=card)
        self.wait(0.3)
        self.sees("exposed_at_rest", place, track=track, origin="deck", face="up", card=card)

    def flashed(self, place: str, card: str) -> None:
        track = self.sees("exposed_in_flight", place, origin="deck", face="up", card=card)
        self.wait(0.3)
        self.sees("arrived", place, track=track, origin="deck")

    def asked(self) -> list[str]:
        return [note.incident for note in self.noted(notes.Asked)]


@pytest.mark.parametrize("number", [3, 5, 8])
def test_an_exposed_card_of_the_deal_is_one_act_that_rests_on_both(number: int) -> None:
    rig = Watched(sensors="tell")
    rig.start()
    rig.deal_seen(number, last="exposed")
    rig.wait(2.0)
    card = HOLES[number - 1]
    shown = [
        e
        for e in rig.events
        if isinstance(e, ev.CardExposed) or (isinstance(e, ev.CardMoved) and e.face == "up")
    ]
    assert [e.card for e in shown] == [card]
    assert len(rig.of(ev.CardMoved)) == number
    assert {r.incident for r in rig.running.ruled[1]} == {"card_exposed_in_deal"}


def test_asked_and_denied_the_deal_goes_on_as_if_it_had_come_face_down() -> None:
    rig = Watched(sensors="ask")
    rig.start()
    rig.deal_seen(3, last="exposed")
    assert rig.asked() == ["card_exposed_in_deal"]
    assert rig.running.question is not None and "camera" in rig.running.question.offer.evidence
    rig.press("NO")
    rig.wait(1.0)
    assert len(rig.of(ev.CardMoved)) == 3 and not rig.of(ev.CardExposed)
    assert rig.running.question is None


def test_first_card_exposed_is_the_first_of_the_deal() -> None:
    rig = Watched(sensors="ask")
    rig.start()
    rig.deal_seen(1, last="exposed")
    assert rig.asked() == ["first_card_exposed"]


@pytest.mark.parametrize("missed", [3, 8])
def test_a_card_that_its_antenna_does_not_read_is_dealt_by_the_cameras_word(missed: int) -> None:
    """The deal goes on as it was dealt; read later it is no card too many, and no word is taken for the deal's end."""
    rig = Watched()
    rig.start()
    rig.unread.add(card_uid(HOLES[missed - 1]))
    rig.deal_seen(8)
    rig.wait(3.0)
    assert rig.moves() == [("deck", f"seat{seat}") for seat in rig.order * 2]
    assert rig.state.phase == "preflop" and rig.asked() == []
    rig.unread.clear()
    rig.wait(12.0)
    assert len(rig.of(ev.CardMoved)) == 8 and rig.asked() == [] and rig.running.doubts == ()


def test_where_the_camera_saw_nothing_come_the_deal_waits_for_the_antenna() -> None:
    rig = Watched()
    rig.start()
    rig.unread.add(card_uid(HOLES[7]))
    rig.deal_seen(7)
    rig.put([card_uid(HOLES[7])], f"seat{rig.order[-1]}")
    rig.wait(4.0)
    assert len(rig.of(ev.CardMoved)) == 7 and rig.state.phase == "dealing"


def test_a_card_flashed_at_the_edge_is_seen_by_most() -> None:
    rig = Watched(sensors="tell")
    rig.start()
    rig.deal_seen(4, last="flashed")
    rig.wait(1.0)
    (event,) = rig.of(ev.CardExposed)
    assert (event.seen_by, event.by, event.card) == ("majority", "dealer", HOLES[3])
    assert {r.incident for r in rig.running.ruled[1]} == {"card_flashed_in_deal"}


def test_a_corner_is_seen_by_some_and_its_card_stays_secret() -> None:
    rig = Watched(sensors="tell")
    rig.start()
    rig.deal_seen(3)
    seat = rig.order[0]
    rig.sees(
        "turned", f"seat{seat}", origin=f"seat{seat}", face="up", card="2h", visible=0.3, rested=3.0, then=0.5
    )
    (event,) = rig.of(ev.CardExposed)
    assert (event.seen_by, event.card, event.by) == ("some", None, "player")
    assert b"2h" not in rig.everything()


def test_a_card_that_fell_from_the_dealers_hand_is_dropped() -> None:
    rig = Watched(sensors="tell", book="ropta")
    rig.start()
    rig.deal_seen(4)
    rig.sees("dropped", "floor", origin="deck", face="up", card="6h", then=0.5)
    assert rig.of(ev.CardMoved)[-1].to == "off_table"
    assert {r.incident for r in rig.running.ruled[1]} == {"card_dropped_by_dealer"}


def test_a_players_card_on_the_floor_is_his() -> None:
    rig = Watched(sensors="tell")
    rig.start()
    rig.deal_seen(8)
    rig.wait(2.0)
    rig.sees("dropped", "floor", origin="seat2", face="down", rested=6.0, then=2.0)
    event = rig.of(ev.CardMoved)[-1]
    assert (event.from_, event.to, event.by, event.card) == ("seat2", "off_table", "player", None)


@pytest.mark.parametrize(
    ("went", "source", "by"),
    [
        (["seat2"], "seat2", "player"),
        (["seat2", "seat2"], "deck", "dealer"),
        (["seat2", "seat3"], "deck", "dealer"),
    ],
)
def test_a_card_that_was_seen_only_where_it_fell_is_of_the_seat_that_misses_one(
    went: list[str], source: str, by: str
) -> None:
    rig = Watched(sensors="tell")
    rig.start()
    rig.deal_seen(8)
    rig.wait(2.0)
    rig.sees("dropped", "floor", origin="deck", face="down", then=0.5)
    for place in went:
        rig.sees("left", place, origin=place, face="down")
    rig.wait(2.0)
    event = rig.of(ev.CardMoved)[-1]
    assert (event.from_, event.to, event.by) == (source, "off_table", by)


def test_turned_after_a_rest_is_the_players_and_at_once_is_the_dealers() -> None:
    for rested, by in ((2.0, "player"), (0.4, "dealer"), (0.7, "unknown")):
        rig = Watched(sensors="tell", book="ppc2011")
        rig.start()
        rig.deal_seen(3)
        seat = rig.order[1]
        rig.sees("turned", f"seat{seat}", origin=f"seat{seat}", face="up", card="3h", rested=rested, then=0.5)
        assert [event.by for event in rig.of(ev.CardExposed)] == [by]


def test_a_boxed_card_is_the_decks() -> None:
    rig = Watched(sensors="ask", book="ropta")
    rig.start()
    rig.deal_seen(2)
    rig.sees("turned", "deck", origin="deck", face="up", card="Kc", rested=1.0, then=0.3)
    assert rig.asked() == ["boxed_card"]


def test_cards_pushed_face_down_towards_the_muck_mean_nothing() -> None:
    rig = Watched(sensors="ask")
    rig.start()
    rig.deal_seen(8)
    rig.wait(2.0)
    rig.sees("dropped", "corridor", origin="seat1", face="down", then=5.0)
    assert rig.asked() == [] and len(rig.of(ev.CardMoved)) == 8


def test_hands_shown_at_the_end_are_no_irregularity() -> None:
    rig = to_the_flop()
    before = len(rig.events)
    for _ in range(3):
        for _ in rig.order:
            rig.press("CHECK")
        if rig.state.phase != "showdown" and len(rig.state.board) < 5:
            rig.street(("7c", "8c")[len(rig.state.board) - 3], burn=("Qs", "Ks")[len(rig.state.board) - 3])
    assert rig.state.phase == "showdown"
    rig.sees("turned", "seat1", origin="seat1", face="up", card=rig.holes(1)[0], rested=30.0, then=3.0)
    assert rig.asked() == [] and not any(isinstance(e, ev.CardExposed) for e in rig.events[before:])


def to_the_flop(**more: Any) -> Watched:
    rig = Watched(sensors="ask", **more)
    rig.start()
    rig.deal_seen(8)
    rig.wait(1.5)
    for word in ("CALL", "CALL", "CALL", "CHECK"):
        rig.press(word)
    rig.street("2c", "3c", "4c", burn="As")
    for card in ("2c", "3c", "4c"):
        rig.sees("arrived", "board", origin="deck", face="up", card=card)
    rig.wait(4.0)
    assert rig.state.board == ("2c", "3c", "4c") and rig.asked() == []
    return rig


def test_what_both_read_on_the_board_is_told_once() -> None:
    rig = to_the_flop()
    assert [event.card for event in rig.of(ev.CardMoved) if event.to == "board"] == ["2c", "3c", "4c"]
    assert rig.running.doubts == ()


def test_a_board_without_an_antenna_is_the_cameras() -> None:
    rig = Watched(sensors="ask", blind=("board", "burn"))
    rig.start()
    rig.deal_seen(8)
    rig.wait(1.5)
    for word in ("CALL", "CALL", "CALL", "CHECK"):
        rig.press(word)
    rig.sees("arrived", "burn", origin="deck", then=0.8)
    for card in ("2c", "3c", "4c"):
        rig.sees("arrived", "board", origin="deck", face="up", card=card, then=0.3)
    assert rig.state.board == ("2c", "3c", "4c") and len(rig.state.burns) == 1 and rig.asked() == []
    rig.sees("arrived", "board", origin="deck", face="up", card="9c", then=3.0)
    assert rig.asked() == ["flop_too_many_cards"]


def test_a_table_of_camera_alone_deals() -> None:
    rig = Watched(sensors="ask", places=("muck",))
    rig.start()
    for turn in (0, 1):
        for seat in rig.order:
            rig.sees("arrived", f"seat{seat}", origin="deck", x=100.0 * turn, then=0.5)
    rig.wait(0.5)
    assert rig.state.phase == "preflop" and [seat.dealt for seat in rig.state.seats.values()] == [2] * 4
    assert rig.asked() == []


def test_a_covered_board_is_still_readable() -> None:
    rig = to_the_flop()
    rig.sees("covered", "board", origin="board", face="up", card="3c", then=0.5)
    assert rig.asked() in (["board_disturbed"], [])
    if rig.running.question is not None:
        rig.press("YES")
    assert [event.readable for event in rig.of(ev.BoardDisturbed)] == [True]


def test_the_other_decks_card_on_the_board_is_named() -> None:
    rig = to_the_flop()
    rig.put([card_uid("9d", "blue")], "board")
    rig.wait(1.0)
    rig.sees("arrived", "board", origin="deck", face="up", card="9d", then=1.0)
    assert rig.asked() == ["wrong_deck"]


def test_two_cards_of_one_name_in_sight_are_a_duplicate() -> None:
    rig = to_the_flop()
    rig.sees("exposed_at_rest", "seat2", origin="deck", face="up", card="3c", then=2.0)
    assert "duplicate_card" in rig.asked()


def test_a_reading_that_the_antenna_denies_is_a_named_doubt() -> None:
    rig = to_the_flop()
    elsewhere = rig.holes(2)[0]
    rig.sees("arrived", "board", origin="board", face="up", card=elsewhere, then=3.0)
    assert [(d.place, d.reason) for d in rig.running.doubts] == [("board", "camera_contradicts")]
    assert elsewhere not in rig.state.board


def test_a_lost_camera_leaves_the_antennas_as_they_were() -> None:
    rig = Watched(sensors="ask")
    rig.camera("lost")
    rig.start()
    rig.deal()
    assert rig.state.phase == "preflop" and rig.running.doubts == ()
