"""Pages for people, one module for each part of the app."""
