"""Reference firmware of the table's microcontroller, for MicroPython on an RP2040; `host` runs it without a board."""
