"""What a tournament is, as pure functions over plain values: no thread, no file, no clock, no randomness of their own."""
