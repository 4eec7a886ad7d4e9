"""The rules engine: what happened at the table in, rulings and next acts out.

Pure: no clock, no input or output, no randomness. ``machine.step`` takes one event,
``machine.expects`` tells the next physical acts, ``machine.replay`` runs a whole journal.
"""
