"""One module for each kind of job: the function that does it, and what follows from its end."""
