"""The simulator's codec is bound by the golden vectors, like the driver's and the firmware's."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.codec import (
    Decoder,
    Frame,
    Refused,
    cobs_decode,
    cobs_encode,
    digest_of,
    encode,
    inventory_parts,
)
from hw_sim.errors import FrameError

GOLDEN = Path(__file__).parents[1] / "golden" / "serial" / "frames.jsonl"
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(v, id=v["name"]) for v in VECTORS if v["kind"] == kind]


@pytest.mark.parametrize("vector", of_kind("frame"))
def test_frame_both_ways(vector: dict[str, Any]) -> None:
    raw = bytes.fromhex(vector["hex"])
    assert encode(vector["frame"], vector["seq"], vector["fields"]) == raw
    decoder = Decoder()
    assert decoder.feed(raw) == [Frame(vector["frame"], vector["seq"], vector["fields"])]
    assert decoder.bad == 0


@pytest.mark.parametrize("vector", of_kind("stream"))
def test_stream(vector: dict[str, Any]) -> None:
    decoder = Decoder()
    found = [frame for read in vector["reads"] for frame in decoder.feed(bytes.fromhex(read))]
    assert found == [Frame(f["frame"], f["seq"], f["fields"]) for f in vector["frames"]]
    assert decoder.bad == vector["bad"]


@pytest.mark.parametrize("vector", of_kind("refused"))
def test_refused(vector: dict[str, Any]) -> None:
    decoder = Decoder()
    assert decoder.feed(bytes.fromhex(vector["hex"])) == [
        Refused(vector["seq"], vector["type"], vector["nak"])
    ]
    assert decoder.bad == 0


@pytest.mark.parametrize("vector", of_kind("unencodable"))
def test_unencodable(vector: dict[str, Any]) -> None:
    with pytest.raises(FrameError):
        encode(vector["frame"], 1, vector["fields"])


@pytest.mark.parametrize("vector", of_kind("digest"))
def test_digest(vector: dict[str, Any]) -> None:
    assert digest_of(vector["uids"]) == vector["crc"]
    assert digest_of(reversed(vector["uids"])) == vector["crc"]


def test_every_kind_of_vector_is_used() -> None:
    assert {v["kind"] for v in VECTORS} == {"frame", "stream", "refused", "unencodable", "digest"}


@given(st.binary(max_size=1200))
def test_cobs_has_no_zero_and_comes_back(data: bytes) -> None:
    stuffed = cobs_encode(data)
    assert 0 not in stuffed
    assert cobs_decode(stuffed) == data


@given(st.binary(max_size=600), st.integers(1, 40))
def test_resynchronises_at_the_next_zero(noise: bytes, size: int) -> None:
    good = encode("INVENTORY?", 7, {"antenna": 3})
    decoder = Decoder()
    stream = noise + b"\x00" + good
    found = [f for at in range(0, len(stream), size) for f in decoder.feed(stream[at : at + size])]
    assert found[-1] == Frame("INVENTORY?", 7, {"antenna": 3})


@given(st.lists(st.sampled_from(["04A1B2C3D4E5F6", "E004015011223344"]), max_size=300))
def test_inventory_parts_fit_and_lose_nothing(uids: list[str]) -> None:
    parts = inventory_parts(uids)
    assert [uid for part in parts for uid in part] == uids
    for number, part in enumerate(parts):
        encode(
            "INVENTORY",
            1,
            {
                "antenna": 1,
                "part": number,
                "parts": len(parts),
                "cycle": 1,
                "ticks_ms": 1,
                "quality": 100,
                "uids": part,
            },
        )
