"""The floor's log in plain words, French and English: "Main 12 · siège 4 relance à 650", "Flop : 9♥ 7♠ 4♣".

What was said is kept as a slug with its values (``Saying``) and put into words only for a reader, so that two screens
may read the same line in two languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from markupsafe import Markup, escape

from engine import rulings
from engine import wording as words
from engine.errors import EngineError
from engine.rulings import ORDERS
from table_controller import messages as m
from webkit.language import Catalogue, chips_shown

SUIT_SIGNS: Mapping[str, str] = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_SUIT_OF = {sign: suit for suit, sign in SUIT_SIGNS.items()}
_FACE = re.compile(r"(10|[2-9JQKA])([♠♥♦♣])")


_UNSAYABLE = (EngineError, msgspec.ValidationError, KeyError, ValueError, TypeError)
"""What the engine's words may raise on an order or ruling of a later program: the floor page must stand all the same."""


class Word(msgspec.Struct, frozen=True):
    """A slug of an open vocabulary, put into the reader's language; an unknown one is shown as it is."""

    name: str


class Chips(msgspec.Struct, frozen=True):
    """An amount; None = not known, shown as a dash, never as zero."""

    amount: int | None


class Verdict(msgspec.Struct, frozen=True):
    """A ruling, said in one sentence with its article."""

    ruling: m.Ruling


class Cards(msgspec.Struct, frozen=True):
    """Faces that everybody may know; None for one that no sensor could read."""

    cards: tuple[str | None, ...]


class Seats(msgspec.Struct, frozen=True):
    """One or several seats."""

    seats: tuple[int, ...]


class Saying(msgspec.Struct, frozen=True):
    """A sentence before it is put into words: its slug, what fills it, what chooses singular or plural."""

    name: str
    values: Mapping[str, object]
    count: int | None = None


class Both(msgspec.Struct, frozen=True):
    """A sentence that came in both languages already."""

    fr: str
    en: str


class Line(msgspec.Struct, frozen=True):
    """One line of the floor's log.

    Attributes:
        number: counts up while the hub runs.
        table, title: id of the table (empty: the hub itself) and what people call it.
        hand: the hand's number, if it belongs to one.
        tone: ``plain good warn bad``: colours the line; the words say it too.
        saying: what is said.
    """

    number: int
    table: str
    title: str
    hand: int | None
    tone: str
    saying: Saying


Tones = Iterator[tuple[str, Saying]]


class Wording:
    """Puts sayings into words.

    Raises:
        CatalogueFault: a file of texts is damaged or the languages differ.
    """

    def __init__(self) -> None:
        self.catalogue = Catalogue(Path(__file__).parent / "locales")

    def line(self, line: Line, language: str) -> str:
        """A whole line of the log: table, hand, what happened."""
        parts = [line.title] if line.title else []
        if line.hand is not None:
            parts.append(self.catalogue.text(language, "log.hand", hand=line.hand))
        return " · ".join([*parts, self.say(line.saying, language)])

    def say(self, saying: Saying, language: str) -> str:
        """One sentence."""
        values = {key: self.value(value, language) for key, value in saying.values.items()}
        return self.catalogue.text(language, saying.name, saying.count, **values)

    def value(self, value: object, language: str) -> str:
        """What fills a place of a sentence, in the reader's language."""
        match value:
            case Word(name=name):
                return self.word(name, language)
            case Verdict(ruling=ruling):
                return self.ruling(ruling, language)
            case Chips(amount=held):
                return chips_shown(held, language)
            case Cards(cards=cards):
                unread = self.catalogue.text(language, "card.unread")
                return " ".join(unread if card is None else face(card) for card in cards)
            case Seats(seats=seats):
                shown = ", ".join(str(seat) for seat in seats)
                return self.catalogue.text(language, "seats", len(seats), seats=shown)
            case Both(fr=fr, en=en):
                return fr if language == "fr" else en
            case Saying():
                return self.say(value, language)
            case _:
                return str(value)

    def word(self, name: str, language: str) -> str:
        """A word of an open vocabulary; one that a later program sends is shown as it came."""
        kind, _, slug = name.partition(".")
        try:
            match kind:
                case "incident":
                    return words.say_incident(slug, language)
                case "ruling":
                    return words.say_ruling_name(slug, language)
                case "phase":
                    return words.say_phase(slug, language)
                case "street":
                    return words.say_street(slug, language).capitalize()
                case "place":
                    return words.say_place(slug, language)
        except words.NotWorded:
            return slug.replace("_", " ")
        if name in self.catalogue:
            return self.catalogue.text(language, name)
        return slug.replace("_", " ")

    def ruling(self, ruling: m.Ruling, language: str) -> str:
        """A ruling in one sentence, with its article; the bare names where a later program's cannot be said."""
        try:
            return self._ruling(ruling, language)
        except _UNSAYABLE:
            name, why = ruling.ruling.replace("_", " "), self.word(f"incident.{ruling.incident}", language)
            return f"{name} – {why} ({ruling.article})"

    def _ruling(self, ruling: m.Ruling, language: str) -> str:
        orders = tuple(_order(order) for order in ruling.orders if order.order in ORDERS)
        told = rulings.Ruling(
            ruling=ruling.ruling,
            incident=ruling.incident,
            rulebook=ruling.rulebook,
            article=ruling.article,
            seats=ruling.seats,
            cards=(),
            orders=orders,
            event=0,
            official=ruling.official,
            amounts=ruling.amounts,
            penalty=ruling.penalty,
        )
        return words.say_ruling(told, language)

    def order(self, order: m.Order, language: str) -> str:
        """The next physical act; one that a later program knows is shown as it came."""
        if order.order in ORDERS:
            try:
                return words.say_order(_order(order), language)
            except _UNSAYABLE:
                pass
        return order.text or order.order.replace("_", " ")


def _order(order: m.Order) -> rulings.Order:
    return msgspec.convert(
        msgspec.structs.asdict(order) | {"from": order.from_, "for": order.for_}, rulings.Order, strict=False
    )


def face(card: str) -> str:
    """A card as people write it.

    >>> face("Td"), face("As")
    ('10♦', 'A♠')
    """
    rank = "10" if card[0] == "T" else card[0]
    return rank + SUIT_SIGNS[card[1]]


def with_faces(text: str) -> Markup:
    """A sentence for a page: every card in it drawn as a small face in its suit's colour.

    >>> str(with_faces("<9♥>"))
    '&lt;<span class="face h">9♥</span>&gt;'
    """
    drawn = _FACE.sub(
        lambda match: f'<span class="face {_SUIT_OF[match[2]]}">{match[0]}</span>', str(escape(text))
    )
    return Markup(drawn)


def say_ruling(ruling: m.Ruling) -> Saying:
    """A ruling with what it answers and its article."""
    return Saying("log.ruling", {"ruling": Verdict(ruling)})


def say_alert(alert: m.Alert) -> Both:
    """What a table needs a person for, in its own words."""
    return Both(alert.text.fr, alert.text.en)


def say_event(event: m.Event) -> Tones:
    """What the log says of an event: nothing of the single cards of a deal, one line of most others."""
    match event.body:
        case m.HandStart() as start:
            values = {
                "button": start.button,
                "small": Chips(start.level.small_blind),
                "big": Chips(start.level.big_blind),
                "players": len(start.seats),
            }
            yield "plain", Saying("log.hand_start", values)
        case m.Post(kind="straddle", seat=seat, amount=amount):
            yield "plain", Saying("log.straddle", {"seat": seat, "amount": Chips(amount)})
        case m.Action() as action:
            yield "plain", _say_action(action)
        case m.Board(street=street, cards=cards):
            yield "plain", Saying("log.board", {"street": Word(f"street.{street}"), "cards": Cards(cards)})
        case m.Incident() as incident:
            yield from _say_incident(incident)
        case m.Ruling() as ruling:
            yield "warn", say_ruling(ruling)
        case m.Doubt(place=place, reason=reason, resolved=resolved):
            tone, name = ("good", "log.doubt_over") if resolved else ("warn", "log.doubt")
            yield tone, Saying(name, {"place": Word(f"place.{place}"), "reason": Word(f"doubt.{reason}")})
        case m.AllinPending(seats=seats):
            yield "warn", Saying("log.allin_pending", {"seats": Seats(seats)})
        case m.Tabled(seat=seat, cards=cards):
            yield "plain", Saying("log.tabled", {"seat": seat, "cards": Cards(cards)})
        case m.Award() as award:
            yield from _say_award(award)
        case m.Misdeal():
            yield "warn", Saying("log.misdeal", {})
        case m.HandEnd() as end:
            yield from _say_end(end, event.amends)
        case _:
            yield from _say_between_hands(event)


def _say_between_hands(event: m.Event) -> Tones:
    match event.body:
        case m.Counted() as count:
            same = count.declared is None or count.declared == count.counted
            values = {
                "seat": count.seat,
                "counted": Chips(count.counted),
                "declared": Chips(count.declared),
                "by": count.by,
            }
            yield (
                ("plain", Saying("log.count", values))
                if same
                else ("warn", Saying("log.count_differs", values))
            )
        case m.Arrive(entry=entry, seat=seat, stack=stack):
            yield "plain", Saying("log.arrive", {"entry": entry, "seat": seat or "—", "stack": Chips(stack)})
        case m.Depart(entry=entry, stack=stack):
            yield "plain", Saying("log.depart", {"entry": entry, "stack": Chips(stack)})
        case m.PenaltyServed(entry=entry, left=left):
            yield "plain", Saying("log.penalty", {"entry": entry}, count=left)
        case m.DeviceChange(name=name, state=state):
            tone = "good" if state == "ok" else "bad" if state == "lost" else "warn"
            yield tone, Saying("log.device", {"device": name, "state": Word(f"device.{state}")})
        case m.Annulled(reason=reason):
            yield "warn", Saying("log.annulled", {"number": event.amends or "—", "reason": reason})
        case m.UnknownBody():
            yield "plain", Saying("log.unknown", {"type": event.type})
        case _:
            return


def _say_action(action: m.Action) -> Saying:
    name = f"log.action.{action.kind}"
    if action.to is not None and action.kind in ("call", "bet", "raise"):
        name += "_amount"
    said = Saying(name, {"seat": action.seat, "amount": Chips(action.to)})
    return Saying("log.all_in", {"said": said}) if action.all_in else said


def _say_incident(incident: m.Incident) -> Tones:
    values: dict[str, object] = {
        "incident": Word(f"incident.{incident.incident}"),
        "seats": Seats(incident.seats),
    }
    name = "log.incident_seats" if incident.seats else "log.incident"
    if incident.cards:
        values["cards"] = Cards(incident.cards)
        name += "_cards"
    yield "warn", Saying(name, values)


def _say_award(award: m.Award) -> Tones:
    pot = Saying("log.main_pot", {}) if award.pot == 0 else Saying("log.side_pot", {"number": award.pot})
    amounts = list(award.amounts) + [None] * (len(award.seats) - len(award.amounts))
    for seat, amount in zip(award.seats, amounts, strict=False):
        yield "good", Saying("log.award", {"pot": pot, "seat": seat, "amount": Chips(amount)})


def _say_end(end: m.HandEnd, amends: int | None) -> Tones:
    name = "log.hand_corrected" if amends is not None else "log.hand_void" if end.void else "log.hand_end"
    yield "plain", Saying(name, {})
    for bust in end.busts:
        yield "warn", Saying("log.bust", {"entry": bust.entry})
