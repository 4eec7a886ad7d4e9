"""Present sets in parts, in any order, from any cycle."""

import random

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import framing
from firmware_bridge.frames import InventoryFrame
from firmware_bridge.inventories import PresentSets

TAGS = [f"04{n:02X}0000000001" for n in range(200)]


@given(count=st.integers(0, 200), seed=st.integers(0, 1000))
def test_parts_in_any_order_and_repeated(count: int, seed: int) -> None:
    """It should give the whole set exactly once, whatever the order of its parts."""
    parts = framing.split_inventory(1, 5, 6, 70, TAGS[:count])
    shuffled = parts + parts[:-1]
    random.Random(seed).shuffle(shuffled)
    subject = PresentSets()
    wholes = [whole for part in shuffled if (whole := subject.take(part)) is not None]
    assert wholes
    assert {whole.uids for whole in wholes} == {tuple(TAGS[:count])}
    assert not subject.differs(framing.digest_entry(1, reversed(TAGS[:count])))


def test_worst_quality_counts_and_doubles_do_not() -> None:
    """It should be as doubtful as its most doubtful part, and hold each tag once."""
    subject = PresentSets()
    assert subject.take(InventoryFrame(1, 0, 2, 1, 5, 90, ("AA", "BB"))) is None
    whole = subject.take(InventoryFrame(1, 1, 2, 1, 5, 40, ("BB", "CC")))
    assert whole is not None
    assert (whole.quality, whole.uids) == (40, ("AA", "BB", "CC"))


def test_cycles_wrap() -> None:
    """It should know that cycle 0 is newer than cycle 4294967295."""
    subject = PresentSets()
    assert subject.take(InventoryFrame(1, 0, 1, 2**32 - 1, 5, 90, ())) is not None
    assert subject.take(InventoryFrame(1, 0, 1, 0, 5, 90, ("AA",))) is not None
    assert subject.take(InventoryFrame(1, 0, 1, 2**32 - 2, 5, 90, ())) is None
    assert subject.take(InventoryFrame(1, 0, 1, 0, 5, 90, ("AA",))) is not None


def test_late_part_of_an_older_cycle() -> None:
    """It should not let a late part of an older cycle break up the newer set that is coming."""
    subject = PresentSets()
    assert subject.take(InventoryFrame(1, 0, 2, 8, 5, 90, ("AA",))) is None
    assert subject.take(InventoryFrame(1, 0, 1, 7, 5, 90, ("CC",))) is None
    whole = subject.take(InventoryFrame(1, 1, 2, 8, 5, 90, ("BB",)))
    assert whole is not None
    assert whole.uids == ("AA", "BB")


def test_other_number_of_parts_begins_anew() -> None:
    """It should not mix parts of two tellings of one cycle."""
    subject = PresentSets()
    assert subject.take(InventoryFrame(1, 0, 3, 1, 5, 90, ("AA",))) is None
    assert subject.take(InventoryFrame(1, 1, 2, 1, 5, 90, ("BB",))) is None
    whole = subject.take(InventoryFrame(1, 0, 2, 1, 5, 90, ("CC",)))
    assert whole is not None
    assert whole.uids == ("BB", "CC")


def test_set_on_its_way_gets_until_the_next_digest() -> None:
    """It should not ask for what is just coming, but not wait for ever for a part that never comes."""
    subject = PresentSets()
    entry = framing.digest_entry(1, ["AA", "BB"])
    assert subject.differs(entry)
    subject.take(InventoryFrame(1, 0, 2, 1, 5, 90, ("AA",)))
    assert not subject.differs(entry)
    assert subject.differs(entry)
    subject.ask(1)
    assert subject.take(InventoryFrame(1, 1, 2, 1, 5, 90, ("BB",))) is None
    assert subject.take(InventoryFrame(1, 0, 2, 1, 5, 90, ("AA",))) is not None
    assert not subject.differs(entry)


def test_sets_do_not_print_their_tags() -> None:
    """It should keep tag numbers out of logs."""
    whole = PresentSets().take(InventoryFrame(1, 0, 1, 1, 5, 90, ("04A1B2C3",)))
    assert whole is not None
    assert "04A1" not in repr(whole)
