"""The hub's line to the broker: MQTT 5, manual acknowledgement, and nothing but a queue behind the callbacks.

A message is acknowledged at the broker only after the hub has committed it. What is lost all the same is asked for
again from the table, whose outbox keeps it until the hub's own acknowledgement: the broker is transport, not record.

While the broker is away nothing is queued here: everything that it should keep is sent whole at each connection.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from table_controller import messages as m
from tournament_hub.config import Broker
from tournament_hub.effects import Inbound, Outbound
from tournament_hub.errors import ConfigError

KEEP_ALIVE = 20
"""Seconds between signs of life on the line."""
RETRY_MIN, RETRY_MAX = 1, 15
CONNECT_TIMEOUT = 4.0
WINDOW = 500
"""Messages that may be under way to us unacknowledged."""
SESSION = 3600
"""Seconds for which the broker keeps what comes while the hub is away."""
LARGEST_QUEUE = 20_000
"""Messages that may wait for the hub's thread."""
LARGEST = 20 * 1024
"""Bytes of the largest packet that we take: a payload of 16 KiB and its topic."""
STOP_DEADLINE = 10.0


@dataclass(frozen=True)
class LineUp:
    """The broker is reached and has taken our subscriptions; ``conn`` numbers this connection."""

    conn: int


@dataclass(frozen=True)
class LineDown:
    """The broker is not reached (any more); ``refused``: it was, and does not let us in."""

    reason: str
    refused: bool


LinkNews = Inbound | LineUp | LineDown


class Link:
    """One connection to the broker, tried again for ever.

    Args:
        broker: where it is.
        club: whose topics.
        epoch: which start of the hub this is; said in ``hub/status``.
        inbox: where everything that comes is put.
        utc: the wall clock as text, a label for people.

    Raises:
        ConfigError: password or certificates cannot be read.
    """

    def __init__(
        self, broker: Broker, club: str, epoch: int, inbox: queue.SimpleQueue[Any], utc: Callable[[], str]
    ) -> None:
        self._broker = broker
        self._club = club
        self._epoch = epoch
        self._inbox = inbox
        self._utc = utc
        self._conn = 0
        self._up = False
        self._subscribe_mid: int | None = None
        self._dropped = 0
        self._dropped_lock = threading.Lock()
        self._client: mqtt.Client | None = self._make_client()

    def start(self) -> None:
        """Begin to connect in the background; returns at once, also without a broker."""
        client = self._client
        if client is not None:
            properties = _properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = SESSION
            properties.ReceiveMaximum = WINDOW
            properties.MaximumPacketSize = LARGEST
            client.connect_async(
                self._broker.host, self._broker.port, KEEP_ALIVE, clean_start=False, properties=properties
            )
            client.loop_start()

    def close(self) -> None:
        """Say that the hub leaves, end the connection and join its thread. May be called twice."""
        client, self._client = self._client, None
        if client is None:
            return
        if self._up:
            sent = client.publish(*self._status_message(online=False), qos=1, retain=True)
            # The broker may die in this moment: the will, or the next start, says the same.
            try:
                sent.wait_for_publish(2.0)
            except (RuntimeError, ValueError):
                self._up = False
        client.disconnect()
        client.loop_stop()

    def subscribe(self) -> None:
        """Ask for everything (again): the broker sends all that it keeps, then a ``LineUp`` follows."""
        client = self._client
        if client is not None:
            _, self._subscribe_mid = client.subscribe(self._subscriptions())

    def send(self, messages: list[Outbound]) -> bool:
        """Send what goes out; False when the line is down and nothing was sent."""
        client = self._client
        if client is None or not self._up:
            return False
        for message in messages:
            delivery = m.DELIVERY[message.kind]
            properties = None
            if message.kind in ("command", "response"):
                properties = _properties(PacketTypes.PUBLISH)
                properties.MessageExpiryInterval = m.COMMAND_EXPIRY_S
            retain = delivery.retain and not message.once
            client.publish(message.topic, message.payload, delivery.qos, retain, properties)
        return True

    def acknowledge(self, message: Inbound) -> None:
        """Tell the broker that a message is committed; one of an earlier connection will come again anyway."""
        client = self._client
        if client is not None and message.qos and message.conn == self._conn:
            client.ack(message.mid, message.qos)

    def take_dropped(self) -> int:
        """How many messages found the queue full since the last question."""
        with self._dropped_lock:
            dropped, self._dropped = self._dropped, 0
        return dropped

    # -- paho's thread ------------------------------------------------------------

    def _make_client(self) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"maldonne-hub-{self._club}",
            protocol=mqtt.MQTTv5,
            manual_ack=True,
        )
        client.connect_timeout = CONNECT_TIMEOUT
        client.reconnect_delay_set(RETRY_MIN, RETRY_MAX)
        client.max_inflight_messages_set(WINDOW)
        client.max_queued_messages_set(0)
        if self._broker.user is not None:
            client.username_pw_set(self._broker.user, self._password())
        tls = self._broker.tls
        if tls is not None:
            try:
                client.tls_set(tls.ca, tls.certificate, tls.key, tls_version=ssl.PROTOCOL_TLS_CLIENT)
            except (OSError, ValueError) as error:
                raise ConfigError(f"certificate: {error}", where=tls.ca, hint="check [broker.tls]") from error
        client.on_pre_connect = self._on_pre_connect
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.on_socket_open = _without_delay
        return client

    def _password(self) -> str | None:
        path = self._broker.password_file
        if path is None:
            return None
        try:
            return Path(path).read_text(encoding="utf-8").splitlines()[0]
        except (OSError, IndexError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"password: {error}", where=path, hint="put it on the file's first line"
            ) from error

    def _status_message(self, *, online: bool) -> tuple[str, bytes]:
        status = m.HubStatus(online=online, epoch=self._epoch, conn=self._conn, utc=self._utc())
        return m.topics.hub_status(self._club), m.encode(status)

    def _on_pre_connect(self, client: mqtt.Client, userdata: Any) -> None:
        """Every connection has its own number, in its will too, so that an old will cannot speak for a new one."""
        self._conn += 1
        client.will_set(*self._status_message(online=False), qos=1, retain=True)

    def _on_connect(
        self, client: mqtt.Client, userdata: Any, flags: Any, reason: ReasonCode, properties: Any
    ) -> None:
        if reason.is_failure:
            self._put(LineDown(str(reason), refused=True))
            return
        self.subscribe()

    def _on_subscribe(
        self, client: mqtt.Client, userdata: Any, mid: int, reasons: list[ReasonCode], properties: Any
    ) -> None:
        if mid != self._subscribe_mid:
            return
        refused = [str(reason) for reason in reasons if reason.is_failure]
        if refused:
            self._put(LineDown(f"subscription: {refused[0]}", refused=True))
            return
        client.publish(*self._status_message(online=True), qos=1, retain=True)
        self._up = True
        self._put(LineUp(self._conn))

    def _on_connect_fail(self, client: mqtt.Client, userdata: Any) -> None:
        self._put(LineDown("unreachable", refused=False))

    def _on_disconnect(
        self, client: mqtt.Client, userdata: Any, flags: Any, reason: ReasonCode, properties: Any
    ) -> None:
        self._up = False
        self._put(LineDown(str(reason), refused=False))

    def _on_message(self, client: mqtt.Client, userdata: Any, message: mqtt.MQTTMessage) -> None:
        self._put(
            Inbound(
                topic=message.topic,
                payload=bytes(message.payload),
                retain=message.retain,
                qos=message.qos,
                mid=message.mid,
                conn=self._conn,
            )
        )

    def _put(self, news: LinkNews) -> None:
        """Never blocks the line: what finds no room is counted, and the table will be asked for it again."""
        if isinstance(news, Inbound) and self._inbox.qsize() >= LARGEST_QUEUE:
            with self._dropped_lock:
                self._dropped += 1
            return
        self._inbox.put(news)

    def _subscriptions(self) -> list[tuple[str, SubscribeOptions]]:
        """The retain flag is asked for as published: a retained event must be seen as such."""
        topics, club, every = m.topics, self._club, m.ANY
        filters = {
            topics.hub_status(club): 1,
            topics.status(club, every): 1,
            topics.birth(club, every): 1,
            topics.state(club, every): 1,
            topics.event(club, every): 1,
            topics.heartbeat(club, every): 0,
            topics.alert(club, every, every): 1,
            topics.request(club, every, every): 1,
            topics.reply(club, every, every): 1,
        }
        return [
            (topic, SubscribeOptions(qos=qos, retainAsPublished=True, noLocal=True))
            for topic, qos in filters.items()
        ]


def _properties(packet: int) -> Properties:
    return Properties(packet)  # type: ignore[no-untyped-call]


def _without_delay(client: mqtt.Client, userdata: Any, sock: Any) -> None:
    """Small packets leave at once."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
