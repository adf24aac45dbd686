"""The MOSS protocol: scripts that were written for another server submit to this one, unchanged.

`server` accepts connections, `conversation` talks with one client, `commands` says what a line means, `spool` keeps
what was sent until someone has stored it, `grouping` makes submissions of it. What happens with a request, and where
its result is found, is the business of an `Office`; the server's own is the `desk`, whose jobs `working` does. What all
others here do needs neither.
"""

from moss.wire.backend import Backend, WireRefusedError
from moss.wire.grouping import inputs_of, settings_of, submissions_of
from moss.wire.limits import WireLimits
from moss.wire.request import Request, SentFile
from moss.wire.server import serve_socket, serve_wire

__all__ = [
    "Backend",
    "Request",
    "SentFile",
    "WireLimits",
    "WireRefusedError",
    "inputs_of",
    "serve_socket",
    "serve_wire",
    "settings_of",
    "submissions_of",
]
