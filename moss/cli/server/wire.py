"""`moss wire`: the server of MOSS's protocol, as `moss serve` runs it beside the web pages."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from typing import TYPE_CHECKING

import click

from moss.cli.server.settings import server_options
from moss.config import MIB, Config
from moss.messages import gettext

if TYPE_CHECKING:
    from moss.cli.server.child_processes import Tether
    from moss.wire import WireLimits
    from moss.wire.store_backend import StoreBackend

LONGEST_ADDRESS = 98  # bytes that any client reads at once
_LONGEST_PLACE = len("/results/1/1234567890123456789")


@click.command(hidden=True)
@server_options(pages=True)
@click.option("--socket", "descriptor", type=int, required=True, help="The listening socket, which was inherited.")
def wire(config: Config, descriptor: int) -> None:
    """Speak MOSS's protocol, until standard input ends; `moss serve` starts it by itself, on a port that it opened.

    \b
        moss wire --socket 13
    """
    from moss.cli.server.child_processes import Tether

    tether = Tether()
    from moss.cli.server.connect import open_store
    from moss.store.accounts.senders import set_retention
    from moss.wire.store_backend import StoreBackend

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    store = open_store(config)
    with store.session() as session:
        set_retention(session, config.results_days)
    backend = StoreBackend(store, config)
    with socket.socket(fileno=descriptor) as listening:
        asyncio.run(_serve(backend, limits_of(config), listening, tether))
    backend.close()
    store.close()


async def _serve(backend: StoreBackend, limits: WireLimits, listening: socket.socket, tether: Tether) -> None:
    from moss.wire import serve_socket

    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop_with_the_server() -> None:
        tether.wait()
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=stop_with_the_server, daemon=True).start()
    await serve_socket(listening, backend, limits, stop)


def limits_of(config: Config) -> WireLimits:
    """The protocol's limits, from the settings."""
    from moss.wire import WireLimits

    return WireLimits(
        file_bytes=config.wire_file_megabytes * MIB,
        total_bytes=config.upload_megabytes * MIB,
        files=config.wire_files,
        idle_seconds=config.wire_idle_seconds,
        upload_seconds=config.wire_upload_minutes * 60,
        answer_seconds=config.wire_answer_minutes * 60,
        conversations=config.wire_clients,
        waiting=config.wire_clients,
        per_address=config.wire_clients_per_address,
    )


def listen_for_wire(config: Config) -> socket.socket | None:
    """The listening socket for MOSS's protocol, opened before anything runs; None if the port is 0."""
    if not config.wire_port:
        return None
    if len(config.results_url.encode()) + _LONGEST_PLACE > LONGEST_ADDRESS:
        most = LONGEST_ADDRESS - _LONGEST_PLACE
        raise click.ClickException(
            gettext("wire-url, or public-url, must have at most %(most)s bytes: clients read no more", most=most)
        )
    host = config.wire_host or config.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, config.wire_port), family=family, backlog=512)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise click.ClickException(
            gettext(
                "cannot listen on %(host)s, port %(port)s, for MOSS's scripts: %(reason)s; choose another "
                "--wire-port, or 0 for none",
                host=host,
                port=config.wire_port,
                reason=why,
            )
        ) from None
