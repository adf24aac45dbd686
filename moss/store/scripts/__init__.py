"""Submissions that scripts send, without naming a course for them."""
