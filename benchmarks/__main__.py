"""`make bench`: run the measurements and print their figures."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import engine_against_pokerkit, hub_store, table_latency, tournament_campaign

HANDS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "phh" / "hands"


def main() -> int:
    """Run what can be run here; say what was left out and why."""
    if HANDS.is_dir():
        engine_against_pokerkit.main(HANDS)
    else:
        print("engine against PokerKit: left out, no recorded hands beside the project")
    table_latency.main()
    hub_store.main()
    tournament_campaign.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
