"""A hundred clients at once, of which twenty are hostile: every honest one gets its own right result."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

from support.programs import dead_code

TESTS = Path(__file__).parents[1]
MIB = 1024 * 1024
LIMITS = {"idle_seconds": 3.0, "file_bytes": 4 * MIB, "total_bytes": 8 * MIB, "conversations": 60, "waiting": 60}


async def honest(port, number):
    """Two copies and one stranger, all unlike those of every other client; returns the address that came back."""
    own, other = dead_code(2 * number, 40), dead_code(2 * number + 1, 40)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"moss %d\nlanguage java\n" % number)
    assert await reader.readline() == b"yes\n"
    for program, (name, text) in enumerate({"ann": own, "bob": other, "cem": own}.items(), 1):
        content = text.encode()
        writer.write(b"file %d java %d c%d/%s.java\n" % (program, len(content), number, name.encode()) + content)
        await writer.drain()
        await asyncio.sleep(0.01)
    writer.write(b"query 0 client %d\n" % number)
    answer = await reader.readline()
    writer.write(b"end\n")
    writer.close()
    return answer.decode().strip()


async def flood(port, first, most):
    """Send without end, until cut off or tired of it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(ConnectionError):
        writer.write(first)
        for _ in range(most // MIB):
            writer.write(b"x" * MIB)
            await writer.drain()
        await reader.read()
    writer.close()


async def hostile(port, number):
    """One of five kinds."""
    match number % 5:
        case 0:  # a line that never ends
            await flood(port, b"moss 1\n", 64 * MIB)
        case 1:  # more than it may, and far more than it said
            await flood(port, b"moss 1\nlanguage c\nfile 1 c 3000000000 big.c\n", 64 * MIB)
        case 2:  # nothing
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read() == b""
            writer.close()
        case 3:  # gone in the middle of a file
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"moss 1\nlanguage c\nfile 1 c 4000000 big.c\n" + b"x" * 2 * MIB)
            await reader.readline()
            writer.transport.abort()
        case 4:  # less than it said, then waiting
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"moss 1\nfile 1 c 4000000 big.c\nshort\nquery 0 \n")
            assert await reader.read() == b"Error: nothing came for 3 seconds\n"
            writer.close()


async def crowd(port, decent=80, bad=20):
    """All at once; the addresses that the honest got."""
    wrongs = [asyncio.create_task(hostile(port, number)) for number in range(bad)]
    rights = [asyncio.create_task(honest(port, number)) for number in range(decent)]
    answers = await asyncio.gather(*rights)
    await asyncio.gather(*wrongs)
    return answers


def test_a_hundred_at_once():
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "wire.serving", json.dumps(LIMITS)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, env=environment, cwd=TESTS.parent, text=True) as server:
        try:
            answers = asyncio.run(crowd(int(server.stdout.readline())))
            assert len(set(answers)) == 80
            for number, address in enumerate(answers):
                with urlopen(address) as response:
                    page = response.read().decode(response.headers.get_content_charset())
                assert f"<p>client {number}\n" in page
                rows = re.findall(r'<TD><A HREF="\S+">(\S+) \(\d+%\)</A>', page)
                assert rows[:2] == [f"c{number}/ann.java", f"c{number}/cem.java"]
                assert all(name.startswith(f"c{number}/") for name in rows)
        finally:
            server.stdin.close()
            before, after = map(int, server.stdout.read().split())
    assert server.returncode == 0
    # Hostile clients alone sent over 500 MB; the results of the honest are in this process's memory, too.
    assert after - before < 100 * 1024
