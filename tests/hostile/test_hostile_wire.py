"""Clients of MOSS's protocol who hold places and say nothing, or come under a new name each time."""

from __future__ import annotations

import asyncio

import pytest
from support.server import make_server
from wire.offices import Recorder
from wire.serving import listening
from wire.test_wire_hostile import LIMITS, talk
from wire.transcripts import PERL, TWO

from moss.cli.server.companions import limits_of
from moss.config import Config
from moss.wire.request import Request, WireRefusedError, file_of_bytes
from moss.wire.store_backend import StoreBackend

HONEST = (PERL, TWO + b"query 0 \nend\n")
ANSWER = b"yes\n" + Recorder.address.encode() + b"\n"


@pytest.mark.parametrize(
    "limits",
    [
        {"conversations": 4, "waiting": 50},
        {"conversations": 4, "waiting": 4},
        {"conversations": 50, "per_address": 4},
    ],
    ids=["seats", "all places", "one address"],
)
def test_who_says_nothing_makes_room_for_who_does(limits):
    assert asyncio.run(_honest_among_idle(limits, b"")) == ANSWER


def test_who_says_no_more_than_a_greeting_does_so_too():
    assert asyncio.run(_honest_among_idle({"conversations": 4, "waiting": 50}, b"moss 1\nX 0\n")) == ANSWER


async def _honest_among_idle(limits, greeting):
    """What an honest client hears who comes after twenty that hold what they can."""
    async with listening(Recorder(), **(LIMITS | {"yield_seconds": 0.2} | limits)) as port:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        for _, writer in idle:
            writer.write(greeting)
        answer = await talk(port, *HONEST)
        for _, writer in idle:
            writer.close()
        return answer


def test_nobody_is_sent_away_while_there_is_room():
    async def run():
        async with listening(Recorder(), **(LIMITS | {"yield_seconds": 0.01, "conversations": 3})) as port:
            slow = await asyncio.open_connection("127.0.0.1", port)
            slow[1].write(PERL)
            assert await slow[0].readline() == b"yes\n"
            assert await talk(port, *HONEST) == ANSWER
            slow[1].write(HONEST[1])
            said = await slow[0].readline()
            slow[1].close()
            return said

    assert b"/results/" in asyncio.run(run())


def test_who_makes_room_is_told_why():
    async def run():
        async with listening(Recorder(), **(LIMITS | {"yield_seconds": 0.1, "conversations": 1})) as port:
            slow = await asyncio.open_connection("127.0.0.1", port)
            slow[1].write(PERL)
            assert await slow[0].readline() == b"yes\n"
            assert await talk(port, *HONEST) == ANSWER
            said = await slow[0].readline()
            slow[1].close()
            return said

    assert asyncio.run(run()) == b"Error: others were waiting while nothing came\n"


def test_an_operator_who_says_nothing_has_a_limit_for_each_address():
    assert limits_of(Config()).per_address == 150
    assert limits_of(Config(wire_clients_per_address=7)).per_address == 7


def test_new_ids_do_not_give_an_address_more_jobs(tmp_path):
    with make_server(tmp_path, jobs_per_day=3, wire_ids="any") as server:
        desk = StoreBackend(server.store, server.config)
        file = file_of_bytes("a.c", 1, "c", b"int main() { return 0; }\n")

        def submit(user, address):
            return desk._store(Request(user, "c", (file,), address=address))

        for number in range(3):
            submit(f"new {number}", "192.0.2.1")
        with pytest.raises(WireRefusedError, match="3 jobs have come from your address within a day"):
            submit("another", "192.0.2.1")
        submit("another", "192.0.2.2")
        desk.close()
