"""Names in one table that can be erased; after that no byte of them in any file; what is kept how long."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from tournament_hub.errors import StoreFault
from tournament_hub.store import Store, Verdict
from tournament_hub.store_backup import backup
from tournament_hub.store_people import (
    Keep,
    Person,
    StillThere,
    UnknownPerson,
    export_person,
    find,
    forget,
    people,
    retain,
    save_person,
    scan,
)
from webkit.pairing import Pairing, Role

UTC = "2024-05-01T20:00:00Z"
NAME = "Zénobie Quatrefages"
STACKS = {1: 20000, 4: 18000}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> Iterator[Store]:
    subject = Store(data / "hub.sqlite3")
    yield subject
    subject.close()


def write_everywhere(store: Store, data: Path, stream: Callable) -> None:
    """The name in the table of names, and in every place into which people can type."""
    desired = m.Desired(epoch=1, rev=1, tournament=None, rulebook="standard", level=None, seats=())
    ruled = m.Decision(call="c1", choice="play_on", by=NAME, note=f"vu avec {NAME.upper()}")
    by = m.Counted(seat=1, declared=10, counted=10, by=NAME)
    with store.transaction():
        save_person(store, Person("p-1", NAME, "zenobie.q@example.org"), UTC)
        save_person(store, Person("p-2", "Anne"), UTC)
        store.save_desired(
            "t1",
            m.Desired(
                **{f: getattr(desired, f) for f in desired.__struct_fields__} | {"decisions": (ruled,)}
            ),
            NAME,
            "hold",
        )
        store.alarm("t1", "gap", f"dit par {unicodedata.normalize('NFD', NAME)}", UTC)
        store.take_alarm(store.alarms()[0].ident, NAME)
        store.save_request("t1", "floor", "tx1", json.dumps({"by": NAME}).encode(), b'{"ok":true}')
        store.add_record(
            "friday",
            1,
            json.dumps({"n": 1, "by": NAME, "event": {"entry": "e1", "player": "p-1"}}).encode(),
            UTC,
        )
        payload = stream.event(by)
        store.offer("t1", m.decode_event(payload), payload, UTC)
    pairing = Pairing(data / "web")
    pairing.redeem_token(pairing.invite(Role.DIRECTOR).token, f"Tél. de {NAME}")


def test_names_are_found_by_name_or_pseudonym(store: Store) -> None:
    with store.transaction():
        for person, name in (("p-1", "Anne"), ("p-2", "Bob"), ("p-3", "bob")):
            save_person(store, Person(person, name), UTC)
    assert find(store, "anne").person == find(store, "p-1").person == "p-1"
    with pytest.raises(UnknownPerson, match="2 people have this name"):
        find(store, "BOB")
    with pytest.raises(UnknownPerson, match="nobody"):
        find(store, "Cora")


def test_a_changed_name_replaces_the_old_one(store: Store) -> None:
    for name in ("Anne", "Anna"):
        with store.transaction():
            save_person(store, Person("p-1", name), UTC)
    assert [person.name for person in people(store)] == ["Anna"]


def test_forgotten_nothing_of_the_name_is_in_any_file(store: Store, data: Path, streams: Callable) -> None:
    stream = streams()
    write_everywhere(store, data, stream)
    backup(data / "hub.sqlite3", data / "backups" / "monday.sqlite3")
    names = [NAME, "zenobie.q@example.org"]
    assert len(scan(data, names)) >= 3  # record or its write-ahead file, backup, devices
    done = forget(store, find(store, NAME), data)
    assert done.blacked == {
        "people": 1,
        "desired": 1,
        "alarms": 1,
        "requests": 1,
        "records": 1,
        "events": 1,
    }
    assert len(done.files) == 2
    for closed in (False, True):
        if closed:
            store.close()
        for file in data.rglob("*"):
            content = file.read_bytes() if file.is_file() else b""
            for form in (
                b"Quatrefages",
                b"QUATREFAGES",
                b"zenobie.q",
                NAME.encode(),
                "Zénobie".encode("utf-16-le"),
            ):
                assert form not in content, (file, form)


def test_forgotten_the_rest_stays_and_the_record_can_be_proved(
    store: Store, data: Path, streams: Callable
) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    with store.transaction():
        for payload in payloads:
            store.offer("t1", m.decode_event(payload), payload, UTC)
    write_everywhere(store, data, stream)
    forget(store, find(store, NAME), data)
    assert [person.name for person in people(store)] == ["Anne"]
    assert json.loads(store.records("friday")[0]) == {
        "n": 1,
        "by": "—",
        "event": {"entry": "e1", "player": "p-1"},
    }
    desired = store.desired("t1")
    assert desired is not None and desired.decisions[0].note == "vu avec —"
    assert store.rebuild() == 6 and store.hands("t1") == [1]
    with store.transaction():  # the table sends the original again: it is the same event
        assert (
            store.offer("t1", m.decode_event(stream.payloads[5]), stream.payloads[5], UTC) is Verdict.REPEATED
        )
    after = stream.event(m.Counted(seat=1, declared=1, counted=1, by="floor"))
    with store.transaction():
        assert store.offer("t1", m.decode_event(after), after, UTC) is Verdict.RECORDED
    device = json.loads((data / "web" / "devices.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in device.values()] == ["Tél. de —"]


def test_another_form_of_the_name_is_forgotten_too(store: Store, data: Path) -> None:
    with store.transaction():
        save_person(store, Person("p-1", NAME), UTC)
        store.alarm("t1", "gap", "Zézé l'a vu", UTC)
    forget(store, find(store, NAME), data, also=["Zézé"])
    assert store.alarms()[0].detail == "— l'a vu"


def test_a_name_inside_other_words_is_left_alone(store: Store, data: Path) -> None:
    with store.transaction():
        save_person(store, Person("p-1", "Al"), UTC)
        store.alarm("t1", "gap", "Alerte : le signal d'Al, Albert", UTC)
        store.add_record("friday", 1, b'{"n":1,"event":{"entry":"Al","note":"Al"}}', UTC)
    forget(store, find(store, "Al"))
    assert store.alarms()[0].detail == "Alerte : le signal d'—, Albert"
    assert json.loads(store.records("friday")[0])["event"] == {"entry": "Al", "note": "—"}


def test_a_namesake_stays(store: Store, data: Path) -> None:
    with store.transaction():
        for person, name in (("p-1", "Anne"), ("p-2", "Anne Martin"), ("p-3", "Anne")):
            save_person(store, Person(person, name), UTC)
    done = forget(store, find(store, "p-1"), data)
    assert done.shared == ("Anne",)
    assert [(held.person, held.name) for held in people(store)] == [("p-3", "Anne"), ("p-2", "Anne Martin")]


def test_a_file_of_somebody_else_that_has_the_name_is_told(store: Store, data: Path) -> None:
    with store.transaction():
        save_person(store, Person("p-1", NAME), UTC)
    (data / "liste.csv").write_bytes(f"place;joueur\n1;{NAME}\n".encode("cp1252"))
    with pytest.raises(StillThere, match=r"liste\.csv"):
        forget(store, find(store, NAME), data)
    assert people(store) == []


def test_a_reader_of_the_record_does_not_let_the_name_survive_unsaid(store: Store, data: Path) -> None:
    """A backup that runs holds the write-ahead file: that is told, never passed over."""
    import sqlite3

    with store.transaction():
        save_person(store, Person("p-1", NAME), UTC)
    reader = sqlite3.connect(data / "hub.sqlite3", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM people").fetchone()
    person = find(store, NAME)
    with pytest.raises(StoreFault):
        forget(store, person, data)
    reader.close()
    assert find(store, NAME) == person
    forget(store, person, data)
    assert scan(data, [NAME]) == []


# -- to see ---------------------------------------------------------------------------------


def test_a_person_is_given_all_that_is_kept_of_him_and_nothing_of_others(store: Store) -> None:
    log = [
        {"n": 1, "event": {"event": "registered", "entry": "e1", "player": "p-1"}},
        {"n": 2, "event": {"event": "registered", "entry": "e2", "player": "p-2"}},
        {"n": 3, "event": {"event": "hand_ended", "table": "t1", "busts": {"e1": 500}}},
        {"n": 4, "event": {"event": "hand_ended", "table": "t1", "busts": {"e2": 500}}},
    ]
    with store.transaction():
        save_person(store, Person("p-1", NAME), UTC)
        for record in log:
            store.add_record("friday", int(str(record["n"])), json.dumps(record).encode(), UTC)
        store.add_record(
            "saturday", 1, json.dumps({"n": 1, "event": {"entry": "e1", "player": "p-9"}}).encode(), UTC
        )
    told = export_person(store, find(store, NAME))
    assert told["person"]["name"] == NAME
    (tournament,) = told["tournaments"]
    assert (tournament["tournament"], tournament["entries"]) == ("friday", ["e1"])
    assert [record["n"] for record in tournament["records"]] == [1, 3]


# -- how long -------------------------------------------------------------------------------


def test_each_kind_is_kept_as_long_as_it_says(store: Store, data: Path, streams: Callable) -> None:
    old, new = "2024-01-01T00:00:00Z", "2024-04-25T00:00:00Z"
    desired = m.Desired(epoch=1, rev=1, tournament=None, rulebook="standard", level=None, seats=())
    for number, utc in enumerate((old, new), 1):
        with store.transaction():
            save_person(store, Person(f"p-{number}", f"Name{number}x"), utc)
            store.alarm("t1", f"code{number}", "", utc)
            store.take_alarm(store.alarms()[0].ident, "hub")
            store.save_request("t1", "floor", f"tx{number}", b"{}", b"{}")
            store.save_desired(
                "t1",
                m.Desired(**{f: getattr(desired, f) for f in desired.__struct_fields__} | {"rev": number}),
                "hub",
                "x",
            )
            store.save_desired(
                "t2",
                m.Desired(**{f: getattr(desired, f) for f in desired.__struct_fields__} | {"rev": number}),
                "hub",
                "x",
            ) if number == 1 else None
            store.add_record(f"event{number}", 1, b"{}", utc)
            stream = streams(str(number) * 32)
            payload = stream.event(m.Counted(seat=1, declared=1, counted=1, by="x"))
            store.offer("t1", m.decode_event(payload), payload, utc)
            store.save_identity("t1", stream.life, 1, 1)
    keep = Keep(names=30, alarms=30, requests=30, targets=30, events=30, tournaments=30)
    assert retain(store, Keep(names=0, alarms=0, requests=0, targets=0, events=0, tournaments=0), UTC) == {}
    gone = retain(store, keep, UTC)
    assert gone == {"names": 1, "alarms": 1, "requests": 1, "targets": 1, "events": 1, "tournaments": 1}
    assert [person.person for person in people(store)] == ["p-2"]
    assert store.answered("t1", "floor", "tx1") is None and store.answered("t1", "floor", "tx2") is not None
    assert store.desired("t2") is not None  # old as it is, it is what the table obeys
    assert store.tournaments() == ["event2"]
    assert len(store.payloads("t1", "2" * 32)) == 1 and store.payloads("t1", "1" * 32) == []
    assert store.rebuild() == 1
    assert scan(data, ["Name1x"]) == []
    assert retain(store, keep, UTC) == {}
