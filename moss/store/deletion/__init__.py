"""Deleting: what has expired, and what somebody asks to have erased."""
