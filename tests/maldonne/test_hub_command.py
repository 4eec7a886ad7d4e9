"""``maldonne hub backup|restore|forget|export-person``: one line for people, JSON for machines, status 2 on bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maldonne.cli import main
from tournament_hub.store import Store
from tournament_hub.store_people import Person, save_person

UTC = "2024-05-01T20:00:00Z"
NAME = "Zénobie Quatrefages"


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    Path("hub.toml").write_text('[club]\nid = "lyon"\ndata = "data"\n', encoding="utf-8")
    store = Store(tmp_path / "data" / "hub.sqlite3")
    with store.transaction():
        save_person(store, Person("p-1", NAME), UTC)
        store.add_record("friday", 1, b'{"n":1,"event":{"entry":"e1","player":"p-1"}}', UTC)
        store.alarm("t1", "gap", f"{NAME} l'a vu", UTC)
    store.close()
    return tmp_path


def test_backup_and_restore(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "--config", "hub.toml", "backup", "copy"]) == 0
    assert capsys.readouterr().out == "Backup made: copy (0 events, tournaments: 1, names: 1).\n"
    assert main(["hub", "restore", "copy", "--config", "hub.toml"]) == 2
    assert "a record is there already (say --replace" in capsys.readouterr().err
    assert main(["hub", "restore", "copy", "--replace", "--json", "--config", "hub.toml"]) == 0
    assert json.loads(capsys.readouterr().out)["tournaments"] == 1
    store = Store(club / "data" / "hub.sqlite3")
    assert store.tournaments() == ["friday"] and store.epoch > 1000
    store.close()


def test_backup_without_names(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "backup", "copy", "--without-names", "--json", "--config", "hub.toml"]) == 0
    assert json.loads(capsys.readouterr().out)["people"] == 0


def test_forget(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "forget", NAME.lower(), "--config", "hub.toml"]) == 0
    assert capsys.readouterr().out.startswith("p-1: name erased; texts blacked: 1, other files: 0.")
    for file in (club / "data").rglob("*"):
        assert not file.is_file() or b"Quatrefages" not in file.read_bytes()
    assert main(["hub", "forget", NAME, "--config", "hub.toml"]) == 2
    assert "nobody is kept under this name" in capsys.readouterr().err


def test_forget_says_where_a_file_of_somebody_else_has_the_name(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (club / "data" / "liste.txt").write_text(NAME, encoding="utf-8")
    assert main(["hub", "forget", NAME, "--config", "hub.toml"]) == 1
    assert "liste.txt" in capsys.readouterr().err


def test_nothing_of_it_while_a_hub_runs(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(club / "data" / "hub.sqlite3")
    assert main(["hub", "forget", NAME, "--config", "hub.toml"]) == 1
    assert "stop the other hub first" in capsys.readouterr().err
    assert main(["hub", "backup", "copy", "--config", "hub.toml"]) == 0  # a backup may
    store.close()


def test_export_person(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "export-person", "p-1", "--config", "hub.toml"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["person"]["name"] == NAME and told["tournaments"][0]["entries"] == ["e1"]
    assert main(["hub", "export-person", NAME, "--output", "anne.json", "--config", "hub.toml"]) == 0
    assert json.loads(Path("anne.json").read_text(encoding="utf-8")) == told
    assert main(["hub", "export-person", NAME, "--output", "anne.json", "--config", "hub.toml"]) == 2


@pytest.mark.parametrize("action", [("forget", "x"), ("export-person", "x"), ("backup", "copy")])
def test_without_a_record_there_is_nothing_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    action: tuple[str, str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hub.toml").write_text('[club]\nid = "lyon"\n', encoding="utf-8")
    assert main(["hub", *action, "--config", "hub.toml"]) == 2
    assert "there is no record yet" in capsys.readouterr().err
    assert not Path("maldonne-hub").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[club]\ndatabase = "mysql://x"\n', "hub.toml:2: club.database: no PostgreSQL address"),
        ("[keep]\nnames = -1\n", "hub.toml:2: keep.names"),
        ("[keep]\nname = 3\n", "hub.toml:2: "),
    ],
)
def test_wrong_settings_name_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hub.toml").write_text(text, encoding="utf-8")
    assert main(["hub", "backup", "copy", "--config", "hub.toml"]) == 2
    assert told in capsys.readouterr().err
