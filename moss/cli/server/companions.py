"""The companions of a server, `moss worker` and `moss wire`, which are restarted when they die, and end with it.

Each has a pipe from the server as its standard input. When the server ends, however it ends, the pipe closes, and the
companion stops. So none outlives the server, even if the server is killed. A worker may also run alone, on its own
machine.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from moss.cli.output import complain, warn_of_open_files
from moss.cli.server.settings import server_options
from moss.config import MIB, Config, environment_of
from moss.messages import gettext, ngettext

if TYPE_CHECKING:
    from moss.wire import WireLimits
    from moss.wire.store_backend import StoreBackend

_PATIENCE = 15.0  # seconds that a companion may take to stop
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds until a companion that died is restarted; twice as long each time
_HEALTHY = 60.0  # seconds of life after which the next pause is the first one again
LONGEST_ADDRESS = 98  # bytes that any client reads at once
_LONGEST_PLACE = len("/results/1/1234567890123456789")


@dataclass
class Companion:
    """A process beside the server."""

    name: str
    arguments: Sequence[str]  # arguments of `moss`
    config: Config
    descriptors: Sequence[int] = ()  # file descriptors that it inherits
    _stopping: threading.Event = field(default_factory=threading.Event)
    _process: subprocess.Popen[bytes] | None = None

    def keep_running(self) -> None:
        """Start the process, and restart it whenever it dies, until told to stop."""
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            started = time.monotonic()
            self._start()
            status = self._wait()
            if self._stopping.is_set():
                return
            if time.monotonic() - started > _HEALTHY:
                pause = _FIRST_PAUSE
            complain(
                gettext("the %(name)s ended with status %(status)s; restarting it.", name=self.name, status=status)
            )
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _start(self) -> None:
        command = [sys.executable, "-P", "-m", "moss", *self.arguments]
        # In a session of its own: Ctrl-C in the terminal is for the server, which then stops this process properly.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            env=os.environ | environment_of(self.config),
            pass_fds=self.descriptors,
            start_new_session=True,
        )

    def _wait(self) -> int:
        assert self._process is not None
        while (status := self._process.poll()) is None and not self._stopping.is_set():
            self._stopping.wait(0.2)
        return status if status is not None else self._stop()

    def _stop(self) -> int:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            return self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def stop(self) -> None:
        """Let the process end."""
        self._stopping.set()


@contextmanager
def beside(companions: Sequence[Companion]) -> Iterator[None]:
    """Keep companions running until the block ends."""
    threads = [threading.Thread(target=each.keep_running, name=each.name) for each in companions]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for each in companions:
            each.stop()
        for thread in threads:
            thread.join()


class Tether:
    """Ties a companion to its server. While the companion is still starting, it ends with the server at once, because
    it has begun nothing; later it is told and stops properly."""

    def __init__(self) -> None:
        self._gone = threading.Event()
        self._turn = threading.Lock()
        self._is_ready = False
        threading.Thread(target=self._watch, daemon=True).start()

    def wait(self) -> None:
        """Return when the server has ended; from now on the companion stops properly."""
        with self._turn:
            self._is_ready = True
        self._gone.wait()

    def _watch(self) -> None:
        while os.read(0, 64):
            pass
        with self._turn:
            if not self._is_ready:
                os._exit(0)
            self._gone.set()


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
    tether = Tether() if companion else None
    from frontends import every_frontend
    from moss.cli.server.database import open_store
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


@click.command(hidden=True)
@server_options(pages=True)
@click.option("--socket", "descriptor", type=int, required=True, help="The listening socket, which was inherited.")
def wire(config: Config, descriptor: int) -> None:
    """Speak MOSS's protocol, until standard input ends; `moss serve` starts it by itself, on a port that it opened.

    \b
        moss wire --socket 13
    """
    import asyncio

    tether = Tether()
    from moss.cli.server.database import open_store
    from moss.store.accounts.senders import set_retention
    from moss.wire.store_backend import StoreBackend

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    with closing(open_store(config)) as store:
        with store.session() as session:
            set_retention(session, config.results_days)
        with closing(StoreBackend(store, config)) as backend, socket.socket(fileno=descriptor) as listening:
            asyncio.run(_serve(backend, limits_of(config), listening, tether))


async def _serve(backend: StoreBackend, limits: WireLimits, listening: socket.socket, tether: Tether) -> None:
    import asyncio  # here, because a worker does without it

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
