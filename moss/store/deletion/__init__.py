"""Deletion of data that has expired, or that somebody asks to have erased."""
