"""Brokers that are there for one test, and what is closed at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from maldonne.broker import Broker, start_broker
from tests.table_controller.link_rig import BROKERS, Table


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    with start_broker(kind=request.param) as running:
        yield running


@pytest.fixture
def mosquitto() -> Iterator[Broker]:
    with start_broker(kind="mosquitto") as running:
        yield running


@pytest.fixture
def make(closing: list[Any], tmp_path: Path) -> Callable[..., Any]:
    """Makes tables, hubs and peers that are closed at the end."""

    def build(kind: type[Any], broker: Broker, *arguments: Any, **options: Any) -> Any:
        if kind is Table:
            thing = Table(tmp_path / "journal.db", broker, *arguments, **options)
        else:
            thing = kind(broker, *arguments, **options)
        closing.append(thing)
        return thing

    return build
