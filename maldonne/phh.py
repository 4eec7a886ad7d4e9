"""Reads recorded hands in PHH (poker hand history, a TOML form) without any other library.

``p1`` is the first player at the button's left and ``pN`` has the button; with two players
``p1`` pays the big blind whatever the order of ``blinds_or_straddles``. ``????`` are cards that
the record does not know. Irregularities stand in comment actions (``# maldonne {event}``) and in
the table ``_maldonne``, whose ``events``, when there, are the hand's whole journal.

PHH: Kim 2024, "Recording and Describing Poker Hands".
"""

import random
import re
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from engine.errors import MalformedEvent
from engine.events import Ante, Straddle, TableEvent, decode
from engine.vocabulary import DECK, DECK_SET, MAX_SEAT, Limit
from maldonne.errors import MalformedHand

ActKind = Literal["hole", "board", "fold", "call", "raise", "show", "muck", "event"]

_LARGEST_FILE = 4 << 20
_LIMITS: Final[dict[str, Limit]] = {"NT": "no_limit", "FT": "fixed_limit"}
_NEEDED: Final = {"NT": ("min_bet",), "FT": ("small_bet", "big_bet")}
_EVENT_COMMENT: Final = "maldonne "
_AT_LINE: Final = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


class RecordedAct(Struct, frozen=True):
    """One action of the record; ``player`` counts from 0, ``amount`` is a total of the round."""

    kind: ActKind
    line: int
    player: int = -1
    cards: tuple[str | None, ...] = ()
    amount: int = 0
    event: TableEvent | None = None


class RecordedHand(Struct, frozen=True):
    """One hand as its record tells it; lists are in the file's player order.

    ``journal`` holds the hand's events where the record was written by this program.
    """

    file: str
    hand: int
    seats: tuple[int, ...]
    names: tuple[str, ...]
    stacks: tuple[int, ...]
    limit: Limit
    small_blind: int
    big_blind: int
    small_blind_player: int | None
    big_blind_player: int
    ante: Ante
    straddles: tuple[Straddle, ...]
    hole: tuple[tuple[str | None, str | None], ...]
    board: tuple[str | None, ...]
    acts: tuple[RecordedAct, ...]
    finishing_stacks: tuple[int, ...] | None
    journal: tuple[TableEvent, ...] = ()

    @property
    def button(self) -> int:
        """The seat of the button."""
        return self.seats[-1]


class Cards(Struct, frozen=True):
    """Every card of the hand with its identity, the unknown ones drawn by a seed.

    ``deck`` is the whole deck from the top as it must lie for this hand.
    """

    hole: tuple[tuple[str, str], ...]
    burns: tuple[str, str, str]
    board: tuple[str, ...]
    deck: tuple[str, ...]


def read(path: Path) -> RecordedHand:
    """Read one PHH file.

    Raises:
        MalformedHand: naming file, line and reason.
    """
    return parse(_text(path), str(path))


def read_all(path: Path) -> tuple[RecordedHand, ...]:
    """Read a file of one hand, or of many when its name ends in ``.phhs``.

    Many hands stand in one file as the tables ``[1]``, ``[2]`` and so on.

    Raises:
        MalformedHand: naming file, line and reason.
    """
    if path.suffix != ".phhs":
        return (read(path),)
    text = _text(path)
    heads = list(re.finditer(r"^\[(\d+)\][ \t]*(?:#.*)?$", text, re.MULTILINE))
    if not heads or text[: heads[0].start()].strip():
        raise MalformedHand("does not begin with [1]", where=f"{path}:1", hint="one table a hand")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    hands = []
    for head, end in zip(heads, ends, strict=True):
        # The lines before it stay, empty, so that every complaint names the line of the file.
        above = "\n" * text.count("\n", 0, head.end())
        hand = parse(above + text[head.end() : end], str(path))
        hands.append(msgspec.structs.replace(hand, file=f"{path}#{head.group(1)}"))
    return tuple(hands)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise MalformedHand(f"cannot be read: {error.strerror}", where=str(path)) from None
    if len(raw) > _LARGEST_FILE:
        raise MalformedHand("is larger than 4 MiB", where=str(path), hint="split it")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedHand("is not UTF-8 text", where=f"{path}:{line}") from None


def parse(text: str, name: str) -> RecordedHand:
    """Read one hand from PHH text; ``name`` is the file's, for messages.

    Raises:
        MalformedHand: naming file, line and reason.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found.group(1)) if found and found.group(1) else text.count("\n") + 1
        raise MalformedHand(_AT_LINE.sub("", str(error)), where=f"{name}:{line}") from None
    except RecursionError:
        raise MalformedHand("is nested too deeply", where=f"{name}:1") from None
    return _Reader(text, name, data).hand()


def complete(hand: RecordedHand, seed: int) -> Cards:
    """Give every card an identity: what the record does not know is drawn from the unused cards."""
    known = {card for pair in hand.hole for card in pair} | set(hand.board)
    unused = [card for card in DECK if card not in known]
    random.Random(seed).shuffle(unused)
    hole = tuple((a or unused.pop(), b or unused.pop()) for a, b in hand.hole)
    burns = (unused.pop(), unused.pop(), unused.pop())
    board = tuple(card or unused.pop() for card in hand.board)
    whole = board + tuple(unused.pop() for _ in range(5 - len(board)))
    dealt = [pair[0] for pair in hole] + [pair[1] for pair in hole]
    for burn, street in zip(burns, (whole[:3], whole[3:4], whole[4:]), strict=True):
        dealt += [burn, *street]
    return Cards(hole, burns, board, tuple(dealt + unused))


def whole_stacks(stacks: list[int | float]) -> tuple[int, ...]:
    """Round stacks to whole chips: halves of an odd chip go to who sits first at the button's left.

    >>> whole_stacks([9950, 10137.5, 10137.5])
    (9950, 10138, 10137)
    """
    whole = [int(stack // 1) for stack in stacks]
    odd = round(sum(stacks)) - sum(whole)
    for player, stack in enumerate(stacks):
        if odd > 0 and stack != whole[player]:
            whole[player] += 1
            odd -= 1
    return tuple(whole)


class _Reader:
    """Checks one decoded file and builds the hand from it."""

    def __init__(self, text: str, name: str, data: dict[str, Any]) -> None:
        self._text = text
        self._name = name
        self._data = data
        self._lines = _action_lines(text)

    def hand(self) -> RecordedHand:
        """Check every field and give the hand."""
        variant = self._need("variant", str)
        limit = _LIMITS.get(variant)
        if limit is None:
            raise self._bad("variant", f"{variant!r} is not hold'em", "NT and FT are played")
        stacks = self._chips("starting_stacks", least=1)
        count = len(stacks)
        if not 2 <= count <= MAX_SEAT:
            raise self._bad("starting_stacks", f"names {count} players", f"2 to {MAX_SEAT} can play")
        antes = self._chips("antes", count=count)
        blinds = self._chips("blinds_or_straddles", count=count)
        for field in _NEEDED[variant]:
            if self._whole(field, self._need(field, object)) < 1:
                raise self._bad(field, "must be at least 1")
        small_player, big_player, straddles = self._blinds(blinds)
        if count == 2:
            # Whatever the order in which they are written, the button pays the smaller one.
            blinds = (max(blinds), min(blinds))
        seats = self._seats(count)
        acts = self._acts(count)
        hole = self._hole(acts, count)
        journal = self._journal()
        self._finish_cards(acts, hole)
        return RecordedHand(
            file=self._name,
            hand=self._number(),
            seats=seats,
            names=self._names(count),
            stacks=stacks,
            limit=limit,
            small_blind=blinds[small_player] if small_player is not None else 0,
            big_blind=blinds[big_player],
            small_blind_player=small_player,
            big_blind_player=big_player,
            ante=self._ante(antes, big_player),
            straddles=tuple(Straddle(seats[player], blinds[player]) for player in straddles),
            hole=hole,
            board=tuple(card for act in acts if act.kind == "board" for card in act.cards),
            acts=acts,
            finishing_stacks=self._finishing(count),
            journal=journal,
        )

    # fields

    def _line(self, field: str) -> int:
        found = re.search(rf"^[ \t]*{re.escape(field)}[ \t]*=|^\[{re.escape(field)}\]", self._text, re.M)
        return self._text.count("\n", 0, found.start()) + 1 if found else 1

    def _bad(self, field: str, what: str, hint: str = "") -> MalformedHand:
        return MalformedHand(f"{field} {what}", where=f"{self._name}:{self._line(field)}", hint=hint)

    def _bad_act(self, index: int, what: str, hint: str = "") -> MalformedHand:
        line = self._lines[index] if index < len(self._lines) else self._line("actions")
        return MalformedHand(f"action {index + 1} {what}", where=f"{self._name}:{line}", hint=hint)

    def _need(self, field: str, kind: type) -> Any:
        if field not in self._data:
            raise MalformedHand(f"{field} is missing", where=f"{self._name}:1", hint="PHH needs it")
        value = self._data[field]
        if not isinstance(value, kind):
            raise self._bad(field, f"is {value!r}", "a text is due" if kind is str else "a list is due")
        return value

    def _whole(self, field: str, value: Any) -> int:
        """Give a number of chips; 100.0 is taken for 100."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._bad(field, f"holds {value!r}", "chips are whole numbers")
        if not 0 <= value <= 2**53:
            raise self._bad(field, f"holds {value}", "chips are not negative, nor more than 2^53")
        return int(value)

    def _chips(self, field: str, *, count: int | None = None, least: int = 0) -> tuple[int, ...]:
        values = self._need(field, list)
        if count is not None and len(values) != count:
            raise self._bad(field, f"has {len(values)} numbers for {count} players")
        found = tuple(self._whole(field, value) for value in values)
        if found and min(found) < least:
            raise self._bad(field, f"holds {min(found)}", f"at least {least} is due")
        return found

    def _blinds(self, blinds: tuple[int, ...]) -> tuple[int | None, int, list[int]]:
        """Find who pays which blind: small blind, big blind, straddles, as player numbers."""
        if not any(blinds):
            raise self._bad("blinds_or_straddles", "names no blind")
        if len(blinds) == 2:
            return (1 if min(blinds) else None), 0, []
        posts = [player for player, blind in enumerate(blinds) if blind]
        small = 0 if blinds[0] and blinds[1] else None
        big = 1 if blinds[1] else 0
        if small is not None and blinds[0] > blinds[1]:
            raise self._bad("blinds_or_straddles", "has a small blind above the big blind")
        straddles = [player for player in posts if player not in (small, big)]
        if not blinds[big] or any(blinds[player] <= blinds[big] for player in straddles):
            raise self._bad("blinds_or_straddles", "has a blind that is neither big blind nor straddle")
        return small, big, straddles

    def _ante(self, antes: tuple[int, ...], big_player: int) -> Ante:
        payers = [player for player, ante in enumerate(antes) if ante]
        if not payers:
            return Ante()
        amount = antes[payers[0]]
        if len(payers) == len(antes) and set(antes) == {amount}:
            return Ante("classic", amount)
        if payers == [big_player]:
            return Ante("big_blind", amount)
        if payers == [len(antes) - 1]:
            return Ante("button", amount)
        raise self._bad("antes", "are neither equal nor of one player", "big blind or button may pay for all")

    def _seats(self, count: int) -> tuple[int, ...]:
        if "seats" not in self._data:
            return tuple(range(1, count + 1))
        seats = self._chips("seats", count=count, least=1)
        if max(seats) > MAX_SEAT or len(set(seats)) != count:
            raise self._bad("seats", "names a seat twice or beyond 10")
        if sum(later < seat for seat, later in zip(seats, seats[1:] + seats[:1], strict=True)) != 1:
            raise self._bad("seats", "do not go clockwise from the button's left")
        return seats

    def _names(self, count: int) -> tuple[str, ...]:
        if "players" not in self._data:
            return tuple(f"p{player + 1}" for player in range(count))
        names = self._need("players", list)
        if len(names) != count or not all(isinstance(name, str) for name in names):
            raise self._bad("players", f"does not give {count} names")
        return tuple(names)

    def _number(self) -> int:
        """The hand's number; a hand that is named otherwise counts as 1."""
        number = self._data.get("hand", 1)
        if isinstance(number, str) and number.isdecimal():
            number = int(number)
        return number if type(number) is int and 0 <= number <= 2**53 else 1

    def _finishing(self, count: int) -> tuple[int, ...] | None:
        if "finishing_stacks" not in self._data:
            return None
        values = self._need("finishing_stacks", list)
        good = all(type(value) in (int, float) and 0 <= value <= 2**53 for value in values)
        if len(values) != count or not good:
            raise self._bad("finishing_stacks", f"does not give {count} stacks")
        return whole_stacks(values)

    def _journal(self) -> tuple[TableEvent, ...]:
        ours = self._data.get("_maldonne")
        if ours is None:
            return ()
        if not isinstance(ours, dict):
            raise self._bad("_maldonne", "is no table")
        if ours.get("version", 1) != 1:
            raise self._bad("_maldonne", f"has version {ours['version']!r}", "this program writes version 1")
        lines = ours.get("events", [])
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise self._bad("_maldonne", "has events that are no list of texts")
        found = re.search(r"\bevents[ \t]*=[ \t]*\[", self._text)
        start = self._text.count("\n", 0, found.start()) + 1 if found else self._line("_maldonne")
        try:
            return tuple(
                decode(line, where=f"{self._name}:{start + number}")
                for number, line in enumerate(lines, start=1)
            )
        except MalformedEvent as error:
            raise MalformedHand(error.what, where=error.where, hint=error.hint) from None

    # actions

    def _acts(self, count: int) -> tuple[RecordedAct, ...]:
        written = self._need("actions", list)
        acts = []
        for index, action in enumerate(written):
            if not isinstance(action, str):
                raise self._bad_act(index, f"is {action!r}", "a text is due")
            words, _, comment = action.partition("#")
            line = self._lines[index] if index < len(self._lines) else self._line("actions")
            if words.strip():
                acts.append(self._act(index, words.split(), count, line))
            if comment.strip().startswith(_EVENT_COMMENT):
                acts.append(self._event(index, comment.strip().removeprefix(_EVENT_COMMENT), line))
        return tuple(acts)

    def _event(self, index: int, text: str, line: int) -> RecordedAct:
        try:
            return RecordedAct("event", line, event=decode(text))
        except MalformedEvent as error:
            raise self._bad_act(index, f"carries no table event: {error.what}") from None

    def _act(self, index: int, words: list[str], count: int, line: int) -> RecordedAct:
        actor, verb, *rest = [*words, ""] if len(words) == 1 else words
        if actor == "d" and verb == "dh" and len(rest) == 2:
            player = self._player(index, rest[0], count)
            return RecordedAct("hole", line, player, self._cards(index, rest[1]))
        if actor == "d" and verb == "db" and len(rest) == 1:
            return RecordedAct("board", line, cards=self._cards(index, rest[0]))
        if actor != "d":
            player = self._player(index, actor, count)
            if verb == "f" and not rest:
                return RecordedAct("fold", line, player)
            if verb == "cc" and not rest:
                return RecordedAct("call", line, player)
            if verb == "cbr" and len(rest) == 1:
                return RecordedAct("raise", line, player, amount=self._amount(index, rest[0]))
            if verb == "sm" and len(rest) <= 1:
                if not rest or rest[0] == "-":
                    return RecordedAct("muck", line, player)
                return RecordedAct("show", line, player, self._cards(index, rest[0]))
        raise self._bad_act(index, f"is {' '.join(words)!r}", "known are d dh, d db, pN f, cc, cbr, sm")

    def _player(self, index: int, word: str, count: int) -> int:
        number = int(word[1:]) if re.fullmatch(r"p[1-9]\d?", word) else 0
        if not 1 <= number <= count:
            raise self._bad_act(index, f"names {word!r}", f"the players are p1 to p{count}")
        return number - 1

    def _amount(self, index: int, word: str) -> int:
        found = re.fullmatch(r"(\d{1,16})(?:\.0*)?", word)
        if found is None or not 0 < int(found.group(1)) <= 2**53:
            raise self._bad_act(index, f"bets {word!r}", "chips are whole numbers")
        return int(found.group(1))

    def _cards(self, index: int, text: str) -> tuple[str | None, ...]:
        pairs = [text[place : place + 2] for place in range(0, len(text), 2)]
        for pair in pairs:
            if (pair not in DECK_SET and "?" not in pair) or len(pair) != 2:
                raise self._bad_act(index, f"has the card {pair!r}", "a card is rank and suit, such as Td")
        return tuple(None if "?" in pair else pair for pair in pairs)

    def _hole(self, acts: tuple[RecordedAct, ...], count: int) -> tuple[tuple[str | None, str | None], ...]:
        """Gather each player's two cards; a shown hand makes unknown ones known."""
        hands: list[list[str | None]] = [[] for _ in range(count)]
        for act in acts:
            if act.kind == "hole":
                hands[act.player] += act.cards
                if len(hands[act.player]) > 2:
                    raise self._bad_at(act, f"gives p{act.player + 1} a third card")
            elif act.kind == "show" and len(act.cards) != 2:
                raise self._bad_at(act, "does not show two cards")
        pairs: list[tuple[str | None, str | None]] = []
        for player, hand in enumerate(hands):
            first, second = [*hand, None, None][:2]
            shown = next((a.cards for a in acts if a.kind == "show" and a.player == player), ())
            if shown and None not in shown:
                if not {first, second} <= {*shown, None}:
                    act = next(a for a in acts if a.kind == "show" and a.player == player)
                    raise self._bad_at(act, "shows other cards than were dealt")
                left = [card for card in shown if card not in (first, second)]
                first = first or left.pop(0)
                second = second or left.pop(0)
            pairs.append((first, second))
        return tuple(pairs)

    def _bad_at(self, act: RecordedAct, what: str) -> MalformedHand:
        return MalformedHand(f"the record {what}", where=f"{self._name}:{act.line}")

    def _finish_cards(
        self, acts: tuple[RecordedAct, ...], hole: tuple[tuple[str | None, str | None], ...]
    ) -> None:
        """Refuse a card that is in two places, and streets of the wrong size."""
        seen = {card for pair in hole for card in pair if card is not None}
        if len(seen) < sum(card is not None for pair in hole for card in pair):
            act = next(a for a in reversed(acts) if a.kind in ("hole", "show"))
            raise self._bad_at(act, "deals one card to two hands")
        sizes = iter((3, 1, 1))
        folded: set[int] = set()
        for act in acts:
            if act.kind == "board":
                if len(act.cards) != next(sizes, 0):
                    raise self._bad_at(act, f"deals {len(act.cards)} board cards at once")
                for card in act.cards:
                    if card is not None and card in seen:
                        raise self._bad_at(act, f"deals {card} twice")
                    seen.update({card} if card else ())
            elif act.kind in ("fold", "call", "raise"):
                if act.player in folded:
                    raise self._bad_at(act, f"lets p{act.player + 1} act after his fold")
                folded.update({act.player} if act.kind == "fold" else ())


def _action_lines(text: str) -> list[int]:
    """Find the line of each value in the list of actions.

    >>> _action_lines('x = 1\\nactions = ["a", # "no"\\n  "b"]')
    [2, 3]
    """
    start = re.search(r"^[ \t]*actions[ \t]*=[ \t]*\[", text, re.MULTILINE)
    lines: list[int] = []
    if start is None:
        return lines
    token = re.compile(r"""#[^\n]*|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\]|[^\s,#"'\]]+""")
    place = start.end()
    while (found := token.search(text, place)) is not None and found.group() != "]":
        if not found.group().startswith("#"):
            lines.append(text.count("\n", 0, found.start()) + 1)
        place = found.end()
    return lines
