"""A corpus behind a URL, and its mirror in a folder of this machine, which every command works on.

    s3://bucket/pages/manifests/0000000007.json      one for each generation; the last is the corpus
    s3://bucket/pages/segments/00000003-4f1c…/…      as in a folder; their names are never used twice
    DATA/mirrors/…/                                  a folder as any corpus, with `origin.json`

Segments never change, so what a mirror has need not be fetched again, and reading does no harm to anybody. Who writes
first stores new segments and then creates the manifest of the next generation, which a store lets one writer do and no
other: whoever comes second is told so, and nothing of theirs is in the corpus. Then what was replaced is deleted; who
is just fetching it begins again with the new manifest. What a writer that was killed has left is deleted a day later.
"""

from __future__ import annotations

import fcntl
import json
import re
import secrets
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from moss.corpus.errors import CorpusError
from moss.corpus.places import file_system, files_below, in_one_sentence
from moss.corpus.storage.locks import holdable, remove_if_idle
from moss.corpus.storage.manifest import Manifest, manifest_of, plain_manifest, read_manifest, write_local
from moss.messages import gettext

_ORIGIN = "origin.json"
_KEPT_MANIFESTS = 5
_FORGOTTEN_AFTER = timedelta(days=1)
_TRIES = 5
_MANIFEST = re.compile(r"manifests/(\d{10})\.json$")


def mirror_of(url: str, data: Path) -> Path:
    """The folder of a URL's mirror, made if it is not there."""
    url = url.rstrip("/")
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", url)[:80]
    folder = data / "mirrors" / f"{name}-{sha256(url.encode()).hexdigest()[:8]}"
    (folder / "segments").mkdir(parents=True, exist_ok=True)
    origin = folder / _ORIGIN
    if not origin.exists():
        origin.write_text(json.dumps({"url": url}))
    return folder


def origin_of(folder: Path) -> str:
    """The URL that a folder is the mirror of; nothing for an ordinary corpus."""
    try:
        url: str = json.loads((folder / _ORIGIN).read_text())["url"]
        return url
    except FileNotFoundError:
        return ""


def pulled(url: str, data: Path, *, new: bool = False) -> Path:
    """A mirror that has what the corpus has now. Raises CorpusError if there is no corpus, unless it may be `new`."""
    folder = mirror_of(url, data)
    with open(folder / "lock", "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return folder  # a process of this machine writes to it, so it has what the corpus has
        try:
            _pull(folder, origin_of(folder), new)
        except CorpusError:
            if not (folder / "corpus.json").exists():
                shutil.rmtree(folder)
            raise
    return folder


def _pull(folder: Path, url: str, new: bool) -> None:
    for _ in range(_TRIES):
        last = _generations(url)[-1:]
        if not last:
            (folder / "corpus.json").unlink(missing_ok=True)
            if new:
                return
            raise CorpusError(gettext("no corpus at %(url)s; create one with: moss corpus add %(url)s PATH…", url=url))
        try:
            _fetch(folder, url, last[0])
            return
        except FileNotFoundError:  # replaced meanwhile
            continue
    raise CorpusError(gettext("the corpus at %(url)s is damaged, or changes faster than it can be read", url=url))


def _fetch(folder: Path, url: str, generation: int) -> None:
    system = file_system(url)
    with in_one_sentence(url):
        manifest = manifest_of(json.loads(system.cat_file(_manifest_at(url, generation))), Path(url))
        before = read_manifest(folder) if (folder / "corpus.json").exists() else None
        for segment in manifest.segments:
            _fetch_segment(system, url, folder, segment.name)
    names = {segment.name for segment in manifest.segments}
    old = {*before.retired, *(segment.name for segment in before.segments)} - names if before else set()
    busy = tuple(sorted(name for name in old if not remove_if_idle(folder / "segments" / name)))
    write_local(folder, replace(manifest, retired=busy))


def _fetch_segment(system: Any, url: str, folder: Path, name: str) -> None:
    target = folder / "segments" / name
    if target.exists():
        return
    unfinished = target.with_name(f"unfinished-{secrets.token_hex(8)}")
    unfinished.mkdir()
    try:
        files = system.find(f"{url}/segments/{name}")
        if not files:
            raise FileNotFoundError(name)
        for path in files:
            system.get_file(path, str(unfinished / path.rpartition("/")[2]))
        holdable(unfinished)
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _manifest_at(url: str, generation: int) -> str:
    return f"{url}/manifests/{generation:010}.json"


def _generations(url: str) -> list[int]:
    """The generations whose manifests are there, ascending."""
    with in_one_sentence(url):
        try:
            names = file_system(url).find(f"{url}/manifests")
        except FileNotFoundError:
            return []
    return sorted(int(found[1]) for name in names if (found := _MANIFEST.search(name)))


def push(folder: Path, manifest: Manifest) -> None:
    """Make a mirror's manifest that of its corpus, with all segments; raises CorpusError if another process was
    quicker, and then nothing has changed."""
    url = origin_of(folder)
    system = file_system(url)
    generations = _generations(url)
    if generations[-1:] == [manifest.generation] and read_manifest(folder).generation == manifest.generation:
        return  # only what this machine has still to delete is another
    try:
        _push(system, url, folder, manifest, generations)
    except FileNotFoundError as error:  # the bucket
        raise CorpusError(
            gettext("the corpus at %(url)s cannot be written: %(reason)s", url=url, reason=error.strerror or error)
        ) from None


def retract(folder: Path, manifest: Manifest) -> None:
    """Delete the manifest of a mirror's corpus, which has no segments."""
    url = origin_of(folder)
    with in_one_sentence(url):
        file_system(url).rm_file(_manifest_at(url, manifest.generation))


def _push(system: Any, url: str, folder: Path, manifest: Manifest, generations: list[int]) -> None:
    stored: list[str] = []
    with in_one_sentence(url):
        for segment in manifest.segments:
            if not system.exists(f"{url}/segments/{segment.name}/documents.parquet"):
                stored.append(segment.name)
                _store_segment(system, url, folder, segment.name)
        if (generations and generations[-1] >= manifest.generation) or not _create(system, url, manifest):
            for name in stored:
                system.rm(f"{url}/segments/{name}", recursive=True)
            raise CorpusError(
                gettext("another process has changed the corpus at %(url)s; run the same command again", url=url)
            )
        _forget(system, url, manifest, folder)


def _store_segment(system: Any, url: str, folder: Path, name: str) -> None:
    files = sorted((folder / "segments" / name).glob("*.parquet"), key=lambda path: path.name == "documents.parquet")
    for path in files:  # documents last: where they are, all is
        system.put_file(str(path), f"{url}/segments/{name}/{path.name}")


def _create(system: Any, url: str, manifest: Manifest) -> bool:
    """Create the manifest of a generation, unless it is there."""
    content = json.dumps(plain_manifest(replace(manifest, retired=())), indent=1).encode()
    try:
        system.pipe_file(_manifest_at(url, manifest.generation), content, mode="create")
    except FileExistsError:
        return False
    return True


def _forget(system: Any, url: str, manifest: Manifest, folder: Path) -> None:
    """Delete segments that are no part of the corpus any more, and old manifests."""
    names = {segment.name for segment in manifest.segments}
    replaced = {segment.name for segment in read_manifest(folder).segments} - names if _known(folder) else set()
    now = datetime.now(UTC)
    for file in files_below(f"{url}/segments") if names or replaced else []:
        name = file.url.rsplit("/", 2)[1]
        abandoned = file.modified is not None and now - file.modified > _FORGOTTEN_AFTER
        if name in replaced or (name not in names and abandoned):
            system.rm_file(file.url)
    for generation in _generations(url)[:-_KEPT_MANIFESTS]:
        system.rm_file(_manifest_at(url, generation))


def _known(folder: Path) -> bool:
    return (folder / "corpus.json").exists()
