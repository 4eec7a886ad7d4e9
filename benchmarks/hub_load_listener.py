"""A bare subscriber for ``hub_load``: says when each event came, and does nothing else with it."""

from __future__ import annotations

import socket
import sys
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion


def main(port: int, club: str) -> None:
    """Print ``table seq time`` for every event, after one line when it is subscribed."""

    def heard(client: mqtt.Client, userdata: object, message: mqtt.MQTTMessage) -> None:
        when = time.monotonic()
        seq = message.payload.split(b'"seq":', 1)[1].split(b",", 1)[0].decode()
        print(message.topic.split("/")[4].removeprefix("t"), seq, when, flush=True)

    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="bare", protocol=mqtt.MQTTv5)
    client.on_message = heard
    client.on_subscribe = lambda *_: print("ready", flush=True)
    client.on_connect = lambda client, *_: client.subscribe(f"maldonne/1/{club}/table/+/event", 1)
    # As the hub does: without it the acknowledgements wait for one another, and the broker for them.
    client.on_socket_open = lambda client, data, line: line.setsockopt(
        socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
    )
    client.max_inflight_messages_set(500)
    client.connect("127.0.0.1", port)
    client.loop_start()
    threading.Event().wait()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
