"""Devices are let in once, by link or four digits; nothing else gets in."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from webkit.errors import PairingRefused, SecretNotPrivate, TooManyTries
from webkit.pairing import (
    INVITATION_LIFETIME,
    WRONG_CODES_ALLOWED,
    WRONG_CODES_PER_INVITATION,
    WRONG_CODES_WINDOW,
    Pairing,
    Role,
)


def wrong(pairing: Pairing, digits: str) -> str:
    """Four digits that are not these."""
    return f"{(int(digits) + 1) % 10_000:04d}"


def test_link_lets_in_once(pairing: Pairing) -> None:
    invitation = pairing.invite(Role.DEALER)
    assert pairing.invited(invitation.token) is Role.DEALER
    device = pairing.redeem_token(invitation.token, "tablet")
    assert pairing.recognise(pairing.cookie_value(device)) == device
    assert pairing.invited(invitation.token) is None
    with pytest.raises(PairingRefused):
        pairing.redeem_token(invitation.token, "second")
    with pytest.raises(PairingRefused):
        pairing.redeem_digits(invitation.digits, "second")


def test_digits_let_in_with_the_invitations_role(pairing: Pairing) -> None:
    pairing.invite(Role.DISPLAY)
    invitation = pairing.invite(Role.DIRECTOR)
    assert len(invitation.digits) == 4
    assert pairing.redeem_digits(invitation.digits, "x").role is Role.DIRECTOR


def test_invitation_runs_out(pairing: Pairing, clock) -> None:
    invitation = pairing.invite(Role.DEALER)
    lasting = pairing.invite(Role.DIRECTOR, lifetime=None)
    clock.now += INVITATION_LIFETIME
    with pytest.raises(PairingRefused):
        pairing.redeem_token(invitation.token, "late")
    assert pairing.redeem_token(lasting.token, "first director").role is Role.DIRECTOR


def test_wrong_codes_must_wait_and_right_ones_too(pairing: Pairing, clock) -> None:
    invitation = pairing.invite(Role.DEALER)
    for _ in range(WRONG_CODES_ALLOWED):
        with pytest.raises(PairingRefused):
            pairing.redeem_digits(wrong(pairing, invitation.digits), "thief")
    with pytest.raises(TooManyTries) as refusal:
        pairing.redeem_digits(invitation.digits, "owner")
    assert 0 < refusal.value.wait <= WRONG_CODES_WINDOW
    clock.now += WRONG_CODES_WINDOW
    assert pairing.redeem_digits(invitation.digits, "owner").role is Role.DEALER


def test_digits_are_void_after_ten_wrong_codes_the_link_still_works(pairing: Pairing, clock) -> None:
    invitation = pairing.invite(Role.DEALER)
    for _ in range(WRONG_CODES_PER_INVITATION):
        clock.now += WRONG_CODES_WINDOW / 3
        with pytest.raises(PairingRefused):
            pairing.redeem_digits(wrong(pairing, invitation.digits), "thief")
    clock.now += WRONG_CODES_WINDOW
    with pytest.raises(PairingRefused):
        pairing.redeem_digits(invitation.digits, "owner")
    assert pairing.redeem_token(invitation.token, "owner").role is Role.DEALER


@pytest.mark.parametrize("change", ["role", "ident", "signature", "parts", "empty", "none", "unicode"])
def test_altered_cookie_is_a_stranger(pairing: Pairing, change: str) -> None:
    device = pairing.redeem_token(pairing.invite(Role.DISPLAY).token, "x")
    ident, role, signature = pairing.cookie_value(device).split(".")
    altered = {
        "role": f"{ident}.director.{signature}",
        "ident": f"{'0' * 16}.{role}.{signature}",
        "signature": f"{ident}.{role}.{'0' * 64}",
        "parts": f"{ident}.{role}",
        "empty": "",
        "none": None,
        "unicode": f"{ident}.{role}.é\udcff",
    }[change]
    assert pairing.recognise(altered) is None


def test_devices_survive_a_restart_and_another_servers_cookie_does_not_count(tmp_path: Path) -> None:
    first = Pairing(tmp_path / "a")
    device = first.redeem_token(first.invite(Role.DIRECTOR).token, "pc")
    again = Pairing(tmp_path / "a")
    assert again.recognise(first.cookie_value(device)) == device
    assert again.cookie == first.cookie
    other = Pairing(tmp_path / "b")
    assert other.recognise(first.cookie_value(device)) is None
    assert other.cookie != first.cookie


def test_device_sent_away_is_a_stranger_also_after_a_restart(tmp_path: Path) -> None:
    pairing = Pairing(tmp_path)
    device = pairing.redeem_token(pairing.invite(Role.DEALER).token, "tablet")
    cookie = pairing.cookie_value(device)
    pairing.send_away(device.ident)
    assert pairing.recognise(cookie) is None
    assert Pairing(tmp_path).recognise(cookie) is None


def test_files_are_private_and_open_ones_are_refused(tmp_path: Path) -> None:
    pairing = Pairing(tmp_path / "web")
    pairing.redeem_token(pairing.invite(Role.DEALER).token, "x")
    for path in (tmp_path / "web").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "web" / "cookie.key").chmod(0o644)
    with pytest.raises(SecretNotPrivate):
        Pairing(tmp_path / "web")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("cookie.key", b"short"),
        ("devices.json", b"{"),
        ("devices.json", b'{"a": {"role": "king", "name": "x"}}'),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, file: str, content: bytes) -> None:
    pairing = Pairing(tmp_path)
    pairing.redeem_token(pairing.invite(Role.DEALER).token, "x")
    (tmp_path / file).write_bytes(content)
    with pytest.raises(SecretNotPrivate):
        Pairing(tmp_path)


def test_names_are_kept_harmless_and_short(pairing: Pairing, tmp_path: Path) -> None:
    device = pairing.redeem_token(pairing.invite(Role.DEALER).token, "a\n\x00 b" + "c" * 100)
    assert device.name == ("a b" + "c" * 100)[:40]
    nameless = pairing.redeem_token(pairing.invite(Role.DEALER).token, " ")
    assert nameless.name == "dealer"
    saved = json.loads((tmp_path / "web" / "devices.json").read_text())
    assert saved[device.ident]["name"] == device.name


def test_roles_are_ordered() -> None:
    assert Role.DIRECTOR.may(Role.DEALER)
    assert Role.DEALER.may(Role.DISPLAY)
    assert not Role.DEALER.may(Role.DIRECTOR)
    assert not Role.DISPLAY.may(Role.DEALER)
