"""Upkeep of the database: its schema, and whether it is damaged."""
