"""Keeping: what was scanned in one run is not scanned again in the next.

A file's streams depend on its text, on how it is read, and on the version of the front ends, so a digest of these is
the key under which they are kept. Thresholds and base code come later and are no part of it. What was read in a lesser
way (a scanner hung, crashed or failed) is not kept: the next time it may succeed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from frontends import by_name, version_of
from moss.comparison.keeper import ComparisonCache
from moss.comparison.plan import Plans, plan_all
from moss.comparison.scan import Scanner, read_files
from moss.comparison.scanned_files import FilePart, FilePlan, PartStreams, ScannedBatch
from moss.comparison.stream_codec import DamagedError, pack, unpack
from moss.model import Status, Submission


def key_of(plan: FilePlan) -> str:
    """What determines a file's streams, as a short string."""
    return key_for(sha256(plan.text.encode("utf-8", "surrogatepass")).hexdigest(), plan.parts)


def key_for(digest: str, parts: Iterable[FilePart | PartStreams]) -> str:
    """The key under which the streams of a text with this digest are kept today, if it is read in these parts."""
    versions = [[part.language, version_of(by_name(part.language)), part.spans] for part in parts]
    return sha256(json.dumps([digest, versions]).encode()).hexdigest()


def keys_of(submissions: Sequence[Submission], language: str = "auto") -> list[tuple[str, ...]]:
    """For each submission the keys of its files, if they are compared with each other, this language chosen."""
    return [tuple(map(key_of, files)) for files in plan_all(submissions, language)]


def look_up(keeper: ComparisonCache, plans: Sequence[Plans]) -> list[Plans]:
    """The same plans, with the streams of those files that the keeper has."""
    keys = [[key_of(plan) if _is_kept(plan, keeper.everything) else "" for plan in files] for files in plans]
    kept = keeper.get({key for of_files in keys for key in of_files if key})
    return [
        tuple(_with_streams(plan, kept.get(key)) for plan, key in zip(files, of_files, strict=True))
        for files, of_files in zip(plans, keys, strict=True)
    ]


def _is_kept(plan: FilePlan, everything: bool) -> bool:
    return everything or any(by_name(part.language).isolated for part in plan.parts)


def _with_streams(plan: FilePlan, packed: bytes | None) -> FilePlan:
    """The plan with its streams; without, if they are damaged or another plan's, to be scanned and kept anew."""
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
    """Reads submissions as its scanner does, and packs what was read for the first time."""

    scanner: Scanner
    everything: bool

    def together(self, submissions: Sequence[Plans]) -> ScannedBatch:
        """The submissions that have these files, and those of the files that are to be kept."""
        read = read_files(submissions)
        new = {
            key_of(plan): pack(streams)
            for plans, files in zip(submissions, read, strict=True)
            for plan, streams in zip(plans, files, strict=True)
            if plan.streams is None and streams.file.status is Status.OK and _is_kept(plan, self.everything)
        }
        return replace(self.scanner.assemble(submissions, read), new=new)
