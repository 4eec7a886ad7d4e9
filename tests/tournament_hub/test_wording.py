"""The floor's log in plain words; nothing that a table sends can leave the page without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rulings import INCIDENTS, ORDERS, RULINGS
from table_controller import messages as m
from tournament_hub.wording import Line, Wording, say_event, with_faces

WORDING = Wording()
LEVEL = m.Level(n=1, small_blind=100, big_blind=200)
SEATS = (m.SeatStack(seat=1, entry="e1", stack=20000), m.SeatStack(seat=4, entry="e4", stack=None))
THIN = "\u202f"

EVENTS: list[tuple[Any, str, str]] = [
    (
        m.HandStart(hand=12, level=LEVEL, button=1, sb=1, bb=4, seats=SEATS),
        "nouvelle main, 2 joueurs, bouton siège 1, blinds 100/200",
        "new hand, 2 players, button seat 1, blinds 100/200",
    ),
    (m.Action(seat=4, kind="raise", to=650), "siège 4 relance à 650", "seat 4 raises to 650"),
    (m.Action(seat=4, kind="raise"), "siège 4 relance", "seat 4 raises"),
    (m.Action(seat=4, kind="check"), "siège 4 : parole", "seat 4 checks"),
    (m.Action(seat=4, kind="fold"), "siège 4 passe", "seat 4 folds"),
    (
        m.Action(seat=4, kind="call", to=12500, all_in=True),
        f"siège 4 paye 12{THIN}500, à tapis",
        "seat 4 calls 12,500, all-in",
    ),
    (m.Board(street="flop", cards=("9h", "7s", "4c")), "Flop : 9♥ 7♠ 4♣", "Flop: 9♥ 7♠ 4♣"),
    (m.Board(street="turn", cards=(None,)), "Turn : carte non lue", "Turn: card not read"),
    (m.Post(seat=5, kind="straddle", amount=400), "siège 5 pose un straddle de 400", "seat 5 posts a straddle of 400"),
    (
        m.Incident(incident="card_exposed_in_deal", seats=(7,), cards=("Qd",)),
        "Incident, siège 7 : Carte retournée pendant la donne (Q♦)",
        "Incident, seat 7: Card exposed in the deal (Q♦)",
    ),
    (
        m.Ruling(ruling="misdeal", incident="several_cards_exposed_in_deal", rulebook="tda2024", article="TDA 35"),
        "Décision — Fausse donne : plusieurs cartes retournées pendant la donne. (TDA 35)",
        "Ruling — Misdeal: several cards exposed in the deal. (TDA 35)",
    ),
    (m.Misdeal(reason="seat_skipped"), "tout revient, la main est redonnée", "everything back, the hand is dealt again"),
    (m.Doubt(place="seat4", reason="not_read"), "Doute, siège 4 : carte non lue", "Doubt, seat 4: card not read"),
    (
        m.Doubt(place="seat4", reason="not_read", resolved=True),
        "Doute levé, siège 4 (carte non lue)",
        "Doubt settled, seat 4 (card not read)",
    ),
    (m.Tabled(seat=4, cards=("As", "Kd")), "siège 4 montre A♠ K♦", "seat 4 shows A♠ K♦"),
    (m.Award(pot=0, seats=(4,), amounts=(1250,)), f"siège 4 gagne 1{THIN}250 (pot)", "seat 4 wins 1,250 (pot)"),
    (m.Award(pot=1, seats=(4,), amounts=(None,)), "siège 4 gagne — (pot annexe 1)", "seat 4 wins — (side pot 1)"),
    (m.HandEnd(stacks=SEATS), "main terminée", "hand over"),
    (m.HandEnd(stacks=SEATS, void=True), "main annulée, elle ne compte pas", "hand void, it does not count"),
    (m.Counted(seat=4, declared=500, counted=400, by="Anne"), "siège 4 compté 400 au lieu de 500, par Anne", "seat 4 counted 400 instead of 500, by Anne"),
    (m.Arrive(entry="e9", move=None, stack=None, seat=3), "e9 arrive au siège 3 avec —", "e9 arrives at seat 3 with —"),
    (m.Depart(entry="e9", move=None, stack=100), "e9 quitte la table avec 100", "e9 leaves the table with 100"),
    (m.PenaltyServed(entry="e9", left=2), "e9 purge une main de pénalité, il en reste 2", "e9 serves a penalty hand, 2 left"),
    (m.DeviceChange(name="mcu", state="lost"), "appareil mcu : perdu", "device mcu: lost"),
    (m.AllinPending(seats=(3, 5)), "tapis payé, sièges 3, 5", "all-in and call, seats 3, 5"),
    (m.Annulled(reason="wrong seat"), "événement — annulé : wrong seat", "event — undone: wrong seat"),
    (m.UnknownBody({"x": 1}), "d'un programme plus récent", "of a newer program"),
]  # fmt: skip


def event(body: Any) -> m.Event:
    return m.Event(
        life="a" * 32, boot=1, seq=1, hand=12, t=1.0, utc="x", body=body, prev=m.GENESIS, type="later"
    )


def said(body: Any, language: str) -> list[str]:
    """What the log says; spaces that hold a line together count as spaces."""
    return [WORDING.say(saying, language).replace("\u00a0", " ") for _, saying in say_event(event(body))]


@pytest.mark.parametrize(("body", "french", "english"), EVENTS)
def test_events_are_said_in_both_languages(body: Any, french: str, english: str) -> None:
    assert french in said(body, "fr")[0]
    assert english in said(body, "en")[0]


def test_line_names_table_and_hand() -> None:
    ((tone, saying),) = say_event(event(m.Action(seat=4, kind="raise", to=650)))
    line = Line(number=1, table="t1", title="Table 1", hand=12, tone=tone, saying=saying)
    assert WORDING.line(line, "fr") == "Table 1 · Main 12 · siège 4 relance à 650"
    assert WORDING.line(line, "en") == "Table 1 · Hand 12 · seat 4 raises to 650"


@pytest.mark.parametrize("body", [m.Dealt(seat=4, n=2), m.Burned(n=1), m.Post(seat=4, kind="ante", amount=5)])
def test_single_cards_of_a_deal_and_blinds_are_not_said(body: Any) -> None:
    assert said(body, "fr") == []


def test_busts_are_said_with_the_hands_end() -> None:
    end = m.HandEnd(stacks=SEATS, busts=(m.Bust(entry="e7", start_stack=None),))
    assert said(end, "fr") == ["main terminée", "e7 est éliminé"]


def test_every_body_has_a_place_in_the_log_or_is_left_out_on_purpose() -> None:
    silent = {m.Dealt, m.Burned}
    covered = {type(body) for body, _, _ in EVENTS}
    assert covered | silent >= set(m.EVENT_BODIES.values())


@pytest.mark.parametrize("ruling", sorted(RULINGS))
def test_every_ruling_can_be_said(ruling: str) -> None:
    for incident in sorted(INCIDENTS):
        told = m.Ruling(ruling=ruling, incident=incident, rulebook="ropta", article="ROPTA x", seats=(4,))
        for language in ("fr", "en"):
            assert "ROPTA x" in WORDING.ruling(told, language)


SLUG = st.from_regex(r"\A[a-z][a-z0-9_]{0,12}\Z")
LABEL = st.text(max_size=20)
ORDER = st.builds(
    m.Order,
    order=st.sampled_from([*ORDERS, "of_tomorrow"]),
    to=st.none() | st.sampled_from(["seat4", "board", "burn", "nowhere_1", "x"]),
    from_=st.none() | st.sampled_from(["seat4", "deck", "nowhere"]),
    card=st.none() | st.sampled_from(["9h", "As"]),
    count=st.none() | st.integers(0, 99),
    seat=st.none() | st.integers(1, 10),
    amount=st.none() | st.integers(0, 10**9),
    face=st.none() | SLUG,
    what=st.none() | LABEL,
    text=st.none() | LABEL,
    options=st.none() | st.lists(LABEL, max_size=4).map(tuple),
    fact=st.none() | SLUG,
    for_=st.none() | LABEL,
    seconds=st.none() | st.integers(0, 99),
)


@given(ORDER, SLUG, SLUG, st.sampled_from(["fr", "en"]))
def test_no_order_or_ruling_of_any_table_breaks_the_page(
    order: m.Order, ruling: str, incident: str, language: str
) -> None:
    assert isinstance(WORDING.order(order, language), str)
    told = m.Ruling(
        ruling=ruling,
        incident=incident,
        rulebook="x",
        article="y",
        seats=(1,),
        orders=(order,),
        amounts={"z": 1, "3": -2},
        penalty=incident,
    )
    assert isinstance(WORDING.ruling(told, language), str)
    assert said(m.Doubt(place=order.to or "pot", reason=ruling), language)


@given(st.text(max_size=60))
def test_faces_never_let_markup_through(text: str) -> None:
    html = str(with_faces(text))
    for piece in (
        '<span class="face s">',
        '<span class="face h">',
        '<span class="face d">',
        '<span class="face c">',
        "</span>",
    ):
        html = html.replace(piece, "")
    assert "<" not in html and ">" not in html


def test_faces_are_drawn_in_their_suits_colour() -> None:
    html = str(with_faces("Flop : 10♦ A♠"))
    assert html == 'Flop : <span class="face d">10♦</span> <span class="face s">A♠</span>'


def test_no_text_of_the_catalogue_is_left_unused(shared_sources: Callable[[], str]) -> None:
    sources = shared_sources()
    built = (
        "log.action.",
        "log.link.",
        "link.",
        "doubt.",
        "device.",
        "request.",
        "alarm.",
        "tile.",
        "page.broker_",
        "hall.",
        "clock.trouble.",
        "paper.mark.",
        "setup.ask.",
        "setup.wrong.",
        "back.mistake.",
        "clock.offer.",
        "clock.end_by_",
        "proposal.",
        "choice.",
        "decision.noted.",
        "colour_up.trouble.",
        "money.",
    )
    unused = [name for name in WORDING.catalogue if name not in sources and not name.startswith(built)]
    unused = [name for name in unused if name not in ("log.incident_seats_cards", "log.incident_cards")]
    assert unused == []
