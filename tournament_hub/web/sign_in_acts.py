"""What the person at the door does, on the hub's thread: who is here, who is awaited, the draw, the start.

Every act is checked as a whole before any of it is recorded, and all its records have one cause, so that one tap takes it
back. An act says what is wanted, never "the other way round": two phones that tap the same name at once give one entry,
and the second one is told so.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, seating
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Entry, Place, State, open_tables
from tournament_hub.room import Room
from tournament_hub.store_people import Person, drop_person, people, save_person
from tournament_hub.web.deciding import tournament_of

CAUSE: Final = "sign-in:"
"""What the causes of the door's records begin with."""
NAME_LENGTH: Final = 60
NUMBER_LENGTH: Final = 20
Fact = Literal["paid", "adult"]
_replace = msgspec.structs.replace


class Offer(Struct, frozen=True):
    """A further button of a notice: its text, and the fields that it sends."""

    name: str
    fields: Mapping[str, str]
    values: Mapping[str, object] = {}


class Notice(Struct, frozen=True, kw_only=True):
    """What the person at the door is told.

    Attributes:
        name: the text, ``sign_in.said.…`` or ``sign_in.refused.…``; ``values`` fill it, ``place`` among them is said as
            a place, ``count`` chooses singular or plural.
        tone: ``good warn bad``.
        person: whom it is about.
        offers: what may be done about it.
    """

    name: str
    values: Mapping[str, object] = {}
    count: int | None = None
    tone: Literal["good", "warn", "bad"] = "good"
    person: str = ""
    offers: tuple[Offer, ...] = ()


class Door:
    """The door of one tournament during one act; inside the store's transaction.

    Args:
        room: the club's room.
        tournament: which one.
        by: who is at the door: the name of the phone.
        now: seconds on the hub's clock.
        season: for which membership is asked.

    Raises:
        UnknownTournament: the room has no such tournament.
    """

    def __init__(self, room: Room, tournament: str, by: str, now: float, season: str) -> None:
        self.directing = tournament_of(room, tournament)
        self.store = room.store
        self._room = room
        self._by = by
        self._now = now
        self.utc = room.utc
        self._season = season

    @property
    def state(self) -> State:
        """The tournament as it is now."""
        return self.directing.state

    @property
    def elsewhere(self) -> frozenset[str]:
        """Tables of the room that are none of this tournament's."""
        named = {name for found in self._room.tournaments.values() for name in found.state.tables}
        return frozenset(named | self._room.tables.keys()) - self.state.tables.keys()

    # -- one person ------------------------------------------------------------------

    def arrive(self, person: str, *, complete: bool = False, anyway: bool = False) -> Notice:
        """Somebody is here; before the draw he waits for a seat, afterwards he gets one at once.

        Args:
            person: pseudonym.
            complete: his membership is in order and he is of age, both at once.
            anyway: although late entry is over.

        Raises:
            Refused: it does not fit; nothing has changed.
        """
        held = self._person(person)
        entry = entry_of(self.state, person)
        events: tuple[ev.Event, ...] = ()
        if entry is not None and entry.where != "out":
            if entry.absent:
                events = (ev.Presence(entry=entry.id, absent=False),)
        else:
            events = self._let_in(self._entering(person, again=entry is not None), anyway)
        self.say(events)
        if held is not None and (complete or events):
            if complete:
                held = _replace(held, paid_up=self._season, adult=True)
            save_person(self.store, held, self.utc)
        return self._told(person, "arrived" if events else "already")

    def expect(self, person: str) -> Notice:
        """Somebody is awaited: he gets a seat and is absent until he comes.

        Raises:
            Refused: it does not fit; nothing has changed.
        """
        held = self._person(person)
        entry = entry_of(self.state, person)
        events: tuple[ev.Event, ...] = ()
        if entry is None or entry.where == "out":
            events = self._entering(person, again=entry is not None, absent=True)
        elif not entry.absent:
            events = (ev.Presence(entry=entry.id, absent=True),)
        self.say(events)
        if held is not None and events:
            save_person(self.store, held, self.utc)
        return self._told(person, "expected")

    def withdraw(self, person: str) -> Notice:
        """An entry was a mistake: no seat, no place.

        Raises:
            Refused: it has played.
        """
        entry = entry_of(self.state, person)
        if entry is None:
            return self._told(person, "not_in", "warn")
        self.say((ev.Withdrawn(entry=entry.id),))
        return self._told(person, "withdrawn")

    def lock(self, person: str, seat: int) -> Notice:
        """Somebody needs a certain seat, at whichever table; 0: any seat will do.

        Raises:
            Refused: he sits already, or every such seat is promised.
        """
        entry = entry_of(self.state, person)
        if self.state.started or (entry is not None and entry.where != "waiting"):
            raise Refused("not-waiting", "it sits already", where=person, hint="take the draw back first")
        mine = entry.id if entry is not None else ""
        place = self._promised(seat, mine) if seat else None
        absent = entry is None or entry.absent
        name = mine or next_entry(self.state)
        fresh = ev.Registered(entry=name, player=person, absent=absent, locked=place)
        self.say((fresh,) if entry is None else (ev.Withdrawn(entry=name), fresh))
        return self._told(person, "locked" if seat else "unlocked")

    def _promised(self, seat: int, mine: str) -> Place:
        taken = {entry.locked for entry in self.state.entries.values() if entry.id != mine}
        for table in open_tables(self.state):
            place = Place(table.id, seat)
            if seat <= table.capacity and place not in taken and seat not in table.seats:
                return place
        raise Refused("seat-taken", f"every seat {seat} is promised", where="draw", hint="add a table")

    def fact(self, person: str, fact: Fact, holds: bool) -> Notice:
        """Membership is in order this season, or he is of age; or not."""
        held = self._person(person)
        if held is None:
            return Notice(name="sign_in.said.nobody", tone="bad")
        if fact == "paid":
            held = _replace(held, paid_up=self._season if holds else "")
        else:
            held = _replace(held, adult=holds)
        save_person(self.store, held, self.utc)
        return self._told(person, f"{fact}_{'yes' if holds else 'no'}")

    def correct(self, person: str, name: str, number: str) -> Notice:
        """A name was misspelt, or a number in the club was missing."""
        held = self._person(person)
        name, number = tidy(name, NAME_LENGTH), tidy(number, NUMBER_LENGTH)
        if held is None or not name:
            return Notice(name="sign_in.said.nobody", tone="bad")
        others = [other for other in people(self.store) if other.person != person]
        if any(folded(other.name) == folded(name) for other in others):
            return Notice(name="sign_in.said.name_taken", values={"who": name}, tone="bad", person=person)
        if number and any(other.number == number for other in others):
            return Notice(
                name="sign_in.said.number_taken", values={"number": number}, tone="bad", person=person
            )
        save_person(self.store, _replace(held, name=name, number=number), self.utc)
        return self._told(person, "corrected")

    def strike(self, person: str) -> Notice:
        """A name that was put on the list today by mistake goes from it again.

        Raises:
            Refused: it has stood there longer, or is in a tournament.
        """
        held = self._person(person)
        if held is None:
            return Notice(name="sign_in.said.nobody", tone="bad")
        if held.added_utc[:10] != self.utc[:10] or self._plays(person):
            raise Refused("listed", "it has been on the list", where=person, hint="maldonne hub forget")
        drop_person(self.store, person)
        return Notice(name="sign_in.said.struck", values={"who": held.name}, person=person)

    def _plays(self, person: str) -> bool:
        entries = (e for t in self._room.tournaments.values() for e in t.state.entries.values())
        return any(entry.player == person for entry in entries)

    # -- somebody new --------------------------------------------------------------------

    def walk_in(self, name: str, *, another: bool = False, anyway: bool = False) -> Notice:
        """A name that is not on the list is put on it and is here; one that is on it is that person.

        Args:
            name: as typed.
            another: a second person of this name.
            anyway: although late entry is over.

        Raises:
            Refused: it does not fit; nothing has changed.
        """
        name = tidy(name, NAME_LENGTH)
        if not any(character.isalpha() for character in name):
            return Notice(name="sign_in.said.no_name", tone="bad")
        known = people(self.store)
        same = [person for person in known if folded(person.name) == folded(name)]
        offer = Offer("sign_in.another", {"do": "walk_in", "name": name, "another": "1"}, {"who": name})
        if same and not another:
            if len(same) > 1:
                return Notice(name="sign_in.said.several", values={"who": name}, tone="warn")
            entry = entry_of(self.state, same[0].person)
            if entry is not None and entry.where != "out":
                said = "already" if not entry.absent else "arrived"
                notice = self.arrive(same[0].person) if entry.absent else self._told(same[0].person, said)
                return _replace(notice, offers=(offer,))
            return self.arrive(same[0].person, anyway=anyway)
        person = new_person(known)
        events = self._let_in(self._entering(person, again=False, new=True), anyway)
        self.say(events)
        save_person(self.store, Person(person, distinct(name, known)), self.utc)
        return self._told(person, "new")

    # -- taking back ----------------------------------------------------------------------

    def undo(self, cause: str) -> Notice:
        """Take one of the door's acts back, or a draw.

        Raises:
            Refused: it cannot be taken back any more.
        """
        mine = [record for record in self.directing.log if record.cause == cause]
        done = self.directing.undo_cause(cause, self._by, self._now, self.utc)
        if not done:
            raise Refused("undone", "it is undone already", where=cause, hint="nothing to do")
        came = {
            record.event.player
            for record in mine
            if isinstance(record.event, (ev.Registered, ev.LateEntered)) and record.event.new
        }
        for held in people(self.store):  # whoever came onto the list by this act alone never was there
            if held.person in came and not self._plays(held.person):
                drop_person(self.store, held.person)
        return Notice(name="sign_in.said.undone")

    def take_back(self, n: int) -> None:
        """One record of the tournament.

        Raises:
            Refused: it cannot be taken back any more.
        """
        self.directing.undo(n, self._by, self._now, self.utc)

    # -- smaller steps -----------------------------------------------------------------------

    def say(self, events: Sequence[ev.Event]) -> None:
        """All of it, or nothing; under one cause.

        Raises:
            Refused: one of them does not fit.
        """
        cause = f"{CAUSE}{len(self.directing.log) + 1}"
        self.directing.say_all(events, self._by, self._now, self.utc, cause=cause)

    def _entering(
        self, person: str, *, again: bool, absent: bool = False, new: bool = False
    ) -> tuple[ev.Event, ...]:
        state, directing = self.state, self.directing
        name = next_entry(state)
        if state.over:
            raise Refused("over", "the tournament is over", where=person, hint="undo its end first")
        seed = f"{state.settings.seed}/late/{state.rev}"
        if state.started:
            late = _replace(
                seating.late_entry(state, directing.preset, name, person, seed, again=again), new=new
            )
            return (late, ev.Presence(entry=name, absent=True)) if absent else (late,)
        entered = ev.Registered(entry=name, player=person, absent=absent, new=new)
        if not any(table.seats for table in state.tables.values()):
            return (entered,)
        # The draw is done: a seat at once.
        after = machine.apply(state, entered, directing.preset, directing.time(self._now))
        place = seating.late_place(after, directing.preset, seed)
        return (entered,) if place is None else (entered, ev.Seated(entry=name, place=place))

    def _let_in(self, events: tuple[ev.Event, ...], anyway: bool) -> tuple[ev.Event, ...]:
        """Late entry is passed for these alone."""
        if not anyway or "late" in self.state.passed:
            return events
        return ev.Passed(block="late", reason="door"), *events, ev.Passed(block="late", reason="")

    def _person(self, person: str) -> Person | None:
        return next((held for held in people(self.store) if held.person == person), None)

    def _told(self, person: str, what: str, tone: Literal["good", "warn", "bad"] = "good") -> Notice:
        """What is said of a person: by name, with his seat if he has one, and who was faster."""
        held = self._person(person)
        entry = entry_of(self.state, person)
        values: dict[str, object] = {"who": held.name if held is not None else person}
        values["place"] = entry.place if entry is not None and entry.where == "seated" else None
        if what == "already" and entry is not None:
            values |= told_before(self.directing.log, entry.id)
            tone = "warn"
        return Notice(name=f"sign_in.said.{what}", values=values, tone=tone, person=person)


def entry_of(state: State, person: str) -> Entry | None:
    """A person's entry that is in; else his last one."""
    mine = [entry for entry in state.entries.values() if entry.player == person]
    return next((entry for entry in mine if entry.where != "out"), mine[-1] if mine else None)


def next_entry(state: State) -> str:
    """An entry id that nobody has: ``e12``."""
    return f"e{1 + max((int(name[1:]) for name in state.entries if re.fullmatch(r'e[0-9]{1,9}', name)), default=0)}"


def told_before(log: Sequence[ev.Record], entry: str) -> dict[str, object]:
    """Who said last that an entry is here, and when (a wall clock's hours and minutes)."""
    for record in reversed(log):
        match record.event:
            case ev.Registered(entry=name) | ev.LateEntered(entry=name) | ev.Presence(entry=name):
                if name == entry:
                    return {"by": record.by, "utc": record.utc}
    return {"by": "?", "utc": ""}


# -- names ---------------------------------------------------------------------------------


def new_person(known: Iterable[Person]) -> str:
    """A pseudonym that nobody has."""
    taken = {person.person for person in known}
    while True:
        found = f"p-{secrets.token_hex(4)}"
        if found not in taken:
            return found


def distinct(name: str, known: Iterable[Person]) -> str:
    """The name, with a number where somebody else has it: two people must be told apart on a list.

    >>> distinct("Jean Martin", [Person("p-1", "jean martin")])
    'Jean Martin (2)'
    """
    taken = {folded(person.name) for person in known}
    number, found = 1, name
    while folded(found) in taken:
        number += 1
        found = f"{name} ({number})"
    return found


def tidy(text: str, longest: int) -> str:
    """A typed line: no line breaks or signs that nobody sees, single blanks."""
    seen = "".join(
        c if unicodedata.category(c)[0] not in "CZ" else " " for c in unicodedata.normalize("NFC", text)
    )
    return " ".join(seen.split())[:longest].strip()


def folded(name: str) -> str:
    """A name without accents and capitals, as somebody in a hurry types it.

    >>> folded("Zoé  D’Almeida-Núñez")
    'zoe d almeida nunez'
    """
    bare = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(
        c if c.isalnum() or c == "(" or c == ")" else " " for c in bare if not unicodedata.combining(c)
    )
    return " ".join(kept.split())
