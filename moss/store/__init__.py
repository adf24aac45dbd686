"""The store: what the server remembers. SQLite in a file, or PostgreSQL by its address."""

from moss.store.database import Store

__all__ = ["Store"]
