"""`moss admin`: accounts from the console of a server."""

from __future__ import annotations

import re

import pytest
from click import ClickException
from click.testing import CliRunner
from support.accounts import PASSWORD, audited, new_server, user_with

from moss.cli.server.admin import admin
from moss.cli.server.database import open_store
from moss.config import Config
from moss.store import Store
from moss.store.accounts.first_admin import setup_code
from moss.store.accounts.users import authenticate, open_invitation


@pytest.fixture
def server(tmp_path):
    """A server that nobody has set up."""
    with new_server(tmp_path / "data") as made:
        yield made


@pytest.fixture
def run(server, monkeypatch):
    """Runs a command on the server's data."""
    monkeypatch.setenv("MOSS_DATA", str(server.config.data))
    monkeypatch.delenv("MOSS_DATABASE_URL", raising=False)

    def ran(*arguments, **options):
        result = CliRunner().invoke(admin, arguments, **options)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return ran


@pytest.fixture
def ada(server, run):
    """An administrator."""
    result = run("create-user", "Ada@example.org", "--name", "Ada Lovelace", "--administrator")
    assert result.exit_code == 0, result.output
    return result.output.strip()


def refused(result, words):
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_first_user_is_made_and_gets_a_link(server, run, ada):
    user = user_with(server.store, "ada@example.org")
    assert (user.name, user.administrator, user.password) == ("Ada Lovelace", True, None)
    address, _, secret = ada.rpartition("/invitations/")
    assert address == "http://127.0.0.1:8000"
    with server.store.reading() as session:
        assert open_invitation(session, secret).user_id == user.id
    browser = server.client("nobody")
    assert browser.get("/setup").status_code == 404, "there is a user, so nothing is to be set up"
    assert browser.post(f"/invitations/{secret}", {"password": PASSWORD, "again": PASSWORD}).status_code == 303
    assert "Ada Lovelace" in browser.get("/account").text


def test_the_first_user_must_be_an_administrator(run):
    refused(run("create-user", "ada@example.org", "--name", "Ada"), "must be an administrator")


def test_a_password_can_be_asked_for(server, run):
    result = run("create-user", "ada@example.org", "--name", "Ada", "--administrator", "--ask-password",
                 input=f"{PASSWORD}\n{PASSWORD}\n")  # fmt: skip
    assert result.exit_code == 0
    assert PASSWORD not in result.output
    with server.store.reading() as session:
        assert authenticate(session, "ada@example.org", PASSWORD)
    weak = run("create-user", "bob@example.org", "--name", "Bob", "--ask-password", input="password12\npassword12\n")
    assert weak.exit_code == 1
    assert "easy to guess" in weak.output


def test_links_lead_to_the_public_address(run, ada):
    result = run("--public-url", "https://moss.example.org", "reset-password", "ada@example.org")
    assert re.fullmatch(r"https://moss\.example\.org/invitations/[\w-]{43}\n", result.output)


def test_users_are_listed(run, ada):
    run("create-user", "bob@example.org", "--name", "Bob")
    run("disable-user", "bob@example.org")
    lines = run("list-users").output.splitlines()
    assert [line.split()[0] for line in lines] == ["address", "ada@example.org", "bob@example.org"]
    assert "administrator" in lines[1]
    assert "disabled" in lines[2]
    assert "bob" not in run("list-users", "lovelace").output


def test_users_are_changed_and_it_is_written_down(server, run, ada):
    run("create-user", "bob@example.org", "--name", "Bob")
    for command, attribute, value in (
        ("disable-user", "disabled", True),
        ("enable-user", "disabled", False),
        ("promote", "administrator", True),
        ("demote", "administrator", False),
    ):
        assert run(command, "BOB@example.org").exit_code == 0
        assert getattr(user_with(server.store, "bob@example.org"), attribute) is value
    actions = [action for actor, action in audited(server.store) if actor == "moss admin"]
    assert actions == [
        "created a user", "created a user", "disabled a user", "enabled a user", "made somebody an administrator",
        "took an administrator's role away",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["disable-user", "demote"])
def test_the_last_administrator_stays(run, ada, command):
    refused(run(command, "ada@example.org"), "last administrator")


@pytest.mark.parametrize("command", ["disable-user", "enable-user", "promote", "demote", "reset-password"])
def test_who_is_not_there_is_said_so(run, ada, command):
    refused(run(command, "nobody@example.org"), "no account with the address nobody@example.org")


def test_a_command_that_is_refused_closes_the_database(tmp_path):
    with new_server(tmp_path):
        pass
    refused(CliRunner().invoke(admin, ["--data", str(tmp_path), "demote", "nobody@example.org"]), "no account")
    assert not (tmp_path / "moss.sqlite3-wal").exists(), "SQLite removes it when the last connection is closed"


def test_a_database_that_is_refused_is_closed(tmp_path):
    with new_server(tmp_path) as made, made.store.session() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ClickException, match="newer version"):
        open_store(Config(data=tmp_path))
    assert not (tmp_path / "moss.sqlite3-wal").exists()


def test_an_account_that_exists_is_not_made_again(run, ada):
    refused(run("create-user", "ADA@example.org", "--name", "Eve"), "already an account")
    refused(run("create-user", "nonsense", "--name", "Eve"), "not an email address")


def test_the_set_up_code_is_printed_until_it_is_not_needed(server, run):
    assert run("setup-code").output.strip() == setup_code(server.store)
    run("create-user", "ada@example.org", "--name", "Ada", "--administrator")
    refused(run("setup-code"), "set up already")


def test_a_folder_without_a_server_is_said_so_and_left_as_it_is(run, tmp_path):
    refused(run("--data", str(tmp_path / "other"), "list-users"), "there is no server data in")
    assert not (tmp_path / "other").exists()


def test_a_database_that_is_away_is_one_sentence(run):
    refused(run("--database-url", "postgresql://nobody@127.0.0.1:9/x", "list-users"), "cannot be used")


def test_what_is_configured_wrongly_is_one_sentence(run):
    refused(run("--public-url", "moss.example.org", "list-users"), "public-url must begin with")


def test_another_database_is_used_if_named(run, postgres_url):
    store = Store(postgres_url)
    store.migrate()
    url = postgres_url.replace("postgresql+psycopg", "postgresql")
    result = run("--database-url", url, "create-user", "pia@example.org", "--name", "Pia", "--administrator")
    assert result.exit_code == 0, result.output
    assert user_with(store, "pia@example.org")
    store.close()


@pytest.mark.parametrize("command", sorted(admin.commands))
def test_every_command_has_help(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert len(result.output.splitlines()[2].strip()) > 20
