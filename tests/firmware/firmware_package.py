"""Makes the firmware importable under its name on the board, `firmware`, and nothing else of the folder above it."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FIRMWARE = ROOT / "firmware_bridge" / "firmware"


def _load() -> None:
    spec = importlib.util.spec_from_file_location(
        "firmware", FIRMWARE / "__init__.py", submodule_search_locations=[str(FIRMWARE)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["firmware"] = package
    spec.loader.exec_module(package)


if "firmware" not in sys.modules:
    _load()
