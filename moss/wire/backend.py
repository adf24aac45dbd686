"""Office: what stands behind the protocol, and decides, stores and compares."""

from __future__ import annotations

from typing import Protocol

from moss.wire.request import Request


class WireRefusedError(Exception):
    """Why there is no result, in one sentence for the user."""


class Backend(Protocol):
    """Where requests are brought. None of its methods may block; each may raise RefusedError."""

    async def may_submit(self, user: str) -> str | None:
        """Why this user may not submit, in one sentence, or None if they may; asked before anything is stored."""

    async def accept(self, request: Request) -> str:
        """Store the request for good, and return the ticket by which it is known.

        The contents of its files are gone when this returns: what is not stored by then is lost.
        """

    async def wait(self, ticket: str) -> str:
        """The address of the result, once its pages are there. At most 98 bytes, for clients read no more at once."""
