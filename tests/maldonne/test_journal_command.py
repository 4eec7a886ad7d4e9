"""``maldonne journal``: a real journal file shown, proved and exported."""

import json
import sqlite3
import warnings
from pathlib import Path

import pytest

from engine import machine
from engine.events import (
    Acted,
    CardMoved,
    HandEnded,
    HandStarted,
    PotTaken,
    SeatEntry,
    TableEvent,
    Undone,
    encode,
)
from engine.rulings import encode as encode_said
from maldonne.cli import main
from maldonne.phh import read_all
from table_controller.journal import Batch, HandOpening, Journal, NewEntry, NewRuling
from table_controller.rulebook_files import resolve

UTC = "2026-05-01T19:30:00Z"


def moved(card: str | None, to: str) -> CardMoved:
    return CardMoved(card=card, from_="deck", to=to, face="up" if card else "down")


def one_hand(number: int, *, exposed: bool) -> list[TableEvent]:
    seats = tuple(SeatEntry(seat, 1000) for seat in (1, 2, 3))
    deal = [moved(None, f"seat{seat}") for seat in (1, 2, 3, 1, 2, 3)]
    if exposed:
        deal[3] = moved("Ah", "seat1")
        deal.append(moved(None, "seat1"))
    return [
        HandStarted(hand=number, button=3, seats=seats, small_blind=5, big_blind=10),
        *deal,
        Acted(seat=3, said="fold"),
        Acted(seat=1, said="fold"),
        PotTaken(seat=2, amount=10),
        HandEnded(),
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A journal with two hands; in the second one an act was taken back."""
    path = tmp_path / "journal.db"
    book, text = resolve("ropta")
    second = one_hand(8, exposed=False)
    second[7:7] = [Acted(seat=3, said="call"), Undone(index=19)]
    with Journal.open(path, club="lyon", table="t1", utc=UTC, engine="1", software="maldonne") as journal:
        state, t = machine.start(), 0.0
        for events in (one_hand(7, exposed=True), second):
            for event in events:
                opening = None
                if isinstance(event, HandStarted):
                    opening = HandOpening(hand=event.hand, rulebook=book.id, text=text)
                rulings: tuple[NewRuling, ...] = ()
                if not isinstance(event, Undone):
                    step = machine.step(state, event, book)
                    state = step.state
                    rulings = tuple(NewRuling(body=encode_said(ruling)) for ruling in step.rulings)
                t += 1
                entry = NewEntry(body=encode(event), t=t, utc=UTC, hand=state.hand)
                journal.commit(Batch(entries=(entry,), rulings=rulings, opening=opening))
        note = NewEntry(body=b'{"note":"question left"}', t=t, utc=UTC, kind="note")
        journal.commit(Batch(entries=(note,)))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> list[str]:
    assert main(["journal", *arguments]) == status
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.splitlines()


def test_show_gives_entries_with_their_rulings_in_words(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    lines = run(capsys, "show", str(file))
    assert "hand_started" in lines[0] and UTC in lines[0]
    assert any("ROPTA exposed" in line and not line.strip().startswith("{") for line in lines)
    assert "question left" in lines[-1]
    only = [json.loads(line) for line in run(capsys, "show", str(file), "--hand", "7", "--json")]
    assert {line["hand"] for line in only} == {7}
    assert [line["rulings"][0]["ruling"] for line in only if line["rulings"]] == ["card_replaced"]


def test_verify_proves_it_whole(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = map(json.loads, run(capsys, "verify", str(file), "--json"))
    assert found["ok"] and found["hands"] == 2 and len(found["hash"]) == 64
    assert len(run(capsys, "verify", str(file))) == 1


def test_verify_finds_a_changed_entry(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = sqlite3.connect(file)
    db.execute("UPDATE entries SET body = replace(body, 'fold', 'call') WHERE idx = 9")
    db.commit()
    db.close()
    (found,) = map(json.loads, run(capsys, "verify", str(file), "--json", status=1))
    assert not found["ok"] and found["problems"]


def test_export_as_events_is_what_adjudicate_reads(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = run(capsys, "export", str(file))
    exported = tmp_path / "hand.jsonl"
    exported.write_text("\n".join(lines))
    assert main(["adjudicate", str(exported), "--rulebook", "ropta", "--json"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert json.loads(out[0])["ruling"] == "card_replaced"
    assert json.loads(out[-1])["state"]["stacks"] == {"1": 995, "2": 1005, "3": 1000}


def test_export_as_phh_plays_again(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = tmp_path / "session.phhs"
    exported.write_text("\n".join(run(capsys, "export", str(file), "--phh")) + "\n")
    hands = read_all(exported)
    assert [hand.hand for hand in hands] == [7, 8]
    assert [hand.finishing_stacks for hand in hands] == [(995, 1005, 1000)] * 2
    assert main(["play", str(exported), "--engine", "--json", "--rulebook", "ropta"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["file"] for line in found] == [f"{exported}#1", f"{exported}#2"]
    assert [[r["ruling"] for r in line["rulings"]] for line in found] == [
        ["card_replaced", "burn_assigned"],
        [],
    ]


def test_an_exported_session_loads_in_pokerkit_and_ends_with_the_same_stacks(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    session = "\n".join(run(capsys, "export", str(file), "--phh")) + "\n"
    hands = list(pokerkit.HandHistory.loads_all(session))
    assert [hand.hand for hand in hands] == [7, 8]
    for hand in hands:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = list(hand)[-1]
        assert sorted(state.stacks) == [995, 1000, 1005]
        assert list(state.stacks) == hand.finishing_stacks


def test_one_hand_alone(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = tmp_path / "hand.phh"
    exported.write_text("\n".join(run(capsys, "export", str(file), "--phh", "--hand", "8")) + "\n")
    (hand,) = read_all(exported)
    assert [act.kind for act in hand.acts if act.kind != "hole"] == ["fold", "fold"]


@pytest.mark.parametrize("arguments", [["show", "/nowhere.db"], ["export", "FILE", "--hand", "99"]])
def test_what_is_not_there(arguments: list[str], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", *[str(file) if word == "FILE" else word for word in arguments]]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1


def test_a_file_that_is_no_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "photo.jpg"
    other.write_bytes(b"\xff\xd8" * 5000)
    assert main(["journal", "verify", str(other)]) == 2
    assert str(other) in capsys.readouterr().err
