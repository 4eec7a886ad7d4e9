"""The real panel driver over the real gpiozero, on a simulated Pi 4 and Pi 5, through lgpio and through RPi.GPIO."""

import gc
import importlib.metadata
import queue
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from scripted_board import Heard

from firmware_bridge import errors, panel
from firmware_bridge.clock import TableClock
from firmware_bridge.debounce import ContactTiming
from firmware_bridge.observations import Button, CommandRefused, DeviceState, Fault
from firmware_bridge.panel import LampPins, Panel, PanelSettings, PanelTiming
from hw_sim.gpio import Header, Model, Pins

DEADLINE = 20.0
FOLD, CHECK, YES = 4, 17, 27
RED, GREEN, BUZZER = 22, 23, 24
SETTINGS = PanelSettings(
    "panel",
    buttons={1: FOLD, 2: CHECK, 16: YES},
    lamps={3: LampPins(RED, GREEN), 4: LampPins(green=25)},
    buzzer=BUZZER,
)
BRISK = PanelTiming(
    contact=ContactTiming(calm=0.05), reread=0.02, blink=0.02, backoff_first=0.01, backoff_most=0.05
)

Make = Callable[..., Panel]


def with_contact(**times: float) -> PanelTiming:
    """The brisk timing with other times of the contacts."""
    return msgspec.structs.replace(BRISK, contact=msgspec.structs.replace(BRISK.contact, **times))


@pytest.fixture(params=["pi5"])
def header(request: pytest.FixtureRequest) -> Iterator[Header]:
    """A simulated header in the place of the machine's own pins."""
    model: Model = request.param
    header = Header(model)
    with Pins(header):
        yield header


@pytest.fixture
def make_panel(heard: Heard) -> Iterator[Make]:
    """Makes and starts panels; closed before the header goes."""
    made: list[Panel] = []

    def make(timing: PanelTiming = BRISK, **changes: Any) -> Panel:
        made.append(Panel(msgspec.structs.replace(SETTINGS, **changes), heard.out, timing=timing))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def ready(header: Header, make_panel: Make, heard: Heard) -> Make:
    """Makes panels and waits until they are ready."""

    def make(timing: PanelTiming = BRISK, **changes: Any) -> Panel:
        subject = make_panel(timing, **changes)
        subject.wait_ready(DEADLINE)
        assert heard.next(DeviceState).state == "ready"
        return subject

    return make


def wait_for(done: Callable[[], bool]) -> None:
    """Wait until something is so, or fail."""
    until = time.monotonic() + DEADLINE
    never = queue.SimpleQueue[None]()
    while not done():
        assert time.monotonic() < until, "waited in vain"
        try:
            never.get(timeout=0.001)
        except queue.Empty:
            continue


def buttons(heard: Heard) -> list[tuple[int, bool, int]]:
    """All changes of buttons told so far."""
    heard.drain()
    return [(said.id, said.pressed, said.count) for said in heard.all if isinstance(said, Button)]


@pytest.mark.parametrize("library", ["lgpio", "rpigpio"])
@pytest.mark.parametrize("header", ["pi4", "pi5"], indirect=True)
class TestEveryPi:
    """The same panel on both models and through both libraries."""

    @pytest.fixture(autouse=True)
    def installed(self, library: str) -> None:
        if library == "rpigpio":
            try:
                importlib.metadata.version("rpi-lgpio")
            except importlib.metadata.PackageNotFoundError:
                pytest.skip("rpi-lgpio is not installed: pip install --no-deps 'rpi-lgpio>=0.6,<1'")

    def test_press_and_release(self, header: Header, ready: Make, heard: Heard, library: str) -> None:
        """It should tell a press and its release once each, though the contact bounces for 20 ms."""
        subject = ready(library=library)
        header.play(FOLD, [(0.0, 0), (0.0001, None), (0.004, 0), (0.012, None), (0.02, 0)])
        said = heard.next(Button)
        assert (said.device, said.id, said.pressed, said.count, said.gap) == ("panel", 1, True, 1, False)
        header.play(FOLD, [(0.0, None), (0.003, 0), (0.019, None)])
        said = heard.next(Button)
        assert (said.id, said.pressed, said.count) == (1, False, 2)
        assert buttons(heard) == [(1, True, 1), (1, False, 2)]
        assert subject.health().presses == 1

    def test_two_buttons_at_once(self, header: Header, ready: Make, heard: Heard, library: str) -> None:
        """It should tell both of two buttons pressed within a millisecond."""
        ready(library=library)
        header.play(FOLD, [(0.0, 0)])
        header.play(YES, [(0.001, 0)])
        assert {heard.next(Button).id, heard.next(Button).id} == {1, 16}
        header.release(FOLD)
        header.release(YES)
        heard.next(Button, pressed=False)
        heard.next(Button, pressed=False)
        assert sorted(buttons(heard)) == [(1, False, 2), (1, True, 1), (16, False, 2), (16, True, 1)]

    def test_lamps_and_buzzer(self, header: Header, ready: Make, library: str) -> None:
        """It should switch colours, and the buzzer for its time."""
        subject = ready(library=library)
        subject.set_lamp(3, "amber")
        wait_for(lambda: (header.level(RED), header.level(GREEN)) == (1, 1))
        subject.set_lamp(3, 3)
        wait_for(lambda: (header.level(RED), header.level(GREEN)) == (0, 1))
        subject.buzz(60)
        wait_for(lambda: header.level(BUZZER) == 1)
        wait_for(lambda: header.level(BUZZER) == 0)
        subject.close()
        assert header.level(GREEN) == 0
        assert {header.line(pin).claim for pin in (FOLD, CHECK, YES, RED, GREEN, BUZZER)} == {""}

    def test_chip_that_goes_and_comes_back(
        self, header: Header, ready: Make, heard: Heard, library: str
    ) -> None:
        """It should say that the pins are gone, take them again, and show what it shall show."""
        subject = ready(library=library)
        subject.set_lamp(3, "red")
        wait_for(lambda: header.level(RED) == 1)
        header.vanish()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "gpio-failed")
        subject.buzz(5)
        header.come_back()
        heard.next(DeviceState, state="ready")
        wait_for(lambda: header.level(RED) == 1)
        header.press(CHECK)
        assert heard.next(Button).id == 2
        assert header.level(BUZZER) == 0
        assert subject.health().connections == 2

    def test_chip_that_goes_again_and_again(
        self, header: Header, ready: Make, heard: Heard, library: str
    ) -> None:
        """It should come back every time, whatever of gpiozero's devices is collected meanwhile."""
        subject = ready(library=library)
        for _ in range(6):
            header.vanish()
            heard.next(DeviceState, state="lost")
            gc.collect()
            header.come_back()
            heard.next(DeviceState, state="ready")
        assert subject.health().connections == 7


class TestButtons:
    """Contacts that are not what they should be."""

    def test_many_edges_before_a_read(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should make one press of a burst of which the kernel kept sixteen edges only."""
        ready()
        header.hold()
        header.chatter(FOLD, [0, None] * 14 + [0])
        assert header.counts.lost_events == 13
        header.go_on()
        assert heard.next(Button).pressed
        header.release(FOLD)
        assert not heard.next(Button).pressed
        assert buttons(heard) == [(1, True, 1), (1, False, 2)]

    def test_release_that_nobody_told(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should find a lost release by reading the level again, and say that something was missed."""
        ready()
        header.press(FOLD)
        assert heard.next(Button).pressed
        header.lose_edges(FOLD, 1)
        header.release(FOLD)
        said = heard.next(Button)
        assert (said.pressed, said.count, said.gap) == (False, 2, True)

    def test_press_shorter_than_the_debounce(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should make one action of a press of 0.1 s with a debounce of a second."""
        ready(with_contact(debounce=1.0))
        header.play(FOLD, [(0.0, 0), (0.1, None)])
        assert (heard.next(Button).pressed, heard.next(Button).pressed) == (True, False)
        assert buttons(heard) == [(1, True, 1), (1, False, 2)]

    def test_chatter(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should press nothing while a contact chatters, tell of it once, and believe it again when it is calm."""
        # times that a busy machine does not sleep through between two edges
        subject = ready(with_contact(debounce=0.2, shortest=0.15))

        def told() -> bool:
            header.chatter(FOLD, [0, None] * 4)
            return subject.health().state != "ready"

        wait_for(told)
        fault = heard.next(Fault)
        assert (fault.code, fault.argument) == ("button_stuck", 1)
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("degraded", "button-stuck")
        assert "FOLD chatters" in state.detail
        header.press(CHECK)
        assert heard.next(Button).id == 2
        header.release(CHECK)
        heard.next(Button)
        wait_for(lambda: subject.health().state == "ready")
        header.press(FOLD)
        assert heard.next(Button).id == 1
        assert sum(said.id == 1 for said in heard.all if isinstance(said, Button)) == 1

    def test_shorted_from_the_start(self, header: Header, make_panel: Make, heard: Heard) -> None:
        """It should press nothing with buttons that are shorted, name each of them, and work with the rest."""
        header.press(FOLD)
        header.press(YES)
        subject = make_panel()
        heard.next(Fault, argument=1)
        heard.next(Fault, argument=16)
        wait_for(lambda: subject.health().out_of_order == (1, 16))
        header.press(CHECK)
        assert heard.next(Button).id == 2
        assert {said.id for said in heard.all if isinstance(said, Button)} == {2}
        header.release(FOLD)
        state = heard.next(DeviceState, state="degraded", detail="panel: button 16 YES is held or shorted")
        assert state.hint
        header.release(YES)
        assert heard.next(DeviceState).state == "ready"
        header.press(YES)
        heard.next(Button, id=16, pressed=True)

    def test_held_too_long(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should tell of a button that never comes up, and its release when it does; one press in all."""
        ready(with_contact(stuck=0.2))
        header.press(FOLD)
        assert heard.next(Button).pressed
        assert heard.next(Fault).argument == 1
        assert heard.next(DeviceState).code == "button-stuck"
        header.release(FOLD)
        said = heard.next(Button)
        assert (said.pressed, said.count) == (False, 2)
        assert heard.next(DeviceState).state == "ready"

    def test_buttons_to_the_supply(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should work with contacts to 3.3 V under a pull-down."""
        ready(pull_up=False)
        header.drive(FOLD, 1)
        assert heard.next(Button).pressed
        header.release(FOLD)
        assert not heard.next(Button).pressed

    def test_time_is_the_tables(self, header: Header, heard: Heard) -> None:
        """It should stamp presses with the time last told at the table, as the wire carries none."""
        clock = TableClock(7.0)
        with Panel(SETTINGS, heard.out, clock=clock, timing=BRISK) as subject:
            subject.wait_ready(DEADLINE)
            clock.advance(heard.out, 2500)
            header.press(FOLD)
            assert heard.next(Button).t == 9.5


class TestLampsAndBuzzer:
    """What the table shows on it."""

    def test_blinking(self, header: Header, ready: Make) -> None:
        """It should blink until it is told otherwise."""
        subject = ready()
        subject.set_lamp(3, "red", blink=True)
        for level in (1, 0, 1, 0):
            wait_for(lambda level=level: header.level(RED) == level)  # type: ignore[misc]
        subject.set_lamp(3, "green")
        wait_for(lambda: (header.level(RED), header.level(GREEN)) == (0, 1))
        subject.set_lamp(3, "off")
        wait_for(lambda: header.level(GREEN) == 0)

    def test_lamps_that_light_low(self, header: Header, ready: Make) -> None:
        """It should drive lamps that are on when their pin is low, and begin with all of them off."""
        subject = ready(active_high=False)
        assert (header.level(RED), header.level(GREEN), header.level(BUZZER)) == (1, 1, 1)
        subject.set_lamp(3, "red")
        wait_for(lambda: header.level(RED) == 0)

    def test_colour_without_a_pin(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should refuse a colour that the lamp has not, and leave a lamp aside that the panel has not."""
        subject = ready()
        subject.set_lamp(99, "red")
        subject.set_lamp(4, "red")
        refused = heard.next(CommandRefused)
        assert (refused.device, refused.command, refused.reason) == ("panel", "LAMP", "not-fitted")
        subject.set_lamp(4, "green")
        wait_for(lambda: header.level(25) == 1)
        assert not [said for said in heard.drain() if isinstance(said, CommandRefused)]

    def test_commands_that_cannot_be(self, header: Header, ready: Make) -> None:
        """It should refuse what no panel could show."""
        subject = ready()
        for call in (
            lambda: subject.set_lamp(300, "red"),
            lambda: subject.set_lamp(3, 9),
            lambda: subject.set_lamp(3, "pink"),
            lambda: subject.buzz(70_000),
            lambda: subject.buzz(-1),
        ):
            with pytest.raises(errors.BadCommand):
                call()

    def test_buzz_is_cut_short(self, header: Header, ready: Make) -> None:
        """It should end a long buzz when it is told to buzz for no time, and be silent without a buzzer."""
        subject = ready()
        subject.buzz(60_000)
        wait_for(lambda: header.level(BUZZER) == 1)
        subject.buzz(0)
        wait_for(lambda: header.level(BUZZER) == 0)
        subject.close()
        without = ready(buzzer=None)
        without.buzz(10)
        without.set_lamp(3, "red")
        wait_for(lambda: header.level(RED) == 1)
        assert header.line(BUZZER).claim == ""

    def test_lamp_set_before_the_pins_are_there(self, header: Header, make_panel: Make, heard: Heard) -> None:
        """It should show what was asked for while the pins were away."""
        header.vanish()
        subject = make_panel()
        assert heard.next(DeviceState).code == "gpio-absent"
        subject.set_lamp(3, "red")
        header.come_back()
        subject.wait_ready(DEADLINE)
        wait_for(lambda: header.level(RED) == 1)


class TestOpening:
    """Pins that are not there, not allowed, or taken."""

    def test_library_that_is_missing(
        self, make_panel: Make, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should say what to install, and never fall back to pins that are none."""
        monkeypatch.setitem(sys.modules, "lgpio", None)
        subject = make_panel()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "gpio-library")
        assert "python3-lgpio" in state.hint
        with pytest.raises(errors.NotReady, match="gpio-library"):
            subject.wait_ready(0)

    def test_machine_without_pins(
        self, header: Header, make_panel: Make, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should say that this is no Raspberry Pi."""
        import gpiozero
        import gpiozero.pins.local as local

        def unknown() -> int:
            raise gpiozero.PinUnknownPi("unable to locate Pi revision")

        monkeypatch.setattr(local, "get_pi_revision", unknown)
        make_panel()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "gpio-absent")
        assert "group gpio" in state.hint

    def test_pin_that_something_else_has(self, header: Header, make_panel: Make, heard: Heard) -> None:
        """It should name the pin that is taken, and let the others go."""
        header.occupy(YES, "spi0 CS0")
        make_panel()
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "gpio-busy")
        assert f"GPIO{YES}" in state.detail
        wait_for(lambda: header.line(FOLD).claim == "")

    def test_pin_that_cannot(self, header: Header, make_panel: Make, heard: Heard) -> None:
        """It should name a pin whose own resistor pulls the other way."""
        make_panel(buttons={1: 2}, pull_up=False)
        state = heard.next(DeviceState)
        assert (state.state, state.code) == ("lost", "gpio-pin")
        assert "GPIO2" in state.detail

    def test_pins_that_pull_up_by_themselves(self, header: Header, ready: Make, heard: Heard) -> None:
        """It should use pins 2 and 3 for buttons to ground."""
        ready(buttons={1: 2, 2: 3})
        header.press(2)
        assert heard.next(Button).id == 1

    def test_two_panels(self, header: Header, ready: Make, make_panel: Make, heard: Heard) -> None:
        """It should give the header to one panel at a time, and to the other when that one is closed."""
        first = ready()
        make_panel(name="other")
        state = heard.next(DeviceState)
        assert (state.device, state.state, state.code) == ("other", "lost", "gpio-busy")
        first.close()
        assert heard.next(DeviceState, device="other").state == "ready"

    @pytest.mark.parametrize(
        ("changes", "what"),
        [
            ({"buttons": {19: 4}}, "no button 19"),
            ({"buttons": {1: 4, 2: 4}}, "GPIO4 is given twice"),
            ({"buttons": {1: 28}}, "no pin GPIO28"),
            ({"buzzer": 22}, "GPIO22 is given twice"),
            ({"lamps": {256: LampPins(5)}}, "no lamp 256"),
        ],
    )
    def test_settings_that_cannot_be(self, heard: Heard, changes: dict[str, Any], what: str) -> None:
        """It should refuse a panel that cannot be wired so, before any pin is touched."""
        with pytest.raises(errors.BadCommand, match=what):
            Panel(msgspec.structs.replace(SETTINGS, **changes), heard.out)

    def test_health(self, header: Header, ready: Make) -> None:
        """It should say how it is."""
        subject = ready()
        wait_for(lambda: subject.health().last_seen is not None)
        health = subject.health()
        assert (health.name, health.path, health.state, health.code) == ("panel", "lgpio pins", "ready", "")
        assert (health.connections, health.presses, health.out_of_order) == (1, 0, ())
        subject.start()
        subject.close()
        subject.close()

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_fault_of_the_program_is_told_before_it_is_loud(
        self, header: Header, make_panel: Make, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It should not keep a fault of its own quiet, and let go of the pins all the same."""

        def broken(self: panel.Pins, number: int) -> bool:
            raise TypeError("a fault of ours")

        monkeypatch.setattr(panel.Pins, "closed", broken)
        make_panel()
        assert heard.next(DeviceState).code == "driver-failed"
        wait_for(lambda: header.line(FOLD).claim == "")
