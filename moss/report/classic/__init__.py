"""Results in the form of MOSS's historical pages."""
