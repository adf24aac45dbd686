"""`moss admin backup`: a copy of the embedded database, while the server goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from moss.cli.admin import Console


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup(console: Console, file: Path) -> None:
    """Copy everything that the server knows into FILE, while it goes on.

    \b
        moss admin --data /var/lib/moss backup /var/backups/moss-2026-11-16.sqlite3

    To restore: stop the server, put the file in the place of moss.sqlite3 in the data folder, remove moss.sqlite3-wal
    and moss.sqlite3-shm, and start the server. A database on PostgreSQL is backed up with pg_dump.
    """
    from moss.store.backing import BackupError, back_up

    if not console.store.is_sqlite:
        raise click.ClickException("this server's database is on PostgreSQL: back it up with pg_dump")
    try:
        size = back_up(console.config.data / "moss.sqlite3", file)
    except BackupError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{file}: {size / 1e6:.1f} MB")
