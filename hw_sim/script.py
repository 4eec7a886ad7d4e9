"""What the people will play: recorded hands in PHH, or random ones.

Seats: player 1 of a record sits at seat 1 and pays the small blind, player N at seat N has the button;
heads-up player 1 pays the big blind, in whatever order the record lists the blinds. An ante of a single seat
is the table's ante, paid by the big blind (or the button). Cards that the record does not know are drawn from
the unused ones by the seed; a hand that was mucked at the showdown is drawn so that it loses.

Does not model: other variants than no-limit hold'em, records of several runs of the board, rake.
"""

import random
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from hw_sim.betting import BOARD_AFTER, Act, AnteKind, Betting, Game
from hw_sim.errors import ScriptError
from hw_sim.world import CARD_NAMES

_DRAWS = 5000


class Policy(Protocol):
    """Who decides what the players do."""

    def act(self, betting: Betting, seat: int, hole: tuple[str, ...], board: tuple[str, ...]) -> Act:
        """What this seat does now that it is his turn."""

    def unasked(self, betting: Betting) -> Act | None:
        """An all-in hand that is folded without being asked (its player has left), if that is next."""


@dataclass(frozen=True)
class HandScript:
    """One hand to be played.

    Attributes:
        name: The file's name, or a number.
        stacks: Chips of each seat dealt in, before blinds and antes.
        deck: All 52 cards, the top one first, as the dealer will hold them.
        finishing: What the record says that each seat has afterwards, None when it does not say.
    """

    name: str
    game: Game
    stacks: Mapping[int, int]
    deck: tuple[str, ...]
    policy: Policy = field(repr=False)
    finishing: Mapping[int, float] | None = None

    def holes(self) -> dict[int, tuple[str, str]]:
        """The two cards that each seat will be dealt."""
        order = Betting(self.stacks, self.game).order
        return {seat: (self.deck[i], self.deck[i + len(order)]) for i, seat in enumerate(order)}

    def board(self) -> tuple[str, ...]:
        """The five cards that the board would be."""
        at = 2 * len(self.stacks)
        return (*self.deck[at + 1 : at + 4], self.deck[at + 5], self.deck[at + 7])

    def play_out(self) -> tuple[dict[int, int], Betting, list[int]]:
        """Play the hand in the head.

        Returns:
            What every seat has afterwards, the betting at its end, and all amounts that were put in.
        """
        betting = Betting(self.stacks, self.game)
        holes, board = self.holes(), self.board()
        amounts = [p.bet for p in betting.players.values()] + [p.ante for p in betting.players.values()]
        while True:
            while (act := self._next(betting, holes, board)) is not None:
                betting.apply(act)
                amounts.append(act.add)
            if betting.over or betting.street == 3:
                break
            betting.next_street()
        takes = betting.settle(holes, board)
        after = {seat: p.stack + takes.get(seat, 0) for seat, p in betting.players.items()}
        return after, betting, amounts

    def _next(
        self, betting: Betting, holes: Mapping[int, tuple[str, ...]], board: tuple[str, ...]
    ) -> Act | None:
        act = self.policy.unasked(betting)
        if act is None and betting.to_act is not None:
            seat = betting.to_act
            act = self.policy.act(betting, seat, holes[seat], board[: BOARD_AFTER[betting.street]])
        return act


@dataclass(frozen=True)
class TableView:
    """What the next hand starts from: its number and every seat's chips."""

    number: int
    stacks: Mapping[int, int]


class Pause(Enum):
    """There is no hand to play yet: ask again when somebody has come or gone."""

    SHORT_OF_PLAYERS = "short of players"


class HandSource(Protocol):
    """Where hands come from."""

    def next_hand(self, view: TableView) -> HandScript | Pause | None:
        """The next hand to be shuffled, a pause while there is none, None when play is over."""

    def at_start(self, script: HandScript, view: TableView) -> HandScript:
        """The same hand once the table has started it: stakes and places as they are now."""

    @property
    def sets_stacks(self) -> bool:
        """Whether each hand brings its own stacks (records), else they go on from hand to hand."""


# -- records -----------------------------------------------------------------------------------------------


class Recorded:
    """The acts of a record, one after the other."""

    def __init__(self, name: str, acts: Sequence[tuple[int, str, int]]) -> None:
        self._name = name
        self._acts = tuple(acts)

    def _next(self, betting: Betting) -> tuple[int, str, int] | None:
        done = len(betting.acts)
        return self._acts[done] if done < len(self._acts) else None

    def act(self, betting: Betting, seat: int, hole: tuple[str, ...], board: tuple[str, ...]) -> Act:
        """The recorded act; the record must agree on whose turn it is."""
        found = self._next(betting)
        if found is None:
            raise ScriptError(f"the record stops while seat {seat} is to act", where=self._name)
        if found[0] != seat:
            raise ScriptError(f"the record lets p{found[0]} act, seat {seat} is to act", where=self._name)
        try:
            return betting.read(seat, found[1], found[2])
        except ScriptError as error:
            raise ScriptError(error.what, where=self._name) from error

    def unasked(self, betting: Betting) -> Act | None:
        """The fold of an all-in player comes when the record has it."""
        found = self._next(betting)
        if found is not None and found[1] == "fold" and betting.players[found[0]].all_in:
            return betting.read(found[0], "fold")
        return None

    @property
    def acts(self) -> tuple[tuple[int, str, int], ...]:
        """All acts as (seat, word, total of the round for a raise)."""
        return self._acts


def _cards(text: str, where: str) -> list[str]:
    cards = [text[i : i + 2] for i in range(0, len(text), 2)]
    for card in cards:
        if card not in CARD_NAMES and card != "??":
            raise ScriptError(f"{card!r} is no card", where=where)
    return cards


def _whole(values: Sequence[Any], where: str, what: str) -> list[int]:
    whole = [int(value) for value in values]
    if any(number != value for number, value in zip(whole, values, strict=True)):
        raise ScriptError(f"{what} are not whole chips: {list(values)}", where=where)
    return whole


@dataclass
class _Record:
    """What the lines of a record say."""

    holes: dict[int, list[str]] = field(default_factory=dict)
    board: list[str] = field(default_factory=list)
    acts: list[tuple[int, str, int]] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)


def _read_actions(actions: Sequence[Any], players: int, where: str) -> _Record:
    record = _Record()
    for number, line in enumerate(actions):
        at = f"{where}, action {number + 1}"
        words = str(line).split("#")[0].split()
        try:
            if not words:
                continue
            if words[:2] == ["d", "dh"]:
                record.holes[int(words[2][1:])] = _cards(words[3], at)
            elif words[:2] == ["d", "db"]:
                record.board += _cards(words[2], at)
            else:
                seat = int(words[0][1:])
                if not 1 <= seat <= players:
                    raise ScriptError(f"there is no player {words[0]}", where=at)
                if words[1] == "f":
                    record.acts.append((seat, "fold", 0))
                elif words[1] == "cc":
                    record.acts.append((seat, "call", 0))
                elif words[1] == "cbr":
                    record.acts.append((seat, "raise", _whole([float(words[2])], at, "bets")[0]))
                elif words[1] == "sm":
                    if len(words) > 2:
                        record.shown.add(seat)
                        record.holes[seat] = _cards(words[2], at)
                else:
                    raise ScriptError(f"{line!r} is no action of hold'em", where=at)
        except (IndexError, ValueError) as error:
            raise ScriptError(f"{line!r} cannot be read", where=at) from error
    return record


def read_phh(path: Path, seed: str) -> HandScript:
    """Read one recorded hand.

    Args:
        path: A PHH file.
        seed: Draws the cards that the record does not know.

    Raises:
        ScriptError: The file is no PHH, no no-limit hold'em, or its acts do not fit one another.
    """
    where = path.name
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScriptError(f"cannot be read: {error}", where=where) from error
    missing = [
        key
        for key in ("variant", "antes", "blinds_or_straddles", "starting_stacks", "actions")
        if key not in data
    ]
    if missing:
        raise ScriptError(f"{missing[0]} is missing", where=where)
    if data["variant"] != "NT":
        raise ScriptError(f"variant {data['variant']} is not no-limit hold'em (NT)", where=where)
    stacks = _whole(data["starting_stacks"], where, "starting stacks")
    if not 2 <= len(stacks) <= 10:
        raise ScriptError(f"{len(stacks)} players", where=where)
    blinds = _whole(data["blinds_or_straddles"], where, "blinds")
    game = _game(blinds, _whole(data["antes"], where, "antes"), where)
    record = _read_actions(data["actions"], len(stacks), where)
    seats = {seat: stack for seat, stack in enumerate(stacks, 1) if stack > 0}
    finishing = data.get("finishing_stacks")
    script = HandScript(
        name=where,
        game=game,
        stacks=seats,
        deck=CARD_NAMES,
        policy=Recorded(where, record.acts),
        finishing=dict(enumerate(finishing, 1)) if finishing else None,
    )
    return _stacked(script, record, random.Random(f"{seed}/{where}"))


def _game(blinds: list[int], antes: list[int], where: str) -> Game:
    players = len(blinds)
    live = [blind for blind in blinds if blind]
    if len(live) < 1:
        raise ScriptError("there are no blinds", where=where)
    kind: AnteKind = "none"
    payers = [seat for seat, ante in enumerate(antes, 1) if ante]
    if len(payers) == 1:
        kind = "button" if payers[0] == players and players > 2 else "big_blind"
    elif payers:
        kind = "classic"
    straddles = tuple((seat, blind) for seat, blind in enumerate(blinds, 1) if seat > 2 and blind)
    if players == 2:
        small, big = min(blinds), max(blinds)
        return Game(small, big, 2, 2, 1, kind, max(antes))
    return Game(blinds[0], blinds[1], players, 1 if blinds[0] else None, 2, kind, max(antes), straddles)


def _stacked(script: HandScript, record: _Record, rng: random.Random) -> HandScript:
    """Lay the deck so that the record's cards come, and the unknown ones from what is left."""
    seats = Betting(script.stacks, script.game).order
    known = [c for cards in record.holes.values() for c in cards if c != "??"]
    known += [c for c in record.board if c != "??"]
    if len(set(known)) != len(known):
        raise ScriptError("a card comes twice", where=script.name)
    for _ in range(_DRAWS):
        rest = [card for card in CARD_NAMES if card not in known]
        rng.shuffle(rest)
        holes = {
            s: [rest.pop() if c == "??" else c for c in record.holes.get(s, ["??", "??"])] for s in seats
        }
        board = [*record.board, *["??"] * (5 - len(record.board))]
        board = [rest.pop() if c == "??" else c for c in board]
        burns = [rest.pop() for _ in range(3)]
        deck = [holes[s][0] for s in seats] + [holes[s][1] for s in seats]
        deck += [burns[0], *board[:3], burns[1], board[3], burns[2], board[4], *rest]
        laid = replace(script, deck=tuple(deck))
        _, betting, _ = laid.play_out()
        mucked = {s for s in betting.live() if s not in record.shown} if len(betting.live()) > 1 else set()
        if not record.shown or not mucked:
            return laid
        hands, whole = laid.holes(), laid.board()
        won = {s for pot in betting.pots() for s in betting.winners(pot.seats, hands, whole)}
        if not won & mucked:
            return laid
    raise ScriptError("no cards can be found with which the mucked hands lose", where=script.name)


class PhhHands:
    """Recorded hands, one after the other, each with stacks of its own."""

    sets_stacks = True

    def __init__(self, paths: Sequence[Path], seed: str) -> None:
        self.scripts = [read_phh(path, seed) for path in paths]

    @property
    def amounts(self) -> tuple[int, ...]:
        """Every sum that these records put on the table: stacks before and after, blinds, bets."""
        found: set[int] = set()
        for script in self.scripts:
            after, _, put = script.play_out()
            found.update((*script.stacks.values(), *after.values(), *put))
        return tuple(sorted(found))

    @property
    def most_chips(self) -> int:
        """The most chips that any of these tables has."""
        return max((sum(script.stacks.values()) for script in self.scripts), default=0)

    def next_hand(self, view: TableView) -> HandScript | None:
        """The next record in the list."""
        return self.scripts[view.number - 1] if view.number <= len(self.scripts) else None

    def at_start(self, script: HandScript, view: TableView) -> HandScript:
        """A record does not change."""
        return script


# -- random hands ------------------------------------------------------------------------------------------


class RandomPolicy:
    """Legal no-limit play at random, a little wiser with good cards."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def act(self, betting: Betting, seat: int, hole: tuple[str, ...], board: tuple[str, ...]) -> Act:
        """Fold, check, call, bet, raise or all-in, by chance and strength."""
        rng, legal = self._rng, betting.legal(seat)
        strength = _strength(hole, board)
        luck = rng.random()
        if not legal.call:
            if legal.max_to and luck < 0.2 + 0.3 * strength:
                return self._raise(betting, seat, strength)
            return betting.read(seat, "call")
        player = betting.players[seat]
        dear = legal.call / max(1, player.stack + player.bet)
        if luck < 0.55 - 0.5 * strength + 0.35 * dear:
            return betting.read(seat, "fold")
        if legal.max_to and rng.random() < 0.1 + 0.2 * strength:
            return self._raise(betting, seat, strength)
        return betting.read(seat, "call")

    def _raise(self, betting: Betting, seat: int, strength: float) -> Act:
        rng, legal, unit = self._rng, betting.legal(seat), betting.game.smallest_chip
        if rng.random() < 0.03 + 0.05 * strength or legal.min_to >= legal.max_to:
            return betting.read(seat, "raise", legal.max_to)
        pot = sum(p.paid for p in betting.players.values()) + betting.dead_money
        wish = betting.price + rng.choice((0.33, 0.5, 0.75, 1.0)) * (pot + legal.call)
        step = unit * max(1, betting.game.big_blind // (2 * unit))
        to = max(legal.min_to, round(wish / step) * step)
        return betting.read(seat, "raise", min(to, legal.max_to))

    def unasked(self, betting: Betting) -> Act | None:
        """Nobody leaves while he is all-in."""
        return None


def _strength(hole: tuple[str, ...], board: tuple[str, ...]) -> float:
    """A rough guess between 0 and 1."""
    ranks = ["23456789TJQKA".index(card[0]) for card in hole]
    guess = sum(ranks) / 24.0 * 0.6
    if ranks[0] == ranks[1]:
        guess += 0.35
    if {card[0] for card in hole} & {card[0] for card in board}:
        guess += 0.3
    if hole[0][1] == hole[1][1]:
        guess += 0.05
    return min(1.0, guess)


@dataclass(frozen=True)
class Stakes:
    """Blinds and ante of the moment, in whole chips; the smallest chip divides them all."""

    small_blind: int
    big_blind: int
    ante_kind: AnteKind = "none"
    ante: int = 0
    smallest_chip: int = 25


class Positions:
    """Button and blinds from hand to hand with the dead button: the big blind always moves to a player."""

    def __init__(self, button: int) -> None:
        self._first = button
        self._last: tuple[int, int, int] | None = None

    def next(self, seats: Sequence[int]) -> tuple[int, int | None, int]:
        """Button, small blind's seat (None when dead) and big blind's seat of the next hand."""

        def after(seat: int) -> int:
            return min(seats, key=lambda s: (s - seat - 1) % 10)

        if self._last is None:
            button = self._first if self._first in seats else after(self._first)
            small = button if len(seats) == 2 else after(button)
            big = after(small)
        elif len(seats) == 2:
            big = after(self._last[2])
            button = small = after(big)
        else:
            button, small, big = self._last[1], self._last[2], after(self._last[2])
        self._last = (button, small, big)
        return button, small if small in seats else None, big


class RandomHands:
    """Random clean hands for ever, or so many.

    Args:
        seed: Shuffles the deck and plays the hands.
        stakes: Blinds and ante, asked anew as each hand starts.
        button: Where the first button lies.
        count: How many hands, None for as long as two players have chips.
        started: Gives stakes, places and seats of the hand that the table has just started, where the
            caller knows them (a hub that moves button, blinds and players); None, or a call that gives
            None: the source goes round by itself.
        rebuy: Chips with which a player who has lost everything goes on, None: he is out. A table that does not
            know its players' chips cannot know either that one has none left.
        wait_for_players: Whether a table with fewer than two players waits for more; else its play is over.
    """

    sets_stacks = False

    def __init__(
        self,
        seed: str,
        stakes: Callable[[], Stakes],
        *,
        button: int = 1,
        count: int | None = None,
        started: Callable[[], tuple[Game, Sequence[int]] | None] | None = None,
        rebuy: int | None = None,
        wait_for_players: bool = False,
    ) -> None:
        self._seed = seed
        self._stakes = stakes
        self._positions = Positions(button)
        self._count = count
        self._started = started
        self._rebuy = rebuy
        self._wait = wait_for_players

    def next_hand(self, view: TableView) -> HandScript | Pause | None:
        """A shuffled deck for those who have chips."""
        again = self._rebuy or 0
        stacks = {seat: stack or again for seat, stack in sorted(view.stacks.items()) if stack or again}
        if self._count is not None and view.number > self._count:
            return None
        if len(stacks) < 2:
            return Pause.SHORT_OF_PLAYERS if self._wait else None
        rng = random.Random(f"{self._seed}/hand/{view.number}")
        deck = list(CARD_NAMES)
        rng.shuffle(deck)
        stakes = self._stakes()
        button, small, big = self._positions.next(list(stacks))
        game = Game(
            stakes.small_blind,
            stakes.big_blind,
            button,
            small,
            big,
            stakes.ante_kind,
            stakes.ante,
            smallest_chip=stakes.smallest_chip,
        )
        return HandScript(str(view.number), game, stacks, tuple(deck), RandomPolicy(rng))

    def at_start(self, script: HandScript, view: TableView) -> HandScript:
        """The hand with the stakes, places and seats that the table really took."""
        started = self._started() if self._started is not None else None
        if started is None:
            return script
        game, seats = started
        stacks = {seat: script.stacks.get(seat, view.stacks.get(seat, 0)) for seat in sorted(seats)}
        return replace(script, game=game, stacks=stacks)


def phh_files(paths: Sequence[Path]) -> Iterator[Path]:
    """All PHH files among these files and folders, by name.

    Raises:
        ScriptError: One of them does not exist, or a folder holds none.
    """
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob("*.phh"))
            if not found:
                raise ScriptError("no .phh file in this folder", where=str(path))
            yield from found
        elif path.is_file():
            yield path
        else:
            raise ScriptError("no such file", where=str(path))
