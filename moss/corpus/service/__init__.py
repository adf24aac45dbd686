"""A process that stays and answers questions about a corpus over HTTP, in JSON."""
