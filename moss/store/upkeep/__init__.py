"""The database itself: its schema, copies of it, whether it is whole."""
