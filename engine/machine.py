"""step, expects, replay: one event at a time, the next acts, a whole journal.

``step`` never changes the state it is given. Any well-formed event is accepted in any state;
what makes no sense changes nothing or is ruled, it never raises.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from engine import betting, blinds, cures, dealing, plan, pots, showdown
from engine import events as ev
from engine.incidents import board, claims, deal, deck, floor, hands
from engine.judging import WAIT_FLOOR, Court
from engine.rulebook import Rulebook
from engine.rulings import Order, PotSummary, Ruling, Summary
from engine.state import HandState, Incident, substantial_action
from engine.vocabulary import seat_of

PLAYED: Final = hands.PLAYED


class Step(Struct, frozen=True):
    """What one event made: the new state, the rulings on it, the acts of their cures."""

    state: HandState
    rulings: tuple[Ruling, ...]
    orders: tuple[Order, ...]


class Replay(Struct, frozen=True):
    """What a journal made: the final state and every ruling."""

    state: HandState
    rulings: tuple[Ruling, ...]


def start() -> HandState:
    """Give the state of a table before its first hand."""
    return HandState()


def step(state: HandState, event: ev.TableEvent, book: Rulebook) -> Step:
    """Take one event: the state after it, the rulings and the acts that cure it."""
    draft = state.thaw()
    court = Court(book, draft.events, cures.STEPS)
    apply(draft, event, court)
    rulings = tuple(court.rulings)
    return Step(draft, rulings, rulings[0].orders if rulings else ())


def replay(events: Iterable[ev.TableEvent], book: Rulebook, state: HandState | None = None) -> Replay:
    """Run a whole journal; events that were undone did not happen."""
    draft = state.thaw() if state is not None else HandState()
    rulings: list[Ruling] = []
    for event, undone in resolved(events):
        court = Court(book, draft.events, cures.STEPS)
        if undone:
            draft.events += 1
        else:
            apply(draft, event, court)
            rulings += court.rulings
    return Replay(draft, tuple(rulings))


def resolved(events: Iterable[ev.TableEvent]) -> Iterator[tuple[ev.TableEvent, bool]]:
    """Give every event with whether it was undone; an undoing can itself be undone."""
    listed: Sequence[ev.TableEvent] = events if isinstance(events, (list, tuple)) else list(events)
    undone: set[int] = set()
    for index in range(len(listed) - 1, -1, -1):
        event = listed[index]
        if type(event) is ev.Undone and index not in undone and event.index < index:
            undone.add(event.index)
            undone.add(index)
    for index, event in enumerate(listed):
        yield event, index in undone


def apply(d: HandState, event: ev.TableEvent, court: Court) -> None:
    """Let one event work on a draft; the court collects the rulings."""
    handler = _HANDLERS.get(type(event))
    if handler is not None:
        handler(d, event, court)
        if court.rulings or type(event) in _DECIDE:
            _settle(d, court)
        while d.to_act is not None and d.phase in PLAYED and d.seats[d.to_act].early is not None:
            # An act made out of turn was kept, and its turn has come.
            betting.resume(d, court)
            _settle(d, court)
        if d.plan:
            plan.prune(d)
    d.events += 1


def _hand_started(d: HandState, event: ev.HandStarted, court: Court) -> None:
    dealing.begin(d, event)
    blinds.post(d, event, court)


def _card_moved(d: HandState, event: ev.CardMoved, court: Court) -> None:
    if d.phase in ("over", "void"):
        plan.fulfil(d, event)
        return
    origin, target = event.from_, event.to
    if plan.fulfil(d, event):
        _after_cure_move(d, event, court)
        return
    if origin == "deck":
        _from_deck(d, event, court)
    elif origin == target:
        if seat_of(origin) is not None and event.face == "up":
            exposed = ev.CardExposed(card=event.card, at=origin, by=event.by, t=event.t, group=event.group)
            _card_exposed(d, exposed, court)
        elif origin == "burn" and event.face == "up":
            court.judge(d, Incident("burn_exposed", card=event.card, at="burn"))
    elif target == "muck":
        hands.thrown(d, event, court)
    elif seat_of(origin) is not None and target in ("off_table", "felt"):
        hands.dropped_by_player(d, event, court)
    elif target == "board" and origin in ("burn", "felt", "aside"):
        board.laid(d, event, court)
    elif origin in ("felt", "off_table") and seat_of(target) is not None and d.phase == "dealing":
        deal.dealt(d, event, court)
    elif target == "deck":
        d.on_top += (event.card,)


def _from_deck(d: HandState, event: ev.CardMoved, court: Court) -> None:
    target = event.to
    if seat_of(target) is not None:
        plan.drop_soft(d)
        if d.phase == "dealing":
            deal.dealt(d, event, court)
        else:
            _late_card(d, event, court)
        return
    if target == "burn":
        deal.close(d, court)
        _move_on(d, court, board_card=False)
        if d.phase != "void":
            board.burned(d, event, court)
    elif target == "board":
        deal.close(d, court)
        if d.phase in ("dealing", "void"):
            return
        if not board.is_surplus(d, event):
            _move_on(d, court, board_card=True)
        board.laid(d, event, court)
    elif target == "off_table" or (target == "felt" and event.face == "up"):
        if d.phase == "dealing":
            deal.dropped(d, event, court)
        elif d.phase in PLAYED:
            deck.stub_card_off_table(d, event, court)
    elif target == "aside" and event.by == "deck":
        deal.boxed(
            d, event.card, court, at="deck", seat=dealing.next_seat(d) if d.phase == "dealing" else None
        )


def _move_on(d: HandState, court: Court, *, board_card: bool) -> None:
    if d.questions:
        claims.unanswered(d, court)
    if d.plan or d.later:
        plan.moved_on(d, board=board_card)


def _late_card(d: HandState, event: ev.CardMoved, court: Court) -> None:
    """A card for a seat once the betting is open: owed to it, too many, or too late."""
    number = seat_of(event.to)
    if number is None or d.phase not in PLAYED:
        return
    deal.took_top(d)
    if number not in d.seats:
        court.judge(d, Incident("card_to_wrong_seat", seat=number, facts={"first_seat": False}))
        return
    seat = d.seats[number]
    if seat.incomplete or number in d.replacements:
        deal.complete(d, number, event, court)
    elif seat.live and not d.acts and d.phase == "preflop" and not d.board:
        deal.extra(d, number, event, court)
    elif seat.live:
        seat.dealt += 1
        seat.cards += (None,)
        court.judge(d, Incident("wrong_card_count", seat=number, facts=deal.count_facts(d, number)))


def _after_cure_move(d: HandState, event: ev.CardMoved, court: Court) -> None:
    """A move of the cure was made: a board card of it may complete its street."""
    if event.to != "board" or event.from_ == "board":
        return
    if event.from_ == "deck" and event.face == "down" and None in d.surplus:
        # The card that is mixed with the street: it was counted when the cure was ordered.
        deal.took_top(d)
        return
    if not d.street_laid and d.board and d.board[0] is None:
        d.board = (event.card, *d.board[1:])
    elif event.card is None or event.card not in d.board:
        board.laid(d, event, court)


def _card_exposed(d: HandState, event: ev.CardExposed, court: Court) -> None:
    if d.phase in ("over", "void"):
        return
    if event.at == "burn":
        court.judge(d, Incident("burn_exposed", card=event.card, at="burn"))
    elif event.at == "board":
        board.named(d, event)
    elif event.at == "deck":
        if d.phase == "dealing":
            deal.exposed_at_place(d, event, court)
        elif event.by == "deck":
            deal.boxed(d, event.card, court, at="deck", seat=None)
        elif d.phase in PLAYED:
            deck.stub_card_shown(d, event, court)
    elif seat_of(event.at) is not None:
        if d.phase == "dealing":
            deal.exposed_at_place(d, event, court)
        else:
            hands.turned_at_seat(d, event, court)


def _deck_shuffled(d: HandState, event: ev.DeckShuffled, court: Court) -> None:
    d.shuffled_by = event.by_seat
    d.on_top = ()
    plan.done(d, "shuffle")


def _deck_cut(d: HandState, event: ev.DeckCut, court: Court) -> None:
    plan.done(d, "cut")
    deck.cut(d, event, court)


def _acted(d: HandState, event: ev.Acted, court: Court) -> None:
    if event.seat not in d.seats or d.phase in ("over", "void", "showdown"):
        if d.phase == "showdown" and event.said == "fold" and event.seat in d.seats:
            showdown.mucked(d, event.seat, court)
        return
    if d.phase == "dealing" and not d.off_deck:
        # Chips before the cards: a blind posted by mistake (ROPTA UTG).
        betting.acted(d, event, court)
        return
    deal.close(d, court)
    if d.phase not in PLAYED:
        return
    board.caught_by_act(d, court)
    seat = d.seats[event.seat]
    if seat.incomplete and d.to_act == event.seat:
        deal.acted_incomplete(d, event.seat, court)
        if not seat.live:
            return
    plan.drop_soft(d)
    betting.acted(d, event, court)
    _settle(d, court)


def _round_closed(d: HandState, event: ev.RoundClosed, court: Court) -> None:
    deal.close(d, court)
    if d.phase in PLAYED:
        betting.close_round(d)
        _settle(d, court)


def _settle(d: HandState, court: Court) -> None:
    """The round may be over: a street that lies complete opens, the river leads to the showdown."""
    if d.to_act is None and d.phase in PLAYED and d.street_laid:
        board.settle_street(d)
    if d.to_act is None and d.phase != "dealing":
        showdown.begin(d, court.book)
        showdown.settle(d, court.book)


def _chips_moved(d: HandState, event: ev.ChipsMoved, court: Court) -> None:
    betting.chips_moved(d, event, court)


def _counted(d: HandState, event: ev.Counted, court: Court) -> None:
    betting.counted(d, event)


def _conduct(d: HandState, event: ev.Conduct, court: Court) -> None:
    """Conduct is reported to the hub by the event itself; it changes nothing in the hand."""


def _pot_taken(d: HandState, event: ev.PotTaken, court: Court) -> None:
    plan.drop_soft(d)
    showdown.taken(d, event, court)


def _hand_ended(d: HandState, event: ev.HandEnded, court: Court) -> None:
    if d.phase == "over":
        return
    showdown.end(d, court.book)
    d.last_street = d.street()
    d.phase = "over"
    d.to_act = None
    d.plan, d.later, d.questions, d.calls = (), (), (), ()
    for seat in d.seats.values():
        seat.owed = 0


# Events by which a person may end a hand or a street.
_DECIDE: Final = frozenset({ev.FloorDecided, ev.Answered, ev.CardMoved})

_HANDLERS: Final[dict[type, Callable[[HandState, Any, Court], None]]] = {
    ev.HandStarted: _hand_started,
    ev.CardMoved: _card_moved,
    ev.CardExposed: _card_exposed,
    ev.DeckShuffled: _deck_shuffled,
    ev.DeckCut: _deck_cut,
    ev.DeckCounted: deck.counted,
    ev.ForeignCard: deck.foreign,
    ev.DuplicateCard: deck.duplicate,
    ev.StubDropped: deck.stub_dropped,
    ev.BoardDisturbed: board.disturbed,
    ev.Acted: _acted,
    ev.RoundClosed: _round_closed,
    ev.ChipsMoved: _chips_moved,
    ev.Counted: _counted,
    ev.Claimed: claims.claimed,
    ev.Answered: claims.answered,
    ev.Presence: hands.presence,
    ev.HandShown: hands.shown,
    ev.TimeExpired: hands.time_expired,
    ev.Conduct: _conduct,
    ev.FloorDecided: floor.decided,
    ev.Winners: showdown.named,
    ev.PotTaken: _pot_taken,
    ev.HandEnded: _hand_ended,
}


def expects(state: HandState, book: Rulebook) -> tuple[Order, ...]:
    """Give the next physical acts, what a cure demands first; empty when nothing is to be done.

    What no sensor can prove (an announcement, mixing cards) stands before the act that follows
    it and vanishes with that act; a player's turn is given beside what the dealer has to do.
    """
    if state.calls:
        return (*(order for order in state.plan if order.order in ("mix", "draw")), WAIT_FLOOR)
    if state.questions:
        return (claims.question(state.questions[0]),)
    if not state.plan:
        return _due(state, book)
    shown = plan.shown(state)
    waits = plan.observable(shown[-1]) and shown[-1].order != "muck"
    if waits and (state.to_act is None or state.phase not in PLAYED):
        return shown
    return (*shown, *_due(state, book))


def _due(state: HandState, book: Rulebook) -> tuple[Order, ...]:
    """The next acts when no cure is to be done first."""
    phase = state.phase
    if phase in ("over", "void"):
        return ()
    if phase == "showdown" or showdown.due(state):
        orders = tuple(showdown.orders(state, book))
        if orders:
            return orders
    if state.to_act is not None and phase in PLAYED:
        return (betting.legal(state, book),)
    if phase in PLAYED and betting.to_gather(state):
        return (Order("gather"),)
    return dealing.expected(state)


def summary(state: HandState, book: Rulebook) -> Summary:
    """Give the public state in the contract's form; chips where the rulings put them."""
    seats = state.seats
    layers = pots.layers(state) if state.pot is not None else ()
    return Summary(
        phase="floor" if state.calls else state.phase,
        board=state.board,
        burns=state.burns,
        held_out=state.held_out,
        dead_seats=tuple(sorted(n for n, s in seats.items() if s.dead)),
        folded_seats=tuple(sorted(n for n, s in seats.items() if s.folded)),
        pot=state.pot,
        pots=tuple(PotSummary(pot.amount, pot.seats) for pot in layers),
        stacks={str(n): seats[n].stack for n in sorted(seats)},
        bets={str(n): seats[n].bet for n in sorted(seats) if seats[n].bet},
        owed={str(n): seats[n].owed for n in sorted(seats) if seats[n].owed},
        to_act=state.to_act,
        substantial_action=substantial_action(state.acts, book),
        misdeals=state.misdeals,
    )
