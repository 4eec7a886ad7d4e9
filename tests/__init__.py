"""The tests; a package of its own, so that no installed one of the same name is taken for it."""
