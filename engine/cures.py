"""The steps of a cure: each changes the draft as the ruling puts it and gives its physical acts.

A rulebook's row lists steps by name in the order of its book (``do = [...]``). The names are
those of the functions below without the leading underscore; docs/rulebooks.md explains them.
"""

from typing import Final

from engine import betting, pots, showdown
from engine.judging import WAIT_FLOOR, Step
from engine.rulings import Order
from engine.state import FloorCall, HandState, Incident
from engine.vocabulary import MAX_SEAT, STREET_CARDS, STREETS, seat_place

_SHUFFLE_STUB: Final = (Order("shuffle", what="stub"), Order("cut"))
_MIX_STUB: Final = (Order("mix", what="stub"), Order("mix", what="stub_muck_burns"))


def _now(d: HandState, *orders: Order) -> list[Order]:
    """Queue acts to be done at once, in this order; burns and board come by themselves."""
    d.plan += tuple(order for order in orders if order.order not in ("burn", "board"))
    return list(orders)


def _before(d: HandState, moment: str, *orders: Order) -> list[Order]:
    """Keep acts for the end of the deal or for the moment a street is due."""
    if moment == "deal" and d.phase != "dealing":
        return _now(d, *orders)
    d.later += tuple((moment, order) for order in orders)
    return list(orders)


def _owner_place(incident: Incident) -> str | None:
    if incident.seat is not None:
        return seat_place(incident.seat)
    return incident.at


def _dead_card(d: HandState, incident: Incident) -> None:
    """Take the dead card out of the hand that it was dealt to."""
    if incident.seat is None or incident.seat not in d.seats:
        return
    seat = d.seats[incident.seat]
    cards = list(seat.cards)
    if incident.card in cards:
        cards.remove(incident.card)
    elif cards:
        cards.pop()
    seat.cards = tuple(cards)


# The deal -------------------------------------------------------------------------------------


def _replace_at_end(d: HandState, incident: Incident) -> list[Order]:
    """The exposed card is dead; its owner gets the next card once the last seat was served."""
    if (
        incident.seat is None
        or incident.seat not in d.seats
        or d.board
        or d.phase not in ("dealing", "preflop")
    ):
        return []
    _dead_card(d, incident)
    d.dead_exposed += ((incident.seat, incident.card),)
    d.replacements += (incident.seat,)
    order = Order("deal", to=seat_place(incident.seat))
    return [order] if d.phase == "dealing" else _now(d, order)


def _exposed_to_burn(d: HandState, incident: Incident) -> list[Order]:
    """The exposed card takes the place of the flop's burn: no other burn before the flop."""
    d.burns += (incident.card,)
    d.burned += 1
    return _before(
        d, "deal", Order("move", card=incident.card, from_=_owner_place(incident), to="burn", face="up")
    )


def _exposed_on_deck(d: HandState, incident: Incident) -> list[Order]:
    """The exposed card goes on top of the deck once the replacement is dealt: the flop's burn."""
    return _before(
        d, "deal", Order("move", card=incident.card, from_=_owner_place(incident), to="deck", face="down")
    )


def _exposed_stays_in_view(d: HandState, incident: Incident) -> list[Order]:
    """The exposed card is put aside, face up, in sight of all."""
    d.aside += (incident.card,)
    return _before(
        d, "deal", Order("move", card=incident.card, from_=_owner_place(incident), to="aside", face="up")
    )


def _no_flop_burn(d: HandState, incident: Incident) -> list[Order]:
    """The flop comes without a burn."""
    d.burn_due = 0
    return [Order("announce", text="no_flop_burn")]


def _extra_on_deck(d: HandState, incident: Incident) -> list[Order]:
    """The card too many goes back on top of the deck, where the flop's burn will take it."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    seat = d.seats[incident.seat]
    seat.dealt -= 1
    card = seat.cards[-1] if seat.cards else None
    seat.cards = seat.cards[:-1]
    return _now(d, Order("move", card=card, from_=seat_place(seat.seat), to="deck", face="down"))


def _set_boxed_aside(d: HandState, incident: Incident) -> list[Order]:
    """The card found face up is shown to all and put aside; the next card takes its place."""
    d.aside += (incident.card,)
    orders = _now(d, Order("move", card=incident.card, from_=incident.at or "deck", to="aside", face="up"))
    if d.phase == "dealing" and incident.seat is not None:
        orders.append(Order("deal", to=seat_place(incident.seat)))
    return orders


def _complete_hand(d: HandState, incident: Incident) -> list[Order]:
    """The missing card is dealt to the hand, as long as its owner has not played on without it."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    d.seats[incident.seat].incomplete = True
    return _now(d, Order("deal", to=seat_place(incident.seat)))


def _announce_count(d: HandState, incident: Incident) -> list[Order]:
    """The dealer asks everybody to count his cards; nothing is said of whose."""
    return _now(d, Order("announce", text="count_your_cards"))


def _void_deal(d: HandState, incident: Incident) -> list[Order]:
    """Every card and every chip goes back, the deck is shuffled and cut, same button, again."""
    orders = [Order("return_cards")]
    for number in d.order:
        seat = d.seats[number]
        put_in = betting.contributed(d, number)
        if put_in:
            orders.append(Order("return_chips", to=f"stack{number}", amount=put_in))
        if seat.start is not None:
            seat.stack = seat.start
        seat.bet = seat.paid = seat.owed = 0
        seat.early = None
    orders += [Order("shuffle", what="deck"), Order("cut")]
    d.last_street = d.street()
    d.phase = "void"
    d.to_act = None
    d.pot = None if d.betting != "amounts" else 0
    d.price = d.dead_money = 0
    d.plan, d.later, d.questions, d.awards = tuple(orders), (), (), ()
    d.replacements = ()
    d.board, d.burns, d.held_out, d.aside, d.surplus = (), (), (), (), ()
    d.street_laid = 0
    d.misdeals += 1
    if d.dealer is not None:
        counts = dict(d.dealer_misdeals)
        counts[d.dealer] = counts.get(d.dealer, 0) + 1
        d.dealer_misdeals = tuple(counts.items())
    return orders


# Burns and board ------------------------------------------------------------------------------


def _first_board_card_burns(d: HandState, incident: Incident) -> list[Order]:
    """The street's first card becomes the burn that was forgotten; the street is completed."""
    coming, laid = _street_in_question(d)
    if not laid:
        return []
    first, rest = laid[0], laid[1:]
    kept = d.board[: len(d.board) - len(laid)]
    d.board = kept + rest
    d.burns += (first,)
    reopen(d, coming)
    d.street_laid = len(rest)
    d.burned = max(d.burn_due, 1)
    d.burn_due = d.burned
    return _now(
        d,
        Order("move", card=first, from_="board", to="burn", face="down"),
        Order("board", count=STREET_CARDS[coming] - len(rest)),
    )


def _street_in_question(d: HandState) -> tuple[str, tuple[str | None, ...]]:
    """The street that lies on the board last, complete or in the making, with its cards."""
    coming = d.coming()
    if d.street_laid and coming is not None:
        return coming, d.board[len(d.board) - d.street_laid :]
    street = d.street()
    count = STREET_CARDS.get(street, 0)
    return street, d.board[len(d.board) - count :] if count else ()


def reopen(d: HandState, street: str) -> None:
    """Go back to the moment before ``street`` was complete."""
    if d.phase == street:
        d.phase = d.last_street = STREETS[STREETS.index(street) - 1]
        d.to_act = None
        d.street_laid = 0
        d.burned = 1
        d.burn_due = 1


def _second_burn_to_board(d: HandState, incident: Incident) -> list[Order]:
    """The second burn is turned as the flop's first card; the flop is completed from the deck."""
    if d.burns:
        d.burns = d.burns[:-1]
        d.burned = max(d.burned - 1, 0)
    return _now(
        d, Order("move", from_="burn", to="board", face="up"), Order("board", count=STREET_CARDS["flop"] - 1)
    )


def _second_burn_leads_flop(d: HandState, incident: Incident) -> list[Order]:
    """The flop lies already: the second burn becomes its first card, its last the turn's burn."""
    flop = d.board[:3]
    if len(flop) < 3:
        return _second_burn_to_board(d, incident)
    first = d.burns[-1] if d.burns else None
    d.burns = (*d.burns[:-1], flop[2])
    d.board = (first, *flop[:2], *d.board[3:])
    d.burned = d.burn_due
    return _now(
        d,
        Order("move", card=first, from_="burn", to="board", face="up"),
        Order("move", card=flop[2], from_="board", to="burn", face="down"),
    )


def _last_board_card_burns_next(d: HandState, incident: Incident) -> list[Order]:
    """The surplus card, laid last, is the burn of the coming street."""
    card = d.surplus[-1] if d.surplus else None
    d.surplus = d.surplus[:-1]
    d.burns += (card,)
    d.burned = d.burn_due
    return _now(d, Order("move", card=card, from_="board", to="burn", face="down"))


def _flop_redealt(d: HandState, incident: Incident) -> list[Order]:
    """The whole flop goes into the stub, shuffled and cut; three cards come without a burn."""
    cards = (*d.board[:3], *d.surplus)
    d.surplus = ()
    d.board = ()
    reopen(d, "flop")
    d.street_laid = 0
    d.burned = d.burn_due
    moves = [Order("move", card=card, from_="board", to="deck", face="down") for card in cards]
    return _now(d, *moves, *_SHUFFLE_STUB, Order("board", count=3))


def _street_back(d: HandState, incident: Incident) -> list[Order]:
    """The premature card or cards leave the board for the stub; its burn stays.

    The shuffle and the new street wait for the end of the betting.
    """
    coming, laid = _street_in_question(d)
    if not laid or coming not in STREET_CARDS:
        return []
    d.board = d.board[: len(d.board) - len(laid)]
    if d.street_laid:
        d.street_laid = 0
    else:
        reopen(d, coming)
    d.burned = max(d.burned, d.burn_due) if incident.facts.get("identified", True) else d.burned
    orders = _now(d, *(Order("move", card=card, from_="board", to="deck", face="down") for card in laid))
    # A shuffle that an earlier cure keeps for this street is the same one.
    d.later = tuple(item for item in d.later if item[0] != coming or item[1] not in _SHUFFLE_STUB)
    orders += _before(d, coming, *_SHUFFLE_STUB)
    return [*orders, Order("board", count=STREET_CARDS[coming])]


def _street_redealt(d: HandState, incident: Incident) -> list[Order]:
    """The street that lies last goes back into the stub and comes again, its burn stays."""
    return _flop_redealt(d, incident) if d.surplus and d.phase == "flop" else _street_back(d, incident)


def _hold_out(d: HandState, incident: Incident) -> list[Order]:
    """The premature turn is out for this round; the next card after a burn is the turn.

    Before the river it is shuffled into the stub, without burns and muck; no burn then.
    """
    card = d.board[-1] if d.board else None
    d.board = d.board[:-1]
    if not d.street_laid:
        # Told of once the turn's betting was open: back to the end of the flop's.
        reopen(d, "turn")
    d.street_laid = 0
    d.held_out += (card,) if card is not None else ()
    d.burn_due = d.burned + 1
    d.no_burn_before += ("river",)
    orders = _now(d, Order("move", card=card, from_="board", to="aside", face="up"))
    orders += [Order("burn"), Order("board", count=1)]
    orders += _before(
        d, "river", Order("move", card=card, from_="aside", to="deck", face="down"), *_SHUFFLE_STUB
    )
    return [*orders, Order("board", count=1)]


def _mix_board_draw_burn(d: HandState, incident: Incident) -> list[Order]:
    """The street's cards are mixed face down; the one that the director draws is the burn."""
    d.calls += (FloorCall(incident.name, None, None, d.events),)
    return [*_now(d, Order("mix", what="board"), Order("draw", from_="board")), WAIT_FLOOR]


def _mix_board_with_next(d: HandState, incident: Incident) -> list[Order]:
    """The street's cards are mixed face down with the next one; one is drawn as the burn."""
    d.surplus += (None,)
    d.surplus_laid += 1
    d.calls += (FloorCall(incident.name, None, None, d.events),)
    orders = (Order("move", from_="deck", to="board", face="down"), Order("mix", what="board"))
    return [*_now(d, *orders, Order("draw", from_="board")), WAIT_FLOOR]


def _rebuild_stub(d: HandState, incident: Incident) -> list[Order]:
    """The stub is put together again in its order."""
    return _now(d, Order("announce", text="rebuild_stub"))


def _new_stub(d: HandState, incident: Incident) -> list[Order]:
    """A new stub from the stub's cards alone, without muck or burns, shuffled and cut."""
    return _stub_shuffled(d, "stub")


def _new_stub_with_mixed(d: HandState, incident: Incident) -> list[Order]:
    """Stub, muck and burns that cannot be told apart are shuffled together (TDA RP-4)."""
    return _stub_shuffled(d, "stub_muck_burns")


def _stub_shuffled(d: HandState, mixed: str) -> list[Order]:
    """The stub is shuffled now: a shuffle of it that was still to come is the same one.

    It stays where a card that is held out goes into the deck before it.
    """
    d.off_table = 0
    if Order("mix", what="stub_muck_burns") in d.plan:
        mixed = "stub_muck_burns"
    d.plan = tuple(order for order in d.plan if order not in _SHUFFLE_STUB and order not in _MIX_STUB)
    goes_in = {moment for moment, order in d.later if order.order == "move" and order.to == "deck"}
    d.later = tuple(item for item in d.later if item[0] in goes_in or item[1] not in _SHUFFLE_STUB)
    return _now(d, Order("mix", what=mixed), *_SHUFFLE_STUB)


def _reshuffle_shown(d: HandState, incident: Incident) -> list[Order]:
    """The cards seen are shuffled in; the player at the dealer's right cuts."""
    dealer = d.dealer_seat or d.button
    others = sorted((n for n in d.order if n != dealer), key=lambda n: (n - dealer) % MAX_SEAT)
    right = others[-1] if others else None
    d.stub_shown = 0
    return _now(d, Order("shuffle", what="shown"), Order("cut", by_seat=right))


def _split_pot(d: HandState, incident: Incident) -> list[Order]:
    """The board cannot be read: those in the hand share the pot."""
    d.split_pot = True
    pots.gather(d)
    d.last_street = d.street()
    d.phase = "showdown"
    d.to_act = None
    d.plan, d.later = (), ()
    return [Order("announce", text="board_split")]


def _other_deck_out(d: HandState, incident: Incident) -> list[Order]:
    """Cards of the other deck leave the board; the flop comes again from the right one."""
    cards = (*d.board, *d.surplus)
    d.board, d.surplus = (), ()
    reopen(d, "flop")
    d.street_laid = 0
    moves = [Order("move", card=card, from_="board", to="aside", face="down") for card in cards]
    return _now(d, *moves, Order("board", count=3))


def _street_bets_back(d: HandState, incident: Incident) -> list[Order]:
    """The bets of this street go back to who made them."""
    orders = []
    for number in d.order:
        seat = d.seats[number]
        if seat.bet and d.phase != "preflop":
            orders.append(Order("return_chips", to=f"stack{number}", amount=seat.bet))
            if seat.stack is not None:
                seat.stack += seat.bet
            seat.paid -= seat.bet
            seat.bet = 0
            seat.all_in = False
    if d.phase != "preflop":
        d.price = 0
        d.aggressor = None
    return _now(d, *orders)


def _scrap_replaced(d: HandState, incident: Incident) -> list[Order]:
    """A card that is no playing card of this deck is a scrap of paper: out, the next replaces it."""
    orders = [Order("move", from_=incident.at or "deck", to="aside", face="up")]
    place = incident.at or ""
    if incident.seat is not None and incident.seat in d.seats:
        _dead_card(d, incident)
        d.seats[incident.seat].incomplete = True
        orders.append(Order("deal", to=seat_place(incident.seat)))
    elif place == "board" and (d.board or d.surplus):
        orders.append(Order("board", count=1))
    return _now(d, *orders)


def _refuse_deck(d: HandState, incident: Incident) -> list[Order]:
    """The deck is not put in play."""
    return _now(d, Order("announce", text="deck_refused"), Order("wait", for_="deck"))


# Hands ----------------------------------------------------------------------------------------


def _kill_hand(d: HandState, incident: Incident) -> list[Order]:
    """The hand is dead; what it put in stays."""
    orders = []
    for number in incident.seats or ((incident.seat,) if incident.seat is not None else ()):
        if number in d.seats and betting.kill(d, number):
            d.replacements = tuple(n for n in d.replacements if n != number)
            d.seats[number].incomplete = False
            if all(seat != number for seat, _ in d.mucked_by):
                orders.append(Order("muck", seat=number))
    return _now(d, *orders)


def _refund_all(d: HandState, incident: Incident) -> list[Order]:
    """The player takes back what he put in during the hand (PPC 5.2)."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    amount = betting.refund(d, incident.seat, betting.contributed(d, incident.seat))
    return _now(d, Order("return_chips", to=f"stack{incident.seat}", amount=amount)) if amount else []


def _refund_uncalled(d: HandState, incident: Incident) -> list[Order]:
    """What nobody called of the last bet or raise goes back (ROPTA protection, TDA 65-A)."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    amount = betting.refund(d, incident.seat, betting.uncalled(d, incident.seat))
    return _now(d, Order("return_chips", to=f"stack{incident.seat}", amount=amount)) if amount else []


def _forfeit(d: HandState, incident: Incident) -> list[Order]:
    """What the player put forward stays in the pot and his hand is folded."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    return _kill_hand(d, incident)


def _give_back(d: HandState, incident: Incident) -> list[Order]:
    """The cards can be told apart: they go back to their owner."""
    if incident.seat is None:
        return []
    return _now(
        d,
        Order("find", seat=incident.seat),
        Order("move", from_="muck", to=seat_place(incident.seat), face="down"),
    )


def _show_to_all(d: HandState, incident: Incident) -> list[Order]:
    """Shown to one, shown to all, at once."""
    return _now(d, Order("show", seat=incident.seat)) if incident.seat is not None else []


def _back_in_play(d: HandState, incident: Incident) -> list[Order]:
    """A hand thrown away at the showdown that was asked for is in play again."""
    if incident.seat is not None:
        showdown.back_in_play(d, incident.seat)
    return []


def _show_at_end(d: HandState, incident: Incident) -> list[Order]:
    """The hand will be shown to the table when the hand is over."""
    return _before(d, "end", Order("show", seat=incident.seat)) if incident.seat is not None else []


def _bar_from_raising(d: HandState, incident: Incident) -> list[Order]:
    """The player may call or fold only."""
    if incident.seat is not None and incident.seat in d.seats:
        d.seats[incident.seat].barred = True
    return []


def _check_or_fold(d: HandState, incident: Incident) -> list[Order]:
    """Time is up: without a bet to the player it is a check, facing one his hand is dead (TDA 29)."""
    if incident.seat is None or incident.seat not in d.seats:
        return []
    if betting.facing(d, d.seats[incident.seat]):
        return _kill_hand(d, incident)
    betting.check_for(d, incident.seat)
    return []


def _button_corrected(d: HandState, incident: Incident) -> list[Order]:
    """The button goes to its right place before anybody has acted on the error."""
    return _now(d, Order("announce", text="button_corrected"))


def _penalty_later(d: HandState, incident: Incident) -> list[Order]:
    """The penalty begins after the hand."""
    return _now(d, Order("announce", text="penalty_later"))


def _step_name(function: Step) -> str:
    return function.__name__.removeprefix("_")


STEPS: Final[dict[str, Step]] = {
    _step_name(function): function
    for function in (
        _replace_at_end,
        _exposed_to_burn,
        _exposed_on_deck,
        _exposed_stays_in_view,
        _no_flop_burn,
        _extra_on_deck,
        _set_boxed_aside,
        _complete_hand,
        _announce_count,
        _void_deal,
        _first_board_card_burns,
        _second_burn_to_board,
        _second_burn_leads_flop,
        _last_board_card_burns_next,
        _flop_redealt,
        _street_back,
        _street_redealt,
        _forfeit,
        _hold_out,
        _mix_board_draw_burn,
        _mix_board_with_next,
        _rebuild_stub,
        _new_stub,
        _new_stub_with_mixed,
        _reshuffle_shown,
        _split_pot,
        _other_deck_out,
        _street_bets_back,
        _scrap_replaced,
        _refuse_deck,
        _kill_hand,
        _refund_all,
        _refund_uncalled,
        _give_back,
        _show_to_all,
        _back_in_play,
        _show_at_end,
        _bar_from_raising,
        _check_or_fold,
        _button_corrected,
        _penalty_later,
    )
}
STEP_NAMES: Final = frozenset(STEPS)
