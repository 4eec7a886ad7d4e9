"""The floor page: every table as a tile, what needs a person, and the log in plain words."""
