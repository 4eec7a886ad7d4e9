"""What leaves the table after each step: lamps, display and acts to the panel, documents and answers to the line.

Only differences are sent; nothing is shown before the step that it follows from is in the journal.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from engine import machine
from engine.state import FloorCall
from engine.wording import say_incident
from firmware_bridge.devices import Devices
from firmware_bridge.observations import DeviceState, Fault
from table_controller import messages as m
from table_controller import reporting
from table_controller.config import TableConfig
from table_controller.errors import TableError
from table_controller.journal import Journal
from table_controller.mqtt_link import CommandArrived, Connected, Disconnected, MqttLink
from table_controller.orders_out import WIDTH, Code, acts, code_of, lamp_of
from table_controller.panel.panel import Panel
from table_controller.running import Running, call_id

_STATES: Final[dict[str, str]] = {
    "found": "degraded",
    "ready": "ok",
    "degraded": "degraded",
    "lost": "lost",
}
_REV: Final = 10**9
_CALLED: Final = {"fr": "La table appelle l'arbitre", "en": "The table calls the floor"}


class Showing:
    """Everything that people and the hub see of one table."""

    def __init__(
        self,
        running: Running,
        journal: Journal,
        devices: Devices,
        link: MqttLink | None,
        config: TableConfig,
        utc: Callable[[], str],
        panel: Panel,
    ) -> None:
        self._running = running
        self._journal = journal
        self._devices = devices
        self._link = link
        self._config = config
        self._utc = utc
        self._panel = panel
        self._rev = journal.boot * _REV
        self._codes: tuple[Code, ...] | None = None
        self._lines: tuple[str, str] | None = None
        self._lamps: dict[int, tuple[str, bool]] = {}
        self._state: m.TableState | None = None
        self._device_states: dict[str, m.Device] = {}
        self._alerts: set[str] = set()
        self._trouble = ""
        self._firmware: str | None = None

    # -- after each step ---------------------------------------------------------------------------------

    def show(self) -> None:
        """Show what has changed."""
        running = self._running
        self._trouble = ""
        shown = acts(running.state, running.expects, lambda seat: running.fusion.balance(running.state, seat))
        codes = tuple(code_of(order) for order in shown)
        if codes != self._codes:
            self._codes = codes
            self._devices.send_orders(codes)
        self._write(self._panel.lines())
        if self._config.panel.lamps:
            self._light()
        if self._link is not None:
            self._publish()
            self._alert()

    def trouble(self, error: TableError) -> None:
        """Something stands in the way of going on: people must read it."""
        if self._trouble != error.code:
            self._trouble = error.code
            self._write((error.what[:WIDTH], error.hint[:WIDTH]))

    def _write(self, text: tuple[str, str]) -> None:
        if text == self._lines:
            return
        before = self._lines or (None, None)
        self._lines = text
        for number, line in enumerate(text):
            if line != before[number]:
                self._devices.set_display(number, line)

    def _light(self) -> None:
        """Seat lamps: their cards; the one that the instruction is about blinks, all are blue for the floor."""
        running = self._running
        doubtful = {doubt.place for doubt in running.doubts}
        turn, floor = self._panel.seat, self._panel.floor
        told = self._panel.told_in
        seated = {seat.seat for seat in running.desired.seats}
        for seat in range(1, 11):
            colour = lamp_of(
                running.state, seat, running.fusion.readable(seat), doubt=f"seat{seat}" in doubtful
            )
            blink = seat == turn
            if told and seat in told:
                colour = "green"
            if floor is not None:
                colour, blink = ("blue" if seat in seated else "off"), floor != "heard" and seat in seated
            elif blink and colour == "off":
                colour = "blue"
            if self._lamps.get(seat, ("off", False)) != (colour, blink):
                self._lamps[seat] = (colour, blink)
                self._devices.set_lamp(seat, colour, blink=blink)

    # -- to the line -------------------------------------------------------------------------------------

    def _publish(self) -> None:
        running = self._running
        state = running.state
        desired = running.effective
        snapshot = reporting.snapshot(
            state,
            machine.summary(state, running.book),
            running.expects,
            rev=self._rev,
            seq=self._journal.head_seq,
            level=running.level if state.hand else None,
            doubts=running.doubts,
            readable={seat: running.fusion.readable(seat) for seat in state.seats},
            seated=desired.seats,
            gate_used=running.last.gate_used,
            desired_rev=desired.rev,
            desired_epoch=desired.epoch,
            life=self._journal.life,
            boot=self._journal.boot,
            parked=state.phase in ("over", "void") and bool(desired.hold),
            hold=desired.hold,
            calls=(
                *(call_id(call.event) for call in state.calls),
                *([running.here.call] if running.here.call is not None else ()),
            ),
            tournament=desired.tournament,
            rulebook=running.book.id,
        )
        if self._link is None or snapshot == self._state:
            return
        self._state = snapshot
        self._rev += 1
        self._link.set_state(_stamped(snapshot, self._rev, running.now, self._utc()))

    def _alert(self) -> None:
        """An open call of the floor is an alert until it is closed."""
        if self._link is None:
            return
        running = self._running
        calls: dict[str, FloorCall] = {call_id(call.event): call for call in running.state.calls}
        if running.here.call is not None:
            # somebody at the table has called the floor, and no rule has
            calls[running.here.call] = FloorCall("", running.state.to_act, None, -1)
        for gone in self._alerts - set(calls):
            self._link.clear_alert(gone)
        for name in sorted(set(calls) - self._alerts):
            call = calls[name]
            self._link.set_alert(
                m.Alert(
                    id=name,
                    kind="ruling",
                    text=m.Words(
                        fr=say_incident(call.incident, "fr") if call.incident else _CALLED["fr"],
                        en=say_incident(call.incident, "en") if call.incident else _CALLED["en"],
                    ),
                    t=running.now,
                    utc=self._utc(),
                    hand=running.state.hand or None,
                    seat=call.seat,
                    incident=call.incident or None,
                    rulebook=running.book.id,
                )
            )
        self._alerts = set(calls)

    def birth(self) -> None:
        """Say who the table is; again whenever a device comes or goes."""
        link = self._link
        if link is None:
            return
        running, journal = self._running, self._journal
        seated = {seat.seat: seat.entry for seat in running.desired.seats}
        coverage = running.fusion.coverage
        link.set_birth(
            m.Birth(
                life=journal.life,
                boot=journal.boot,
                conn=1,
                software="maldonne 0.1.0",
                schema_minor=m.SCHEMA_MINOR,
                firmware=self._firmware,
                devices=tuple(self._device_states.values()),
                seats=tuple(
                    m.BirthSeat(seat=seat, entry=seated.get(seat), covered=coverage.of_seat(seat))
                    for seat in range(1, 11)
                    if seat in seated or coverage.of_seat(seat)
                ),
                outbox=m.OutboxSpan(first=journal.hub_ack + 1, last=journal.head_seq),
                t=running.now,
                utc=self._utc(),
            )
        )
        link.set_status("ready")
        self._running.fusion.coverage  # noqa: B018

    def beat(self) -> None:
        """Prove that the loop lives."""
        if self._link is None:
            return
        health = {each.name: each.last_seen for each in self._devices.health()}
        self._link.beat(
            m.Heartbeat(
                life=self._journal.life,
                boot=self._journal.boot,
                conn=1,
                seq=self._journal.head_seq,
                t=self._running.now,
                synced=_clock_is_set(),
                devices=health,
                load=os.getloadavg()[0],
                temperature=_temperature(),
                utc=self._utc(),
            )
        )

    def line(self, news: Connected | Disconnected) -> None:
        """The broker came or went; the table plays on either way."""
        if isinstance(news, Connected):
            self._state = None
            self.birth()

    def command(self, news: CommandArrived) -> None:
        """Do what the hub asks for once."""
        if self._link is None:
            return
        command = news.command
        ok = True
        if isinstance(command, m.Identify):
            for seat in range(1, 11):
                self._devices.set_lamp(seat, "blue", blink=True)
            self._lamps = dict.fromkeys(range(1, 11), ("identify", True))
            self._devices.set_display(0, f"{self._config.mqtt.club} / {self._config.mqtt.table}"[:WIDTH])
            self._lines = None
        elif isinstance(command, m.Reprint):
            self._codes = self._lines = None
        elif isinstance(command, m.RunoutRelease):
            ok = self._running.release(command.hand)
        self._link.reply(news.verb, m.Reply(tx=command.tx, ok=ok, code=None if ok else "other_hand"))

    # -- devices -----------------------------------------------------------------------------------------

    def device(self, seen: DeviceState | Fault) -> None:
        """A device came, works badly or is gone: everybody learns of it, the table goes on."""
        if isinstance(seen, Fault):
            self._tell(seen.device, "degraded", seen.code)
            return
        if seen.state == "ready":
            self._codes = self._lines = None
            self._lamps.clear()
            mcu = self._devices.mcus.get(seen.device)
            self._firmware = (mcu.health().firmware or None) if mcu is not None else self._firmware
        if seen.state != "found":
            self._tell(seen.device, _STATES[seen.state], seen.code.replace("-", "_"))

    def _tell(self, name: str, state: str, code: str) -> None:
        before = self._device_states.get(name)
        now = m.Device(
            name=name,
            state=state,  # type: ignore[arg-type]
            code=code or None,
            firmware=self._firmware,
        )
        if before is not None and (before.state, before.code) == (now.state, now.code):
            return
        self._device_states[name] = now
        self._running.tell(m.DeviceChange(name=name, state=now.state, code=now.code))
        self.birth()


def _stamped(snapshot: m.TableState, rev: int, t: float, utc: str) -> m.TableState:
    import msgspec

    return msgspec.structs.replace(snapshot, rev=rev, t=t, utc=utc)


def _clock_is_set() -> bool:
    """Whether the wall clock was set by a time server since the machine started."""
    return os.path.exists("/run/systemd/timesync/synchronized")  # noqa: PTH110


def _temperature() -> float | None:
    """The machine's temperature in degrees Celsius, where it has a sensor."""
    try:
        with open("/sys/class/thermal/thermal_zone0/temp", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read()) / 1000
    except (OSError, ValueError):
        return None
