"""The dealer: shuffles, deals as he knows how to deal, then does what the panel shows.

What no antenna sees he confirms with YES, what he is asked he denies unless something did go wrong, and a press
that the table does not answer he repeats. His slips are `hw_sim.mishaps`, their cures `hw_sim.cures`.

Does not model: counting chips down; a dealer who does not know how to deal.
"""

from collections.abc import Callable, Generator
from typing import Final

from hw_sim.betting import BOARD_AFTER, Act, Betting
from hw_sim.crew import Script, Until
from hw_sim.cures import Cures
from hw_sim.mishaps import Mishaps
from hw_sim.opening import REAL_AGAIN_S, Opening
from hw_sim.orders import Done, Shown
from hw_sim.play import Hand, Table
from hw_sim.pot_work import PotWork
from hw_sim.script import HandScript, Pause
from hw_sim.slips import STREETS, Slip, pending
from hw_sim.world import Card

# While one of these is shown, the hand is not over.
_IN_HAND: Final = frozenset(
    {"deal", "burn", "board", "gather", "push_pot", "act", "show", "muck", "return_chips"}
)
# What he has done of these he says with YES when the table has not noticed it.
_SEEN_DONE: Final = frozenset({"deal", "burn", "board", "gather"})
# So long he waits for the table to say what becomes of a card that lay face up (virtual seconds).
_SAYS_SOMETHING_S: Final = 8.0
# While the panel shows one of these first, the dealer goes on dealing.
_DEALS_ON: Final = frozenset({"deal", "post", "announce", "find", "button", "act", "burn"})


class Dealer:
    """The dealer of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.world = table.world
        self.motions = table.motions
        self.habits = table.habits
        self.orders = table.orders
        self.opening = Opening(table)
        self.pots = PotWork(table)
        self.mishaps = Mishaps(table)
        self.cures = Cures(table, self.mishaps, self.pots)

    def play(self) -> Script:
        """Hand after hand, until the source has no more."""
        table = self.table
        while True:
            table.reseat()
            script = table.source.next_hand(table.view())
            if script is None:
                return
            if isinstance(script, Pause):
                table.paused = True
                yield Until(lambda: table.changed)
                table.paused = False
                continue
            table.number += 1
            table.next_name = script.name
            if table.source.sets_stacks and table.stacks != script.stacks:
                table.set_stacks(script.stacks)
            deck = table.decks[(table.number - 1) % len(table.decks)]
            hand = yield from self._hand(script, deck, again=False)
            while hand.void:
                hand = yield from self._hand(script, deck, again=True)
            yield from self.pots.clear(hand)

    def _hand(self, script: HandScript, deck: str, *, again: bool) -> Generator[float | Until, None, Hand]:
        """One hand from the shuffle to its end, or to where it is void."""
        yield from self.opening.shuffle(script, deck)
        yield from self.opening.wait()
        hand = self.opening.open(script, deck, again=again)
        yield from self._deal(hand)
        while not hand.over:
            yield from self._work(lambda jobs: self._look(hand, jobs))
        return hand

    def _work(self, look: Callable[[list[Script]], bool]) -> Script:
        """Wait until there is something to do, or something else to see to, and do it."""
        jobs: list[Script] = []
        yield Until(lambda: look(jobs))
        for job in jobs:
            yield from job

    def _time(self, span: tuple[float, float]) -> float:
        return self.motions.time("dealer", span)

    def _now(self) -> tuple[float, float]:
        return self.table.agenda.now, self.table.monotonic()

    def _late(self, t: float, real: float) -> bool:
        now, real_now = self._now()
        return now - t > self.habits.again and real_now - real > REAL_AGAIN_S

    def _mark(self, act: Shown, again: str = "") -> None:
        press = (lambda: self.table.press(again)) if again else None
        self.orders.mark(act, self.table.agenda.now, press)

    # -- the deal ----------------------------------------------------------------------------------------

    def _deal(self, hand: Hand) -> Script:
        """Two rounds, one card at a time; the dealer knows this without being told card by card."""
        order = hand.betting.order
        self.world.take_deck()

        def may_begin() -> bool:
            first = next((act for act in self.orders.shown if act.name == "deal"), None)
            return first is not None and first.place == order[0]

        def may_go_on() -> bool:
            head = self.orders.head()
            return head is None or head.name in _DEALS_ON

        yield Until(may_begin)
        for number, seat in enumerate((*order, *order), 1):
            yield self._time(self.habits.deal)
            while not may_go_on():
                yield from self._work(lambda jobs: may_go_on() or self._disturbed(hand, jobs))
                if hand.void:
                    return
            yield from self.mishaps.deal(hand, seat, number)
            if self.table.hand is hand and any(s.name == "boxed" and s.number == number for s in hand.slips):
                yield from self._after_boxed(hand, seat)
                if hand.void:
                    return
        yield from self.mishaps.after_deal(hand)
        self._put_deck(hand)
        hand.dealt = True
        self.table.crew.stir()

    def _after_boxed(self, hand: Hand, seat: int) -> Script:
        """The card that lay face up is put aside as the table says, then the seat gets its card."""
        place, cards = f"seat{seat}", len(self.world.cards(f"seat{seat}"))
        if not self._boxed(hand):
            return
        until = self.table.agenda.now + _SAYS_SOMETHING_S
        while self._boxed(hand):
            yield from self._work(lambda jobs: self._disturbed(hand, jobs) or self.table.agenda.now >= until)
            if hand.void:
                return
            if self.table.agenda.now >= until:
                for card in self._boxed(hand):
                    hand.dead.remove(card.uid)
                    yield from self.motions.card("dealer", card, "aside", "up", "set aside")
        if len(self.world.cards(place)) == cards:
            yield from self.motions.card("dealer", self.mishaps.due(hand, place), place, "down", "deal")
            self.mishaps.refresh(hand)

    def _boxed(self, hand: Hand) -> list[Card]:
        """Cards that lie face up in the stub."""
        return [card for card in self.world.cards("hand") if card.uid in hand.dead]

    def _disturbed(self, hand: Hand, jobs: list[Script]) -> bool:
        """While he deals: what else the panel shows first."""
        back = self.orders.shows("return_cards")
        act = back if back is not None else self.orders.next(self.table.finished)
        job: Script | None = None
        if act is not None and act.name == "ask":
            job = self._say(act, self.cures.answer(hand))
        elif act is not None and act.name in ("return_cards", "move", "shuffle", "cut"):
            job = self.cures.job(hand, act)
        elif act is None:
            job = self._nothing_new(hand)
        if job is not None:
            jobs.append(job)
        return job is not None

    def _put_deck(self, hand: Hand) -> None:
        """The stub goes down, where the dealer does put it down."""
        if not hand.held:
            self.world.put_deck()

    # -- doing what is shown -----------------------------------------------------------------------------

    def _look(self, hand: Hand, jobs: list[Script]) -> bool:
        job = self._job(hand)
        if job is not None:
            jobs.append(job)
        return job is not None or hand.over

    def _job(self, hand: Hand) -> Script | None:
        """What the dealer can do now, None when he has to wait."""
        if hand.acting:
            return None
        betting, manners = hand.betting, self.table.manners
        back = self.orders.shows("return_cards")
        if back is not None:
            return self.cures.take_back(hand, back)
        trouble = self._trouble(hand)
        if trouble is not None:
            return trouble
        left = hand.script.policy.unasked(betting)
        if left is not None:
            return self._fold_absent(hand, left)
        act, head = self.orders.next(self.table.finished), self.orders.head()
        if manners.betting == "rounds" and betting.to_act is not None:
            free = head is None or head.name in ("act", "wait")
            return self._round(hand, act) if free else self._nothing_new(hand)
        if act is None or (act.name == "show" and head is not None and head.name == "show" and head != act):
            # a hand that is shown is confirmed before the next one is turned over
            return self._nothing_new(hand)
        if act.name == "ask":
            return self._say(act, self.cures.answer(hand))
        cure = self.cures.job(hand, act)
        if cure is not None:
            return cure
        if act.name == "gather":
            self._mark(act)
            return self.pots.gather(hand)
        if act.name == "muck":
            return self._muck(hand, act)
        if act.name == "act" and manners.betting == "words" and self._is_all_in(betting, act.place):
            # all-in by his blind or ante: without amounts the table cannot know
            return self._say(act, "ALL_IN")
        if act.name == "act" and hand.said is not None and hand.said[0] == act.place != betting.to_act:
            # the table asks for what it did not hear
            self._mark(act, hand.said[1])
            return None
        if betting.to_act is not None:
            return None
        return self._job_after_round(hand, betting, act)

    def _trouble(self, hand: Hand) -> Script | None:
        """A slip that comes now, one that the table does not notice, bets taken in before it is time."""
        slip = self.mishaps.premature(hand)
        if slip is not None:
            return self._too_soon(hand, slip)
        now, head = self.table.agenda.now, self.orders.head()
        asked = head is not None and head.name in ("ask", "wait", "return_cards")
        for late in pending(hand.slips):
            if now >= hand.quiet_until and not asked and self.table.page is not None:
                return self.cures.claim(hand, late)
        betting = hand.betting
        if betting.to_act is None and not betting.over and hand.raked != betting.street and hand.dealt:
            hand.raked = betting.street
            if self.table.manners.chips and self.table.neglects("raked"):
                self.motions.note("neglect", kind="raked", street=betting.street)
                return self.pots.gather(hand)
        return None

    def _too_soon(self, hand: Hand, slip: Slip) -> Script:
        hand.acting = True
        self.world.take_deck()
        yield from self.mishaps.too_soon(hand, slip)
        self._put_deck(hand)
        hand.acting = False
        self.mishaps.refresh(hand)

    @staticmethod
    def _is_all_in(betting: Betting, seat: int) -> bool:
        player = betting.players.get(seat)
        return player is not None and player.all_in

    def _job_after_round(self, hand: Hand, betting: Betting, act: Shown) -> Script | None:
        burnt = hand.burnt > betting.street
        if act.name == "board" and not burnt and not self._late(*hand.street_at):
            return None  # the display still asks for the street that has just been laid
        if act.name == "burn" and not hand.settled() and not burnt:
            return self._burn(hand, act)
        if act.name == "board" and not hand.settled() and (burnt or hand.slipped):
            return self._board(hand, act)
        if act.name == "show" and (hand.settled() or betting.all_done):
            return self._show(hand, act)
        if act.name == "return_chips":
            self._mark(act)
            return self.pots.give_back(hand, act)
        whole = len(self.world.cards("board")) == BOARD_AFTER[-1]
        if act.name == "push_pot" and hand.slipped and whole and not pending(hand.slips):
            # by the floor's decision the card too many is the next street's
            self.mishaps.refresh(hand)
            while not hand.settled() and betting.to_act is None:
                betting.next_street()
            hand.board_laid = BOARD_AFTER[-1]
        if act.name == "push_pot" and hand.settled():
            return self._push(hand, act)
        if act.name == "act" and self.table.manners.betting != "amounts":
            # the table cannot know that this round is over: the dealer says so
            return self._say(act, "YES")
        if act.name in ("shuffle", "cut") and hand.settled():
            return self._say(act, {"shuffle": "SHUFFLED", "cut": "CUT"}[act.name])
        return None

    def _nothing_new(self, hand: Hand) -> Script | None:
        """Everything shown is done: end the hand, confirm what no sensor sees, or press once more."""
        in_hand = any(act.name in _IN_HAND for act in self.orders.shown)
        if not in_hand and hand.settled() and self.pots.paid_out(hand):
            hand.over = True
            self.table.crew.stir()
            return None
        head = self.orders.head()
        if head is None:
            return None
        if head.name == "wait" and hand.settled() and set(hand.shown) >= set(hand.betting.live()):
            return self._name_winners(hand)
        done = self.orders.done()
        if done is None:
            # for all to see, but nobody has marked it: a card of the deal, a blind
            self._mark(head)
            done = self.orders.done()
        if done is None or (head.name == "burn" and any(s.name == "no_burn" for s in pending(hand.slips))):
            return None  # he knows that he has burnt nothing, and says so
        if not done.confirmed and not self.table.seen(head) and self.table.has_button("YES"):
            return self._confirm(done)
        if not self._late(done.t, done.real):
            return None
        if head.name == "push_pot" and self.table.manners.chips and self.world.total("pot"):
            return self.pots.push(hand, head)
        if head.name == "push_pot" and self.table.manners.chips and self.table.has_button("POT"):
            # the chips are with their winner, and the table still asks for them
            done.again = lambda: self.table.press("POT")
        if done.again is None and head.name in _SEEN_DONE and self.table.has_button("YES"):
            # done for all to see, and the table still asks: it has not seen it
            done.again = lambda: self.table.press("YES")
        return self._once_more(done) if done.again is not None else None

    def _name_winners(self, hand: Hand) -> Script | None:
        """All hands lie open, and the table cannot read who has won: somebody types it, now and then."""
        named = hand.named
        if self.table.page is None or (named is not None and not self._late(*named)):
            return None
        hand.named = self._now()
        return self._type_winners(hand)

    def _type_winners(self, hand: Hand) -> Script:
        yield self._time(self.habits.type)
        for number, pot in enumerate(hand.betting.pots()):
            seats = hand.betting.winners(pot.seats, hand.holes, hand.board)
            self.table.type_in("winners", pot=number, seats=seats)

    def _confirm(self, done: Done) -> Script:
        shown = self.orders.shown
        yield self._time(self.habits.confirm)
        if self.orders.shown == shown and not done.confirmed:
            done.confirmed = True
            done.t, done.real = self._now()
            done.again = lambda: self.table.press("YES")
            self.table.press("YES")

    def _once_more(self, done: Done) -> Script:
        shown = self.orders.shown
        yield self._time(self.habits.say)
        if self.orders.shown == shown and done.again is not None:
            done.t, done.real = self._now()
            done.again()

    def _say(self, act: Shown, name: str) -> Script:
        """One press for what is shown, if it is still shown when the finger is there."""
        self._mark(act, name)
        yield self._time(self.habits.say)
        if act in self.orders.shown and self.table.has_button(name):
            self.table.press(name)

    # -- streets -----------------------------------------------------------------------------------------

    def _burn(self, hand: Hand, act: Shown) -> Script:
        self._mark(act)
        self.world.take_deck()
        yield self._time(self.habits.burn)
        before = hand.slip("no_burn", street=STREETS[hand.betting.street])
        yield from self.mishaps.burn(hand)
        if before is not None and before.made:
            yield from self._board(hand, act)
        else:
            self._put_deck(hand)

    def _board(self, hand: Hand, act: Shown) -> Script:
        if act.name == "board":
            self._mark(act)
        self.world.take_deck()
        whole = BOARD_AFTER[hand.betting.street + 1]
        due = whole - hand.board_laid
        for _ in range(min((act.arg if act.name == "board" else 0) or due, due)):
            yield self._time(self.habits.board)
            card = self.mishaps.due(hand, "board")
            yield from self.motions.card("dealer", card, "board", "up", "board")
            hand.board_laid += 1
        self.mishaps.refresh(hand)
        if hand.board_laid == whole:
            hand.betting.next_street()
            hand.street_at = self._now()
            yield from self.mishaps.after_street(hand)
        self._put_deck(hand)

    def _round(self, hand: Hand, act: Shown | None) -> Script:
        """Nobody records who bets: the players play the round, then the dealer closes it."""
        betting = hand.betting
        if act is not None:
            self._mark(act, "YES")
        while betting.to_act is not None:
            seat = betting.to_act
            board = hand.board[: hand.board_laid]
            yield self.motions.time(f"seat{seat}", self.habits.think)
            made = hand.script.policy.act(betting, seat, hand.holes[seat], board)
            if made.kind == "fold":
                yield from self.table.throw_in(f"seat{seat}", seat)
            self.table.note_act(made)
            betting.apply(made)
        if not betting.over:
            yield self._time(self.habits.say)
            self.table.press("YES")

    def _fold_absent(self, hand: Hand, act: Act) -> Script:
        """A player who is all-in and not there: his hand is taken in."""
        yield self._time(self.habits.say)
        yield from self.table.throw_in(f"seat{act.seat}", act.seat)
        self.table.note_act(act)
        hand.betting.apply(act)

    def _muck(self, hand: Hand, act: Shown) -> Script:
        self._mark(act)
        yield self._time(self.habits.say)
        yield from self.table.throw_in("dealer", act.place)
        player = hand.betting.players.get(act.place)
        if player is not None and not player.folded and not hand.settled():
            self.motions.note("killed", seat=act.place)
            hand.betting.kill(act.place)

    def _show(self, hand: Hand, act: Shown) -> Script:
        seat = act.place
        self._mark(act, "YES")
        yield self.motions.time(f"seat{seat}", self.habits.think)
        for card in self.world.cards(f"seat{seat}"):
            if self.world.spot(card.uid) == "held":
                self.world.cover(card.uid, "centre")
        self.motions.turn(f"seat{seat}", self.world.cards(f"seat{seat}"), "up")
        if seat not in hand.shown:
            hand.shown.append(seat)
        yield self._time(self.habits.say)
        if act in self.orders.shown and self.table.has_button("YES"):
            self.table.press("YES")

    def _push(self, hand: Hand, act: Shown) -> Script:
        """A pot goes to its winner: chips, or one press where there are none."""
        if self.table.manners.chips:
            self._mark(act)
            return self.pots.push(hand, act)
        hand.pot_pressed = True
        return self._say(act, "POT" if self.table.has_button("POT") else "YES")
