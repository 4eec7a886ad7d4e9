"""What the sensors saw becomes what happened at the table: observations and the engine's state in, table events out.

Pure: no clock, no device, no disk. Time is that of the observations. Fusion is the only place that knows which
card lies face down where; it never lets that out before the whole table may see it.

    fusion.feed(observation)
    while (offer := fusion.next(state, expects)) is not None:
        ...                          # let the engine take offer.events
        fusion.accept(offer)         # or fusion.deny(offer): a person says that it was not so
"""

from table_controller.fusion.core import Fusion
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.offers import DoubtAt, Offer

__all__ = ["Coverage", "DoubtAt", "Fusion", "Offer"]
