"""What a player said and put forward, read as an action under the rulebook.

A clean act takes effect without a word. Anything else is an incident; the row that answers it
tells with ``read_as`` how the act counts (``engine.readings``). Amounts are totals of the round.
"""

from msgspec.structs import replace

from engine.betting import amounts, round, words
from engine.events import Acted
from engine.judging import Court
from engine.rulebook import Unknown
from engine.rulings import Order
from engine.state import HandState, Incident, Seat

Fact = bool | int | str


def play(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Read an act made in turn."""
    seat.parked = None
    if d.betting != "amounts":
        _words(d, seat, event, court)
        return
    said = event.said
    if said == "fold":
        _fold(d, seat, event, court)
    elif said == "call":
        _call(d, seat, event, court)
    elif said == "check":
        _check(d, seat, event, court)
    elif said is None:
        silent(d, seat, event, court)
    else:
        _aggressive(d, seat, event, court)


def put_forward(seat: Seat, event: Acted) -> int:
    """The total that lies in front of the player once this motion is added."""
    return seat.bet - max(seat.owed, 0) + sum(event.chips or ())


def settle(d: HandState, seat: Seat, event: Acted, court: Court, total: int) -> None:
    """Let ``total`` count and pass the turn."""
    before = seat.bet - seat.owed
    short = round.commit(d, seat, event, total, court.book)
    if d.chips == "sensed":
        seat.owed = total - before - sum(event.chips or ())
    if short and court.book.candidates("short_all_in"):
        court.judge(
            d,
            Incident(
                "short_all_in",
                seat=seat.seat,
                facts={
                    "all_in": True,
                    "opening": d.acts[-1] == "B" or not d.raises,
                    "adds_up": round.adds_up(d, seat),
                    "big_blind_short": round.big_blind_short(d),
                },
            ),
        )
    round.finish(d, seat)


# Without amounts ---------------------------------------------------------------------------


def _words(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Read a word spoken in turn; chips without a word tell nothing here."""
    said = event.said
    facing = round.facing(d, seat)
    if said == "fold":
        if not facing and court.book.candidates("open_muck"):
            incident = Incident("open_muck", seat=seat.seat, facts={"facing_bet": False, "said": "fold"})
            court.judge(d, incident)
        round.fold(d, seat, event)
    elif said == "check":
        if facing:
            deviate(d, seat, event, court, "check_facing_bet", put=0)
        else:
            words.count(d, seat, event, "k")
    elif said == "call":
        if facing:
            words.count(d, seat, event, "C")
        else:
            deviate(d, seat, event, court, "call_without_bet", put=0)
    elif said == "all_in":
        words.count(d, seat, event, "A")
    elif said == "pot" and d.limit != "pot_limit":
        deviate(d, seat, event, court, "conditional_word", put=0)
    elif said is not None:
        if round.may_raise(d, seat, court.book):
            words.count(d, seat, event, "R" if d.price else "B")
        elif only_all_ins(d, seat):
            words.count(d, seat, event, "C" if facing else "k")
        else:
            closed(d, seat, event, court, 0)


# What was said ------------------------------------------------------------------------------


def _fold(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    if not round.facing(d, seat) and court.book.candidates("open_muck"):
        court.judge(d, Incident("open_muck", seat=seat.seat, facts={"facing_bet": False, "said": "fold"}))
    round.fold(d, seat, event)


def _check(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    if round.call_price(d, seat) > seat.bet:
        deviate(d, seat, event, court, "check_facing_bet", put=put_forward(seat, event))
    elif event.chips and sum(event.chips):
        against_chips(d, seat, event, court, said_total=seat.bet)
    else:
        settle(d, seat, event, court, seat.bet)


def _call(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    price = round.call_price(d, seat)
    if price <= seat.bet:
        deviate(d, seat, event, court, "call_without_bet", put=put_forward(seat, event))
        return
    target = min(price, round.reach(seat))
    if event.chips:
        if event.word == "after":
            silent(d, seat, event, court)
            return
        put = put_forward(seat, event)
    elif event.amount is not None:
        put = event.amount
    else:
        put = target
    if put == target or (put > target and not court.book.candidates("word_against_chips")):
        settle(d, seat, event, court, target)
    elif put < target:
        deviate(d, seat, event, court, "undercall", put=put)
    else:
        against_chips(d, seat, event, court, said_total=target)


def _aggressive(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Bet, raise, all-in, pot: find the total that was said, then see whether it may be."""
    most = round.reach(seat)
    chips = event.chips
    put = put_forward(seat, event)
    late = bool(chips) and event.word == "after"
    total: int
    if event.said == "pot":
        if d.limit != "pot_limit":
            deviate(d, seat, event, court, "conditional_word", put=put)
            return
        total = round.maximum(d, seat, court.book)
    elif event.said == "all_in":
        if seat.stack is None:
            _unknown_all_in(d, seat, event, court, put)
            return
        total = most
    elif event.amount is not None:
        total = event.amount
        if chips and not late and put in amounts.readings(d, seat, event, court.book):
            # "Raise five" with 500 in chips: the chips tell what the short word means.
            total = put
    elif chips:
        if late:
            silent(d, seat, event, court)
        else:
            declared(d, seat, event, court, put)
        return
    else:
        declared(d, seat, event, court, min(round.minimum(d, court.book), most))
        return
    if event.said == "all_in" and not late:
        _all_in_said(d, seat, event, court, most)
    elif late and put != total:
        deviate(d, seat, event, court, "word_against_chips", put=put, said_total=total)
    elif chips and put != total and event.said != "pot":
        against_chips(d, seat, event, court, said_total=total)
    else:
        declared(d, seat, event, court, total)


def _all_in_said(d: HandState, seat: Seat, event: Acted, court: Court, most: int) -> None:
    """All-in is everything, whatever number or chips go with the word."""
    named = event.amount if event.amount is not None else most
    if event.chips:
        named = put_forward(seat, event)
    if named == most or not court.book.candidates("word_against_chips"):
        declared(d, seat, event, court, most)
    elif named > most:
        declared(d, seat, event, court, named)
    else:
        against_chips(d, seat, event, court, said_total=most)


def _unknown_all_in(d: HandState, seat: Seat, event: Acted, court: Court, put: int) -> None:
    """All-in with a stack that nobody counted: what is known of its size counts."""
    total = max(event.amount or 0, put, d.price)
    d.unknown_price = d.unknown_price or (event.amount is None and not event.chips)
    settle(d, seat, event, court, total)
    seat.all_in = True
    if d.to_act is not None:
        round.advance(d, seat.seat)


def against_chips(d: HandState, seat: Seat, event: Acted, court: Court, said_total: int) -> None:
    """The word and the chips differ."""
    put = put_forward(seat, event) if event.chips else event.amount or seat.bet
    deviate(d, seat, event, court, "word_against_chips", put=put, said_total=said_total)


def declared(d: HandState, seat: Seat, event: Acted, court: Court, total: int) -> None:
    """A bet or raise to ``total`` was said in time: see whether it may be and count it."""
    book = court.book
    most = round.reach(seat)
    price = d.price
    if total > most:
        if court.book.candidates("word_against_chips"):
            deviate(d, seat, event, court, "word_against_chips", put=total, said_total=most, above="stack")
            return
        total = most
    if total > price and not round.may_raise(d, seat, book):
        call = round.call_price(d, seat)
        if most <= call:
            settle(d, seat, event, court, most)
        elif only_all_ins(d, seat):
            # Nobody can answer: what is above the call comes back uncalled.
            settle(d, seat, event, court, total)
        else:
            closed(d, seat, event, court, total)
        return
    highest = round.maximum(d, seat, book) if d.limit != "no_limit" else most
    if total > highest:
        deviate(d, seat, event, court, "word_against_chips", put=total, said_total=highest, above="limit")
        return
    if total == most or (total > price and total >= round.minimum(d, book)):
        settle(d, seat, event, court, total)
    elif price == 0:
        deviate(d, seat, event, court, "underbet", put=total)
    elif not event.chips and amounts.readings(d, seat, event, book):
        deviate(d, seat, event, court, "underraise", put=total)
    elif event.said != "raise" and total <= price:
        if total == round.call_price(d, seat) and total > seat.bet:
            settle(d, seat, event, court, total)
        else:
            deviate(d, seat, event, court, "undercall", put=total)
    else:
        deviate(d, seat, event, court, "underraise", put=total)


def closed(d: HandState, seat: Seat, event: Acted, court: Court, put: int) -> None:
    """He raises although the betting is not open to him: by a short all-in, or by what he did."""
    if seat.barred and seat.barred_as:
        deviate(d, seat, event, court, seat.barred_as, put=put, barred=True)
    else:
        adds_up = d.betting == "amounts" and round.over_full_raise(d, seat)
        deviate(d, seat, event, court, "reopened", put=put, barred=seat.barred, adds_up=adds_up)


def only_all_ins(d: HandState, seat: Seat) -> bool:
    return all(other is seat or not other.live or other.all_in for other in d.seats.values())


# What was put forward without a word --------------------------------------------------------


def silent(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Read chips that came without a word that counts (ROPTA 50%, TDA 44, 45, PPC 6.2, 6.8)."""
    chips = event.chips
    if chips:
        put = put_forward(seat, event)
    elif event.amount is not None:
        put = event.amount
        if amounts.readings(d, seat, event, court.book):
            deviate(d, seat, event, court, "underraise" if d.price else "underbet", put=put)
            return
    else:
        return
    most = round.reach(seat)
    put = min(put, most)
    if put <= seat.bet:
        return
    price = round.call_price(d, seat)
    if d.price == 0:
        _opening(d, seat, event, court, put, most)
        return
    if put < price:
        if put == most:
            settle(d, seat, event, court, put)
        else:
            name = "smaller_chip" if chips is not None and len(chips) == 1 else "undercall"
            deviate(d, seat, event, court, name, put=put)
        return
    if put == price and price > seat.bet:
        settle(d, seat, event, court, put)
        return
    _above_call(d, seat, event, court, put, most, price)


def _opening(d: HandState, seat: Seat, event: Acted, court: Court, put: int, most: int) -> None:
    highest = round.maximum(d, seat, court.book) if d.limit != "no_limit" else most
    if put > highest:
        deviate(d, seat, event, court, "word_against_chips", put=put, said_total=highest, above="limit")
    elif put >= round.unit(d) or put == most:
        settle(d, seat, event, court, put)
    else:
        deviate(d, seat, event, court, "underbet", put=put)


def _above_call(
    d: HandState, seat: Seat, event: Acted, court: Court, put: int, most: int, price: int
) -> None:
    """More than the call lies there and nothing was said."""
    book = court.book
    chips = event.chips or ()
    need = price - seat.bet
    if len(chips) == 1:
        deviate(d, seat, event, court, "oversized_chip", put=put)
    elif chips and sum(chips) - min(chips) < need:
        deviate(d, seat, event, court, "several_chips", put=put, clear_raise=False)
    elif not round.may_raise(d, seat, book):
        if only_all_ins(d, seat):
            settle(d, seat, event, court, put)
        else:
            closed(d, seat, event, court, put)
    elif d.limit != "no_limit" and put > round.maximum(d, seat, book):
        highest = round.maximum(d, seat, book)
        deviate(d, seat, event, court, "word_against_chips", put=put, said_total=highest, above="limit")
    elif put == most or put >= round.minimum(d, book):
        settle(d, seat, event, court, put)
    else:
        change = bool(chips) and max(chips) > need
        deviate(d, seat, event, court, "below_minimum_raise", put=put, change=change)


# What is not clean --------------------------------------------------------------------------


def conditional(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """A declaration that hangs on what another will do (ROPTA 9.19, TDA 59)."""
    deviate(d, seat, event, court, "conditional_word", put=seat.bet)


def known(d: HandState, seat: Seat, event: Acted, court: Court, put: int) -> dict[str, Fact]:
    """The facts that every betting incident has."""
    price = d.price
    facts: dict[str, Fact] = {
        "facing_bet": round.facing(d, seat),
        "opening": price == 0,
        "first_bet": d.raises <= 1,
        "said": event.said or "nothing",
        "word": (event.word or "with") if event.said else "none",
        "chips": len(event.chips or ()),
        "all_in": put >= round.reach(seat),
        "above": "none",
        "barred": False,
        "change": False,
        "abbreviated": False,
        "his_turn": True,
    }
    if d.betting == "amounts":
        least = round.minimum(d, court.book)
        facts["half"] = put > price and 2 * (put - price) >= least - price
        facts["reaches_minimum"] = put >= least
        facts["abbreviated"] = not event.chips and bool(amounts.readings(d, seat, event, court.book))
    return facts


def deviate(
    d: HandState,
    seat: Seat,
    event: Acted,
    court: Court,
    name: str,
    *,
    put: int,
    said_total: int | None = None,
    **facts: Fact,
) -> None:
    """Let the rulebook say what an act that is not clean counts as, and count it so."""
    incident = Incident(name, seat=seat.seat, facts={**known(d, seat, event, court, put), **facts})
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        seat.parked = event
        court.ask(d, incident, row.fact)
        return
    reading = row.read_as or "director"
    if reading == "director":
        seat.parked = event
    weighed = name == "word_against_chips" and facts.get("above", "none") == "none"
    if reading == "as_put" and not weighed:
        reading = "chip_value"
    if said_total is None:
        said_total = event.amount
    if reading == "by_pot":
        said_total = amounts.by_pot(d, seat, event, court.book)
    total = read(d, seat, court, reading, put=put, said_total=said_total)
    if reading == "by_pot" and total is not None:
        # From now on he said the whole of it: chips that follow are measured by that.
        event = replace(event, amount=total)
    orders = court.work(d, row, incident)
    if total is not None:
        orders += _chips_to_fit(d, seat, event, total)
    if reading == "as_put":
        place = len(court.rulings)
        as_put(d, seat, event, court)
        later = court.rulings[place:]
        del court.rulings[place:]
        court.say(d, row, incident, orders=orders, amounts={str(seat.seat): seat.bet})
        court.rulings += later
        return
    court.say(d, row, incident, orders=orders, amounts=None if total is None else {str(seat.seat): total})
    if reading == "as_said" and weighed and total is not None and event.said in ("bet", "raise", "all_in"):
        declared(d, seat, event, court, total)
    else:
        carry_out(d, seat, event, court, reading, total, name)


def read(
    d: HandState, seat: Seat, court: Court, reading: str, *, put: int, said_total: int | None
) -> int | None:
    """The player's total of the round under a reading; None where no amount counts (yet)."""
    if d.betting != "amounts":
        return None
    most = round.reach(seat)
    if reading == "call":
        return min(max(round.call_price(d, seat), seat.bet), most)
    if reading in ("check", "fold"):
        return seat.bet
    if reading == "all_in":
        return most
    if reading in ("chip_value", "complete_or_fold"):
        return min(max(put, seat.bet), most)
    if reading in ("as_said", "by_pot") and said_total is not None:
        return min(max(said_total, seat.bet), most)
    if reading == "minimum_raise":
        if d.price and not round.may_raise(d, seat, court.book):
            return min(max(round.call_price(d, seat), seat.bet), most)
        least = round.minimum(d, court.book)
        return min(max(least, put), round.maximum(d, seat, court.book))
    return None


def carry_out(
    d: HandState, seat: Seat, event: Acted, court: Court, reading: str, total: int | None, name: str
) -> None:
    """Let an act count as it was read."""
    if reading == "fold":
        round.fold(d, seat, event)
    elif d.betting != "amounts":
        words.carry_out(d, seat, event, reading, name)
    elif reading == "complete_or_fold" and total is not None:
        round.leave_in(d, seat, total)
    elif total is not None:
        settle(d, seat, event, court, total)
    else:
        if reading == "call_or_fold":
            seat.barred = True
            seat.barred_as = name
        if d.chips == "sensed":
            seat.owed -= sum(event.chips or ())


def as_put(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Let the chips count: a word that came after them is nothing, one in time keeps its kind."""
    kind = event.said if event.said in ("bet", "raise") and event.word != "after" else None
    if kind is not None and event.chips:
        declared(d, seat, event, court, min(put_forward(seat, event), round.reach(seat)))
    else:
        silent(d, seat, event, court)


def _chips_to_fit(d: HandState, seat: Seat, event: Acted, total: int) -> list[Order]:
    """What must still be put in, or goes back, so that the chips are what counts."""
    if not event.chips:
        return []
    missing = total - put_forward(seat, event)
    if missing > 0:
        return [Order("post", seat=seat.seat, amount=missing)]
    if missing < 0:
        return [Order("return_chips", to=f"stack{seat.seat}", seat=seat.seat, amount=-missing)]
    return []
