"""Courses, their members and assignments, and what was done in them."""
