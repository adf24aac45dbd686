"""Uploads and drops, the submissions that were recognised in them, and their texts."""
