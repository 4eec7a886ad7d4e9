"""What a panel on the Pi's pins promises: its lamp's pin is tied to its button's, so that it can press itself."""

from rigs import Rig
from scripted_board import Heard

from firmware_bridge.observations import Button, CommandRefused, DeviceState

KINDS = ("panel",)


def test_presses_nothing_by_itself(rig: Rig, heard: Heard) -> None:
    """It should begin with the lamp dark and the button up."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    device.buzz(1)
    device.set_lamp(1, "off")
    assert heard.next(DeviceState).state == "ready"
    assert device.health().out_of_order == ()
    assert not [said for said in heard.drain() if isinstance(said, Button)]


def test_one_press_is_one_press(rig: Rig, heard: Heard) -> None:
    """It should tell each closing and opening of the contact once, in order."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    for number in range(10):
        device.set_lamp(1, "red")
        said = heard.next(Button)
        assert (said.id, said.pressed, said.count, said.gap) == (1, True, 2 * number + 1, False)
        device.set_lamp(1, "off")
        said = heard.next(Button)
        assert (said.id, said.pressed, said.count, said.gap) == (1, False, 2 * number + 2, False)
    assert device.health().presses == 10


def test_blinking(rig: Rig, heard: Heard) -> None:
    """It should blink by itself, and stop."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    device.set_lamp(1, "red", blink=True)
    assert [heard.next(Button).pressed for _ in range(3)] == [True, False, True]
    device.set_lamp(1, "off")
    assert heard.next(Button).pressed is False


def test_colour_that_the_lamp_has_not(rig: Rig, heard: Heard) -> None:
    """It should refuse it and stay dark."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    device.set_lamp(1, "blue")
    assert heard.next(CommandRefused).reason == "not-fitted"
    assert device.health().presses == 0
