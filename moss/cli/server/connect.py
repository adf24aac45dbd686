"""Opening a server's store, with one sentence for the operator if that fails."""

from __future__ import annotations

import sqlite3
import tempfile

import click
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from moss.config import Config
from moss.messages import gettext
from moss.store import Store
from moss.store.accounts.first_admin import check_accounts, check_file, is_founded, mark_set_up
from moss.store.database import StoreError
from moss.store.inspection import missing_parts


def open_store(config: Config) -> Store:
    """The store, migrated to the newest schema; never a new one where there was another before."""
    if not config.database_url:
        _check_folder(config)
    try:
        if not config.database_url:
            check_file(config.data.absolute() / "moss.sqlite3")
        store = Store(config.database)
        store.migrate()
        _check_whole(config, store)
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
    return store


def _check_whole(config: Config, store: Store) -> None:
    """Raise StoreError if something is missing, as far as that can be seen without reading everything."""
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
