"""The backend behind the protocol, which admits, stores and compares requests."""

from __future__ import annotations

from typing import Protocol

from moss.wire.request import Request


class WireRefusedError(Exception):
    """The reason why there is no result, in one sentence for the user."""


class Backend(Protocol):
    """Takes requests. None of its methods may block; each may raise WireRefusedError."""

    async def may_submit(self, user: str) -> str | None:
        """The reason why this user may not submit, in one sentence, or None; asked before anything is stored."""

    async def accept(self, request: Request) -> str:
        """Store the request and return the ticket by which it is known. Its files are deleted when this returns, so
        they must be stored by then."""

    async def wait(self, ticket: str) -> str:
        """The address of the result, once its pages exist; at most 98 bytes, because clients read no more at once."""
