"""A real browser for tests of pages: one Chromium with a profile of its own, without any line of its own to the outside."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
PHONE = (390, 844)
WALL = (1920, 1080)


def open_chromium(
    profile: Path, size: tuple[int, int] | None = None, *, mobile: bool = False, load_s: float = 30.0
) -> webdriver.Chrome:
    """Start one; the test is skipped where none is installed. Quit it at the end.

    Args:
        profile: A folder of its own.
        size: Width and height of the page in pixels; None: as it opens.
        mobile: It behaves as a phone's.
        load_s: A page that takes longer has not come.
    """
    driver = shutil.which("chromedriver")
    if driver is None or shutil.which("chromium") is None:
        pytest.skip("chromium and chromedriver are not installed (make system-packages)")
    options = Options()
    for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    chrome.set_page_load_timeout(load_s)
    if size is not None:
        resize(chrome, *size, mobile=mobile)
    return chrome


def resize(chrome: webdriver.Chrome, width: int, height: int, *, mobile: bool = False) -> None:
    """Make its page so large."""
    chrome.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
    )
