"""Places: files on this machine, or in an object store or a distributed file system, named by a URL.

    s3://bucket/crawl/…   gs://bucket/…   abfs://container@account/…   hdfs://name/…

Everything behind a URL is read and written through fsspec, which finds the library for the scheme and that library its
credentials where its users keep them (for S3: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ~/.aws, …). Names without a scheme
are paths, as ever.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.shipped import extra_with, how_to_install

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_ALMOST_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_LIBRARIES = {  # what each scheme is to fsspec, and the module that it needs
    "s3": ("s3", "s3fs"),
    "s3a": ("s3", "s3fs"),
    "gs": ("gs", "gcsfs"),
    "gcs": ("gs", "gcsfs"),
    "abfs": ("abfs", "adlfs"),
    "abfss": ("abfs", "adlfs"),
    "hdfs": ("hdfs", "pyarrow"),
}
_READ_AHEAD = 4 * 1024 * 1024  # bytes fetched at once where reading goes from beginning to end
_BUFFERED = 64 * 1024  # of them at hand: fsspec's own files cannot read lines of limited length


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file behind a URL."""

    url: str
    size: int
    modified: datetime | None


def is_url(name: str) -> bool:
    """Whether a name has a scheme, so that it is no path."""
    return _URL.match(name) is not None


def check_scheme(name: str) -> str:
    """The name, if it is a path or a URL that can be read; raises CorpusError for a scheme that nobody knows, and for
    what looks like a URL but is none."""
    found = _URL.match(name)
    if found and found[1] not in _LIBRARIES:
        known = ", ".join(f"{scheme}://" for scheme in ("s3", "gs", "abfs", "hdfs"))
        raise CorpusError(
            gettext("%(scheme)s:// cannot be read; use a path, or %(known)s", scheme=found[1], known=known)
        )
    if found and not name[found.end() :].strip("/"):
        raise CorpusError(gettext("%(url)s names no bucket or server", url=name))
    if not found and _ALMOST_URL.match(name) and not os.path.exists(name.partition("/")[0]):
        raise CorpusError(
            gettext("%(name)s has one slash too few for a URL; for a folder of that name write ./%(name)s", name=name)
        )
    return name


def file_system(url: str) -> Any:
    """fsspec's file system for a URL; raises CorpusError if its library is not installed."""
    check_scheme(url)
    scheme = url.partition("://")[0]
    protocol, library = _LIBRARIES[scheme]
    try:
        import fsspec

        return fsspec.filesystem(protocol, **({} if protocol == "s3" else _options(url)), use_listings_cache=False)
    except ImportError as error:
        extra = extra_with(library)
        assert extra is not None
        raise CorpusError(
            gettext(
                "%(scheme)s:// needs more: %(install)s (%(error)s)",
                scheme=scheme,
                install=how_to_install(extra),
                error=error,
            )
        ) from None


def _options(url: str) -> dict[str, Any]:
    """The options of a file system that its URL says: host and port."""
    from fsspec.utils import infer_storage_options

    said = infer_storage_options(url)
    return {name: said[name] for name in ("host", "port") if said.get(name)} if url.startswith("hdfs") else {}


@contextmanager
def in_one_sentence(url: str) -> Iterator[None]:
    """Turn what a store answers into a CorpusError, or a FileNotFoundError."""
    try:
        yield
    except (FileNotFoundError, FileExistsError, CorpusError):
        raise
    except Exception as error:  # every library has errors of its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
        raise CorpusError(gettext("%(url)s cannot be reached: %(reason)s", url=url, reason=reason)) from None


def files_below(url: str) -> list[RemoteFile]:
    """The file at a URL, or all files below it, by name; raises CorpusError if there are none."""
    system = file_system(url)
    prefix = url.partition("://")[0]
    with in_one_sentence(url):
        try:
            found = system.find(url, detail=True)
        except FileNotFoundError:
            found = {}
    files = [
        RemoteFile(f"{prefix}://{path}", int(facts.get("size") or 0), _modified(facts))
        for path, facts in sorted(found.items())
        if facts.get("type") == "file" and not path.endswith("/")
    ]
    if not files:
        raise CorpusError(gettext("there is nothing at %(url)s", url=url))
    return files


def _modified(facts: dict[str, Any]) -> datetime | None:
    when = next(
        (facts[name] for name in ("LastModified", "last_modified", "updated", "mtime") if facts.get(name)), None
    )
    if isinstance(when, (int, float)):
        return datetime.fromtimestamp(int(when), UTC)
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when)
        except ValueError:
            return None
    return when.astimezone(UTC).replace(microsecond=0) if isinstance(when, datetime) else None


@contextmanager
def opened_file(name: str) -> Iterator[IO[bytes]]:
    """A file, here or behind a URL, to be read from any place; raises OSError or CorpusError if it cannot be."""
    if not is_url(name):
        with open(name, "rb") as file:
            yield file
        return
    with in_one_sentence(name):
        remote = file_system(name).open(name, "rb", block_size=_READ_AHEAD, cache_type="readahead")
    with io.BufferedReader(remote, _BUFFERED) as file:
        yield file


def size_of(name: str) -> int:
    """The size of a file in bytes; 0 if it cannot be told, which whoever reads it will say."""
    try:
        if not is_url(name):
            return os.stat(name).st_size
        with in_one_sentence(name):
            return int(file_system(name).size(name) or 0)
    except (OSError, CorpusError):
        return 0


def modified_at(name: str) -> datetime | None:
    """When a file was changed last, if that is known."""
    try:
        if not is_url(name):
            return datetime.fromtimestamp(int(os.stat(name).st_mtime), UTC)
        with in_one_sentence(name):
            return _modified(file_system(name).info(name))
    except (OSError, CorpusError, OverflowError, ValueError):
        return None
