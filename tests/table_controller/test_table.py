"""The loop of one table: what must never stop it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import events as ev
from table_controller import messages as m
from table_controller.config import load_config
from table_controller.mqtt_link import HubAcked
from table_controller.table import Table

CONFIG = """
[game]
small_blind = 50
big_blind = 100
button = 2
betting = "words"
chips = "declared"
seats = [{ seat = 1, entry = "e1" }, { seat = 2, entry = "e2" }]
[files]
journal = "journal.db"
[mqtt]
host = "127.0.0.1"
port = 9
club = "club"
table = "t1"
"""


@pytest.fixture
def table(tmp_path: Path):
    path = tmp_path / "table.toml"
    path.write_text(CONFIG, encoding="utf-8")
    with Table(load_config(path)) as table:
        yield table


def test_a_hub_that_knows_more_than_the_journal_is_an_alert_and_play_goes_on(
    table: Table, monkeypatch, caplog
) -> None:
    alerts: list[m.Alert] = []
    assert table.link is not None
    monkeypatch.setattr(table.link, "set_alert", alerts.append)
    for upto in (99, 100):
        table._queue.put(HubAcked(upto))
        assert table.step(1.0)
    assert [(alert.kind, alert.code, alert.hold) for alert in alerts] == [
        ("journal", "journal_behind_hub", False)
    ]
    m.encode(alerts[0])
    assert "journal_behind_hub" in caplog.text
    table.submit(ev.DeckShuffled(), "page")
    while not table._queue.empty():
        assert table.step(1.0)
    assert [entry.kind for entry in table.journal.entries()][-1] == "event"
