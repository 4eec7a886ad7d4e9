"""Measurements: ratios and latencies taken in one run, never asserted by the tests."""
