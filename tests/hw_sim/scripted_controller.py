"""The other end of the wire for the simulator's tests: a strict driver and a controller that knows the script.

The controller shares the simulator's codec (bound by the golden vectors) and its betting (bound by recorded
results); what happens at the table it learns from the wire alone.
"""

import csv
import os
import select
import termios
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hw_sim.bench import Bench
from hw_sim.betting import BOARD_AFTER, Act, Betting
from hw_sim.codec import UNANSWERED, Decoder, Frame, digest_of, encode
from hw_sim.mcu import BUTTON_IDS
from hw_sim.orders import ORDER_NAMES
from hw_sim.script import HandScript, HandSource, TableView

BUTTON_NAMES = {number: name for name, number in BUTTON_IDS.items()}


class Driver:
    """Opens the line, answers every frame that wants an answer, keeps the present sets of the antennas."""

    def __init__(self, path: Path, *, flush: bool = True) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd, termios.TCSAFLUSH if flush else termios.TCSANOW)
        self.frames: list[Frame] = []
        self.sets: dict[int, tuple[str, ...]] = {}
        self.acked: set[int] = set()
        self.naked: dict[int, int] = {}
        self.withhold: Callable[[Frame], bool] = lambda frame: False
        self.on_frame: Callable[[Frame], None] = lambda frame: None
        self._decoder = Decoder()
        self.bad = 0
        self.asked = 0
        self._parts: dict[int, dict[int, list[str]]] = {}
        self._seen: list[int] = []
        self._seq = 0

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def continue_from(self, other: "Driver") -> None:
        """Keep what another driver of the same line has learnt."""
        self.sets, self.acked, self.naked = other.sets, other.acked, other.naked
        self._seq = other._seq

    def send(self, kind: str, fields: dict[str, Any] | None = None, seq: int | None = None) -> int:
        used = self._seq if seq is None else seq
        if seq is None:
            self._seq = (self._seq + 1) & 0xFFFF
        os.write(self.fd, encode(kind, used, fields or {}))
        return used

    def raw(self, data: bytes) -> None:
        os.write(self.fd, data)

    def poll(self, seconds: float) -> bool:
        """Take what comes within so many seconds; whether anything came."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        data = os.read(self.fd, 65536)
        if not data:
            raise OSError("the line was hung up")
        found = self._decoder.feed(data)
        self.bad = self._decoder.bad
        for frame in found:
            assert isinstance(frame, Frame), f"the simulator sent {frame}"
            self._take(frame)
        return True

    def until(self, what: Callable[[], bool], seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, f"waited in vain; last frames: {self.frames[-5:]}"
            self.poll(0.05)

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame.kind == kind]

    def _take(self, frame: Frame) -> None:
        self.frames.append(frame)
        if frame.kind == "ACK":
            self.acked.add(frame.fields["of"])
        elif frame.kind == "NAK":
            self.naked[frame.fields["of"]] = frame.fields["code"]
        if frame.kind in UNANSWERED:
            self.on_frame(frame)
            return
        if self.withhold(frame):
            return
        if frame.seq not in self._seen[-32:]:
            self._seen.append(frame.seq)
            if frame.kind == "INVENTORY":
                self._inventory(frame.fields)
            elif frame.kind == "DIGEST":
                for entry in frame.fields["antennas"]:
                    uids = self.sets.get(entry["antenna"], ())
                    if (entry["count"], entry["crc"]) != (len(uids), digest_of(uids)):
                        self.asked += 1
                        self.send("INVENTORY?", {"antenna": entry["antenna"]})
            elif frame.kind == "HELLO":
                self._seen.clear()
            self.on_frame(frame)
        self.send("ACK", {"of": frame.seq}, seq=0)

    def _inventory(self, fields: dict[str, Any]) -> None:
        parts = self._parts.setdefault(fields["antenna"], {})
        if fields["part"] == 0:
            parts.clear()
        parts[fields["part"]] = fields["uids"]
        if len(parts) == fields["parts"]:
            self.sets[fields["antenna"]] = tuple(uid for n in sorted(parts) for uid in parts[n])


class Controller:
    """Gives the right orders from the script, as it senses that the last ones were done.

    Args:
        lists: Whether it shows all that comes next at once, and leaves the gathering to the push; else one
            act at a time.
    """

    def __init__(self, bench: Bench, source: HandSource, *, lists: bool = False) -> None:
        self.lists = lists
        self.prelude: Callable[[], Any] = lambda: iter(())
        self.bench = bench
        self.source = source
        self.stacks = dict(bench.config.stacks)
        self.manners = bench.config.layout.manners
        self.places = {a.id: a.places for a in bench.config.layout.antennas}
        self.covered = {place for places in self.places.values() for place in places}
        directory = bench.config.directory
        with (directory / "deck.csv").open(encoding="utf-8") as file:
            self.cards = {row["uid"]: row["card"] for row in csv.DictReader(file)}
        with (directory / "chips.csv").open(encoding="utf-8") as file:
            self.values = {row["uid"]: int(row["denomination"]) for row in csv.DictReader(file)}
        self.driver: Driver | None = None
        self.error: BaseException | None = None
        self.shown: list[tuple[tuple[str, int, int], ...]] = []
        self.reopened = 0
        self.order_seqs: list[int] = []
        self.presses: list[str] = []
        self._edges: dict[int, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="controller")
        self._plan = self._hands()
        self._ready: Callable[[], bool] = lambda: True

    # -- thread --------------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        if self.error is not None:
            raise self.error

    def check(self) -> None:
        """Nothing was refused, every order was acknowledged, and presses and digests were right."""
        assert self.driver is not None
        assert not self.driver.naked
        assert {seq & 0xFFFF for seq in self.order_seqs} <= self.driver.acked

    def _run(self) -> None:
        try:
            self._open()
            self.order(("wait", 0, 0))
            self._advance()
            while not self._stop.is_set():
                assert self.driver is not None
                try:
                    self.driver.poll(0.02)
                except OSError:
                    self._again()
        except BaseException as error:
            self.error = error
        finally:
            if self.driver is not None:
                self.driver.close()

    def _open(self) -> None:
        path = self.bench.line.path
        deadline = time.monotonic() + 10
        while not path.is_symlink() and not self._stop.is_set():
            assert time.monotonic() < deadline
            self._stop.wait(0.005)
        driver = Driver(path)
        if self.driver is not None:
            driver.continue_from(self.driver)
            self.driver.close()
        self.driver = driver
        driver.on_frame = self._on_frame
        driver.send("HELLO?")

    def _again(self) -> None:
        """The line went away: open it again, show the same acts again."""
        deadline = time.monotonic() + 10
        while not self._stop.is_set() and not self.bench.finished.is_set():
            assert time.monotonic() < deadline
            try:
                self._open()
                self.order(*self.shown[-1])
                self.reopened += 1
                return
            except OSError:
                self._stop.wait(0.005)
        self._stop.wait(0.01)

    def _on_frame(self, frame: Frame) -> None:
        if frame.kind == "BUTTON":
            number, ticks = frame.fields["id"], frame.fields["ticks_ms"]
            # a contact bounces for some milliseconds
            if frame.fields["pressed"] and ticks - self._edges.get(number, -1000) > 50:
                self.presses.append(BUTTON_NAMES[number])
            self._edges[number] = ticks
        if frame.kind in ("INVENTORY", "BUTTON"):
            self._advance()

    def _advance(self) -> None:
        while self._ready():
            try:
                self._ready = next(self._plan)
            except StopIteration:
                self._ready = lambda: False

    # -- seeing ----------------------------------------------------------------------------------------

    def uids(self, place: str) -> set[str]:
        assert self.driver is not None
        return {
            uid
            for number, places in self.places.items()
            if place in places
            for uid in self.driver.sets.get(number, ())
        }

    def names(self, place: str) -> set[str]:
        return {self.cards[uid] for uid in self.uids(place)}

    def total(self, place: str) -> int:
        return sum(self.values[uid] for uid in self.uids(place))

    def order(self, *acts: tuple[str, int, int]) -> None:
        """Show these acts: name, place, number."""
        assert self.driver is not None
        self.shown.append(acts)
        codes = [{"order": ORDER_NAMES.index(n), "place": place, "arg": arg} for n, place, arg in acts]
        self.order_seqs.append(self.driver.send("ORDER", {"orders": codes}))

    def pressed(self, name: str) -> Callable[[], bool]:
        before = len(self.presses)
        return lambda: name in self.presses[before:]

    # -- the plan: each yield is what must be sensed before going on -------------------------------------------

    def _hands(self) -> Any:
        yield from self.prelude()
        number = 1
        while True:
            script = self.source.next_hand(TableView(number, dict(self.stacks)))
            if not isinstance(script, HandScript):
                break
            yield self.pressed("CUT")
            yield from self._hand(script)
            number += 1
            self.order()

    def _hand(self, script: HandScript) -> Any:
        betting = Betting(script.stacks, script.game)
        holes = script.holes()
        self.ante = {seat: p.ante for seat, p in betting.players.items()}
        self.open_hands = False
        for around in (1, 2):
            for seat in betting.order:
                self.order(("deal", seat, 0))
                if f"seat{seat}" in self.covered:
                    yield lambda s=seat, n=around: self.names(f"seat{s}") >= set(holes[s][:n])
        if any(f"seat{seat}" not in self.covered for seat in betting.order):
            last = [seat for seat in betting.order if f"seat{seat}" not in self.covered][-1]
            self.order(("deal", last, 0))
            yield self.pressed("YES")
        yield from self._post(betting)
        while True:
            if self.manners.betting == "rounds":
                yield from self._round(script, betting, holes)
            while betting.to_act is not None or script.policy.unasked(betting) is not None:
                yield from self._turn(script, betting, holes)
            if not (betting.over and self.lists):
                yield from self._gather(betting)
            if betting.over or betting.street == 3:
                break
            if betting.all_done and self.manners.chips and not self.open_hands:
                yield from self._show(betting)
            betting.next_street()
            yield from self._street(script.board()[: BOARD_AFTER[betting.street]])
        if not betting.over and not self.open_hands:
            yield from self._show(betting)
        yield from self._pay(script, betting, holes)

    def _street(self, board: tuple[str, ...]) -> Any:
        fresh = 3 if len(board) == 3 else 1
        burnt = self.uids("burn")
        if self.lists:
            self.order(("burn", 12, 0), ("board", 11, fresh))
        else:
            self.order(("burn", 12, 0))
        yield lambda: self.uids("burn") - burnt
        self.order(("board", 11, fresh))
        yield lambda: self.names("board") == set(board)

    def _round(self, script: HandScript, betting: Betting, holes: dict[int, tuple[str, str]]) -> Any:
        """Nobody records who bets: a round is over when the dealer says so, or when one hand is left."""
        if betting.to_act is None:
            return
        self.order(("wait", 0, 0))
        closed = self.pressed("YES")
        thrown: set[str] = set()
        while betting.to_act is not None:
            board = script.board()[: BOARD_AFTER[betting.street]]
            act = script.policy.act(betting, betting.to_act, holes[betting.to_act], board)
            betting.apply(act)
            if act.kind == "fold":
                thrown |= set(holes[act.seat])
        if betting.over:
            yield lambda: thrown & self.names("muck")
        else:
            yield closed

    def _post(self, betting: Betting) -> Any:
        if self.manners.betting == "words":
            for seat, player in betting.players.items():
                if player.all_in:
                    self.order(("act", seat, 0))
                    yield self.pressed("ALL_IN")
        if not self.manners.chips:
            return
        for seat, player in betting.players.items():
            if player.bet + player.ante:
                yield lambda s=seat, n=player.bet + player.ante: self.total(f"bet{s}") == n

    def _turn(self, script: HandScript, betting: Betting, holes: dict[int, tuple[str, str]]) -> Any:
        act = script.policy.unasked(betting)
        if act is None:
            seat = betting.to_act
            assert seat is not None
            board = script.board()[: BOARD_AFTER[betting.street]]
            act = script.policy.act(betting, seat, holes[seat], board)
            self.order(("act", seat, betting.legal(seat).call))
        yield self._evidence(betting, act, holes)
        betting.apply(act)

    def _evidence(self, betting: Betting, act: Act, holes: dict[int, tuple[str, str]]) -> Callable[[], bool]:
        seat = act.seat
        if act.kind == "fold":
            thrown: set[str] = set()

            def folded() -> bool:
                thrown.update(self.names("muck") & set(holes[seat]))
                return thrown == set(holes[seat])

            return folded
        if act.kind == "check":
            return self.pressed("CHECK")
        if not self.manners.chips:
            word = {"call": "CALL", "bet": "RAISE", "raise": "RAISE", "all_in": "ALL_IN"}[act.kind]
            return self.pressed(word)
        want = act.to + (self.ante[seat] if betting.street == 0 else 0)
        return lambda: self.total(f"bet{seat}") == want

    def _gather(self, betting: Betting) -> Any:
        if not self.manners.chips or not any(self.total(f"bet{s}") for s in betting.order):
            return
        self.order(("gather", 15, 0))
        back = betting.uncalled()
        want = sum(p.paid for p in betting.players.values()) + betting.dead_money - (back[1] if back else 0)
        yield lambda: self.total("pot") == want and not any(self.total(f"bet{s}") for s in betting.order)

    def _show(self, betting: Betting) -> Any:
        self.open_hands = True
        shows = [("show", seat, 0) for seat in betting.live()]
        while shows:
            self.order(*(shows if self.lists else shows[:1]))
            yield self.pressed("YES")
            shows = shows[1:]

    def _pay(self, script: HandScript, betting: Betting, holes: dict[int, tuple[str, str]]) -> Any:
        takes = betting.settle(holes, script.board())
        self.stacks |= {seat: p.stack + takes.get(seat, 0) for seat, p in betting.players.items()}
        if not self.manners.chips:
            self.order(*(("push_pot", seat, 0) for seat in takes))
            yield self.pressed("POT")
            return
        back = betting.uncalled()
        if back is not None:
            betting.players[back[0]].stack += back[1]
            takes[back[0]] -= back[1]
        pushes = [("push_pot", seat, amount) for seat, amount in takes.items() if amount]
        while pushes:
            self.order(*(pushes if self.lists else pushes[:1]))
            _, seat, amount = pushes[0]
            want = betting.players[seat].stack + amount
            yield lambda s=seat, n=want: self.total(f"stack{s}") == n
            pushes = pushes[1:]
