"""Burns and board: missing and surplus burns, surplus and premature streets, a disturbed board."""

from engine import dealing, pots
from engine.events import BoardDisturbed, CardExposed, CardMoved
from engine.incidents import deal
from engine.judging import Court
from engine.state import HandState, Incident, substantial_action
from engine.vocabulary import STREET_CARDS


def since(d: HandState, court: Court, mark: int) -> dict[str, bool | int | str]:
    """Facts about what was done since the error: only acts made since then count (ROPTA SA)."""
    acts = d.acts[mark:]
    return {
        "sa_since": substantial_action(acts, court.book),
        "acted_since": bool(acts),
        "acted_count": len(acts),
    }


def known(cards: tuple[str | None, ...]) -> tuple[str, ...]:
    """The cards among these that somebody could read."""
    return tuple(card for card in cards if card is not None)


def burned(d: HandState, event: CardMoved, court: Court) -> None:
    """A card went from the deck to the burns. An early burn alone raises nothing."""
    top = deal.took_top(d)
    if d.to_act is None:
        pots.gather(d)
    d.burns += (event.card or top,)
    d.burned += 1
    if d.burned > d.burn_due and d.coming() is not None and not d.street_laid:
        facts = {
            "street": d.coming() or "river",
            "flop_turned": len(d.board) >= STREET_CARDS["flop"],
            "identified": True,
            "count": d.burned,
            **since(d, court, len(d.acts)),
        }
        court.judge(d, Incident("double_burn", facts=facts))


def laid(d: HandState, event: CardMoved, court: Court) -> None:
    """A card went from the deck (or the burns) to the board."""
    card = event.card
    if event.from_ == "deck":
        deal.took_top(d)
    if is_surplus(d, event):
        _surplus(d, card, court)
        return
    if not d.street_laid:
        d.street_ordered = True
    elif event.group is not None and event.group == d.board_group:
        d.street_ordered = False
    d.board_group = event.group
    if d.to_act is None:
        pots.gather(d)
    d.board += (card,)
    d.street_laid += 1
    coming = d.coming()
    if coming is not None and d.street_laid >= STREET_CARDS[coming]:
        street_laid(d, court)


def is_surplus(d: HandState, event: CardMoved) -> bool:
    """A further card in the motion of the street just dealt: no burn and no act since."""
    if d.coming() is None:
        return True
    if d.surplus_laid and d.plan and len(d.acts) == d.street_acts:
        # The cure of the card before has not begun: this one came in the same motion.
        return True
    if d.street_laid or d.phase not in STREET_CARDS or d.burned or not d.burn_due:
        return False
    same_motion = event.group is not None and event.group == d.board_group
    return same_motion or (d.to_act is not None and len(d.acts) == d.street_acts)


def _surplus(d: HandState, card: str | None, court: Court) -> None:
    d.surplus += (card,)
    d.surplus_laid += 1
    name = "flop_too_many_cards" if d.phase == "flop" else "street_too_many_cards"
    count = STREET_CARDS.get(d.phase, 1) + d.surplus_laid
    facts = {"count": count, "identified": True, **since(d, court, len(d.acts))}
    court.judge(d, Incident(name, card=card, cards=known(d.surplus), facts=facts))


def street_laid(d: HandState, court: Court) -> None:
    """The coming street lies complete: was it due, and was its burn made?"""
    coming = d.coming()
    if coming is None:
        return
    cards = d.board[-STREET_CARDS[coming] :]
    if d.to_act is not None and not d.unknown_price:
        facts = {"identified": d.burned >= d.burn_due, **since(d, court, len(d.acts))}
        court.judge(d, Incident(f"premature_{coming}", seat=d.to_act, cards=known(cards), facts=facts))
        return
    d.to_act = None
    if d.burned < d.burn_due:
        facts = {"flop_turned": True, "street": coming, **since(d, court, len(d.acts))}
        if d.street_ordered:
            # Inside one scan cycle nobody knows which card was the first.
            facts["identified"] = True
        court.judge(d, Incident("no_burn", cards=known(cards), facts=facts))
        if d.phase == "void" or d.street_laid < STREET_CARDS[coming]:
            return
    settle_street(d)


def settle_street(d: HandState) -> None:
    """Open the round of a street that lies complete and is nobody's to wait for."""
    coming = d.coming()
    if coming is None or d.to_act is not None or d.street_laid < STREET_CARDS[coming]:
        return
    dealing.complete_street(d)


def caught_by_act(d: HandState, court: Court) -> None:
    """An act came while a street lies half dealt before its time: it is ruled now."""
    coming = d.coming()
    if coming is None or not d.street_laid or d.street_laid >= STREET_CARDS[coming] or d.to_act is None:
        return
    if d.plan or d.calls:
        return
    cards = d.board[-d.street_laid :]
    facts = {"identified": d.burned >= d.burn_due, **since(d, court, len(d.acts))}
    court.judge(d, Incident(f"premature_{coming}", seat=d.to_act, cards=known(cards), facts=facts))


def in_question(d: HandState) -> tuple[str | None, ...]:
    """The cards of the street that lies on the board last, complete or in the making."""
    if d.street_laid:
        return d.board[-d.street_laid :]
    count = STREET_CARDS.get(d.street(), 0)
    return d.board[-count:] if count else ()


def disturbed(d: HandState, event: BoardDisturbed, court: Court) -> None:
    """The board was moved: can it still be read without turning cards?

    What antennas and camera remember of the board makes it readable (rules.md §4).
    """
    if not d.board or d.phase in ("over", "void"):
        return
    facts: dict[str, bool | int | str] = since(d, court, len(d.acts))
    if event.readable is not None:
        facts["readable"] = event.readable
    court.judge(d, Incident("board_disturbed", cards=known(d.board), facts=facts))


def named(d: HandState, event: CardExposed) -> None:
    """A board card that could not be read has a name now."""
    if event.card is not None and None in d.board and event.card not in d.board:
        place = d.board.index(None)
        d.board = (*d.board[:place], event.card, *d.board[place + 1 :])
