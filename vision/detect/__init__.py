"""Cards in a picture: `find_cards(frame)` gives a `SeenCard` for each."""

from vision.detect.find import Region, find_cards
from vision.detect.seen import Frame, Quad, SeenCard

__all__ = ["Frame", "Quad", "Region", "SeenCard", "find_cards"]
