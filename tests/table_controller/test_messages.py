"""What crosses the MQTT wire: forms, limits, topics, the chain, and the place of every card."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rulings
from table_controller import messages as m

GOLDEN = Path(__file__).parent.parent / "golden" / "schemas" / "payloads.jsonl"
LIFE, UTC = "00112233445566778899aabbccddeeff", "2026-05-01T19:30:00Z"
FORMS: dict[str, Any] = {
    "hub_status": m.HubStatus,
    "hub_ack": m.HubAck,
    "table_status": m.TableStatus,
    "birth": m.Birth,
    "state": m.TableState,
    "heartbeat": m.Heartbeat,
    "alert": m.Alert,
    "request": m.Request,
    "response": m.Response,
    "desired": m.Desired,
    "reply": m.Reply,
    **{f"command_{verb}": form for verb, form in m.COMMAND_FORMS.items()},
    **{f"public_{part}": form for part, form in m.PUBLIC_FORMS.items()},
    **{f"tournament_{part}": form for part, form in m.TOURNAMENT_FORMS.items()},
}
PAYLOADS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def wire(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def event(body: Any, **fields: Any) -> m.Event:
    base: dict[str, Any] = {
        "life": LIFE,
        "boot": 1,
        "seq": 1,
        "hand": 1,
        "t": 1.5,
        "utc": UTC,
        "prev": m.GENESIS,
    }
    return m.Event(body=body, **{**base, **fields})


# ------------------------------------------------------------------ forms


@pytest.mark.parametrize("golden", PAYLOADS, ids=[golden["kind"] for golden in PAYLOADS])
def test_a_golden_payload_is_read_and_written_byte_for_byte(golden: dict[str, Any]) -> None:
    """It should read for ever what was once sent, and say the same again."""
    payload = wire(golden["payload"])
    if golden["kind"].startswith("event_"):
        assert m.encode_event(m.decode_event(payload, strict=True)) == payload
    else:
        assert m.encode(m.decode(payload, FORMS[golden["kind"]], strict=True)) == payload


@pytest.mark.parametrize("golden", PAYLOADS, ids=[golden["kind"] for golden in PAYLOADS])
def test_a_receiver_ignores_a_field_that_it_does_not_know_and_a_sender_refuses_it(
    golden: dict[str, Any],
) -> None:
    value = golden["payload"]
    target = value["body"] if golden["kind"].startswith("event_") else value
    target = {**target, "of_a_later_version": {"x": [1]}}
    payload = wire({**value, "body": target} if golden["kind"].startswith("event_") else target)
    if golden["kind"].startswith("event_"):
        assert m.decode_event(payload) == m.decode_event(wire(value))
        with pytest.raises(m.UnknownField, match="of_a_later_version"):
            m.decode_event(payload, strict=True)
        return
    form = FORMS[golden["kind"]]
    assert m.decode(payload, form) == m.decode(wire(value), form)
    with pytest.raises(m.UnknownField, match="of_a_later_version"):
        m.compose(form, json.loads(payload))


def test_the_unknown_field_is_named_with_its_path() -> None:
    fields = {"n": 1, "small_blind": 25, "big_blind": 50, "ante": {"kind": "none", "amount": 0, "paid_by": 3}}
    with pytest.raises(m.UnknownField) as caught:
        m.compose(m.Level, fields)
    assert caught.value.where == "Level.ante"
    assert "'paid_by'" in caught.value.what
    assert "make schemas" in caught.value.hint


@pytest.mark.parametrize("order", rulings.ORDERS)
def test_every_order_of_the_engine_fits_the_message(order: str) -> None:
    made = rulings.Order(
        order=order,  # type: ignore[arg-type]
        to="seat10",
        count=3,
        card="Td",
        from_="off_table",
        face="down",
        what="stub",
        by_seat=2,
        seat=4,
        amount=100,
        seconds=30,
        text="words",
        options=("a", "b"),
        call=5,
        min=6,
        max=7,
        fact="by",
        for_="floor",
    )
    sent = m.compose(m.Order, msgspec.to_builtins(made))
    assert json.loads(m.encode(sent)) == json.loads(rulings.encode(made))


def test_the_order_has_every_field_of_the_engines() -> None:
    def names(form: Any) -> set[str]:
        return {field.encode_name for field in msgspec.structs.fields(form)}

    assert names(m.Order) == names(rulings.Order)
    assert names(rulings.Ruling) - names(m.Ruling) == {"cards", "event", "suggestions"}, (
        "not for the public stream"
    )


@pytest.mark.parametrize("incident", sorted(rulings.INCIDENTS))
def test_every_incident_is_a_word_of_the_stream(incident: str) -> None:
    assert m.decode(m.encode(m.Incident(incident=incident)), m.Incident).incident == incident


# ------------------------------------------------------------------ limits


def ack(text: str) -> bytes:
    return text.replace("LIFE", LIFE).encode()


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (ack('{"life":"LIFE","upto_seq":1,"upto_seq":2}'), m.DuplicateKey),
        (ack('{"life":"LIFE","upto_seq":1,"x":{"a":1,"a":1}}'), m.DuplicateKey),
        (ack('{"life":"LIFE","upto_seq":1,"upto\\u005fseq":2}'), m.DuplicateKey),
        (ack('{"life":"LIFE","upto_seq":NaN}'), m.NotFinite),
        (ack('{"life":"LIFE","upto_seq":1,"x":-Infinity}'), m.NotFinite),
        (ack('{"life":"LIFE","upto_seq":1,"x":1e999}'), m.NotFinite),
        (ack('{"life":"LIFE","upto_seq":1,"x":' + "[" * 8 + "]" * 8 + "}"), m.MessageTooDeep),
        (b"[" * 16_000, m.MessageTooDeep),
        (b'{"a":' * 3000, m.MessageTooDeep),
        (ack('{"life":"LIFE","upto_seq":1,"x":"' + "y" * 16_400 + '"}'), m.MessageTooLarge),
        (b"", m.MessageMalformed),
        (b"null", m.MessageMalformed),
        (b"[]", m.MessageMalformed),
        (b"{", m.MessageMalformed),
        (b"\xff", m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":"1"}'), m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":-1}'), m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":1.5}'), m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":99999999999999999999}'), m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":true}'), m.MessageMalformed),
        (ack('{"life":"LIFE"}'), m.MessageMalformed),
        (ack('{"life":"LIFE\\n","upto_seq":1}'), m.MessageMalformed),
        (ack('{"life":"LIFE","upto_seq":1} {}'), m.MessageMalformed),
        (ack("{'life':'LIFE','upto_seq':1}"), m.MessageMalformed),
    ],
)
def test_a_hostile_payload_is_refused_by_name(payload: bytes, error: type[m.MessageError]) -> None:
    with pytest.raises(error) as caught:
        m.decode(payload, m.HubAck, where="maldonne/1/lyon/hub/ack/t1")
    assert caught.value.where == "maldonne/1/lyon/hub/ack/t1"
    assert caught.value.code.startswith("message_")
    assert caught.value.hint


def test_what_is_just_within_the_limits_passes() -> None:
    deep = ack('{"life":"LIFE","upto_seq":1,"x":' + "[" * 7 + "]" * 7 + "}")
    assert m.decode(deep, m.HubAck).upto_seq == 1
    head, tail = ack('{"life":"LIFE","upto_seq":1,"x":"'), b'"}'
    full = head + b"{" * (m.MAX_BYTES - len(head) - len(tail)) + tail
    assert len(full) == m.MAX_BYTES
    assert m.decode(full, m.HubAck).upto_seq == 1, "brackets in a text are no depth"


@pytest.mark.parametrize("name", ["load", "temperature", "t"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_sender_cannot_pass_a_nan_off_as_unknown(name: str, value: float) -> None:
    fields: dict[str, Any] = {
        "life": LIFE,
        "boot": 1,
        "conn": 1,
        "seq": 0,
        "t": 1.0,
        "synced": True,
        "devices": {},
    }
    fields |= {"load": None, "temperature": None, name: value}
    with pytest.raises(m.MessageError):
        m.encode(m.Heartbeat(**fields))


@pytest.mark.parametrize(
    "message",
    [
        m.Dealt(seat=11, n=1),
        m.Dealt(seat=1, n=-1),
        m.Tabled(seat=1, cards=("10d",)),
        m.Arrive(entry="Jean Dupont", move=None, stack=None),
        m.HubAck(life="short", upto_seq=1),
        m.Action(seat=1, kind="muck"),  # type: ignore[arg-type]
        m.Action(seat=1, kind="call", to="100"),  # type: ignore[arg-type]
        m.Words(fr="x" * 500, en=""),
        m.HubStatus(online=True, epoch=1, conn=1, utc="2026-05-01 19:30"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_sender_refuses_what_its_receiver_would_refuse(message: Any) -> None:
    with pytest.raises(m.MessageMalformed):
        m.encode(message)


def test_a_message_too_large_to_be_sent_is_refused_at_the_sender() -> None:
    decisions = tuple(m.Decision(call=f"c{n}", choice="play_on", by="TD", note="x" * 390) for n in range(40))
    with pytest.raises(m.MessageTooLarge):
        m.encode(
            m.Desired(
                epoch=1,
                rev=1,
                tournament=None,
                rulebook="standard",
                level=None,
                seats=(),
                decisions=decisions,
            )
        )


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=400),
        st.text(max_size=300).map(str.encode),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
            ),
            max_leaves=20,
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_no_bytes_at_all_raise_anything_but_a_named_error(data: bytes) -> None:
    for form in (m.TableState, m.Desired, m.Ruling, m.Replay):
        with contextlib.suppress(m.MessageError):
            m.decode(data, form)
    with contextlib.suppress(m.MessageError):
        m.decode_event(data)


@settings(max_examples=300, deadline=None)
@given(golden=st.sampled_from(PAYLOADS), data=st.data())
def test_a_payload_with_one_byte_changed_is_read_whole_or_refused_by_name(
    golden: Any, data: st.DataObject
) -> None:
    payload = bytearray(wire(golden["payload"]))
    payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        if golden["kind"].startswith("event_"):
            m.decode_event(bytes(payload))
        else:
            m.decode(bytes(payload), FORMS[golden["kind"]])
    except m.MessageError:
        return
    json.loads(payload)


# ------------------------------------------------------------------ the stream


def test_an_event_carries_its_envelope_and_the_type_of_its_body() -> None:
    payload = m.encode_event(event(m.Burned(n=1), seq=7, cause="page"))
    assert list(json.loads(payload)) == "v life boot seq hand type t utc cause body prev".split()
    assert json.loads(payload)["type"] == "burned"
    read = m.decode_event(payload)
    assert (read.seq, read.body, read.cause, read.amends) == (7, m.Burned(n=1), "page", None)


def test_a_correction_names_the_event_that_it_corrects() -> None:
    payload = m.encode_event(event(m.Annulled(reason="undo"), seq=9, amends=4))
    assert json.loads(payload)["amends"] == 4
    assert m.decode_event(payload).amends == 4


def test_every_event_type_of_the_protocol_has_a_body_and_back() -> None:
    promised = """hand_start post dealt burned action board incident ruling doubt allin_pending tabled award hand_end
        misdeal count arrive depart penalty_served device""".split()
    assert set(promised) <= set(m.EVENT_BODIES)
    assert {m.EVENT_TYPES[body] for body in m.EVENT_BODIES.values()} == set(m.EVENT_BODIES)


def test_a_type_of_a_later_version_keeps_its_place_in_the_chain() -> None:
    first = m.encode_event(event(m.Burned(n=1)))
    value = json.loads(m.encode_event(event(m.Burned(n=2), seq=2, prev=m.event_hash(first))))
    later = wire({**value, "type": "side_bet", "body": {"seat": 3}})
    read = m.decode_event(later)
    assert read.body == m.UnknownBody({"seat": 3})
    assert (read.type, read.seq, read.prev) == ("side_bet", 2, m.event_hash(first))
    assert len(m.event_hash(later)) == 64
    with pytest.raises(m.MessageMalformed):
        m.encode_event(read)


def test_another_major_version_is_refused_with_the_next_step() -> None:
    value = json.loads(m.encode_event(event(m.Burned(n=1))))
    with pytest.raises(m.WrongVersion, match="version 2, this is 1") as caught:
        m.decode_event(wire({**value, "v": 2}))
    assert "update" in caught.value.hint
    with pytest.raises(m.WrongVersion):
        m.encode_event(event(m.Burned(n=1), v=2))


def test_a_body_in_an_event_of_another_type_is_refused() -> None:
    with pytest.raises(m.MessageMalformed, match="burned body"):
        m.encode_event(event(m.Burned(n=1), type="dealt"))
    value = json.loads(m.encode_event(event(m.Burned(n=1))))
    with pytest.raises(m.MessageMalformed):
        m.decode_event(wire({**value, "type": "board"}))


def test_any_change_to_any_event_breaks_the_chain() -> None:
    payloads, prev = [], m.GENESIS
    for seq in range(1, 6):
        payloads.append(m.encode_event(event(m.Burned(n=seq), seq=seq, prev=prev)))
        prev = m.event_hash(payloads[-1])

    def broken_at(stream: list[bytes]) -> int | None:
        expected = m.GENESIS
        for n, payload in enumerate(stream):
            if m.decode_event(payload).prev != expected:
                return n
            expected = m.event_hash(payload)
        return None if expected == prev else len(stream)

    assert broken_at(payloads) is None
    changed = payloads[2].replace(b'"n":3', b'"n":4')
    assert broken_at([*payloads[:2], changed, *payloads[3:]]) == 3
    assert broken_at([*payloads[:2], *payloads[3:]]) == 2
    assert broken_at([payloads[1], payloads[0], *payloads[2:]]) == 0
    assert broken_at(payloads[:-1]) == 4


# ------------------------------------------------------------------ secrecy


def test_faces_stand_only_where_the_table_has_seen_them() -> None:
    """It should be impossible to send a hole card, a burn or a tag: there is no field for one."""
    card, places = "[2-9TJQKA][shdc]", set()

    def walk(form: Any, path: str) -> None:
        for field in msgspec.structs.fields(form):
            here = f"{path}.{field.encode_name}"
            text = str(field.type)
            if card in text:
                places.add(here)
            assert not re.search(r"uid|tag|hole|stub|camera", field.encode_name), here
            for inner in vars(m).values():
                if (
                    isinstance(inner, type)
                    and issubclass(inner, m.Part)
                    and inner.__qualname__ in re.findall(r"\w+", text)
                ):
                    walk(inner, here)

    for name, form in {**FORMS, **{f"event_{kind}": body for kind, body in m.EVENT_BODIES.items()}}.items():
        walk(form, name)
    assert places == {
        "state.board",
        "state.expects.card",
        "event_board.cards",
        "event_tabled.cards",
        "event_incident.cards",
        "event_ruling.orders.card",
        "desired.decisions.cards",
    }


# ------------------------------------------------------------------ topics


TOPICS = {
    m.topics.hub_status("lyon"): ("maldonne/1/lyon/hub/status", m.Address("lyon", "hub_status")),
    m.topics.hub_ack("lyon", "t1"): ("maldonne/1/lyon/hub/ack/t1", m.Address("lyon", "hub_ack", "t1")),
    m.topics.status("lyon", "t1"): ("maldonne/1/lyon/table/t1/status", m.Address("lyon", "status", "t1")),
    m.topics.birth("lyon", "t1"): ("maldonne/1/lyon/table/t1/birth", m.Address("lyon", "birth", "t1")),
    m.topics.state("lyon", "t1"): ("maldonne/1/lyon/table/t1/state", m.Address("lyon", "state", "t1")),
    m.topics.event("lyon", "t1"): ("maldonne/1/lyon/table/t1/event", m.Address("lyon", "event", "t1")),
    m.topics.heartbeat("lyon", "t1"): (
        "maldonne/1/lyon/table/t1/heartbeat",
        m.Address("lyon", "heartbeat", "t1"),
    ),
    m.topics.desired("lyon", "t1"): ("maldonne/1/lyon/table/t1/desired", m.Address("lyon", "desired", "t1")),
    m.topics.alert("lyon", "t1", "c-1"): (
        "maldonne/1/lyon/table/t1/alert/c-1",
        m.Address("lyon", "alert", "t1", "c-1"),
    ),
    m.topics.request("lyon", "t1", "floor"): (
        "maldonne/1/lyon/table/t1/request/floor",
        m.Address("lyon", "request", "t1", "floor"),
    ),
    m.topics.response("lyon", "t1", "floor"): (
        "maldonne/1/lyon/table/t1/response/floor",
        m.Address("lyon", "response", "t1", "floor"),
    ),
    m.topics.command("lyon", "t1", "replay"): (
        "maldonne/1/lyon/table/t1/command/replay",
        m.Address("lyon", "command", "t1", "replay"),
    ),
    m.topics.reply("lyon", "t1", "replay"): (
        "maldonne/1/lyon/table/t1/reply/replay",
        m.Address("lyon", "reply", "t1", "replay"),
    ),
    m.topics.tournament("lyon", "friday", "clock"): (
        "maldonne/1/lyon/tournament/friday/clock",
        m.Address("lyon", "tournament", leaf="clock", tournament="friday"),
    ),
    m.topics.public("lyon", "friday", "clock"): (
        "maldonne/1/lyon/public/friday/clock",
        m.Address("lyon", "public", leaf="friday/clock"),
    ),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_written_as_promised_and_read_back(topic: str) -> None:
    promised, address = TOPICS[topic]
    assert topic == promised
    assert m.topics.parse(topic) == address
    assert m.DELIVERY[address.kind].qos in (0, 1)


def test_state_is_retained_events_and_commands_never() -> None:
    kept = {kind for kind, delivery in m.DELIVERY.items() if delivery.retain}
    assert kept == {
        "hub_status",
        "hub_ack",
        "status",
        "birth",
        "state",
        "alert",
        "desired",
        "tournament",
        "public",
    }
    assert not m.topics.ANNOUNCE_DELIVERY.retain


@pytest.mark.parametrize(
    "bad", ["", "#", "t1/x", "$SYS", "T1", "t 1", "é", "-t", "x" * 33, "t1\n", "+x", "a+"]
)
def test_nothing_that_could_widen_a_topic_becomes_part_of_one(bad: str) -> None:
    for make in (
        lambda: m.topics.event("lyon", bad),
        lambda: m.topics.hub_status(bad),
        lambda: m.topics.alert("lyon", "t1", bad),
        lambda: m.topics.public("lyon", bad, "x"),
        lambda: m.topics.tournament("lyon", bad, "clock"),
        lambda: m.topics.tournament("lyon", "friday", bad),
    ):
        with pytest.raises(m.BadTopic):
            make()
    with pytest.raises(m.BadTopic):
        m.topics.event("+", "t1")
    with pytest.raises(m.BadTopic):
        m.topics.public("lyon")


@pytest.mark.parametrize(
    "topic",
    [
        "maldonne/2/lyon/table/t1/state",
        "other/1/lyon/table/t1/state",
        "maldonne/1/lyon/table/t1",
        "maldonne/1/lyon/table/t1/unknown",
        "maldonne/1/lyon/table/t1/state/extra",
        "maldonne/1/lyon/table/+/state",
        "maldonne/1/lyon/table//state",
        "maldonne/1/lyon/tournament/friday/secrets",
        "$SYS/broker/version",
        "",
    ],
)
def test_a_foreign_topic_is_refused(topic: str) -> None:
    with pytest.raises(m.BadTopic):
        m.topics.parse(topic)


def test_filters_name_all_tables() -> None:
    assert m.topics.event("lyon", m.ANY) == "maldonne/1/lyon/table/+/event"
    assert m.topics.public("lyon", m.topics.ALL_BELOW) == "maldonne/1/lyon/public/#"


@pytest.mark.parametrize(
    ("clean", "spoilt"),
    [
        (b'"seq":1', b'"seq":1,"seq":1'),
        (b'"seats":[', b'"seats":[3],"seats":['),
        (b'"t":1.0', b'"t":1e999'),
        (b'"seats":[1,2]', b'"seats":[1,NaN]'),
    ],
)
def test_the_quick_way_for_what_our_own_writer_wrote_lets_nothing_else_through(
    clean: bytes, spoilt: bytes
) -> None:
    """An event is read quickly only if it comes out byte for byte as it went in."""
    event = m.Event(
        life="a" * 32,
        boot=1,
        seq=1,
        hand=None,
        t=1.0,
        utc="2024-05-01T20:00:00Z",
        body=m.AllinPending(seats=(1, 2)),
        prev=m.GENESIS,
    )
    raw = m.encode_event(event)
    assert m.decode_event(raw).body == event.body
    assert raw.count(clean) == 1
    with pytest.raises(m.MessageError):
        m.decode_event(raw.replace(clean, spoilt))
