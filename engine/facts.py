"""The closed set of facts that a rulebook's conditions may rest on.

Each fact is a number, a yes or no, or one word of a list. A fact that nobody recorded is
unknown: a condition on it does not hold, and when the fact can be asked of a person
(``rulings.ASKABLE``) the engine asks before it rules.
"""

from typing import Final

from engine.rulings import ASKABLE

STREET_WORDS: Final = ("preflop", "flop", "turn", "river")

# name -> (kind, meaning). kind: "flag", "number" or a tuple of words.
FACTS: Final[dict[str, tuple[str | tuple[str, ...], str]]] = {
    "by": (("dealer", "player", "deck", "unknown"), "who caused the card to show or to move"),
    "seen_by": (("all", "majority", "some"), "who saw the face"),
    "at": (("deck", "seat", "board", "burn", "muck", "aside", "felt", "off_table"), "where it lies"),
    "street": (STREET_WORDS, "the street being played or dealt"),
    "in_deal": ("flag", "the initial deal is not over"),
    "sa": ("flag", "substantial action has taken place in the hand (posted blinds never count)"),
    "sa_since": ("flag", "substantial action has taken place since the error"),
    "acted_since": ("flag", "anybody has acted since the error"),
    "acted": ("flag", "anybody has acted in the hand"),
    "betting_open": ("flag", "at least two players may still bet in this hand"),
    "notice": ("flag", "a person gave notice (claimed); otherwise only sensed"),
    "count": ("number", "how many cards the hand, the flop or the surplus has"),
    "short": ("flag", "the hand has too few cards (otherwise too many)"),
    "player_dealer": ("flag", "the hand concerned is that of the player who deals"),
    "on_button": ("flag", "the hand concerned is that of the button"),
    "button_short": ("flag", "the button lacks his second card and nothing else is wrong"),
    "his_turn_passed": ("flag", "the player concerned has already acted on this hand"),
    "first_seat": ("flag", "the card went to the first player in the deal's order"),
    "identified": ("flag", "the cards in question can be told apart for certain"),
    "flop_turned": ("flag", "the flop lies on the board"),
    "protected": ("flag", "the hand was protected by a chip or an object"),
    "order_known": ("flag", "the order of the dropped stub can be rebuilt"),
    "readable": ("flag", "the board can be read without turning cards"),
    "on_purpose": ("flag", "it was done on purpose"),
    "time_to_speak": ("flag", "the player had reasonable time to speak"),
    "mixed_with": (("none", "muck", "burn", "both"), "what the dropped stub got mixed with"),
    "acted_count": ("number", "players who acted since"),
    "bet_called": (("nothing", "uncalled_bet", "uncalled_raise", "called"), "his last action in the pot"),
    "shown_to": (("one", "table", "player_in_hand"), "who was shown the hand"),
    "thrown_by": (("owner", "dealer", "player", "unknown"), "who threw the hand away"),
    "all_in": ("flag", "the player concerned is all-in"),
    "card_kind": (("unknown", "joker", "other_deck", "other_back", "duplicate"), "what sort of wrong card"),
    "pot_taken": ("flag", "the pot has been taken"),
    "absent": ("flag", "the player is not at his seat"),
    "again": ("flag", "the same person has erred like this before in the session"),
    "heads_up": ("flag", "only two players are left in the hand"),
    "facing_bet": ("flag", "there is a bet to the player"),
    "first_bet": ("flag", "the bet faced opened the street (the posted big blind included)"),
    "said": (("nothing", "fold", "check", "call", "bet", "raise", "all_in", "pot"), "the word spoken"),
    "word": (("none", "before", "with", "after"), "when it was spoken, against the chips"),
    "chips": ("number", "how many chips the motion put forward"),
    "half": ("flag", "at least half of the minimum raise was put in"),
    "clear_raise": ("flag", "without its smallest chip the motion is still more than the call"),
    "reaches_minimum": ("flag", "the amount reaches the minimum raise"),
    "unchanged": ("flag", "the action to the player has not changed since he acted out of turn"),
    "raised_between": ("flag", "a bet or raise came between"),
    "adds_up": ("flag", "several short all-ins add up to a full raise"),
    "big_blind_short": ("flag", "the big blind could not post in full"),
    "opening": ("flag", "the act opens the street"),
    "asker_called": ("flag", "who asks called on the river"),
    "suspicion": ("flag", "who asks says clearly that he suspects cheating"),
    "his_turn": ("flag", "the turn of the player who acted early has come"),
    "barred": ("flag", "he may only call or fold in this turn and raises all the same"),
    "change": ("flag", "one chip alone is more than the call: the others may be there to get change"),
    "abbreviated": ("flag", "spoken in short: read as tens, hundreds or thousands the amount makes sense"),
    "above": (("none", "stack", "limit"), "what the amount goes beyond"),
    "amount": ("number", "the player's total of the round after his first motion"),
    "cards_gathered": ("flag", "the cards of the hand have been gathered"),
    "before_deal": ("flag", "no card has been dealt yet"),
    "limit": (("no_limit", "pot_limit", "fixed_limit"), "the betting structure"),
}


def check(name: str, value: object) -> str | None:
    """Tell what is wrong with a condition's value, or None when it fits the fact.

    >>> check("seen_by", "nobody")
    "'nobody' is not one of all, majority, some"
    """
    kind = FACTS[name][0]
    if isinstance(value, list):
        problems = [check(name, item) for item in value]
        return next((problem for problem in problems if problem), None)
    if kind == "flag":
        return None if isinstance(value, bool) else f"{value!r} is not true or false"
    if kind == "number":
        if isinstance(value, dict):
            good = set(value) <= {"min", "max"} and all(type(v) is int for v in value.values())
            return None if good and value else "a number takes an integer or {min = …, max = …}"
        return None if type(value) is int else f"{value!r} is not a number"
    return None if value in kind else f"{value!r} is not one of {', '.join(kind)}"


def holds(condition: object, value: object) -> bool:
    """Tell whether a known fact's value fulfils a condition of a row.

    >>> holds(["flop", "turn"], "turn"), holds({"min": 2}, 1)
    (True, False)
    """
    if isinstance(condition, (list, tuple)):
        return value in condition
    if isinstance(condition, dict):
        if not isinstance(value, int):
            return False
        low, high = condition.get("min"), condition.get("max")
        return (low is None or value >= low) and (high is None or value <= high)
    return type(condition) is type(value) and condition == value


def may_be_asked(name: str) -> bool:
    """Tell whether a person can be asked for this fact."""
    return name in ASKABLE
