"""No second card by a resend, a restart or a lost answer, however often; and no movement without permission."""

import pytest
from firmware_campaign import Campaign


def _campaign(feeds: int, seed: int) -> Campaign:
    campaign = Campaign(seed, line_faults=0.08, restarts=0.08, mishaps=0.02)
    for command_id in range(1, feeds + 1):
        campaign.feed(command_id)
    campaign.finish()
    assert campaign.excess == []
    assert campaign.unarmed == []
    assert campaign.known == feeds == len(campaign.cards)
    return campaign


def test_a_quiet_line_feeds_every_card_once() -> None:
    campaign = Campaign(1, line_faults=0.0, restarts=0.0, mishaps=0.0, echoes=0.0)
    for command_id in range(1, 201):
        campaign.feed(command_id)
    campaign.finish()
    assert set(campaign.cards.values()) == {1}
    assert (campaign.excess, campaign.unarmed, campaign.repeats) == ([], [], 0)


def test_a_thousand_feeds_under_faults() -> None:
    campaign = _campaign(1000, 2)
    # the faults really struck, and most cards came all the same
    assert campaign.faults > 500
    assert campaign.restarts > 30
    assert campaign.cuts > 3
    assert campaign.pi_restarts > 5
    assert campaign.repeats > 20
    assert campaign.echoes > 20
    assert campaign.lates > 20
    assert sum(campaign.cards.values()) > 900


def test_the_judge_sees_a_shoe_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same campaign on a shoe without its memory of ids: the count of cards finds it out."""
    from firmware.shoe import Shoe

    monkeypatch.setattr(Shoe, "_note", lambda self, command_id: None)
    campaign = Campaign(3, line_faults=0.08, restarts=0.08, mishaps=0.0)
    for command_id in range(1, 301):
        campaign.feed(command_id)
    campaign.finish()
    assert campaign.excess


@pytest.mark.faults
def test_a_hundred_thousand_feeds_under_faults() -> None:
    total = sum(sum(_campaign(10_000, seed).cards.values()) for seed in range(100, 110))
    assert total > 90_000
