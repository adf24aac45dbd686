"""Ids for scripts that speak MOSS's protocol, issued and revoked from the console: commands of `moss admin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moss.messages import gettext, marked

if TYPE_CHECKING:
    from moss.cli.server.admin import Console

_ACTOR = "moss admin"


@click.command("add-moss-user")
@click.argument("name")
@click.option("--id", "number", default="", metavar="TEXT", help="The id, if scripts already contain one.")
@click.option("--jobs-per-day", type=int, metavar="N", help="Jobs allowed per day, instead of the server's limit.")
@click.pass_obj
def add_moss_user(console: Console, name: str, number: str, jobs_per_day: int | None) -> None:
    """Issue an id to NAME, for scripts that speak MOSS's protocol, and print it."""
    from moss.store.accounts.senders import issue
    from moss.store.courses.audit import add_audit_entry

    with console.session() as session:
        sender = issue(session, name, number, jobs_per_day)
        add_audit_entry(session, _ACTOR, "issued an id for scripts", number=sender.number, name=sender.name)
    click.echo(sender.number)


@click.command("list-moss-users")
@click.pass_obj
def list_moss_users(console: Console) -> None:
    """List the ids that were issued, with links to their jobs."""
    from moss.cli.table import print_table
    from moss.store.accounts.senders import issued

    with console.session() as session:
        rows = [
            (sender.number or "", sender.name, f"{sender.per_day or console.config.jobs_per_day}",
             f"{console.config.base_url}/courses/{sender.course_id}/" if sender.course_id else "",
             gettext("revoked") if sender.revoked else "")
            for sender in issued(session)
        ]  # fmt: skip
    print_table((marked("id"), "name", marked("jobs per day"), marked("jobs"), ""), rows, right=("jobs per day",))


@click.command("revoke-moss-user")
@click.argument("number", metavar="ID")
@click.pass_obj
def revoke_moss_user(console: Console, number: str) -> None:
    """Revoke this ID, so that scripts can't submit with it; results stay until they expire."""
    from moss.store.accounts.senders import revoke
    from moss.store.courses.audit import add_audit_entry

    with console.session() as session:
        sender = revoke(session, number)
        add_audit_entry(session, _ACTOR, "revoked an id for scripts", number=sender.number, name=sender.name)
    click.echo(gettext("The id %(number)s of %(name)s is revoked.", number=number, name=sender.name))


COMMANDS = (add_moss_user, list_moss_users, revoke_moss_user)
