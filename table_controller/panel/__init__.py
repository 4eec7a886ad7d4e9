"""The button panel as a screen of its own: two lines, lamps and any subset of the buttons lead as the page does."""
