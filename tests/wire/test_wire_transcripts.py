"""Every known family of clients, replayed to the byte: at once, byte by byte, and with one half closed early."""

from __future__ import annotations

import asyncio

import pytest

from wire.offices import Recorder
from wire.serving import listening
from wire.transcripts import ADDRESS, TRANSCRIPTS, Transcript

GRACE = 0.2  # for a client that waits for the server to close


async def send_at_once(writer, content):
    writer.write(content)
    await writer.drain()


async def send_byte_by_byte(writer, content):
    for byte in content:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0)


async def replay(transcript: Transcript, send, *, half_closed=False):
    """What the server said, each answer as it came, and what it was asked."""
    office, heard = Recorder(), []
    async with listening(office, grace_seconds=GRACE if transcript.end == b"" else 60.0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number, (content, answer) in enumerate(transcript.steps, 1):
            await send(writer, content)
            if half_closed and number == len(transcript.steps):
                writer.write_eof()
            for _ in range(answer.count("\n") + 1 if answer else 0):
                heard.append(await reader.readline())
        if transcript.end and not half_closed:
            await send(writer, transcript.end)
        if transcript.end is not None:
            heard.append(await reader.read())  # until the server closes
        writer.close()
        await writer.wait_closed()
    return heard, office


def expected(transcript: Transcript) -> list[bytes]:
    answers = [line for _, answer in transcript.steps if answer for line in answer.split("\n")]
    lines = [(Recorder.address if answer == ADDRESS else answer).encode() + b"\n" for answer in answers]
    return lines if transcript.end is None else [*lines, b""]


def plain(files):
    return [(file.program, file.name, file.read()) for file in files]


def check(transcript: Transcript, heard, office):
    assert heard == expected(transcript)
    assert len(office.requests) == (transcript.asked is not None)
    for request in office.requests:
        asked = transcript.asked
        assert plain(request.files) == asked.files
        assert plain(request.base) == asked.base
        for name in ("user", "language", "directory", "max_matches", "show", "comment", "experimental"):
            assert getattr(request, name) == getattr(asked, name), name


EACH = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.name)


@EACH
@pytest.mark.parametrize("send", [send_at_once, send_byte_by_byte])
def test_each_client_is_understood_and_answered(transcript, send):
    check(transcript, *asyncio.run(replay(transcript, send)))


@pytest.mark.parametrize("transcript", [t for t in TRANSCRIPTS if t.asked], ids=lambda transcript: transcript.name)
def test_a_client_that_closes_its_half_early_still_gets_its_answer(transcript):
    heard, office = asyncio.run(replay(transcript, send_at_once, half_closed=True))
    assert heard[: len(expected(transcript))] == expected(transcript)
    assert len(office.requests) == 1


def test_the_server_says_nothing_first():
    async def first_words():
        async with listening(Recorder(), idle_seconds=0.2, grace_seconds=GRACE) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            said = await reader.read()
            writer.close()
            await writer.wait_closed()
            return said

    assert asyncio.run(first_words()) == b""


def test_the_last_line_may_lack_its_end():
    transcript = next(t for t in TRANSCRIPTS if t.name == "perl")
    (first, yes), (second, address) = transcript.steps
    cut = Transcript("cut", [(first, yes), (second.removesuffix(b"\n"), address)], transcript.asked, end=b"")
    check(cut, *asyncio.run(replay(cut, send_at_once, half_closed=True)))


def test_all_languages_of_the_script_and_their_usual_misspellings_are_known():
    script = (
        "c cc java ml pascal ada lisp scheme haskell fortran ascii vhdl perl matlab python mips prolog spice vb csharp "
        "modula2 a8086 javascript plsql verilog tcl hcl2 c++ cpp c# cs js py schema auto"
    )

    async def ask():
        async with listening(Recorder()) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"moss 1\n" + b"".join(b"language %s\n" % name.encode() for name in script.split()))
            answers = [await reader.readline() for _ in script.split()]
            writer.close()
            await writer.wait_closed()
            return answers

    assert asyncio.run(ask()) == [b"yes\n"] * len(script.split())
