"""Where each message goes: topics as functions of club and table, and back again.

`ANY` in place of a table or id gives the subscription filter of all of them. Anything else must be an id, so
that no `+`, `#`, `/` or `$` from a configuration file can widen a topic.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from table_controller.messages.errors import BadTopic
from table_controller.messages.vocabulary import ID_PATTERN, MAJOR

#: Any one table, id, kind or verb, in a subscription filter.
ANY: Final = "+"
#: Everything below, in a subscription filter.
ALL_BELOW: Final = "#"
#: A command dies in the broker after this many seconds at the latest.
COMMAND_EXPIRY_S: Final = 30
#: A table sends a heartbeat this often, in seconds.
HEARTBEAT_S: Final = 5.0

COMMANDS: Final = ("replay", "identify", "reprint", "runout_release")
TOURNAMENT_PARTS: Final = ("clock", "structure", "info", "standings", "moves", "payouts", "announce")

Kind = Literal[
    "hub_status",
    "hub_ack",
    "status",
    "birth",
    "state",
    "event",
    "heartbeat",
    "alert",
    "request",
    "response",
    "desired",
    "command",
    "reply",
    "tournament",
    "public",
]


class Delivery(NamedTuple):
    """How one kind of message travels: MQTT quality of service, and whether the broker keeps the last one."""

    qos: int
    retain: bool


#: State is retained, events and commands never.
DELIVERY: Final[dict[Kind, Delivery]] = {
    "hub_status": Delivery(1, True),
    "hub_ack": Delivery(1, True),
    "status": Delivery(1, True),
    "birth": Delivery(1, True),
    "state": Delivery(1, True),
    "event": Delivery(1, False),
    "heartbeat": Delivery(0, False),
    "alert": Delivery(1, True),
    "request": Delivery(1, False),
    "response": Delivery(1, False),
    "desired": Delivery(1, True),
    "command": Delivery(1, False),
    "reply": Delivery(1, False),
    "tournament": Delivery(1, True),
    "public": Delivery(1, True),
}
#: `tournament/<id>/announce` is said once, not kept.
ANNOUNCE_DELIVERY: Final = Delivery(1, False)


class Address(NamedTuple):
    """What a topic says: the kind of message, whose it is, and the last word.

    `table` is empty for the hub's own, for tournaments and for public topics. `leaf` is the alert's id, the
    request's kind, the command's verb, the tournament's part, or the public path.
    """

    club: str
    kind: Kind
    table: str = ""
    leaf: str = ""
    tournament: str = ""


_ID = re.compile(ID_PATTERN)
_PLAIN: Final = ("status", "birth", "state", "event", "heartbeat", "desired")
_LEAFED: Final = ("alert", "request", "response", "command", "reply")


def is_id(text: str) -> bool:
    """Whether a text may stand in a topic as club, table, alert or tournament."""
    return _ID.fullmatch(text) is not None


def _id(text: str, what: str) -> str:
    if text != ANY and not is_id(text):
        raise BadTopic(f"{text!r} cannot be a {what}", where="topic")
    return text


def root(club: str) -> str:
    """The root of a club's topics; the number is the major version.

    Raises:
        BadTopic: The club's id may not stand in a topic.
    """
    if not is_id(club):
        raise BadTopic(f"{club!r} cannot be a club", where="topic")
    return f"maldonne/{MAJOR}/{club}"


def hub_status(club: str) -> str:
    """Whether the tournament room is there."""
    return f"{root(club)}/hub/status"


def hub_ack(club: str, table: str) -> str:
    """Up to where the hub has committed this table's events."""
    return f"{root(club)}/hub/ack/{_id(table, 'table')}"


def _table(club: str, table: str, *rest: str) -> str:
    return "/".join((root(club), "table", _id(table, "table"), *rest))


def status(club: str, table: str) -> str:
    """Whether the table is there; also its last will."""
    return _table(club, table, "status")


def birth(club: str, table: str) -> str:
    """Who the table is: software, devices, seats, outbox."""
    return _table(club, table, "birth")


def state(club: str, table: str) -> str:
    """The table's full public snapshot."""
    return _table(club, table, "state")


def event(club: str, table: str) -> str:
    """The table's ordered public event stream: one topic for all types."""
    return _table(club, table, "event")


def heartbeat(club: str, table: str) -> str:
    """The table's sign of life."""
    return _table(club, table, "heartbeat")


def alert(club: str, table: str, alert_id: str) -> str:
    """Something that needs a person; emptied when somebody has taken it."""
    return _table(club, table, "alert", _id(alert_id, "alert"))


def request(club: str, table: str, kind: str) -> str:
    """What the table asks of the hub."""
    return _table(club, table, "request", _id(kind, "request"))


def response(club: str, table: str, kind: str) -> str:
    """What the hub answers."""
    return _table(club, table, "response", _id(kind, "request"))


def desired(club: str, table: str) -> str:
    """What the hub wants the table to be."""
    return _table(club, table, "desired")


def command(club: str, table: str, verb: str) -> str:
    """What the hub wants done once, now or never."""
    return _table(club, table, "command", _id(verb, "command"))


def reply(club: str, table: str, verb: str) -> str:
    """What the table says to a command."""
    return _table(club, table, "reply", _id(verb, "command"))


def tournament(club: str, tournament_id: str, part: str) -> str:
    """One part of a tournament, for tables and displays.

    Raises:
        BadTopic: There is no such part.
    """
    if part != ANY and part not in TOURNAMENT_PARTS:
        raise BadTopic(
            f"a tournament has no {part!r}", where="topic", hint=f"one of {', '.join(TOURNAMENT_PARTS)}"
        )
    return f"{root(club)}/tournament/{_id(tournament_id, 'tournament')}/{part}"


def public(club: str, *path: str) -> str:
    """What any display may read; `public(club, ALL_BELOW)` is the displays' filter.

    Raises:
        BadTopic: Nothing was named, or a part may not stand in a topic.
    """
    if not path:
        raise BadTopic("a public topic needs a name", where="topic")
    last = len(path) - 1
    parts = [p if p == ALL_BELOW and n == last else _id(p, "public topic") for n, p in enumerate(path)]
    return "/".join((root(club), "public", *parts))


def parse(topic: str) -> Address:
    """Reads a topic back.

    Raises:
        BadTopic: It is not one of ours, of another major version, or holds something that is no id.
    """
    parts = topic.split("/")
    if len(parts) < 5 or parts[0] != "maldonne" or parts[1] != str(MAJOR):
        raise BadTopic("not a topic of this major version", where=topic[:200])
    if not all(is_id(part) for part in parts[2:]):
        raise BadTopic("a part is not an id", where=topic[:200])
    club, branch, rest = parts[2], parts[3], parts[4:]
    match branch, rest:
        case "hub", ["status"]:
            return Address(club, "hub_status")
        case "hub", ["ack", table]:
            return Address(club, "hub_ack", table)
        case "table", [table, word] if word in _PLAIN:
            return Address(club, _KIND_OF[word], table)
        case "table", [table, word, leaf] if word in _LEAFED:
            return Address(club, _KIND_OF[word], table, leaf)
        case "tournament", [tournament_id, part] if part in TOURNAMENT_PARTS:
            return Address(club, "tournament", leaf=part, tournament=tournament_id)
        case "public", [*_]:
            return Address(club, "public", leaf="/".join(rest))
    raise BadTopic("no message has this topic", where=topic[:200])


_KIND_OF: Final[dict[str, Kind]] = {
    "status": "status",
    "birth": "birth",
    "state": "state",
    "event": "event",
    "heartbeat": "heartbeat",
    "desired": "desired",
    "alert": "alert",
    "request": "request",
    "response": "response",
    "command": "command",
    "reply": "reply",
}
