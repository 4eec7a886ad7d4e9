"""The dealing shoe of the firmware under MicroPython, through the real driver over a pty."""

from collections.abc import Callable

from firmware_rig import Heard, Rig, lose_answers_to

from firmware_bridge import frames, framing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import CommandRefused, DeviceState, Shoe

MakeRig = Callable[..., Rig]
Connect = Callable[..., Mcu]


def _ready(rig: Rig, mcu: Mcu, heard: Heard) -> None:
    rig.do("shoe load 52")
    heard.next(Shoe, state="disarmed")
    mcu.arm(True)
    heard.next(Shoe, state="ready")


def test_a_card_goes_where_it_is_sent(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    _ready(rig, mcu, heard)
    mcu.feed(3, 70)
    heard.next(Shoe, state="feeding", command_id=70)
    heard.next(Shoe, state="ready", cards_out=1, target=3, command_id=70)
    mcu.feed(12, 71)
    heard.next(Shoe, state="ready", cards_out=2, target=12, command_id=71)
    assert rig.cards_out() == ["3", "12"]


def test_unarmed_it_refuses(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    rig.do("shoe load 52")
    heard.next(Shoe, state="disarmed")
    mcu.feed(3, 70)
    heard.next(CommandRefused, command="FEED", reason="not-armed", command_id=70)
    assert rig.cards_out() == []


def test_a_lost_answer_feeds_no_second_card(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    _ready(rig, mcu, heard)
    lost = lose_answers_to(rig.wire, frames.FeedFrame, 2)
    mcu.feed(5, 9)
    heard.next(Shoe, state="ready", cards_out=1, command_id=9)
    mcu.feed(6, 10)
    heard.next(Shoe, state="ready", cards_out=2, command_id=10)
    assert len(lost) == 2
    assert rig.cards_out() == ["5", "6"]


def test_the_same_command_again_feeds_no_second_card(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    mcu = connect(rig)
    _ready(rig, mcu, heard)
    for _ in range(3):
        mcu.feed(5, 9)
    mcu.feed(6, 10)
    heard.next(Shoe, state="ready", cards_out=2, command_id=10)
    assert rig.cards_out() == ["5", "6"]


def test_a_silent_pi_disarms_it(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    _ready(rig, mcu, heard)

    def down(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        return [] if isinstance(frame, frames.ArmFrame) else [raw]

    rig.wire.down = down
    heard.next(Shoe, state="disarmed")
    assert rig.cards_out() == []


def test_a_power_cut_in_a_feed_needs_a_person_and_no_card_comes_twice(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    mcu = connect(rig)
    _ready(rig, mcu, heard)
    mcu.feed(7, 33)
    heard.next(Shoe, state="feeding", command_id=33)
    fed = rig.cards_out()
    rig.restart()
    rig.do("shoe load 52")
    heard.next(DeviceState, state="ready")
    heard.next(Shoe, state="jam", command_id=33, target=7)
    mcu.arm(True)
    heard.next(CommandRefused, command="ARM", reason="not-armed")
    mcu.feed(7, 33)
    rig.do("door open")
    heard.next(Shoe, state="door")
    rig.do("door closed")
    heard.next(Shoe, state="disarmed")
    mcu.arm(True)
    heard.next(Shoe, state="ready")
    mcu.feed(7, 33)
    mcu.feed(8, 34)
    heard.next(Shoe, state="ready", command_id=34)
    out = rig.cards_out()
    assert out.count("7") == len(fed) <= 1
    assert out.count("8") == 1


def test_trouble_is_told(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    for number, (trouble, state) in enumerate(
        (("jam", "jam"), ("follow", "double_feed"), ("misaligned", "misaligned")), 1
    ):
        _ready(rig, mcu, heard)
        rig.do(f"shoe next {trouble}")
        mcu.feed(2, number)
        heard.next(Shoe, state=state, command_id=number)
        rig.do("shoe load 0", "door open")
        heard.next(Shoe, state="door")
        rig.do("door closed")
        heard.next(Shoe, state="empty")
    assert rig.cards_out() == ["2", "2"]
