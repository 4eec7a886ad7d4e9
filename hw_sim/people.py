"""The people at one table: the dealer and a player for each seat, until nothing is left to play or nothing moves.

A player acts when the panel shows that it is his turn: with tagged chips he bets with chips, without them the
dealer presses what he says; he folds by throwing his cards over the muck. Blinds and antes are posted when the
table starts the hand.

Does not model: talk, chips put forward in two motions, bets out of turn, typed amounts, players who hide their
cards under a hand or a coin, players who come and go (the source of hands says who is dealt in).
"""

from hw_sim.betting import BOARD_AFTER, Act
from hw_sim.chips import clear_raise, exact, is_clear
from hw_sim.crew import Script, Until
from hw_sim.dealer import Dealer
from hw_sim.errors import SimulationStuck
from hw_sim.mishaps import QUIET_S
from hw_sim.play import Hand, Table
from hw_sim.world import SEATS, Chip

_LOOK_S = 0.5
_WORDS = {"check": "CHECK", "call": "CALL", "bet": "RAISE", "raise": "RAISE", "all_in": "ALL_IN"}


class People:
    """Everybody at one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.dealer = Dealer(table)
        self.motions = table.motions
        self.orders = table.orders
        self._progress = (0, 0.0, 0.0)
        # how often anything has moved and whether the panel says wait, and when that was seen last (virtual, real)
        self._moved = ((-1, True), 0.0, 0.0)

    def begin(self) -> None:
        """Sit down and begin to play."""
        table = self.table
        self._progress = (0, table.agenda.now, table.monotonic())
        table.crew.add("dealer", self.dealer.play())
        for seat in SEATS:
            table.crew.add(f"seat{seat}", self._player(seat))
        self._look_around()

    def _look_around(self) -> None:
        """Everybody looks at the panel now and then, even when nothing new is on it."""
        self.table.crew.stir()
        self.table.agenda.after(_LOOK_S, self._look_around)

    # -- waiting -----------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the dealer has dealt his last hand."""
        return not self.table.crew.has("dealer")

    def expected(self) -> str:
        """What the people are waiting for, in words."""
        table, hand = self.table, self.table.hand
        if hand is None:
            return f"the table to start hand {table.number} ({table.next_name}): order deal"
        if not hand.dealt:
            return f"{hand.label}: order deal seat {hand.betting.order[0]}, then leave to go on dealing"
        seat = hand.betting.to_act
        if seat is not None:
            call = hand.betting.legal(seat).call
            return f"{hand.label}: order act seat {seat}, a call adds {call}"
        if not hand.settled():
            return f"{hand.label}: orders gather, burn, board; {hand.board_laid} board cards lie"
        return f"{hand.label}: orders show and push_pot; to be paid: {hand.takes()}"

    def check(self) -> None:
        """Give up when nothing has happened for too long, in virtual and in real time.

        Raises:
            SimulationStuck: Naming what was expected, the last ORDER and what lies where.
        """
        table = self.table
        manners, head = table.manners, table.orders.head()
        waits = table.hand is None or (head is not None and head.name == "wait")
        moves = (table.world.moves, waits)
        if moves != self._moved[0] or table.paused:
            self._moved = (moves, table.agenda.now, table.monotonic())
        elif (
            table.agenda.now - self._moved[1] > (manners.idle_s if waits else manners.vain_s)
            and table.monotonic() - self._moved[2] > manners.vain_real_s
        ):
            raise self.stuck()
        steps, since, real = self._progress
        if table.crew.steps != steps or not table.crew.idle or table.paused:
            self._progress = (table.crew.steps, table.agenda.now, table.monotonic())
            return
        held = head is not None and head.name == "wait"
        limit = manners.hold_s if held else manners.stuck_s
        real_limit = manners.hold_real_s if held else manners.stuck_real_s
        if table.agenda.now - since > limit and table.monotonic() - real > real_limit:
            raise self.stuck()

    def stuck(self, expected: str = "") -> SimulationStuck:
        """The error that says where everything stands."""
        return SimulationStuck(
            expected or self.expected(),
            last_order=str(self.orders),
            places=self.table.world.places(),
            where=f"t={self.table.agenda.now:.1f}",
        )

    # -- players -----------------------------------------------------------------------------------------

    def _player(self, seat: int) -> Script:
        table = self.table
        while True:
            yield Until(lambda: table.hand is not None and seat in table.hand.betting.players)
            hand = table.hand
            if hand is None:
                continue
            yield from self._post(hand, seat)
            while True:
                yield Until(lambda hand=hand: hand.over or self._my_turn(hand, seat))  # type: ignore[misc]
                if hand.over:
                    break
                yield self.motions.time(f"seat{seat}", table.habits.think)
                early = hand.slip("fold_early") and self._hasty(hand) is not None
                if early and hand.betting.acts and self._my_turn(hand, seat):
                    yield from self._early(hand)
                    continue
                if self._my_turn(hand, seat):
                    yield from self._act(hand, seat)
            yield Until(lambda hand=hand: table.hand is not hand)  # type: ignore[misc]

    def _my_turn(self, hand: Hand, seat: int) -> bool:
        if hand.betting.to_act != seat or not hand.dealt or hand.acting or hand.void:
            return False
        if self.table.agenda.now < hand.quiet_until:
            return False
        if self.table.manners.betting == "rounds" or hand.script.policy.unasked(hand.betting) is not None:
            return False
        act = self.orders.next(self.table.finished)
        if hand.blind and (act is None or act.name in ("act", "gather", "burn", "deal")):
            return True
        return act is not None and act.name == "act" and act.place == seat

    def _post(self, hand: Hand, seat: int) -> Script:
        """Blind and ante go before him in one motion."""
        player = hand.betting.players[seat]
        due = player.bet + player.ante
        if due and self.table.manners.chips:
            who = f"seat{seat}"
            yield self.motions.time(who, self.table.habits.post)
            yield from self.motions.payable(who, f"stack{seat}", due)
            chips = exact(self.table.world.chips(f"stack{seat}"), due) or []
            yield from self.motions.chips(who, chips, f"bet{seat}", "post")
        hand.posted.add(seat)
        self.table.crew.stir()

    def _act(self, hand: Hand, seat: int) -> Script:
        shown = self.orders.next(self.table.finished)
        if shown is None and not hand.blind:
            return
        hand.acting = True
        if seat not in hand.off and self.table.neglects("held_off"):
            self._hold_off(hand, seat)
        if seat not in hand.off and self.table.neglects("lifted"):
            yield from self._lift(seat)
        board = hand.board[: BOARD_AFTER[hand.betting.street]]
        act = hand.script.policy.act(hand.betting, seat, hand.holes[seat], board)
        word = self._word(hand, act)
        told = self._told(act)
        again = (lambda: self.table.press(told)) if told else (lambda: self._typed(hand, act))
        if shown is not None and shown.name == "act" and shown.place == seat:
            self.orders.mark(shown, self.table.agenda.now, again)
        hand.said = (seat, told) if told else None
        if word == "CHECK" and self.table.neglects("silent_check"):
            self.motions.note("neglect", kind="silent_check", seat=seat)
            word = ""
        if word:
            yield self.motions.time("dealer", self.table.habits.say)
            self.table.press(word)
        if act.kind == "fold":
            yield from self.table.throw_in(f"seat{seat}", seat)
        elif act.add and self.table.manners.chips:
            yield from self._bet(hand, act)
        self.table.note_act(act)
        hand.betting.apply(act)
        hand.acting = False
        self.table.crew.stir()

    def _hold_off(self, hand: Hand, seat: int) -> None:
        """He takes his cards up, and from now on they are on no antenna until he throws them in or shows them."""
        hand.off.add(seat)
        self.motions.note("neglect", kind="held_off", seat=seat)
        for card in self.table.world.cards(f"seat{seat}"):
            self.table.world.cover(card.uid, "held")

    def _lift(self, seat: int) -> Script:
        """He holds his cards up, off the antenna, and puts them back."""
        cards = self.table.world.cards(f"seat{seat}")
        self.motions.note("neglect", kind="lifted", seat=seat)
        for card in cards:
            self.table.world.move_card(card, "air")
        yield self.motions.time(f"seat{seat}", self.table.habits.lift)
        for card in cards:
            self.table.world.move_card(card, f"seat{seat}")

    @staticmethod
    def _hasty(hand: Hand) -> int | None:
        """Who can throw his hand away before his turn: the last who still has to act; None when it is his turn."""
        betting = hand.betting
        return next((s for s in reversed(betting.order) if betting.owes(s) and s != betting.to_act), None)

    def _early(self, hand: Hand) -> Script:
        """A player throws his hand away before it is his turn."""
        slip, betting, seat = hand.slip("fold_early"), hand.betting, self._hasty(hand)
        if slip is None or seat is None:
            return
        hand.acting = True
        slip.made, slip.number = True, seat
        hand.quiet_until = self.table.agenda.now + QUIET_S
        self.motions.note("slip", name=slip.name, at=slip.name, hand=hand.number, told=True, seat=seat)
        yield from self.table.throw_in(f"seat{seat}", seat)
        betting.kill(seat)
        hand.acting = False

    def _word(self, hand: Hand, act: Act) -> str:
        """The button pressed for this act; empty where chips or cards speak for themselves."""
        if act.kind == "check":
            return "CHECK"
        if act.kind == "fold" or self.table.manners.chips:
            return ""
        return _WORDS[act.kind]

    def _typed(self, hand: Hand, act: Act) -> None:
        """Chips that do not lie before him any more are typed in, should the table still ask for them."""
        if act.add and not self.table.world.total(f"bet{act.seat}"):
            self.table.type_in("acted", seat=act.seat, said=act.kind, amount=act.to)

    def _told(self, act: Act) -> str:
        """The button that says this act once more, should the table still ask for it; empty where none does.

        Cards over the muck are seen in passing, so a table that was away has not seen them; chips lie there.
        """
        if act.kind == "fold":
            word = "FOLD"
        else:
            word = "" if self.table.manners.chips and act.kind != "check" else _WORDS[act.kind]
        return word if word and self.table.has_button(word) else ""

    def _bet(self, hand: Hand, act: Act) -> Script:
        """Chips go before him in one motion; a raise that chips alone do not tell is said first."""
        seat, who, place = act.seat, f"seat{act.seat}", f"stack{act.seat}"
        player, price = hand.betting.players[seat], hand.betting.price
        world = self.table.world
        if act.add == player.stack:
            chips: list[Chip] = list(world.chips(place))
        else:
            found = clear_raise(world.chips(place), act.add, player.bet, price) if act.to > price else None
            if found is None:
                yield from self.motions.payable(who, place, act.add)
                found = exact(world.chips(place), act.add)
            chips = found or []
        if act.to > price and not is_clear(chips, player.bet, price):
            word = "ALL_IN" if act.kind == "all_in" else "RAISE"
            if self.table.has_button(word):
                self.table.press(word)
                yield self.motions.time("dealer", self.table.habits.say)
        yield from self.motions.chips(who, chips, f"bet{seat}", act.kind)
