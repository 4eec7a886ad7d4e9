"""The small antenna of one PN532 and the tags of ISO 14443A that lie on it.

A tag that was selected does not answer the next wake-up call, and one that was put to sleep answers none,
until the field has been off: a host that leaves the field on sees a still tag every second time. At most two
tags are listed, and two overlapping ones are known to come as 2, 1, 0.

Does not model: collisions in time, coupling and distance, tags of ISO 15693 (this chip cannot read them: they
are not seen), data exchange with a tag, types B and F.
"""

import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Final, Literal

from hw_sim.errors import ConfigError

CHIP_LIMIT: Final = 2
_SIZES: Final = (4, 7, 10)
_CASCADE_TAG: Final = 0x88
# SENS_RES by the length of the UID, and SEL_RES: a MIFARE Classic and two Type 2 tags
_SENS_RES: Final = {4: b"\x00\x04", 7: b"\x00\x44", 10: b"\x00\x84"}
_SEL_RES: Final = {4: 0x08, 7: 0x00, 10: 0x00}


@dataclass(frozen=True)
class ReaderFaults:
    """What is broken at one reader, as shares of reads or of commands (0 to 1).

    Attributes:
        miss: A tag is not seen in a read.
        flicker: Two tags are listed as 2, 1, 0; a single one every second time.
        merge: Two tags come as one UID that does not exist, with no error.
        cut: Only the first cascade level of a longer UID comes: four bytes that begin with 88.
        halt: A noisy answer counts as none and leaves the tag asleep until the field was off.
        no_ack: A command is not even acknowledged.
        short_frame: A response stops after three bytes.
        bad_checksum: A response has a wrong checksum.
        error_frame: A command is answered with the chip's error frame.
        stall: A command is acknowledged and never answered, until it is given up.
    """

    miss: float = 0.0
    flicker: bool = False
    merge: float = 0.0
    cut: float = 0.0
    halt: float = 0.0
    no_ack: float = 0.0
    short_frame: float = 0.0
    bad_checksum: float = 0.0
    error_frame: float = 0.0
    stall: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            if not 0.0 <= float(getattr(self, each.name)) <= 1.0:
                raise ConfigError(f"fault {each.name}={getattr(self, each.name)}", hint="0 to 1")


LINE_FAULTS: Final = ("no_ack", "short_frame", "bad_checksum", "error_frame", "stall")


class Pad:
    """The place above a reader: people put tags there and take them away, from any thread."""

    def __init__(self, *uids: str) -> None:
        self._lock = threading.Lock()
        self._uids: tuple[str, ...] = ()
        for uid in uids:
            self.put(uid)

    def __call__(self) -> tuple[str, ...]:
        """The UIDs that lie there, the first laid first, as uppercase hex."""
        return self._uids

    def put(self, uid: str) -> None:
        """Lay a tag down; one that lies there already stays.

        Raises:
            ConfigError: That is no UID.
        """
        try:
            bytes.fromhex(uid)
        except ValueError:
            raise ConfigError(f"{uid!r} is no UID", hint="4, 7, 8 or 10 bytes in hex") from None
        with self._lock:
            if uid.upper() not in self._uids:
                self._uids = (*self._uids, uid.upper())

    def take(self, uid: str) -> None:
        """Take a tag away; one that is not there is no matter."""
        with self._lock:
            self._uids = tuple(each for each in self._uids if each != uid.upper())

    def clear(self) -> None:
        """Take everything away."""
        with self._lock:
            self._uids = ()


@dataclass(frozen=True)
class Found:
    """What the chip tells of one tag."""

    uid: bytes

    def target(self, number: int) -> bytes:
        """The entry of InListPassiveTarget: number, SENS_RES, SEL_RES, UID with its length."""
        size = len(self.uid)
        return bytes((number,)) + _SENS_RES[size] + bytes((_SEL_RES[size], size)) + self.uid


_Awake = Literal["idle", "active", "halt"]


class Air:
    """The field of one reader: who answers when the chip calls."""

    def __init__(self, tags: Callable[[], Iterable[str]], faults: ReaderFaults, seed: str) -> None:
        self.faults = faults
        self.on = False
        self.calls = 0
        self._tags = tags
        self._rng = random.Random(f"{seed}/air")
        self._awake: dict[bytes, _Awake] = {}
        self._flickers = 0

    def switch(self, on: bool) -> None:
        """Switch the field; without it every tag forgets that it was ever spoken to."""
        self.on = on
        if not on:
            self._awake.clear()

    def release(self) -> None:
        """Put the selected tags to sleep."""
        for uid, awake in self._awake.items():
            if awake == "active":
                self._awake[uid] = "halt"

    def list(self, most: int) -> list[Found]:
        """Call for tags and select at most so many; switches the field on when it is off."""
        self.calls += 1
        self.on = True
        present = [uid for uid in map(bytes.fromhex, self._tags()) if len(uid) in _SIZES]
        self._awake = {uid: self._awake.get(uid, "idle") for uid in present}
        answering = [uid for uid in present if self._answers(uid)]
        limit = min(most, CHIP_LIMIT)
        if self.faults.flicker and present:
            limit = min(limit, self._flicker(len(present)))
        if len(answering) >= 2 and self._happens(self.faults.merge):
            first, second = answering[:2]
            if len(first) == len(second):
                return [Found(bytes(a | b for a, b in zip(first, second, strict=True)))]
        found: list[Found] = []
        for uid in answering[:limit]:
            if self._happens(self.faults.halt):
                self._awake[uid] = "halt"
                continue
            if found:
                # the chip puts the first one to sleep before it calls for the second
                self._awake[found[-1].uid] = "halt"
            self._awake[uid] = "active"
            found.append(Found(uid))
        return [self._cut(each) for each in found]

    def _answers(self, uid: bytes) -> bool:
        awake = self._awake[uid]
        if awake == "active":
            self._awake[uid] = "idle"
        return awake == "idle" and not self._happens(self.faults.miss)

    def _flicker(self, present: int) -> int:
        self._flickers += 1
        steps = min(present, CHIP_LIMIT) + 1
        return (-self._flickers) % steps

    def _cut(self, found: Found) -> Found:
        if len(found.uid) > 4 and self._happens(self.faults.cut):
            return Found(bytes((_CASCADE_TAG,)) + found.uid[:3])
        return found

    def _happens(self, share: float) -> bool:
        return share > 0.0 and self._rng.random() < share
