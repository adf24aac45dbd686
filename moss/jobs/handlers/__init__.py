"""One module for each subject of jobs: the functions that do them, and those that are called when one has ended.

`moss.server_jobs` puts them together as kinds; `sample` has no kind's function, it only adds a job. The job of a drop
is `moss.wire.drop_job`.
"""
