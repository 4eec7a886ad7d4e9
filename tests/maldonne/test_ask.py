"""``maldonne ask``: typed at a terminal, given at once, line by line for machines."""

import io
import json
import sys
from typing import Any

import pytest

from engine.referee import GROUPS
from maldonne.cli import main
from table_controller.rulebook_files import available


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What follows these arguments, for machines."""
    assert main(["ask", "--json", *arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    found: dict[str, Any] = json.loads(printed.out)
    return found


def typed(monkeypatch: pytest.MonkeyPatch, text: str, *, terminal: bool = False) -> None:
    stream = io.StringIO(text)
    stream.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", stream)


# Given at once ----------------------------------------------------------------------------------


def test_without_answers_the_groups_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "--answers", "")
    assert found["ask"] == "group"
    assert [option["name"] for option in found["options"]] == list(GROUPS)


def test_answers_lead_to_the_next_question_and_then_to_the_ruling(capsys: pytest.CaptureFixture[str]) -> None:
    question = asked(capsys, "--rulebook", "pokernews", "--answers", "exposed_card,card_exposed_in_deal")
    assert question["ask"] == "by"
    found = asked(capsys, "--rulebook", "pokernews", "--answers", "exposed_card,card_exposed_in_deal,dealer")
    assert found["ruling"] == ["card_replaced", "burn_assigned"]
    assert found["article"] == "PN errors 2"
    assert found["do"] == ["replace_at_end", "exposed_on_deck"]
    assert len(found["steps"]) == 2
    assert found["facts"] == {"by": "dealer"}
    assert {book for other in found["others"] for book in other["books"]} == {
        "ltpq",
        "ppc2011",
        "ropta",
        "standard",
        "tda2024",
    }


def test_answers_may_be_numbers_of_the_list_or_yes_and_no_in_french(
    capsys: pytest.CaptureFixture[str],
) -> None:
    by_name = asked(capsys, "--rulebook", "tda2024", "--answers", "burn,no_burn.flop,yes")
    for answers in ("4,1,1", "4,1,oui", "BURN, no_burn.flop ,o", "burn,1,true"):
        assert asked(capsys, "--rulebook", "tda2024", "--answers", answers) == by_name
    assert by_name["article"] == "TDA 39-B"


def test_a_count_is_the_number_itself_never_a_place_in_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    for count, ruling in (("1", "play_on"), ("3", "hand_dead")):
        found = asked(capsys, "--rulebook", "ppc2011", "--answers", f"turn,player_skipped,{count}")
        assert found["ruling"] == [ruling]


def test_standard_answers_when_no_book_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "--answers", "boxed_card,boxed_card")["rulebook"] == "standard"


@pytest.mark.parametrize("book", available())
def test_every_book_can_be_asked(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "--rulebook", book, "--answers", "stub,dealer_repeats")
    assert found["article"]
    assert book not in {name for other in found["others"] for name in other["books"]}


@pytest.mark.parametrize(
    ("answers", "place", "reason"),
    [
        ("nowhere", 1, "exposed_card"),
        ("13", 1, "exposed_card"),
        ("0", 1, "exposed_card"),
        ("burn,undercall", 2, "no_burn.flop"),
        ("burn,no_burn.flop,perhaps", 3, "one of yes, no"),
        ("boxed_card,boxed_card,yes", 3, "answered before"),
    ],
)
def test_a_bad_answer_is_one_line_that_names_it(
    answers: str, place: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ([], ["--json"]):
        assert main(["ask", "--rulebook", "tda2024", "--answers", answers, *form]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert f"--answers {place}" in printed.err and reason in printed.err


def test_an_unknown_book_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--rulebook", "ropt"]) == 2
    assert "did you mean ropta" in capsys.readouterr().err


# Typed ------------------------------------------------------------------------------------------


def test_a_bad_answer_is_said_in_one_line_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    typed(monkeypatch, "17\nwhat?\n3\n1\n")
    assert main(["ask", "--rulebook", "ropta"]) == 0
    out = capsys.readouterr().out
    assert "“17” is no answer here: a number from 1 to 12, r or q." in out
    assert "“what?” is no answer here" in out
    assert out.count("What happened?") == 1
    assert "ROPTA boxed" in out


@pytest.mark.parametrize("back", ["0", "r", "back", "R"])
def test_back_takes_the_last_answer_back(
    back: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    typed(monkeypatch, f"4\n{back}\n3\n1\n")
    assert main(["ask", "--rulebook", "ropta"]) == 0
    out = capsys.readouterr().out
    assert out.count("Que s'est-il passé") == 2
    assert "ROPTA boxed" in out


def test_back_at_the_first_question_stays_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "r\nr\nq\n")
    assert main(["ask"]) == 0
    assert capsys.readouterr().out.count("12") == 3


def test_a_count_of_zero_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "turn\nplayer_skipped\n0\n")
    assert main(["ask", "--rulebook", "ppc2011", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["facts"] == {"acted_count": 0}


@pytest.mark.parametrize("word", ["q", "quit", "Q"])
def test_quit_leaves_at_any_question(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for before in ("", "4\n", "4\n1\n"):
        typed(monkeypatch, before + word + "\n")
        assert main(["ask"]) == 0
    assert capsys.readouterr().err == ""


def test_at_a_terminal_the_last_answer_may_still_be_taken_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "3\n1\nr\n2\n1\n\n", terminal=True)
    assert main(["ask", "--rulebook", "ropta"]) == 0
    out = capsys.readouterr().out
    assert out.index("ROPTA boxed") < out.rindex("ROPTA boxed")


def test_a_terminal_that_closes_is_no_failure_a_pipe_that_ends_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "3\n", terminal=True)
    assert main(["ask"]) == 0
    capsys.readouterr()
    for form in ([], ["--json"]):
        typed(monkeypatch, "3\n")
        assert main(["ask", *form]) == 2
        assert "answers end" in capsys.readouterr().err


# Line by line for machines ----------------------------------------------------------------------


def test_the_protocol_is_a_line_a_question_and_a_line_an_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "burn\nno_burn.flop\nsometimes\nr\nno_burn.flop\nno\n")
    assert main(["ask", "--rulebook", "tda2024", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("ask") or line.get("error") or line["article"] for line in lines] == [
        "group",
        "incident",
        "acted_since",
        "bad-answer",
        "acted_since",
        "incident",
        "acted_since",
        "TDA 39-B",
    ]
    refused = lines[3]
    assert refused["typed"] == "sometimes" and refused["offered"] == ["yes", "no"]
