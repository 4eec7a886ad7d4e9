"""What the hub says to a table over the link, and faults of the link's own."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

import pytest

from maldonne.broker import Broker
from table_controller import messages as m
from table_controller.journal import Batch
from table_controller.mqtt_link import (
    CommandArrived,
    DesiredArrived,
    HubAcked,
    LinkAlarm,
    LinkNews,
    LinkSettings,
    MqttLink,
    RequestExpired,
    ResponseArrived,
    TournamentSaid,
)
from tests.table_controller.link_rig import (
    CLUB,
    EVENT,
    LEVEL,
    TABLE,
    UTC,
    Hub,
    Make,
    Peer,
    Table,
    check_record,
)

# ------------------------------------------------------------------ what the hub says


def desired(epoch: int, rev: int, **fields: Any) -> bytes:
    base = {
        "epoch": epoch,
        "rev": rev,
        "tournament": None,
        "rulebook": "standard",
        "level": LEVEL,
        "seats": (),
    }
    return m.encode(m.Desired(**{**base, **fields}))


def test_the_hubs_document_is_taken_and_never_rolled_back(broker: Broker, make: Make) -> None:
    topic = m.topics.desired(CLUB, TABLE)
    peer = make(Peer, broker, "hub")
    peer.say(topic, desired(2, 5), retain=True)
    table = make(Table, broker)
    table.link.start()
    assert table.until_news(DesiredArrived).desired.version == (2, 5)
    for epoch, rev in ((2, 4), (1, 99), (2, 5), (2, 6)):
        peer.say(topic, desired(epoch, rev), retain=True)
    assert table.until_news(DesiredArrived).desired.version == (2, 6), "the lower ones were ignored"
    peer.say(topic, desired(2, 6, rulebook="ropta"), retain=True)
    assert table.until_news(LinkAlarm).code == "desired_conflict"
    peer.say(topic, b'{"epoch":3,"rev":1}', retain=True)
    assert table.until_news(LinkAlarm).code == "message_malformed"
    peer.say(topic, b"", retain=True)
    peer.say(topic, desired(3, 1), retain=True)
    assert table.until_news(DesiredArrived).desired.version == (3, 1)


def test_a_document_that_the_journal_holds_is_not_told_again_after_a_restart(
    broker: Broker, make: Make
) -> None:
    topic = m.topics.desired(CLUB, TABLE)
    peer = make(Peer, broker, "hub")
    peer.say(topic, desired(2, 5), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.journal.commit(Batch(desired=table.until_news(DesiredArrived).desired))
    table.close()
    again = make(Table, broker)
    again.link.start()
    peer.say(topic, desired(2, 6), retain=True)
    assert again.until_news(DesiredArrived).desired.version == (2, 6)


def test_a_thousand_retained_commands_move_nothing_and_are_one_alarm_each_kind(
    mosquitto: Broker, make: Make
) -> None:
    peer = make(Peer, mosquitto, "villain")
    verbs = ("runout_release", "identify", "reprint", "replay")
    for n in range(250):
        for verb in verbs:
            payload = b'{"tx":"x%d","hand":1,"from":1}' % n
            peer.client.publish(m.topics.command(CLUB, TABLE, verb), payload, 1, True)
    peer.say(m.topics.public(CLUB, "mark"), b"{}")
    table = make(Table, mosquitto)
    table.link.start()
    table.until(lambda: table.link.health().refused >= len(verbs), "refused")
    for n in range(3):
        peer.command("identify", m.Identify(tx=f"live{n}"), retain=True)
    peer.command("identify", m.Identify(tx="fresh"))
    assert table.until_news(CommandArrived).command == m.Identify(tx="fresh"), "the first one that is obeyed"
    assert table.alarms() == ["command_retained"] * len(verbs)
    assert table.link.health().refused == len(verbs) + 3, "also those that came while the table was there"


def test_a_retained_command_is_refused_by_every_broker_when_the_table_comes(
    broker: Broker, make: Make
) -> None:
    peer = make(Peer, broker, "villain")
    peer.command("runout_release", m.RunoutRelease(tx="x", hand=1), retain=True)
    table = make(Table, broker)
    table.link.start()
    alarm = table.until_news(LinkAlarm)
    assert (alarm.code, alarm.where) == ("command_retained", m.topics.command(CLUB, TABLE, "runout_release"))
    assert not [news for news in table.news if isinstance(news, CommandArrived)]


def test_a_command_is_done_once_however_often_it_is_delivered(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("runout_release", m.RunoutRelease(tx="a1", hand=4))
    arrived = table.until_news(CommandArrived)
    assert (arrived.verb, arrived.command) == ("runout_release", m.RunoutRelease(tx="a1", hand=4))
    table.link.reply("runout_release", m.Reply(tx="a1", ok=True))
    topic = m.topics.reply(CLUB, TABLE, "runout_release")
    for times in (2, 3):
        peer.command("runout_release", m.RunoutRelease(tx="a1", hand=4))
        table.until(lambda times=times: len(peer.payloads(topic)) == times, "the same answer again")
    assert set(peer.payloads(topic)) == {m.encode(m.Reply(tx="a1", ok=True))}
    assert not [news for news in table.news if isinstance(news, CommandArrived)]


@pytest.mark.parametrize("expiry", [None, 3600])
def test_a_command_that_could_come_hours_late_is_refused(
    broker: Broker, make: Make, expiry: int | None
) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("identify", m.Identify(tx="a1"), expiry=expiry)
    assert table.until_news(LinkAlarm).code == "command_no_expiry"
    topic = m.topics.reply(CLUB, TABLE, "identify")
    table.until(lambda: peer.last(topic) is not None, "a reply")
    assert m.decode(peer.last(topic) or b"", m.Reply).code == "command_no_expiry"


@pytest.mark.parametrize(
    ("verb", "payload", "code"),
    [
        ("identify", b"{", "message_malformed"),
        ("identify", b'{"tx":"a","tx":"b"}', "message_duplicate_key"),
        ("identify", b'{"tx":NaN}', "message_not_finite"),
        ("identify", b'{"tx":"a","x":[[[[[[[[1]]]]]]]]}', "message_too_deep"),
        ("identify", b"\xff\xfe", "message_malformed"),
        ("replay", b'{"tx":"a","from":0}', "message_malformed"),
        ("deal", b'{"tx":"a"}', "message_topic"),
    ],
)
def test_what_is_malformed_is_refused_with_its_name_and_the_link_goes_on(
    broker: Broker, make: Make, verb: str, payload: bytes, code: str
) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.say(m.topics.command(CLUB, TABLE, verb), payload, expiry=20)
    assert table.until_news(LinkAlarm).code == code
    peer.command("identify", m.Identify(tx="good"))
    assert table.until_news(CommandArrived).command == m.Identify(tx="good")


def test_replay_sends_the_stream_again_also_what_was_acknowledged_long_ago(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker)
    table.link.start()
    hub = make(Hub, broker)
    table.play(50)
    table.delivered(hub)
    table.journal.flush()
    before = len(hub.order)
    hub.command("replay", m.Replay(tx="r1", start=11))
    table.until(lambda: len(hub.order) == before + 40, "forty again")
    assert hub.order[before:] == list(range(11, 51))
    topic = m.topics.reply(CLUB, TABLE, "replay")
    hub.wait(lambda: hub.last(topic) is not None, "the answer")
    assert m.decode(hub.last(topic) or b"", m.Reply) == m.Reply(tx="r1", ok=True, first=11, last=50)
    hub.command("replay", m.Replay(tx="r2", start=99))
    table.until(lambda: len(hub.payloads(topic)) == 2, "the second answer")
    assert m.decode(hub.last(topic) or b"", m.Reply).code == "replay_beyond"
    table.play(1)
    table.delivered(hub)
    check_record(hub, table)


def test_an_acknowledgement_of_another_life_clears_nothing(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "hub")
    peer.say(m.topics.hub_ack(CLUB, TABLE), m.encode(m.HubAck(life="ee" * 16, upto_seq=500)), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.play(5)
    table.until(lambda: len(peer.payloads(EVENT)) == 5, "all five are sent")
    assert table.journal.hub_ack == 0
    assert not [news for news in table.news if isinstance(news, HubAcked)]


def test_a_request_is_answered_once_or_expires_by_name(broker: Broker, make: Make) -> None:
    table = make(Table, broker, request_deadline_s=1.0)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    asked = m.Request(tx="q1", t=1.0, utc=UTC, seat=4)
    table.link.request("floor", asked)
    topic = m.topics.request(CLUB, TABLE, "floor")
    table.until(lambda: peer.last(topic) is not None, "the request")
    assert m.decode(peer.last(topic) or b"", m.Request) == asked
    answer = m.encode(m.Response(tx="q1", ok=True))
    for _ in range(3):
        peer.say(m.topics.response(CLUB, TABLE, "floor"), answer)
    assert table.until_news(ResponseArrived).response == m.Response(tx="q1", ok=True)
    table.link.request("floor", m.Request(tx="q2", t=2.0, utc=UTC))
    assert table.until_news(RequestExpired).request.tx == "q2"
    assert not [news for news in table.news if isinstance(news, ResponseArrived)], "the repeats were not told"


def test_a_request_without_a_broker_expires_too(broker: Broker, make: Make) -> None:
    broker.kill()
    table = make(Table, broker, request_deadline_s=0.3)
    table.link.start()
    table.link.request("floor", m.Request(tx="q1", t=1.0, utc=UTC))
    assert table.until_news(RequestExpired).request.tx == "q1"


def test_a_table_reads_the_tournament_that_it_plays_and_no_other(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "hub")
    for name in ("friday", "sunday"):
        said = m.Announcement(id=name, text=m.Words(fr="Pause", en="Break"), utc=UTC)
        peer.say(m.topics.tournament(CLUB, name, "announce"), m.encode(said), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.link.follow("sunday")
    told = table.until_news(TournamentSaid)
    assert (told.tournament, told.part, told.message.id) == ("sunday", "announce", "sunday")
    table.link.follow("friday")
    assert table.until_news(TournamentSaid).tournament == "friday"
    assert not [news for news in table.news if isinstance(news, TournamentSaid)]


# ------------------------------------------------------------------ faults of our own


def test_an_exception_in_a_callback_is_an_alarm_and_the_line_lives(broker: Broker, make: Make) -> None:
    table = make(Table, broker)

    def broken(message: Any) -> None:
        if b"lost" in message.payload:
            raise ZeroDivisionError("planted")
        really(message)

    really = table.link._reception.take
    table.link._reception.take = broken
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("identify", m.Identify(tx="lost"))
    alarm = table.until_news(LinkAlarm)
    assert (alarm.code, alarm.where) == ("link_fault", "on_message")
    assert "planted" in alarm.what
    peer.command("identify", m.Identify(tx="good"))
    assert table.until_news(CommandArrived).command.tx == "good"
    assert table.link.health().conn == 1, "the connection held"


def test_an_exception_anywhere_in_the_links_thread_costs_a_connection_not_the_thread(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker, retry_max_s=0.3)
    really = table.link._pump
    broken = [True, True]

    def pump(*arguments: Any) -> None:
        if broken:
            broken.pop()
            raise ZeroDivisionError("planted")
        really(*arguments)

    table.link._pump = pump
    table.link.start()
    assert table.until_news(LinkAlarm).code == "link_fault"
    hub = make(Hub, broker)
    table.play(5)
    table.delivered(hub)
    assert table.link.health().conn == 3
    check_record(hub, table)


def test_a_link_that_never_starts_can_be_closed(make: Make, tmp_path: Path) -> None:
    inbox: queue.Queue[LinkNews] = queue.Queue()
    link = MqttLink(
        LinkSettings(host="127.0.0.1", port=9, club=CLUB, table=TABLE), life="ab" * 16, boot=1, incoming=inbox
    )
    link.close()
    link.close()
    assert inbox.empty()


def test_a_password_is_not_shown() -> None:
    assert "hunter2" not in repr(LinkSettings(host="h", port=1, club=CLUB, table=TABLE, password="hunter2"))
