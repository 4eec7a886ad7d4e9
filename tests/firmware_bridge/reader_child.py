"""Opens the reader at a path and reads for ever, in a new process for each line on its standard input.

Prints the number of each process when its reader is open, a dot for each read, and `gone` when it ended.
"""

import os
import sys

from firmware_bridge.pn532 import Pn532


def read_for_ever(path: str) -> None:
    reader = Pn532.open(path)
    os.write(1, f"open {os.getpid()}\n".encode())
    while True:
        reader.read_two()
        os.write(1, b".\n")


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                read_for_ever(line.strip())
            except Exception as error:
                os.write(1, f"failed {error!r}\n".encode())
            finally:
                os._exit(1)
        os.waitpid(child, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()
