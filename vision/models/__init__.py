"""The trained networks (ONNX): `README.md` beside them says how they came about and what they can do."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import VisionError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FOLDER: Final = Path(__file__).resolve().parent
BATCH: Final = 32
"""Crops in one run: more needs memory and gains nothing on a small processor."""

Floats = npt.NDArray[np.float32]


class ModelMissing(VisionError):
    """A network's file is absent or cannot be read."""

    code = "model-missing"
    default_hint = "install maldonne again, or train with `make train`"


@functools.cache
def _session(name: str, threads: int) -> InferenceSession:
    """Open a network once per process."""
    # It would keep notes of its use in the user's home and send them to its maker: a table says nothing to strangers.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # here, for only who reads pictures pays for it

    file = FOLDER / f"{name}.onnx"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin would take the core that the table's program needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelMissing(f"the network {name!r} cannot be opened", where=str(file)) from error


def default_threads() -> int:
    """Give the threads that a network may take: half of the processor, at most two."""
    return max(1, min(2, (os.cpu_count() or 1) // 2))


def run(name: str, images: npt.NDArray[np.uint8], threads: int | None = None) -> Mapping[str, Floats]:
    """Run a network on pictures of one size.

    Args:
        name: `finder`, `reader` or `index`.
        images: n × rows × columns × blue, green, red.
        threads: Of the processor; None for `default_threads()`.

    Returns:
        The outputs by name, all n rows of them.

    Raises:
        ModelMissing: The network's file is not there.
    """
    session = _session(name, threads or default_threads())
    names = [output.name for output in session.get_outputs()]
    parts: list[list[Floats]] = []
    for start in range(0, len(images), BATCH):
        fed = cv2.dnn.blobFromImages(list(images[start : start + BATCH]), 1 / 255)
        parts.append(session.run(names, {"image": fed}))
    if len(parts) == 1:
        return dict(zip(names, parts[0], strict=True))
    return {output: np.concatenate([part[place] for part in parts]) for place, output in enumerate(names)}
