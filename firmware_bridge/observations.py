"""What one sensor said: the only thing that leaves a device's thread.

Level, not edge: an observation tells the present state, so that a lost one heals with the next. Each carries the
`device` that said it and `t`, seconds on the table's monotonic clock, made of the device's own stamp where it has one.
An observation knows no cards and no chips, only tags; and none of them prints a tag's UID.
"""

from typing import Literal

import msgspec


class _Observation(msgspec.Struct, frozen=True, kw_only=True, tag_field="observation"):
    """What all observations carry.

    Attributes:
        t: Seconds on the table's monotonic clock; never less than that of the observation before it in the queue.
        device: The name of the device in the table's configuration; `table` for ticks.
    """

    t: float
    device: str


class Inventory(_Observation, frozen=True, kw_only=True, tag="inventory"):
    """The whole set of tags that lie on one antenna now.

    A tag that is not in it was not read in this cycle, which proves nothing by itself.

    Attributes:
        antenna: The antenna's number on its board.
        kind: What it lies under, as the board says it: `deck`, `seat`, `board`, `burn`, `muck`, `bet`, `stack`,
            `pot`, `bank`; `unknown` when the board does not say. The table's configuration wins over it.
        index: Which of its kind (seat 3: 3), 0 where there is one only.
        uids: UIDs in upper-case hex, sorted: tags of one cycle have no order.
        quality: 0 to 100, the reader's own judgement of this cycle.
        cycle: Number of the scan cycle, 32 bits, starts again when the board restarts.
    """

    antenna: int
    kind: str
    index: int
    uids: tuple[str, ...]
    quality: int
    cycle: int

    def __repr__(self) -> str:
        return (
            f"Inventory(t={self.t}, device={self.device!r}, antenna={self.antenna}, kind={self.kind!r}, "
            f"index={self.index}, uids=<{len(self.uids)} tags>, quality={self.quality}, cycle={self.cycle})"
        )


class Button(_Observation, frozen=True, kw_only=True, tag="button"):
    """A button of the panel is down or up.

    Attributes:
        id: Number of the button (1 FOLD … 18 UNDO).
        pressed: Down now.
        count: Changes of its line since the board started, modulo 65536.
        gap: Changes were missed between the last observation of this button and this one.
    """

    id: int
    pressed: bool
    count: int
    gap: bool


class Shoe(_Observation, frozen=True, kw_only=True, tag="shoe"):
    """The dealing shoe's state.

    Attributes:
        state: `ready`, `feeding`, `double_feed`, `jam`, `empty`, `door`, `misaligned`, `disarmed`; `unknown` for
            a state that this program does not know.
        cards_out: Cards that have left the shoe.
        target: Where the last card went: 1 to 10 a seat, 11 board, 12 burn, 0 none.
        command_id: The feed that sent it there.
    """

    state: str
    cards_out: int
    target: int
    command_id: int


class Fault(_Observation, frozen=True, kw_only=True, tag="fault"):
    """A device reports a fault of its own and works on as well as it can.

    Attributes:
        code: Stable slug: `antenna_open`, `reader_silent`, `supply_low`, `display`, `lamp`, `button_stuck`,
            `memory`, or `fault_<number>`.
        argument: The antenna, lamp, button or millivolts that it concerns.
    """

    code: str
    argument: int


class CommandRefused(_Observation, frozen=True, kw_only=True, tag="command_refused"):
    """A command did not take effect, and will not be tried again by itself.

    Attributes:
        command: Frame name of the command: `FEED`, `LAMP`, …
        reason: `unknown-type`, `bad-payload`, `busy`, `not-armed`, `out-of-range`, `not-fitted`, `not-connected` or
            `connection-lost` (it may have been carried out: look at the shoe's state).
        command_id: Of a FEED; 0 for all others.
    """

    command: str
    reason: str
    command_id: int


class DeviceState(_Observation, frozen=True, kw_only=True, tag="device_state"):
    """A device came, works, works badly, or is gone.

    Attributes:
        state: `found` (something is there), `ready` (it said who it is; its antennas follow), `degraded`, `lost`.
        code: Slug of the defined error behind it (`firmware_bridge.errors.DEFINED`), empty when all is well.
        hint: What to do next, in English; the table of errors has it in French.
        detail: What exactly was seen, for the technician.
    """

    state: Literal["found", "ready", "degraded", "lost"]
    code: str = ""
    hint: str = ""
    detail: str = ""


class Heartbeat(_Observation, frozen=True, kw_only=True, tag="heartbeat"):
    """A board lives, with its counters of trouble since it started.

    Attributes:
        bad_frames: Frames that reached the board broken.
        resent: Frames that the board had to send again.
        lost: Frames that the board gave up.
        supply: Volts at the board.
        temperature: Degrees Celsius; None where the board has no sensor.
    """

    bad_frames: int
    resent: int
    lost: int
    supply: float
    temperature: int | None


class Tick(_Observation, frozen=True, kw_only=True, tag="tick"):
    """The table's clock passed a full tenth of a second: deadlines fire on these and on nothing else."""


Observation = Inventory | Button | Shoe | Fault | CommandRefused | DeviceState | Heartbeat | Tick
