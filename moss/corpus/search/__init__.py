"""Questions about one document."""
