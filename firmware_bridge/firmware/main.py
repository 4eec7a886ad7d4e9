"""Start of the firmware on the board; MicroPython runs this file when it lies at the root of the board's flash.

A watchdog restarts a board that hangs; before that, and after any error, the shoe is stopped. The line's start-up text
of MicroPython is garbage to the Pi and is dropped there.
"""

import sys

from firmware import ports, settings
from firmware.app import Firmware

SETTINGS = "/board.json"
CRASH = "/crash.txt"
WATCHDOG_MS = 1000


def read_settings():
    """The settings, and a complaint for the technician when they cannot be used."""
    try:
        return settings.load(SETTINGS), ""
    except settings.SettingsError as error:
        return settings.bare(), str(error)


def maintenance(pin):
    """A jumper to ground on this pin keeps the firmware from starting, so that the console is free."""
    from machine import Pin

    return pin is not None and Pin(pin, Pin.IN, Pin.PULL_UP)() == 0


def last_crash():
    """What ended the run before this one; read once."""
    import os

    try:
        with open(CRASH) as file:
            text = file.readline().strip()
        os.remove(CRASH)
    except OSError:
        return ""
    return "restarted after " + text


def run():
    """Run until the supply goes."""
    import machine

    chosen, complaint = read_settings()
    if maintenance(chosen["maintenance"]):
        return
    board = ports.BoardPorts(chosen)
    try:
        firmware = Firmware(chosen, board, complaint or last_crash())
        watchdog = machine.WDT(timeout=WATCHDOG_MS)
        while True:
            firmware.turn()
            watchdog.feed()
    except Exception as error:
        if board.mechanism is not None:
            board.mechanism.stop()
        with open(CRASH, "w") as file:
            file.write(repr(error) + "\n")
            sys.print_exception(error, file)
        machine.reset()


if __name__ == "__main__" and ports.ON_A_BOARD:
    run()
