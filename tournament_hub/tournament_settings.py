"""A tournament's settings as the configuration file says them, in the form that its logic takes."""

from __future__ import annotations

from table_controller import messages as m
from tournament_hub.config import TournamentSetting
from tournament_hub.logic import clock as clocks
from tournament_hub.logic.seating import Chance
from tournament_hub.logic.state import Settings


def settings_of(ident: str, setting: TournamentSetting) -> Settings:
    """The settings of one tournament of the file.

    Args:
        ident: its name in the file and in topics.
        setting: its part of the file.
    """
    stages, number = [], 0
    for row in setting.levels:
        level = None
        if row.small_blind is not None and row.big_blind is not None:
            number += 1
            ante = m.Ante(kind=row.ante.kind, amount=row.ante.amount)
            level = m.Level(n=number, small_blind=row.small_blind, big_blind=row.big_blind, ante=ante)
        stages.append(clocks.Stage(60.0 * row.minutes, level, row.colour_up))
    return Settings(
        tournament=ident,
        title=setting.title,
        rulebook=setting.rulebook,
        capacity=setting.seats,
        starting_stack=setting.starting_stack,
        seed=setting.seed,
        final_seats=setting.final_seats,
        places_paid=setting.places_paid,
        re_entries=setting.re_entries,
        rebuys=setting.rebuys,
        rebuy_stack=setting.rebuy_stack,
        add_on=setting.add_on,
        add_on_stack=setting.add_on_stack,
        smallest_chip=setting.smallest_chip,
        limit=setting.limit,
        stages=tuple(stages),
        automatic=setting.automatic,
        tables_confirm=True,
        break_order=order_of(setting),
    )


def order_of(setting: TournamentSetting) -> tuple[str, ...]:
    """In which order the tables of the file will be broken; empty: in the order in which they join."""
    tables = (*setting.tables, *setting.without_device)
    match setting.break_order:
        case "listed":
            return ()
        case "reversed":
            return tuple(reversed(tables))
        case "drawn":
            return tuple(Chance(f"{setting.seed}/break_order").shuffled(tables))
        case named:
            return named
