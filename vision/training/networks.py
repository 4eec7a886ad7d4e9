"""The three networks, small enough for a Raspberry Pi."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from vision.training.samples import MAPS


def _conv(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    """Two convolutions and the way around them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Add what the two convolutions find to what came in."""
        return functional.relu(x + self.second(self.first(x)))


def _grown(width: int) -> _Residual:
    """Make a block that changes nothing until it has learnt: a trained network may get one and go on."""
    block = _Residual(width)
    last = block.second[1]
    if isinstance(last, nn.BatchNorm2d):
        nn.init.zeros_(last.weight)
    return block


class Finder(nn.Module):
    """Where cards and corner indices are: 13 maps at a quarter of the picture's size."""

    def __init__(self) -> None:
        super().__init__()
        self.s4 = nn.Sequential(_conv(3, 16, 2), _conv(16, 24, 2), _Residual(24))
        self.s8 = nn.Sequential(_conv(24, 48, 2), _Residual(48))
        self.s16 = nn.Sequential(_conv(48, 64, 2), _Residual(64), _Residual(64))
        self.s32 = nn.Sequential(_conv(64, 96, 2), _Residual(96), _Residual(96))
        self.to16, self.from16 = nn.Conv2d(96, 48, 1), nn.Conv2d(64, 48, 1)
        self.to8, self.from8 = _conv(48, 40), nn.Conv2d(48, 40, 1)
        self.to4, self.from4 = _conv(40, 32), nn.Conv2d(24, 32, 1)
        self.narrow = nn.Conv2d(40, 32, 1)
        self.head = nn.Sequential(_conv(32, 32), nn.Conv2d(32, MAPS, 1))
        last = self.head[1]
        if isinstance(last, nn.Conv2d) and last.bias is not None:
            nn.init.constant_(last.bias[0:1], -4.0)
            nn.init.constant_(last.bias[7:8], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        """Give the maps (heat as logits)."""
        four = self.s4(x - 0.5)
        eight = self.s8(four)
        sixteen = self.s16(eight)
        deep = self.to16(self.s32(sixteen))
        deep = self.from16(sixteen) + functional.interpolate(deep, scale_factor=2.0, mode="nearest")
        deep = self.from8(eight) + functional.interpolate(self.to8(deep), scale_factor=2.0, mode="nearest")
        deep = self.from4(four) + functional.interpolate(self.narrow(deep), scale_factor=2.0, mode="nearest")
        out: Tensor = self.head(deep)
        return out


class Reader(nn.Module):
    """What an upright crop (64 × 96) shows: kind, rank, suit, and its features for enrolled decks."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 24, 2), _conv(24, 24), _conv(24, 48, 2), _Residual(48), _conv(48, 72, 2), _Residual(72), _conv(72, 96, 2)
        )  # fmt: skip
        self.middle, self.last = _grown(72), _grown(96)
        self.features = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(96 * 4 * 6, 128), nn.ReLU())
        self.kind, self.rank, self.suit = nn.Linear(128, 3), nn.Linear(128, 14), nn.Linear(128, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Give logits of kind, rank and suit, and the features."""
        small = self.body[6](self.middle(self.body[:6](x - 0.5)))
        features = self.features(self.last(small))
        return self.kind(features), self.rank(features), self.suit(features), features


class IndexReader(nn.Module):
    """What a corner patch (36 × 48) shows: rank (13 is none) and suit."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16), _conv(16, 32, 2), _conv(32, 32), _conv(32, 48, 2), _Residual(48), _conv(48, 80, 2)
        )
        self.features = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(80 * 5 * 6, 96), nn.ReLU())
        self.rank, self.suit = nn.Linear(96, 14), nn.Linear(96, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Give logits of rank and suit."""
        features = self.features(self.body(x - 0.5))
        return self.rank(features), self.suit(features)
