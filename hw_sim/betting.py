"""No-limit betting as the people at the table know it: whose turn, what it costs, who wins what.

This is the simulator's own truth, written apart from the product so that both can be compared. It holds a
hand that everybody plays rightly.

Does not model: acts out of turn, wrong amounts, misdeals; pot-limit and fixed limit; run-it-twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from phevaluator import evaluate_cards

from hw_sim.errors import ScriptError

STREETS: Final = ("preflop", "flop", "turn", "river")
BOARD_AFTER: Final = (0, 3, 4, 5)

AnteKind = Literal["none", "classic", "big_blind", "button"]
ActKind = Literal["fold", "check", "call", "bet", "raise", "all_in"]


@dataclass(frozen=True)
class Game:
    """Stakes and places of one hand. Amounts in whole chips, seats 1 to 10."""

    small_blind: int
    big_blind: int
    button: int
    small_blind_seat: int | None
    big_blind_seat: int
    ante_kind: AnteKind = "none"
    ante: int = 0
    straddles: tuple[tuple[int, int], ...] = ()
    smallest_chip: int = 1


@dataclass(frozen=True)
class Act:
    """What a player does in his turn: `to` is what lies before him in this round afterwards, `add` what he adds."""

    seat: int
    kind: ActKind
    to: int = 0
    add: int = 0


@dataclass(frozen=True)
class Legal:
    """What a player may do: what a call adds, the least and most he may raise to (0: he may not)."""

    call: int
    min_to: int
    max_to: int


@dataclass
class Player:
    """One player in the hand; amounts in whole chips."""

    seat: int
    stack: int
    start: int
    bet: int = 0  # in front of him in this round, without the ante
    paid: int = 0  # in the whole hand, antes for himself included
    ante: int = 0  # what of it was an ante
    folded: bool = False
    acted: bool = False  # since the last full bet or raise

    @property
    def all_in(self) -> bool:
        """Whether he has no chips behind and still plays."""
        return not self.folded and self.stack == 0


@dataclass(frozen=True)
class Pot:
    """One pot and the seats that can win it, clockwise from the button's left."""

    amount: int
    seats: tuple[int, ...]


@dataclass
class Betting:
    """One hand's betting from the blinds to the pots."""

    stacks: Mapping[int, int]
    game: Game
    players: dict[int, Player] = field(init=False)
    order: tuple[int, ...] = field(init=False)
    street: int = field(init=False, default=0)
    price: int = field(init=False, default=0)
    last_raise: int = field(init=False, default=0)
    to_act: int | None = field(init=False, default=None)
    dead_money: int = field(init=False, default=0)
    acts: list[Act] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        game = self.game
        if len(self.stacks) < 2:
            raise ScriptError(f"{len(self.stacks)} players", hint="a hand needs two")
        self.order = tuple(sorted(self.stacks, key=lambda seat: (seat - game.button - 1) % 10))
        self.players = {seat: Player(seat, self.stacks[seat], self.stacks[seat]) for seat in self.order}
        for seat in (game.big_blind_seat, game.small_blind_seat):
            if seat is not None and seat not in self.players:
                raise ScriptError(f"the blind's seat {seat} has no player")
        self._post()

    # -- blinds ------------------------------------------------------------------------------------------

    def _post(self) -> None:
        game = self.game
        if game.ante_kind == "classic":
            for player in self.players.values():
                paid = min(game.ante, player.stack)
                player.stack -= paid
                player.paid += paid
                player.ante = paid
        if game.small_blind_seat is not None:
            self._put(game.small_blind_seat, game.small_blind)
        self._put(game.big_blind_seat, game.big_blind)
        last = game.big_blind_seat
        self.price = game.big_blind
        self.last_raise = game.big_blind
        for seat, amount in game.straddles:
            self._put(seat, amount)
            self.last_raise = max(self.last_raise, amount - self.price)
            self.price = max(self.price, amount)
            last = seat
        payer = {"big_blind": game.big_blind_seat, "button": game.button}.get(game.ante_kind)
        if payer is not None and payer in self.players:
            player = self.players[payer]
            paid = min(game.ante, player.stack)
            player.stack -= paid
            player.ante = paid
            self.dead_money += paid
        self.to_act = self._next_after(last)

    def _put(self, seat: int, amount: int) -> int:
        player = self.players[seat]
        put = min(amount, player.stack)
        player.stack -= put
        player.bet += put
        player.paid += put
        return put

    # -- turns -------------------------------------------------------------------------------------------

    def live(self) -> list[int]:
        """Seats that have not folded, clockwise from the button's left."""
        return [seat for seat in self.order if not self.players[seat].folded]

    @property
    def over(self) -> bool:
        """Whether all but one have folded."""
        return len(self.live()) < 2

    @property
    def can_bet(self) -> list[int]:
        """Live seats with chips behind."""
        return [seat for seat in self.live() if self.players[seat].stack > 0]

    def call_price(self, seat: int) -> int:
        """The total that a call costs: facing only all-ins nobody pays what no one has put in."""
        others = [p for p in self.players.values() if p.seat != seat and not p.folded]
        if any(other.stack for other in others):
            return self.price
        return min(self.price, max((other.bet for other in others), default=0))

    def owes(self, seat: int) -> bool:
        """Whether this seat has still to act in the round."""
        player = self.players[seat]
        if player.folded or player.stack == 0:
            return False
        if player.bet < self.call_price(seat):
            return True
        # alone against all-ins there is nothing left to do
        return not player.acted and len(self.can_bet) > 1

    def _next_after(self, seat: int) -> int | None:
        if self.over:
            return None
        at = self.order.index(seat)
        turns = (self.order[(at + step) % len(self.order)] for step in range(1, len(self.order) + 1))
        return next((candidate for candidate in turns if self.owes(candidate)), None)

    def legal(self, seat: int) -> Legal:
        """What the seat may do now."""
        player = self.players[seat]
        call = min(max(0, self.call_price(seat) - player.bet), player.stack)
        most = player.bet + player.stack
        others = [s for s in self.can_bet if s != seat]
        if player.acted or most <= self.price or not others:
            return Legal(call, 0, 0)
        return Legal(call, min(self.price + self.last_raise, most), most)

    def read(self, seat: int, kind: str, to: int = 0) -> Act:
        """Make a whole act of a word and, for a raise, the total of the round.

        Raises:
            ScriptError: The seat has not so many chips.
        """
        player = self.players[seat]
        if kind == "fold":
            return Act(seat, "fold", player.bet)
        if kind == "call":
            add = self.legal(seat).call
            if not add:
                return Act(seat, "check", player.bet)
            said: ActKind = "all_in" if add == player.stack else "call"
            return Act(seat, said, player.bet + add, add)
        add = to - player.bet
        if not 0 < add <= player.stack:
            raise ScriptError(f"seat {seat} puts {add} of a stack of {player.stack}")
        if add == player.stack:
            return Act(seat, "all_in", to, add)
        return Act(seat, "raise" if self.price else "bet", to, add)

    def apply(self, act: Act) -> None:
        """Let the act happen.

        Raises:
            ScriptError: It is not this seat's turn (the fold of an all-in hand needs no turn).
        """
        player = self.players[act.seat]
        unasked = act.kind == "fold" and player.all_in
        if act.seat != self.to_act and not unasked:
            raise ScriptError(f"seat {act.seat} acts, seat {self.to_act} is to act")
        self.acts.append(act)
        if act.kind == "fold":
            player.folded = True
        else:
            self._put(act.seat, act.add)
            if player.bet > self.price:
                raised = player.bet - self.price
                if raised >= self.last_raise:
                    self.last_raise = raised
                    for other in self.players.values():
                        other.acted = False
                self.price = player.bet
            player.acted = True
        turn = self.to_act
        if not unasked:
            self.to_act = self._next_after(act.seat)
        elif turn is None or self.over or not self.owes(turn):
            self.to_act = self._next_after(act.seat if turn is None else turn)

    def kill(self, seat: int) -> None:
        """A hand is taken away by a ruling; what it put in stays."""
        player = self.players[seat]
        if player.folded:
            return
        player.folded = True
        turn = self.to_act
        if turn is not None and (turn == seat or self.over or not self.owes(turn)):
            self.to_act = self._next_after(turn)

    @property
    def all_done(self) -> bool:
        """Whether nobody can bet any more and the board is dealt out at once."""
        return self.to_act is None and len(self.can_bet) < 2

    def next_street(self) -> None:
        """The bets are gathered and the next street's round opens.

        Raises:
            ScriptError: Somebody is still to act, or there is no further street.
        """
        if self.to_act is not None or self.street >= 3 or self.over:
            raise ScriptError("the betting round is not over, or there is no further street")
        self.street += 1
        self.price = 0
        self.last_raise = self.game.big_blind
        for player in self.players.values():
            player.bet = 0
            player.acted = False
        self.to_act = self._next_after(self.order[-1])

    # -- pots --------------------------------------------------------------------------------------------

    def uncalled(self) -> tuple[int, int] | None:
        """Seat and amount of a bet that nobody has called, None when there is none."""
        paid = sorted(((p.paid, p.seat) for p in self.players.values()), reverse=True)
        (most, seat), (second, _) = paid[0], paid[1]
        if most > second and not self.players[seat].folded:
            return seat, most - second
        return None

    def pots(self) -> list[Pot]:
        """All pots, the main pot first; an uncalled bet is in none of them."""
        back = self.uncalled()
        paid = {p.seat: p.paid for p in self.players.values()}
        if back is not None:
            paid[back[0]] -= back[1]
        live = self.live()
        pots: list[Pot] = []
        below = 0
        levels = sorted({paid[seat] for seat in live})
        for number, level in enumerate(levels):
            top = max(paid.values()) if number == len(levels) - 1 else level
            amount = sum(max(0, min(p, top) - below) for p in paid.values())
            if number == 0:
                amount += self.dead_money
            seats = tuple(seat for seat in live if paid[seat] >= level)
            if amount and pots and pots[-1].seats == seats:
                pots[-1] = Pot(pots[-1].amount + amount, seats)
            elif amount:
                pots.append(Pot(amount, seats))
            below = level
        return pots

    def settle(self, holes: Mapping[int, tuple[str, ...]], board: tuple[str, ...]) -> dict[int, int]:
        """What each seat takes, an uncalled bet included.

        An odd chip goes to the first winner left of the button, the next one to the next.
        """
        takes: dict[int, int] = {}
        back = self.uncalled()
        if back is not None:
            takes[back[0]] = back[1]
        unit = self.game.smallest_chip
        for pot in self.pots():
            winners = self.winners(pot.seats, holes, board)
            share = pot.amount // len(winners) // unit * unit
            odd = pot.amount - share * len(winners)
            for seat in winners:
                extra = min(unit, odd)
                odd -= extra
                takes[seat] = takes.get(seat, 0) + share + extra
            if odd:
                takes[winners[0]] += odd
        return takes

    def winners(
        self, seats: tuple[int, ...], holes: Mapping[int, tuple[str, ...]], board: tuple[str, ...]
    ) -> list[int]:
        """The best of these seats, clockwise from the button's left."""
        if len(seats) == 1:
            return list(seats)
        ranks = {seat: evaluate_cards(*holes[seat], *board) for seat in seats}
        best = min(ranks.values())
        return [seat for seat in self.order if ranks.get(seat) == best]
