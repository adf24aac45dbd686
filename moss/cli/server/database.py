"""A server's database: opened with one sentence for the operator if that fails, backed up, and checked."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.messages import gettext

if TYPE_CHECKING:
    from moss.cli.server.admin import Console
    from moss.config import Config
    from moss.store import Store

_PAGES_AT_ONCE = 1000  # pages copied before others may write again


def open_store(config: Config) -> Store:
    """The store, migrated to the newest schema; never a new one where there was another before."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    from moss.store import Store
    from moss.store.accounts.first_admin import check_file
    from moss.store.database import StoreError

    if not config.database_url:
        _check_folder(config)
    try:
        if not config.database_url:
            check_file(config.data.absolute() / "moss.sqlite3")
        with contextlib.ExitStack() as if_it_fails:
            store = if_it_fails.enter_context(contextlib.closing(Store(config.database)))
            store.migrate()
            _check_whole(config, store)
            if_it_fails.pop_all()
            return store
    except StoreError as error:
        raise click.ClickException(str(error)) from None
    except (SQLAlchemyError, sqlite3.Error, UnicodeError) as error:  # UnicodeError if the schema itself is damaged
        where = make_url(config.database).render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise click.ClickException(
            gettext("the database %(where)s cannot be used: %(reason)s", where=where, reason=reason)
        ) from None
    except ValueError:  # the port is not a number
        raise click.ClickException(gettext("the database's address cannot be read")) from None


def _check_whole(config: Config, store: Store) -> None:
    """Raise StoreError if something is missing, as far as that can be seen without reading everything."""
    from moss.store.accounts.first_admin import check_accounts, is_founded, mark_set_up
    from moss.store.database import StoreError
    from moss.store.inspection import missing_parts

    missing = missing_parts(store)
    if missing:
        raise StoreError(gettext("the database is damaged: %(missing)s; restore it from a backup", missing=missing[0]))
    with store.reading() as session:
        founded = is_founded(session)
    check_accounts(config.data, founded)
    if founded:
        mark_set_up(config.data)


def _check_folder(config: Config) -> None:
    try:
        config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=config.data):
            pass
    except OSError as error:
        raise click.ClickException(
            gettext("the data folder %(data)s cannot be written: %(reason)s", data=config.data, reason=error.strerror)
        ) from None


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup(console: Console, file: Path) -> None:
    """Copy the server's database into FILE, while the server keeps running.

    \b
        moss admin --data /var/lib/moss backup /var/backups/moss-2026-11-16.sqlite3

    To restore: stop the server, replace moss.sqlite3 in the data folder with the file, delete moss.sqlite3-wal
    and moss.sqlite3-shm, and start the server. A database on PostgreSQL is backed up with pg_dump.
    """
    if not console.store.is_sqlite:
        raise click.ClickException(gettext("this server's database is on PostgreSQL: back it up with pg_dump"))
    try:
        size = back_up(console.config.data / "moss.sqlite3", file)
    except BackupError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{file}: {size / 1e6:.1f} MB")


class BackupError(ValueError):
    """A backup that cannot be made; the message is one sentence for the operator."""


def back_up(database: Path, copy: Path) -> int:
    """Copy a database, under a temporary name until the copy is complete; returns its size in bytes."""
    if copy.exists():
        raise BackupError(gettext("%(copy)s exists already; choose another name", copy=copy))
    partial = copy.with_name(f"{copy.name}.partial")
    try:
        _copy(database, partial)
        os.replace(partial, copy)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise BackupError(gettext("the backup %(copy)s cannot be written: %(error)s", copy=copy, error=error)) from None
    return copy.stat().st_size


def _copy(database: Path, copy: Path) -> None:
    copy.touch(mode=0o600, exist_ok=False)
    with contextlib.closing(sqlite3.connect(database)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=_PAGES_AT_ONCE)
        found = target.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(gettext("the copy is damaged (%(found)s)", found=found))


@click.command()
@click.pass_obj
def check(console: Console) -> None:
    """Check all of the server's data, and list what is damaged; the exit status is 1 if anything is.

    \b
        moss admin --data /var/lib/moss check

    This reads the whole database and looks at every corpus in the data folder. It changes nothing, and the server can
    keep running meanwhile.
    """
    from moss.corpus.storage.catalog import entries_in
    from moss.store.inspection import findings

    found = list(findings(console.store))
    found += [
        gettext("the corpus %(name)s: %(problem)s", name=each.name, problem=each.problem)
        for each in entries_in(console.config.data)
        if each.problem
    ]
    for each in found:
        click.echo(each)
    if found:
        raise click.ClickException(gettext("the data is damaged; restore it from a backup"))
    click.echo(gettext("Everything is fine."))
