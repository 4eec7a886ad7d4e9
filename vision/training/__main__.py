"""Render, train, write the models: `python -m vision.training` (`make train`)."""

from __future__ import annotations

import argparse
import logging
import shutil
from pathlib import Path

import numpy as np
import torch

from vision.training.learn import export, train_finder, train_index, train_reader
from vision.training.shards import render_close, render_shard

MODELS = Path(__file__).resolve().parent.parent / "models"
MINUTES = {"reader": 38.0, "index": 20.0, "finder": 38.0}
"""On two cores; with the rendering (under 20 minutes) under two hours."""
CLOSE_SEED = 400
"""Of the first file of single cards, above the first shard's."""


def main() -> None:
    """Train what is asked for and copy the ONNX files into `vision/models`."""
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    parser.add_argument("what", nargs="*", default=["reader", "index", "finder"], help="networks to train")
    parser.add_argument("--folder", type=Path, default=Path("build/training"), help="art, shards, weights")
    parser.add_argument("--seed", type=int, default=0, help="first shard's seed")
    parser.add_argument("--shards", type=int, default=12, help="shards of 800 scenes")
    parser.add_argument("--scenes", type=int, default=800, help="scenes in a shard")
    parser.add_argument("--close", type=int, default=4, help="files of single cards, for the reader")
    parser.add_argument("--cards", type=int, default=12_000, help="single cards in a file")
    parser.add_argument("--minutes", type=float, help="for each network, other than its own time")
    parser.add_argument("--threads", type=int, default=2, help="processor threads")
    parser.add_argument("--resume", action="store_true", help="go on from the weights in the folder")
    parser.add_argument("--dry", action="store_true", help="leave vision/models as it is")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(options.threads)
    options.folder.mkdir(parents=True, exist_ok=True)
    # Every other shard without the smallest cards: the suits of the black ones are learnt there.
    files = [
        render_shard(options.folder, options.seed + n, options.scenes, least=26.0 if n % 2 == 0 else 20.0)
        for n in range(options.shards)
    ]
    shards = [np.load(file) for file in files]
    numbers = range(options.close if "reader" in options.what else 0)
    close = [
        np.load(render_close(options.folder, options.seed + CLOSE_SEED + n, options.cards)) for n in numbers
    ]
    for what in options.what:
        weights = options.folder / f"{what}.pt"
        target = options.folder / f"{what}.onnx"
        minutes = options.minutes if options.minutes is not None else MINUTES[what]
        logging.info("training the %s for %.0f minutes", what, minutes)
        if what == "reader":
            reader = train_reader([*shards, *close], minutes, options.seed, weights, options.resume)
            export(reader, target, (96, 64), ["kind", "rank", "suit", "features"])
        elif what == "index":
            index = train_index(shards, minutes, options.seed, weights, options.resume)
            export(index, target, (48, 36), ["rank", "suit"])
        else:
            finder = train_finder(shards, minutes, options.seed, weights, options.resume)
            export(finder, target, (288, 288), ["maps"])
        if not options.dry:
            shutil.copy(target, MODELS / target.name)


if __name__ == "__main__":
    main()
