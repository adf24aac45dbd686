"""The conversation with one client, from its first line to our answer.

The client sends who it is, how to compare, and its files, in any order; then the query. The server answers `yes` or
`no` to the language, and one line to the query: an address, or `Error: ` and a sentence. A client that may not submit,
or sends too much, is answered only after its query, because few clients can be interrupted; what it sends is thrown
away. A client that is silent, too slow, or sends an endless line is told so and disconnected.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from moss.wire.commands import (
    Command,
    FileHeader,
    Goodbye,
    Greeting,
    LanguageQuestion,
    Option,
    Query,
    parse,
    split_glued,
)
from moss.wire.request import Backend, RequestDraft, WireLimits, WireRefusedError, is_language
from moss.wire.spool import CHUNK, Spool, SpoolError

log = logging.getLogger(__name__)

TROUBLE = "the server is in trouble; please try again later"
NO_ROOM = "the server has no room for these files; please try again later"


class DroppedError(Exception):
    """The reason why the conversation cannot go on, in one sentence for the user."""


@dataclass(slots=True, eq=False)
class Conversation:
    """The conversation with one client, and what it has sent so far."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    backend: Backend
    limits: WireLimits
    spool: Spool
    draft: RequestDraft
    address: str = ""
    heard: int = 0  # bytes received, of commands and files
    behind_file: bool = False
    last_heard: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    _listens: bool = True  # until the query comes

    @property
    def silence(self) -> float:
        """For how many seconds we have waited for the client; 0 once it is our turn."""
        return asyncio.get_running_loop().time() - self.last_heard if self._listens else 0.0

    def make_room(self) -> None:
        """End the conversation in favour of a client that waits."""
        self.reader.set_exception(DroppedError("others were waiting while nothing came"))

    async def hold(self) -> None:
        """Talk until the client has its answer, has left, or must be disconnected."""
        try:
            query = await self._hear_within_time()
            self._listens = False
            if query is not None:
                await self._say(await self._answer(query))
                await self._hear_end()
        except DroppedError as dropped:
            log.info("dropped a client: %s", dropped)
            if self.draft.user is not None:
                await self._say(f"Error: {dropped}")
        except OSError:
            log.info("a client is gone")
        await self._part()

    # Listening.

    async def _hear_within_time(self) -> Query | None:
        try:
            async with asyncio.timeout(self.limits.upload_seconds):
                return await self._hear()
        except TimeoutError:
            raise DroppedError(f"sending took longer than {self.limits.upload_seconds:g} seconds") from None

    async def _hear(self) -> Query | None:
        """Carry out each line until the query comes or the client closes."""
        while line := await self._line():
            match await self._understand(line):
                case Greeting(user):
                    await self._greet(user)
                case Option(name, value):
                    self.draft.options[name] = value
                case LanguageQuestion(language):
                    self.draft.language = language
                    await self._say("yes" if is_language(language) else "no")
                case FileHeader() as header:
                    await self._receive(header)
                case Query() as query:
                    return query
                case Goodbye():
                    return None
        return None

    async def _understand(self, line: bytes) -> Command | None:
        """The command in a line. After a file, a line that is no command is the rest of that file, whose size the
        client gave wrongly. So is `end`, the last word of many programs: no client that has sent files leaves without a
        query."""
        command = parse(line)
        if self.behind_file and (command is None or isinstance(command, Goodbye | Greeting)):
            rest, glued = split_glued(line, is_language)
            await self._keep(rest)
            return parse(glued)
        return command

    async def _greet(self, user: str) -> None:
        if self.draft.user is not None:
            return
        self.draft.user = user
        try:
            self.draft.refuse(await self.backend.may_submit(user) or "")
        except WireRefusedError as refused:
            self.draft.refuse(str(refused))
        except Exception:
            log.exception("cannot tell whether a user may submit")
            self.draft.refuse(TROUBLE)

    async def _receive(self, header: FileHeader) -> None:
        self.behind_file = True
        self.draft.check(header, len(self.spool), self.spool.size)
        if not self.draft.refusal:
            self.spool.begin(header)
        left = header.size
        while left:
            chunk = await self._in_time(self.reader.read(min(CHUNK, left)))
            if not chunk:
                raise DroppedError(f"the connection ended in the middle of {header.name}")
            left -= len(chunk)
            self._count(chunk)
            await self._keep(chunk)

    async def _keep(self, content: bytes) -> None:
        if self.spool.size + len(content) > self.limits.total_bytes:
            self.draft.refuse("the files are larger than their sizes say")
        if not self.draft.refusal:
            try:
                await self.spool.write(content)
            except SpoolError:
                log.exception("cannot write to the spool")
                self.draft.refuse(NO_ROOM)

    async def _line(self) -> bytes:
        """The next line with its line break; without one at the end of the input; empty if there is nothing left."""
        try:
            line = await self._in_time(self.reader.readuntil(b"\n"))
        except asyncio.IncompleteReadError as ended:
            line = ended.partial
        except asyncio.LimitOverrunError:
            raise DroppedError(f"a line is longer than {self.limits.line_bytes:,} bytes") from None
        self._count(line)
        return line

    async def _in_time(self, reading: Awaitable[bytes]) -> bytes:
        try:
            async with asyncio.timeout(self.limits.idle_seconds):
                return await reading
        except TimeoutError:
            raise DroppedError(f"nothing came for {self.limits.idle_seconds:g} seconds") from None

    def _count(self, content: bytes) -> None:
        # Reading data that is thrown away costs only time, but even that is limited.
        self.heard += len(content)
        self.last_heard = asyncio.get_running_loop().time()
        if self.heard > 2 * self.limits.total_bytes + self.limits.line_bytes:
            raise DroppedError("far too much was sent")

    # Answering.

    async def _answer(self, query: Query) -> str:
        """The address of the result, or the reason why there is none."""
        await self._greet("")  # in case it has not said who it is
        request = self.draft.request(query.comment, self.spool.files())
        if isinstance(request, str):
            return f"Error: {request}"
        request = replace(request, address=self.address)
        log.info("a request of %d files, %d bytes", len(request.files), self.spool.size)
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                ticket = await self.backend.accept(request)
                self.spool.close()
                return await self.backend.wait(ticket)
        except WireRefusedError as refused:
            return f"Error: {refused}"
        except TimeoutError:
            return f"Error: the comparison is not finished after {self.limits.answer_seconds:g} seconds"
        except Exception:
            log.exception("a request failed")
            return f"Error: {TROUBLE}"

    async def _say(self, line: str) -> None:
        """Send one line in a single write, because clients read only once."""
        self.writer.write(" ".join(line.split()).encode() + b"\n")
        with suppress(OSError, DroppedError):  # the client may be gone, or not read, or have made room
            async with asyncio.timeout(self.limits.grace_seconds):
                await self.writer.drain()

    async def _hear_end(self) -> None:
        """Wait for the client's `end`; some never send it."""
        with suppress(OSError, DroppedError):
            async with asyncio.timeout(self.limits.grace_seconds):
                while (line := await self._line()) and not isinstance(parse(line), Goodbye):
                    pass

    async def _part(self) -> None:
        """Close our half, and wait until the client closes its own. What it still sends is read, because our last line
        would otherwise be lost."""
        with suppress(OSError, DroppedError):
            async with asyncio.timeout(self.limits.grace_seconds):
                self.writer.write_eof()
                while await self.reader.read(CHUNK):
                    pass
