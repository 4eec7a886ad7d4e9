"""Betting incidents that people claim or that were noticed late.

A claim on the player who acted last corrects his act while nobody acted after him; later it is
the floor's.
"""

from typing import Final

from engine.betting import acts, round
from engine.judging import Court
from engine.rulebook import Unknown
from engine.state import HandState, Incident, Motion, Seat

INCIDENTS: Final = frozenset(
    "below_minimum_raise oversized_chip several_chips word_against_chips string_bet call_without_bet "
    "check_facing_bet underbet undercall underraise smaller_chip short_all_in reopened out_of_turn "
    "conditional_word bet_before_card simultaneous utg_posted player_skipped open_muck".split()
)
_CORRECTS: Final = frozenset(
    "call check fold minimum_raise first_motion chip_value as_said as_put all_in".split()
)


def rule(d: HandState, incident: Incident, court: Court) -> None:
    """Rule on a betting incident that was claimed, noticed late, or whose question was answered."""
    seat = d.seats.get(incident.seat) if incident.seat is not None else None
    if seat is not None and seat.parked is not None and d.to_act == seat.seat:
        event = seat.parked
        given = {name: fact for name, fact in incident.facts.items() if name not in ("said", "word", "chips")}
        acts.deviate(
            d, seat, event, court, incident.name, put=acts.put_forward(seat, event), said_total=None, **given
        )
        return
    motion = d.motion if seat is not None and d.motion is not None and d.motion.seat == seat.seat else None
    incident = Incident(
        incident.name,
        incident.seat,
        incident.card,
        incident.at,
        {**_facts(d, seat, motion, court), **incident.facts},
        incident.seats,
        incident.cards,
    )
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        court.ask(d, incident, row.fact)
        return
    reading = row.read_as
    if reading == "by_pot":
        # A claim does not tell which amount was spoken.
        court.call_floor(d, incident)
        return
    if reading in _CORRECTS and seat is not None:
        if motion is None or d.betting != "amounts":
            court.call_floor(d, incident)
            return
        _correct(d, seat, motion, incident, court, reading)
        return
    court.say(d, row, incident, orders=court.work(d, row, incident))
    if reading == "call_or_fold" and seat is not None and d.to_act == seat.seat:
        seat.barred = True
        seat.barred_as = incident.name


def _facts(d: HandState, seat: Seat | None, motion: Motion | None, court: Court) -> dict[str, acts.Fact]:
    facts: dict[str, acts.Fact] = {
        "his_turn": False,
        "barred": False,
        "above": "none",
        "change": False,
        "abbreviated": False,
    }
    if d.betting == "amounts":
        facts["big_blind_short"] = round.big_blind_short(d)
    if seat is None:
        return facts
    facts["facing_bet"] = round.facing(d, seat)
    if d.betting == "amounts":
        facts["adds_up"] = round.adds_up(d, seat)
    facts["said"] = "nothing"
    facts["word"] = "none"
    if motion is not None:
        event = motion.event
        facts["said"] = event.said or "nothing"
        facts["word"] = event.word or ("with" if event.said else "none")
        facts["facing_bet"] = motion.price > motion.bet
        facts["opening"] = motion.price == 0
        facts["first_bet"] = motion.raises <= 1
        if d.betting == "amounts" and motion.last_raise:
            facts["half"] = 2 * (seat.bet - motion.price) >= motion.last_raise
    return facts


def _correct(
    d: HandState, seat: Seat, motion: Motion, incident: Incident, court: Court, reading: str
) -> None:
    """Take the last act back and count it as the rulebook reads it."""
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        return
    put = seat.bet
    if round.revert(d) is None:
        court.call_floor(d, incident)
        return
    first = incident.facts.get("amount")
    if reading == "first_motion":
        if type(first) is int:
            reading, put = "chip_value", first
        else:
            reading = "call"
    elif reading == "as_put":
        reading = "chip_value"
    total = acts.read(d, seat, court, reading, put=put, said_total=motion.event.amount)
    if total is None:
        total = put
    court.say(d, row, incident, orders=court.work(d, row, incident), amounts={str(seat.seat): total})
    acts.carry_out(d, seat, motion.event, court, reading, total, incident.name)
