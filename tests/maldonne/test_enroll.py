"""Decks and chips taught at the desk: real nfcpy over a pty, a person who lays what is asked for and makes mistakes."""

import io
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.vocabulary import DECK
from firmware_bridge.card_reader import ReaderTiming
from hw_sim.pn532 import Pad, Pn532, ReaderFaults
from maldonne.cli import main
from table_controller.enrolment import files
from table_controller.enrolment.teaching import ChipTeaching, DeckCheck, DeckTeaching, Watch
from table_controller.inventory import InventoryError, read_chips, read_deck
from tests.maldonne.laying import card_in

Hear = Callable[[dict[str, Any]], None]


def uid_of(card: str, deck: int = 1) -> str:
    return f"04{deck:02X}C0DE00{DECK.index(card):02X}01"


class Ear(io.StringIO):
    """Hears what the program says, line by line."""

    def __init__(self, hear: Hear) -> None:
        super().__init__()
        self.said: list[dict[str, Any]] = []
        self._hear = hear

    def write(self, text: str) -> int:
        for line in text.splitlines():
            if line.startswith("{"):
                self.said.append(json.loads(line))
                self._hear(self.said[-1])
        return len(text)


class Club:
    """A folder with a table's file, a desk on a pty and a keyboard."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.pad = Pad()
        self.config = folder / "table.toml"
        self.config.write_text(
            f'[files]\ndeck = "deck.csv"\nchips = "chips.csv"\n'
            f'[readers.desk]\npath = "{folder}/desk"\ntargets = 2\ndesk = true\n'
        )
        self.deck = folder / "deck.csv"
        out, self._keys = os.pipe()
        self._stdin = os.fdopen(out)
        self._patch = monkeypatch
        monkeypatch.setattr("sys.stdin", self._stdin)
        # nothing flickers here unless it is told to: the levels may be shorter than at a real desk
        brisk = ReaderTiming(interval=0.004, window=0.03, repeat=0.03)
        monkeypatch.setattr("table_controller.enrolment.desk.BRISK", brisk)

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode() + b"\n")

    def run(self, hear: Hear, *options: str) -> tuple[int, list[dict[str, Any]]]:
        ear = Ear(hear)
        with self._patch.context() as patch:
            patch.setattr("sys.stdout", ear)
            status = main(["enroll", "--config", str(self.config), "--json", *options])
        return status, ear.said

    def lay(self, *uids: str) -> None:
        self.pad.clear()
        for uid in uids:
            self.pad.put(uid)

    def lay_what_is_asked(self, deck: int = 1) -> Hear:
        def hear(said: dict[str, Any]) -> None:
            if said["enroll"] in ("lay", "check"):
                self.lay(uid_of(card_in(said["card"]), deck))

        return hear

    def close(self) -> None:
        os.close(self._keys)
        self._stdin.close()


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    club = Club(tmp_path, monkeypatch)
    with Pn532(tmp_path / "desk", club.pad):
        yield club
    club.close()


def write_whole(path: Path, deck: str = "red", number: int = 1) -> None:
    files.write_decks(path, {uid_of(card, number): (card, deck) for card in DECK})


def kinds(said: list[dict[str, Any]]) -> list[str]:
    return [each["enroll"] for each in said]


# -- at the desk ---------------------------------------------------------------------------------------------


def test_a_deck_at_the_desk_with_every_mistake(club: Club) -> None:
    write_whole(club.deck, "blue", 2)
    usual = club.lay_what_is_asked()
    made: set[str] = set()

    def hear(said: dict[str, Any]) -> None:
        card = card_in(said["card"]) if said["enroll"] == "lay" else ""
        mistakes = {
            "5s": lambda: club.lay(uid_of("4s"), uid_of("2s")),
            "7s": lambda: club.lay(uid_of("Kd", 2)),
            "9s": lambda: club.lay(uid_of("Kc"), uid_of("Qc")),
        }
        if card in mistakes and card not in made:
            made.add(card)
            club.pad.clear()
            mistakes[card]()
            return
        if said["enroll"] in ("duplicate", "other_deck", "several"):
            waiting = {"duplicate": "5s", "other_deck": "7s", "several": "9s"}[said["enroll"]]
            club.lay(uid_of(waiting))
            return
        usual(said)

    status, said = club.run(hear, "--deck", "red")
    assert status == 0
    cards = {uid: (card.reveal(), card.deck) for uid, card in read_deck(club.deck).items()}
    assert {uid: row for uid, row in cards.items() if row[1] == "red"} == {
        uid_of(card): (card, "red") for card in DECK
    }
    assert sum(deck == "blue" for _, deck in cards.values()) == 52
    for kind in ("duplicate", "other_deck", "several"):
        assert kind in kinds(said), kind
    assert kinds(said).count("taken") == 52
    assert kinds(said)[-1] == "deck_done"
    assert kinds(said).count("check_right") == 3
    assert not files.part_of(club.deck).exists()


def test_work_that_was_broken_off_goes_on(club: Club) -> None:
    usual = club.lay_what_is_asked()

    def stop(said: dict[str, Any]) -> None:
        usual(said)
        if said["enroll"] == "taken" and card_in(said["card"]) == "8s":
            club.type("q")

    status, said = club.run(stop)
    assert status == 1
    assert kinds(said)[-1] == "kept"
    assert not club.deck.exists(), "nothing half done"
    kept = files.read_part(club.deck)
    assert 7 <= len(kept) <= 8
    club.pad.clear()
    status, said = club.run(usual, "--no-check")
    assert status == 0
    assert said[1] == {"enroll": "resume", "deck": "red", "count": len(kept)}
    assert len(read_deck(club.deck)) == 52


def test_a_pair_is_taught_one_after_the_other(club: Club) -> None:
    number = 1

    def hear(said: dict[str, Any]) -> None:
        nonlocal number
        if said["enroll"] == "begin":
            number = 1 if said["deck"] == "red" else 2
        club.lay_what_is_asked(number)(said)

    status, _ = club.run(hear, "--deck", "red", "--pair", "blue", "--no-check")
    assert status == 0
    decks = [card.deck for card in read_deck(club.deck).values()]
    assert decks == ["red"] * 52 + ["blue"] * 52


def test_one_card_gets_a_new_tag(club: Club) -> None:
    write_whole(club.deck)
    new = "04FFFFFFFFFF01"
    status, said = club.run(
        lambda said: club.lay(new) if said["enroll"] == "lay" else None, "--replace", "ah"
    )
    assert status == 0
    cards = read_deck(club.deck)
    assert cards[new].reveal() == "Ah" and uid_of("Ah") not in cards and len(cards) == 52
    assert kinds(said)[-1] == "replaced"


def test_a_card_named_by_hand_and_taken_back(club: Club) -> None:
    asked: list[str] = []

    def hear(said: dict[str, Any]) -> None:
        if said["enroll"] == "name":
            club.pad.clear()
            club.type("10h" if not asked else "nonsense" if len(asked) == 1 else "q")
        elif said["enroll"] == "lay":
            asked.append(said["card"])
            club.lay(uid_of("Th"))
        elif said["enroll"] == "no_card":
            club.type("u")
        elif said["enroll"] == "back":
            club.type("q")

    status, said = club.run(hear, "--by-hand")
    assert status == 1
    assert asked[0] == "10♥"
    assert {"taken", "name", "back"} <= set(kinds(said)) or {"taken", "name", "kept"} <= set(kinds(said))


def test_chips_of_one_denomination(club: Club) -> None:
    files.write_chips(club.folder / "chips.csv", {"04AA00000000F0": 25})
    write_whole(club.deck)
    tags = [f"04AA000000{number:02X}01" for number in range(5)]
    laid = iter([["04AA00000000F0"], [uid_of("2s")], *([tag] for tag in tags)])

    def hear(said: dict[str, Any]) -> None:
        if said["enroll"] in ("chips_begin", "chip", "other_deck", "chips_taken"):
            following = next(laid, None)
            if following is None:
                club.type("")
            else:
                club.lay(*following)

    status, said = club.run(hear, "--chips", "100")
    assert status == 0
    assert read_chips(club.folder / "chips.csv") == {"04AA00000000F0": 25, **dict.fromkeys(tags, 100)}
    assert {"enroll": "chip", "value": "25"} in said


def test_a_reader_that_flickers_and_stalls_teaches_the_same_deck(tmp_path: Path, club: Club) -> None:
    with Pn532(tmp_path / "other", club.pad, faults=ReaderFaults(no_ack=0.005, bad_checksum=0.01), seed="3"):
        with club.config.open("a") as file:
            file.write(f'[readers.other]\npath = "{tmp_path}/other"\ndesk = true\n')
        status, _ = club.run(club.lay_what_is_asked(), "--no-check", "--reader", "other")
    assert status == 0
    assert {uid: card.reveal() for uid, card in read_deck(club.deck).items()} == {
        uid_of(card): card for card in DECK
    }


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--replace", "Ax"), "no card"),
        (("--replace", "Ah"), "teach it first"),
        (("--chips", "0"), "no denomination"),
        (("--deck", "red", "--pair", "red"), "two names"),
        (("--reader", "dsk"), "did you mean 'desk'?"),
        (("--antenna", "one"), "no antenna"),
        (("--antenna", "3"), "on which board"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    club: Club, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], what: str
) -> None:
    assert main(["enroll", "--config", str(club.config), *options]) == 2
    told = capsys.readouterr().err
    assert what in told and told.count("\n") == 1
    assert not club.deck.exists()


def test_a_reader_that_is_away_is_named(
    tmp_path: Path, club: Club, capsys: pytest.CaptureFixture[str]
) -> None:
    from table_controller.enrolment import desk

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk, "READY_WITHIN", 0.3)
        club.config.write_text(club.config.read_text().replace("/desk", "/nothing"))
        assert main(["enroll", "--config", str(club.config)]) == 1
    assert "port-absent" in capsys.readouterr().err


# -- the minutes of a deck, in simulated time ---------------------------------------------------------------------


def test_a_deck_takes_less_than_two_minutes_of_a_persons_time() -> None:
    """A card every 1.5 s, a level every 0.1 s, one read in ten missed, a ghost in two hundred, two cards laid twice."""
    chance = random.Random(4)
    teaching = DeckTeaching("red", {}, {})
    t, laid_at, lying, twice = 0.0, -9.0, "", {"9s", "4d"}
    while not teaching.complete:
        t = round(t + 0.1, 1)
        assert t < 600
        if t - laid_at >= 1.5 and teaching.next is not None:
            card = teaching.next
            repeat = card in twice and bool(lying)
            twice.discard(card)
            laid_at, lying = t, lying if repeat else uid_of(card)
        seen = [] if t - laid_at < 0.3 or chance.random() < 0.1 else [lying]
        if chance.random() < 0.005:
            seen.append(f"04{chance.getrandbits(48):012X}")
        teaching.see(seen)
    assert teaching.rows == {uid_of(card): card for card in DECK}
    assert t < 120, t


# -- parts -------------------------------------------------------------------------------------------------------


def test_a_tag_counts_once_when_two_levels_show_it() -> None:
    watch = Watch()
    assert [watch.see(level) for level in (["A"], ["A"], ["A"], [], ["A", "B"], ["A", "B"])] == [
        (),
        ("A",),
        (),
        (),
        (),
        ("A", "B"),
    ]


def test_a_check_finds_a_card_that_was_skipped() -> None:
    rows = {uid_of(card): DECK[at - 1] for at, card in enumerate(DECK)}
    check = DeckCheck(rows, ("Kc",))
    for _ in range(2):
        news = check.see([uid_of("Kc")])
    assert [each.kind for each in news] == ["wrong"]
    assert check.next == "Kc"


def test_chips_many_at_once_and_taken_back() -> None:
    teaching = ChipTeaching(500, {}, {})
    teaching.see(["E004010000000001", "E004010000000002"])
    assert len(teaching.see(["E004010000000001", "E004010000000002"])) == 2
    teaching.take_back()
    assert teaching.rows == {"E004010000000001": 500}


@pytest.mark.parametrize("moment", ["write", "fsync", "replace"])
def test_a_disk_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "deck.csv"
    write_whole(path)
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if moment == "fsync":
        monkeypatch.setattr("os.fsync", fail)
    elif moment == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(InventoryError, match="No space"):
        files.write_decks(path, {uid_of("As"): ("As", "red")})
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["deck.csv"]


def test_a_part_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    files.part_of(path).write_text("uid,card\n04\n")
    with pytest.raises(InventoryError) as caught:
        files.read_part(path)
    assert caught.value.where.endswith("deck.csv.part")
