"""Phases, streets, places and acts by name, for logs and pages."""

from engine.wording.voice import refuse, voice


def say_phase(phase: str, lang: str) -> str:
    """Name a phase of the hand.

    >>> say_phase("preflop", "fr"), say_phase("floor", "en")
    ('avant le flop', 'floor called')

    Raises:
        NotWorded: no such phase.
    """
    return _named("phase", phase, lang)


def say_street(street: str, lang: str) -> str:
    """Name a betting round.

    >>> say_street("turn", "fr")
    'turn'

    Raises:
        NotWorded: no such street.
    """
    return _named("street", street, lang)


def _named(kind: str, name: str, lang: str) -> str:
    speaker = voice(lang)
    key = f"{kind}.{name}"
    if key not in speaker.texts:
        raise refuse(kind, name, f"{kind}.", speaker)
    return speaker.say(key)


def say_place(place: str, lang: str) -> str:
    """Name a place of cards or chips.

    >>> say_place("seat4", "fr"), say_place("stack2", "en"), say_place("off_table", "fr")
    ('siège 4', 'stack of seat 2', 'hors de la table')

    Raises:
        NotWorded: no such place.
    """
    return voice(lang).placed("place", place)


def say_action(
    kind: str, amount: int | None, lang: str, *, seat: int | None = None, all_in: bool = False
) -> str:
    """Say what a player did.

    Args:
        kind: fold, check, call, bet, raise, all_in, pot, post, small_blind, big_blind, ante,
            straddle, muck or show.
        amount: whole chips; for a raise the total.
        lang: the language's code.
        seat: who did it.
        all_in: whether it put his last chip in.

    >>> say_action("raise", 650, "fr", seat=4), say_action("fold", None, "en", seat=2)
    ('Siège 4 relance à 650', 'Seat 2 folds')
    >>> say_action("call", 90, "en", seat=2, all_in=True)
    'Seat 2 calls 90 and is all-in'

    Raises:
        NotWorded: no such act.
    """
    speaker = voice(lang)
    base = f"act.{kind}"
    if base not in speaker.texts or kind in ("seat", "all_in_too"):
        raise refuse("act", kind, "act.", speaker)
    key = speaker.pick(base, (".amount",) if amount is not None else ())
    text = speaker.say(key, amount=speaker.amount(amount or 0))
    if all_in and kind not in ("all_in", "fold", "check", "muck", "show"):
        text = speaker.say("act.all_in_too", act=text)
    return speaker.say("act.seat", seat=seat, act=text) if seat is not None else text
