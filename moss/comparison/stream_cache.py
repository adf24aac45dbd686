"""The cache of token streams: a file that was scanned in one run is not scanned again in the next.

A file's streams depend on its text, on the plan by which it is read, and on the version of the front ends, so they are
cached under a digest of these. Thresholds and starter code come later and are no part of it. A file that was read by
the generic scanner because its own hung, crashed or failed is not cached: the next time its own may succeed.

Each text is hashed once: `look_up` writes its digest and its key into the plan, where everybody behind it finds them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol

from frontends import by_name, version_of
from moss.comparison.plan import Plans, plan_all
from moss.comparison.scan import Scanner, read_files
from moss.comparison.scanned_files import FilePart, FilePlan, PartStreams, ScannedBatch
from moss.comparison.stream_codec import DamagedError, pack, unpack
from moss.model import Status, Submission


class ComparisonCache(Protocol):
    """A cache for packed token streams and results: a table, a folder, a dictionary. Keys are 64 hexadecimal digits."""

    @property
    def everything(self) -> bool:
        """Whether all streams are cached, because they serve other purposes as well. If not, only those of scanners
        that are not ours are: ours are about as fast as unpacking."""

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The entries under these keys, as far as there are any."""

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Store entries, in place of others under the same keys; `digests` has the SHA-256 of each stream's text."""


def digest_of(text: str) -> str:
    """The SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key_of(plan: FilePlan) -> str:
    """The key of a file's streams."""
    return plan.key or key_for(digest_of(plan.text), plan.parts)


def key_for(digest: str, parts: Iterable[FilePart | PartStreams]) -> str:
    """The key of the streams of a text with this digest, if it is read in these parts by today's front ends."""
    versions = [[part.language, version_of(by_name(part.language)), part.spans] for part in parts]
    return sha256(json.dumps([digest, versions]).encode()).hexdigest()


def keys_of(submissions: Sequence[Submission], language: str = "auto") -> list[tuple[str, ...]]:
    """The keys of each submission's files, if these submissions are compared with each other in this language."""
    return [tuple(map(key_of, files)) for files in plan_all(submissions, language)]


def look_up(cache: ComparisonCache, plans: Sequence[Plans]) -> list[Plans]:
    """The plans with keys, where their streams belong into the cache, and with the streams that the cache has."""
    keyed = [tuple(_with_key(plan, cache.everything) for plan in files) for files in plans]
    found = cache.get({plan.key for files in keyed for plan in files if plan.key})
    return [tuple(_with_streams(plan, found.get(plan.key)) for plan in files) for files in keyed]


def _with_key(plan: FilePlan, everything: bool) -> FilePlan:
    if not everything and not any(by_name(part.language).isolated for part in plan.parts):
        return plan
    digest = digest_of(plan.text)
    return replace(plan, digest=digest, key=key_for(digest, plan.parts))


def _with_streams(plan: FilePlan, packed: bytes | None) -> FilePlan:
    """The plan with its cached streams; without them if they are damaged or another plan's, so that it is scanned."""
    if packed is None:
        return plan
    try:
        streams = unpack(packed)
    except DamagedError:
        return plan
    fits = [(part.language, part.spans) for part in plan.parts] == [
        (part.language, part.spans) for part in streams.parts
    ]
    return replace(plan, streams=streams) if fits else plan


@dataclass(frozen=True, slots=True)
class PackingScanner:
    """Reads submissions as its scanner does, and packs the streams that are new to the cache."""

    scanner: Scanner

    def scan_batch(self, submissions: Sequence[Plans]) -> ScannedBatch:
        """The submissions that have these files, with the packed streams of new files that have a key."""
        read = read_files(submissions)
        new = {
            plan.key: pack(streams)
            for plans, files in zip(submissions, read, strict=True)
            for plan, streams in zip(plans, files, strict=True)
            if plan.key and plan.streams is None and streams.file.status is Status.OK
        }
        return replace(self.scanner.assemble(submissions, read), new=new)
