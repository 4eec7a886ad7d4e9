"""The codec against the golden vectors, and against every way in which bytes can come apart."""

import itertools
import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import frames, framing
from firmware_bridge.errors import FrameUnencodable

GOLDEN = Path(__file__).parent.parent / "golden" / "serial" / "frames.jsonl"
VECTORS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
BY_NAME = {kind.name: kind for kind in frames.FRAMES.values()}


def vectors(kind: str) -> Any:
    chosen = [vector for vector in VECTORS if vector["kind"] == kind]
    if not chosen:
        raise ValueError(f"no vectors of kind {kind}")
    return pytest.mark.parametrize("vector", chosen, ids=[vector["name"] for vector in chosen])


def struct_of(said: dict[str, Any]) -> frames.Frame:
    return msgspec.convert(said["fields"], BY_NAME[said["frame"]])


def test_every_frame_of_the_line_has_a_vector() -> None:
    """It should leave no frame type unbound."""
    assert {v["frame"] for v in VECTORS if v["kind"] == "frame"} == set(BY_NAME)


@vectors("frame")
def test_golden_frame_encodes_to_the_bytes(vector: dict[str, Any]) -> None:
    """It should lay a frame out byte by byte as the other codecs do."""
    assert framing.encode(struct_of(vector), vector["seq"]).hex() == vector["hex"]


@vectors("frame")
def test_golden_bytes_decode_to_the_frame(vector: dict[str, Any]) -> None:
    """It should read what the other codecs write."""
    subject = framing.Decoder()
    assert subject.feed(bytes.fromhex(vector["hex"])) == [(vector["seq"], struct_of(vector))]
    assert (subject.bad, subject.held) == (0, 0)


@vectors("stream")
def test_golden_stream(vector: dict[str, Any]) -> None:
    """It should find the good frames between the broken ones, however the reads are cut."""
    subject = framing.Decoder()
    found = [frame for read in vector["reads"] for frame in subject.feed(bytes.fromhex(read))]
    assert found == [(said["seq"], struct_of(said)) for said in vector["frames"]]
    assert subject.bad == vector["bad"]


@vectors("refused")
def test_golden_refused(vector: dict[str, Any]) -> None:
    """It should show what it cannot take, so that the driver can answer with the right NAK."""
    subject = framing.Decoder()
    [(seq, frame)] = subject.feed(bytes.fromhex(vector["hex"]))
    expected = {1: framing.UnknownFrame, 2: framing.MalformedFrame, None: framing.ForeignFrame}[vector["nak"]]
    assert seq == vector["seq"]
    assert isinstance(frame, expected)
    assert frame.kind == vector["type"]
    assert subject.bad == 0


@vectors("unencodable")
def test_golden_unencodable(vector: dict[str, Any]) -> None:
    """It should refuse to put a value on the wire that does not fit, and name the frame."""
    with pytest.raises(FrameUnencodable) as caught:
        framing.encode(struct_of(vector), 1)
    assert caught.value.code == "frame-unencodable"
    assert caught.value.where == vector["frame"]


@vectors("digest")
def test_golden_digest(vector: dict[str, Any]) -> None:
    """It should sum an antenna up as the board does, in whatever order the tags were read."""
    expected = frames.DigestEntry(7, vector["count"], vector["crc"])
    assert framing.digest_entry(7, vector["uids"]) == expected
    assert framing.digest_entry(7, reversed(vector["uids"])) == expected


def test_foreign_hello_tells_its_versions() -> None:
    """It should read the versions of a board that is newer than this program."""
    whole = framing.encode(frames.HelloFrame(3, 4, "next", 1, "", 0, (), (), ()), 9)
    body = bytearray(cobs.decode(whole[:-1])[:-4])
    body[0] = 3
    newer = cobs.encode(bytes(body) + zlib.crc32(body).to_bytes(4, "little")) + b"\x00"
    [(_, frame)] = framing.Decoder().feed(newer)
    assert frame == framing.ForeignFrame(version=3, kind=1, first=3, last=4)


def test_uids_do_not_print() -> None:
    """It should keep tag numbers out of logs: with the deck's list they are the cards."""
    frame = frames.InventoryFrame(1, 0, 1, 5, 6, 7, ("04A1B2C3D4E5F6",))
    assert "04A1B2" not in f"{frame} {frame!r} {[frame]}"


byte = st.integers(0, 255)
word = st.integers(0, 2**32 - 1)
uid = st.binary(min_size=1, max_size=10).map(lambda raw: raw.hex().upper())
few_words = st.text(max_size=40)
any_frame: st.SearchStrategy[frames.Frame] = st.one_of(
    st.builds(
        frames.HelloFrame,
        byte,
        byte,
        few_words,
        st.integers(0, 2**64 - 1),
        few_words,
        word,
        st.lists(st.builds(frames.AntennaInfo, byte, byte, byte), max_size=20).map(tuple),
        st.lists(byte, max_size=20).map(tuple),
        st.lists(byte, max_size=20).map(tuple),
    ),
    st.builds(
        frames.InventoryFrame,
        byte,
        st.integers(0, 3),
        st.integers(4, 255),
        word,
        word,
        st.integers(0, 100),
        st.lists(uid, max_size=30).map(tuple),
    ),
    st.builds(frames.ButtonFrame, byte, st.booleans(), word, st.integers(0, 65535)),
    st.builds(frames.ShoeFrame, byte, st.integers(0, 65535), byte, word),
    st.builds(frames.FaultFrame, st.integers(0, 65535), word),
    st.builds(frames.LogFrame, few_words),
    st.builds(frames.HeartbeatFrame, word, word, word, word, st.integers(0, 65535), st.integers(-128, 127)),
    st.builds(
        frames.DigestFrame, st.lists(st.builds(frames.DigestEntry, byte, byte, word), max_size=40).map(tuple)
    ),
    st.builds(frames.AckFrame, st.integers(0, 65535)),
    st.builds(frames.NakFrame, st.integers(0, 65535), byte),
    st.just(frames.HelloRequestFrame()),
    st.builds(frames.ScanFrame, st.lists(st.builds(frames.ScanEntry, byte, byte), max_size=40).map(tuple)),
    st.builds(frames.InventoryRequestFrame, byte),
    st.builds(frames.LampFrame, byte, byte, byte),
    st.builds(frames.DisplayFrame, byte, few_words),
    st.builds(frames.BuzzFrame, st.integers(0, 65535)),
    st.builds(frames.FeedFrame, byte, word),
    st.builds(frames.ArmFrame, st.booleans()),
    st.builds(
        frames.OrderFrame, st.lists(st.builds(frames.OrderEntry, byte, byte, word), max_size=40).map(tuple)
    ),
)
numbered = st.tuples(st.integers(0, 65535), any_frame)


@given(sent=st.lists(numbered, max_size=5), cuts=st.lists(st.integers(0, 2000), max_size=10))
def test_any_frames_cut_anywhere_come_out_whole(
    sent: list[tuple[int, frames.Frame]], cuts: list[int]
) -> None:
    """It should not matter where the reads fall."""
    stream = b"".join(framing.encode(frame, seq) for seq, frame in sent)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    subject = framing.Decoder()
    found = [f for a, b in itertools.pairwise(places) for f in subject.feed(stream[a:b])]
    assert found == sent
    assert subject.bad == 0


@given(noise=st.binary(max_size=700), sent=numbered)
def test_noise_before_a_frame_costs_at_most_the_noise(noise: bytes, sent: tuple[int, frames.Frame]) -> None:
    """It should find the next frame after any noise, and make no frame out of noise."""
    subject = framing.Decoder()
    found = subject.feed(noise + b"\x00" + framing.encode(sent[1], sent[0]))
    assert found == [sent]
    assert subject.bad == sum(1 for piece in noise.split(b"\x00") if piece)


@settings(max_examples=400)
@given(sent=numbered, flips=st.lists(st.integers(0, 2**20), min_size=1, max_size=6, unique=True))
def test_flipped_bits_never_give_a_wrong_frame(sent: tuple[int, frames.Frame], flips: list[int]) -> None:
    """It should drop a frame that the line has changed, whatever has changed, and go on with the next."""
    good = framing.encode(sent[1], sent[0])
    broken = bytearray(good)
    for flip in flips:
        place = flip % (8 * len(good))
        broken[place // 8] ^= 1 << (place % 8)
    after = (7, frames.BuzzFrame(7))
    subject = framing.Decoder()
    found = subject.feed(bytes(broken) + b"\x00" + framing.encode(after[1], after[0]))
    if broken == good:
        assert found == [sent, after]
    else:
        assert found == [after]
        assert subject.bad >= 1


@given(sent=numbered, at=st.integers(0, 600), length=st.integers(1, 600))
def test_lost_bytes_never_give_a_wrong_frame(sent: tuple[int, frames.Frame], at: int, length: int) -> None:
    """It should drop a frame with a hole."""
    good = framing.encode(sent[1], sent[0])
    start = at % len(good)
    holed = good[:start] + good[start + length :]
    found = framing.Decoder().feed(holed + b"\x00")
    assert found == ([sent] if holed == good[:-1] else [])


@given(reads=st.lists(st.binary(max_size=300).map(lambda raw: raw.replace(b"\x00", b"\x01")), max_size=20))
def test_line_without_an_end_does_not_grow(reads: list[bytes]) -> None:
    """It should keep no more than one frame of a line that never sends 00."""
    subject = framing.Decoder()
    for read in reads:
        assert subject.feed(read) == []
        assert subject.held <= 523


@given(uids=st.lists(uid, max_size=300), antenna=byte)
def test_inventory_splits_and_comes_together(uids: list[str], antenna: int) -> None:
    """It should carry any present set in parts that each fit, in order and without loss."""
    parts = framing.split_inventory(antenna, 5, 6, 7, uids)
    assert [part.part for part in parts] == list(range(len(parts)))
    assert {part.parts for part in parts} == {len(parts)}
    assert [u for part in parts for u in part.uids] == uids
    for part in parts:
        assert framing.Decoder().feed(framing.encode(part, 1)) == [(1, part)]


def test_too_many_parts_are_refused() -> None:
    """It should refuse a set that no INVENTORY can carry."""
    with pytest.raises(FrameUnencodable, match="parts"):
        framing.split_inventory(1, 1, 1, 1, ["AB" * 200] * 600)
