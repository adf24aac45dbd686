"""Runs, their reports, and what people decided about the pairs."""
