"""From an incident to rulings: find the row, work its cure, say it with its article."""

from collections.abc import Callable
from typing import Final

from engine.facts import may_be_asked
from engine.rulebook import Facts, Row, Rulebook, Unknown
from engine.rulings import Order, Ruling, Suggestion
from engine.state import FloorCall, HandState, Incident, Question, substantial_action

WAIT_FLOOR: Final = Order("wait", for_="floor")
# Steps after which a card is drawn: the ruling cannot name it (TDA 39).
_DRAWS: Final = frozenset({"mix_board_draw_burn", "mix_board_with_next"})

# A cure step changes the draft as the ruling puts it and gives the physical acts, in order.
Step = Callable[[HandState, Incident], list[Order]]


class Court:
    """Collects the rulings on one event, in the order in which they take effect."""

    __slots__ = ("book", "event", "rulings", "steps")

    def __init__(self, book: Rulebook, event: int, steps: dict[str, Step]) -> None:
        """Sit under ``book`` for the event with index ``event``."""
        self.book = book
        self.event = event
        self.rulings: list[Ruling] = []
        self.steps = steps

    def facts(self, d: HandState, incident: Incident) -> dict[str, bool | int | str | None]:
        """Give the incident's facts with those that the state knows for every incident."""
        can_bet = len(d.can_bet())
        known: dict[str, bool | int | str | None] = {
            "street": d.street(),
            "in_deal": d.phase == "dealing",
            "sa": substantial_action(d.acts, self.book),
            "acted": bool(d.acts),
            "before_deal": d.phase in ("over", "void") or (d.phase == "dealing" and not d.off_deck),
            "betting_open": can_bet > 1 or (can_bet == 1 and d.to_act is not None),
            "notice": False,
            "heads_up": len(d.in_hand()) == 2,
            "limit": d.limit,
            "again": False,
        }
        known.update(incident.facts)
        return known

    def look_up(self, d: HandState, incident: Incident) -> Row | Unknown:
        """Find what the book answers, without any effect."""
        return self.book.find(incident.name, self.facts(d, incident))

    def judge(self, d: HandState, incident: Incident) -> Row | None:
        """Rule on an incident: ask the missing fact, or work the row's cure and record it.

        Returns:
            The row applied; None when a question was asked instead.
        """
        found = self.look_up(d, incident)
        if isinstance(found, Unknown):
            self.ask(d, incident, found.fact)
            return None
        if "misdeal" in found.ruling:
            limit = Incident("error_after_limit", incident.seat, incident.card, incident.at, incident.facts)
            late = self.look_up(d, limit)
            if isinstance(late, Row) and late is not self.book.floor:
                found, incident = late, limit
        orders = self.work(d, found, incident)
        self.say(d, found, incident, orders=orders)
        return found

    def work(self, d: HandState, row: Row, incident: Incident) -> list[Order]:
        """Do the row's cure on the draft and queue its acts."""
        orders: list[Order] = []
        if "call_floor" in row.ruling:
            d.calls = (*d.calls, FloorCall(incident.name, incident.seat, incident.card, self.event))
        for name in row.do:
            orders.extend(self.steps[name](d, incident))
        if "call_floor" in row.ruling:
            orders.append(WAIT_FLOOR)
        return orders

    def say(
        self,
        d: HandState,
        row: Row,
        incident: Incident,
        *,
        orders: list[Order] | None = None,
        seats: tuple[int, ...] | None = None,
        amounts: dict[str, int] | None = None,
        rulings: tuple[str, ...] | None = None,
    ) -> None:
        """Record the row's rulings (or those given) on the incident."""
        if seats is None:
            seats = incident.seats or ((incident.seat,) if incident.seat is not None else ())
        cards = incident.cards or ((incident.card,) if incident.card is not None else ())
        seen_by_some = incident.facts.get("seen_by") == "some" and "card_replaced" not in row.ruling
        if seen_by_some or not _DRAWS.isdisjoint(row.do):
            cards = ()
        whole_cure = tuple(orders or ())
        for name in rulings if rulings is not None else row.ruling:
            # A deal that is voided before anybody acted is a misdeal (contracts §2, reading 10).
            ruling = "misdeal" if name == "hand_void" and not d.acts else name
            self.rulings.append(
                Ruling(
                    ruling=ruling,
                    incident=incident.name,
                    rulebook=row.rulebook,
                    article=row.article,
                    official=row.official,
                    seats=seats,
                    cards=cards,
                    orders=whole_cure,
                    event=self.event,
                    amounts=amounts,
                    penalty=row.penalty,
                    suggestions=self.suggest(d, incident) if ruling == "call_floor" else None,
                )
            )

    def call_floor(self, d: HandState, incident: Incident) -> None:
        """Leave an incident to the floor, whatever the book says of it otherwise."""
        row = self.book.floor
        self.say(d, row, incident, orders=self.work(d, row, incident))

    def suggest(self, d: HandState, incident: Incident) -> tuple[Suggestion, ...] | None:
        """Give the two nearest answers of other books, where this one is silent."""
        known: Facts = self.facts(d, incident)
        found: list[Suggestion] = []
        for book in self.book.others:
            row = book.find(incident.name, known)
            if isinstance(row, Unknown):
                rows = book.candidates(incident.name)
                row = rows[0] if rows else book.floor
            if "call_floor" in row.ruling or not row.ruling:
                continue
            # A rule that the common denominator has from a book is one answer, not two.
            if all((row.article, row.ruling) != (other.article, other.ruling) for other in found):
                found.append(Suggestion(row.rulebook, row.article, row.ruling))
        return tuple(found[:2]) or None

    def ask(self, d: HandState, incident: Incident, fact: str) -> None:
        """Park the incident until a person has answered ``fact``."""
        if may_be_asked(fact):
            d.questions = (*d.questions, Question(fact, incident, self.event))
