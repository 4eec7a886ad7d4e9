"""What a dealer taps at a table without counters of chips reaches the tournament as it was meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from tests.tournament_hub.test_directing import CLUB, CONFIG, UTC, Room3
from tournament_hub.config import parse_config
from tournament_hub.effects import Inbound
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place


@pytest.fixture
def uncounted(tmp_path: Path) -> Iterator[Room3]:
    """A tournament that records no stacks."""
    config = parse_config(CONFIG.replace("starting_stack = 1000\n", ""), "hub.toml", tmp_path)
    room = Room3(tmp_path, config)
    yield room
    room.store.close()


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Room3]:
    room = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    yield room
    room.store.close()


def ask(room: Room3, kind: str, **fields: object) -> m.Response:
    request = m.encode(m.Request(tx="r1", t=1.0, utc=UTC, by="page", **fields))  # type: ignore[arg-type]
    with room.store.transaction():
        room.room.feed(Inbound(m.topics.request(CLUB, "t1", kind), request), room.now, room.utc)
        room.room.publish(room.now, room.utc)
    answers = [out.payload for out in room.room.take().outbound if out.kind == "response"]
    assert len(answers) == 1
    return m.decode(answers[0], m.Response)


def test_out_at_a_table_that_counts_no_chips_is_a_bust_and_can_be_undone(uncounted: Room3) -> None:
    uncounted.begin()
    seat, entry = sorted(uncounted.tournament.state.tables["t1"].seats.items())[0]
    assert ask(uncounted, "seat_empty", seat=seat, entry=entry).ok
    assert uncounted.tournament.state.entries[entry].where == "out"
    assert entry not in [each.entry for each in uncounted.desired("t1").seats]
    number = next(r.n for r in uncounted.tournament.log if isinstance(r.event, ev.Busted))
    with uncounted.store.transaction():
        uncounted.tournament.undo(number, "director", uncounted.now, UTC)
        uncounted.room.publish(uncounted.now, UTC)
    assert uncounted.tournament.state.entries[entry].where == "seated"
    assert (seat, entry) in [(each.seat, each.entry) for each in uncounted.desired("t1").seats]


def test_an_empty_seat_with_chips_on_record_eliminates_nobody(counted: Room3) -> None:
    """Unknown is not zero, and known is not zero either: the director is called and decides."""
    counted.begin()
    counted.play("t1")
    seat, entry = sorted(counted.tournament.state.tables["t1"].seats.items())[0]
    assert ask(counted, "seat_empty", seat=seat, entry=entry).ok
    assert counted.tournament.state.entries[entry].where == "seated"
    calls = list(counted.tournament.state.calls.values())
    assert [(call.kind, call.table, call.seat, call.hold) for call in calls] == [("chips", "t1", seat, False)]


def test_a_stack_known_from_the_start_is_no_count(counted: Room3) -> None:
    """At a table that has counted nothing the dealer's word is the only one there is."""
    counted.begin()
    seat, entry = sorted(counted.tournament.state.tables["t1"].seats.items())[0]
    assert ask(counted, "seat_empty", seat=seat, entry=entry).ok
    assert counted.tournament.state.entries[entry].where == "out"
    assert counted.tournament.state.tables["t1"].loose == 1000


def test_events_that_are_on_their_way_for_a_moment_make_no_table_unheard(counted: Room3) -> None:
    counted.begin()
    voice = counted.voices["t1"]
    voice.seq += 1  # told by the heartbeat, not here yet
    counted.pass_time(1.0)
    counted.pass_time(1.0)
    assert counted.tournament.state.tables["t1"].heard
    counted.pass_time(1.5)
    assert not counted.tournament.state.tables["t1"].heard


def test_a_move_is_told_by_the_dealers_of_both_tables(counted: Room3) -> None:
    counted.begin()
    counted.play("t1", loser=sorted(counted.tournament.state.tables["t1"].seats.values())[0])
    origin = sorted(counted.tournament.state.tables["t2"].seats.items())[0]
    target = next(s for s in range(1, 5) if s not in counted.tournament.state.tables["t1"].seats)
    counted.say(ev.MovePlanned(move="m9", entry=origin[1], target=Place("t1", target), reason="balance"))
    assert [(out.seat, out.to) for out in counted.desired("t2").moves_out] == [
        (origin[0], m.TableSeat(table="t1", seat=target))
    ]
    assert "move" in counted.desired("t2").hold
    request = m.encode(m.Request(tx="r2", t=1.0, utc=UTC, seat=origin[0], move="m9", counted=1000, by="page"))
    with counted.store.transaction():
        topic = m.topics.request(CLUB, "t2", "seat_departed")
        counted.room.feed(Inbound(topic, request), counted.now, UTC)
        counted.room.publish(counted.now, UTC)
    counted.room.take()
    assert counted.tournament.state.moves["m9"].state == "in_transit"
    assert "move" not in counted.desired("t2").hold
    assert [(each.move, each.stack) for each in counted.desired("t1").moves_in] == [("m9", 1000)]
    assert ask(counted, "seat_arrived", seat=target, move="m9", counted=1000).ok
    assert counted.tournament.state.moves["m9"].state == "done"
    assert counted.tournament.state.tables["t1"].seats[target] == origin[1]
