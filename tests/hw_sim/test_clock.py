"""Virtual time and the people on it."""

import pytest

from hw_sim.clock import Agenda, Pace
from hw_sim.crew import Crew, Script, Until
from hw_sim.errors import ConfigError


def test_things_happen_in_order_of_time_then_of_writing() -> None:
    subject = Agenda()
    said: list[str] = []
    subject.at(2.0, lambda: said.append("c"))
    subject.at(1.0, lambda: said.append("a"))
    subject.at(1.0, lambda: said.append("b"))
    struck = subject.at(1.5, lambda: said.append("never"))
    struck.cancel()
    while subject.next_time() is not None:
        subject.run_next()
    assert said == ["a", "b", "c"]
    assert subject.now == 2.0
    subject.run_next()
    assert subject.now == 2.0


def test_what_is_past_happens_now() -> None:
    subject = Agenda()
    subject.at(5.0, lambda: subject.at(1.0, lambda: None))
    subject.run_next()
    assert subject.next_time() == 5.0


def test_speed_is_virtual_seconds_a_real_second() -> None:
    real = [100.0]
    subject = Pace(10.0, lambda: real[0])
    subject.start(3.0)
    real[0] += 0.5
    assert subject.virtual() == pytest.approx(8.0)
    assert subject.real_wait(13.0) == pytest.approx(0.5)
    assert subject.real_wait(7.0) == 0.0
    with pytest.raises(ConfigError, match="negative"):
        Pace(-1.0, lambda: 0.0)


def test_people_sleep_and_wait_on_virtual_time() -> None:
    agenda = Agenda()
    subject = Crew(agenda)
    open_door = [False]
    said: list[tuple[str, float]] = []

    def one() -> Script:
        yield 2.0
        open_door[0] = True
        subject.stir()
        yield 1.0
        said.append(("one", agenda.now))

    def two() -> Script:
        yield Until(lambda: open_door[0])
        said.append(("two", agenda.now))

    subject.add("one", one())
    subject.add("two", two())
    assert not subject.idle
    while agenda.next_time() is not None:
        agenda.run_next()
    assert said == [("two", 2.0), ("one", 3.0)]
    assert not subject.has("one")
    assert subject.gone


def test_a_crew_is_idle_when_time_alone_brings_nothing() -> None:
    agenda = Agenda()
    subject = Crew(agenda)
    ended: list[bool] = []

    def waits() -> Script:
        try:
            yield Until(lambda: False)
        finally:
            ended.append(True)

    subject.add("waits", waits())
    agenda.run_next()
    assert subject.idle
    assert subject.has("waits")
    subject.close()
    assert ended == [True]
