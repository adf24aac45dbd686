"""Crawls for tests: WARC as crawlers write it, and an S3 on loopback to keep it in."""

from __future__ import annotations

import gzip
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from multiprocessing import forkserver

import pytest

from support.keeper import Order
from support.services import folder_for, free_port, kept

MENU = "<nav><ul><li><a href='/'>Home</a></li><li><a href='/shop'>Shop</a></li></ul></nav>"
PAGE = "<!DOCTYPE html><html><head><title>t</title></head><body>{menu}<main>{body}</main></body></html>"


def html_page(text: str, menu: str = MENU) -> str:
    """A page with a menu and a text in paragraphs of twenty words."""
    words = text.split()
    paragraphs = (" ".join(words[at : at + 20]) for at in range(0, len(words), 20))
    return PAGE.format(menu=menu, body="".join(f"<p>{paragraph}</p>" for paragraph in paragraphs))


def warc_record(kind: str, url: str, date: str, content: bytes, content_type: str) -> bytes:
    """One record of a WARC."""
    headers = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return headers.encode() + content + b"\r\n\r\n"


def response(url: str, date: str, body: bytes, headers: str = "Content-Type: text/html; charset=utf-8", status=200):
    """A record with what a server answered."""
    answer = f"HTTP/1.1 {status} OK\r\n{headers}\r\n\r\n".encode() + body
    return warc_record("response", url, date, answer, "application/http; msgtype=response")


def warc_of(pages: Sequence[tuple[str, str, str]]) -> list[bytes]:
    """The records of a crawl of pages (address, date, HTML): the crawl's description first, and requests between."""
    records = [warc_record("warcinfo", "", "2024-01-01T00:00:00Z", b"software: test\r\n", "application/warc-fields")]
    for url, date, page in pages:
        asked = b"GET / HTTP/1.1\r\n\r\n"
        records.append(warc_record("request", url, date, asked, "application/http; msgtype=request"))
        records.append(response(url, date, page.encode()))
    return records


def packed(records: Sequence[bytes]) -> bytes:
    """Records compressed one by one, as crawlers do it."""
    return b"".join(map(gzip.compress, records))


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3 on this machine."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    order = Order(str(folder_for("s3")), server, [], None)
    with kept(order, lambda: _answers(url)):
        yield url


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/moto-api/", timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@pytest.fixture
def bucket(s3_server, monkeypatch, tmp_path_factory) -> Iterator[str]:
    """The URL of an empty bucket, to which this process and those that it starts have access."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    _end_fork_server()
    name = f"test-{os.getpid()}-{tmp_path_factory.mktemp('bucket').name.replace('_', '-')}"
    s3fs.S3FileSystem().mkdir(name)
    yield f"s3://{name}"
    s3fs.S3FileSystem.clear_instance_cache()
    _end_fork_server()


def _end_fork_server() -> None:
    """Let the next process that is started beside threads have the environment of now: the fork server of earlier tests
    has theirs."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
