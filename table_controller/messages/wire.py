"""Bytes in, messages out, and back: with the limits that keep a hostile or broken peer harmless.

A payload is at most 16 KiB of JSON, at most 8 deep, without NaN and without an object that names a key twice.
A receiver ignores fields that it does not know (a peer of a later minor version sent them); a sender refuses them.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from table_controller.messages.errors import (
    DuplicateKey,
    MessageMalformed,
    MessageTooDeep,
    MessageTooLarge,
    NotFinite,
    UnknownField,
)

#: Longest payload, in bytes.
MAX_BYTES: Final = 16 * 1024
#: Deepest nesting of objects and lists; the payload itself is 1.
MAX_DEPTH: Final = 8
#: `prev` of a life's first event.
GENESIS: Final = "0" * 64

T = TypeVar("T")

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_OPENING = frozenset(b"{[")
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_encoder = msgspec.json.Encoder()


def chain_hash(prev: str, data: bytes) -> str:
    """The link from one record to the next: SHA-256 over the previous link and this record's bytes, hex.

    For an event, `data` is the whole payload as published. Whoever holds the payloads can verify the stream.
    """
    return hashlib.sha256(prev.encode("ascii") + data).hexdigest()


def plain(data: bytes | bytearray | memoryview, *, where: str = "") -> Any:
    """Reads JSON under all limits, without a form: what the checks of every receiver begin with.

    Raises:
        MessageTooLarge, MessageTooDeep, DuplicateKey, NotFinite, MessageMalformed: See each.
    """
    raw = bytes(data)
    within_limits(raw, where)
    try:
        return _reader.decode(raw.decode("utf-8"))
    except (DuplicateKey, NotFinite) as error:
        raise type(error)(error.what, where=where) from None
    except (ValueError, RecursionError) as error:
        raise MessageMalformed(f"not JSON: {error}", where=where) from None


def within_limits(raw: bytes, where: str) -> None:
    """Refuses what is too large or nested too deep.

    Raises:
        MessageTooLarge, MessageTooDeep: See each.
    """
    if len(raw) > MAX_BYTES:
        raise MessageTooLarge(f"{len(raw)} bytes, at most {MAX_BYTES} are allowed", where=where)
    depth = deepest = 0
    for byte in _STRING.sub(b"", raw).translate(None, _NOT_BRACKETS):
        depth += 1 if byte in _OPENING else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise MessageTooDeep(f"nested {deepest} deep, at most {MAX_DEPTH} is allowed", where=where)


def as_written(data: bytes, form: type[T]) -> T | None:
    """Reads what our own writer has written, byte for byte; None: it did not, and `decode` has to look closely.

    What comes out again as it went in has no key twice, no field that is not of the form and no number that is none, so
    the slow checks would find nothing. A field that is kept as raw bytes has to be looked at by itself.
    """
    try:
        message: T = _decoder(form).decode(data)
        return message if _encoder.encode(message) == data else None
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError):
        return None


def decode(
    data: bytes | bytearray | memoryview, form: type[T], *, strict: bool = False, where: str = ""
) -> T:
    """Reads a message of a known form.

    Args:
        data: The payload.
        form: The message's struct.
        strict: Refuse unknown fields (a sender's own check); receivers leave it off.
        where: What to name in an error, for example the topic.

    Raises:
        MessageError: Any of the tree; the message is to be dropped and counted.
    """
    where = where or _name(form)
    value = plain(data, where=where)
    message = fill(data, form, where=where)
    if strict:
        refuse_unknown(value, message, where)
    return message


def fill(data: bytes | bytearray | memoryview, form: type[T], *, where: str) -> T:
    """Reads what `plain` has found to be within all limits, alone or as a part of what it read.

    Raises:
        MessageMalformed, MessageTooDeep: The values are not those of the form.
    """
    try:
        message: T = _decoder(form).decode(data)
    except msgspec.MsgspecError as error:
        raise MessageMalformed(str(error), where=where) from None
    except RecursionError:
        raise MessageTooDeep("nested too deep", where=where) from None
    return message


def encode(message: msgspec.Struct, *, where: str = "") -> bytes:
    """Writes a message, and refuses what its receiver would refuse.

    Raises:
        MessageError: A value is out of bounds, not finite, or the whole is too large.
    """
    where = where or _name(type(message))
    try:
        data = _encoder.encode(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageMalformed(f"cannot be written: {error}", where=where) from None
    within_limits(data, where)
    read = as_written(data, type(message))
    if (decode(data, type(message), where=where) if read is None else read) != message:
        _refuse_not_finite(message, where)
    return data


def compose(form: type[T], fields: Mapping[str, Any], *, where: str = "") -> T:
    """Builds a message to be sent from plain data, refusing unknown fields and wrong values.

    Raises:
        UnknownField: A field that the form does not have; it would be lost silently.
        MessageMalformed: A value of the wrong type or out of bounds.
    """
    where = where or _name(form)
    try:
        message = msgspec.convert(fields, form, str_keys=True)
    except msgspec.MsgspecError as error:
        raise MessageMalformed(str(error), where=where) from None
    refuse_unknown(fields, message, where)
    return message


def refuse_unknown(value: Any, message: Any, where: str) -> None:
    """Compares plain data with the message made of it, and refuses what the message did not take.

    Raises:
        UnknownField: Naming the path of the first one.
    """
    if isinstance(message, msgspec.Struct):
        if not isinstance(value, Mapping):
            return
        kind = type(message)
        fields = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
        tag = kind.__struct_config__.tag_field
        for key, inner in value.items():
            if key in fields:
                refuse_unknown(inner, getattr(message, fields[key]), f"{where}.{key}")
            elif key != tag:
                raise UnknownField(f"there is no field {key!r}", where=where)
    elif isinstance(message, (tuple, list)) and isinstance(value, (tuple, list)):
        for n, (inner, made) in enumerate(zip(value, message, strict=True)):
            refuse_unknown(inner, made, f"{where}[{n}]")
    elif isinstance(message, Mapping) and isinstance(value, Mapping):
        made_by_key = {str(key): made for key, made in message.items()}
        for key, inner in value.items():
            refuse_unknown(inner, made_by_key.get(str(key)), f"{where}.{key}")


def _decoder(form: Any) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(form)
    if found is None:
        found = _decoders[form] = msgspec.json.Decoder(form)
    return found


def _name(form: Any) -> str:
    return str(getattr(form, "__name__", form))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DuplicateKey(f"the key {key[:60]!r} stands twice in one object")
            seen.add(key)
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        _not_finite(text[:40])
    return number


def _not_finite(text: str) -> NoReturn:
    raise NotFinite(f"{text} is no number")


def _refuse_not_finite(value: Any, where: str) -> None:
    """The encoder writes NaN as null: where null is allowed, it would pass for "not known"."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotFinite(f"{value} is no number", where=where)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _refuse_not_finite(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            _refuse_not_finite(inner, f"{where}.{key}")
    elif isinstance(value, (tuple, list)):
        for n, inner in enumerate(value):
            _refuse_not_finite(inner, f"{where}[{n}]")


_reader = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_float=_finite, parse_constant=_not_finite
)
