"""How a device without a protocol of its own stands with the table: told once, and again only when it changes."""

import logging
from typing import Final, Literal

from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.errors import DeviceError
from firmware_bridge.observations import DeviceState

LOGGER: Final = logging.getLogger(__name__)

State = Literal["found", "ready", "degraded", "lost"]


class Standing:
    """The state of one device, as the table was told it.

    Attributes:
        state: `lost` before it was ever found.
        code: Slug of the error behind it; empty when all is well.
    """

    def __init__(self, name: str, clock: TableClock, out: Sink) -> None:
        self.state: State = "lost"
        self.code = ""
        self._name = name
        self._clock = clock
        self._out = out
        self._told: tuple[State, str, str] | None = None

    def tell(self, state: State, detail: str = "") -> None:
        """All is well, or getting well."""
        self._say(state, "", "", detail)

    def fault(self, state: State, error: DeviceError) -> None:
        """Something is wrong: it works badly, or is gone."""
        self._say(state, error.code, error.hint, f"{error.where}: {error.what}")

    def _say(self, state: State, code: str, hint: str, detail: str) -> None:
        self.state, self.code = state, code
        # a second reason within one state is news: another button is stuck as well
        news = (state, code, detail if state == "degraded" else "")
        if self._told == news:
            return
        self._told = news
        LOGGER.log(
            logging.WARNING if code else logging.INFO, "%s is %s %s %s", self._name, state, code, detail
        )
        self._clock.publish(
            self._out,
            lambda t: DeviceState(t=t, device=self._name, state=state, code=code, hint=hint, detail=detail),
        )
