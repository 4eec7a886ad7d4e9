"""The tournament room: one process that hears every table, keeps its record exactly once, and shows the floor.

* ``hub.Hub``: starts and stops it all; ``hub.run`` is the program.
* ``config``: what a club sets, read once from one TOML file.
* ``link``: the MQTT line; its callbacks only put into a queue.
* ``room``: what a message means; no thread, no socket, time is handed in.
* ``streams``: each event of each table once, in order; what is missing is asked for.
* ``effects``: what is to be sent, shown and said after the commit.
* ``tables``: what the hub remembers of one table while it runs.
* ``store``: the record; every event of every table once, on the disk before it is acknowledged. ``store_events``: the
  tables' streams; ``store_database``, ``store_sqlite``, ``store_postgres``: where it lies; ``store_people``: names, how long
  each kind is kept; ``store_backup``.
* ``projection``: what a table's events say, as one small picture.
* ``wording``: the floor's log in French and English.
* ``web``: the floor page.
"""
