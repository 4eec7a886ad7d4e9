"""``maldonne play`` through the wires: simulated hardware, the real drivers, controller, broker and hub.

Each hand is a table of its own with the record's stacks. What is compared comes from the table's journal, once the hub
has acknowledged its last event; the simulator's word for what truly lay on the felt stands beside it. The comparison is
made in this program's own process: nothing that nobody may see is published.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from engine import machine
from engine.events import PotTaken, TableEvent, decode
from engine.rulebook import Rulebook
from engine.rulings import Ruling
from hw_sim.bench import Bench
from hw_sim.config import Mqtt, layout, recorded_table
from hw_sim.errors import SimError
from hw_sim.faults import Faults
from hw_sim.slips import Slips
from maldonne.broker import start_broker
from maldonne.director import Director, typed
from maldonne.outcome import Outcome, WrongCard, compare, lying_as
from maldonne.phh import RecordedHand
from maldonne.texts import say
from table_controller import messages as m
from table_controller.config import load_config
from table_controller.journal import Reading
from table_controller.table import Table
from tournament_hub.config import Broker, Club, HubConfig, Web
from tournament_hub.hub import Hub

CLUB: Final = "play"
LAYOUTS: Final = ("chips+cards", "cards", "seven")
UNCOVERED: Final = (8, 9, 10)
"""Seats without an antenna at a table of ``seven``."""
WORKERS: Final = 2
_HAND_S: Final = 120.0
"""Real seconds that one hand may take."""
_ACK_S: Final = 10.0
"""Real seconds that the hub gets to acknowledge the last event."""


class Job(msgspec.Struct, frozen=True):
    """One recorded hand to play."""

    number: int
    file: str
    seed: int
    rulebook: str
    layout: str
    faults: str
    errors: str
    port: int
    directory: str


class Played(msgspec.Struct, frozen=True):
    """What came of it: the journal's events and rulings, and what truly happened."""

    events: tuple[bytes, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    doubts: int = 0
    acknowledged: bool = False
    board: tuple[str, ...] = ()
    folds: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    error: str | None = None


def play(
    hands: Sequence[RecordedHand],
    book: Rulebook,
    expected: Sequence[Sequence[int] | None],
    language: str,
    *,
    seed: int,
    equipment: str,
    faults: str,
    errors: str,
    rulebook: str,
) -> Iterator[Outcome]:
    """Play every hand through the wires, in their order.

    Args:
        hands: the records.
        book: the rulebook, for the comparison.
        expected: the stacks that are due, hand by hand.
        language: of the differences.
        seed: of everything random.
        equipment: ``chips+cards``, ``cards`` or ``seven`` (of ten seats covered).
        faults: named device faults, empty for none.
        errors: slips of the dealer, as `hw_sim.slips` has them, empty for none.
        rulebook: the id or file that the tables play by.
    """
    Faults.parse(faults)
    with contextlib.ExitStack() as closing:
        directory = closing.enter_context(tempfile.TemporaryDirectory(prefix="maldonne-play-"))
        broker = closing.enter_context(start_broker())
        data = Path(directory) / "hub"
        data.mkdir()
        config = HubConfig(
            club=Club(id=CLUB, data=str(data)), broker=Broker(port=broker.port), web=Web(port=0), tables={}
        )
        hub = Hub(config)
        closing.callback(hub.close)
        hub.start()
        idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for _ in range(min(WORKERS, len(hands))):
            worker = _Worker()
            closing.callback(worker.close)
            idle.put(worker)
        pool = closing.enter_context(ThreadPoolExecutor(WORKERS, thread_name_prefix="play"))
        futures: list[Future[bytes]] = []
        for number, hand in enumerate(hands):
            job = Job(number, hand.file, seed, rulebook, equipment, faults, errors, broker.port, directory)
            futures.append(pool.submit(_given, idle, msgspec.json.encode(job)))
        for hand, due, future in zip(hands, expected, futures, strict=True):
            played = msgspec.json.decode(future.result(), type=Played)
            yield _compared(hand, book, due, language, played, equipment)


class _Worker:
    """A process that plays one hand after the other; it ends when its standard input does."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "maldonne.play_wires"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def play(self, task: bytes) -> bytes:
        """Send a task, wait for its result."""
        given, taken = self._process.stdin, self._process.stdout
        if given is None or taken is None:
            raise RuntimeError("no way to talk to a worker")
        given.write(task + b"\n")
        given.flush()
        return taken.readline() or msgspec.json.encode(Played(error="the worker ended without a word"))

    def close(self) -> None:
        """Let the process end."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(_ACK_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _given(idle: queue.SimpleQueue[_Worker], task: bytes) -> bytes:
    worker = idle.get()
    try:
        return worker.play(task)
    finally:
        idle.put(worker)


def main() -> int:
    """The worker: tasks on standard input, one JSON line each, results on standard output."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(play_one(line) + b"\n")
        sys.stdout.buffer.flush()
    return 0


def play_one(task: bytes) -> bytes:
    """Play one hand in this process; everything crosses the process border as JSON."""
    logging.basicConfig(level=logging.CRITICAL)
    job = msgspec.json.decode(task, type=Job)
    try:
        return msgspec.json.encode(_play_one(job))
    except (SimError, OSError, RuntimeError) as error:
        return msgspec.json.encode(Played(error=str(error)))


def _play_one(job: Job) -> Played:
    directory = Path(job.directory) / f"hand-{job.number}"
    directory.mkdir()
    faults = Faults.parse(job.faults)
    tables: list[Table] = []
    config = recorded_table(
        directory,
        [Path(job.file)],
        seed=str(job.seed),
        speed=0.0,
        layout=layout(job.layout),
        rulebook=job.rulebook,
        faults=faults,
        slips=Slips(job.errors, str(job.seed)),
        page=lambda said: typed(tables[0], said),
        mqtt=Mqtt(port=job.port, club=CLUB, table=f"hand-{job.number}"),
    )
    failures: list[BaseException] = []
    acknowledged: list[bool] = []
    with Bench(config, settled=lambda: bool(tables) and tables[0].settled) as bench:
        table = Table(load_config(directory / "table.toml"))
        tables.append(table)

        def watch() -> None:
            try:
                if not bench.wait(_HAND_S):
                    failures.append(RuntimeError(f"the hand was not over after {_HAND_S:g} s"))
                until = time.monotonic() + _ACK_S
                while table.journal.hub_ack < table.journal.head_seq and time.monotonic() < until:
                    threading.Event().wait(0.005)
                acknowledged.append(table.journal.hub_ack >= table.journal.head_seq)
            except BaseException as error:
                failures.append(error)
            finally:
                table.stop()

        watcher = threading.Thread(target=watch, name="watch", daemon=True)
        with table:
            if job.errors:
                Director(table)
            bench.start()
            watcher.start()
            table.run()
            watcher.join()
        results = bench.results
    if failures:
        raise RuntimeError(str(failures[0]))
    with Reading.of(directory / "journal.db") as journal:
        events = tuple(entry.body for entry in journal.entries() if entry.kind != "note")
        rulings = tuple(msgspec.json.decode(row.body, type=Ruling) for row in journal.rulings())
        doubts = sum(
            event.type == "doubt" and not getattr(event.body, "resolved", False)
            for event in (m.decode_event(row.payload) for row in journal.messages())
        )
    result = results[0]
    return Played(
        events=events,
        rulings=rulings,
        doubts=doubts,
        acknowledged=bool(acknowledged and acknowledged[0]),
        board=tuple(result.board),
        folds=tuple(sorted(result.folds)),
        winners=tuple(sorted(seat for seat, amount in result.winners.items() if amount)),
    )


def _compared(
    hand: RecordedHand,
    book: Rulebook,
    due: Sequence[int] | None,
    language: str,
    played: Played,
    equipment: str,
) -> Outcome:
    """Set the journal beside the record and beside what truly happened."""
    amounts = equipment == "chips+cards"
    # At a simulated table player 1 sits at seat 1, whatever seats the record names.
    hand = msgspec.structs.replace(hand, seats=tuple(range(1, len(hand.seats) + 1)))
    events: list[TableEvent] = [decode(body) for body in played.events]
    state = machine.replay(events, book).state
    found = machine.summary(state, book)
    others: list[str] = []
    if played.error is not None:
        others.append(say(language, "difference.stopped", error=played.error))
    elif not played.acknowledged:
        others.append(say(language, "difference.hub"))
    wrong = _wrong_board(found.board, played.board)
    if not amounts and played.error is None:
        out = tuple(sorted({*found.folded_seats, *found.dead_seats}))
        if out != played.folds:
            others.append(say(language, "difference.folds", found=_seats(out), due=_seats(played.folds)))
        took = tuple(sorted({event.seat for event in events if isinstance(event, PotTaken)}))
        # Without amounts the table names who wins the main pot; side pots are for people. Nor can it
        # know the winner where a hand that was shown lay at a seat without an antenna.
        unseen = equipment == "seven" and any(
            seat in UNCOVERED for seat in state.in_hand() if seat in state.seats
        )
        if not set(took) <= set(played.winners) or not (took or unseen):
            others.append(say(language, "difference.winners", found=_seats(took), due=_seats(played.winners)))
    return compare(
        hand,
        found,
        due if amounts else None,
        language,
        rulings=played.rulings,
        wrong_cards=wrong,
        doubts=played.doubts,
        others=others,
    )


_PLACES = ("flop", "flop", "flop", "turn", "river")


def _wrong_board(found: Sequence[str | None], true: Sequence[str]) -> tuple[WrongCard, ...]:
    return tuple(
        WrongCard(card=place, sensed=sensed, true=card)
        for place, sensed, card in zip(_PLACES, lying_as(found, true), true, strict=False)
        if sensed != card
    )


def _seats(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats)) or "–"


if __name__ == "__main__":
    sys.exit(main())
