"""Training loops, and the ONNX files that they end in."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detect.geometry import CARD_WIDTH_MM
from vision.training.names import BACK, FACE, Floats, Image
from vision.training.networks import Finder, IndexReader, Reader
from vision.training.vary import quarter_turns, vary_crops, vary_scenes

log = logging.getLogger(__name__)

PATCH_MM = 20.0
"""What the index patch's width shows of a card with an ordinary index, millimetres."""
KEPT_MEAN = 0.998
"""Of the mean of the latest weights, what each step keeps: it looks back over some 500 steps."""
RATE, RESUMED = 2e-3, 1e-3
"""Highest rate of learning of a first run, and of one that goes on."""
ADDED = ("middle.", "last.")
"""Blocks that a network trained before they existed goes on with: they change nothing until they have learnt."""

Loss = Callable[[nn.Module, np.ndarray], Tensor]


def short_numbers() -> bool:
    """Say whether this processor multiplies 16-bit numbers (then training takes half the time)."""
    facts = Path("/proc/cpuinfo")
    return facts.exists() and "avx512_bf16" in facts.read_text(encoding="utf-8")


def _input(images: Image) -> Tensor:
    tensor = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
    return tensor.contiguous(memory_format=torch.channels_last)


def _fit(
    network: nn.Module,
    count: int,
    batch: int,
    minutes: float,
    rate: float,
    loss_of: Loss,
    seed: int,
    keep: Path,
) -> None:
    """Train for a time, one cycle of the rate; the mean of the latest weights is kept every minute.

    The time is that of this program's own work, so that a busy machine, or a pause, costs no training. The network
    ends as the mean of its latest weights, which errs less than any one of them.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network.to(memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    rules = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02)
    mean = {name: value.detach().clone() for name, value in network.state_dict().items()}
    start, spoken, steps, total = time.thread_time(), 0.0, 0, 0.0
    order = rng.permutation(count)
    place, short = 0, short_numbers()
    while (spent := (time.thread_time() - start) / 60) < minutes:
        part = spent / minutes
        now = rate * min(1.0, part / 0.06 + 0.02) * (0.5 + 0.5 * float(np.cos(np.pi * part))) + 1e-6
        for group in rules.param_groups:
            group["lr"] = now
        if place + batch > count:
            order, place = rng.permutation(count), 0
        with torch.autocast("cpu", torch.bfloat16, enabled=short):
            loss = loss_of(network, np.sort(order[place : place + batch]))
        place += batch
        rules.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        rules.step()
        steps += 1
        _follow(mean, network, min(KEPT_MEAN, (1 + steps) / (10 + steps)))
        told = float(loss.detach())
        total = told if total == 0 else total * 0.98 + told * 0.02
        if spent - spoken > 1.0:
            spoken = spent
            log.info(
                "%.1f min, %d steps (%.1f passes), loss %.4f", spent, steps, steps * batch / count, total
            )
            torch.save(mean, keep)
    network.load_state_dict(mean)
    network.eval()


def _follow(mean: dict[str, Tensor], network: nn.Module, kept: float) -> None:
    """Move the mean of the weights a little towards what they are now."""
    with torch.no_grad():
        for name, value in network.state_dict().items():
            if value.is_floating_point():
                mean[name].lerp_(value, 1 - kept)
            else:
                mean[name].copy_(value)


def _named(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy over the labelled (label −1 is left out)."""
    return functional.cross_entropy(
        logits, labels, ignore_index=-1, reduction="sum", label_smoothing=0.02
    ) / len(labels)


def train_reader(shards: Sequence[Any], minutes: float, seed: int, keep: Path, resume: bool) -> Reader:
    """Train the reader of whole crops.

    Args:
        shards: Those of scenes and those of single cards.
        minutes: For how long.
        seed: Of the order and the variation.
        keep: File for the weights.
        resume: Go on from that file.
    """
    images = np.concatenate([shard["crop"] for shard in shards])
    labels = torch.from_numpy(np.concatenate([shard["crop_label"] for shard in shards]).astype(np.int64))
    network = Reader()
    _restore(network, keep if resume else None)
    rng = np.random.default_rng((seed, 1))

    def loss(model: nn.Module, chosen: np.ndarray) -> Tensor:
        kind, rank, suit, _ = model(_input(vary_crops(images[chosen], rng, CARD_WIDTH_MM, turn=True)))
        wanted = labels[chosen]
        return _named(kind, wanted[:, 0]) + _named(rank, wanted[:, 1]) + _named(suit, wanted[:, 2])

    _fit(network, len(images), 96, minutes, RESUMED if resume else RATE, loss, seed, keep)
    kinds = labels[:, 0].numpy()
    in_scenes = np.concatenate([np.full(len(shard["crop_label"]), "scene" in shard) for shard in shards])
    lean_to_backs(network, kinds, kinds[in_scenes])
    return network


def lean_to_backs(network: Reader, learnt: np.ndarray, met: np.ndarray) -> None:
    """Take out of the reader what it leans to faces because it was taught more of them than scenes have.

    Args:
        network: Trained.
        learnt: Kinds of everything it was taught.
        met: Kinds of what scenes show.
    """
    odds = [float((kinds == FACE).sum() + 1) / float((kinds == BACK).sum() + 1) for kinds in (learnt, met)]
    with torch.no_grad():
        network.kind.bias[FACE] -= float(np.log(odds[0] / odds[1]))


def train_index(shards: Sequence[Any], minutes: float, seed: int, keep: Path, resume: bool) -> IndexReader:
    """Train the reader of corner indices."""
    images = np.concatenate([shard["patch"] for shard in shards])
    labels = torch.from_numpy(np.concatenate([shard["patch_label"] for shard in shards]).astype(np.int64))
    network = IndexReader()
    _restore(network, keep if resume else None)
    rng = np.random.default_rng((seed, 2))

    def loss(model: nn.Module, chosen: np.ndarray) -> Tensor:
        rank, suit = model(_input(vary_crops(images[chosen], rng, PATCH_MM, turn=False)))
        wanted = labels[chosen]
        return _named(rank, wanted[:, 0]) + _named(suit, wanted[:, 1])

    _fit(network, len(images), 128, minutes, RESUMED if resume else RATE, loss, seed, keep)
    return network


def _peaks(logits: Tensor, heat: Tensor) -> Tensor:
    """Focal loss of a map of peaks."""
    probability = logits.sigmoid().clamp(1e-4, 1 - 1e-4)
    at_peak = heat.eq(1).float()
    hit = -((1 - probability) ** 2) * probability.log() * at_peak
    miss = -((1 - heat) ** 4) * probability**2 * (1 - probability).log() * (1 - at_peak)
    return (hit.sum() + miss.sum()) / at_peak.sum().clamp(min=1)


def train_finder(shards: Sequence[Any], minutes: float, seed: int, keep: Path, resume: bool) -> Finder:
    """Train the finder of cards and indices."""
    images = np.concatenate([shard["scene"] for shard in shards])
    maps: Floats = np.concatenate([shard["maps"] for shard in shards])
    weights: Floats = np.concatenate([shard["weights"] for shard in shards])
    network = Finder()
    _restore(network, keep if resume else None)
    rng = np.random.default_rng((seed, 3))

    def loss(model: nn.Module, chosen: np.ndarray) -> Tensor:
        scenes, turned, counted = quarter_turns(
            vary_scenes(images[chosen], rng),
            maps[chosen].astype(np.float32),
            weights[chosen].astype(np.float32),
            int(rng.integers(4)),
        )
        wanted, counts = torch.from_numpy(turned), torch.from_numpy(counted)
        out = model(_input(scenes)).float()
        heat = _peaks(out[:, 0], wanted[:, 0]) + _peaks(out[:, 7], wanted[:, 7])
        numbers = out.new_zeros(())
        for which, (first, last) in enumerate(((1, 7), (8, 13))):
            off = functional.smooth_l1_loss(
                out[:, first:last], wanted[:, first:last], reduction="none", beta=0.1
            )
            weight = counts[:, which : which + 1]
            numbers = numbers + (off * weight).sum() / weight.sum().clamp(min=1)
        total: Tensor = heat + numbers
        return total

    _fit(network, len(images), 12, minutes, RESUMED if resume else RATE, loss, seed, keep)
    return network


def _restore(network: nn.Module, start: Path | None) -> None:
    if start is None or not start.exists():
        return
    known = torch.load(start, weights_only=True)
    fresh = {name: value for name, value in network.state_dict().items() if name.startswith(ADDED)}
    network.load_state_dict({**fresh, **known})


def export(network: nn.Module, target: Path, example: tuple[int, int], names: list[str]) -> None:
    """Write a network as ONNX (any number of crops, any size of picture) beside its weights."""
    network.eval()
    torch.save(network.state_dict(), target.with_suffix(".pt"))
    axes = {0: "n", 2: "rows", 3: "columns"} if names == ["maps"] else {0: "n"}
    dynamic = {"image": axes, **{name: axes if name == "maps" else {0: "n"} for name in names}}
    torch.onnx.export(
        network.cpu(),
        (torch.zeros(1, 3, *example),),
        str(target),
        input_names=["image"],
        output_names=names,
        dynamic_axes=dynamic,
        opset_version=17,
        dynamo=False,
    )
    _halve(target)


def _halve(file: Path) -> None:
    """Keep large weights as 16-bit numbers, widened when the network is opened: half the size.

    The arithmetic stays in 32 bits; the readers' answers do not change.
    """
    model = onnx.load(str(file))
    casts = []
    for weight in model.graph.initializer:
        values = onnx.numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 512:
            continue
        name = weight.name
        weight.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
    onnx.save(model, str(file))
