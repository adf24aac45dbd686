"""Courses, their members and assignments, and the audit log."""
