"""A screen for ``hub_load``: reads the floor page's live channel and says when each table's hand came."""

from __future__ import annotations

import re
import socket
import sys
import time

HAND = re.compile(rb"Hand (\d+)")


def main(port: int) -> None:
    """Print ``table hand time`` for every tile that comes, after one line when the page is open."""
    with socket.create_connection(("127.0.0.1", port), 30) as line:
        line.settimeout(120)
        line.sendall(b"GET /live?lang=en HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        name = ""
        for text in line.makefile("rb"):
            if text.startswith(b"event: "):
                name = text[7:].strip().decode()
                if name == "pulse":
                    print("open", flush=True)
            elif name.startswith("tile-") and (found := HAND.search(text)):
                print(name[6:], found[1].decode(), time.monotonic(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
