"""Clients that are slow, wrong, hostile or too many: each is told what it can be told, and none harms another."""

from __future__ import annotations

import asyncio
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss.wire.commands import parse, split_glued
from moss.wire.request import WireLimits, is_language
from wire.offices import Recorder
from wire.serving import listening
from wire.transcripts import PERL, TWO, A, sent

LIMITS = {"grace_seconds": 60.0, "stop_seconds": 0.2}


async def talk(port, *pieces, pause=0.0, reset=False):
    """Send the pieces; return all that the server said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        if reset:
            writer.transport.abort()
            return b""
        return await reader.read()
    except ConnectionError:
        return b"reset"
    finally:
        writer.close()


def say(*pieces, office=None, pause=0.0, **limits):
    """What a server with these limits answers to the pieces."""

    async def run():
        async with listening(office or Recorder(), **(LIMITS | limits)) as port:
            return await talk(port, *pieces, pause=pause)

    return asyncio.run(run())


# One client.


def test_silence_is_answered_by_silence():
    assert say(idle_seconds=0.2) == b""


def test_a_size_that_is_too_large_ends_in_a_sentence():
    said = say(PERL, b"file 1 c 5000 a.c\n" + A + b"query 0 \nend\n", idle_seconds=0.3)
    assert said == b"yes\nError: nothing came for 0.3 seconds\n"


def test_a_client_that_never_stops_talking_slowly_is_dropped():
    said = say(PERL, b"file 1 c 5000 a.c\n", *[b"x"] * 60, pause=0.01, upload_seconds=0.3)
    assert said == b"yes\nError: sending took longer than 0.3 seconds\n"


@pytest.mark.parametrize("before", [b"moss 1\n", b"moss 1\nfile 1 c 1 a.c\nx"])
def test_a_line_without_end_is_dropped(before):
    said = say(before, b"x" * 200_000, line_bytes=10_000)
    assert said == b"Error: a line is longer than 10,000 bytes\n"


def test_a_connection_that_ends_in_the_middle_of_a_file_asks_nothing(tmp_path):
    office = Recorder()

    async def run():
        async with listening(office, tmp_path, **LIMITS) as port:
            for reset in (True, False):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(PERL + b"file 1 c 5000000 a.c\n" + b"x" * 1_000_000)
                assert await reader.readline() == b"yes\n"
                await until(lambda: held(tmp_path))
                if reset:
                    writer.transport.abort()
                else:
                    writer.write_eof()
                    assert await reader.read() == b"Error: the connection ended in the middle of a.c\n"
                writer.close()
                await until(lambda: not held(tmp_path))

    asyncio.run(run())
    assert office.requests == []
    assert list(tmp_path.iterdir()) == []


def held(folder):
    """The open files of this process in a folder, those without a name included."""
    names = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            names.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        except FileNotFoundError:
            continue
    return [name for name in names if name.startswith(str(folder))]


async def until(true):
    while not true():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"file_bytes": 20}, b"Error: a.c is larger than the limit of 20 bytes for one file\n"),
        ({"total_bytes": 100}, b"Error: all files together are larger than the limit of 100 bytes\n"),
        ({"files": 1}, b"Error: there are more than 1 files\n"),
        ({"spool_bytes": 60}, b"Error: the server has no room for these files; please try again later\n"),
    ],
)
def test_too_much_is_heard_to_its_end_and_refused(limits, sentence):
    office = Recorder()
    padding = {"total_bytes": 10_000} if "total_bytes" not in limits else {}
    assert say(PERL, TWO + b"query 0 \nend\n", office=office, **(limits | padding)) == b"yes\n" + sentence
    assert office.requests == []


def test_what_is_refused_is_not_heard_for_ever():
    said = say(b"moss 1\nfile 1 c 1000000 a.c\n", b"x" * 1_000_000, file_bytes=100, total_bytes=1000)
    assert said in (b"Error: far too much was sent\n", b"reset")


def test_a_rest_of_a_file_cannot_be_larger_than_all_may_be():
    lines = b"0123456789\n" * 50
    said = say(PERL, b"file 1 c 1 a.c\nx" + lines + b"query 0 \nend\n", total_bytes=400)
    assert said == b"yes\nError: the files are larger than their sizes say\n"


def test_an_unknown_user_is_heard_to_the_end_and_told_and_nothing_is_kept(tmp_path):
    office = Recorder(known={"12345"})
    said = say(PERL.replace(b"12345", b"999"), TWO + b"end\nquery 0 \nend\n", office=office)
    assert said == b"yes\nError: unknown user id 999\n"
    assert office.requests == []
    assert say(b"moss 999\nquery 0 \nend\n", office=office) == b"Error: unknown user id 999\n"
    assert say(b"moss 12345\nquery 0 \nend\n", office=office) == b"Error: No files uploaded to compare.\n"
    assert say(TWO + b"query 0 \nend\n", office=office) == b"Error: unknown user id \n".replace(b" \n", b"\n")


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("may_submit", b"the server is in trouble; please try again later"),
        ("accept", b"this user has had 100 comparisons today"),
        ("wait", b"the server is in trouble; please try again later"),
        ("never", b"the comparison is not finished after 0.5 seconds"),
    ],
)
def test_whatever_goes_wrong_the_client_gets_one_line(trouble, sentence):
    office = Recorder(trouble=[trouble])
    assert say(PERL, TWO + b"query 0 \nend\n", office=office, answer_seconds=0.5) == b"yes\nError: " + sentence + b"\n"


def test_a_disk_that_cannot_be_written_is_told():
    async def run():
        async with listening(Recorder(), **LIMITS) as port:
            from moss.wire import spool

            original = spool.Spool._write

            def full(self, at, content):
                raise OSError(28, "No space left on device")

            spool.Spool._write = full
            try:
                return await talk(port, PERL, TWO + b"query 0 \nend\n")
            finally:
                spool.Spool._write = original

    assert asyncio.run(run()).startswith(b"yes\nError: the server has no room")


# Many clients.


TOO_MANY = b"Error: too many clients are here already; please try again later\n"


@pytest.mark.parametrize("limits", [{"conversations": 1, "waiting": 1}, {"per_address": 2}])
def test_one_more_waits_and_many_more_are_told_that_they_are_too_many(limits):
    office = Recorder(trouble=["never"])  # its clients wait for their results, and are not silent

    async def run():
        async with listening(office, **(LIMITS | {"yield_seconds": 0.1, "answer_seconds": 600.0} | limits)) as port:
            two = [asyncio.create_task(talk(port, PERL, TWO + b"query 0 \nend\n")) for _ in range(2)]
            await until(lambda: office.requests)
            await asyncio.sleep(0.1)
            assert await talk(port) == TOO_MANY
            assert not any(each.done() for each in two)
            for each in two:
                each.cancel()

    asyncio.run(run())


def test_places_and_room_are_given_back():
    async def run():
        async with listening(Recorder(), **(LIMITS | {"per_address": 1, "spool_bytes": 150})) as port:
            said = []
            for _ in range(3):
                said.append(await talk(port, PERL, TWO + b"query 0 \nend\n"))
                await asyncio.sleep(0.1)  # until the server has seen that the client is gone
            return said

    assert asyncio.run(run()) == [b"yes\n" + Recorder.address.encode() + b"\n"] * 3


def test_who_may_not_submit_takes_no_room():
    async def run():
        async with listening(Recorder(known={"12345"}), **(LIMITS | {"spool_bytes": 150})) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"moss 999\n" + TWO + b"language c\n")
            assert await reader.readline() == b"yes\n"
            said = await talk(port, PERL, TWO + b"query 0 \nend\n")
            writer.close()
            return said

    assert asyncio.run(run()) == b"yes\n" + Recorder.address.encode() + b"\n"


def test_a_stop_ends_every_conversation_and_closes_the_port():
    async def run():
        async with listening(Recorder(trouble=["never"]), stop_seconds=0.1) as port:
            waiting = asyncio.create_task(talk(port, PERL, TWO + b"query 0 \nend\n"))
            silent = asyncio.create_task(talk(port))
            await asyncio.sleep(0.1)
        assert [await waiting, await silent] == [b"yes\n", b""]
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)

    asyncio.run(run())


def test_a_stop_lets_finish_what_is_about_to():
    class Slow(Recorder):
        async def wait(self, ticket):
            await asyncio.sleep(0.3)
            return self.address

    async def run():
        async with listening(Slow(), stop_seconds=60.0) as port:
            waiting = asyncio.create_task(talk(port, PERL, TWO + b"query 0 \nend\n"))
            await asyncio.sleep(0.1)
        return await waiting

    assert asyncio.run(run()) == b"yes\n" + Recorder.address.encode() + b"\n"


# Anything.

lines = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"moss 1", b"language c", b"query 0", b"end", b"show -1", b"directory x", b"X", b"file 0 c 3 a"]),
    st.tuples(st.integers(0, 9), st.integers(-5, 30)).map(lambda n: b"file %d c %d a.c" % n),
)


@given(st.binary())
def test_any_line_is_a_command_or_not(line):
    parse(line)


@given(st.lists(lines).map(b"".join))
def test_a_split_loses_nothing(line):
    rest, command = split_glued(line, is_language)
    assert rest + command == line
    assert command == b"" or parse(command.partition(b"\n")[0]) is not None


@settings(max_examples=60)
@given(st.lists(st.tuples(lines, st.sampled_from([b"\n", b"\r\n", b""])), max_size=20))
def test_any_bytes_are_answered_by_lines_or_nothing(spoken):
    said = say(b"".join(line + end for line, end in spoken), b"\nquery 0 \nend\n", idle_seconds=0.05)
    assert said == b"" or said.endswith(b"\n")
    for line in said.splitlines():
        assert line in (b"yes", b"no", Recorder.address.encode()) or line.startswith(b"Error: ")


@pytest.mark.parametrize("wrong", [{"line_bytes": 0}, {"idle_seconds": -1.0}, {"per_address": 0}, {"files": 0}])
def test_limits_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match="must be above 0"):
        WireLimits(**wrong)


def test_sizes_beyond_numbers_are_no_commands():
    assert parse(b"file 1 c 99999999999999999999 a.c") is None
    assert parse(b"file -1 c 9 a.c") is None
    assert parse(sent(1, "c", A, "").partition(b"\n")[0]).name == "unnamed"
