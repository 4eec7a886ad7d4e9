"""A poker table simulated at the far end of its wires; it imports nothing of the product."""
