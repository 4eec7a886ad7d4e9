"""Every defined error explains itself in both languages, and every code of the line has its name."""

import errno

import msgspec
import pytest
import serial

from firmware_bridge import codes, errors
from firmware_bridge.observations import Inventory, Observation


def leaves(kind: type[errors.BridgeError]) -> list[type[errors.BridgeError]]:
    below = kind.__subclasses__()
    return [leaf for each in below for leaf in leaves(each)] if below else [kind]


@pytest.mark.parametrize("kind", leaves(errors.BridgeError), ids=lambda kind: kind.__name__)
def test_every_error_has_its_row(kind: type[errors.BridgeError]) -> None:
    """It should say what, where and what to do next, even when it is raised with nothing but a place."""
    error = kind(where="/dev/felt")
    row = errors.DEFINED[kind.code]
    assert str(error) == f"[{row.code}] /dev/felt: {row.what} — {row.hint}"
    special = kind("so and so", where="/dev/felt", hint="do this")
    assert (special.what, special.where, special.hint) == ("so and so", "/dev/felt", "do this")


def test_every_row_is_complete_in_french_and_english() -> None:
    """It should leave no one without words, and use no code twice."""
    rows = list(errors.DEFINED.values())
    assert len(rows) >= 15
    for row in rows:
        texts = [row.what, row.hint, row.what_fr, row.hint_fr]
        assert all(texts)
        assert row.what != row.what_fr
        assert row.hint != row.hint_fr


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EACCES, "port-denied"),
        (errno.EPERM, "port-denied"),
        (errno.EBUSY, "port-busy"),
        (errno.EAGAIN, "port-busy"),
        (errno.ENOENT, "port-absent"),
        (errno.ENXIO, "port-absent"),
        (errno.EIO, "unplugged"),
        (None, "unplugged"),
    ],
)
def test_refused_port_says_what_to_do(number: int | None, code: str) -> None:
    """It should tell a missing board from a forbidden one and from one that another program holds."""
    error = serial.SerialException(number, "no") if number is not None else serial.SerialException("odd")
    explained = errors.port_error(error, "/dev/felt")
    assert (explained.code, explained.where) == (code, "/dev/felt")


def test_codes_are_those_of_the_contract() -> None:
    """It should number orders and places as the panel and the simulated dealer do."""
    assert [codes.order_code(name) for name in ("deal", "burn", "board", "ask", "wait")] == [0, 1, 2, 22, 23]
    assert codes.order_code("push_pot") == 20
    assert [codes.place_code(f"seat{seat}") for seat in range(1, 11)] == list(range(1, 11))
    wanted = {"none": 0, "board": 11, "burn": 12, "muck": 13, "deck": 14, "pot": 15, "aside": 16}
    assert {name: codes.place_code(name) for name in wanted} == wanted
    assert [codes.colour_code(name) for name in ("off", "red", "amber", "green", "blue")] == [0, 1, 2, 3, 4]
    assert len(codes.ORDERS) == 24
    with pytest.raises(errors.BadCommand, match="order"):
        codes.order_code("shout")


def test_observations_are_a_tagged_union() -> None:
    """It should be possible to write observations down and read them back as what they were."""
    said = Inventory(
        t=1.5, device="felt", antenna=1, kind="seat", index=3, uids=("04AA",), quality=9, cycle=2
    )
    raw = msgspec.json.encode(said)
    assert msgspec.json.decode(raw, type=Observation) == said
    assert b'"observation":"inventory"' in raw
    assert "04AA" not in repr(said)
