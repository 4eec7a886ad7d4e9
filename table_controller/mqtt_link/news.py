"""What the link puts on the table's queue: everything that comes from outside, already checked and typed."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import msgspec

from table_controller import messages as m


class News(msgspec.Struct, frozen=True):
    """Something that the link has to tell the table's loop."""


class Connected(News, frozen=True):
    """The broker has taken us; birth, status and state go out now. `conn` numbers this connection."""

    conn: int


class Disconnected(News, frozen=True):
    """The broker is gone, or does not let us in; told once until the next `Connected`."""

    reason: str


class DesiredArrived(News, frozen=True):
    """The hub's document, newer than the one held."""

    desired: m.Desired


class CommandArrived(News, frozen=True):
    """A command, fresh and not retained; the table answers with `reply(verb, ...)`. `replay` never comes here."""

    verb: str
    command: m.Command


class HubSeen(News, frozen=True):
    """Whether the tournament room is there."""

    status: m.HubStatus


class HubAcked(News, frozen=True):
    """The hub has committed the events up to this one: `journal.ack(upto_seq)`."""

    upto_seq: int


class ResponseArrived(News, frozen=True):
    """The hub's answer to a request of ours."""

    kind: str
    response: m.Response


class RequestExpired(News, frozen=True):
    """Nobody answered in time; the person who asked must hear of it."""

    kind: str
    request: m.Request


class TournamentSaid(News, frozen=True):
    """A part of the tournament that this table follows."""

    tournament: str
    part: str
    message: m.Part


class HeartbeatDue(News, frozen=True):
    """The table's loop is asked to prove that it lives: `beat(...)`."""


class OutboxWanted(News, frozen=True):
    """The link can take more events: `hand_over(link, journal)`."""


class LinkAlarm(News, frozen=True):
    """Something that a person should see: what, where, and the next step. The link goes on."""

    code: str
    what: str
    where: str
    hint: str


LinkNews: TypeAlias = (
    Connected
    | Disconnected
    | DesiredArrived
    | CommandArrived
    | HubSeen
    | HubAcked
    | ResponseArrived
    | RequestExpired
    | TournamentSaid
    | HeartbeatDue
    | OutboxWanted
    | LinkAlarm
)


class Inbox(Protocol):
    """The table's queue."""

    def put(self, item: LinkNews, /) -> object:
        """Takes one piece of news; must not block."""


class LinkHealth(msgspec.Struct, frozen=True, kw_only=True):
    """How the link stands: for the heartbeat, the dealer's page and `doctor`.

    Attributes:
        connected: The broker has taken us.
        conn: Number of the present or last connection attempt.
        hub_online: The hub said so last.
        head: The table's last event. `sent_upto`: the broker has those. `acked_upto`: the hub has those.
        resent: How often a silent hub made the link send again.
        refused: Messages that were dropped because they were malformed, retained or too old.
    """

    connected: bool
    conn: int
    hub_online: bool
    head: int
    sent_upto: int
    acked_upto: int
    resent: int
    refused: int
