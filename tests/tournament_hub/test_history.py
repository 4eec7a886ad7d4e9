"""Hands out of the record: found by table and number, page by page, and nothing read that is not shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from table_controller import messages as m
from tournament_hub import store_history
from tournament_hub.store import Store, Verdict
from tournament_hub.store_history import PAGE, History, Place
from tournament_hub.web.refusals import floor_texts

UTC = "2024-05-01T20:00:00Z"
STACKS = {1: 20000, 4: 18000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    subject = Store(tmp_path / "hub.sqlite3")
    yield subject
    subject.close()


def offer(store: Store, *payloads: bytes, table: str = "t1") -> None:
    with store.transaction():
        for payload in payloads:
            assert store.offer(table, m.decode_event(payload), payload, UTC) is Verdict.RECORDED


def walked(history: History, table: str) -> list[tuple[str, int]]:
    """Every hand by turning the pages."""
    found: list[tuple[str, int]] = []
    place: Place | None = None
    while True:
        page = history.page(table, place)
        assert len(page.hands) <= PAGE
        found += [(each.life[0], each.hand) for each in page.hands]
        if page.next is None:
            return found
        place = page.next


def bodies(payloads: tuple[bytes, ...]) -> list[Any]:
    return [m.decode_event(payload).body for payload in payloads]


def test_pages_go_from_the_newest_hand_to_the_first_over_every_life(store: Store, streams: Callable) -> None:
    one, two = streams("a" * 32), streams("b" * 32)
    for _ in range(30):
        offer(store, *one.play_hand(STACKS))
    offer(store, *streams("c" * 32).play_hand(STACKS), table="t2")
    for _ in range(40):
        offer(store, *two.play_hand(STACKS))
    history = History(store)
    expected = [("b", n) for n in range(40, 0, -1)] + [("a", n) for n in range(30, 0, -1)]
    assert walked(history, "t1") == expected
    assert walked(history, "t2") == [("c", 1)]
    assert walked(history, "nowhere") == []
    assert history.page("t1", Place("z" * 32, 3)).hands == ()


def test_page_brings_the_events_of_its_hands_and_no_others(store: Store, streams: Callable) -> None:
    stream = streams()
    for _ in range(12):
        offer(store, *stream.play_hand(STACKS))
    page = History(store).page("t1", None, 4)
    assert [each.hand for each in page.hands] == [12, 11, 10, 9]
    assert page.payloads[stream.life] == tuple(stream.payloads[8 * 5 :])


def test_hand_is_found_with_corrections_and_what_is_beside_it(store: Store, streams: Callable) -> None:
    stream = streams()
    for _ in range(3):
        offer(store, *stream.play_hand(STACKS))
    after = (m.SeatStack(seat=1, entry="e1", stack=38000),)
    offer(store, stream.event(m.HandEnd(stacks=after), amends=15))
    offer(store, *stream.play_hand(STACKS))
    history = History(store)
    found = history.hand("t1", 3)
    assert found is not None and found.over and (found.before, found.after) == (2, 4)
    assert [type(body) for body in bodies(found.payloads)].count(m.HandEnd) == 2
    assert {m.decode_event(payload).hand for payload in found.payloads} >= {3}
    (newest, *_, oldest) = walked(history, "t1")
    assert (newest, oldest) == (("a", 4), ("a", 1))  # the amended hand stands once
    assert len(walked(history, "t1")) == 4
    assert history.hand("t1", 99) is None and history.hand("t9", 1) is None


def test_hand_that_runs_is_found_before_it_has_a_result(store: Store, streams: Callable) -> None:
    stream = streams()
    offer(store, *stream.play_hand(STACKS))
    running = stream.play_hand(STACKS)
    offer(store, *running[:3])
    found = History(store).hand("t1", 2)
    assert found is not None and not found.over and found.payloads == tuple(running[:3])
    assert (found.before, found.after) == (1, None)


def test_older_life_of_a_table_is_found_by_its_first_letters(store: Store, streams: Callable) -> None:
    old, new = streams("a" * 32), streams("b" * 32)
    offer(store, *old.play_hand(STACKS))
    offer(store, *new.play_hand({1: 1, 4: 2}))
    history = History(store)
    newest, older = history.hand("t1", 1), history.hand("t1", 1, "aaaaaaaa")
    assert newest is not None and newest.life == new.life
    assert older is not None and older.life == old.life
    assert history.hand("t1", 1, "cccc") is None


def test_events_of_the_same_transaction_are_found(store: Store, streams: Callable) -> None:
    payloads = streams().play_hand(STACKS)
    with store.transaction():
        for payload in payloads:
            store.offer("t1", m.decode_event(payload), payload, UTC)
        assert [each.hand for each in History(store).page("t1").hands] == [1]


def test_no_question_reads_ten_thousand_hands(store: Store, streams: Callable) -> None:
    """Every question goes through an index: the plan of SQLite says so for each statement, and pages stay small."""
    stream = streams()
    stream.play_hand(STACKS)
    with store.transaction():
        for payload in stream.payloads:
            store.offer("t1", m.decode_event(payload), payload, UTC)
    body = store.database.execute("SELECT body FROM results").fetchone()[0]
    events, results = [], []
    for hand in range(2, 10_001):
        for place, payload in enumerate(stream.payloads, start=1):
            seq = 5 * (hand - 1) + place
            named = payload.replace(b'"hand":1', b'"hand":%d' % hand)
            events.append(("t1", stream.life, seq, UTC, "", named))
        results.append(("t1", stream.life, 5 * hand, hand, 0, body.replace(b'"hand":1', b'"hand":%d' % hand)))
    with store.transaction():
        store.database.executemany(
            "INSERT INTO events (tbl, life, seq, received_utc, hash, payload) VALUES (?, ?, ?, ?, ?, ?)",
            events,
        )
        store.database.executemany(
            "INSERT INTO results (tbl, life, seq, hand, void, body) VALUES (?, ?, ?, ?, ?, ?)", results
        )
    asked: list[tuple[str, Any]] = []
    real = store.database.execute

    def listen(sql: str, values: Any = ()) -> Any:
        asked.append((sql, values))
        return real(sql, values)

    history = History(store)
    history._db = type("Listening", (), {"execute": staticmethod(listen)})()
    middle = history.hand("t1", 5_000)
    assert (
        middle is not None and len(middle.payloads) == 5 and (middle.before, middle.after) == (4_999, 5_001)
    )
    page = history.page("t1", Place(stream.life, 5 * 5_000))
    assert [each.hand for each in page.hands] == list(range(4_999, 4_999 - PAGE, -1))
    assert len(page.payloads[stream.life]) == 5 * PAGE
    assert asked
    for sql, values in asked:
        plan = [str(row[3]) for row in real("EXPLAIN QUERY PLAN " + sql, values)]
        assert plan and all("SCAN" not in step for step in plan), (sql, plan)


# -- the pages ------------------------------------------------------------------------------


def full_hand(stream: Any) -> list[bytes]:
    """A hand with a board, a ruling, a hand that was shown, and somebody who is out."""
    stream.hand += 1
    seats = tuple(m.SeatStack(seat=seat, entry=f"e{seat}", stack=1000) for seat in (1, 4, 7))
    level = m.Level(n=1, small_blind=50, big_blind=100)
    after = (seats[0], m.SeatStack(seat=4, entry="e4", stack=0), m.SeatStack(seat=7, entry="e7", stack=2000))
    told: list[m.EventBody] = [
        m.HandStart(hand=stream.hand, level=level, button=1, sb=4, bb=7, seats=seats),
        m.Incident(incident="card_exposed_in_deal", seats=(7,), cards=("2h",)),
        m.Ruling(
            ruling="card_replaced",
            incident="card_exposed_in_deal",
            rulebook="ropta",
            article="ROPTA x",
            seats=(7,),
        ),
        m.Action(seat=1, kind="fold"),
        m.Action(seat=4, kind="raise", to=1000, all_in=True),
        m.Action(seat=7, kind="call", to=1000, all_in=True),
        m.Board(street="flop", cards=("9h", "Td", None)),
        m.Board(street="turn", cards=("Qc",)),
        m.Board(street="river", cards=("3s",)),
        m.Tabled(seat=7, cards=("As", "Ad")),
        m.Award(pot=0, seats=(7,), amounts=(2000,)),
        m.HandEnd(stacks=after, busts=(m.Bust(entry="e4", start_stack=1000),)),
    ]
    return [stream.event(body) for body in told]


def test_any_hand_is_told_with_board_results_and_rulings(hubs: Callable, voices: Callable) -> None:
    hub, table = hubs(), voices()
    table.send(*table.stream.play_hand(STACKS), *full_hand(table.stream), *table.stream.play_hand(STACKS)[:2])
    table.wait_acked(19)
    page = httpx.get(hub.url + "/hands/t1/2").text
    for text in (
        "Table 1 · Main 2",
        "Carte du siège 7 morte",
        "ROPTA x",
        '<span class="face c">Q♣</span>',
        'title="carte non lue">?</span>',
        "siège 4 relance à 1\u202f000, à tapis",
        'href="/hands/t1/1"',
        "éliminé",
        "+1\u202f000",
        "−1\u202f000",
    ):
        assert text in page, text
    assert "Cette main se joue" in httpx.get(hub.url + "/hands/t1/3").text
    english = httpx.get(hub.url + "/hands/t1/2?lang=en").text
    assert "seat 4 raises to 1,000, all-in" in english and "See the rulebook" in english
    listed = httpx.get(hub.url + "/tables/t1/hands").text
    assert (
        "siège 7 : 2\u202f000".replace(" :", "\u00a0:") in listed
        and "§ 1" in listed
        and "e4 éliminé" in listed
    )


def test_hand_is_searched_by_table_and_number(hubs: Callable, voices: Callable) -> None:
    hub, table = hubs(), voices()
    table.send(*table.stream.play_hand(STACKS))
    table.wait_acked()
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        assert client.get("/hands?table=t1&hand=1").headers["location"] == "/hands/t1/1"
        assert client.get("/hands?table=t1").headers["location"] == "/tables/t1/hands"
        missing = client.get("/hands?table=t1&hand=77")
        assert missing.status_code == 404 and "Pas de main 77" in missing.text
        assert '<option value="t1">Table 1</option>' in client.get("/hands").text
        for path in (
            "/hands/t1/99",
            "/hands/nowhere/1",
            "/tables/nowhere/hands",
            "/hands/t1/1?life=x",
            "/hands/t1/x",
        ):
            assert client.get(path).status_code == 404, path


def test_pages_of_a_tables_hands_follow_each_other(hubs: Callable, voices: Callable) -> None:
    hub, table = hubs(), voices()
    for _ in range(60):
        table.send(*table.stream.play_hand(STACKS))
    table.wait_acked()
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        seen: list[int] = []
        address: str | None = "/tables/t1/hands"
        while address is not None:
            page = client.get(address).text
            seen += [int(n) for n in re.findall(r'<a href="/hands/t1/(\d+)">', page)]
            older = re.search(r'href="(/tables/t1/hands\?before=[^"]+)"', page)
            address = older[1] if older else None
        assert seen == list(range(60, 0, -1))


def test_hand_that_was_undone_says_so(hubs: Callable, voices: Callable) -> None:
    hub, table = hubs(), voices()
    hand = table.stream.play_hand(STACKS)
    undone = table.stream.event(m.Annulled(reason="undone"), amends=2)
    table.send(*hand, undone)
    table.wait_acked()
    page = httpx.get(hub.url + "/hands/t1/1").text
    assert "<s>siège 1 relance à 650</s>" in page


def test_every_text_of_the_directors_pages_is_used() -> None:
    folder = Path(store_history.__file__).parent
    files = [*folder.rglob("*.py"), *folder.rglob("*.html")]
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    built = (
        "hold.",
        "refused.",
        "reason.",
        "block.",
        "table.word.",
        "table.kind.",
        "table.breaking",
        "table.closed",
    )
    built = (*built, "call.kind.", "call.penalty.", "money.refused.", "money.block.", "moves.state.")
    assert [name for name in floor_texts() if name not in sources and not name.startswith(built)] == []
