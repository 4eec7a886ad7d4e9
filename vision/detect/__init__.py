"""Cards in a picture: `find_cards(frame)` gives a `SeenCard` for each."""

from vision.detect.find import Region, draw, find_cards
from vision.detect.seen import Frame, Quad, SeenCard

__all__ = ["Frame", "Quad", "Region", "SeenCard", "draw", "find_cards"]
