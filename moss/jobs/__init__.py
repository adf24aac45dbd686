"""Jobs: work in the background, done once, even if workers die meanwhile.

This file imports nothing, because `moss.jobs.sandboxed_reader` runs without a database.
"""
