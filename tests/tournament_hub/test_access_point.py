"""The hall's own network: its files agree with each other and with the steps that a club follows."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "access-point"


def settings(name: str) -> dict[str, str]:
    """The settings of one file, comments left out."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in pairs}


def test_the_hub_has_one_address_in_all_of_it() -> None:
    network = ipaddress.ip_interface(settings("wlan0.network")["Address"])
    names = settings("dnsmasq.conf")["address"].split("/")
    assert names[2] == str(network.ip)
    first, last, mask, _ = settings("dnsmasq.conf")["dhcp-range"].split(",")
    for address in (first, last):
        assert ipaddress.ip_address(address) in network.network
        assert address != str(network.ip)
    assert mask == str(network.netmask)
    steps = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    assert f'host = "{network.ip}"' in steps and f'names = ["{names[1]}"]' in steps
    assert set(re.findall(r"\b\d+\.\d+\.\d+\.\d+\b", steps)) <= {str(network.ip), "127.0.0.1", "0.0.0.0"}


def test_every_file_is_in_the_steps_and_the_radio_is_hostapds() -> None:
    steps = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    for path in FOLDER.iterdir():
        assert f"`{path.name}`" in steps
    radio = settings("hostapd.conf")
    assert settings("unmanaged.conf")["unmanaged-devices"] == f"interface-name:{radio['interface']}"
    assert settings("dnsmasq.conf")["interface"] == radio["interface"]
    assert (radio["wpa"], radio["ap_isolate"]) == ("2", "1")


def test_no_password_is_given_away() -> None:
    assert settings("hostapd.conf")["wpa_passphrase"] == ""
