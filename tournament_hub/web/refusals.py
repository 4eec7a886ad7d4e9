"""Says why something was not done, with what to do instead; where a person may pass the block, it asks him for the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tournament_hub.errors import HubError
from webkit.language import Catalogue
from webkit.pages import Site, Visitor

REASONS: Final = ("agreed", "seen", "time", "mistake")
"""Short reasons for passing a block, so that one tap is enough; anything else is typed."""
_BLOCK_OF: Final[Mapping[str, str]] = {
    "too-few": "start",
    "several": "finish",
    "others-play": "runout",
    "no-rebuy": "rebuy",
    "no-add-on": "add_on",
}
_CONFIRMED: Final = frozenset(("own-table",))
"""What may be done all the same by saying so again."""


class Again(Struct, frozen=True):
    """What was refused, to be done once the block is passed: where the form goes, and its fields."""

    address: str
    fields: Mapping[str, str]


class Refusals:
    """Makes the answer to a refused decision.

    Args:
        site: asked for only when a page is shown.
    """

    def __init__(self, site: Callable[[], Site]) -> None:
        self._site = site

    def back(self, address: str) -> Response:
        """It was done: show the page again."""
        return RedirectResponse(address, status_code=303)

    def page(
        self,
        request: Request,
        visitor: Visitor,
        refused: HubError,
        back: str,
        again: Again | None = None,
        *,
        code: str | None = None,
    ) -> Response:
        """It was not done (409): why, and the way back; ``again``: it may be done after all, with a reason."""
        block = block_of(refused)
        return self._site().page(
            request,
            visitor,
            "refused.html",
            409,
            text=self.text(code or refused.code, visitor.language),
            where=refused.where,
            back=back,
            again=again if block is not None or refused.code in _CONFIRMED else None,
            block=block,
            reasons=REASONS,
        )

    def text(self, code: str, language: str) -> str:
        """Why it was not done, in the reader's words; what has no words of its own is told as out of date."""
        known = [name for name in (f"refused.{code}", f"money.refused.{code}") if name in floor_texts()]
        return self._site().text(language, known[0] if known else "refused.other")


def block_of(refused: HubError) -> str | None:
    """The block that a person may pass with a reason; None: this cannot be passed."""
    block = _BLOCK_OF.get(refused.code)
    return f"runout:{refused.where}" if block == "runout" else block


@cache
def floor_texts() -> Catalogue:
    """The texts of the director's pages: table, history, calls, refusals."""
    return Catalogue(Path(__file__).parents[1] / "locales" / "floor")
