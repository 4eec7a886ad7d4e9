"""The showdown: who shows in which order, who wins what, the odd chip, the pots taken.

Cards speak. Sources: ROPTA showdown, ROPTA all-in, ROPTA odd chip, ROPTA wrong pot, PPC 7.2, 8.3,
11.3, LTPQ showdown, TDA 13, 16, 17, 20, 21.
"""

from typing import Final

from phevaluator import evaluate_cards

from engine import pots
from engine.events import HandShown, PotTaken, Winners
from engine.judging import Court
from engine.rulebook import Rulebook, Unknown
from engine.rulings import Order, PotSummary
from engine.state import HandState, Incident, Seat
from engine.vocabulary import STREETS

HAND: Final = 2
BOARD: Final = 5


def no_more_betting(d: HandState) -> bool:
    """Tell whether the betting is over for good before the showdown: all-in and called."""
    if d.to_act is not None or d.phase not in STREETS or d.betting == "rounds":
        return False
    live = betting = 0
    for seat in d.seats.values():
        if not seat.folded and not seat.dead:
            live += 1
            if not seat.all_in:
                betting += 1
    return live > 1 and betting <= 1


def due(d: HandState) -> bool:
    """Tell whether hands must be shown now although board cards are still to come (ROPTA all-in)."""
    return no_more_betting(d) and any(s.live and not s.shown for s in d.seats.values())


def begin(d: HandState, book: Rulebook) -> None:
    """Open the showdown when it is time: the river's betting is over or one hand is left."""
    if d.phase not in STREETS or d.to_act is not None:
        return
    live = len(d.in_hand())
    if live > 1 and (len(d.board) < BOARD or d.street_laid):
        return
    pots.gather(d)
    d.last_street = d.street()
    d.phase = "showdown"
    settle(d, book)


def showing_order(d: HandState, book: Rulebook) -> list[int]:
    """Give the live seats in the order in which they show."""
    live = d.in_hand()
    if book.term("showdown_order") != "left_of_button" and d.aggressor in live:
        first = live.index(d.aggressor)
        return live[first:] + live[:first]
    return live


def orders(d: HandState, book: Rulebook) -> list[Order]:
    """Give the next acts of the showdown: hands to show, pots to push from the outermost in."""
    if d.phase != "showdown":
        return [Order("show", seat=n) for n in showing_order(d, book) if not d.seats[n].shown]
    if d.awards:
        return [
            Order("push_pot", seat=seat, amount=amount or None)
            for _, seat, amount in sorted(d.awards, key=lambda award: -award[0])
        ]
    if d.settled or d.pot == 0:
        return []
    hidden = [n for n in showing_order(d, book) if not d.seats[n].shown]
    if hidden and not d.split_pot:
        return [Order("show", seat=n) for n in hidden]
    return [Order("wait", for_="winners")]


def shown(d: HandState, event: HandShown, court: Court) -> None:
    """A hand was tabled; a single card shown does not table it (TDA 15-A)."""
    seat = d.seats.get(event.seat)
    if seat is None or event.to != "table":
        return
    known = tuple(card for card in event.cards if card is not None)
    if len(event.cards) >= HAND:
        seat.shown = True
        if len(known) == HAND and len(event.cards) == HAND and known[0] != known[1]:
            seat.hand = known
    settle(d, court.book)


def mucked(d: HandState, number: int, court: Court) -> None:
    """A player throws his hand away at the showdown instead of showing; the last one cannot."""
    seat = d.seats.get(number)
    if seat is None or d.phase != "showdown" or not seat.live or d.awards or d.settled:
        return
    if len(d.in_hand()) == 1:
        return
    seat.folded = seat.mucked = True
    settle(d, court.book)


def back_in_play(d: HandState, number: int) -> bool:
    """Who asks to see a hand thrown away at the showdown puts it back in play (ROPTA asking to see).

    Returns:
        Whether it was; not once a pot was taken.
    """
    seat = d.seats.get(number)
    if seat is None or not seat.mucked or d.phase != "showdown" or d.settled:
        return False
    if sum(amount for _, _, amount in d.awards) != sum(pot.amount for pot in pots.layers(d)):
        return False
    seat.folded = seat.mucked = False
    d.awards = ()
    return True


def named(d: HandState, event: Winners, court: Court) -> None:
    """People name the winners of a pot because the cards do not tell."""
    if d.phase != "showdown" or d.awards or d.settled:
        return
    if d.pot is None:
        seats = tuple(n for n in event.seats if n in d.seats)
        d.awards = tuple((0, n, 0) for n in seats)
        return
    found = pots.layers(d)
    if not found:
        return
    number = event.pot
    if number >= len(found):
        number = next((i for i, pot in enumerate(found) if pot.amount == event.pot), len(found) - 1)
    seats = tuple(n for n in event.seats if n in d.seats and d.seats[n].live)
    if seats:
        d.winners = (*(named for named in d.winners if named[0] != number), (number, seats))
    settle(d, court.book)


def settle(d: HandState, book: Rulebook) -> None:
    """Award every pot as soon as all hands that are needed lie open, or people named the winners."""
    if d.phase != "showdown" or d.awards or d.settled:
        return
    live = d.in_hand()
    if d.pot is None:
        _settle_words(d, live)
        return
    found = pots.layers(d)
    ranks: dict[int, int] = {}
    awards: list[tuple[int, int, int]] = []
    for number, pot in enumerate(found):
        winners = _winners(d, number, pot, ranks)
        if winners is None:
            return
        awards.extend((number, seat, amount) for seat, amount in split(d, pot.amount, winners) if amount)
    d.awards = tuple(awards)


def _settle_words(d: HandState, live: list[int]) -> None:
    """No amounts are recorded: name who wins the main pot, which every live hand plays for.

    Whether there are side pots nobody recorded: people push those.
    """
    winners = _winners(d, 0, PotSummary(0, tuple(live)), {})
    d.awards = tuple((0, seat, 0) for seat in winners or ())


def _winners(d: HandState, number: int, pot: PotSummary, ranks: dict[int, int]) -> list[int] | None:
    """The winners of one pot, clockwise from the button's left; None while nobody can tell."""
    contenders = [n for n in d.order if n in pot.seats]
    if len(contenders) == 1 or d.split_pot:
        return contenders or None
    for named_pot, seats in d.winners:
        if named_pot == number:
            return [n for n in d.order if n in seats]
    if not contenders:
        return None
    best: list[int] = []
    lowest = 0
    for contender in contenders:
        rank = ranks.get(contender)
        if rank is None:
            rank = _rank(d, d.seats[contender])
            if rank is None:
                return None
            ranks[contender] = rank
        if not best or rank < lowest:
            best, lowest = [contender], rank
        elif rank == lowest:
            best.append(contender)
    return best


def _rank(d: HandState, seat: Seat) -> int | None:
    """The strength of a tabled hand (lower is better); None when the cards do not tell."""
    board = d.board
    if len(seat.hand) != HAND or len(board) != BOARD:
        return None
    cards = (*board, *seat.hand)
    if None in cards or len(set(cards)) != BOARD + HAND:
        return None
    rank: int = evaluate_cards(*cards)
    return rank


def split(d: HandState, amount: int, winners: list[int]) -> list[tuple[int, int]]:
    """Divide one pot; chips that cannot be divided go one each from the button's left.

    ``winners`` stand clockwise from the button's left. Sources: PPC 7.2, ROPTA odd chip, TDA 20.
    """
    chip = max(d.smallest_chip, 1)
    whole, loose = divmod(amount, chip)
    each, odd = divmod(whole, len(winners))
    shares = [each * chip + (chip if place < odd else 0) for place in range(len(winners))]
    shares[0] += loose
    return list(zip(winners, shares, strict=True))


def taken(d: HandState, event: PotTaken, court: Court) -> None:
    """A player took chips from the pot: his award is paid; what is not his is a wrong pot."""
    seat = d.seats.get(event.seat)
    if seat is None or d.phase != "showdown":
        return
    if d.pot is None:
        d.awards = tuple(award for award in d.awards if award[1] != event.seat)
        d.settled = not d.awards
        return
    if not d.awards:
        _taken_unsettled(d, seat, event.amount)
        return
    left = event.amount
    kept: list[tuple[int, int, int]] = []
    for number, winner, amount in reversed(d.awards):
        pay = min(left, amount) if winner == event.seat else 0
        if pay:
            _pay(d, seat, pay)
            left -= pay
        if amount > pay:
            kept.append((number, winner, amount - pay))
    d.awards = tuple(reversed(kept))
    d.settled = d.settled or not kept
    if left and d.returned is not None and d.returned[0] == event.seat:
        # Who takes his uncalled bet back with the pot takes nothing that is not his.
        left = max(left - d.returned[1], 0)
    if left:
        _wrong_pot(d, event, left, court)


def _taken_unsettled(d: HandState, seat: Seat, amount: int) -> None:
    """Nobody could tell the winner: who takes the pot with the others' consent has won it."""
    if d.settled or not seat.live:
        return
    pay = min(amount, d.pot or 0)
    if pay:
        _pay(d, seat, pay)
        d.settled = d.pot == 0


def _pay(d: HandState, seat: Seat, amount: int) -> None:
    if seat.stack is not None:
        seat.stack += amount
    d.pot = (d.pot or 0) - amount


def _wrong_pot(d: HandState, event: PotTaken, amount: int, court: Court) -> None:
    """Chips were pushed to the wrong player: correctable until the cards are gathered."""
    due_to = tuple(dict.fromkeys(winner for _, winner, _ in d.awards))
    incident = Incident(
        "wrong_pot",
        seat=event.seat,
        seats=(event.seat, *(n for n in due_to if n != event.seat)),
        facts={"cards_gathered": False, "pot_taken": not d.awards, "notice": False},
    )
    row = court.look_up(d, incident)
    if isinstance(row, Unknown):
        court.ask(d, incident, row.fact)
        return
    back = [Order("return_chips", to="pot", seat=event.seat, amount=amount)]
    push = [Order("push_pot", seat=winner, amount=due or None) for _, winner, due in reversed(d.awards)]
    cure = back + push if "amount_corrected" in row.ruling else []
    amounts: dict[str, int] = {}
    for _, winner, due in d.awards:
        amounts[str(winner)] = amounts.get(str(winner), 0) + due
    court.say(d, row, incident, orders=court.work(d, row, incident) + cure, amounts=amounts or None)


def end(d: HandState, book: Rulebook) -> None:
    """The hand is over: awards that nobody confirmed one by one are paid."""
    begin(d, book)
    if d.phase != "showdown":
        return
    settle(d, book)
    for _, winner, amount in d.awards:
        if amount:
            _pay(d, d.seats[winner], amount)
    d.awards = ()
    d.settled = True
