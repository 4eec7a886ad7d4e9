"""One simulated table complete: world, antennas, microcontroller on a pseudo-terminal, people.

It writes what the controller needs into a directory, waits until somebody opens the line, and plays. At speed
0 virtual time jumps to the next due thing as soon as every frame is acknowledged and the people have nothing
to do; while they wait for an order the controller is first given a moment to speak.

Does not model: cameras, single readers, GPIO panels; more than one microcontroller at a table.
"""

import contextlib
import random
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from hw_sim.antennas import Field
from hw_sim.breaking import Breaker
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.chips import bank_supply, denominations_for
from hw_sim.clock import Agenda
from hw_sim.config import BenchConfig, read_config
from hw_sim.control import NAME, PATIENCE_S, Commands, Control
from hw_sim.drive import Drive
from hw_sim.errors import SimError
from hw_sim.files import antenna_table, write_table, write_tags
from hw_sim.line import Line
from hw_sim.lying import Lying
from hw_sim.mcu import Mcu
from hw_sim.motions import Motions
from hw_sim.orders import OrderBoard
from hw_sim.people import People
from hw_sim.play import HandResult, Table
from hw_sim.truth import TruthLog
from hw_sim.world import SEATS, World, make_chips, make_deck

LINK_NAME: Final = "mcu"
_SWITCHED_ON_S: Final = 1.5  # real seconds that a paced table has to get ready
_SLIDES_S: Final = 2.0  # virtual time until a card that the panel asks for has been slid
_LINGER_S: Final = 3.0  # virtual time after the last hand, so that the last reads still go out


class Bench:
    """A simulated table that can be started, waited for and stopped. A context manager.

    Args:
        config: What the table is.
        settled: At speed 0, where the caller can tell: whether the controller has worked off all it was sent.
        monotonic: Real seconds.
    """

    def __init__(
        self,
        config: BenchConfig,
        *,
        settled: Callable[[], bool] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = config
        self.agenda = Agenda()
        self.finished = threading.Event()
        self.error: BaseException | None = None
        self._monotonic = monotonic
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._build()
        self.camera = self._hang_camera()
        self.write_files()
        self._drive = Drive(
            self.agenda,
            self.line,
            self.mcu.link,
            self.table.crew,
            speed=config.speed,
            settle_s=config.settle_s,
            contact_s=config.contact_s,
            settled=settled,
            monotonic=monotonic,
            lost=self.people.stuck,
        )

    def _build(self) -> None:
        config, seed = self.config, self.config.seed
        rng = random.Random(f"{seed}/tags")
        decks = {name: make_deck(name, size, rng) for name, size in config.decks.items()}
        manners = config.layout.manners
        stakes = (config.game.small_blind, config.game.big_blind, config.game.ante, config.game.smallest_chip)
        denominations = config.denominations or denominations_for(
            [*config.stacks.values(), *stakes, *config.amounts]
        )
        most = max(sum(config.stacks.values()), config.most_chips)
        chips = make_chips(bank_supply(most, len(SEATS), denominations), rng) if manners.chips else []
        self.world = World(decks, chips, piles=config.piles, seed=seed)
        self.tags = Field(
            self.world, config.layout.antennas, config.faults.worsen(config.rates), f"{seed}/tags"
        )
        self.orders = OrderBoard(self._monotonic)
        self.line = Line(config.directory / LINK_NAME)
        self.mcu = Mcu(
            self.agenda,
            self.line,
            self.tags,
            board=config.board,
            faults=config.faults,
            seed=seed,
            monotonic=self._monotonic,
            on_orders=self._shown,
        )
        config.directory.mkdir(parents=True, exist_ok=True)
        self.truth = TruthLog(config.directory / "truth.jsonl")
        self.lying = Lying(self.world, self.agenda, self.truth, config.faults, seed)
        self.breaker = Breaker(
            self.agenda, self.mcu, self.tags, self.lying, self.truth, config.faults, config.rates, seed
        )
        self.commands = Commands(self)
        motions = Motions(self.agenda, self.world, self.truth, config.habits, denominations, seed)
        self.table = Table(
            motions,
            self.mcu,
            self.tags,
            self.orders,
            config.source,
            manners,
            decks=tuple(config.decks),
            slips=config.slips,
            neglect=config.neglect,
            page=config.page,
            monotonic=self._monotonic,
        )
        self.table.set_stacks(config.stacks)
        self.table.at_hand = self._hand_begins
        self.people = People(self.table)

    def _hang_camera(self) -> CameraServer | None:
        """A camera over the table, on the table's own time."""
        if self.config.camera_port is None:
            return None
        return CameraServer(Camera(Scene(self.world)), lambda: self.agenda.now, port=self.config.camera_port)

    def _shown(self, codes: tuple[tuple[int, int, int], ...]) -> None:
        self.orders.receive(codes)
        self.table.crew.stir()
        for act in self.orders.shown:
            if act.name == "find" and act.place in SEATS:
                place = f"seat{act.place}"
                self.agenda.after(_SLIDES_S, partial(self._slide, place))

    def _slide(self, place: str) -> None:
        self.lying.slide(place)

    def _cue(self, line: str) -> None:
        self.commands.obey(line)

    def _hand_begins(self, number: int) -> None:
        for cue in self.config.scenario:
            if cue.hand == number:
                self._cue(cue.tell)

    def write_files(self, game: Mapping[str, Any] | None = None) -> None:
        """Write deck.csv, chips.csv and table.toml; `game` overrides keys of its [game] part."""
        config, directory = self.config, self.config.directory
        write_tags(directory, self.world)
        stakes, manners = config.game, config.layout.manners
        seats = [
            {
                "seat": seat,
                "stack": stack if manners.chips else None,
                "entry": config.entries.get(seat, f"e{seat}"),
            }
            for seat, stack in sorted(config.stacks.items())
        ]
        tables: dict[str, Mapping[str, Any]] = {
            "game": {
                "small_blind": stakes.small_blind,
                "big_blind": stakes.big_blind,
                "ante": {"kind": stakes.ante_kind, "amount": stakes.ante},
                "smallest_chip": stakes.smallest_chip,
                "button": stakes.button,
                "seats": seats,
                "rulebook": config.rulebook,
                "betting": manners.betting,
                "chips": "sensed" if manners.chips else "declared",
                "sensors": config.sensors,
                "light": config.light,
                **(game or {}),
            },
            "antennas": antenna_table(config.layout.antennas),
            "devices.mcu": {"path": str(self.line.path), "baud": config.board.baud},
            "files": {
                "deck": "deck.csv",
                **({"chips": "chips.csv"} if manners.chips else {}),
                "journal": "journal.db",
            },
            **({"camera": {"source": self.camera.url}} if self.camera is not None else {}),
            "panel": {"buttons": list(config.board.buttons)},
            "mqtt": vars(config.mqtt),
        }
        write_table(directory / "table.toml", tables)

    # -- running -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Play in a thread of its own until `stop`."""
        if self._thread is not None:
            raise SimError("the bench runs already")
        self._thread = threading.Thread(target=self._in_thread, name="bench", daemon=True)
        self._thread.start()

    def _in_thread(self) -> None:
        try:
            self.run(stay=True)
        except BaseException as error:
            self.error = error
            self.finished.set()

    def wait(self, seconds: float) -> bool:
        """Wait until the last hand is over or the play has failed.

        Args:
            seconds: Real seconds, the deadline.

        Returns:
            Whether the play is over.

        Raises:
            SimError: The play has failed, whatever the reason.
        """
        over = self.finished.wait(seconds)
        if self.error is not None:
            raise self.error
        return over

    def call(self, what: Callable[[], None]) -> None:
        """Do something at the table from another thread: it happens in the bench's own, at once."""
        self._drive.call(what)

    def change_seat(self, seat: int, stack: int) -> None:
        """From any thread: somebody comes with this stack, or goes (0), before the next hand."""
        self.call(lambda: self.table.change_seat(seat, stack))

    def stop(self) -> None:
        """Switch everything off and let the thread end. Stopping twice is the same."""
        self._stopping = True
        if self._thread is not None:
            self._drive.call(lambda: None)
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """Stop, and put everything away."""
        self.stop()
        if self.camera is not None:
            self.camera.close()
        self.breaker.close()
        self.line.close()
        self.truth.close()
        self.table.crew.close()
        self._drive.close()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def results(self) -> list[HandResult]:
        """What became of the hands so far."""
        return self.table.results

    def run(self, *, stay: bool = False) -> list[HandResult]:
        """Play all hands, in this thread.

        Args:
            stay: Whether the microcontroller lives on after the last hand, in real time, until `stop`.

        Raises:
            SimulationStuck: The controller did not say what it had to say, or went away.
        """
        self.line.plug()
        drive = self._drive
        try:
            self.mcu.power_on()
            drive.meet(lambda: self._stopping)
            # Nobody presses a button in the second in which the table is switched on.
            ready = self.agenda.now + self.config.speed * _SWITCHED_ON_S
            while self.agenda.now < ready and not self._stopping:
                drive.turn()
            self.people.begin()
            self.schedule_faults()
            while not self.people.finished and not self._stopping:
                self.people.check()
                drive.turn()
            end = self.agenda.now + _LINGER_S
            while self.agenda.now < end and not self._stopping:
                drive.turn()
            self.finished.set()
            if stay:
                drive.set_speed(1.0)
            while stay and not self._stopping:
                drive.turn()
        finally:
            self.mcu.power_off()
            self.line.unplug()
        return self.results

    # -- faults ------------------------------------------------------------------------------------------

    def schedule_faults(self) -> None:
        """Put the events of the configuration's faults and of its scenario on the agenda."""
        self.breaker.begin()
        for cue in self.config.scenario:
            if cue.at is not None:
                self.agenda.at(cue.at, partial(self._cue, cue.tell))

    def strike(self, name: str, seconds: float | None = None) -> None:
        """Let an event of the catalogue of faults happen now. From another thread: through `call`.

        Raises:
            ConfigError: No event is called so.
        """
        self.breaker.strike(name, seconds)

    def tell(self, line: str) -> str:
        """From another thread: let a line of `hw_sim.control` be obeyed; gives the answer.

        Raises:
            ConfigError: The line makes no sense; nothing was done.
            SimError: The table does not answer.
        """
        answers: list[str] = []
        errors: list[SimError] = []
        done = threading.Event()

        def obey() -> None:
            try:
                answers.append(self.commands.obey(line))
            except SimError as error:
                errors.append(error)
            done.set()

        self.call(obey)
        if not done.wait(PATIENCE_S):
            raise SimError("the simulated table does not answer", where=str(self.config.directory))
        if errors:
            raise errors[0]
        return answers[0]


def main(config_path: Path, say: Callable[[str], None]) -> int:
    """Run the table of one configuration file until its hands are played or somebody interrupts.

    Args:
        config_path: A TOML file, see `hw_sim.config.read_config`.
        say: Takes one line of text for people at a time.

    Returns:
        0 when every seat ended with the chips that it should have, else 1.

    Raises:
        ConfigError, ScriptError: The configuration or a recorded hand makes no sense.
        SimulationStuck: The controller did not say what it had to say.
    """
    with contextlib.ExitStack() as stack:
        bench = stack.enter_context(Bench(read_config(config_path)))
        try:
            stack.enter_context(Control(bench.config.directory / NAME, bench.tell))
        except OSError as error:
            say(f"this table cannot be told anything while it runs: {error}")
        say(
            f"{bench.line.path}: the microcontroller; {bench.config.directory}: table.toml, deck.csv, chips.csv"
        )
        bench.start()
        told = 0
        try:
            while not bench.wait(0.2):
                told = _tell(bench, told, say)
        except KeyboardInterrupt:
            say("stopped")
        bench.stop()
        _tell(bench, told, say)
        wrong = [result for result in bench.results if not result.ok]
        say(f"{len(bench.results)} hands, {len(wrong)} with wrong stacks")
        return 1 if wrong else 0


def _tell(bench: Bench, told: int, say: Callable[[str], None]) -> int:
    for result in bench.results[told:]:
        stacks = " ".join(f"{seat}:{stack}" for seat, stack in sorted(result.after.items()))
        verdict = "" if result.ok else "  WRONG, should be " + str(result.expected)
        say(f"hand {result.number} {result.name}  {' '.join(result.board) or '-'}  {stacks}{verdict}")
    return len(bench.results)
