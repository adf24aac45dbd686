"""The MOSS protocol: scripts that were written for another server submit to this one, unchanged.

`server` accepts connections, `conversation` talks with one client, `commands` parses its lines, `spool` holds the files
until they are stored, and `grouping` makes submissions of them. A `Backend` decides what happens with a request and
where its result is; the server's own is `store_backend`, whose jobs `drop_job` does. The other modules depend on
neither.
"""

from moss.wire.grouping import inputs_of, settings_of, submissions_of
from moss.wire.request import Backend, Request, SentFile, WireLimits, WireRefusedError
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
