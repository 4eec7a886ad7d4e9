"""From a tag on the wire to the journal and MQTT, through every real layer.

A simulated table plays at a multiple of the pace of life; each INVENTORY frame is stamped when it is written to the
line, each public event when a subscriber of the broker has it. An event carries the device's own stamp, so each is
matched to the frame that it rests on. The event was committed and synced before it was sent. The scan cycle is not
part of the figure: time runs from the frame on the wire.
"""

from __future__ import annotations

import queue
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from hw_sim.bench import Bench
from hw_sim.codec import Decoder
from hw_sim.config import Mqtt, layout, random_table
from hw_sim.script import Stakes
from maldonne.broker import start_broker
from table_controller import messages as m
from table_controller.config import load_config
from table_controller.table import Table

SPEED = 8.0
HANDS = 4
DEADLINE_S = 240.0
# Events that rest on the frame just read; others wait by design (a motion of chips comes to rest first).
AT_ONCE = ("dealt", "burned", "board")


def main() -> None:
    """Play, and print the figures."""
    written: dict[int, float] = {}
    arrived: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
    with tempfile.TemporaryDirectory() as directory, start_broker() as broker:
        config = random_table(
            Path(directory),
            seats=dict.fromkeys(range(1, 11), 10_000),
            stakes=Stakes(50, 100, smallest_chip=50),
            seed="latency",
            count=HANDS,
            speed=SPEED,
            layout=layout("chips+cards"),
            mqtt=Mqtt(port=broker.port, club="bench", table="t1"),
        )
        subscriber = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="watch", protocol=mqtt.MQTTv5)
        subscriber.on_message = lambda client, data, message: arrived.put((time.monotonic(), message.payload))
        topic = "maldonne/1/bench/table/t1/event"
        subscriber.on_connect = lambda client, *_: client.subscribe(topic, 1)
        subscriber.connect("127.0.0.1", broker.port)
        subscriber.loop_start()
        try:
            tables: list[Table] = []
            with Bench(config, settled=lambda: bool(tables) and tables[0].settled) as bench:
                _stamp_frames(bench, written)
                table = Table(load_config(Path(directory) / "table.toml"))
                tables.append(table)
                bench.start()
                watcher = threading.Thread(target=_stop_when_over, args=(bench, table), daemon=True)
                watcher.start()
                with table:
                    table.run()
                watcher.join()
        finally:
            subscriber.disconnect()
            subscriber.loop_stop()
    _report(written, arrived)


def _stamp_frames(bench: Bench, written: dict[int, float]) -> None:
    """Note when each inventory leaves the simulated board, by its own stamp."""
    decoder = Decoder()
    write = bench.line.write

    def stamped(data: bytes) -> None:
        now = time.monotonic()
        for frame in decoder.feed(data):
            kind, fields = getattr(frame, "kind", None), getattr(frame, "fields", None)
            if kind == "INVENTORY" and fields is not None:
                written.setdefault(fields["ticks_ms"], now)
        write(data)

    bench.line.write = stamped  # type: ignore[method-assign]


def _stop_when_over(bench: Bench, table: Table) -> None:
    try:
        bench.wait(DEADLINE_S)
        time.sleep(1.0)
    finally:
        table.stop()


def _report(written: dict[int, float], arrived: queue.SimpleQueue[tuple[float, bytes]]) -> None:
    events: list[tuple[float, m.Event]] = []
    while not arrived.empty():
        at, payload = arrived.get()
        events.append((at, m.decode_event(payload)))
    stamps = sorted(written)
    chosen = [(at, event) for at, event in events if event.type in AT_ONCE]
    # The table's clock and the board's differ by a constant: the one that most events agree on.
    offsets = Counter(round(event.t * 1000) - stamp for _, event in chosen[:40] for stamp in stamps)
    offset = offsets.most_common(1)[0][0]
    delays = []
    for at, event in chosen:
        sent = written.get(round(event.t * 1000) - offset)
        if sent is not None:
            delays.append((at - sent) * 1000)
    delays.sort()
    print(f"events matched to their frame: {len(delays)} of {len(chosen)} (10 seats, speed {SPEED:g})")
    print(
        f"frame on the wire -> journal synced -> MQTT subscriber: median {statistics.median(delays):.1f} ms, "
        f"p99 {delays[int(len(delays) * 0.99)]:.1f} ms, worst {delays[-1]:.1f} ms (bar: p99 50)"
    )


if __name__ == "__main__":
    main()
