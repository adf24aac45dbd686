"""The limits of the MOSS protocol: how much a client may send, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass, fields

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WireLimits:
    """The limits for one client, and for all of them together."""

    line_bytes: int = 16 * 1024  # one command
    file_bytes: int = 16 * MIB
    total_bytes: int = 512 * MIB  # all files of one request
    spool_bytes: int = 8192 * MIB  # files on disk of all requests that are being sent
    files: int = 20_000
    pairs: int = 1000  # shown at most, even if a client asks for more
    idle_seconds: float = 60.0  # without a byte from the client
    upload_seconds: float = 1800.0  # from the first byte to the query
    answer_seconds: float = 7200.0  # from the query to the result
    yield_seconds: float = 3.0  # of silence after which a client makes room for one that waits
    grace_seconds: float = 3.0  # from the answer to the client's `end`
    stop_seconds: float = 10.0  # for conversations that are under way when the server stops
    conversations: int = 200  # at a time
    waiting: int = 200  # clients that wait for one of these to end; further ones are turned away
    per_address: int | None = None  # conversations and waiting clients from one address

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"the limit {limit.name} must be above 0, not {value!r}")


NO_LIMITS_GIVEN = WireLimits()
