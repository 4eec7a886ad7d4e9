"""Takes the pictures of the documentation from the running demo, in a real browser.

    python docs/screenshots.py        (or: make screenshots)

The demo plays two tables at ten times the pace of life; the picture is taken once both are in a betting round.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

IMAGES = Path(__file__).parent / "images"
READY_S = 90.0


def browser(width: int, height: int, profile: str) -> webdriver.Chrome:
    """A headless Chromium of a given window size."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        f"--window-size={width},{height}",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def main() -> int:
    """Start the demo, wait until it plays, take the pictures, end it."""
    IMAGES.mkdir(exist_ok=True)
    demo = subprocess.Popen(
        [sys.executable, "-m", "maldonne", "demo", "--tables", "2", "--speed", "6"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "LANG": "fr_FR.UTF-8"},
    )
    try:
        if demo.stdout is None:
            return 1
        url = ""
        for line in demo.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                url = found.group(0)
                break
        with tempfile.TemporaryDirectory() as profile:
            driver = browser(1280, 800, profile)
            try:
                driver.get(f"{url}/?lang=fr")
                until = time.monotonic() + READY_S
                while time.monotonic() < until:
                    cards = driver.find_elements(By.CSS_SELECTOR, ".face:not(.none)")
                    if len(cards) >= 6:
                        break
                    time.sleep(0.5)
                driver.save_screenshot(str(IMAGES / "floor.png"))
            finally:
                driver.quit()
        print(IMAGES / "floor.png")
        return 0
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


if __name__ == "__main__":
    sys.exit(main())
