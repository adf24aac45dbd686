"""All kinds of jobs that a server knows, put together above `moss.jobs` and `moss.wire`.

Each process of a server registers them when it starts. Run as a program, this module is the process that does the jobs
of a worker: `moss.jobs.job_process`, with these kinds.
"""

from __future__ import annotations

import sys

from moss.jobs import job_process
from moss.jobs.handlers.corpus_archiving import add_to_corpus, after_add_to_corpus
from moss.jobs.handlers.course_archives import export, import_archive
from moss.jobs.handlers.deletion import delete_expired_data
from moss.jobs.handlers.notices import after_notify, after_run, notify
from moss.jobs.handlers.passage_index import index, reindex
from moss.jobs.handlers.recognition import after_recognition, recognise
from moss.jobs.handlers.run import run
from moss.jobs.ledger import JobKind, register
from moss.wire.drop_job import after_drop, compare_drop

JOB_PROCESS = (sys.executable, "-P", "-m", "moss.server_jobs")  # -P: nothing is imported from the current folder


def register_jobs() -> None:
    """Register all kinds of jobs in this process; a new kind is one more line here."""
    register(
        JobKind("drop", compare_drop, after_drop),
        JobKind("export", export),
        JobKind("forget", delete_expired_data, on_full_disk=True),
        JobKind("import", import_archive),
        JobKind("index", index),
        JobKind("notify", notify, after_notify, on_full_disk=True),
        JobKind("recognise", recognise, after_recognition),
        JobKind("reindex", reindex),
        JobKind("run", run, after_run),
        JobKind("sample", recognise, after_recognition),
        JobKind("shelve", add_to_corpus, after_add_to_corpus),
    )


if __name__ == "__main__":
    register_jobs()
    job_process.main()
