"""Players who are moved: sent off and welcomed on the dealer's page, with the chips that they take along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from table_controller import messages as m
from table_controller.hub_side import HubSide
from table_controller.mqtt_link import RequestExpired, ResponseArrived

Make = Callable[..., Any]
OUT = m.MoveOut(move="m1", entry="e3", seat=3, to=m.TableSeat(table="t2", seat=5))
COMES = m.MoveIn(move="m2", entry="x9", seat=8, stack=7500)


class Line:
    """The hub's line, as far as moves need it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, m.Request]] = []

    def request(self, kind: str, request: m.Request) -> None:
        self.asked.append((kind, request))

    def follow(self, tournament: str | None) -> None:
        """Nobody listens here."""


def joined(subject: Any) -> tuple[Line, HubSide]:
    """Give a table in memory its side of the hub."""
    line = Line()
    side = HubSide(subject.running, line, lambda: "2024-05-01T20:00:00Z")
    subject.desk.ask_move = side.ask_move
    side.move_answer = subject.desk.move_answer
    return line, side


def document(subject: Any, **fields: Any) -> None:
    before = subject.running.desired
    subject.running.direct(replace(before, epoch=1, rev=before.rev + 1, **fields))


def test_who_is_moved_is_sent_off_with_what_the_table_has_counted(thumb: Make) -> None:
    subject = thumb(players=4)
    line, side = joined(subject)
    subject.running.last = replace(subject.running.last, stacks={"e3": 10025})
    document(subject, hold=("move",), moves_out=(OUT,))
    view = subject.view()
    assert view.say == "Siège 3 : envoyez le joueur à la table t2, siège 5"
    assert subject.find("gone").label == "Il est parti avec 10\u202f025"
    assert subject.view("en").say == "Seat 3: send the player to table t2, seat 5"
    assert subject.tap("gone").done
    kind, request = line.asked[0]
    assert (kind, request.move, request.seat, request.counted) == ("seat_departed", "m1", 3, 10025)
    # the hub has not answered: nobody can tell it twice
    assert "gone" not in subject.names()
    side.hear(ResponseArrived("seat_departed", m.Response(tx=request.tx, ok=True)))
    document(subject, hold=(), moves_out=(), seats=subject.running.desired.seats[:2])
    assert "next" in subject.names()


def test_another_count_than_the_tables(thumb: Make) -> None:
    subject = thumb(players=4)
    line, _ = joined(subject)
    subject.running.last = replace(subject.running.last, stacks={"e3": 10025})
    document(subject, hold=("move",), moves_out=(OUT,))
    sheet = subject.sheet(subject.find("gone-other").sheet)
    assert sheet.form is not None
    assert subject.do(sheet.form.deed, {**dict(sheet.form.fields), "counted": "9975"}).done
    assert line.asked[0][1].counted == 9975


@pytest.mark.parametrize("refused", [True, False])
def test_a_move_that_the_hub_has_not_taken_is_said_again(thumb: Make, refused: bool) -> None:
    subject = thumb(players=4, betting=None)
    line, side = joined(subject)
    document(subject, hold=("move",), moves_out=(OUT,))
    assert subject.tap("gone").done
    request = line.asked[0][1]
    assert request.counted is None  # nobody keeps stacks here: unknown is not zero
    if refused:
        answer = m.Response(tx=request.tx, ok=False, code="hand_running", hint="wait")
        side.hear(ResponseArrived("seat_departed", answer))
    else:
        side.hear(RequestExpired("seat_departed", request))
    view = subject.view()
    assert "gone" in subject.names()
    assert any("dites-le encore" in remark for remark in view.remarks)


def test_who_comes_is_counted_in(thumb: Make) -> None:
    subject = thumb(players=4)
    line, _ = joined(subject)
    document(subject, moves_in=(COMES,))
    tap = subject.find("came-8")
    sheet = subject.sheet(tap.sheet)
    assert sheet.form is not None
    assert sheet.form.parts[0].presets == (("7\u202f500", 7500),)
    assert subject.do(sheet.form.deed, {**dict(sheet.form.fields), "counted": "7500"}).done
    kind, request = line.asked[0]
    assert (kind, request.move, request.seat, request.counted) == ("seat_arrived", "m2", 8, 7500)
    assert "came-8" not in subject.names()


def test_who_came_before_he_had_left_is_told_once(thumb: Make) -> None:
    """The hub keeps the word until the old table has told too; the new one is not asked again meanwhile."""
    subject = thumb(players=4, betting=None)
    line, side = joined(subject)
    document(subject, moves_in=(COMES,))
    assert subject.tap("came-8").done
    side.hear(ResponseArrived("seat_arrived", m.Response(tx=line.asked[0][1].tx, ok=True)))
    assert "came-8" not in subject.names()
    document(subject, moves_in=())
    assert "came-8" not in subject.names()
    document(subject, moves_in=(COMES,))  # taken back on the floor: he is awaited again
    assert "came-8" in subject.names()


def test_light_mode_welcomes_while_the_hand_runs(thumb: Make) -> None:
    subject = thumb(players=4, betting=None)
    line, _ = joined(subject)
    subject.tap("next")
    document(subject, moves_in=(COMES,))
    assert subject.tap("came-8").done
    assert line.asked[0][0] == "seat_arrived"


def test_a_move_that_is_off_cannot_be_told(thumb: Make) -> None:
    subject = thumb(players=4)
    line, _ = joined(subject)
    document(subject, hold=("move",), moves_out=(OUT,))
    document(subject, hold=(), moves_out=())
    outcome = subject.do("departed", {"move": "m1", "seat": "3"})
    assert (outcome.done, outcome.reason) == (False, "no_move")
    assert line.asked == []


def test_the_panel_sends_off_too(thumb: Make) -> None:
    """What the page offers the panel offers, by the same buttons."""
    subject = thumb(players=4, betting=None)
    document(subject, hold=("move",), moves_out=(OUT,))
    assert [tap.name for tap in subject.view().taps] == ["gone"]
