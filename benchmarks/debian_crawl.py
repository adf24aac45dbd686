"""A crawl of Debian's documentation, as WARC in a bucket of an S3 on this machine: from the first visit to the next.

    python benchmarks/debian_crawl.py [--pages 2000] [--folders /usr/share/doc …] [--asked 3]

The HTML pages of Debian's documentation (apt install python3-doc developers-reference …) are served by made-up hosts,
each in the layout of a site with menus and advertisements (see main_text.py), and one host mirrors another. In May all
are visited. By June some have changed, some are gone, some have moved to another path and some to another host; the
mirror is as it was. Both visits are stored as `.warc.gz` in a bucket (moto's server, on loopback), and so is the
corpus.
Then it is added, clustered and asked, by the commands that anybody would type, each in a process of its own. What was
planted is known, so the program also says how much of it is found.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from main_text import FOLDERS, LAYOUTS, bodies
from measuring import run

MOSS = [sys.executable, "-c", "from moss.cli import main; main(prog_name='moss')", "corpus"]
MAY, JUNE = "2024-05-{:02}T12:00:00Z", "2024-06-{:02}T12:00:00Z"
HOSTS = 8
_MIRRORED = ("docs0.example", "mirror.example")
_WORD = re.compile(r"(?<=[ >])[a-z]{4,}(?=[ .,<])")


@dataclass
class Planted:
    """Pages by address, for two visits, and what became of them."""

    may: dict[str, str] = field(default_factory=dict)
    june: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)  # where they are now
    elsewhere: dict[str, str] = field(default_factory=dict)


def plant(found: list[str], seed: int = 1) -> Planted:
    """Two visits of hosts with these bodies; the last host mirrors the first."""
    chance, planted = random.Random(seed), Planted()
    for number, body in enumerate(found):
        host = number % HOSTS
        address = f"https://docs{host}.example/manual/{number}.html"
        planted.may[address] = _page(body, host)
        if host == 0:
            copy = mirrored(address)
            planted.may[copy] = planted.june[copy] = planted.may[address]
        _later(planted, address, body, number, chance)
    return planted


def mirrored(address: str) -> str:
    """The address of a page at the mirror."""
    return address.replace("docs0.", "mirror.")


def _page(body: str, host: int) -> str:
    layouts = list(LAYOUTS.values())
    return f"<!DOCTYPE html><html><body>{layouts[host % len(layouts)](body)}</body></html>"


def _later(planted: Planted, address: str, body: str, number: int, chance: random.Random) -> None:
    """What becomes of a page until June."""
    draw, host = chance.random(), number % HOSTS
    page = _page(body, host)
    if draw < 0.1:
        planted.changed.append(address)
        planted.june[address] = _page(_edited(body, chance), host)
    elif draw < 0.15:
        planted.gone.append(address)
    elif draw < 0.2:
        planted.moved[address] = f"https://docs{host}.example/new/{number}.html"
        planted.june[planted.moved[address]] = page
    elif draw < 0.25:
        planted.elsewhere[address] = f"https://other{number % 5}.example/{number}.html"
        planted.june[planted.elsewhere[address]] = _page(_edited(body, chance), host)
    else:
        planted.june[address] = page


def _edited(body: str, chance: random.Random) -> str:
    """The body with a new paragraph, and one word in a hundred replaced."""
    new = " ".join(f"new{chance.randrange(999)}" for _ in range(12))
    changed = _WORD.sub(lambda word: f"new{chance.randrange(999)}" if chance.random() < 0.01 else word[0], body)
    middle = changed.find("</p>", len(changed) // 3) + len("</p>")
    return f"{changed[:middle]}<p>{new}.</p>{changed[middle:]}"


def warc(pages: dict[str, str], date: str) -> bytes:
    """A crawl of pages, compressed record by record."""
    records = []
    for number, (address, page) in enumerate(sorted(pages.items())):
        body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}".encode()
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {address}\r\n"
            f"WARC-Date: {date.format(number % 28 + 1)}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + body + b"\r\n\r\n", 6))
    return b"".join(records)


@contextmanager
def bucket() -> Iterator[str]:
    """A bucket of an S3 on this machine, which the processes that are started can reach."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }  # fmt: skip
    with subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _answers(port):
                time.sleep(0.1)
            import s3fs

            s3fs.S3FileSystem().mkdir("debian")
            yield "s3://debian"
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/moto-api/", timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


class Commands:
    """Runs commands of `moss corpus`, measures them, and prints a row for each."""

    def __init__(self, data: Path) -> None:
        self._data = data
        print("| command | processor seconds | memory, MB | it says |\n| --- | ---: | ---: | --- |")

    def __call__(self, shown: str, *arguments: str) -> str:
        """The output of a command."""
        step = run(shown, [*MOSS, *arguments, "--data", str(self._data)])
        said = "" if step.output.startswith("{") else step.output.strip().splitlines()[-1]
        print(f"| {shown} | {step.cpu:.1f} | {step.memory / 1e6:,.0f} | {said} |", flush=True)
        return step.output


def play(url: str, planted: Planted, data: Path, asked: int) -> dict[str, float]:
    """All commands in their order; the shares of what was planted that they find."""
    import s3fs

    store, corpus, moss = s3fs.S3FileSystem(), f"{url}/corpus", Commands(data)
    store.pipe_file(f"{url}/crawl/may.warc.gz", warc(planted.may, MAY))
    moss("add, May", "add", corpus, f"{url}/crawl/", "--quiet")
    moss("clusters", "clusters", corpus, "--quiet")
    store.pipe_file(f"{url}/crawl/june.warc.gz", warc(planted.june, JUNE))
    moss("add again, with June", "add", corpus, f"{url}/crawl/", "--quiet")
    moss("clusters again", "clusters", corpus, "--quiet")
    changes = json.loads(moss("changes", "changes", corpus, "--json", "-"))
    mirrors = json.loads(moss("mirrors", "mirrors", corpus, "--json", "-"))["mirrors"]
    lost = [*planted.moved, *planted.elsewhere][:asked]
    right = [_best(moss("locate", "locate", corpus, address, "--json", "-")) for address in lost]
    now = {**planted.moved, **planted.elsewhere}
    orphans = {row["address"]: row["now_at"] for row in changes["orphans"]}
    counted = sum(row["changed"] for row in changes["months"])
    gone = sum(row["gone"] for row in changes["months"])
    return {
        "moved and elsewhere, found by changes": _share(orphans.get(a) in (b, mirrored(a)) for a, b in now.items()),
        "best address right, of those asked for": _share(
            a in (now[b], mirrored(b)) for a, b in zip(right, lost, strict=True)
        ),
        "changed pages, counted / planted": counted / max(1, len(planted.changed)),
        "gone pages, counted / planted": gone / max(1, len(planted.gone) + len(now)),
        "the mirror is found, and no other": float([(m["a"], m["b"]) for m in mirrors] == [_MIRRORED]),
    }


def _best(output: str) -> str:
    return str(json.loads(output)["found"][0]["address"])


def _share(right: Iterator[bool]) -> float:
    values = list(right)
    return sum(values) / max(1, len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--folders", nargs="+", default=FOLDERS)
    parser.add_argument("--asked", type=int, default=3, help="lost pages that are asked for")
    given = parser.parse_args()
    planted = plant([body for _, body in bodies(given.folders, given.pages)])
    if not planted.may:
        raise SystemExit("no HTML pages there; apt install python3-doc (Debian), or name folders by --folders")
    size = sum(len(page) for pages in (planted.may, planted.june) for page in pages.values())
    print(f"{len(planted.may):,} pages in May, {len(planted.june):,} in June, {size / 1e6:,.0f} MB of HTML\n")
    with tempfile.TemporaryDirectory() as data, bucket() as url:
        found = play(url, planted, Path(data), given.asked)
    print("\n| found | share |\n| --- | ---: |")
    for name, share in found.items():
        print(f"| {name} | {share:.3f} |")


if __name__ == "__main__":
    main()
