"""What comes in: checked, refused or put on the table's queue as a typed object. Runs in the link's thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

from table_controller import messages as m
from table_controller.mqtt_link.line import Incoming
from table_controller.mqtt_link.news import (
    CommandArrived,
    DesiredArrived,
    HubAcked,
    HubSeen,
    Inbox,
    LinkAlarm,
    ResponseArrived,
    TournamentSaid,
)

#: One alarm of a kind and place is told again only after this many seconds.
ALARM_SILENCE_S: Final = 600.0
#: Commands that are remembered, so that one delivered twice is done once.
REMEMBERED_COMMANDS: Final = 256


class Alarms:
    """Tells a person once, not a thousand times: the same thing at the same place is told again after ten minutes."""

    def __init__(self, inbox: Inbox, clock: Callable[[], float]) -> None:
        self._inbox = inbox
        self._clock = clock
        self._told: OrderedDict[tuple[str, str], float] = OrderedDict()

    def tell(self, code: str, what: str, where: str, hint: str) -> None:
        """Puts an alarm on the queue, unless it stands there already."""
        now, key = self._clock(), (code, where)
        last = self._told.get(key)
        if last is not None and now - last < ALARM_SILENCE_S:
            return
        self._told[key] = now
        self._told.move_to_end(key)
        while len(self._told) > 500:
            self._told.popitem(last=False)
        self._inbox.put(LinkAlarm(code, what, where, hint))


class Actions(Protocol):
    """What a message can make the link do."""

    def replay(self, command: m.Replay) -> m.Reply:
        """Sends the stream again from a number on."""

    def reply(self, verb: str, reply: m.Reply) -> None:
        """Answers a command."""

    def hub_has(self, upto_seq: int) -> None:
        """Moves the send window on."""

    def contradict(self) -> None:
        """Says again that we are here."""

    def sweep_alert(self, alert_id: str) -> None:
        """Empties an alert that nobody here has raised."""

    def settle(self, kind: str, response: m.Response) -> bool:
        """Takes a response; False when nobody waits for it."""


class Reception:
    """Judges every incoming message.

    Args:
        club: Whose topics.
        table: Our id.
        life: Our journal's id.
        boot: This start's number.
        desired_version: The (epoch, rev) of the document that the journal holds.
        inbox: The table's queue.
        alarms: Where what is wrong is told.
        actions: The link.
    """

    def __init__(
        self,
        club: str,
        table: str,
        life: str,
        boot: int,
        desired_version: tuple[int, int] | None,
        inbox: Inbox,
        alarms: Alarms,
        actions: Actions,
    ) -> None:
        self.hub_online = False
        self.refused = 0
        self.conn = 0
        self._heard_ourselves = False
        self._identity = (life, boot)
        self._place = (club, table)
        self._desired_version = desired_version
        self._desired_payload: bytes | None = None
        self._inbox = inbox
        self._alarms = alarms
        self._actions = actions
        self._commands: OrderedDict[str, m.Reply | None] = OrderedDict()

    def take(self, message: Incoming) -> None:
        """Does what a message says, or refuses it with an alarm; never raises for what came in."""
        try:
            address = m.topics.parse(message.topic)
            if address.club != self._place[0] or address.table not in ("", self._place[1]):
                raise m.BadTopic("another table's message", where=message.topic)
            self._by_kind(address, message)
        except m.MessageError as error:
            self._refuse(error.code, error.what, message.topic, error.hint)

    def _by_kind(self, address: m.Address, message: Incoming) -> None:
        match address.kind:
            case "desired":
                self._desired(message)
            case "command":
                self._command(address.leaf, message)
            case "response":
                self._response(address.leaf, message)
            case "hub_status":
                self._hub_status(message)
            case "hub_ack":
                self._hub_ack(message)
            case "status":
                self._own_status(message)
            case "alert":
                if message.retain and message.payload:
                    self._actions.sweep_alert(address.leaf)
            case "tournament":
                self._tournament(address, message)
            case _:
                raise m.BadTopic("nothing that a table reads", where=message.topic)

    # ------------------------------------------------------------------ the hub

    def _desired(self, message: Incoming) -> None:
        """A lower (epoch, rev) is ignored, so that a second hub or an old backup cannot roll a table back."""
        if not message.payload:
            return  # the hub has cleared the topic: what we hold stays what we hold
        desired = m.decode(message.payload, m.Desired, where=message.topic)
        held = self._desired_version
        if held is not None and desired.version < held:
            return
        if desired.version == held:
            if self._desired_payload not in (None, message.payload):
                self._refuse(
                    "desired_conflict",
                    f"two different documents are numbered {desired.version}",
                    message.topic,
                    "two hubs are running, or one was set back: stop one of them",
                )
            return
        self._desired_version, self._desired_payload = desired.version, message.payload
        self._inbox.put(DesiredArrived(desired))

    def _hub_status(self, message: Incoming) -> None:
        if not message.payload:
            return
        status = m.decode(message.payload, m.HubStatus, where=message.topic)
        self.hub_online = status.online
        self._inbox.put(HubSeen(status))

    def _hub_ack(self, message: Incoming) -> None:
        if not message.payload:
            return
        ack = m.decode(message.payload, m.HubAck, where=message.topic)
        if ack.life != self._identity[0]:
            return  # of a journal that this table had before
        self._actions.hub_has(ack.upto_seq)
        self._inbox.put(HubAcked(ack.upto_seq))

    def _response(self, kind: str, message: Incoming) -> None:
        if message.retain:
            self._refuse_retained(message.topic)
            return
        response = m.decode(message.payload, m.Response, where=message.topic)
        if self._actions.settle(kind, response):
            self._inbox.put(ResponseArrived(kind, response))

    def _tournament(self, address: m.Address, message: Incoming) -> None:
        if message.payload:
            said = m.decode(message.payload, m.TOURNAMENT_FORMS[address.leaf], where=message.topic)
            self._inbox.put(TournamentSaid(address.tournament, address.leaf, said))

    # ------------------------------------------------------------------ commands

    def _command(self, verb: str, message: Incoming) -> None:
        """Only a fresh command is done, and only once, however often it is delivered."""
        if message.retain:
            if message.payload:
                self._refuse_retained(message.topic)
            return
        form = m.COMMAND_FORMS.get(verb)
        if form is None:
            raise m.BadTopic(f"there is no command {verb!r}", where=message.topic)
        command = m.decode(message.payload, form, where=message.topic)
        if message.expiry is None or message.expiry > m.COMMAND_EXPIRY_S:
            what = f"a command must expire within {m.COMMAND_EXPIRY_S} s"
            self._refuse(
                "command_no_expiry", what, message.topic, "the sender must set the message expiry interval"
            )
            self._actions.reply(verb, m.Reply(tx=command.tx, ok=False, code="command_no_expiry", hint=what))
            return
        if command.tx in self._commands:
            answered = self._commands[command.tx]
            if answered is not None:
                self._actions.reply(verb, answered)
            return
        self._commands[command.tx] = None
        while len(self._commands) > REMEMBERED_COMMANDS:
            self._commands.popitem(last=False)
        if isinstance(command, m.Replay):
            self._actions.reply(verb, self._actions.replay(command))
        else:
            self._inbox.put(CommandArrived(verb, command))

    def answered(self, reply: m.Reply) -> None:
        """Remembers what a command was answered, for the case that it is delivered again."""
        if reply.tx in self._commands:
            self._commands[reply.tx] = reply

    # ------------------------------------------------------------------ ourselves

    def _own_status(self, message: Incoming) -> None:
        """A will of an earlier connection may come late; we are the ones who know that we are here.

        What was kept before we first spoke may be of an earlier start or journal. After that, nobody else may speak
        for this table.
        """
        if not message.payload:
            self._actions.contradict()
            return
        status = m.decode(message.payload, m.TableStatus, where=message.topic)
        ours = (status.life, status.boot) == self._identity and status.conn <= self.conn
        if ours and status.state != "lost":
            self._heard_ourselves = True
            return
        if not ours and self._heard_ourselves:
            self._refuse(
                "table_twice",
                f"another program speaks for table {self._place[1]} (life {status.life}, start {status.boot})",
                message.topic,
                "one table, one controller: give the other one its own id",
            )
        if status.state == "lost":
            self._actions.contradict()

    # ------------------------------------------------------------------ refusals

    def _refuse_retained(self, topic: str) -> None:
        self._refuse(
            "command_retained",
            "a command or response was kept by the broker; it was not obeyed",
            topic,
            "somebody publishes with the retain flag: clear the topic and find out who",
        )

    def _refuse(self, code: str, what: str, where: str, hint: str) -> None:
        self.refused += 1
        self._alarms.tell(code, what, where[:200], hint)
