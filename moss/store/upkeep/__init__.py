"""Upkeep of the database: its schema, backups, and whether it is damaged."""
