"""People as small scripts: each is a generator that yields seconds to let pass or something to wait for.

Does not model: more than one thing done by one person at a time.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from hw_sim.clock import Agenda


@dataclass(frozen=True)
class Until:
    """Wait until this is true; it is looked at again whenever something has happened."""

    ready: Callable[[], bool]


Script = Generator[float | Until, None, None]


@dataclass
class _Person:
    name: str
    script: Script
    waits: Until | None = None
    gone: bool = False


class Crew:
    """Everybody at the table, driven by virtual time."""

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self._people: list[_Person] = []
        self._sleeping = 0
        self._stirred = True
        self.steps = 0

    def add(self, name: str, script: Script) -> None:
        """Let another person begin; his first step comes at once."""
        person = _Person(name, script)
        self._people.append(person)
        self._sleeping += 1
        self._agenda.after(0.0, lambda: self._wake(person))

    def stir(self) -> None:
        """Something has happened: who waits must look again."""
        self._stirred = True

    @property
    def idle(self) -> bool:
        """Whether everybody waits for something that time alone does not bring."""
        return self._sleeping == 0

    @property
    def gone(self) -> bool:
        """Whether everybody has finished."""
        return not self._people

    def has(self, name: str) -> bool:
        """Whether this person is still here."""
        return any(person.name == name for person in self._people)

    def look(self) -> None:
        """Let everybody go on whose wait is over."""
        while self._stirred:
            self._stirred = False
            for person in list(self._people):
                if person.waits is not None and not person.gone and person.waits.ready():
                    person.waits = None
                    self._step(person)

    def close(self) -> None:
        """Send everybody home."""
        for person in self._people:
            person.script.close()
        self._people.clear()

    def _wake(self, person: _Person) -> None:
        self._sleeping -= 1
        if not person.gone:
            self._step(person)
            self.look()

    def _step(self, person: _Person) -> None:
        self.steps += 1
        self._stirred = True
        try:
            wish = next(person.script)
        except StopIteration:
            person.gone = True
            self._people.remove(person)
            return
        if isinstance(wish, Until):
            person.waits = wish
        else:
            self._sleeping += 1
            self._agenda.after(wish, lambda: self._wake(person))
