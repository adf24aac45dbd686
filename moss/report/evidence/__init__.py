"""Evidence: one pair as a single file for a hearing."""
