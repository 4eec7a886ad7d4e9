"""``maldonne adjudicate``: the shared scenarios, and what the command promises."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from maldonne.cli import main

SCENARIOS = Path(__file__).resolve().parents[3] / "shared" / "data" / "scenarios"
EXPECTED = SCENARIOS / "expected.json"
CASES = (
    [
        (name, book, wanted)
        for name, books in json.loads(EXPECTED.read_text()).items()
        for book, wanted in books.items()
    ]
    if EXPECTED.exists()
    else []
)

START = {
    "event": "hand_started",
    "hand": 1,
    "button": 3,
    "small_blind": 50,
    "big_blind": 100,
    "seats": [{"seat": seat, "stack": 5000} for seat in (1, 2, 3)],
}
MOVED = {"event": "card_moved", "from": "deck", "face": "down", "by": "dealer"}
FIRST_EXPOSED = {**MOVED, "card": "Ah", "to": "seat1", "face": "up"}


def journal(file: Path, *events: dict[str, Any]) -> str:
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Run the command and give its lines."""
    assert main(["adjudicate", *arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.splitlines()


def answers(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[Any], dict[str, Any]]:
    """Run it for machines: the rulings and the state."""
    lines = [json.loads(line) for line in run(capsys, *arguments, "--json")]
    return [line for line in lines if "ruling" in line], lines[-1]["state"]


@pytest.mark.skipif(not CASES, reason="the shared scenarios are not here")
@pytest.mark.parametrize(("name", "book", "wanted"), CASES, ids=[f"{name}-{book}" for name, book, _ in CASES])
def test_scenario(name: str, book: str, wanted: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    rulings, state = answers(capsys, str(SCENARIOS / f"{name}.jsonl"), "--rulebook", book)
    given = [(ruling["ruling"], ruling["article"]) for ruling in rulings]
    for want in wanted.get("want", ()):
        ruling, article = (want, "") if isinstance(want, str) else want
        assert any(r == ruling and a.startswith(article) for r, a in given), (want, given)
    for never in wanted.get("never", ()):
        assert never not in [ruling for ruling, _ in given], given
    for path, value in wanted.get("state", {}).items():
        found: Any = state
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]
        assert found == value, path


def test_a_ruling_has_the_contracts_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = journal(tmp_path / "a.jsonl", START, FIRST_EXPOSED)
    (ruling, *_), state = answers(capsys, file, "--rulebook", "ropta")
    assert ruling["ruling"] == "misdeal" and ruling["incident"] == "first_card_exposed"
    assert ruling["rulebook"] == "ropta" and ruling["article"].startswith("ROPTA misdeal a")
    assert ruling["event"] == 1 and ruling["orders"] and all("order" in o for o in ruling["orders"])
    assert {"seats", "cards"} <= ruling.keys()
    assert state["phase"] == "void" and state["misdeals"] == 1


def test_the_option_wins_over_the_event_which_wins_over_standard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = journal(tmp_path / "plain.jsonl", START, FIRST_EXPOSED)
    named = journal(tmp_path / "named.jsonl", {**START, "rulebook": "ppc2011"}, FIRST_EXPOSED)
    assert answers(capsys, plain)[0] == answers(capsys, plain, "--rulebook", "standard")[0]
    assert [r["rulebook"] for r in answers(capsys, named)[0]] == ["ppc2011"] * 2
    assert answers(capsys, named, "--rulebook", "ropta")[0][0]["rulebook"] == "ropta"


def test_every_hand_of_a_session_is_ruled_by_its_own_book(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = journal(
        tmp_path / "a.jsonl",
        {**START, "rulebook": "ropta"},
        FIRST_EXPOSED,
        {**START, "rulebook": "ppc2011"},
        FIRST_EXPOSED,
    )
    rulings, _ = answers(capsys, file)
    assert [(r["event"], r["rulebook"]) for r in rulings] == [(1, "ropta"), (3, "ppc2011"), (3, "ppc2011")]


def test_a_clubs_own_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = tmp_path / "club.toml"
    club.write_text(
        'id = "club"\nname = "Club"\nversion = "1"\ndate = "2026-01-01"\nsource = "club"\nextends = "ropta"\n'
        '[[hand]]\nincident = "first_card_exposed"\nruling = "play_on"\narticle = "Club 7"\n'
    )
    rulings, _ = answers(capsys, journal(tmp_path / "a.jsonl", START, FIRST_EXPOSED), "--rulebook", str(club))
    assert [(r["ruling"], r["rulebook"], r["article"]) for r in rulings] == [("play_on", "club", "Club 7")]


def test_trace_tells_what_is_expected_after_every_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = journal(tmp_path / "a.jsonl", START, {**MOVED, "card": "Ah", "to": "seat1"})
    lines = [json.loads(line) for line in run(capsys, file, "--json", "--trace")]
    expected = [line for line in lines if "expects" in line]
    assert [line["event"] for line in expected] == [0, 1]
    assert expected[0]["expects"][0] == {"order": "deal", "to": "seat1"}
    assert expected[1]["expects"][0] == {"order": "deal", "to": "seat2"}
    assert list(lines[-1]) == ["state"]


def test_an_undone_event_did_not_happen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = journal(tmp_path / "a.jsonl", START, FIRST_EXPOSED, {"event": "undone", "index": 1})
    rulings, state = answers(capsys, file)
    assert rulings == [] and state["phase"] == "dealing"


def test_standard_input_is_read_for_a_dash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = "\ufeff" + json.dumps(START) + "\r\n\r\n" + json.dumps(FIRST_EXPOSED)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw.encode())))
    assert answers(capsys, "-", "--rulebook", "ropta")[0][0]["ruling"] == "misdeal"


@pytest.mark.parametrize(("lang", "word"), [("fr_FR.UTF-8", "Fausse donne"), ("en_GB.UTF-8", "Misdeal")])
def test_people_read_it_in_their_language(
    lang: str,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    lines = run(capsys, journal(tmp_path / "a.jsonl", START, FIRST_EXPOSED), "--rulebook", "ropta", "--trace")
    ruled = [line for line in lines if word in line]
    assert ruled and "ROPTA misdeal a" in ruled[0]
    assert any(line.startswith("   → ") for line in lines), "the cure, one act a line"


def test_the_same_journal_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = journal(tmp_path / "a.jsonl", START, FIRST_EXPOSED)
    assert run(capsys, file, "--json", "--trace") == run(capsys, file, "--json", "--trace")
