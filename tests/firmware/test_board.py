"""The real driver against the firmware under MicroPython, over a pty."""

from collections.abc import Callable
from typing import Any

import pytest
from firmware_rig import SCAN, Heard, Rig, drop_first, lose_answers_to

from firmware_bridge import codes, frames, framing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import Button, DeviceState, Fault, Heartbeat, Inventory

A, B, C = "04A1B2C3D4E5F6", "0400112233445F", "E004015011223344"
MakeRig = Callable[..., Rig]
Connect = Callable[..., Mcu]


def test_hello_says_what_is_fitted(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)
    health = mcu.health()
    assert (health.firmware, health.serial, health.state) == ("maldonne 1.0.0", "T-1", "ready")
    for capability in (codes.DISPLAY_CAPABILITY, codes.LAMPS_CAPABILITY, codes.BUZZER_CAPABILITY):
        assert mcu.has(capability)
    assert mcu.has(codes.SHOE_CAPABILITY)
    assert not mcu.has(codes.TEMPERATURE_CAPABILITY)
    hello = next(frame for _, _, frame in rig.wire.seen if isinstance(frame, frames.HelloFrame))
    assert [(a.id, a.kind, a.index) for a in hello.antennas] == [(1, 2, 3), (2, 3, 0), (9, 9, 0)]
    assert hello.buttons == (1, 2, 16)
    assert hello.lamps == (1, 2)
    beat = heard.next(Heartbeat)
    assert (beat.supply, beat.temperature, beat.lost) == (5.0, None, 0)


def test_inventories_come_on_change_and_name_their_place(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    rig.do(f"tags 1 {A} {C} {B}")
    connect(rig, scan=SCAN)
    seat = heard.next(Inventory, antenna=1, uids=tuple(sorted((A, B, C))))
    assert (seat.kind, seat.index, seat.quality) == ("seat", 3, 100)
    rig.do(f"tags 1 {B}")
    assert heard.next(Inventory, antenna=1, uids=(B,)).cycle > seat.cycle
    rig.do(f"tags 2 {A}")
    heard.next(Inventory, antenna=2, uids=(A,), kind="board")
    rig.do("tags 1")
    heard.next(Inventory, antenna=1, uids=())


def test_a_bank_of_many_tags_comes_in_parts(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    uids = [f"E00401500000{number:04X}" for number in range(150)]
    rig.do("tags 9 " + " ".join(uids))
    connect(rig, scan=SCAN)
    assert heard.next(Inventory, antenna=9, uids=tuple(uids)).kind == "bank"
    parts = {
        (frame.part, frame.parts)
        for way, _, frame in rig.wire.seen
        if way == "up" and isinstance(frame, frames.InventoryFrame) and frame.uids and frame.antenna == 9
    }
    assert parts == {(0, 3), (1, 3), (2, 3)}


def test_more_tags_than_there_is_room_for_is_a_fault(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    connect(rig, scan=SCAN)
    rig.do("tags 9 " + " ".join(f"E00401500000{number:04X}" for number in range(230)))
    heard.next(Fault, code="memory", argument=9)
    assert len(heard.next(Inventory, antenna=9).uids) == 200


def test_a_lost_inventory_is_sent_again(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    connect(rig, scan=SCAN)
    heard.next(Inventory, antenna=2)
    rig.wire.up, lost = drop_first(frames.InventoryFrame, 2, antenna=1, uids=(A,))
    rig.do(f"tags 1 {A}")
    heard.next(Inventory, antenna=1, uids=(A,))
    assert len(lost) == 2
    assert lost[0] == lost[1]


def test_a_digest_that_differs_heals(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    """The set is lost and yet acknowledged; the digest makes the driver ask, and it knows again."""
    rig = make_rig()
    connect(rig, scan=SCAN)
    heard.next(Inventory, antenna=1, uids=())
    # the greeting is over, the line is quiet
    heard.next(Heartbeat)
    lied: list[int] = []

    def up(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if isinstance(frame, frames.InventoryFrame) and frame.uids == (A,) and not lied:
            lied.append(seq)
            rig.wire.inject(framing.encode(frames.AckFrame(seq), 0))
            return []
        return [raw]

    rig.wire.up = up
    rig.do(f"tags 1 {A}")
    heard.next(Inventory, antenna=1, uids=(A,))
    asked = [
        frame.antenna
        for way, _, frame in rig.wire.seen
        if way == "down" and isinstance(frame, frames.InventoryRequestFrame)
    ]
    assert asked == [255, 1]
    sent = [
        seq
        for way, seq, frame in rig.wire.seen
        if way == "up" and isinstance(frame, frames.InventoryFrame) and frame.uids == (A,)
    ]
    assert len(lied) == 1
    assert len(sent) == 2
    assert sent[0] != sent[1]


def test_a_press_that_bounces_is_one_press(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    connect(rig)
    rig.do("raw 2 1010011011")
    down = heard.next(Button, id=2)
    assert (down.pressed, down.gap) == (True, False)
    rig.do("raw 2 0101000")
    up = heard.next(Button, id=2)
    assert (up.pressed, up.gap, up.count) == (False, False, down.count + 1)
    rig.do("press 16", "raw 1 10")
    heard.next(Button, id=16, pressed=True)
    rig.do("release 16")
    heard.next(Button, id=16, pressed=False)
    assert [each.id for each in heard.drain(Button)] == [2, 2, 16, 16]


def test_a_stuck_button_says_so_once_and_then_nothing(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    connect(rig)
    rig.do("press 1")
    heard.next(Button, id=1, pressed=True)
    heard.next(Fault, code="button_stuck", argument=1)
    # a loose contact of the broken button: ignored; the others work
    rig.do("raw 1 " + "0111111" * 12 + "1", "press 2")
    heard.next(Button, id=2, pressed=True)
    rig.do("release 2")
    heard.next(Button, id=2, pressed=False)
    rig.wait_said(lambda line: line == "contact 1")
    assert [each.id for each in heard.drain(Button)] == [1, 2, 2]
    rig.do("release 1")
    heard.next(Button, id=1, pressed=False)
    rig.do("press 1")
    heard.next(Button, id=1, pressed=True)
    assert len(heard.drain(Fault)) == 1


def test_a_button_shorted_before_the_start_is_never_a_press(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    rig.cut()
    rig.power_on(down=16)
    connect(rig)
    heard.next(Fault, code="button_stuck", argument=16)
    rig.do("press 1")
    heard.next(Button, id=1, pressed=True)
    rig.do("release 16")
    rig.do("release 1")
    heard.next(Button, id=1, pressed=False)
    assert [each.id for each in heard.drain(Button)] == [1, 1]


def test_lamps_display_buzzer_and_order_reach_the_table(make_rig: MakeRig, connect: Connect) -> None:
    rig = make_rig()
    mcu = connect(rig)
    mcu.set_lamp(2, "green")
    rig.wait_said(lambda line: line == "pixels 000000 00ff00 000000 000000")
    mcu.set_display(1, "Brûlée, puis flop")
    rig.wait_said(lambda line: line == "row 1 Brulee, puis flop   ")
    mcu.set_display(0, "Distribuer au siège 3, face cachée")
    rig.wait_said(lambda line: line == "row 0 Distribuer au siege ")
    rig.wait_said(lambda line: line == "row 0 istribuer au siege 3")
    mcu.send_orders([("deal", "seat3", 0), ("burn", "none", 0)])
    rig.wait_said(lambda line: line == "pixels 000000 00ff00 0000ff 000000")
    mcu.send_orders([("board", "board", 3)])
    rig.wait_said(lambda line: line == "pixels 000000 00ff00 000000 0000ff")
    mcu.buzz(30)
    rig.wait_said(lambda line: line == "buzz 1")
    rig.wait_said(lambda line: line == "buzz 0")
    mcu.set_lamp(1, "red", blink=True)
    rig.wait_said(lambda line: line.startswith("pixels ff0000"))
    rig.wait_said(lambda line: line.startswith("pixels 000000"))
    rig.wait_said(lambda line: line.startswith("pixels ff0000"))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (frames.LampFrame(1, 5, 0), codes.NAK_OUT_OF_RANGE),
        (frames.LampFrame(1, 1, 2), codes.NAK_OUT_OF_RANGE),
        (frames.LampFrame(3, 1, 0), codes.NAK_OUT_OF_RANGE),
        (frames.DisplayFrame(2, "x"), codes.NAK_OUT_OF_RANGE),
        (frames.InventoryRequestFrame(77), codes.NAK_OUT_OF_RANGE),
        (frames.ScanFrame((frames.ScanEntry(77, 1),)), codes.NAK_OUT_OF_RANGE),
        (frames.FeedFrame(1, 5), codes.NAK_NOT_ARMED),
        (frames.FeedFrame(13, 5), codes.NAK_OUT_OF_RANGE),
        (frames.ShoeFrame(0, 0, 0, 0), codes.NAK_UNKNOWN_TYPE),
    ],
)
def test_what_cannot_be_done_is_refused(make_rig: MakeRig, connect: Connect, command: Any, code: int) -> None:
    rig = make_rig()
    mcu = connect(rig)
    injected: list[int] = []

    def down(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if isinstance(frame, frames.BuzzFrame) and not injected:
            injected.append(0x7777)
            return [framing.encode(command, 0x7777)]
        return [raw]

    rig.wire.down = down
    mcu.buzz(1)
    # the buzz itself comes with its resend
    rig.wait_said(lambda line: line == "buzz 1")
    naks = [frame for way, _, frame in rig.wire.seen if way == "up" and isinstance(frame, frames.NakFrame)]
    assert [(nak.of, nak.code) for nak in naks] == [(0x7777, code)]


def test_a_frame_whose_answer_was_lost_is_not_carried_out_again(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    mcu = connect(rig)
    lost = lose_answers_to(rig.wire, frames.BuzzFrame, 2)
    mcu.buzz(20)
    rig.wait_said(lambda line: line == "buzz 0")
    while mcu.health().resends < 2:
        heard.next(Heartbeat)
    mcu.set_display(0, "fin")
    rig.wait_said(lambda line: line.startswith("row 0 fin"))
    assert len(lost) == 2
    assert rig.said.count("buzz 1") == 1


def test_after_a_restart_everything_is_told_and_shown_again(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    rig.do(f"tags 1 {A}")
    mcu = connect(rig, scan=SCAN)
    mcu.set_lamp(1, "amber")
    rig.wait_said(lambda line: line.startswith("pixels ff6000"))
    heard.next(Inventory, antenna=1, uids=(A,))
    rig.restart()
    rig.do(f"tags 2 {B}")
    heard.next(DeviceState, state="found", detail=f"{rig.path}: the board restarted")
    heard.next(DeviceState, state="ready")
    heard.next(Inventory, antenna=1, uids=())
    heard.next(Inventory, antenna=2, uids=(B,))
    rig.wait_said(lambda line: line.startswith("pixels ff6000"))
    assert mcu.health().restarts == 1
    rig.do("press 1")
    assert heard.next(Button, id=1).count == 1


def test_a_pi_that_comes_back_hears_the_levels_again(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    first = connect(rig)
    rig.do("press 2")
    heard.next(Button, id=2, pressed=True)
    first.close()
    connect(rig)
    again = heard.next(Button, id=2)
    assert (again.pressed, again.count, again.gap) == (True, 1, False)


def test_a_silent_reader_is_told_once_and_comes_back(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig()
    connect(rig, scan=SCAN)
    heard.next(Inventory, antenna=9)
    rig.do("reader 0 silent")
    heard.next(Fault, code="reader_silent")
    rig.do(f"tags 1 {A}", "reader 0 answers")
    heard.next(Inventory, antenna=1, uids=(A,))
    assert len(heard.drain(Fault)) == 1


def test_low_supply_and_a_broken_display_are_faults(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    rig = make_rig(supply={"adc": 28, "ratio": 2.0, "low_mv": 4600})
    mcu = connect(rig)
    rig.do("supply 4200")
    heard.next(Fault, code="supply_low", argument=4200)
    heard.next(Heartbeat, supply=4.2)
    rig.do("display broken")
    mcu.set_display(0, "hello")
    heard.next(Fault, code="display")


def test_broken_frames_are_counted_and_do_no_harm(make_rig: MakeRig, connect: Connect, heard: Heard) -> None:
    rig = make_rig()
    mcu = connect(rig)

    def down(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if isinstance(frame, frames.LampFrame) and len(broken) < 2:
            broken.append(seq)
            return [raw[:3] + bytes((raw[3] ^ 0x10 or 1,)) + raw[4:]]
        return [raw]

    broken: list[int] = []
    rig.wire.down = down
    mcu.set_lamp(1, "blue")
    rig.wait_said(lambda line: line.startswith("pixels 0000ff"))
    heard.next(Heartbeat, bad_frames=2)


def test_a_full_table_fits_in_the_memory_of_the_board(
    make_rig: MakeRig, connect: Connect, heard: Heard
) -> None:
    """An RP2040 has about 190 kB of heap and words of 32 bits; the rig has 256 kB, words of 64, and compiles in it."""
    rig = make_rig()
    mcu = connect(rig, scan=SCAN)
    for number in range(4):
        for antenna in (1, 2, 9):
            uids = [f"E0040150{number:02X}{antenna:02X}{tag:04X}" for tag in range(190)]
            rig.do(f"tags {antenna} " + " ".join(uids))
            heard.next(Inventory, antenna=antenna, uids=tuple(uids))
        mcu.set_display(0, f"tour {number} " * 4)
        rig.wait_said(lambda line: line.startswith("row 0 tour"))
    assert heard.drain(Fault) == []
