"""Orders as a sentence to an amateur dealer: one physical act each."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from engine.rulings import Order
from engine.vocabulary import DECK_SET
from engine.wording.questions import ask_text, known_answer
from engine.wording.voice import LANGUAGES, VOICES, Voice, voice

# Cards that go into the stub when they alone are to be shuffled.
_INTO_STUB: Final = frozenset(
    "board flop turn river held_out shown exposed aside card cards felt off_table".split()
)
_LINKS: Final = frozenset("and with into to from".split())
_PLACE: Final = re.compile(r"(deck|board|burn|muck|aside|felt|off_table|(seat|stack|bet)\d{1,2}|pot|bank)\Z")


def say_order(order: Order, lang: str) -> str:
    """Tell a dealer the next act.

    >>> say_order(Order("act", seat=5, options=("fold", "call", "raise"), call=200, min=400, max=900), "en")
    'Seat 5 to act — call 200, raise to between 400 and 900'
    >>> say_order(Order("move", card="9h", from_="seat4", to="aside", face="up"), "fr")
    "Posez la carte 9♥ du siège 4 à l'écart, face visible"

    Raises:
        UnknownLanguage: no catalogue for ``lang``.
    """
    return _SENTENCES[order.order](order, voice(lang))


def say_announce(
    key: str,
    lang: str,
    *,
    seat: int | None = None,
    amount: int | None = None,
    card: str | None = None,
    seconds: int | None = None,
) -> str:
    """Give the words that a dealer says aloud; words that are no key are somebody's own and stay.

    Keys: all_in, bet, board_split, button_corrected, card_dead, complete, count_your_cards,
    deck_refused, hand_dead, hand_for_hand, hand_void, may_not_raise, misdeal, new_level, no_burn,
    no_flop_burn, odd_chip, one_motion, penalty_later, play_on, protect_hand, raise, rebuild_stub,
    say_your_action, show_all, shown_to_all, time. Seat, amount (chips), card and seconds are
    said where the language has a text with them.

    >>> say_announce("raise", "fr", seat=4, amount=650)
    'Siège 4 relance à 650'
    >>> say_announce("Pause après cette main", "fr")
    'Pause après cette main'
    """
    speaker = voice(lang)
    base = f"announce.{key}"
    if base not in speaker.texts:
        return key
    given = []
    if seat is not None:
        given.append(".seat")
    if amount is not None:
        given.append(".amount")
    if card in DECK_SET:
        given.append(".card")
    if seconds is not None:
        given.append(".seconds")
    return speaker.say(
        speaker.pick(base, given),
        seconds or 0,
        seat=seat,
        amount=speaker.amount(amount or 0),
        card=speaker.cards((card,)) if card in DECK_SET else "",
        seconds=seconds,
    )


def unworded(order: Order) -> tuple[str, ...]:
    """List the names inside an order for which no words exist, so that tests can refuse them.

    >>> unworded(Order("wait", for_="godot")), unworded(Order("shuffle", what="stub_muck_burns"))
    (('godot',), ())
    """
    texts = VOICES[LANGUAGES[0]].texts
    bad: list[str] = []
    places = [order.to, order.from_]
    if order.order in ("draw", "return_cards") and order.from_ is not None:
        places.remove(order.from_)
        bad += [part for part in _parts(order.from_) if not _has_thing(part)]
    bad += [place for place in places if place is not None and not _PLACE.match(place)]
    if order.what is not None:
        if order.order in ("shuffle", "mix", "cut", "return_cards"):
            bad += [part for part in _parts(order.what) if not _has_thing(part)]
        elif order.order == "post":
            bad += [order.what] if f"post.{order.what}" not in texts else []
        elif order.order == "board":
            bad += [order.what] if order.what not in ("flop", "turn", "river") else []
        elif f"order.{order.order}.{order.what}" not in texts and (order.order, order.what) != (
            "count",
            "stack",
        ):
            bad.append(order.what)
    if order.order == "announce" and order.text is not None and f"announce.{order.text}" not in texts:
        # A sentence of somebody's own has spaces; a key has none.
        bad += [order.text] if re.fullmatch(r"[a-z0-9_]+", order.text) else []
    if order.for_ is not None and f"wait.{order.for_}" not in texts:
        bad.append(order.for_)
    if order.order == "act":
        bad += [option for option in order.options or () if f"option.{option}" not in texts]
    if order.order == "ask" and order.fact is not None:
        bad += [order.fact] if f"ask.{order.fact}" not in texts else []
        bad += [option for option in order.options or () if not known_answer(order.fact, option)]
    return tuple(bad)


def visible(order: Order) -> str | None:
    """Give the order's card if everybody can see it: no card leaves a pile face down by name.

    >>> visible(Order("move", card="9h", from_="burn", to="board", face="down")) is None
    True
    """
    if order.card not in DECK_SET or order.from_ == "muck":
        return None
    if order.from_ in ("deck", "burn") and order.face != "up":
        return None
    return order.card


# What a sentence is made of ---------------------------------------------------------------------


def _has_thing(part: str) -> bool:
    return f"thing.{part}" in VOICES[LANGUAGES[0]].texts or bool(re.fullmatch(r"seat\d{1,2}", part))


@lru_cache(maxsize=256)
def _parts(what: str) -> tuple[str, ...]:
    """Split what is to be shuffled into its parts: ``stub_muck_burns``, ``board+stub``.

    >>> _parts("held_out+stub"), _parts("stub_muck_burns")
    (('held_out', 'stub'), ('stub', 'muck', 'burns'))
    """
    parts: list[str] = []
    for piece in re.split(r"[+,\s]+", what):
        parts += [piece] if _has_thing(piece) else piece.split("_")
    return tuple(part for part in parts if part and part not in _LINKS)


def _things(speaker: Voice, parts: tuple[str, ...]) -> str:
    said = []
    for part in parts:
        if f"thing.{part}" in speaker.texts:
            said.append(speaker.say(f"thing.{part}"))
        elif _has_thing(part):
            said.append(speaker.placed("thing", part))
    return speaker.join(said or [speaker.say("thing.cards")])


def _seat(order: Order) -> int | None:
    """The seat an order goes to, written as ``seat`` or as a place (``seat4``, ``stack4``)."""
    if order.seat is not None:
        return order.seat
    match = re.fullmatch(r"(?:seat|stack|bet)(\d{1,2})", order.to or "")
    return int(match[1]) if match else None


def _plain(speaker: Voice, order: Order, *, what: str | None = None) -> str:
    """Say an order with its seat and amount, as far as the language has a text with them."""
    seat = _seat(order)
    given = []
    base = f"order.{order.order}"
    if what is not None and f"{base}.{what}" in speaker.texts:
        base = f"{base}.{what}"
    if seat is not None:
        given.append(".seat")
    if order.amount is not None:
        given.append(".amount")
    amount = speaker.amount(order.amount) if order.amount is not None else ""
    return speaker.say(speaker.pick(base, given), seat=seat, amount=amount)


# The orders -------------------------------------------------------------------------------------


def _deal(order: Order, speaker: Voice) -> str:
    count = order.count or 1
    seat = _seat(order)
    if seat is not None:
        return speaker.say("order.deal.seat", count, n=speaker.count(count), seat=seat)
    if order.to is not None:
        to = speaker.placed("to", order.to, "to.other")
        return speaker.say("order.deal.to", count, n=speaker.count(count), to=to)
    return speaker.say("order.deal", count, n=speaker.count(count))


def _burn(order: Order, speaker: Voice) -> str:
    count = order.count or 1
    return speaker.say("order.burn", count, n=speaker.count(count))


def _board(order: Order, speaker: Voice) -> str:
    count = order.count
    if count is None:
        return speaker.say("order.board.any")
    key = "order.board"
    if count == 3:
        key = "order.board.flop"
    elif count == 2 or order.what == "flop":
        key = "order.board.rest"
    elif order.what in ("turn", "river"):
        key = f"order.board.{order.what}"
    return speaker.say(key, count, n=speaker.count(count))


def _object(order: Order, speaker: Voice, place: str | None) -> str:
    card, count = visible(order), order.count or 1
    given = [".card"] if card is not None else []
    from_ = ""
    if place is not None and _PLACE.match(place):
        given.append(".from")
        from_ = speaker.placed("from", place, "thing.cards", count)
    return speaker.say(
        speaker.pick("object", given),
        count,
        n=speaker.count(count),
        card=speaker.cards((card,)) if card else "",
        from_=from_,
    )


def _move(order: Order, speaker: Voice) -> str:
    face = f".{order.face}" if order.face in ("up", "down") else ""
    thing = _object(order, speaker, order.from_)
    if order.to is None or order.to == order.from_:
        return speaker.say(f"order.turn{face}", order.count or 1, object=thing)
    to = speaker.placed("to", order.to, "to.other")
    return speaker.say(f"order.move{face}", order.count or 1, object=thing, to=to)


def _shuffle(order: Order, speaker: Voice) -> str:
    seat = order.by_seat if order.by_seat is not None else order.seat
    parts = _parts(order.what) if order.what else ()
    given = [".seat"] if seat is not None else []
    base = "order.shuffle"
    rest = tuple(part for part in parts if part != "stub")
    if rest and (len(rest) < len(parts) or _INTO_STUB.issuperset(rest)):
        base, parts = "order.shuffle.stub", rest
    elif parts:
        base = "order.shuffle.what"
    return speaker.say(speaker.pick(base, given), seat=seat, things=_things(speaker, parts))


def _mix(order: Order, speaker: Voice) -> str:
    if not order.what:
        return speaker.say("order.mix")
    return speaker.say("order.mix.what", things=_things(speaker, _parts(order.what)))


def _draw(order: Order, speaker: Voice) -> str:
    count = order.count or 1
    source = order.from_ or order.what
    if source is None:
        return speaker.say("order.draw", count, n=speaker.count(count))
    key = f"order.draw.{source}" if source in ("deck", "stub") else "order.draw.from"
    return speaker.say(key, count, n=speaker.count(count), things=_things(speaker, _parts(source)))


def _cut(order: Order, speaker: Voice) -> str:
    seat = order.by_seat if order.by_seat is not None else order.seat
    given = [".what"] if order.what else []
    given += [".seat"] if seat is not None else []
    things = _things(speaker, _parts(order.what)) if order.what else ""
    return speaker.say(speaker.pick("order.cut", given), seat=seat, things=things)


def _return_cards(order: Order, speaker: Voice) -> str:
    seat = _seat(order)
    what = order.what or order.from_ or (f"seat{seat}" if seat is not None else None)
    if what is None:
        return speaker.say("order.return_cards")
    return speaker.say("order.return_cards.what", things=_things(speaker, _parts(what)))


def _return_chips(order: Order, speaker: Voice) -> str:
    return _plain(speaker, order, what=order.to)


def _post(order: Order, speaker: Voice) -> str:
    seat, what = _seat(order), order.what or order.text
    given = [".seat"] if seat is not None else []
    if f"post.{what}" in speaker.texts:
        given.append(".what")
    if order.amount is not None:
        given.append(".amount")
    return speaker.say(
        speaker.pick("order.post", given),
        seat=seat,
        what=speaker.say(f"post.{what}") if ".what" in given else "",
        amount=speaker.amount(order.amount or 0),
    )


def _clock(order: Order, speaker: Voice) -> str:
    given = [".seat"] if order.seat is not None else []
    given += [".seconds"] if order.seconds is not None else []
    key = speaker.pick("order.clock", given)
    return speaker.say(key, order.seconds or 0, seat=order.seat, seconds=order.seconds)


def _announce(order: Order, speaker: Voice) -> str:
    words = say_announce(
        order.text or "play_on",
        speaker.lang,
        seat=order.seat,
        amount=order.amount,
        card=visible(order),
        seconds=order.seconds,
    )
    return speaker.say("order.announce", words=words)


def _show(order: Order, speaker: Voice) -> str:
    card = visible(order)
    if card is not None and order.seat is None:
        return speaker.say("order.show.card", card=speaker.cards((card,)))
    return _plain(speaker, order, what=order.what)


def _ask(order: Order, speaker: Voice) -> str:
    fact = order.fact if f"ask.{order.fact}" in speaker.texts else None
    if fact is None:
        return speaker.say("wait.answer")
    return ask_text(fact, speaker.lang, seat=order.seat, options=order.options)


def _wait(order: Order, speaker: Voice) -> str:
    key = f"wait.{order.for_}"
    return speaker.say(key if key in speaker.texts else "wait.other")


def _by_what(order: Order, speaker: Voice) -> str:
    return _plain(speaker, order, what=order.what)


def options(order: Order, speaker: Voice, prefix: str = "option") -> str:
    """Say what the player to act may do; amounts of raises are totals.

    A fold is always possible and is named only where neither a check nor a raise is.
    """
    given = order.options or ()
    said = []
    more = [option for option in given if option in ("check", "bet", "raise")]
    for option in given:
        if option == "fold":
            continue
        if option == "call" and order.call:
            said.append(speaker.say("option.call.amount", call=speaker.amount(order.call)))
        elif option in ("bet", "raise"):
            said.append(_sized(order, speaker, option, prefix))
        elif option == "all_in" and order.max and not more:
            said.append(speaker.say("option.all_in.amount", max=speaker.amount(order.max)))
        else:
            key = f"option.{option}"
            said.append(speaker.say(key if key in speaker.texts else "option.other"))
    if "fold" in given and not more:
        return speaker.join([*said, speaker.say("option.fold")], "format.or")
    return ", ".join(said)


def _sized(order: Order, speaker: Voice, option: str, prefix: str) -> str:
    low, high = order.min, order.max
    suffix = ""
    if high is not None and low is not None:
        suffix = ".exact" if high <= low else ".min.max"
    elif low is not None:
        suffix = ".min"
    elif high is not None:
        suffix = ".max"
    key = f"{prefix}.{option}{suffix}"
    if key not in speaker.texts:
        key = f"option.{option}{suffix}"
    return speaker.say(key, min=speaker.amount(low or 0), max=speaker.amount(high or 0))


def _act(order: Order, speaker: Voice) -> str:
    said = options(order, speaker)
    given = [".seat"] if order.seat is not None else []
    given += [".options"] if said else []
    return speaker.say(speaker.pick("order.act", given), seat=order.seat, options=said)


_SENTENCES: Final[dict[str, Callable[[Order, Voice], str]]] = {
    "deal": _deal,
    "burn": _burn,
    "board": _board,
    "move": _move,
    "shuffle": _shuffle,
    "mix": _mix,
    "draw": _draw,
    "cut": _cut,
    "return_cards": _return_cards,
    "return_chips": _return_chips,
    "post": _post,
    "gather": _by_what,
    "change": _by_what,
    "button": _by_what,
    "count": _by_what,
    "clock": _clock,
    "find": _by_what,
    "announce": _announce,
    "show": _show,
    "muck": _by_what,
    "push_pot": _by_what,
    "act": _act,
    "ask": _ask,
    "wait": _wait,
}
