"""Acts that do not come in turn: out of turn, before the board card, a second motion.

An act out of turn is kept; when the turn comes and it binds, it takes effect by itself.
Sources: PPC 4.9, 6.1, 6.3, ROPTA out of turn, ROPTA blind, ROPTA forgotten, ROPTA 9.18, ROPTA UTG,
TDA 53, 56.
"""

from msgspec.structs import replace

from engine.betting import acts, amounts, claims, round
from engine.events import Acted
from engine.judging import Court
from engine.rulebook import Unknown
from engine.state import HandState, Incident, Seat, substantial_action
from engine.vocabulary import STREETS


def not_in_turn(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Take an act of a player whose turn it is not."""
    motion = d.motion
    if motion is not None and motion.seat == event.seat and not _on_the_next_street(d, event):
        second_motion(d, seat, event, court)
        return
    if seat.all_in or not says_anything(event):
        return
    if d.phase not in STREETS:
        if d.phase == "dealing":
            _before_the_cards(d, seat, event, court)
        return
    if d.to_act is None and sum(1 for s in d.seats.values() if s.live and not s.all_in) < 2:
        return
    if seat.early is not None:
        _more_of_it(d, seat, event)
        return
    if event.conditional:
        acts.conditional(d, seat, event, court)
        return
    if d.to_act is None:
        name = "bet_before_card"
    elif event.group is not None and event.group == d.act_group:
        name = "simultaneous"
    else:
        name = "out_of_turn"
    keep(d, seat, event, court, name)


def _on_the_next_street(d: HandState, event: Acted) -> bool:
    """Whether who acted last speaks of the street to come: the round is over and others already do."""
    return d.to_act is None and event.said is not None and any(s.early is not None for s in d.seats.values())


def says_anything(event: Acted) -> bool:
    """Whether the event has a word or chips at all."""
    return event.said is not None or event.amount is not None or bool(event.chips and sum(event.chips))


def keep(d: HandState, seat: Seat, event: Acted, court: Court, name: str) -> None:
    """Keep an act out of turn until its turn comes; an announced fold binds at once."""
    incident = Incident(
        name,
        seat=seat.seat,
        facts={
            "his_turn": False,
            "barred": False,
            "said": event.said or "nothing",
            "facing_bet": round.facing(d, seat),
        },
    )
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        court.ask(d, incident, row.fact)
        row = court.book.floor
    else:
        court.say(d, row, incident, orders=court.work(d, row, incident))
    reading = row.read_as or "director"
    if event.said == "fold" and reading == "bound":
        letters = d.skipped_acts
        waiting = d.to_act
        motion = d.motion
        seat.folded = True
        seat.acts += 1
        d.acts += "f"
        if len(d.in_hand()) <= 1:
            round.advance(d, waiting)
        d.motion = motion
        d.skipped_acts = letters + "f"
    elif reading in ("kept", "bound", "director"):
        seat.early = event
        seat.early_as = name
        seat.early_price = seen_price(d)
        seat.early_total = _early_total(d, seat, event, court)
        puts_in = event.said not in ("check", "fold") and seat.early_total > seat.bet
        if d.betting != "amounts":
            puts_in = event.said not in ("check", "fold", None)
        d.skipped_acts += "X" if puts_in else "x"
    if d.to_act is not None:
        _skipped(d, court)


def seen_price(d: HandState) -> int:
    """What the round costs in the eyes of who acts now: acts out of turn before him included."""
    price = d.price
    for other in d.seats.values():
        if other.early is not None and other.early_total > price:
            price = other.early_total
    return price


def _early_total(d: HandState, seat: Seat, event: Acted, court: Court) -> int:
    """What the round will cost if an act out of turn binds."""
    price = seen_price(d)
    if d.betting != "amounts":
        return price + (1 if event.said in ("bet", "raise", "all_in", "pot") else 0)
    most = round.reach(seat)
    if event.said in ("check", "fold"):
        return seat.bet
    if event.said == "call":
        return min(price, most)
    if event.said == "all_in":
        return most if seat.stack is not None else max(event.amount or 0, price)
    if event.amount is not None:
        meant = None if event.chips else amounts.by_pot(d, seat, event, court.book)
        return min(meant or event.amount, most)
    if event.chips:
        return min(acts.put_forward(seat, event), most)
    return min(max(round.minimum(d, court.book), price), most)


def _more_of_it(d: HandState, seat: Seat, event: Acted) -> None:
    """He goes on out of turn: chips after a word belong to it, anything else counts for nothing."""
    first = seat.early
    if first is None:
        return
    if _word_only(first) and event.chips and event.said is None:
        seat.early = replace(first, chips=event.chips, word="before")
        if first.said in ("bet", "raise") and first.amount is None:
            seat.early_total = max(seat.early_total, acts.put_forward(seat, event))


def _word_only(event: Acted) -> bool:
    return event.said is not None and not event.chips


def _before_the_cards(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Chips before the first card: a blind posted by mistake (ROPTA UTG)."""
    if d.off_deck or not (event.chips or event.said in ("call", "bet", "raise", "all_in")):
        return
    court.judge(d, Incident("utg_posted", seat=seat.seat, facts={"before_deal": True}))


def _skipped(d: HandState, court: Court) -> None:
    """So many acted behind the player whose turn it is that he counts as skipped."""
    letters = d.skipped_acts
    number = d.to_act
    if number is None or not substantial_action(letters, court.book):
        return
    if substantial_action(letters[:-1], court.book):
        return
    facts: dict[str, bool | int | str] = {
        "sa_since": True,
        "acted_since": True,
        "acted_count": len(letters),
        "facing_bet": round.facing(d, d.seats[number]),
    }
    claims.rule(d, Incident("player_skipped", seat=number, facts=facts), court)


def resume(d: HandState, court: Court) -> None:
    """Let acts out of turn take effect, now that their turn has come, as far as they bind."""
    while d.to_act is not None:
        seat = d.seats[d.to_act]
        if seat.early is None or d.phase not in STREETS:
            return
        _turn_has_come(d, seat, seat.early, court)


def _turn_has_come(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    seat.early = None
    if not seat.early_as:
        # The director bound him to it.
        incident = Incident("out_of_turn", seat=seat.seat)
        court.say(d, court.book.floor, incident, rulings=("action_bound",))
        acts.play(d, seat, event, court)
        return
    unchanged = d.price == seat.early_price
    facts: dict[str, bool | int | str] = {
        "his_turn": True,
        "unchanged": unchanged,
        "raised_between": not unchanged,
        "said": event.said or "nothing",
        "facing_bet": round.facing(d, seat),
        "barred": False,
    }
    incident = Incident(seat.early_as, seat=seat.seat, facts=facts)
    row = court.look_up(d, incident)
    if isinstance(row, Unknown) or row.read_as is None:
        # The floor was called when he acted; what was not bound by it is free.
        return
    court.say(d, row, incident, orders=court.work(d, row, incident))
    if row.read_as == "bound":
        acts.play(d, seat, event, court)
    else:
        if row.read_as == "call_or_fold":
            seat.barred = True
            seat.barred_as = seat.early_as
        if d.chips == "sensed":
            seat.owed -= sum(event.chips or ())


# A second motion ----------------------------------------------------------------------------


def second_motion(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """The player who acted last goes on before anybody else: one act in two motions.

    Word first and chips after it are one act (ROPTA raise 3). Chips that pay what he owes are no
    motion. All else is a string bet, or a word that came after the chips.
    """
    motion = d.motion
    if motion is None or not says_anything(event):
        return
    first = motion.event
    if event.chips and event.said is None:
        if _paid_in_parts(seat, first, sum(event.chips)):
            seat.owed -= sum(event.chips)
            return
        if _word_only(first) and first.said in ("bet", "raise", "call", "all_in", "check"):
            _chips_for_word(d, seat, first, event, court)
            return
        if 0 < sum(event.chips) <= seat.owed:
            seat.owed -= sum(event.chips)
            return
    if event.said == first.said and not event.chips and amounts.same(event.amount, first.amount):
        return
    late_word = event.said is not None and not event.chips and first.said is None
    if late_word and event.said == _name_of(d, seat, motion.price) and event.amount in (None, seat.bet):
        return
    name = "word_against_chips" if late_word else "string_bet"
    facts: dict[str, bool | int | str] = {
        "said": event.said or "nothing",
        "word": "after",
        "chips": len(event.chips or ()),
        "above": "none",
        "facing_bet": motion.price > motion.bet,
        "amount": seat.bet,
    }
    incident = Incident(name, seat=seat.seat, facts=facts)
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        court.ask(d, incident, row.fact)
        return
    counts = {str(seat.seat): seat.bet} if d.betting == "amounts" else None
    court.say(d, row, incident, orders=court.work(d, row, incident), amounts=counts)
    if d.chips == "sensed":
        seat.owed -= sum(event.chips or ())


def _paid_in_parts(seat: Seat, first: Acted, chips: int) -> bool:
    """Whether chips pay what a word told in full: that may take several motions (ROPTA raise 3, TDA 42)."""
    in_full = first.amount is not None or first.said in ("call", "all_in")
    return _word_only(first) and in_full and 0 < chips <= seat.owed


def _name_of(d: HandState, seat: Seat, price: int) -> str:
    """The word for what the player did."""
    if seat.bet > price:
        return "raise" if price else "bet"
    return "call"


def _chips_for_word(d: HandState, seat: Seat, first: Acted, event: Acted, court: Court) -> None:
    """Chips follow the word: together they are one act."""
    if d.betting != "amounts":
        return
    closed = round.revert(d)
    if closed is None:
        return
    acts.play(d, seat, replace(first, chips=event.chips, word=first.word or "before"), court)
