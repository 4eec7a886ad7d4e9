"""What has happened? Twelve groups, an incident, whom it is about, at most three questions, then the book's answer. Pure.

The answers given so far stand in the sheet's address; going back is leaving out the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec

from engine import referee
from engine.wording import (
    question_text,
    say_conditions,
    say_group,
    say_option,
    say_pick,
    say_row,
    say_steps,
)
from table_controller.dealer_page.claiming import CHIPS_FIRST, OF_A_SEAT, known_facts
from table_controller.dealer_page.lines_hand import Text
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.referee_says import Consultation, consult
from table_controller.dealer_page.screen import Sheet, Tap

Query = Mapping[str, str]
_ENDS: Final = frozenset({"misdeal", "hand_void", "hand_dead", "chips_forfeited"})


def what(p: Picture, lang: str, t: Text, query: Query) -> Sheet:
    """The next question of the referee, or what the book says."""
    group, picked, seat = query.get("group", ""), query.get("pick", ""), query.get("seat", "")
    if group not in referee.GROUPS:
        return _groups(p, lang, t)
    if picked not in referee.picks(group):
        return _picks(p, lang, t, group, seat)
    incident = picked.partition(".")[0]
    seats = sorted(p.state.seats) if p.state.hand else [one.seat for one in p.desired.seats]
    number = int(seat) if seat.isdigit() and int(seat) in seats else None
    if incident in OF_A_SEAT and number is None:
        return _whose(p, lang, t, group, picked, seats)
    if incident in CHIPS_FIRST and _not_put_yet(p, number):
        title, sheet = say_pick(picked, lang), f"chips?seat={number}"
        tap = Tap(t("what.chips"), sheet=sheet, look="main", name="chips")
        return Sheet(_capital(title), (t("what.chips_first"),), (tap,), back=f"what?group={group}")
    answers = [part for part in query.get("answers", "").split(",") if part]
    known = known_facts(p.state, p.book, incident, number, blind=p.blind)
    found = consult(p.book, picked, known, answers)
    if found is None:
        return _picks(p, lang, t, group, seat)
    if isinstance(found.next, referee.Question):
        return _question(p, lang, group, picked, seat, answers, found.next)
    return _answer(p, lang, t, group, picked, number, answers, found, found.next)


def _address(group: str, picked: str = "", seat: str = "", answers: list[str] | None = None) -> str:
    fields = {"group": group, "pick": picked, "seat": seat, "answers": ",".join(answers or ())}
    return "what?" + urlencode({name: value for name, value in fields.items() if value})


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _not_put_yet(p: Picture, seat: int | None) -> bool:
    """Whether the chips in question have not been told: the player is to act and has not acted."""
    return p.state.betting == "amounts" and not p.blind and seat is not None and p.state.to_act == seat


def _groups(p: Picture, lang: str, t: Text) -> Sheet:
    taps = tuple(Tap(say_group(group, lang), sheet=_address(group), name=group) for group in referee.GROUPS)
    return Sheet(t("sheet.what"), (), taps, turn=p.turn)


def _picks(p: Picture, lang: str, t: Text, group: str, seat: str) -> Sheet:
    taps = tuple(
        Tap(_capital(say_pick(pick, lang)), sheet=_address(group, pick, seat), name=pick)
        for pick in referee.picks(group)
    )
    return Sheet(say_group(group, lang), (), taps, back="what", turn=p.turn)


def _whose(p: Picture, lang: str, t: Text, group: str, picked: str, seats: list[int]) -> Sheet:
    taps = tuple(
        Tap(t("players.seat", seat=seat), sheet=_address(group, picked, str(seat)), name=f"seat-{seat}")
        for seat in seats
    )
    title = _capital(say_pick(picked, lang))
    return Sheet(title, (t("what.whose"),), taps, back=_address(group), turn=p.turn)


def _question(
    p: Picture,
    lang: str,
    group: str,
    picked: str,
    seat: str,
    answers: list[str],
    asked: referee.Question,
) -> Sheet:
    term = p.book.term("substantial_action")
    text = question_text(asked.fact, lang, sa=term if isinstance(term, str) else None)
    taps = []
    for option in asked.options:
        name = referee.name_of(asked.fact, option)
        label = _capital(say_option(asked.fact, option, lang))
        taps.append(Tap(label, sheet=_address(group, picked, seat, [*answers, name]), name=f"answer-{name}"))
    back = _address(group, picked, seat, answers[:-1]) if answers else _address(group)
    return Sheet(text, (_capital(say_pick(picked, lang)),), tuple(taps), back=back, turn=p.turn)


def _answer(
    p: Picture,
    lang: str,
    t: Text,
    group: str,
    picked: str,
    seat: int | None,
    answers: list[str],
    found: Consultation,
    answer: referee.Answer,
) -> Sheet:
    term = p.book.term("substantial_action")
    sa = term if isinstance(term, str) else None
    lines: list[str] = []
    rulings: set[str] = set()
    # A case that the table knows not to be: the book has nothing to say of it.
    for case in answer.cases or (referee.Case(p.book.floor),):
        if len(answer.cases) > 1:
            lines.append(f"{_capital(say_conditions(dict(case.when), lang, sa=sa))} :")
        lines.append(say_row(case.row, lang, picked=picked, sa=sa))
        rulings.update(case.row.ruling)
    if len(answer.cases) == 1:
        lines += [f"→ {step}" for step in say_steps(answer.cases[0].row, lang)]
    fields = [("incident", found.incident), ("facts", msgspec.json.encode(found.facts).decode())]
    if seat is not None:
        fields.append(("seat", str(seat)))
    apply = Tap(
        t("tap.apply"),
        "claim",
        tuple(fields),
        look="main",
        hold=bool(rulings & _ENDS),
        name="apply",
    )
    back = _address(group, picked, str(seat or ""), answers[:-1]) if answers else _address(group)
    return Sheet(_capital(say_pick(picked, lang)), tuple(lines), (apply,), back=back, turn=p.turn)
