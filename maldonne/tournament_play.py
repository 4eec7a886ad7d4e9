"""A whole tournament played by random but legal hands, at the level of results: what happens around the hub's logic.

Tables deal when the logic lets them, people do what the hub proposes (now and then otherwise, later, or wrongly and undo
it), tables fall silent and come back, some have no device at all. All of it from one seed, in simulated time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from engine.seating import Positions, first_positions
from table_controller import messages as m
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, ranking, seating, undo
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposals import Proposal, chips_agree, may_start, proposals
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, Settings, State, alive, open_moves

HAND_S = 100.0
WALK_S = 60.0
LONGEST = 400_000
"""Steps after which a tournament counts as stuck."""


@dataclass(frozen=True)
class Wishes:
    """What the tournament is like; rates are per hand of a table."""

    entries: int = 30
    capacity: int = 9
    seed: int = 1
    late: int = 0
    absent: float = 0.0
    lost: float = 0.0
    wrong_bust: float = 0.0
    miscount: float = 0.0
    deviceless: float = 0.0
    otherwise: float = 0.0
    paid: int = 0
    stack: int = 10_000
    minutes: float = 10.0


@dataclass
class Told:
    """What came of it: the final state, the log, how long it took, what was wrong (nothing, if all is well)."""

    state: State
    log: list[ev.Record]
    hands: int
    minutes: float
    moves: int
    places: tuple[ranking.Place, ...]
    violations: list[str] = field(default_factory=list)


def structure(minutes: float) -> tuple[clocks.Stage, ...]:
    """Blinds that grow by half, a break after every fourth level."""
    blinds = [(50, 100), (75, 150), (100, 200), (150, 300), (200, 400), (300, 600), (400, 800), (600, 1200)]
    while len(blinds) < 32:
        blinds.append((blinds[-2][0] * 2, blinds[-2][1] * 2))
    stages: list[clocks.Stage] = []
    for number, (small, big) in enumerate(blinds, 1):
        ante = m.Ante(kind="big_blind", amount=big) if number > 4 else m.Ante()
        stages.append(
            clocks.Stage(60 * minutes, m.Level(n=number, small_blind=small, big_blind=big, ante=ante))
        )
        if number % 4 == 0:
            stages.append(clocks.Stage(600.0))
    return tuple(stages)


def rough(entries: int, seed: int) -> Wishes:
    """An evening on which everything goes wrong now and then, as campaigns play it."""
    return Wishes(
        entries=entries,
        seed=seed,
        late=entries // 5,
        absent=0.02,
        lost=0.01,
        wrong_bust=0.01,
        miscount=0.05,
        deviceless=0.2,
        otherwise=0.1,
        paid=max(2, entries // 7),
    )


class Play:
    """One tournament from sign-in to the last place.

    Args:
        wishes: what it is like.
        preset: what the rulebook decides.
        rulebook: its id, for the record.
    """

    def __init__(self, wishes: Wishes, preset: Preset, rulebook: str = "standard") -> None:
        self.wishes = wishes
        self.preset = preset
        self.chance = seating.Chance(f"play/{wishes.seed}")
        settings = Settings(
            tournament="simulated",
            rulebook=rulebook,
            capacity=wishes.capacity,
            starting_stack=wishes.stack,
            seed=wishes.seed,
            places_paid=wishes.paid,
            stages=structure(wishes.minutes),
            re_entries=1,
        )
        self.state = machine.start(settings)
        self.log: list[ev.Record] = []
        self.now = 0.0
        self.hands = 0
        self.violations: list[str] = []
        self.stacks: dict[str, int] = {}
        self._queue: list[tuple[float, int, str, str]] = []
        self._count = 0
        self._busy: set[str] = set()
        self._gates: dict[str, int] = {}
        self._held_back: dict[str, list[ev.Event]] = {}
        self._runouts: dict[str, Callable[[], None]] = {}
        self._dealt: dict[str, tuple[Positions, m.Level, int | None]] = {}
        self._late_left = wishes.late
        self._wrong: list[int] = []

    # -- one thing -----------------------------------------------------------------------

    def chosen(self, rate: float) -> bool:
        """Whether something that happens at this rate happens now."""
        return rate > 0 and self.chance.below(10_000) < rate * 10_000

    def say(self, event: ev.Event, by: str = "director", undoes: int | None = None) -> bool:
        """One event into the log; False when the logic refuses it."""
        inverse = undo.inverse(self.state, event)
        try:
            self.state = machine.apply(self.state, event, self.preset, self.now)
        except Refused:
            return False
        self.log.append(
            ev.Record(n=len(self.log) + 1, at=self.now, event=event, by=by, undo=inverse, undoes=undoes)
        )
        return True

    def later(self, seconds: float, kind: str, name: str) -> None:
        """Something will happen."""
        self._count += 1
        heapq.heappush(self._queue, (self.now + seconds, self._count, kind, name))

    # -- the whole -------------------------------------------------------------------------

    def run(self) -> Told:
        """Play until one is left."""
        self._open()
        steps = 0
        while not self.state.over:
            steps += 1
            self._direct()
            self._deal()
            if not self._queue:
                self.later(15.0, "tick", "")
            before = self.now
            self.now, _, kind, name = heapq.heappop(self._queue)
            self._happen(kind, name)
            if int(before // 15) != int(self.now // 15):
                self._tick()
            if steps > LONGEST or self.now > 500_000:
                self.violations.append(f"stuck with {alive(self.state)} left: {self._why()}")
                break
        return self._told()

    def _open(self) -> None:
        needed = seating.tables_needed(self.wishes.entries + self.wishes.late, self.wishes.capacity)
        for number in range(1, needed + 1):
            device = not self.chosen(self.wishes.deviceless)
            self.say(ev.TableOpened(table=f"t{number}", capacity=self.wishes.capacity, device=device))
        for number in range(1, self.wishes.entries + 1):
            self.stacks[f"e{number}"] = self.wishes.stack
            self.say(ev.Registered(entry=f"e{number}"))
        for block in ("start",):
            self.say(ev.Passed(block=block, reason="simulated"))

    def _why(self) -> str:
        tables = {
            t.id: (may_start(self.state, t.id), len(t.seats), t.running)
            for t in self.state.tables.values()
            if t.status != "closed"
        }
        waiting = [p.id for p in proposals(self.state, self.preset, self.now)]
        return f"{tables} {waiting} {self.state.hand_for_hand} busy={self._busy}"

    def _tick(self) -> None:
        running = any(table.running for table in self.state.tables.values()) or bool(self._busy)
        act = clocks.Ticked(hands_running=running)
        if clocks.moved(self.state.clock, self.state.settings.stages, act, self.now) is not self.state.clock:
            self.say(ev.Clocked(act=act), "clock")

    # -- people --------------------------------------------------------------------------------

    def _direct(self) -> None:
        """The director does what is proposed, one after the other, until nothing is."""
        seen: set[str] = set()
        for _ in range(60):
            todo = [p for p in proposals(self.state, self.preset, self.now) if p.id not in seen]
            if not todo:
                return
            proposal = todo[0]
            seen.add(proposal.id)
            for event in self._choose(proposal):
                self.say(event)
                if isinstance(event, ev.TableBreaking):
                    for move in event.moves:
                        self.later(5.0, "leave", move.move)
                elif isinstance(event, ev.MovePlanned):
                    self.later(5.0, "leave", event.move)
                elif isinstance(event, ev.RunoutReleased):
                    self._runout(event.table)
                elif isinstance(event, ev.HandForHandEnded):
                    for name in list(self._runouts):
                        self._runout(name)

    def _choose(self, proposal: Proposal) -> tuple[ev.Event, ...]:
        match proposal.kind:
            case "next_big_blind":
                table = self.state.tables[str(proposal.values["table"])]
                return (ev.BigBlindTold(table=table.id, seat=self.chance.one(sorted(table.seats))),)
            case "unheard" | "lost":
                return ()  # it comes back
            case "stop":
                name = str(proposal.values["table"])
                busy = name in self._busy or name in self._runouts
                return proposal.alternatives[0 if busy else 1].events
            case "hand_done":
                name = str(proposal.values["table"])
                return () if name in self._busy else (ev.HandDone(table=name),)
            case "mismatch":
                entry = str(proposal.values["entry"])
                move = self.state.entries[entry].move or ""
                return (ev.MoveSettled(move=move, stack=self.stacks[entry]),)
            case "order" | "heads_up":
                return self.chance.one(proposal.alternatives).events if proposal.alternatives else ()
            case "finish" if self.wishes.wrong_bust and self._wrong:
                self._undo_wrong()
                return ()
        if proposal.question:
            return proposal.alternatives[-1].events
        if proposal.alternatives and self.chosen(self.wishes.otherwise):
            return self.chance.one(proposal.alternatives).events
        return proposal.effects

    def _undo_wrong(self) -> None:
        while self._wrong:
            record = self.log[self._wrong.pop() - 1]
            try:
                back = undo.compensation(self.state, record, self.preset)
            except Refused:
                continue
            for event in back:
                if not self.say(event, undoes=record.n):
                    self.violations.append(f"undo refused: {event}")

    # -- tables ----------------------------------------------------------------------------------

    def _deal(self) -> None:
        for table in list(self.state.tables.values()):
            if table.id in self._busy or table.id in self._runouts or may_start(self.state, table.id):
                continue
            held = self.state.hand_for_hand
            gate = None
            if held is not None:
                gate = held.gate
                if self._gates.get(table.id, 0) >= gate:
                    continue
            self._start(table.id, gate)

    def _start(self, name: str, gate: int | None) -> None:
        table = self.state.tables[name]
        positions = seating.next_hand(table, self.preset)
        if positions is None:
            seats = sorted(table.seats)
            positions = first_positions(self.chance.one(seats), seats)
        if gate is not None:
            self._gates[name] = gate
        level = clocks.level_now(self.state.clock, self.state.settings.stages)
        start = ev.HandStarted(
            table=name, hand=table.hands + 1, level=level.n, positions=positions, gate=gate
        )
        if table.device:
            self._report(name, start)
        self._busy.add(name)
        self.hands += 1
        self._dealt[name] = (positions, level, gate)
        self.later(HAND_S / 2 + self.chance.below(int(HAND_S)), "end", name)

    def _report(self, name: str, event: ev.Event) -> None:
        if self.state.tables[name].heard:
            self.say(event, name)
        else:
            self._held_back.setdefault(name, []).append(event)

    def _happen(self, kind: str, name: str) -> None:
        match kind:
            case "end":
                self._end(name)
            case "leave":
                self._leave(name)
            case "arrive":
                self._arrive(name)
            case "found":
                self.say(ev.Heard(table=name, heard=True), "link")
                for event in self._held_back.pop(name, []):
                    self.say(event, name)
            case "back" if name in self.state.entries and self.state.entries[name].where != "out":
                self.say(ev.Presence(entry=name, absent=False))
            case "undo":
                self._undo_wrong()

    def _end(self, name: str) -> None:
        table = self.state.tables[name]
        positions, level, gate = self._dealt.pop(name)
        names = {seat: table.seats[seat] for seat in positions.players if seat in table.seats}
        if len(names) < 2:
            start: dict[str, int] = {who: self.stacks[who] for who in names.values()}
            after = dict(start)
        else:
            start, after = self._hand(names, positions, level)
        for who in table.seats.values():
            start.setdefault(who, self.stacks[who])
            after.setdefault(who, self.stacks[who])
        all_in = any(stack == 0 for stack in after.values())
        held = self.state.hand_for_hand

        def finish() -> None:
            self._result(name, start, after)

        if (
            all_in
            and gate is not None
            and held is not None
            and held.gate == gate
            and table.device
            and table.heard
        ):
            self.say(ev.RunoutPending(table=name, hand=table.hand, seats=(1, 2)), name)
            self._runouts[name] = finish
            return
        finish()

    def _runout(self, name: str) -> None:
        finish = self._runouts.pop(name, None)
        if finish is not None:
            finish()

    def _result(self, name: str, start: Mapping[str, int], after: Mapping[str, int]) -> None:
        self._busy.discard(name)
        table = self.state.tables[name]
        self.stacks.update(after)
        busts = {who: start[who] for who, stack in after.items() if stack == 0}
        if table.device:
            stacks: dict[str, int | None] = {who: stack for who, stack in after.items() if stack}
            self._report(name, ev.HandEnded(table=name, hand=table.hand, stacks=stacks, busts=dict(busts)))
        elif busts:
            gone = tuple(who for who in busts if self.state.entries[who].where == "seated")
            if gone:
                told = {} if self.chosen(0.5) else {who: busts[who] for who in gone}
                self.say(ev.Busted(table=name, entries=gone, start_stacks=told))
        self._mishaps(name)
        self._check()

    def _hand(
        self, names: Mapping[int, str], positions: Positions, level: m.Level
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Blinds, antes, a few who go on, side pots by random ranks."""
        start = {who: self.stacks[who] for who in names.values()}
        put = dict.fromkeys(start, 0)

        def pay(seat: int | None, amount: int) -> None:
            who = names.get(seat) if seat is not None else None
            if who is not None:
                put[who] += min(start[who] - put[who], amount)

        pay(positions.small_blind_seat, level.small_blind)
        pay(positions.big_blind, level.big_blind)
        if level.ante.kind == "big_blind":
            pay(positions.big_blind, level.ante.amount)
        present = [who for who in start if not self.state.entries[who].absent] or list(start)
        contest = self.chance.shuffled(present)[: 2 + self.chance.below(2)]
        if len(contest) < 2:
            contest.append(next(who for who in start if who not in contest))
        bets = sorted(start[who] for who in contest)
        most = bets[-2] if not self.chosen(0.5) else min(bets[-2], 12 * level.big_blind)
        amount = max(level.big_blind, 1 + self.chance.below(max(1, most)))
        if self.chosen(0.12):
            amount = max(start.values())
        for who in contest:
            put[who] = max(put[who], min(start[who], amount))
        order = self.chance.shuffled(contest)
        after = {who: start[who] - put[who] for who in start}
        rest = dict(put)
        for winner in order:
            stake = rest[winner]
            for who, chips in rest.items():
                after[winner] += min(chips, stake)
                rest[who] = chips - min(chips, stake)
        for who, chips in rest.items():
            after[who] += chips
        return start, after

    def _mishaps(self, name: str) -> None:
        """What goes wrong, or otherwise, between two hands."""
        wishes, table = self.wishes, self.state.tables[name]
        if self._late_left and self.chosen(0.3):
            self._late()
        if self.chosen(wishes.absent) and table.seats:
            who = self.chance.one(sorted(table.seats.values()))
            self.say(ev.Presence(entry=who, absent=True))
            self.later(600.0, "back", who)
        if table.device and table.heard and self.chosen(wishes.lost):
            self.say(ev.Heard(table=name, heard=False), "link")
            self.later(300.0, "found", name)
        if self.chosen(wishes.wrong_bust) and len(table.seats) > 2 and table.heard:
            who = self.chance.one(sorted(table.seats.values()))
            if self.say(ev.Busted(table=name, entries=(who,))):
                self._wrong.append(len(self.log))
                self.later(float(60 + self.chance.below(300)), "undo", "")

    def _late(self) -> None:
        number = sum(1 for entry in self.state.entries.values()) + 1
        seed = f"{self.wishes.seed}/late/{number}"
        entry = seating.late_entry(self.state, self.preset, f"e{number}", "", seed)
        self._late_left -= 1
        if self.say(entry):
            self.stacks[f"e{number}"] = self.state.entries[f"e{number}"].stack or 0

    def _leave(self, name: str) -> None:
        move = self.state.moves[name]
        if move.state != "planned":
            return
        if move.origin.table in self._busy:
            self.later(10.0, "leave", name)
            return
        if not self.say(ev.MoveLeft(move=name, stack=self.stacks[move.entry], by=move.origin.table)):
            self.later(10.0, "leave", name)
            return
        self.later(WALK_S, "arrive", name)

    def _arrive(self, name: str) -> None:
        move = self.state.moves[name]
        if move.state == "in_transit":
            counted = self.stacks[move.entry]
            if self.chosen(self.wishes.miscount):
                counted += 100
            self.say(ev.MoveArrived(move=name, counted=counted, by=move.target.table))

    # -- what must always hold ------------------------------------------------------------------------

    def _check(self) -> None:
        self.violations += check(self.state)
        if sum(self.stacks.values()) != self.state.issued:
            self.violations.append(f"chips played {sum(self.stacks.values())}, given {self.state.issued}")
        del self.violations[20:]

    def _told(self) -> Told:
        state = self.state
        self.violations += check(state)
        places: tuple[ranking.Place, ...] = ()
        if state.over:
            places = ranking.places(state.entries.keys(), state.groups, self.preset, over=True)
        moves = sum(1 for move in state.moves.values() if move.state == "done")
        return Told(state, self.log, self.hands, self.now / 60, moves, places, self.violations)


def check(state: State) -> list[str]:
    """What is wrong with a tournament: an entry in two places, a chip that is nowhere, a table ahead of the others."""
    wrong = []
    seats: dict[str, list[Place]] = {}
    for table in state.tables.values():
        for seat, name in table.seats.items():
            seats.setdefault(name, []).append(Place(table.id, seat))
        if table.status == "closed" and table.seats:
            wrong.append(f"{table.id} is closed with players")
    ways: dict[str, list[str]] = {}
    for move in open_moves(state):
        ways.setdefault(move.entry, []).append(move.id)
    outs = Counter(bust.entry for group in state.groups for bust in group.busts)
    for name, entry in state.entries.items():
        here = seats.pop(name, [])
        if (entry.where == "seated") != (len(here) == 1) or (here and here != [entry.place]):
            wrong.append(f"{name} is {entry.where} and sits at {here}")
        if ways.get(name, []) != ([entry.move] if entry.move else []):
            wrong.append(f"{name} has moves {ways.get(name)}")
        if outs[name] != (entry.where == "out"):
            wrong.append(f"{name} is {entry.where} and went out {outs[name]} times")
    if seats:
        wrong.append(f"seats of nobody: {seats}")
    targets = [move.target for move in open_moves(state)]
    if len(set(targets)) != len(targets):
        wrong.append("two moves to one seat")
    if chips_agree(state) is False:
        wrong.append("chips in play differ from chips given")
    wrong += [key for key in state.discrepancies if key.startswith("ahead:")]
    return wrong


def log_of(records: list[ev.Record]) -> bytes:
    """A log as it is kept."""
    return msgspec.json.encode(records)
