"""One module for each kind of job: the function that does it, and the one that is called when such a job has ended."""
