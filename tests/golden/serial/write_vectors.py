"""Lay the golden vectors of the serial line out by hand, byte by byte, and write frames.jsonl.

A third reading of the page that describes the line: it imports no codec, and has its own COBS.
"""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

Line = dict[str, Any]
TARGET = Path(__file__).with_name("frames.jsonl")

TYPES = {
    "HELLO": 0x01,
    "INVENTORY": 0x02,
    "BUTTON": 0x03,
    "SHOE": 0x04,
    "FAULT": 0x05,
    "LOG": 0x06,
    "HEARTBEAT": 0x07,
    "DIGEST": 0x08,
    "ACK": 0x10,
    "NAK": 0x11,
    "HELLO?": 0x20,
    "SCAN": 0x21,
    "INVENTORY?": 0x22,
    "LAMP": 0x23,
    "DISPLAY": 0x24,
    "BUZZ": 0x25,
    "FEED": 0x26,
    "ARM": 0x27,
    "ORDER": 0x28,
}


def cobs(data: bytes) -> bytes:
    """Stuff bytes so that no 00 is left; a full last block is not closed."""
    out, block = bytearray(), bytearray()
    for position, byte in enumerate(data):
        if byte:
            block.append(byte)
            if len(block) == 254:
                out += b"\xff" + block
                block.clear()
                if position == len(data) - 1:
                    return bytes(out)
        else:
            out += bytes([len(block) + 1]) + block
            block.clear()
    return bytes(out + bytes([len(block) + 1]) + block)


def body(kind: int, seq: int, payload: bytes, version: int = 1) -> bytes:
    """Header, payload and check sum, not yet stuffed."""
    head = struct.pack("<BBH", version, kind, seq) + payload
    return head + struct.pack("<I", zlib.crc32(head))


def wire(kind: int, seq: int, payload: bytes, version: int = 1) -> bytes:
    """A whole frame as it runs over the wire."""
    return cobs(body(kind, seq, payload, version)) + b"\x00"


def text(words: str) -> bytes:
    """Length and UTF-8."""
    raw = words.encode()
    return struct.pack("<B", len(raw)) + raw


def uid_list(uids: list[str]) -> bytes:
    """Count, then each UID with its length."""
    return struct.pack("<B", len(uids)) + b"".join(bytes([len(u) // 2]) + bytes.fromhex(u) for u in uids)


def digest(uids: list[str]) -> int:
    """Check sum of what lies on an antenna."""
    return zlib.crc32(b"".join(sorted(bytes.fromhex(u) for u in uids)))


LINES: list[Line] = []
KNOWN: dict[str, tuple[Line, bytes]] = {}


def frame(name: str, direction: str, kind: str, seq: int, fields: Line, payload: bytes) -> None:
    """One frame that both encodes and decodes."""
    if len(payload) > 512 or ("brimful" in name and len(payload) != 512):
        raise ValueError(f"{name}: a payload of {len(payload)} bytes")
    raw = wire(TYPES[kind], seq, payload)
    said = {"frame": kind, "seq": seq, "fields": fields}
    KNOWN[name] = (said, raw)
    LINES.append({"kind": "frame", "name": name, "direction": direction, **said, "hex": raw.hex()})


def stream(name: str, reads: list[bytes], frames: list[Line], bad: int) -> None:
    """Bytes as they come, read by read, and what must come out."""
    LINES.append(
        {"kind": "stream", "name": name, "reads": [r.hex() for r in reads], "frames": frames, "bad": bad}
    )


def refused(
    name: str, direction: str, seq: int, kind: int, payload: bytes, nak: int | None, version: int = 1
) -> None:
    """A frame that is whole and still cannot be taken."""
    raw = wire(kind, seq, payload, version)
    LINES.append(
        {
            "kind": "refused",
            "name": name,
            "direction": direction,
            "seq": seq,
            "type": kind,
            "nak": nak,
            "hex": raw.hex(),
        }
    )


def unencodable(name: str, kind: str, fields: Line) -> None:
    """Fields that no encoder may put on the wire."""
    LINES.append({"kind": "unencodable", "name": name, "frame": kind, "fields": fields})


def frames_up() -> None:
    """What the microcontroller says."""
    antennas = [
        (0, 1, 0),
        (1, 2, 1),
        (2, 2, 10),
        (3, 3, 0),
        (4, 4, 0),
        (5, 5, 0),
        (6, 6, 1),
        (7, 7, 1),
        (8, 8, 0),
        (9, 9, 0),
    ]
    hello = {
        "protocol_min": 1,
        "protocol_max": 1,
        "firmware": "maldonne 1.0.0",
        "boot_id": 0x0123456789ABCDEF,
        "serial": "MT-0007",
        "capabilities": 31,
        "antennas": [{"id": a, "kind": k, "index": i} for a, k, i in antennas],
        "buttons": [1, 2, 3, 16, 18],
        "lamps": [1, 2, 10],
    }
    payload = (
        bytes([1, 1])
        + text("maldonne 1.0.0")
        + struct.pack("<Q", 0x0123456789ABCDEF)
        + text("MT-0007")
        + struct.pack("<I", 31)
        + bytes([len(antennas)])
        + b"".join(bytes(a) for a in antennas)
        + bytes([5, 1, 2, 3, 16, 18])
        + bytes([3, 1, 2, 10])
    )
    frame("hello", "up", "HELLO", 0, hello, payload)
    bare = {
        "protocol_min": 2,
        "protocol_max": 9,
        "firmware": "",
        "boot_id": 2**64 - 1,
        "serial": "é",
        "capabilities": 0,
        "antennas": [],
        "buttons": [],
        "lamps": [],
    }
    payload = bytes([2, 9]) + text("") + b"\xff" * 8 + text("é") + struct.pack("<I", 0) + bytes([0, 0, 0])
    frame("hello_bare_and_newer", "up", "HELLO", 0xFFFF, bare, payload)

    def inventory(
        name: str,
        seq: int,
        part: int,
        parts: int,
        cycle: int,
        ticks: int,
        quality: int,
        uids: list[str],
        antenna: int = 1,
    ) -> None:
        fields = {
            "antenna": antenna,
            "part": part,
            "parts": parts,
            "cycle": cycle,
            "ticks_ms": ticks,
            "quality": quality,
            "uids": uids,
        }
        payload = struct.pack("<BBBIIB", antenna, part, parts, cycle, ticks, quality) + uid_list(uids)
        frame(name, "up", "INVENTORY", seq, fields, payload)

    inventory("inventory_empty", 1, 0, 1, 0, 0, 100, [])
    inventory("inventory_two_cards", 2, 0, 1, 7, 123456, 98, ["04A1B2C3D4E5F6", "0400112233445F"])
    inventory(
        "inventory_three_lengths",
        0x0100,
        0,
        1,
        0xFFFFFFFF,
        0xFFFFFFFF,
        0,
        ["04000000", "0411223344556F", "E0040150AABBCCDD"],
        0,
    )
    many = [f"04{n:02X}A1B2C3D4{n ^ 0xFF:02X}" for n in range(1, 61)]
    inventory("inventory_sixty_tags_full_blocks", 0x0301, 0, 2, 0x01020304, 0x11223344, 77, many, 9)
    inventory("inventory_second_part", 0x0302, 1, 2, 0x01020304, 0x11223344, 77, ["E004015011223344"], 9)
    # 12 bytes, the count, 59 UIDs of 1 + 7 and 3 of 1 + 8: exactly 512
    brim = [f"04{n:02X}0000000001" for n in range(59)] + [f"E0{n:02X}000000000102" for n in range(3)]
    inventory("inventory_brimful_512", 0x0303, 0, 1, 1, 2, 3, brim, 4)

    frame(
        "button_down",
        "up",
        "BUTTON",
        3,
        {"id": 1, "pressed": True, "ticks_ms": 1000, "count": 1},
        struct.pack("<BBIH", 1, 1, 1000, 1),
    )
    frame(
        "button_up_wrapped",
        "up",
        "BUTTON",
        4,
        {"id": 18, "pressed": False, "ticks_ms": 2**32 - 1, "count": 0},
        struct.pack("<BBIH", 18, 0, 2**32 - 1, 0),
    )
    for state, word in enumerate(
        ("ready", "feeding", "double_feed", "jam", "empty", "door", "misaligned", "disarmed")
    ):
        frame(
            f"shoe_{word}",
            "up",
            "SHOE",
            10 + state,
            {"state": state, "cards_out": 300 + state, "target": state, "command_id": 70000 + state},
            struct.pack("<BHBI", state, 300 + state, state, 70000 + state),
        )
    for code, word in enumerate(
        ("antenna_open", "reader_silent", "supply_low", "display", "lamp", "button_stuck", "memory"), 1
    ):
        frame(
            f"fault_{word}",
            "up",
            "FAULT",
            20 + code,
            {"code": code, "argument": 4000000000 + code},
            struct.pack("<HI", code, 4000000000 + code),
        )
    frame("log", "up", "LOG", 0, {"text": "antenne 3 : accord perdu"}, text("antenne 3 : accord perdu"))
    frame("log_longest", "up", "LOG", 5, {"text": "é" * 127 + "!"}, text("é" * 127 + "!"))
    beat = {"ticks_ms": 5000, "bad_crc": 1, "resent": 2, "lost": 0, "supply_mv": 5021, "temperature": -7}
    frame("heartbeat_cold", "up", "HEARTBEAT", 0, beat, struct.pack("<IIIIHb", 5000, 1, 2, 0, 5021, -7))
    beat = {
        "ticks_ms": 0,
        "bad_crc": 2**32 - 1,
        "resent": 0,
        "lost": 9,
        "supply_mv": 65535,
        "temperature": 127,
    }
    frame(
        "heartbeat_limits", "up", "HEARTBEAT", 9, beat, struct.pack("<IIIIHb", 0, 2**32 - 1, 0, 9, 65535, 127)
    )
    sets = {1: ["04A1B2C3D4E5F6", "0400112233445F"], 3: [], 9: many}
    fields = {"antennas": [{"antenna": a, "count": len(u), "crc": digest(u)} for a, u in sets.items()]}
    payload = bytes([3]) + b"".join(struct.pack("<BBI", a, len(u), digest(u)) for a, u in sets.items())
    frame("digest", "up", "DIGEST", 40, fields, payload)
    frame("digest_none", "up", "DIGEST", 41, {"antennas": []}, bytes([0]))


def frames_down() -> None:
    """What the Pi says, and the answers of both."""
    frame("ack", "both", "ACK", 0, {"of": 0x0102}, struct.pack("<H", 0x0102))
    frame("ack_of_zero", "both", "ACK", 0x0000, {"of": 0}, struct.pack("<H", 0))
    for code, word in enumerate(("unknown_type", "bad_payload", "busy", "not_armed", "out_of_range"), 1):
        frame(f"nak_{word}", "both", "NAK", 0, {"of": 0xFFFF, "code": code}, struct.pack("<HB", 0xFFFF, code))
    frame("hello_request", "down", "HELLO?", 1, {}, b"")
    scan = {"antennas": [{"antenna": 1, "dwell_ms": 30}, {"antenna": 0, "dwell_ms": 255}]}
    frame("scan", "down", "SCAN", 2, scan, bytes([2, 1, 30, 0, 255]))
    frame("scan_nothing", "down", "SCAN", 3, {"antennas": []}, bytes([0]))
    frame("inventory_request_one", "down", "INVENTORY?", 4, {"antenna": 3}, bytes([3]))
    frame("inventory_request_all", "down", "INVENTORY?", 5, {"antenna": 255}, bytes([255]))
    frame("lamp_green_blinking", "down", "LAMP", 6, {"lamp": 4, "colour": 3, "pattern": 1}, bytes([4, 3, 1]))
    frame("lamp_off", "down", "LAMP", 7, {"lamp": 0, "colour": 0, "pattern": 0}, bytes([0, 0, 0]))
    frame("display_empty", "down", "DISPLAY", 8, {"line": 0, "text": ""}, bytes([0, 0]))
    words = "Brûlez une carte, retournez le flop"
    frame("display_french", "down", "DISPLAY", 9, {"line": 1, "text": words}, bytes([1]) + text(words))
    frame(
        "display_forty_characters",
        "down",
        "DISPLAY",
        10,
        {"line": 3, "text": "€" * 40},
        bytes([3]) + text("€" * 40),
    )
    frame("buzz", "down", "BUZZ", 11, {"ms": 250}, struct.pack("<H", 250))
    frame("feed_seat", "down", "FEED", 12, {"target": 10, "command_id": 1}, struct.pack("<BI", 10, 1))
    frame(
        "feed_burn",
        "down",
        "FEED",
        13,
        {"target": 12, "command_id": 2**32 - 1},
        struct.pack("<BI", 12, 2**32 - 1),
    )
    frame("arm", "down", "ARM", 14, {"armed": True}, bytes([1]))
    frame("disarm", "down", "ARM", 15, {"armed": False}, bytes([0]))
    orders = [(0, 3, 1), (1, 12, 0), (22, 7, 1500), (24, 16, 2**32 - 1)]
    fields = {"orders": [{"order": o, "place": p, "arg": a} for o, p, a in orders]}
    frame(
        "orders", "down", "ORDER", 16, fields, bytes([4]) + b"".join(struct.pack("<BBI", *o) for o in orders)
    )
    frame("orders_none", "down", "ORDER", 17, {"orders": []}, bytes([0]))


def streams() -> None:
    """How bytes really come: cut anywhere, with noise, broken and healed."""
    hello, hello_raw = KNOWN["hello"]
    two, two_raw = KNOWN["inventory_two_cards"]
    down, down_raw = KNOWN["button_down"]
    big, big_raw = KNOWN["inventory_sixty_tags_full_blocks"]
    beat, beat_raw = KNOWN["heartbeat_cold"]
    stream("three_frames_in_one_read", [hello_raw + two_raw + down_raw], [hello, two, down], 0)
    stream("one_byte_per_read", [bytes([b]) for b in two_raw + down_raw], [two, down], 0)
    stream(
        "cut_inside_and_across", [two_raw[:5], two_raw[5:] + down_raw[:1], b"", down_raw[1:]], [two, down], 0
    )
    stream("empty_candidates_are_nothing", [b"\x00\x00" + down_raw + b"\x00\x00\x00"], [down], 0)
    stream("garbage_before_sync", [b"\x41\x42\x43\xff\x00" + down_raw], [down], 1)
    stream("started_in_the_middle", [two_raw[9:] + down_raw], [down], 1)
    stream("garbage_glued_to_a_frame", [b"\x11\x22\x33" + down_raw + beat_raw], [beat], 1)
    flipped = bytearray(two_raw)
    flipped[12] ^= 0x10
    stream("bit_flipped_then_good", [bytes(flipped) + down_raw], [down], 1)
    wrong = body(TYPES["BUTTON"], 3, struct.pack("<BBIH", 1, 1, 1000, 1))
    wrong = wrong[:-4] + struct.pack("<I", zlib.crc32(wrong[:-4]) ^ 1)
    stream("wrong_crc", [cobs(wrong) + b"\x00" + down_raw], [down], 1)
    stream(
        "crc_in_the_wrong_byte_order",
        [cobs(wrong[:-4] + struct.pack(">I", zlib.crc32(wrong[:-4]))) + b"\x00"],
        [],
        1,
    )
    stream("last_byte_lost", [two_raw[:-2] + b"\x00" + down_raw], [down], 1)
    stream("closing_zero_lost", [two_raw[:-1] + down_raw + beat_raw], [beat], 1)
    stream("truncated_and_silent", [two_raw[:-1]], [], 0)
    stream(
        "too_short_to_be_a_frame",
        [b"\x01\x00", cobs(b"\x01\x07\x00\x00\x01\x02\x03") + b"\x00" + down_raw],
        [down],
        2,
    )
    stream("header_and_crc_alone", [KNOWN["hello_request"][1]], [KNOWN["hello_request"][0]], 0)
    stream("oversized_by_one", [wire(0x06, 1, bytes([255]) + b"a" * 512) + down_raw], [down], 1)
    stream("endless_line_without_zero", [b"\x55" * 400] * 6 + [b"\x00" + down_raw], [down], 1)
    stream("overlong_with_a_whole_frame_at_its_end", [b"\x55" * 600, down_raw + beat_raw], [beat], 1)
    stream("endless_line_not_closed", [b"\x55" * 4096], [], 0)
    stream("zero_inside_a_block", [two_raw[:8] + b"\x00" + two_raw[8:] + down_raw], [down], 2)
    # header 4 + payload 246 + CRC 4 = 254 bytes without any 00, so that the last COBS block is exactly full
    for word in range(1, 2**16):
        payload = bytes([245]) + f"{word:05d}".encode() + b"x" * 240
        raw = body(0x06, 0x0101, payload)
        if 0 not in raw:
            break
    said = {"frame": "LOG", "seq": 0x0101, "fields": {"text": payload[1:].decode()}}
    stream("full_last_block_left_open", [b"\xff" + raw + b"\x00" + down_raw], [said, down], 0)
    stream("full_last_block_closed", [b"\xff" + raw + b"\x01\x00" + down_raw], [said, down], 0)
    frame("log_full_last_block", "up", "LOG", 0x0101, said["fields"], payload)
    stream("big_frame_in_reads_of_64", [big_raw[i : i + 64] for i in range(0, len(big_raw), 64)], [big], 0)
    stream("same_frame_twice", [down_raw + down_raw], [down, down], 0)


def broken() -> None:
    """Whole frames that cannot be taken, and fields that cannot be sent."""
    refused("unknown_type_up", "up", 50, 0x0F, b"\x01\x02", 1)
    refused("unknown_type_down", "down", 51, 0x7E, b"", 1)
    refused("unknown_type_zero", "both", 52, 0x00, b"", 1)
    refused("button_cut_short", "up", 53, 0x03, struct.pack("<BBI", 1, 1, 1000), 2)
    refused("button_with_more", "up", 54, 0x03, struct.pack("<BBIHB", 1, 1, 1000, 1, 0), 2)
    refused("button_pressed_two", "up", 55, 0x03, struct.pack("<BBIH", 1, 2, 1000, 1), 2)
    refused(
        "inventory_uid_beyond_the_end",
        "up",
        56,
        0x02,
        struct.pack("<BBBIIB", 1, 0, 1, 0, 0, 9) + b"\x01\x07\x04\x01",
        2,
    )
    refused(
        "inventory_fewer_than_counted",
        "up",
        57,
        0x02,
        struct.pack("<BBBIIB", 1, 0, 1, 0, 0, 9) + b"\x02\x04\x01\x02\x03\x04",
        2,
    )
    refused(
        "inventory_part_beyond_parts", "up", 58, 0x02, struct.pack("<BBBIIB", 1, 1, 1, 0, 0, 9) + b"\x00", 2
    )
    refused("inventory_no_parts", "up", 59, 0x02, struct.pack("<BBBIIB", 1, 0, 0, 0, 0, 9) + b"\x00", 2)
    refused("inventory_quality_101", "up", 60, 0x02, struct.pack("<BBBIIB", 1, 0, 1, 0, 0, 101) + b"\x00", 2)
    refused(
        "inventory_uid_of_no_bytes", "up", 61, 0x02, struct.pack("<BBBIIB", 1, 0, 1, 0, 0, 9) + b"\x01\x00", 2
    )
    refused("log_not_utf8", "up", 62, 0x06, b"\x02\xff\xfe", 2)
    refused("hello_without_payload", "up", 63, 0x01, b"", 2)
    refused("digest_cut_short", "up", 64, 0x08, b"\x02\x01\x00\x00\x00\x00\x00", 2)
    refused("hello_request_with_payload", "down", 65, 0x20, b"\x01", 2)
    refused("scan_odd", "down", 66, 0x21, b"\x02\x01\x1e\x00", 2)
    refused("display_not_utf8", "down", 67, 0x24, b"\x00\x01\xc3", 2)
    refused("display_41_characters", "down", 68, 0x24, b"\x00" + text("a" * 41), 2)
    refused("arm_two", "down", 69, 0x27, b"\x02", 2)
    refused("orders_cut_short", "down", 70, 0x28, b"\x01\x00\x03\x01\x00\x00", 2)
    refused("another_version", "up", 71, 0x03, struct.pack("<BBIH", 1, 1, 1000, 1), None, version=2)
    unencodable("display_of_41_characters", "DISPLAY", {"line": 0, "text": "a" * 41})
    unencodable("log_of_256_bytes", "LOG", {"text": "é" * 128})
    unencodable("lamp_beyond_a_byte", "LAMP", {"lamp": 256, "colour": 1, "pattern": 0})
    unencodable("buzz_negative", "BUZZ", {"ms": -1})
    unencodable("feed_id_beyond_32_bits", "FEED", {"target": 1, "command_id": 2**32})
    unencodable("orders_beyond_512_bytes", "ORDER", {"orders": [{"order": 0, "place": 1, "arg": 1}] * 86})
    unencodable(
        "inventory_beyond_512_bytes",
        "INVENTORY",
        {
            "antenna": 1,
            "part": 0,
            "parts": 1,
            "cycle": 1,
            "ticks_ms": 1,
            "quality": 1,
            "uids": [f"04{n:02X}0000000001" for n in range(63)],
        },
    )


def digests() -> None:
    """What an antenna's present set comes to."""
    for name, uids in (
        ("digest_of_nothing", []),
        ("digest_of_one", ["04A1B2C3D4E5F6"]),
        ("digest_sorts", ["E004015011223344", "04A1B2C3D4E5F6", "0400112233445F"]),
        ("digest_short_before_long", ["04000000", "0400000000000A"]),
    ):
        LINES.append({"kind": "digest", "name": name, "uids": uids, "count": len(uids), "crc": digest(uids)})


def main() -> None:
    """Write every vector, one a line."""
    frames_up()
    frames_down()
    streams()
    broken()
    digests()
    TARGET.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
