"""truth.jsonl: everything that truly happened at the simulated table, one JSON object a line.

Every line has `t` (virtual seconds, rounded to 0.1 ms) and `what`; the rest depends on what happened. It names
face-down cards, so it must never reach the product.

Does not model: what anybody thought, saw or said unless it moved something.
"""

import json
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TextIO

_KEPT: Final = 20000


class TruthLog:
    """What happened: all of it in a file, if wanted, and the latest of it in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self.lines: deque[dict[str, Any]] = deque(maxlen=_KEPT)
        self._file: TextIO | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8")

    def add(self, t: float, what: str, **facts: Any) -> None:
        """Write down that something happened at a virtual time."""
        line = {"t": round(t, 4), "what": what, **facts}
        self.lines.append(line)
        if self._file is not None:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if what == "hand_end":
                self._file.flush()

    def close(self) -> None:
        """Finish the file. Closing twice is the same."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> "TruthLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
