"""`moss worker`: does jobs for a server, on its machine or another."""

from __future__ import annotations

import click

from moss.cli.server.settings import server_options
from moss.config import Config
from moss.messages import ngettext


@click.command()
@server_options(pages=False)
@click.option("--companion", is_flag=True, hidden=True, help="Stop when standard input ends.")
def worker(config: Config, companion: bool) -> None:
    """Do a server's background jobs: read uploads, compare, send notices.

    `moss serve` runs one worker itself. On other machines, use the same settings as for the server; they only need the
    database in common. It stops on SIGTERM or Ctrl-C, and another worker takes over its jobs.

    \b
        moss worker --database-url postgresql://moss@db/moss --workers 2
    """
    from moss.cli.server.child_processes import Tether

    tether = Tether() if companion else None
    from frontends import every_frontend
    from moss.cli.server.connect import open_store
    from moss.cli.server.private_files import warn_of_open_files
    from moss.jobs.worker import run_worker
    from moss.server_jobs import JOB_PROCESS, register_jobs

    every_frontend()  # a front end that cannot be loaded is reported now, not by the first job
    register_jobs()
    open_store(config).close()
    if not companion:
        warn_of_open_files(config.data)
        click.echo(
            ngettext(
                "Working on %(num)s job at a time, and on short ones in between.",
                "Working on %(num)s jobs at a time, and on short ones in between.",
                config.workers,
            )
        )
    run_worker(config, JOB_PROCESS, until=tether.wait if tether else None)
