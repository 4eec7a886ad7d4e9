"""What people do not do, or do badly, without any rule being broken: the ways in which a sensed table is used worst.

All of it is drawn from the seed and written into the truth. The shares are assumptions.

Does not model: people who lean on the table, drinks, sleeves over antennas.
"""

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Final

from hw_sim.errors import ConfigError


@dataclass(frozen=True)
class Neglect:
    """Shares, 0 to 1, of the occasions on which people neglect something.

    Attributes:
        silent_check: Checks for which nobody presses anything until the table asks again.
        lifted: Turns in which the player holds his cards up, off the antenna, for some seconds.
        raked: Rounds after which the dealer takes the bets in before the table has told him to.
        flying: Folds whose cards slide over the next seat's place.
        beside_muck: Folds whose cards come to lie beside the muck's antenna.
        held_stub: Hands in which the stub is never put down: it is in another hand at another seat each time.
        held_off: Players of a hand who pick their cards up at their first turn and hold them off the antenna to its end.
        blind: Runs of ten hands in which nobody looks at the panel while there is nothing to wonder about.
    """

    silent_check: float = 0.0
    lifted: float = 0.0
    raked: float = 0.0
    flying: float = 0.0
    beside_muck: float = 0.0
    held_stub: float = 0.0
    blind: float = 0.0
    held_off: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0.0 <= getattr(self, field.name) <= 1.0:
                raise ConfigError(f"neglect {field.name}={getattr(self, field.name)}", hint="0 to 1")

    @classmethod
    def usual(cls) -> "Neglect":
        """A club evening among friends, as assumed."""
        return cls(
            silent_check=0.1,
            lifted=0.2,
            raked=0.2,
            flying=0.1,
            beside_muck=0.03,
            held_stub=0.3,
            blind=0.1,
        )

    def changed(self, text: str) -> "Neglect":
        """This with other shares: `lifted=0.3,raked=0`, `usual`, or `none`; what is not named stays.

        Raises:
            ConfigError: People do not neglect that, or a share out of range.
        """
        changed = self
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, equals, number = item.partition("=")
            if item in ("usual", "none"):
                changed = Neglect.usual() if item == "usual" else Neglect()
                continue
            if name not in KINDS or not equals:
                near = get_close_matches(name, KINDS, 1)
                hint = f"did you mean {near[0]}=…?" if near else "known: " + ", ".join(KINDS)
                raise ConfigError(f"{item!r} is no neglect", hint=hint)
            try:
                share = float(number)
            except ValueError:
                raise ConfigError(f"neglect {name}: {number!r} is no number") from None
            changed = replace(changed, **{name: share})
        return changed

    def __str__(self) -> str:
        return ",".join(f"{name}={getattr(self, name):g}" for name in KINDS if getattr(self, name))


KINDS: Final = tuple(field.name for field in fields(Neglect))
ATTENTIVE: Final = Neglect()
"""Nobody neglects anything."""
