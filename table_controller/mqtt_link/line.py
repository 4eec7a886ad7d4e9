"""One connection to the broker: paho without its own thread, driven from the link's.

A new client for every connection, because the will must carry the connection's number, and because nothing of an
old connection may be sent again behind our back: what is to be sent again, the send window decides.
"""

from __future__ import annotations

import selectors
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from table_controller.mqtt_link.settings import LinkSettings

#: Largest packet that we take: a payload of 16 KiB, its topic and properties.
LARGEST_PACKET: Final = 20 * 1024
_SESSION_TAKEN_OVER: Final = 0x8E


class Incoming(NamedTuple):
    """A message as it came. `expiry`: seconds that the broker says it has left, None when it lives for ever."""

    topic: str
    payload: bytes
    retain: bool
    expiry: int | None


class Handler(Protocol):
    """What the link does with what happens on the line; always in the link's own thread."""

    def on_message(self, message: Incoming) -> None:
        """A message came."""

    def on_confirmed(self, mid: int, refused: str) -> None:
        """The broker has a message of ours, or says why it does not take it."""

    def on_fault(self, where: str, error: Exception) -> None:
        """A handler raised: it must not end the line."""


class Wake:
    """Lets other threads interrupt the link's wait."""

    def __init__(self) -> None:
        self.reader, self._writer = socket.socketpair()
        self.reader.setblocking(False)
        self._writer.setblocking(False)

    def set(self) -> None:
        """Interrupts the present or the next wait."""
        try:
            self._writer.send(b"\0")
        except BlockingIOError:
            return  # it is full of wake-ups already
        except OSError:
            return  # the link is closed

    def clear(self) -> None:
        """Takes note of all interruptions so far."""
        try:
            while self.reader.recv(4096):
                pass
        except BlockingIOError:
            return

    def wait(self, seconds: float) -> None:
        """Waits without a line, until interrupted."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.reader, selectors.EVENT_READ)
            selector.select(max(0.0, seconds))
        self.clear()

    def close(self) -> None:
        """Lets both ends go."""
        self.reader.close()
        self._writer.close()


class Line:
    """A connection from its first packet to its last. Only the link's thread touches it.

    Raises:
        OSError: There is nobody at the address, or no TLS.
    """

    def __init__(self, settings: LinkSettings, will: tuple[str, bytes], handler: Handler, wake: Wake) -> None:
        self.connected = False
        self.was_connected = False
        self.subscribed = False
        self.ended = ""
        self.refused = False
        self.taken_over = False
        self._handler = handler
        self._wake = wake
        self._selector = selectors.DefaultSelector()
        self._sock: Any = None
        self._client = self._make_client(settings, will)
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 0
        properties.MaximumPacketSize = LARGEST_PACKET
        try:
            self._client.connect(
                settings.host, settings.port, settings.keepalive_s, clean_start=True, properties=properties
            )
        except BaseException:
            self._selector.close()
            raise
        self._sock = self._client.socket()
        self._selector.register(wake.reader, selectors.EVENT_READ)
        self._selector.register(self._sock, selectors.EVENT_READ | selectors.EVENT_WRITE)

    # ------------------------------------------------------------------ out

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool, expiry: int | None = None) -> int:
        """Hands a message to the line; its id comes back in `on_confirmed` (quality 1)."""
        properties = None
        if expiry is not None:
            properties = _properties(PacketTypes.PUBLISH)
            properties.MessageExpiryInterval = expiry
        return int(self._client.publish(topic, payload, qos, retain, properties).mid)

    def subscribe(self, filters: list[tuple[str, int, bool]]) -> None:
        """Asks for topics: filter, quality, and whether our own messages come back to us.

        The retain flag is asked for as published, so that a retained command shows itself also while we are online.
        """
        self._client.subscribe(
            [
                (f, SubscribeOptions(qos=qos, noLocal=not own, retainAsPublished=True))
                for f, qos, own in filters
            ]
        )

    def unsubscribe(self, topic: str) -> None:
        """Asks for a topic no more."""
        self._client.unsubscribe(topic)

    def say_goodbye(self) -> None:
        """Ends the connection properly: the broker sends no will."""
        self._client.disconnect()

    # ------------------------------------------------------------------ the wait

    def run_once(self, seconds: float) -> None:
        """Waits for the line, for a wake-up or for the time, and does what is due. Sets `ended` when it is over."""
        if self.ended:
            return
        mask = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._client.want_write() else 0)
        self._selector.modify(self._sock, mask)
        pending = getattr(self._sock, "pending", None)  # what TLS has read already makes no socket readable
        ready = dict(self._selector.select(0.0 if pending is not None and pending() else max(0.0, seconds)))
        events = {key.fileobj: mask for key, mask in ready.items()}
        if self._wake.reader in events:
            self._wake.clear()
        mask = events.get(self._sock, 0)
        if mask & selectors.EVENT_READ or (pending is not None and pending()):
            self._check(self._client.loop_read())
        if not self.ended and self._client.want_write():
            self._check(self._client.loop_write())
        if not self.ended:
            self._check(self._client.loop_misc())

    def close(self) -> None:
        """Lets the socket go, whatever state it is in."""
        self._selector.close()
        sock = self._client.socket()
        if sock is not None:
            sock.close()
        self.connected = False
        self.ended = self.ended or "closed"

    def _check(self, result: MQTTErrorCode) -> None:
        if result != MQTTErrorCode.MQTT_ERR_SUCCESS or self._client.socket() is None:
            self.connected = False
            self.ended = self.ended or mqtt.error_string(result)

    # ------------------------------------------------------------------ paho's callbacks

    def _make_client(self, settings: LinkSettings, will: tuple[str, bytes]) -> mqtt.Client:
        client = _Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"maldonne-{settings.club}-{settings.table}",
            protocol=mqtt.MQTTv5,
            reconnect_on_failure=False,
        )
        client.connect_timeout = settings.connect_timeout_s
        client.max_queued_messages_set(0)
        client.will_set(*will, qos=1, retain=True)
        if settings.username is not None:
            client.username_pw_set(settings.username, settings.password)
        if settings.tls is not None:
            client.tls_set_context(settings.tls.context())
        client.on_socket_open = _without_delay
        client.on_socket_register_write = _nothing  # makes paho leave the writing to us
        client.on_connect = self._guarded("on_connect", self._on_connect)
        client.on_disconnect = self._guarded("on_disconnect", self._on_disconnect)
        client.on_message = self._guarded("on_message", self._on_message)
        client.on_publish = self._guarded("on_publish", self._on_publish)
        client.on_subscribe = self._guarded("on_subscribe", self._on_subscribe)
        return client

    def _guarded(self, where: str, handle: Callable[..., None]) -> Callable[..., None]:
        """paho drops what it was doing when a callback raises, and its thread with it."""

        def call(*arguments: Any) -> None:
            try:
                handle(*arguments)
            except Exception as error:  # whatever it is, the line goes on and a person hears of it
                self._handler.on_fault(where, error)

        return call

    def _on_connect(
        self, client: mqtt.Client, data: Any, flags: Any, reason: ReasonCode, properties: Any
    ) -> None:
        if reason.is_failure:
            self.refused = True
            self.ended = f"the broker refuses us: {reason}"
        else:
            self.connected = self.was_connected = True

    def _on_disconnect(
        self, client: mqtt.Client, data: Any, flags: Any, reason: ReasonCode, properties: Any
    ) -> None:
        self.connected = False
        self.taken_over = reason.value == _SESSION_TAKEN_OVER
        self.ended = self.ended or str(reason)

    def _on_message(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        expiry = getattr(message.properties, "MessageExpiryInterval", None)
        self._handler.on_message(
            Incoming(message.topic, bytes(message.payload), bool(message.retain), expiry)
        )

    def _on_publish(
        self, client: mqtt.Client, data: Any, mid: int, reason: ReasonCode, properties: Any
    ) -> None:
        self._handler.on_confirmed(mid, str(reason) if reason.is_failure else "")

    def _on_subscribe(
        self, client: mqtt.Client, data: Any, mid: int, reasons: list[ReasonCode], properties: Any
    ) -> None:
        self.subscribed = True
        for reason in reasons:
            if reason.is_failure:
                raise PermissionError(f"a subscription was refused: {reason}")


class _Client(mqtt.Client):
    """paho leaves the socket of a failed TLS handshake to the garbage collector; here it is closed at once."""

    def _ssl_wrap_socket(self, tcp_sock: socket.socket) -> ssl.SSLSocket:
        if self._ssl_context is None:
            raise ValueError("there is no TLS context")
        line = self._ssl_context.wrap_socket(
            tcp_sock, server_hostname=self._host, do_handshake_on_connect=False
        )
        try:
            line.settimeout(self.connect_timeout)
            line.do_handshake()
        except BaseException:
            line.close()
            raise
        return line


def _properties(packet: int) -> Properties:
    return Properties(packet)  # type: ignore[no-untyped-call]


def _nothing(client: mqtt.Client, data: Any, sock: Any) -> None:
    return


def _without_delay(client: mqtt.Client, data: Any, sock: Any) -> None:
    """Small packets leave at once; Nagle's algorithm would hold one back for up to 40 ms."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
