"""Whoever knows no poker and does only what the page says deals hand after hand, irregularities and all."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]
MOST = 260


class Novice:
    """Reads the screen, taps what stands there; has never heard of poker."""

    def __init__(self, thumb: Any, seed: str, *, careful: bool = False) -> None:
        self.thumb = thumb
        self.careful = careful
        self.rng = random.Random(seed)
        self.said: list[str] = []

    def hand(self, *, irregular: bool) -> None:
        """Play one hand to its end; somewhere in it something goes wrong, if it is to."""
        thumb = self.thumb
        number = thumb.running.state.hand
        assert thumb.tap("next").done, thumb.view().say
        assert thumb.running.state.hand == number + 1, thumb.view().say
        wrong_at = self.rng.randrange(1, 20) if irregular else -1
        for step in range(MOST):
            if thumb.running.state.phase == "over":
                return
            if step == wrong_at:
                self.something_happens()
            self.step()
        raise AssertionError(f"the hand never ends: {self.said[-12:]}")

    def step(self) -> None:
        """One tap: mostly the largest button, sometimes another one."""
        view = self.thumb.view(self.rng.choice(("fr", "en")))
        self.said.append(view.say)
        assert view.say
        taps = [tap for tap in view.taps if tap.name not in ("silent", "split", "count", "wins")]
        assert taps, f"nothing to tap on {view.say!r} after {self.said[-6:]}"
        if self.careful and self.rng.random() < 0.9:
            taps = [tap for tap in taps if tap.name != "all_in"] or taps
        main = [tap for tap in taps if tap.look == "main"]
        tap = self.rng.choice(main if main and self.rng.random() < 0.7 else taps)
        if tap.sheet:
            self.collect(tap.sheet)
        else:
            outcome = self.thumb.do(tap.deed, dict(tap.fields))
            assert outcome.done or tap.deed == "next", (tap, outcome, view.say)

    def collect(self, address: str) -> None:
        """A sheet: choose something on it."""
        sheet = self.thumb.sheet(address)
        if sheet.form is not None and sheet.form.deed in ("act", "chips"):
            fields = dict(sheet.form.fields)
            part = sheet.form.parts[0]
            presets = part.presets[:1] if self.careful else part.presets
            fields[part.name] = str(self.rng.choice(presets)[1]) if presets else "100"
            assert self.thumb.do(sheet.form.deed, fields).done, (sheet, fields)
        elif sheet.form is not None and sheet.form.deed == "right":
            fields = dict(sheet.form.fields)
            for part in sheet.form.parts:
                if hasattr(part, "options"):
                    fields[part.name] = next(value for value, _, on in part.options if on)
                elif hasattr(part, "seats"):
                    fields[part.name] = ",".join(str(n) for n, on in part.seats if on)
            assert self.thumb.do("right", fields).done, fields
        elif sheet.taps:
            deeds = [tap for tap in sheet.taps if tap.deed]
            if deeds:
                tap = self.rng.choice(deeds)
                assert self.thumb.do(tap.deed, dict(tap.fields)).done, tap

    def something_happens(self) -> None:
        """What has happened? One of the groups, one of its cases, whatever answers."""
        sheet = self.thumb.sheet("what")
        for _ in range(8):
            tap = self.rng.choice(sheet.taps)
            if tap.deed:
                self.said.append(f"!! {sheet.title}")
                assert self.thumb.do(tap.deed, dict(tap.fields)).done, tap
                return
            if tap.sheet.startswith("chips"):
                return
            sheet = self.thumb.sheet(tap.sheet)
        raise AssertionError("the referee asks for ever")


def test_an_evening_of_novices_ends_with_all_chips_in_one_place(thumb: Make) -> None:
    """No hub, no sensor: levels, breaks, players who bust, one who comes late, until one has everything."""
    subject = thumb(players=5, stack=1500, levels=EVENING)
    novice = Novice(subject, "evening", careful=True)
    came = False
    for _ in range(400):
        said = subject.view().say
        if said == "Pause du tournoi":
            assert subject.do("level", {"by": "on"}).done
            continue
        before = subject.running.state.hand
        subject.tap("next")
        if subject.running.state.hand == before:
            break
        if not came and before == 3:
            came = subject.do("arrived", {"seat": "8", "stack": "1500"}).done
        for _ in range(MOST):
            if subject.running.state.phase == "over":
                break
            novice.step()
        subject.pass_time(90.0)
    assert came
    stacks = subject.running.last.stacks
    assert sorted(stacks.values())[-2:] == [0, 6 * 1500]
    assert subject.view().say == "Attendez les joueurs"
    assert sum("sorti" in seat.words for seat in subject.view().seats) == 5
    assert subject.running.last.started.big_blind > 50


EVENING = "".join(
    f"[[levels]]\nminutes = 6\nsmall_blind = {25 * 2**n}\nbig_blind = {50 * 2**n}\n"
    + ("[[levels]]\nminutes = 5\n" if n % 2 else "")
    for n in range(6)
)


def chips(thumb: Any) -> int:
    running = thumb.running
    return sum(stack or 0 for stack in running.last.stacks.values())


@pytest.mark.parametrize("betting", ["amounts", "words", "rounds"])
@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011", "pokernews", "ltpq"])
def test_novice_deals_hands_with_irregularities(thumb: Make, book: str, betting: str) -> None:
    for seed in range(4):
        subject = thumb(players=6, book=book, betting=betting, game="light = false", stack=5000)
        novice = Novice(subject, f"{book}/{betting}/{seed}")
        for number in range(8):
            alive = [
                seat
                for seat in subject.running.effective.seats
                if betting != "amounts" or subject.running.last.stacks.get(seat.entry, seat.stack)
            ]
            if len(alive) < 2:
                break
            novice.hand(irregular=number % 2 == 1)
            if betting == "amounts":
                assert chips(subject) == 30000, novice.said[-20:]


def test_novice_in_light_mode_is_never_left_without_a_next_step(thumb: Make) -> None:
    subject = thumb(players=6, betting=None)
    novice = Novice(subject, "light")
    for number in range(60):
        subject.tap("next")
        if number % 3 == 1:
            novice.something_happens()
            for _ in range(6):
                if "next" in subject.names() or subject.running.state.phase == "void":
                    break
                novice.step()
        if subject.running.state.phase == "void":
            subject.tap("redeal")
        assert "next" in subject.names(), subject.view().say
