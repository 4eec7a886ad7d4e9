"""What each message means to the room; time is a number that the test hands in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from table_controller import messages as m
from tournament_hub.config import HubConfig
from tournament_hub.effects import Effects, Inbound, Outbound
from tournament_hub.errors import UnknownTable
from tournament_hub.room import Room
from tournament_hub.store import Store
from tournament_hub.tables import REPLAY_PATIENCE, SILENCE
from tournament_hub.wording import Wording

UTC = "2024-05-01T20:00:00Z"
STACKS = {1: 20000, 4: 18000}
CLUB = "test"


class Desk:
    """A room with its record, and hands for a test."""

    def __init__(self, folder: Path, config: HubConfig) -> None:
        self.config = config
        self.path = folder / "hub.sqlite3"
        self.now = 100.0
        self.open()

    def open(self) -> None:
        self.store = Store(self.path)
        self.room = Room(self.store, self.config)
        self.room.take()

    def restart(self) -> None:
        self.store.close()
        self.open()

    def hear(self, topic: str, *payloads: bytes, retain: bool = False) -> Effects:
        with self.store.transaction():
            for payload in payloads:
                self.room.feed(Inbound(topic, payload, retain), self.now, UTC)
        return self.room.take()

    def event(self, *payloads: bytes, retain: bool = False) -> Effects:
        return self.hear(m.topics.event(CLUB, "t1"), *payloads, retain=retain)

    def pass_time(self, seconds: float) -> Effects:
        self.now += seconds
        self.room.tick(self.now)
        return self.room.take()

    def do(self, decide: Callable[[Room], Any]) -> Effects:
        with self.store.transaction():
            decide(self.room)
        return self.room.take()

    def alarms(self) -> list[str]:
        return [alarm.code for alarm in self.store.alarms()]


@pytest.fixture
def desk(tmp_path: Path, config: HubConfig) -> Iterator[Desk]:
    subject = Desk(tmp_path, config)
    yield subject
    subject.store.close()


def acks(effects: Effects) -> list[int]:
    return [m.decode(out.payload, m.HubAck).upto_seq for out in effects.outbound if out.kind == "hub_ack"]


def replays(effects: Effects) -> list[m.Replay]:
    return [m.decode(out.payload, m.Replay) for out in effects.outbound if out.kind == "command"]


def desireds(effects: Effects | list[Outbound]) -> list[m.Desired]:
    outbound = effects.outbound if isinstance(effects, Effects) else effects
    return [m.decode(out.payload, m.Desired) for out in outbound if out.kind == "desired"]


def beat(life: str = "a" * 32, boot: int = 1, conn: int = 1, seq: int = 0, unacked: int = 0) -> bytes:
    return m.encode(
        m.Heartbeat(
            life=life,
            boot=boot,
            conn=conn,
            seq=seq,
            t=1.0,
            synced=True,
            devices={},
            load=None,
            temperature=None,
            unacked=unacked,
        )
    )


def status(state: Any, life: str = "a" * 32, boot: int = 1, conn: int = 1) -> bytes:
    return m.encode(m.TableStatus(state=state, life=life, boot=boot, conn=conn))


def said(effects: Effects, language: str = "fr") -> list[str]:
    wording = Wording()
    return [wording.line(line, language) for line in effects.lines]


# -- exactly once -----------------------------------------------------------------------


def test_a_batch_is_acknowledged_once_and_cumulatively(desk: Desk, streams: Callable) -> None:
    effects = desk.event(*streams().play_hand(STACKS))
    assert acks(effects) == [5]
    assert replays(effects) == []


def test_copies_are_acknowledged_again(desk: Desk, streams: Callable) -> None:
    payloads = streams().play_hand(STACKS)
    desk.event(*payloads)
    effects = desk.event(payloads[2])
    assert acks(effects) == [5]
    assert said(effects) == [] and desk.alarms() == []


def test_gap_is_held_and_asked_for_after_two_seconds(desk: Desk, streams: Callable) -> None:
    stream = streams()
    first, second, *rest = stream.play_hand(STACKS)
    assert acks(desk.event(first)) == [1]
    effects = desk.event(*rest)
    assert acks(effects) == [] and said(effects) == []
    assert not desk.room.trusted("t1")
    assert replays(desk.pass_time(REPLAY_PATIENCE - 0.1)) == []
    (asked,) = replays(desk.pass_time(0.2))
    assert asked.start == 2
    assert acks(desk.event(second)) == [5]  # what was held follows by itself
    assert replays(desk.pass_time(60)) == []
    assert desk.store.payloads("t1", stream.life) == stream.payloads


def test_gap_that_stays_is_asked_for_again_and_ever_more_rarely(desk: Desk, streams: Callable) -> None:
    _, second, *_ = streams().play_hand(STACKS)
    desk.event(second)
    asked = [desk.now for _ in range(1000) if replays(desk.pass_time(0.5))]
    pauses = [round(later - earlier) for earlier, later in itertools.pairwise(asked)]
    assert pauses[:4] == [5, 10, 20, 40] and set(pauses[4:]) == {60}


def test_reordered_events_need_no_question(desk: Desk, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    effects = desk.event(*payloads[::-1])
    assert acks(effects) == [5]
    assert replays(desk.pass_time(10)) == []
    assert desk.store.payloads("t1", stream.life) == payloads


def test_missing_end_is_known_from_a_heartbeat(desk: Desk, streams: Callable) -> None:
    """The last event before a silence is lost: no later event tells, the heartbeat does."""
    first, second, *_ = streams().play_hand(STACKS)
    desk.event(first)
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat(seq=2, unacked=1))
    (asked,) = replays(desk.pass_time(REPLAY_PATIENCE))
    assert asked.start == 2
    assert acks(desk.event(second)) == [2]


def test_lost_acknowledgement_is_said_again_at_a_heartbeat(desk: Desk, streams: Callable) -> None:
    stream = streams()
    desk.event(*stream.play_hand(STACKS))
    assert acks(desk.hear(m.topics.heartbeat(CLUB, "t1"), beat(seq=5, unacked=5))) == [5]
    assert acks(desk.hear(m.topics.heartbeat(CLUB, "t1"), beat(seq=5, unacked=0))) == []


def test_other_body_is_an_alarm_and_the_record_stays(desk: Desk, streams: Callable) -> None:
    stream, other = streams(), streams()
    desk.event(*stream.play_hand(STACKS))
    effects = desk.event(other.play_hand({1: 1, 4: 1})[0])
    assert desk.alarms() == ["other_body"]
    assert acks(effects) == [5]
    assert desk.store.payloads("t1", stream.life) == stream.payloads


def test_broken_chain_stops_the_table_until_a_person_accepts_it(desk: Desk, streams: Callable) -> None:
    stream, other = streams(), streams()
    desk.event(*stream.play_hand(STACKS))
    other.play_hand({1: 1, 4: 1})
    foreign = other.play_hand(STACKS)  # numbers 6 to 10 of another past
    assert acks(desk.event(*foreign)) == []
    assert desk.alarms() == ["chain_broken"]
    assert not desk.room.trusted("t1") and desk.room.tile("t1").broken
    (asked,) = replays(desk.do(lambda room: room.accept_chain("t1", "Anne", desk.now)))
    assert asked.start == 6
    assert acks(desk.event(*foreign)) == [10]
    assert not desk.room.tile("t1").broken
    assert "history_adopted" in desk.alarms()
    assert desk.store.hands("t1") == [1, 2]


def test_what_nobody_has_any_more_is_given_up_with_an_alarm(desk: Desk, streams: Callable) -> None:
    stream = streams()
    for _ in range(3):
        stream.play_hand(STACKS)
    desk.event(*stream.payloads[9:])
    (asked,) = replays(desk.pass_time(REPLAY_PATIENCE))
    reply = m.encode(m.Reply(tx=asked.tx, ok=True, first=9, last=15))
    desk.hear(m.topics.reply(CLUB, "t1", "replay"), reply)
    assert acks(desk.event(*stream.payloads[8:])) == [15]
    assert desk.alarms() == ["history_adopted"]


def test_answer_to_another_question_changes_nothing(desk: Desk, streams: Callable) -> None:
    stream = streams()
    stream.play_hand(STACKS)
    desk.event(*stream.payloads[2:])
    desk.pass_time(REPLAY_PATIENCE)
    desk.hear(m.topics.reply(CLUB, "t1", "replay"), m.encode(m.Reply(tx="other", ok=True, first=3, last=5)))
    assert acks(desk.event(*stream.payloads[2:])) == []


def test_refused_replay_is_an_alarm(desk: Desk, streams: Callable) -> None:
    desk.event(streams().play_hand(STACKS)[1])
    (asked,) = replays(desk.pass_time(REPLAY_PATIENCE))
    desk.hear(
        m.topics.reply(CLUB, "t1", "replay"), m.encode(m.Reply(tx=asked.tx, ok=False, code="no_journal"))
    )
    assert desk.alarms() == ["replay_refused"]


def test_event_of_an_unknown_type_is_kept_and_the_chain_goes_on(desk: Desk, streams: Callable) -> None:
    stream = streams()
    first = stream.play_hand(STACKS)[0]
    later = first.replace(b'"hand_start"', b'"of_tomorrow"')
    following = m.encode_event(
        m.Event(
            life=stream.life,
            boot=1,
            seq=2,
            hand=1,
            t=1.0,
            utc=UTC,
            body=m.Burned(n=1),
            prev=m.chain_hash(m.GENESIS, later),
        )
    )
    assert acks(desk.event(later, following)) == [2]


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["event", "heartbeat", "request/floor", "reply/replay"])
def test_what_is_never_retained_is_refused_when_it_is(desk: Desk, streams: Callable, kind: str) -> None:
    payload = streams().play_hand(STACKS)[0] if kind == "event" else beat()
    effects = desk.hear(f"{m.topics.root(CLUB)}/table/t1/{kind}", payload, retain=True)
    assert acks(effects) == [] and desk.alarms() == ["retained_refused"]
    assert desk.store.head("t1", "a" * 32).seq == 0 and desk.room.tables["t1"].heard_at is None


@pytest.mark.parametrize(
    "payload",
    [b"{", b"[]", b"null", b'{"v":1}', b'{"a":1,"a":2}', b"\xff", b"[" * 100, b" " * 20000, b"NaN"],
)
def test_unreadable_event_is_refused_with_an_alarm(desk: Desk, payload: bytes) -> None:
    assert acks(desk.event(payload)) == []
    assert desk.alarms() == ["message_refused"]


def test_alarms_do_not_grow_with_a_flood(desk: Desk) -> None:
    desk.event(*[b"{"] * 500)
    (alarm,) = desk.store.alarms()
    assert alarm.times == 500


def test_foreign_topics_and_clubs_change_nothing(desk: Desk, streams: Callable) -> None:
    payload = streams().play_hand(STACKS)[0]
    desk.hear(m.topics.event("other", "t1"), payload)
    assert desk.alarms() == [] and desk.store.head("t1", "a" * 32).seq == 0
    desk.hear("maldonne/2/test/table/t1/event", payload)
    assert desk.alarms() == ["bad_topic"]


# -- who the table is ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old", [{"conn": 1}, {"boot": 1, "conn": 9}, {"life": "b" * 32, "boot": 9, "conn": 9}]
)
def test_will_of_an_earlier_connection_is_ignored(desk: Desk, old: dict[str, Any]) -> None:
    topic = m.topics.status(CLUB, "t1")
    desk.hear(topic, status("ready", boot=2, conn=2), retain=True)
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat(boot=2, conn=2))
    desk.pass_time(0.1)
    desk.hear(topic, status("lost", **{"boot": 2, **old}), retain=True)
    desk.pass_time(0.1)
    assert desk.room.tile("t1").link == "online"
    assert desk.alarms() == []


def test_will_of_the_present_connection_is_believed_until_a_heartbeat_says_otherwise(desk: Desk) -> None:
    topic = m.topics.status(CLUB, "t1")
    desk.hear(topic, status("ready"), retain=True)
    effects = desk.hear(m.topics.heartbeat(CLUB, "t1"), beat())
    assert said(effects) == ["Table 1 · table reliée"]
    effects = desk.hear(topic, status("lost"), retain=True)
    assert said(effects) == ["Table 1 · liaison avec la table perdue"]
    assert desk.room.tile("t1").link == "lost"
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat())
    assert desk.room.tile("t1").link == "online"


def test_earlier_connection_is_remembered_over_a_restart_of_the_hub(desk: Desk) -> None:
    desk.hear(m.topics.status(CLUB, "t1"), status("ready", boot=3, conn=4), retain=True)
    desk.restart()
    desk.hear(m.topics.status(CLUB, "t1"), status("lost", boot=3, conn=3), retain=True)
    desk.pass_time(0.1)
    assert desk.room.tile("t1").link == "unheard"


def test_liveness_is_the_heartbeats_age_not_the_flag(desk: Desk) -> None:
    desk.hear(m.topics.status(CLUB, "t1"), status("ready"), retain=True)
    desk.pass_time(1)
    assert desk.room.tile("t1").link == "unheard"
    assert not desk.room.trusted("t1")
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat())
    desk.pass_time(SILENCE - 1)
    assert desk.room.tile("t1").link == "online"
    effects = desk.pass_time(1.1)
    assert desk.room.tile("t1").link == "silent"
    assert said(effects, "en") == ["Table 1 · table silent: no sign of life any more"]


def test_new_database_begins_its_own_stream_with_an_alarm(desk: Desk, streams: Callable) -> None:
    old, new = streams("a" * 32), streams("b" * 32)
    desk.event(*old.play_hand(STACKS))
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat("b" * 32))
    assert desk.alarms() == ["new_life"]
    effects = desk.event(*new.play_hand(STACKS))
    assert acks(effects) == [5]
    late = desk.event(
        *old.play_hand(STACKS)
    )  # the old one's last words are kept, and do not take its place back
    assert acks(late) == [10]
    assert desk.room.tables["t1"].identity is not None and desk.room.tables["t1"].identity.life == "b" * 32
    assert desk.alarms() == ["new_life"]


def test_two_tables_under_one_name_are_an_alarm(desk: Desk) -> None:
    for life in ("a", "b", "a"):
        desk.hear(m.topics.heartbeat(CLUB, "t1"), beat(life * 32))
    assert desk.alarms() == ["new_life", "two_lives"]


def test_older_snapshot_does_not_replace_a_newer_one(desk: Desk, streams: Callable) -> None:
    def snapshot(rev: int, hand: int, life: str = "a" * 32) -> bytes:
        return m.encode(
            m.TableState(
                rev=rev,
                seq=0,
                hand=hand,
                phase="idle",
                button=None,
                blinds=None,
                seats=(),
                stacks={},
                bets={},
                pots=(),
                board=(),
                to_act=None,
                expects=(),
                doubts=(),
                gate_used=None,
                desired_rev=None,
                life=life,
                boot=1,
            )
        )

    topic = m.topics.state(CLUB, "t1")
    desk.hear(m.topics.heartbeat(CLUB, "t1"), beat())
    desk.hear(topic, snapshot(5, 12), snapshot(4, 11), snapshot(9, 99, "c" * 32), retain=True)
    state = desk.room.tile("t1").state
    assert state is not None and state.hand == 12


# -- what the tables should be ------------------------------------------------------------------


def test_every_start_has_a_higher_epoch_and_the_same_target(desk: Desk) -> None:
    (first,) = desireds(desk.room.connected())
    desk.restart()
    (second,) = desireds(desk.room.connected())
    assert second.version > first.version and second.epoch == first.epoch + 1
    assert second.seats == first.seats and [seat.entry for seat in first.seats] == ["e1", "e4"]


def test_hold_and_release_are_revisions_that_survive_a_restart(desk: Desk) -> None:
    (held,) = desireds(desk.do(lambda room: room.hold("t1", "floor", "Anne")))
    assert held.hold == ("floor",)
    assert desireds(desk.do(lambda room: room.hold("t1", "floor", "Bob"))) == []
    desk.restart()
    (again,) = desireds(desk.room.connected())
    assert again.hold == ("floor",) and again.version > held.version
    (released,) = desireds(desk.do(lambda room: room.release("t1", "floor", "Anne")))
    assert released.hold == () and released.rev == again.rev + 1
    with pytest.raises(UnknownTable):
        desk.do(lambda room: room.hold("t9", "floor", "Anne"))


def test_changed_file_is_taken_over_and_a_decision_stays(desk: Desk) -> None:
    desk.do(lambda room: room.change("t1", "clock", "level", level=m.Level(n=2, small_blind=1, big_blind=2)))
    desk.do(lambda room: room.hold("t1", "floor", "Anne"))
    desk.restart()
    (same_file,) = desireds(desk.room.connected())
    assert (
        same_file.level is not None and same_file.level.n == 2
    )  # the file did not change: the hub's word stands
    game = msgspec.structs.replace(desk.config.game, rulebook="ropta")
    desk.config = msgspec.structs.replace(desk.config, game=game)
    desk.restart()
    (other_file,) = desireds(desk.room.connected())
    assert other_file.rulebook == "ropta" and other_file.level is not None
    assert other_file.level.big_blind == 200 and other_file.hold == ("floor",)


def test_newer_hub_on_the_broker_is_an_alarm(desk: Desk) -> None:
    topic = m.topics.hub_status(CLUB)
    for epoch, online in ((0, True), (9, False)):
        desk.hear(topic, m.encode(m.HubStatus(online=online, epoch=epoch, conn=1, utc=UTC)), retain=True)
    assert desk.alarms() == []
    desk.hear(topic, m.encode(m.HubStatus(online=True, epoch=9, conn=1, utc=UTC)), retain=True)
    assert desk.alarms() == ["newer_hub"]


# -- what needs a person ---------------------------------------------------------------------------


def test_alert_is_shown_until_it_is_emptied(desk: Desk) -> None:
    topic = m.topics.alert(CLUB, "t1", "floor1")
    alert = m.Alert(id="floor1", kind="ruling", text=m.Words(fr="désaccord", en="dispute"), t=1.0, utc=UTC)
    assert said(desk.hear(topic, m.encode(alert), retain=True)) == ["Table 1 · Appel : désaccord"]
    assert said(desk.hear(topic, m.encode(alert), retain=True)) == []  # sent again after a reconnect
    assert desk.room.tile("t1").alerts == (alert,)
    assert said(desk.hear(topic, b"", retain=True), "en") == ["Table 1 · Settled: dispute"]
    assert desk.room.tile("t1").alerts == ()


def test_request_is_answered_once_and_its_copies_alike(desk: Desk) -> None:
    topic = m.topics.request(CLUB, "t1", "floor")
    request = m.encode(m.Request(tx="r1", t=1.0, utc=UTC, seat=4))
    first = desk.hear(topic, request)
    assert said(first) == ["Table 1 · La table demande : le directeur (siège 4)"]
    copy = desk.hear(topic, request)
    assert said(copy) == []
    answers = [out for out in first.outbound + copy.outbound if out.kind == "response"]
    assert len(answers) == 2 and answers[0] == answers[1]
    assert m.decode(answers[0].payload, m.Response).ok
    desk.restart()
    assert [out for out in desk.hear(topic, request).outbound if out.kind == "response"] == answers[:1]


def test_request_for_a_tournament_that_does_not_run_is_refused_in_words(desk: Desk) -> None:
    topic = m.topics.request(CLUB, "t1", "rebuy")
    effects = desk.hear(topic, m.encode(m.Request(tx="r1", t=1.0, utc=UTC, seat=4)))
    (answer,) = [m.decode(out.payload, m.Response) for out in effects.outbound if out.kind == "response"]
    assert (answer.ok, answer.code) == (False, "no_tournament")


def test_alarm_is_taken_by_name(desk: Desk) -> None:
    desk.event(b"{")
    (alarm,) = desk.store.alarms()
    effects = desk.do(lambda room: room.take_alarm(alarm.ident, "Anne"))
    assert said(effects) == ["Table 1 · Alarme vue par Anne : message illisible, refusé"]
    assert desk.alarms() == []


# -- after a failure of the disk ----------------------------------------------------------------------


def test_what_the_disk_refused_is_not_told_and_comes_again(desk: Desk, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    with pytest.raises(RuntimeError), desk.store.transaction():
        desk.room.feed(Inbound(m.topics.event(CLUB, "t1"), payloads[0]), desk.now, UTC)
        raise RuntimeError
    desk.room.forget()
    effects = desk.room.take()
    assert effects.outbound == [] and effects.lines == []
    (asked,) = replays(desk.pass_time(REPLAY_PATIENCE)) or replays(desk.pass_time(REPLAY_PATIENCE))
    assert asked.start == 1
    assert acks(desk.event(*payloads)) == [5]


def test_log_is_there_again_after_a_restart(desk: Desk, streams: Callable) -> None:
    desk.event(*streams().play_hand(STACKS))
    before = [Wording().line(line, "fr") for line in desk.room.lines]
    desk.restart()
    assert [Wording().line(line, "fr") for line in desk.room.lines] == before
    assert "Table 1 · Main 1 · siège 1 relance à 650" in before
