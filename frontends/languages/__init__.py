"""One module for each language or family of languages."""
