"""Lets the tests of the simulator share the scripted controller beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
