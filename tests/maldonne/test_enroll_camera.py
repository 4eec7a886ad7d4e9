"""A deck shown to the table's camera: real networks, rendered pictures, a person who lays what is asked for and errs."""

from __future__ import annotations

import io
import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from benchmarks.camera_stage import calibrate, lens_of
from engine.vocabulary import DECK
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.pn532 import Pad, Pn532
from hw_sim.world import CARD_NAMES, World, make_deck
from maldonne import enroll_camera
from maldonne.cli import main
from table_controller.enrolment import files
from tests.maldonne.laying import card_in
from vision.calibration import save
from vision.detect import find_cards
from vision.frames import Frame
from vision.recognise import BACK, CARDS, EnrolledDeck

Hear = Callable[[dict[str, Any]], None]


class Stage:
    """A table under a camera, one card of it on the board at a time, and a keyboard."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.world = World({"red": make_deck("red", 7, random.Random(1))}, ())
        self.world.stack_deck("red", CARD_NAMES)
        self.cards = {card.name: card for card in self.world.decks["red"]}
        self.scene = Scene(self.world)
        self.lock = threading.Lock()
        save(calibrate(self.scene, lens_of(self.scene)), folder / "camera.json")
        self.config = folder / "table.toml"
        self.write("http://127.0.0.1:9/")
        self.out = folder / "red.npz"
        self.t = 0.0
        self._patch = monkeypatch
        out, self._keys = os.pipe()
        self._stdin = os.fdopen(out)
        monkeypatch.setattr("sys.stdin", self._stdin)

    def write(self, source: str, more: str = "") -> None:
        self.config.write_text(f'[files]\ndeck = "deck.csv"\n[camera]\nsource = "{source}"\n{more}')

    def lay(self, name: str, face: str = "up") -> None:
        """This card, and no other, lies on the board."""
        with self.lock:
            for card in list(self.world.cards("board")):
                self.world.move_card(card, "muck", face="down")
            self.world.move_card(self.cards[name], "board", face=face)

    def asked(self, said: dict[str, Any]) -> None:
        """Lay what is asked for."""
        if said["enroll_camera"] == "lay":
            self.lay(card_in(said["card"]))
        elif said["enroll_camera"] == "back":
            self.lay("As", "down")

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode() + b"\n")

    def run(self, hear: Hear, *options: str) -> tuple[int, list[dict[str, Any]]]:
        said: list[dict[str, Any]] = []

        class Ear(io.StringIO):
            def write(self, text: str) -> int:
                for line in text.splitlines():
                    if line.startswith("{"):
                        said.append(json.loads(line))
                        hear(said[-1])
                return len(text)

        with self._patch.context() as patch:
            patch.setattr("sys.stdout", Ear())
            status = main(["enroll", "--config", str(self.config), "--camera", "--json", *options])
        return status, said

    def picture(self) -> Any:
        with self.lock:
            return self.scene.picture(self.t)

    # a source of pictures, taken when they are asked for

    live = True

    def read(self, within: float) -> Frame:
        assert within > 0
        self.t += 0.1
        return Frame(self.picture(), self.t, round(self.t * 10), self.t)

    def close(self) -> None:
        """Nothing was opened."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def end(self) -> None:
        os.close(self._keys)
        self._stdin.close()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    stage = Stage(tmp_path, monkeypatch)
    monkeypatch.setattr(enroll_camera, "open_source", lambda *_, **__: stage)
    yield stage
    stage.end()


def kinds(said: list[dict[str, Any]]) -> list[str]:
    return [each["enroll_camera"] for each in said]


def test_cards_are_asked_for_in_order_and_what_is_taken_is_kept(stage: Stage) -> None:
    """Broken off after three cards, the next sitting goes on with the fourth."""

    def hear(said: dict[str, Any]) -> None:
        stage.asked(said)
        if said["enroll_camera"] == "taken" and said["count"] % 3 == 0:
            stage.type("q")

    status, said = stage.run(hear, "--by-hand")
    assert status == 1 and kinds(said) == ["begin", *["lay", "taken"] * 3, "lay", "kept"]
    assert [card_in(each["card"]) for each in said if each["enroll_camera"] == "taken"] == list(CARDS[:3])
    assert not stage.out.exists()
    status, said = stage.run(hear, "--by-hand")
    assert status == 1 and said[1] == {"enroll_camera": "resume", "count": 3}
    assert [card_in(each["card"]) for each in said if each["enroll_camera"] == "taken"] == list(CARDS[3:6])


def test_what_is_laid_wrongly_is_said_and_not_taken(stage: Stage) -> None:
    """A back, two cards, the card before, another card than the one asked for: each has its own line."""
    first, second, third = CARDS[:3]
    wrongs = iter(
        (
            lambda: stage.lay(second, "down"),
            lambda: stage.world.move_card(stage.cards[third], "board", face="up"),
            lambda: stage.lay(first),
            lambda: stage.lay("Kh"),
            lambda: stage.lay(second),
        )
    )

    def hear(said: dict[str, Any]) -> None:
        kind = said["enroll_camera"]
        if kind == "lay" and card_in(said["card"]) == first:
            stage.lay(first)
        elif kind == "taken" and card_in(said["card"]) == second:
            stage.type("q")
        elif (kind == "lay" and card_in(said["card"]) == second) or kind in (
            "side", "several", "same", "reads_other",
        ):  # fmt: skip
            next(wrongs)()

    status, said = stage.run(hear, "--by-hand")
    assert status == 1
    assert kinds(said)[3:] == ["lay", "side", "several", "same", "reads_other", "taken", "lay", "kept"]
    assert said[7]["other"] == "K♥"


def test_a_person_may_insist_and_may_take_a_card_again(stage: Stage) -> None:
    """Whoever says Enter knows his cards better than the reader; a name typed is asked for again."""
    first, second = CARDS[:2]

    def hear(said: dict[str, Any]) -> None:
        kind = said["enroll_camera"]
        if kind == "lay" and said["number"] == 1 and not stage.world.cards("board"):
            stage.lay("Kh")
        elif kind == "reads_other":
            stage.type("")
        elif kind == "taken" and said["count"] == 1 and stage.t < 5:
            stage.t = 5.0
            stage.type(first)
        elif kind == "again":
            stage.type("q")

    status, said = stage.run(hear, "--by-hand")
    assert status == 1
    assert kinds(said) == ["begin", "lay", "reads_other", "taken", "lay", "again", "kept"]
    assert card_in(said[3]["card"]) == first and said[-1]["count"] == 0 and second


def test_the_tag_names_the_card(stage: Stage, tmp_path: Path) -> None:
    """In any order: the desk's reader knows each card, and what is not of the deck is said."""
    uids = {card: f"04AAC0DE00{DECK.index(card):02X}01" for card in DECK}
    files.write_decks(tmp_path / "deck.csv", {uid: (card, "red") for card, uid in uids.items()})
    stage.write(
        "http://127.0.0.1:9/", f'[readers.desk]\npath = "{tmp_path}/desk"\ntargets = 2\ndesk = true\n'
    )
    pad = Pad()
    wanted = iter(("7d", "Ah"))

    def lay(card: str) -> None:
        stage.lay(card)
        pad.clear()
        pad.put(uids[card])

    def hear(said: dict[str, Any]) -> None:
        if said["enroll_camera"] == "any":
            pad.put("04FFFFFFFFFF01")
        elif said["enroll_camera"] == "no_tag" or (said["enroll_camera"] == "taken" and said["count"] < 2):
            lay(next(wanted))
        elif said["enroll_camera"] == "taken":
            stage.type("q")

    with Pn532(tmp_path / "desk", pad):
        status, said = stage.run(hear)
    assert status == 1 and kinds(said) == ["begin", "any", "no_tag", "taken", "taken", "kept"]
    assert [each["card"] for each in said if each["enroll_camera"] == "taken"] == ["7♦", "A♥"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[files]\ndeck = "deck.csv"\n', "the table has no camera"),
        (
            '[files]\ndeck = "deck.csv"\n[camera]\nsource = "/dev/video0"\n',
            "no tags of a deck 'red' are taught",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(text)
    assert main(["enroll", "--config", str(config), "--camera"]) == 2
    error = capsys.readouterr().err.strip()
    assert words in error and "\n" not in error


@pytest.mark.faults
def test_a_whole_deck_over_the_wire_is_read_by_its_own_faces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty-two faces and the back from a camera's stream; then the deck's own file reads every card of it."""
    stage = Stage(tmp_path, monkeypatch)

    class Locked(Camera):
        def picture(self, t: float) -> Any:
            with stage.lock:
                return super().picture(t)

    with CameraServer(Locked(stage.scene), fps=10) as server:
        stage.write(server.url)
        status, said = stage.run(stage.asked, "--by-hand")
    stage.end()
    assert status == 0 and kinds(said)[-2:] == ["done", "set"]
    assert said[-1]["line"] == 'decks = ["red.npz"]'
    deck = EnrolledDeck.load(stage.out)
    assert set(deck.names) == {*CARDS, BACK} and not (tmp_path / "red.part.npz").exists()
    right = {"plain": 0, "own faces": 0}
    for name in CARDS:
        stage.lay(name)
        picture = stage.picture()
        for how, known in (("plain", None), ("own faces", deck)):
            faces = [card.card for card in find_cards(picture, deck=known) if card.face]
            right[how] += faces == [name]
            assert known is None or faces in ([name], [None])
    assert right["own faces"] >= right["plain"] + 5
