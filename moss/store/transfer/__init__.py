"""A whole course as an archive, and back."""
