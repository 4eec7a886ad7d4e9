"""Runs the golden vectors of the serial line through the firmware's codec, under MicroPython or CPython.

Not a test by itself: `test_codec.py` starts it with the folder above the firmware package and a file of vectors. It
prints a line for each vector: its name and `ok`, or what was wrong.
"""

import json
import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from firmware import codec

NAMES = {
    "HELLO": codec.HELLO,
    "INVENTORY": codec.INVENTORY,
    "BUTTON": codec.BUTTON,
    "SHOE": codec.SHOE,
    "FAULT": codec.FAULT,
    "LOG": codec.LOG,
    "HEARTBEAT": codec.HEARTBEAT,
    "DIGEST": codec.DIGEST,
    "ACK": codec.ACK,
    "NAK": codec.NAK,
    "HELLO?": codec.HELLO_REQUEST,
    "SCAN": codec.SCAN,
    "INVENTORY?": codec.INVENTORY_REQUEST,
    "LAMP": codec.LAMP,
    "DISPLAY": codec.DISPLAY,
    "BUZZ": codec.BUZZ,
    "FEED": codec.FEED,
    "ARM": codec.ARM,
    "ORDER": codec.ORDER,
}


def ours(fields):
    """Fields of a vector as the firmware has them: UIDs are bytes."""
    if "uids" not in fields:
        return fields
    return {
        key: [bytes.fromhex(uid) for uid in value] if key == "uids" else value
        for key, value in fields.items()
    }


def frame(vector):
    wire = bytes.fromhex(vector["hex"])
    kind, seq, fields = NAMES[vector["frame"]], vector["seq"], ours(vector["fields"])
    encoded = codec.encode(kind, seq, fields)
    if encoded != wire:
        return "encoded to " + encoded.hex()
    found = codec.Decoder().feed(wire)
    return "ok" if found == [(kind, seq, fields, None)] else f"decoded to {found}"


def stream(vector):
    decoder = codec.Decoder()
    found = []
    for read in vector["reads"]:
        found += decoder.feed(bytes.fromhex(read))
    wanted = [(NAMES[each["frame"]], each["seq"], ours(each["fields"]), None) for each in vector["frames"]]
    if found != wanted:
        return f"found {found}"
    return "ok" if decoder.bad == vector["bad"] else f"counted {decoder.bad} bad frames"


def refused(vector):
    decoder = codec.Decoder()
    found = decoder.feed(bytes.fromhex(vector["hex"]))
    if decoder.bad:
        return "counted as bad"
    return "ok" if found == [(vector["type"], vector["seq"], None, vector["nak"])] else f"decoded to {found}"


def unencodable(vector):
    try:
        codec.encode(NAMES[vector["frame"]], 0, ours(vector["fields"]))
    except codec.Unencodable:
        return "ok"
    return "encoded all the same"


def digest(vector):
    uids = [bytes.fromhex(uid) for uid in vector["uids"]]
    crc = codec.digest(uids)
    return "ok" if (crc, len(uids)) == (vector["crc"], vector["count"]) else f"gave {crc}"


KINDS = {"frame": frame, "stream": stream, "refused": refused, "unencodable": unencodable, "digest": digest}

if __name__ == "__main__":
    with open(sys.argv[2]) as file:  # noqa: PTH123  (MicroPython has no pathlib)
        for line in file:
            vector = json.loads(line)
            print(vector["name"], KINDS[vector["kind"]](vector))
