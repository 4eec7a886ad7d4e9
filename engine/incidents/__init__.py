"""Recognition: which incident an event is and which facts it has, one module per family."""
