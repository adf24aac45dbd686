"""`moss serve`: the web app, the server of MOSS's protocol and a worker, on one machine."""

from __future__ import annotations

import signal
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from moss.cli.output import warn_of_open_files
from moss.cli.server.settings import server_options
from moss.config import MIB, Config
from moss.messages import gettext

if TYPE_CHECKING:
    import socket

    from flask import Flask

    from moss.cli.server.companions import Companion
    from moss.store import Store

_ROOM = 16  # megabytes of a request besides its files


@click.command()
@server_options(pages=True)
@click.option(
    "--worker/--no-worker", default=True, help="Also do background jobs, as `moss worker` does.  [default: yes]"
)
@click.option("--sample", is_flag=True, help="Add a sample course to an empty server.")
def serve(config: Config, worker: bool, sample: bool) -> None:
    """Run the web app, and a server for MOSS's submit scripts.

    Open the address that it prints; the first visitor sets up the server. All data is in one folder, unless you name a
    database. Every option can also be set by the environment variable shown with it, which is the better place for
    passwords. It stops on SIGTERM or Ctrl-C.

    \b
        moss serve
        moss serve --data /var/lib/moss --public-url https://moss.example.org --proxies 1
    """
    _check_installed(config)
    from frontends import every_frontend
    from moss.cli.server.database import open_store
    from moss.server_jobs import register_jobs
    from moss.web import create_app

    every_frontend()  # a front end that cannot be loaded is reported now, not at the first upload
    register_jobs()
    with closing(open_store(config)) as store:
        warn_of_open_files(config.data)
        if sample:
            _add_sample(store)
        server = _listen(config, store, create_app(config, store))
        try:
            _run(replace(config, port=_port(server)), store, server, worker)
        finally:
            server.task_dispatcher.shutdown()  # its threads wait for requests from the moment the port is taken
            server.close()


def _check_installed(config: Config) -> None:
    """Fail now, and not at the first log-in, if something that the settings need is not installed."""
    if config.oidc_issuer:
        import authlib  # noqa: F401


def _run(config: Config, store: Store, server: Any, worker: bool) -> None:
    """Serve until a signal says stop."""
    from moss.cli.server.companions import beside
    from moss.processes.pool import warm_up

    warm_up("moss.report.served", "moss.report.evidence.document", "moss.services.preview")
    wire = _open_wire(config)
    if wire is None:
        config = replace(config, wire_port=0)
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, _stop)
    try:
        with beside(_companions(config, worker, wire)):
            _announce(config, store)
            server.run()
    except SystemExit:
        pass  # told to stop before it began to serve


def _open_wire(config: Config) -> socket.socket | None:
    """The listening socket for MOSS's protocol; None if the default port is taken and nobody asked for it by name."""
    from moss.cli.server.companions import listen_for_wire

    source = click.get_current_context().get_parameter_source("wire_port")
    try:
        return listen_for_wire(config)
    except click.ClickException as error:
        if source is not click.core.ParameterSource.DEFAULT:
            raise
        click.echo(gettext("MOSS's scripts cannot submit here: %(reason)s", reason=error.message), err=True)
        return None


def _companions(config: Config, worker: bool, wire: socket.socket | None) -> list[Companion]:
    """The processes beside this one; a further server is one more entry."""
    from moss.cli.server.companions import Companion

    found = [Companion("worker", ["worker", "--companion"], config)] if worker else []
    if wire is not None:  # it inherits the socket, so that clients merely wait while it is restarted
        number = wire.fileno()
        found.append(Companion("server of MOSS's protocol", ["wire", "--socket", str(number)], config, [number]))
    return found


def _listen(config: Config, store: Store, app: Flask) -> Any:
    """The web server, with its port taken."""
    import logging

    from moss.web.http_server import HttpLimits, make_http_server
    from moss.web.request.cookies import knows_sender

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns whenever a request waits for a thread
    limits = HttpLimits(
        per_address=None if config.proxies else config.connections_per_address,
        body_bytes=(config.upload_megabytes + _ROOM) * MIB,
    )
    try:
        return make_http_server(
            app, config.host, config.port, config.threads, limits, partial(knows_sender, store, config),
            clear_untrusted_proxy_headers=config.proxies == 0,  # else the app reads those of so many proxies
        )  # fmt: skip
    except OSError as error:
        where = gettext("%(host)s, port %(port)s", host=config.host, port=config.port)
        raise click.ClickException(
            gettext("cannot listen on %(where)s: %(reason)s", where=where, reason=error.strerror or error)
        ) from None
    except ValueError:
        raise click.ClickException(
            gettext("cannot listen on %(host)s: there is no such host", host=config.host)
        ) from None


def _stop(*_: object) -> NoReturn:
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)  # a second signal must not interrupt the stopping
    raise SystemExit(0)


def _port(server: Any) -> int:
    """The port that was taken, which the system chose if the setting is 0."""
    return int(getattr(server, "effective_port", None) or server.effective_listen[0][1])


def _announce(config: Config, store: Store) -> None:
    """Print the server's address, and the code for setting it up if one is needed."""
    from moss.store.accounts.first_admin import is_founded
    from moss.web.pages.setup import needs_code, setup_code

    click.echo(gettext("Open %(address)s in a browser. Ctrl-C stops the server.", address=config.base_url))
    if config.wire_port:
        click.echo(
            gettext(
                "MOSS's scripts can submit to %(host)s, port %(port)s.",
                host=config.wire_host or config.host,
                port=config.wire_port,
            )
        )
    with store.reading() as session:
        founded = is_founded(session)
    if not founded and needs_code(config):
        click.echo(gettext("The set-up page asks for this code: %(code)s", code=setup_code(store)))


def _add_sample(store: Store) -> None:
    from moss.jobs.handlers.sample import add_sample

    add_sample(store)
