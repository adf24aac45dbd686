"""`moss corpus serve`: a process that stays and answers questions."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.cli.corpus.options import folder_of, of_corpus, one_sentence
from moss.messages import counted, gettext

if TYPE_CHECKING:
    import socket

    from moss.corpus.service.http import SharedListener

TOKEN = "MOSS_CORPUS_TOKEN"
_THREADS = 4  # of each process: a long question does not keep short ones waiting


@click.command()
@of_corpus
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others need a token.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8750,
    show_default=True,
    help="Port to listen on; 0 for any free port.",
)
@click.option(
    "--bits",
    type=click.IntRange(0, 8),
    default=3,
    show_default=True,
    help="How many bits of near-duplicates may differ.",
)
@click.option("--compressed", is_flag=True, help="Use a quarter less memory for fingerprints, and more time.")
@click.option(
    "--processes", type=click.IntRange(1, 64), metavar="N", help="Number of processes.  [default: all cores, up to 4]"
)
def serve(
    name: str, data: Path, memory: int, host: str, port: int, bits: int, compressed: bool, processes: int | None
) -> None:
    """Answer questions about a corpus over HTTP, in JSON, such as whether a page is already in it.

    Only programs on this machine get answers, unless you set a token in the environment (MOSS_CORPUS_TOKEN); then every
    request must send it (Authorization: Bearer TOKEN). Documents that are added to the corpus show up a little later.

    \b
        moss corpus serve pages
        curl -d '{"text": "…"}' http://127.0.0.1:8750/near
        curl -d '{"text": "…", "host": "example.org"}' http://127.0.0.1:8750/query
        curl -G --data-urlencode address=http://a.example/ http://127.0.0.1:8750/locate
        curl -d '{"addresses": ["http://a.example/", "http://b.example/"]}' http://127.0.0.1:8750/group
    """
    from moss.corpus.service.http import run_in_processes
    from moss.corpus.storage.manifest import read_manifest
    from moss.processes.pool import available_cores

    token = os.environ.get(TOKEN, "")
    with one_sentence():
        folder = folder_of(name, data)
        manifest = read_manifest(folder)
        manifest.recipe.check_rules(folder)
        listener = _listener(host, port, token)
        shown = f"[{host}]" if ":" in host else host
        documents = counted(manifest.documents, "document")
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        ready = gettext("%(documents)s; %(address)s (Ctrl-C stops it)", documents=documents, address=address)
        _prepare(folder, memory)
        for ending in (signal.SIGINT, signal.SIGTERM):  # also where a shell in the background lets the first be ignored
            signal.signal(ending, signal.default_int_handler)
        run = partial(_answer, folder=folder, memory=memory, bits=bits, compressed=compressed, token=token)
        try:
            run_in_processes(processes or min(available_cores(), 4), listener, run, lambda: click.echo(ready))
        except KeyboardInterrupt:
            click.echo()


def _listener(host: str, port: int, token: str) -> socket.socket:
    """A socket at an address, which others may reach only with a token."""
    from moss.corpus.errors import CorpusError
    from moss.corpus.service.http import LOOPBACK, listening

    if host not in LOOPBACK and not token:
        raise CorpusError(
            gettext("%(host)s can be reached by others: set a token in %(variable)s first", host=host, variable=TOKEN)
        )
    try:
        return listening(host, port)
    except OSError as error:
        raise CorpusError(
            gettext("cannot listen on %(host)s, port %(port)s: %(reason)s", host=host, port=port, reason=error.strerror)
        ) from None


def _prepare(folder: Path, memory: int) -> None:
    """Make the lookups once, in a process that ends: a process that has used DuckDB must not be forked."""
    from moss.processes.pool import Failure, map_isolated

    for _, outcome in map_isolated(_opened_once, [(folder, memory)], jobs=1, deadline=lambda task: 24 * 3600.0):
        if isinstance(outcome, Failure):
            from moss.corpus.errors import CorpusError

            raise CorpusError(gettext("the corpus cannot be opened: opening it %(reason)s", reason=outcome.reason))


def _opened_once(task: tuple[Path, int]) -> int:
    from moss.corpus.search.queries import Corpus

    with Corpus(*task) as corpus:
        return len(corpus)


def _answer(
    listener: SharedListener,
    ready: Callable[[], None],
    folder: Path,
    memory: int,
    bits: int,
    compressed: bool,
    token: str,
) -> None:
    """Answer questions in this process, until it is interrupted."""
    from waitress.server import create_server

    from moss.corpus.service.answers import CorpusService
    from moss.corpus.service.http import RECEIVED, CorpusApp

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that some questions wait for others is no news
    sys.setswitchinterval(0.0005)  # seconds: an answer takes about one millisecond, and should not wait for five
    service = CorpusService(folder, memory, bits, compressed)
    server = create_server(
        CorpusApp(service, token),
        sockets=[listener.socket],
        threads=_THREADS,
        ident=None,
        max_request_body_size=RECEIVED,
    )
    listener.take_turns(server)
    ready()
    try:
        server.run()
    finally:
        server.close()
        service.close()
