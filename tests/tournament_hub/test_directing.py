"""A tournament that runs in the room: what tables say drives it, what it decides reaches the tables, also after a restart."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from table_controller.messages.tournament import Clock, Moves, Standings
from tournament_hub.config import HubConfig, parse_config
from tournament_hub.directing import Directing
from tournament_hub.effects import Effects, Inbound
from tournament_hub.errors import ConfigError
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.room import Room
from tournament_hub.store import Store

UTC = "2024-05-01T20:00:00Z"
CLUB = "test"
CONFIG = """
[club]
id = "test"
[tournament.main]
rulebook = "tda2024"
tables = ["t1", "t2"]
without_device = ["t3"]
seats = 4
starting_stack = 1000
seed = 7
levels = [{ minutes = 10, small_blind = 50, big_blind = 100 }, { minutes = 5 },
          { minutes = 10, small_blind = 100, big_blind = 200 }]
"""


class Table:
    """A table's voice without a wire."""

    def __init__(self, name: str, life: str) -> None:
        self.name, self.life = name, life * 32
        self.seq, self.prev = 0, m.GENESIS
        self.hand = self.rev = 0

    def event(self, body: m.EventBody, hand: int | None = None) -> bytes:
        self.seq += 1
        event = m.Event(
            life=self.life,
            boot=1,
            seq=self.seq,
            hand=self.hand if hand is None else hand,
            t=float(self.seq),
            utc=UTC,
            body=body,
            prev=self.prev,
        )
        payload = m.encode_event(event)
        self.prev = m.chain_hash(self.prev, payload)
        return payload

    def beat(self) -> bytes:
        beat = m.Heartbeat(
            life=self.life,
            boot=1,
            conn=1,
            seq=self.seq,
            t=1.0,
            synced=True,
            devices={},
            load=None,
            temperature=None,
        )
        return m.encode(beat)


class Room3:
    """A room with two tables that speak and one that people tell of."""

    def __init__(self, folder: Path, config: HubConfig) -> None:
        self.path, self.config, self.now = folder / "hub.sqlite3", config, 50.0
        self.stepped = 0.0
        self.voices = {"t1": Table("t1", "a"), "t2": Table("t2", "b")}
        self.sent: Effects = Effects()
        self.open()

    def open(self) -> None:
        self.store = Store(self.path)
        self.room = Room(self.store, self.config)
        self.room.take()

    @property
    def utc(self) -> str:
        """The wall clock goes on with the other one."""
        began = datetime.datetime(2024, 5, 1, 20, tzinfo=datetime.UTC)
        return (began + datetime.timedelta(seconds=self.now + self.stepped)).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def tournament(self) -> Directing:
        return self.room.tournaments["main"]

    def restart(self) -> None:
        self.store.close()
        self.now = 3.0
        self.open()

    def pass_time(self, seconds: float = 0.3, *, silent: tuple[str, ...] = ()) -> Effects:
        self.now += seconds
        with self.store.transaction():
            for name, voice in self.voices.items():
                if name not in silent:
                    self.room.feed(Inbound(m.topics.heartbeat(CLUB, name), voice.beat()), self.now, self.utc)
            self.room.tick(self.now, self.utc)
        self.sent = self.room.take()
        return self.sent

    def tell(self, name: str, *bodies: m.EventBody) -> Effects:
        voice = self.voices[name]
        with self.store.transaction():
            for body in bodies:
                topic = m.topics.event(CLUB, name)
                self.room.feed(Inbound(topic, voice.event(body)), self.now, self.utc)
            self.room.publish(self.now, self.utc)
        self.sent = self.room.take()
        return self.sent

    def say(self, *events: ev.Event) -> list[ev.Record]:
        with self.store.transaction():
            found = [self.tournament.say(event, "director", self.now, self.utc) for event in events]
            self.room.publish(self.now, self.utc)
        self.sent = self.room.take()
        return found

    def do_all(self, *kinds: str) -> None:
        for _ in range(20):
            todo = [p for p in self.tournament.proposals(self.now) if p.kind in kinds]
            if not todo:
                return
            with self.store.transaction():
                self.tournament.do(todo[0].id, "director", self.now, self.utc)

    def desired(self, name: str) -> m.Desired:
        found = self.store.desired(name)
        assert found is not None
        return found

    def all_wait(self) -> None:
        """Every table says that it deals no further hand (one without a device: people say so)."""
        for name, table in self.tournament.state.tables.items():
            held = self.tournament.state.hand_for_hand
            assert held is not None
            if table.device:
                self.show(name)
            elif name in held.roster and name not in held.parked:
                self.say(ev.HandDone(table=name))

    def show(self, name: str, **fields: object) -> None:
        """A table's retained picture: it has its newest target and plays no hand."""
        voice, target = self.voices[name], self.desired(name)
        voice.rev += 1
        base: dict[str, object] = {
            "rev": voice.rev, "seq": voice.seq, "hand": voice.hand or None, "phase": "over", "button": None,
            "blinds": None, "seats": (), "stacks": {}, "bets": {}, "pots": (), "board": (), "to_act": None,
            "expects": (), "doubts": (), "gate_used": None, "desired_rev": target.rev,
            "desired_epoch": target.epoch, "hold": target.hold, "life": voice.life, "boot": 1,
        }  # fmt: skip
        state = m.TableState(**{**base, **fields})  # type: ignore[arg-type]
        with self.store.transaction():
            topic = m.topics.state(CLUB, name)
            self.room.feed(Inbound(topic, m.encode(state), retain=True), self.now, self.utc)
            self.room.publish(self.now, self.utc)
        self.sent = self.room.take()

    def begin(self) -> None:
        """Ten entries, three tables, drawn and started."""
        self.pass_time()
        self.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
        self.do_all("draw", "button")
        self.say(ev.Passed(block="start", reason="test"), ev.Started())
        self.pass_time()

    def play(self, name: str, loser: str | None = None, gate: int | None = None) -> None:
        """A hand: nobody wins anything, or one is out and another has his chips."""
        voice = self.voices[name]
        voice.hand += 1
        seats = self.tournament.state.tables[name].seats
        entries = self.tournament.state.entries
        order = sorted(seats)
        stacks = tuple(m.SeatStack(seat=s, entry=seats[s], stack=entries[seats[s]].stack) for s in order)
        level = m.Level(n=1, small_blind=50, big_blind=100)
        start = m.HandStart(
            hand=voice.hand,
            level=level,
            button=order[0],
            sb=order[1 % len(order)],
            bb=order[-1],
            seats=stacks,
            gate=gate,
        )
        busts: tuple[m.Bust, ...] = ()
        after = stacks
        if loser is not None:
            lost = entries[loser].stack or 0
            winner = next(s.entry for s in stacks if s.entry != loser)
            busts = (m.Bust(entry=loser, start_stack=lost),)
            after = tuple(
                m.SeatStack(seat=s.seat, entry=s.entry, stack=(s.stack or 0) + lost * (s.entry == winner))
                for s in stacks
                if s.entry != loser
            )
        self.tell(name, start, m.HandEnd(stacks=after, busts=busts))


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    yield hall
    hall.store.close()


def sent(effects: Effects, part: str) -> list[bytes]:
    return [out.payload for out in effects.outbound if out.topic.endswith(f"/tournament/main/{part}")]


def test_before_the_start_no_table_may_deal_and_then_it_may(hall: Room3) -> None:
    hall.pass_time()
    assert "not_started" in hall.desired("t1").hold
    hall.begin()
    target = hall.desired("t1")
    assert target.hold == () and target.tournament == "main" and target.rulebook == "tda2024"
    assert target.level is not None and target.level.big_blind == 100
    assert target.button is not None and target.button.button in {seat.seat for seat in target.seats}
    assert all(seat.stack == 1000 for seat in target.seats) and len(target.seats) in (3, 4)


def test_a_tables_result_is_a_bust_and_the_place_follows(hall: Room3) -> None:
    hall.begin()
    loser = next(iter(hall.tournament.state.tables["t1"].seats.values()))
    hall.play("t1", loser)
    state = hall.tournament.state
    assert state.entries[loser].where == "out"
    standings = m.decode(sent(hall.sent, "standings")[-1], Standings)
    assert [row.place for row in standings.rows if row.entry == loser] == [10]
    assert loser not in {seat.entry for seat in hall.desired("t1").seats}
    hall.play("t1")
    assert all(
        seat.stack is None for seat in hall.desired("t1").seats
    )  # its own stacks are the table's to know


def test_a_copy_of_a_result_changes_nothing(hall: Room3) -> None:
    hall.begin()
    hall.play("t1")
    before = hall.tournament.state
    with hall.store.transaction():
        for payload in hall.store.payloads("t1", hall.voices["t1"].life):
            hall.room.feed(Inbound(m.topics.event(CLUB, "t1"), payload), hall.now, hall.utc)
    assert hall.tournament.state is before


def test_a_restart_makes_the_same_tournament_and_its_time_goes_on(hall: Room3) -> None:
    hall.begin()
    hall.pass_time(100.0)
    hall.play("t2", next(iter(hall.tournament.state.tables["t2"].seats.values())))
    before, left = hall.tournament.state, hall.tournament.time(hall.now)
    epoch = hall.desired("t1").epoch
    hall.restart()
    assert hall.tournament.state == before
    assert hall.tournament.time(hall.now) == pytest.approx(left)
    hall.pass_time()
    effects = hall.room.connected()
    assert {m.decode(out.payload, m.Desired).epoch for out in effects if out.kind == "desired"} == {epoch + 1}


def test_a_move_goes_from_table_to_table_by_what_both_say(hall: Room3) -> None:
    hall.begin()
    state = hall.tournament.state
    source = max(("t1", "t2"), key=lambda name: len(state.tables[name].seats))
    entry = next(iter(state.tables[source].seats.values()))
    other = "t2" if source == "t1" else "t1"
    free = next(seat for seat in range(1, 5) if seat not in state.tables[other].seats)
    hall.say(ev.MovePlanned(move="m1", entry=entry, target=ev.Place(other, free)))
    assert [out.move for out in hall.desired(source).moves_out] == ["m1"]
    assert [come.move for come in hall.desired(other).moves_in] == ["m1"]
    assert "move" in hall.desired(source).hold
    # the new table's word comes first
    hall.tell(other, m.Arrive(entry=entry, move="m1", stack=1000, seat=free))
    assert hall.tournament.state.entries[entry].where == "seated"
    hall.tell(source, m.Depart(entry=entry, move="m1", stack=1000))
    assert m.decode(sent(hall.sent, "moves")[-1], Moves).rows[0].state == "done"
    assert hall.tournament.state.entries[entry].place == ev.Place(other, free)


def test_a_table_that_falls_silent_is_known(hall: Room3) -> None:
    hall.begin()
    hall.pass_time(16.0, silent=("t2",))
    assert not hall.tournament.state.tables["t2"].heard and hall.tournament.state.tables["t1"].heard
    hall.pass_time(1.0)
    assert hall.tournament.state.tables["t2"].heard


def test_the_clock_is_published_on_changes_only_and_the_break_holds_every_table(hall: Room3) -> None:
    hall.begin()
    quiet = hall.pass_time(5.0)
    assert sent(quiet, "clock") == []
    effects = hall.pass_time(600.0)
    clock = m.decode(sent(effects, "clock")[-1], Clock)
    assert clock.state == "break" and clock.next_level is None
    assert "break" in hall.desired("t1").hold
    hall.pass_time(301.0)
    assert hall.desired("t1").hold == ()
    assert hall.desired("t1").level == m.Level(n=2, small_blind=100, big_blind=200)


def test_hand_for_hand_gates_the_tables_and_a_runout_waits_for_the_others(hall: Room3) -> None:
    hall.begin()
    hall.say(ev.HandForHandAnnounced())
    assert "hand_for_hand" in hall.desired("t1").hold and hall.desired("t1").gate is None
    hall.all_wait()
    hall.say(ev.RoundReleased(round=1))
    gate = hall.desired("t1").gate
    assert gate is not None and hall.desired("t1").hold == ()
    voice = hall.voices["t1"]
    voice.hand += 1
    seats = hall.tournament.state.tables["t1"].seats
    stacks = tuple(m.SeatStack(seat=s, entry=e, stack=1000) for s, e in sorted(seats.items()))
    level = m.Level(n=1, small_blind=50, big_blind=100)
    start = m.HandStart(
        hand=voice.hand,
        level=level,
        button=stacks[0].seat,
        sb=stacks[1].seat,
        bb=stacks[2].seat,
        seats=stacks,
        gate=gate,
    )
    hall.tell("t1", start, m.AllinPending(seats=(stacks[0].seat, stacks[1].seat)))
    with pytest.raises(Refused) as refused:
        hall.say(ev.RunoutReleased(table="t1"))
    assert refused.value.code == "others-play"
    hall.play("t2", gate=gate)
    hall.say(ev.HandDone(table="t3"), ev.RunoutReleased(table="t1"))
    first = hall.pass_time()
    commands = [out for out in first.outbound if out.topic.endswith("/t1/command/runout_release")]
    assert len(commands) == 1 and m.decode(commands[0].payload, m.RunoutRelease).hand == voice.hand
    again = hall.pass_time(6.0)  # the command may be lost
    assert any(out.topic.endswith("runout_release") for out in again.outbound)
    hall.tell("t1", m.HandEnd(stacks=stacks))
    assert not any(out.topic.endswith("runout_release") for out in hall.pass_time(6.0).outbound)


def test_a_round_called_back_reaches_the_tables_that_have_not_begun(hall: Room3) -> None:
    hall.begin()
    hall.say(ev.HandForHandAnnounced())
    hall.all_wait()
    hall.say(ev.RoundReleased(round=1))
    number = len(hall.tournament.log)
    gate = hall.desired("t1").gate
    hall.play("t2", gate=gate)
    with hall.store.transaction():
        hall.tournament.undo(number, "director", hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    assert hall.desired("t1").hold == ("round",) and hall.desired("t1").gate == gate
    assert "round" not in hall.desired("t2").hold
    (on,) = [p for p in hall.tournament.proposals(hall.now) if p.kind == "round_on"]
    hall.say(*on.effects)
    assert hall.desired("t1").hold == ()


def test_a_refused_decision_leaves_no_record(hall: Room3) -> None:
    hall.begin()
    count = len(hall.tournament.log)
    with pytest.raises(Refused):
        hall.say(ev.Busted(table="t1", entries=("nobody",)))
    assert len(hall.tournament.log) == count == len(hall.store.records("main"))


def test_a_wrong_bust_is_undone_by_its_number(hall: Room3) -> None:
    hall.begin()
    entry = next(iter(hall.tournament.state.tables["t3"].seats.values()))
    record = hall.say(ev.Busted(table="t3", entries=(entry,)))[0]
    place = hall.tournament.state.entries[entry].place
    with hall.store.transaction():
        hall.tournament.undo(record.n, "director", hall.now, hall.utc)
    held = hall.tournament.state.entries[entry]
    assert (held.where, held.place, held.stack) == ("seated", place, 1000)
    assert hall.tournament.log[-1].undoes == record.n


def test_floor_call_of_a_table_is_kept_and_holds_it(hall: Room3) -> None:
    hall.begin()
    request = m.encode(m.Request(tx="r1", t=1.0, utc=UTC, seat=2))
    with hall.store.transaction():
        hall.room.feed(Inbound(m.topics.request(CLUB, "t1", "floor"), request), hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    answers = [
        m.decode(out.payload, m.Response) for out in hall.room.take().outbound if out.kind == "response"
    ]
    assert [answer.ok for answer in answers] == [True]
    assert "call" in hall.desired("t1").hold
    hall.say(ev.CallAnswered(call="t1-r1", rev=1, state="closed"))
    assert "call" not in hall.desired("t1").hold


def test_a_table_plays_one_tournament(tmp_path: Path) -> None:
    text = '[tournament.main]\ntables = ["t1"]\n[tournament.side]\ntables = ["t1"]\n'
    with pytest.raises(ConfigError, match="table of main too"):
        parse_config(text, "hub.toml", tmp_path)


def test_two_tournaments_do_not_touch_each_other(tmp_path: Path) -> None:
    text = CONFIG + '[tournament.side]\ntables = ["t9"]\nseats = 2\n'
    hall = Room3(tmp_path, parse_config(text, "hub.toml", tmp_path))
    hall.begin()
    side = hall.room.tournaments["side"]
    assert not side.state.started and len(side.state.entries) == 0
    hall.play("t1")
    assert side.state.tables["t9"].hands == 0
    hall.store.close()


def test_a_transaction_that_fails_leaves_the_tournament_as_it_is_on_the_disk(hall: Room3) -> None:
    hall.begin()
    before = hall.tournament.state
    entry = next(iter(before.entries))
    with pytest.raises(OSError), hall.store.transaction():
        hall.tournament.say(ev.Presence(entry=entry, absent=True), "director", hall.now, hall.utc)
        raise OSError("the disk is full")
    hall.room.forget()
    assert hall.tournament.state == before and len(hall.tournament.log) == len(hall.store.records("main"))
    hall.say(ev.Presence(entry=entry, absent=True))
    assert hall.tournament.state.entries[entry].absent


def test_an_old_proposal_is_not_done(hall: Room3) -> None:
    hall.begin()
    with hall.store.transaction(), pytest.raises(Refused) as refused:
        hall.tournament.do("draw", "director", hall.now, hall.utc)
    assert refused.value.code == "not-proposed"


def test_undoing_a_cause_undoes_all_that_came_of_it(hall: Room3) -> None:
    hall.begin()
    one, two = list(hall.tournament.state.entries)[:2]
    with hall.store.transaction():
        for event in (ev.PenaltySet(entry=one, hands=4), ev.PenaltySet(entry=two, hands=8)):
            hall.tournament.say(event, "director", hall.now, UTC, cause="call-7")
        assert hall.tournament.undo_cause("call-7", "director", hall.now, hall.utc) == 2
        assert hall.tournament.undo_cause("call-7", "director", hall.now, hall.utc) == 0
    assert {entry.penalty for entry in hall.tournament.state.entries.values()} == {0}


def test_what_is_automatic_is_done_and_a_person_can_hold_a_table_beside_it(tmp_path: Path) -> None:
    text = CONFIG.replace("seed = 7", 'seed = 7\nautomatic = ["draw", "button", "start"]')
    hall = Room3(tmp_path, parse_config(text, "hub.toml", tmp_path))
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
    hall.pass_time()
    hall.pass_time()
    assert hall.tournament.state.started
    with hall.store.transaction():
        hall.room.hold("t1", "floor", "Anna")
    hall.play("t2")
    assert hall.desired("t1").hold == ("floor",)
    hall.store.close()


def test_a_welcome_before_the_farewell_is_not_forgotten_by_a_hub_that_is_started_again(hall: Room3) -> None:
    hall.begin()
    state = hall.tournament.state
    source = max(("t1", "t2"), key=lambda name: len(state.tables[name].seats))
    other = "t2" if source == "t1" else "t1"
    entry = next(iter(state.tables[source].seats.values()))
    free = next(seat for seat in range(1, 5) if seat not in state.tables[other].seats)
    hall.say(ev.MovePlanned(move="m1", entry=entry, target=ev.Place(other, free)))
    hall.tell(other, m.Arrive(entry=entry, move="m1", stack=1000, seat=free))
    assert hall.tournament.state.moves["m1"].state == "planned"
    hall.restart()
    hall.pass_time()
    hall.tell(source, m.Depart(entry=entry, move="m1", stack=1000))
    assert hall.tournament.state.moves["m1"].confirmed_by == (source, other)
    assert hall.tournament.state.entries[entry].place == ev.Place(other, free)


def test_a_welcome_with_another_count_calls_the_floor_when_the_farewell_comes(hall: Room3) -> None:
    hall.begin()
    state = hall.tournament.state
    source = max(("t1", "t2"), key=lambda name: len(state.tables[name].seats))
    other = "t2" if source == "t1" else "t1"
    entry = next(iter(state.tables[source].seats.values()))
    free = next(seat for seat in range(1, 5) if seat not in state.tables[other].seats)
    hall.say(ev.MovePlanned(move="m1", entry=entry, target=ev.Place(other, free)))
    hall.tell(other, m.Arrive(entry=entry, move="m1", stack=900, seat=free))
    hall.tell(source, m.Depart(entry=entry, move="m1", stack=1000))
    assert hall.tournament.state.moves["m1"].state == "mismatch"
    assert "mismatch" in {proposal.kind for proposal in hall.tournament.proposals(hall.now)}
