"""The table's devices: what their sensors say in, lamps, displays and the dealing shoe out. It knows no poker.

`devices.open_devices` starts one thread a device; all of them put observations on one queue. `mcu` drives the table
board over the serial line (`frames`, `framing`, `link`, `board`), `clock` makes table time of the boards' stamps.
"""
