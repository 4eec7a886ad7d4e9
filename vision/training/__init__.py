"""Training of the networks in `vision/models`: never imported when a table runs.

`python -m vision.training` (or `make train`) fetches the card art, renders, trains and writes the
models and their figures. Needs the `train` extra, `npm` and `rsvg-convert`.
"""
