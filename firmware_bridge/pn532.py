"""One PN532 reader through nfcpy: opened safely, asked for UIDs, closed for the next program.

nfcpy lets many kinds of exceptions out and leaves ports open; here they become the errors of this package, and the
port is closed whatever happened. A chip whose program died keeps its speed and its command: it is called back
to 115,200 baud and asked again. Nothing here is for two threads.
"""

import errno
import logging
import re
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import serial

from firmware_bridge.device_errors import (
    BadReaderPath,
    ReaderFailing,
    ReaderLibraryMissing,
    ReaderMissing,
)
from firmware_bridge.errors import DeviceError, Unplugged, port_error

try:
    import nfc.clf
    import nfc.clf.pn532
    from nfc.clf.pn53x import Chipset
    from nfc.clf.transport import TTY
except (ImportError, OSError) as error:  # a machine without libusb
    LIBRARY_ERROR: Exception | None = error
    TTY = object
    CHIP_ERRORS: tuple[type[Exception], ...] = ()
else:
    LIBRARY_ERROR = None
    # everything that was seen to come out of nfcpy for what a chip or a line did
    CHIP_ERRORS = (
        OSError,
        serial.SerialException,
        termios.error,
        IndexError,  # a frame that stops
        ValueError,  # a version that is none
        AssertionError,
        nfc.clf.Error,
        Chipset.Error,
    )

LOGGER: Final = logging.getLogger(__name__)
# below this nfcpy writes every UID into the log
logging.getLogger("nfc").setLevel(logging.INFO)
FIRST_BAUD: Final = 115_200
OTHER_BAUDS: Final = (921_600, 460_800, 230_400)
"""Speeds that a chip may have been left at, the likeliest first."""
CHIP_LIMIT: Final = 2
_PATH: Final = re.compile(r"/[A-Za-z0-9._+:@=,/-]+")
_CHIP_SETTLES_S: Final = 0.01
_ACK_MS: Final = 100
_SLOW_ADAPTER_MS: Final = 1000
"""The first byte of a USB adapter on a Pi can come so late."""
_LINE_ERRORS: Final = (OSError, serial.SerialException, termios.error)
_GONE: Final = frozenset((errno.ENXIO, errno.ENOENT, errno.EBADF))
_IN_WORDS: Final = {
    errno.ETIMEDOUT: "the chip did not answer in time",
    errno.EIO: "a broken frame, or no acknowledgement",
}
_LIST_COMMAND: Final = 0x4A
_UID_SIZES: Final = (4, 7, 10)
_CASCADE_TAG: Final = 0x88
_HAS_ATS: Final = 0x20
_ACK: Final = bytes.fromhex("0000ff00ff00")
_PREAMBLE: Final = bytes(10)
_TO_FIRST_BAUD: Final = bytes.fromhex("0000ff03fdd410041800")
_TO_FIRST_BAUD_DONE: Final = bytes.fromhex("0000ff02fed5111a00")


def check_path(path: str) -> None:
    """Refuse a path that is not plain: nfcpy gives it to a shell, and formats it.

    Raises:
        BadReaderPath: Not absolute, or with a character that a device's path does not need.
    """
    if not _PATH.fullmatch(path):
        raise BadReaderPath(where=repr(path))


class _Port(TTY):  # type: ignore[misc]
    """nfcpy's serial port, held alone, with a deadline for writing, and closed for good."""

    def open(self, port: str, baudrate: int = FIRST_BAUD) -> None:
        self.close()
        self.tty = serial.Serial(port, baudrate, timeout=0.05, write_timeout=1.0, exclusive=True)

    def close(self) -> None:
        tty, self.tty = getattr(self, "tty", None), None
        if tty is None:
            return
        try:
            # nfcpy throws away what is not out yet, which can be the ACK that lets the chip change its speed
            tty.flush()
        except _LINE_ERRORS as gone:
            LOGGER.debug("the port was gone before it was closed: %s", gone)
        finally:
            tty.close()


class Pn532:
    """A reader that answers. Open with `Pn532.open`.

    Attributes:
        path: Where it is plugged in.
        chip: What it said it is.
    """

    def __init__(self, path: str, port: Any, device: Any) -> None:
        self.path = path
        self.chip: str = device.chipset_name
        self._port = port
        self._frontend = nfc.ContactlessFrontend()
        self._frontend.device = device
        self._target = nfc.clf.RemoteTarget("106A")

    @classmethod
    def open(cls, path: str) -> "Pn532":
        """Find the chip at the port, whatever state its last program left it in. Takes at most about 3 s.

        Raises:
            BadReaderPath: The path is not a plain one.
            ReaderLibraryMissing: nfcpy cannot be loaded.
            PortAbsent, PortDenied, PortBusy, Unplugged: The port cannot be opened.
            ReaderMissing: No PN532 answers there.
        """
        check_path(path)
        if LIBRARY_ERROR is not None:
            raise ReaderLibraryMissing(str(LIBRARY_ERROR), where=path)
        # nfcpy knows slow adapters and ports by the system's own name, not by a stable link to it
        device = str(Path(path).resolve())
        check_path(device)
        try:
            port = _Port(device)
        except _LINE_ERRORS as refused:
            raise port_error(refused, path) from refused
        try:
            return cls(path, port, _find(port, path, device))
        except BaseException:
            port.close()
            raise

    def read_one(self) -> tuple[str, ...]:
        """The UID of one tag on the antenna, upper-case hex; empty when none answers.

        Raises:
            ReaderFailing: This read went wrong; the next may go well.
            Unplugged: The line is gone.
        """
        with self._explained():
            found = self._frontend.sense(self._target, iterations=1)
            # a tag of another type answers without a UID
            return _plain_uids(() if found is None or not found.sdd_res else (bytes(found.sdd_res),))

    def read_two(self) -> tuple[str, ...]:
        """The UIDs of at most two tags on the antenna, which is the chip's limit.

        Raises:
            ReaderFailing: This read went wrong; the next may go well.
            Unplugged: The line is gone.
        """
        with self._explained():
            device = self._frontend.device
            # without the field's pause a tag that was read does not answer the next time
            device.mute()
            answer = device.chipset.command(_LIST_COMMAND, bytes((CHIP_LIMIT, 0)), 1.0)
            return _plain_uids(_targets(bytes(answer)))

    def close(self) -> None:
        """Send the chip back to 115,200 baud and to sleep, and close the port, whatever is left of them."""
        try:
            self._frontend.close()
        except CHIP_ERRORS as gone:
            LOGGER.debug("%s: closing: %s", self.path, gone)
        finally:
            self._frontend.device = None
            self._port.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except CHIP_ERRORS as failed:
            raise _explain(failed, self.path) from failed


def _find(port: _Port, path: str, device: str) -> Any:
    """Start the chip; if it does not answer, call it back from other speeds first."""
    try:
        return nfc.clf.pn532.init(port)
    except CHIP_ERRORS as first:
        failed = first
    for baud in OTHER_BAUDS:
        try:
            if _call_back(port, device, baud):
                return nfc.clf.pn532.init(port)
        except CHIP_ERRORS as again:
            failed = again
    if not _is_slow(device):
        # a chip that was only late the first time
        try:
            port.open(device)
            return nfc.clf.pn532.init(port)
        except CHIP_ERRORS as last:
            failed = last
    error = _explain(failed, path)
    raise error if isinstance(error, Unplugged) else ReaderMissing(where=path) from failed


def _is_slow(device: str) -> bool:
    return device.startswith("/dev/ttyUSB")


def _call_back(port: _Port, device: str, baud: int) -> bool:
    """End what the chip may be doing at this speed and send it to the first one; whether it did."""
    patience = _SLOW_ADAPTER_MS if _is_slow(device) and baud == OTHER_BAUDS[0] else _ACK_MS
    port.open(device, baud)
    port.write(_PREAMBLE + _ACK)
    time.sleep(_CHIP_SETTLES_S)
    port.write(_PREAMBLE + _TO_FIRST_BAUD)
    if bytes(port.read(timeout=patience)) != _ACK:
        return False
    if bytes(port.read(timeout=_ACK_MS)) != _TO_FIRST_BAUD_DONE:
        return False
    port.write(_ACK)
    # opening closes first, which lets the ACK out to its end; the chip needs a moment to change
    port.open(device)
    time.sleep(_CHIP_SETTLES_S)
    return True


def _explain(error: Exception, path: str) -> DeviceError:
    """What an exception of nfcpy means: the line is gone, or one exchange went wrong."""
    number = (
        error.args[0] if isinstance(error, termios.error) and error.args else getattr(error, "errno", None)
    )
    if isinstance(error, serial.SerialException | termios.error) or number in _GONE:
        return Unplugged(f"the line broke: {error}", where=path)
    what = (number and _IN_WORDS.get(number)) or str(error) or type(error).__name__
    if isinstance(error, IndexError):
        what = "a frame stopped half-way"
    return ReaderFailing(what, where=path)


def _targets(answer: bytes) -> list[bytes]:
    """The UIDs of an answer to InListPassiveTarget.

    Raises:
        IndexError: It ends too early.
        ValueError: It does not end where its targets do.
    """
    for with_ats in (False, True):
        try:
            return _split(answer, with_ats)
        except (IndexError, ValueError):
            # only tags that speak ISO 14443-4 have more to say, and only where it was asked of them
            if with_ats:
                raise
    return []


def _split(answer: bytes, with_ats: bool) -> list[bytes]:
    uids: list[bytes] = []
    at = 1
    for _ in range(answer[0]):
        sel_res, size = answer[at + 3], answer[at + 4]
        uid = answer[at + 5 : at + 5 + size]
        if len(uid) < size:
            raise IndexError("a UID stopped half-way")
        uids.append(uid)
        at += 5 + size
        if with_ats and sel_res & _HAS_ATS:
            at += answer[at]
    if at != len(answer):
        raise ValueError("the list of targets has another length than its entries")
    return uids


def _plain_uids(uids: "tuple[bytes, ...] | list[bytes]") -> tuple[str, ...]:
    """Sorted upper-case hex, each once.

    Raises:
        ValueError: A UID of no length that there is, or one cut off after its first cascade level.
    """
    for uid in uids:
        if len(uid) not in _UID_SIZES or (len(uid) == _UID_SIZES[0] and uid[0] == _CASCADE_TAG):
            raise ValueError("a UID was cut off")
    return tuple(sorted({uid.hex().upper() for uid in uids}))
