"""Runs, what they found, and what people decided about it."""
