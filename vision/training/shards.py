"""Rendered samples on disk: each shard has its seed, its own decks, and comes out the same again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.training.art import load
from vision.training.close import close_crop
from vision.training.decks import make_deck
from vision.training.samples import card_crops, contrast, finder_maps, index_crops
from vision.training.scenes import make_scene


def render_shard(folder: Path, seed: int, scenes: int, decks: int = 60, least: float = 20.0) -> Path:
    """Render one shard, unless it is there.

    Args:
        folder: Of the art and of the shards.
        seed: Of this shard; another seed gives other decks and other scenes.
        scenes: How many.
        decks: How many decks they are dealt from.
        least: Width of the narrowest card, pixels.

    Returns:
        The file: `scene`, `maps`, `weights`, `crop`, `crop_label`, `patch`, `patch_label`.
    """
    target = folder / f"shard-{seed}-{scenes}-{least:.0f}.npz"
    if target.exists():
        return target
    rng = np.random.default_rng(seed)
    art = load(folder)
    pack = [make_deck(art, rng) for _ in range(decks)]
    pictures, maps, weights = [], [], []
    crops, crop_labels, patches, patch_labels = [], [], [], []
    for _ in range(scenes):
        scene = make_scene(pack, rng, least=least)
        target_maps, target_weights = finder_maps(scene)
        pictures.append(scene.image)
        maps.append(target_maps.astype(np.float16))
        weights.append(target_weights.astype(np.float16))
        for crop, *label in card_crops(scene, rng):
            crops.append(contrast(crop, rng))
            crop_labels.append(label)
        for patch, *name in index_crops(scene, rng):
            patches.append(contrast(patch, rng))
            patch_labels.append(name)
    unfinished = target.with_suffix(".part.npz")
    np.savez(
        unfinished,
        scene=np.stack(pictures),
        maps=np.stack(maps),
        weights=np.stack(weights),
        crop=np.stack(crops),
        crop_label=np.array(crop_labels, np.int8),
        patch=np.stack(patches),
        patch_label=np.array(patch_labels, np.int8),
    )
    unfinished.replace(target)
    return target


def render_close(folder: Path, seed: int, cards: int, decks: int = 150) -> Path:
    """Render single small cards, courts and black suits above all, unless they are there.

    Args:
        folder: Of the art and of the shards.
        seed: Of this file; no shard's.
        cards: How many.
        decks: How many decks they are drawn from.

    Returns:
        The file: `crop`, `crop_label`.
    """
    target = folder / f"close-{seed}-{cards}.npz"
    if target.exists():
        return target
    rng = np.random.default_rng((seed, 5))
    art = load(folder)
    crops, labels = [], []
    for number in range(decks):
        deck = make_deck(art, rng)
        for _ in range(cards * number // decks, cards * (number + 1) // decks):
            crop, *label = close_crop(deck, rng)
            crops.append(crop)
            labels.append(label)
    unfinished = target.with_suffix(".part.npz")
    np.savez(unfinished, crop=np.stack(crops), crop_label=np.array(labels, np.int8))
    unfinished.replace(target)
    return target
