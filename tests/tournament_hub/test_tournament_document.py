"""What the tournament's documentation names exists: tests, and files of tests."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "tournament.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    tests = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert len(named) >= 20
    assert {name for name in named if f"def {name}(" not in tests} == set()


def test_every_file_of_tests_that_is_named_exists() -> None:
    files = {file.name for file in (ROOT / "tests").rglob("test_*.py")}
    named = {name.rpartition("/")[2] for name in re.findall(r"`([\w/]*test_\w+\.py)`", TEXT)}
    assert named and named <= files
