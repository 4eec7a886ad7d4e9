"""Who finished where: groups of entries that went out together are kept, places are derived from them.

Nothing else is stored: a late entry moves every place, an undone bust gives back all those after it, and no place can be
given twice. Groups stand in the order in which they went out, in the hub's order of receipt; within a group the larger
stack at the start of the hand ranks higher, and the preset says what follows from equal ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from tournament_hub.logic.presets import Preset


class Bust(Struct, frozen=True):
    """An entry that went out; ``stack``: chips at the start of its last hand, None = not recorded."""

    entry: str
    table: str
    stack: int | None = None


class Group(Struct, frozen=True):
    """Entries that went out at once: in one hand of one table, or in one round of hand-for-hand.

    Attributes:
        key: names the hand or the round; the same bust told again falls on the same key.
        busts: who.
        bubble: these are the ones after whom everybody left is paid or at the final table.
        announced: they were in a hand when hand-for-hand was announced (its round 0).
        order: what a person or a heads-up between them has decided, best first; only among those who tie.
    """

    key: str
    busts: tuple[Bust, ...]
    bubble: bool = False
    announced: bool = False
    order: tuple[str, ...] = ()


Open = Literal["heads_up", "stack_unknown"]


class Place(Struct, frozen=True):
    """An entry's place. Those of a tie have the same ``place``; they fill the places up to ``last``.

    ``open``: it is not decided yet between them: by a heads-up (PPC 8.5), or because a stack was never recorded.
    """

    entry: str
    place: int
    last: int
    open: Open | None = None


class _Tie(Struct, frozen=True):
    entries: tuple[str, ...]
    open: Open | None = None


def added(
    groups: Sequence[Group], key: str, busts: Iterable[Bust], *, bubble: bool = False, announced: bool = False
) -> tuple[Group, ...]:
    """Add busts to the group of that key, or a new group at the end. One that is out already is not added again."""
    known = {bust.entry for group in groups for bust in group.busts}
    new: list[Bust] = []
    for bust in busts:
        if bust.entry not in known:
            known.add(bust.entry)
            new.append(bust)
    if not new:
        return tuple(groups)
    for number, group in enumerate(groups):
        if group.key == key:
            grown = msgspec.structs.replace(
                group,
                busts=(*group.busts, *new),
                bubble=group.bubble or bubble,
                announced=group.announced or announced,
            )
            return (*groups[:number], grown, *groups[number + 1 :])
    return (*groups, Group(key, tuple(new), bubble, announced))


def without(groups: Sequence[Group], entry: str) -> tuple[Group, ...]:
    """Undo a bust: the entry plays again, a group that is empty is gone."""
    rest = []
    for group in groups:
        busts = tuple(bust for bust in group.busts if bust.entry != entry)
        order = tuple(name for name in group.order if name != entry)
        if busts:
            rest.append(msgspec.structs.replace(group, busts=busts, order=order))
    return tuple(rest)


def decided(groups: Sequence[Group], key: str, order: Sequence[str]) -> tuple[Group, ...]:
    """Keep what a heads-up between them, or a person, has decided; best first.

    Raises:
        ValueError: somebody named is not of that group, or twice.
    """
    found = []
    for group in groups:
        if group.key == key:
            names = {bust.entry for bust in group.busts}
            if len(set(order)) != len(order) or not set(order) <= names:
                raise ValueError(f"group {key} is {', '.join(sorted(names))}")
            group = msgspec.structs.replace(group, order=tuple(order))
        found.append(group)
    return tuple(found)


def places(
    entries: Collection[str], groups: Sequence[Group], preset: Preset, *, over: bool = False
) -> tuple[Place, ...]:
    """Derive the places, best first; who still plays has none.

    Args:
        entries: all that were ever registered, each once; a re-entry is an entry of its own.
        groups: who went out, in order.
        preset: what follows from equal stacks, and from several tables at once.
        over: no other can come: who is left has the first place; several, where a director ended it, share theirs.

    Raises:
        ValueError: somebody is out who was never entered, or twice.
    """
    known = set(entries)
    gone = [bust.entry for group in groups for bust in group.busts]
    if len(set(gone)) != len(gone) or not set(gone) <= known:
        raise ValueError("an entry went out twice, or was never entered")
    found: list[Place] = []
    place = len(known)
    for group in groups:
        for tie in reversed(_ties(group, preset)):
            first = place - len(tie.entries) + 1
            found += [Place(entry, first, place, tie.open) for entry in reversed(tie.entries)]
            place = first - 1
    alive = known - set(gone)
    if over:
        found += [Place(entry, 1, len(alive)) for entry in sorted(alive, reverse=True)]
    return tuple(reversed(found))


def undecided(groups: Sequence[Group], preset: Preset) -> tuple[tuple[str, tuple[str, ...], Open], ...]:
    """What a person must still settle: group, entries, how."""
    return tuple(
        (group.key, tie.entries, tie.open)
        for group in groups
        if len(group.busts) > 1
        for tie in _ties(group, preset)
        if tie.open is not None
    )


def _ties(group: Group, preset: Preset) -> list[_Tie]:
    """The group cut into those who tie, best first."""
    tables: dict[str, list[Bust]] = {}
    for bust in group.busts:
        tables.setdefault(bust.table, []).append(bust)
    if group.bubble and group.announced and preset.bubble_share_on_announce:
        return [_tie(group.busts)]
    rule = preset.tie_across_tables
    if rule == "tie_outside_bubble":
        rule = "starting_stack" if group.bubble else "tie"
    if len(tables) == 1 or rule == "starting_stack":
        return _by_stack(group.busts, group, preset)
    if rule == "all_share":
        return [_tie(group.busts)]
    # Several tables: the first of each share, then the second of each, …; each table by its own stacks.
    ranked = [_by_stack(busts, group, preset) for busts in tables.values()]
    found = []
    for level in range(max(map(len, ranked))):
        same = [ties[level] for ties in ranked if level < len(ties)]
        open_ = next((tie.open for tie in same if tie.open is not None), None)
        found.append(_Tie(tuple(entry for tie in same for entry in tie.entries), open_))
    return found


def _tie(busts: Iterable[Bust]) -> _Tie:
    return _Tie(tuple(sorted(bust.entry for bust in busts)))


def _by_stack(busts: Sequence[Bust], group: Group, preset: Preset) -> list[_Tie]:
    if len(busts) > 1 and any(bust.stack is None for bust in busts):
        return _settled(tuple(bust.entry for bust in busts), group, "stack_unknown")  # unknown is not zero
    found: list[_Tie] = []
    for stack in sorted({bust.stack or 0 for bust in busts}, reverse=True):
        entries = tuple(sorted(bust.entry for bust in busts if (bust.stack or 0) == stack))
        if len(entries) > 1 and preset.tie == "heads_up":
            found += _settled(entries, group, "heads_up")
        else:
            found.append(_Tie(entries))
    return found


def _settled(entries: tuple[str, ...], group: Group, how: Open) -> list[_Tie]:
    """Those who tie in the order decided for all of them; without it they share until it is."""
    order = [name for name in group.order if name in entries]
    if len(order) < len(entries):
        return [_Tie(tuple(sorted(entries)), how)]
    return [_Tie((name,)) for name in order]
