"""The files of a result, from a folder or an archive, within limits: nothing in it is trusted."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from moss.intake.archives.formats import HEAD, archive_entries, archive_kind
from moss.intake.entries import Entry, UnreadableError
from moss.intake.folders import file_chunks, walk
from moss.intake.limits import MIB, IntakeError, IntakeRun, Limits, human_size
from moss.messages import gettext

_LIMITS = Limits(file_bytes=64 * MIB, total_bytes=1024 * MIB, entries=200_000)


class ResultFiles:
    """Files by their paths with forward slashes, read when they are asked for."""

    def __init__(self, entries: Mapping[str, Entry], limits: Limits = _LIMITS) -> None:
        self._entries = entries
        self._limits = limits
        self._bytes = 0

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def paths(self) -> list[str]:
        """All paths, sorted."""
        return sorted(self._entries)

    def read(self, path: str) -> bytes:
        """The content of a file; raises IntakeError if it cannot be read, or is too large."""
        entry = self._entries[path]
        assert entry.chunks is not None
        content = bytearray()
        try:
            for chunk in entry.chunks():
                content += chunk
                self._bytes += len(chunk)
                if len(content) > self._limits.file_bytes:
                    raise IntakeError(
                        gettext(
                            "%(path)s is larger than %(size)s",
                            path=path,
                            size=human_size(self._limits.file_bytes),
                        )
                    )
                if self._bytes > self._limits.total_bytes:
                    raise IntakeError(
                        gettext("it has more than %(size)s in it", size=human_size(self._limits.total_bytes))
                    )
        except UnreadableError as refused:
            raise IntakeError(
                gettext("%(path)s cannot be read: %(reason)s", path=path, reason=refused.reason)
            ) from None
        return bytes(content)


@contextmanager
def open_result(path: Path) -> Iterator[ResultFiles]:
    """The files of a result that is a folder, an archive, or a page in a folder."""
    with ExitStack() as stack:
        entries = _entries(path, IntakeRun(_LIMITS), stack)
        files = {entry.path: entry for entry in entries if entry.chunks is not None}
        yield ResultFiles(_unwrapped(files))


def _entries(path: Path, run: IntakeRun, stack: ExitStack) -> list[Entry]:
    if path.is_dir():
        return list(walk(os.fspath(path), run))
    try:
        file = stack.enter_context(path.open("rb"))
        kind = archive_kind(path.name, file.read(HEAD))
    except FileNotFoundError:
        raise IntakeError(gettext("there is no such file or folder")) from None
    except OSError as error:
        raise IntakeError(
            gettext("it cannot be read: %(reason)s", reason=(error.strerror or str(error)).lower())
        ) from None
    if kind:
        return archive_entries(file, kind, run, _LIMITS.total_bytes, path.name)
    if path.suffix.lower() in (".html", ".htm"):  # a saved page; the others lie beside it
        beside = [entry for entry in walk(os.fspath(path.parent), run) if "/" not in entry.path]
        return [entry for entry in beside if entry.path != path.name] + [
            Entry("index.html", file_chunks(os.fspath(path)))
        ]
    raise IntakeError(gettext("it is neither a folder nor an archive nor a page"))


def _unwrapped(files: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """The files without a folder that all of them lie in."""
    top = posixpath.commonpath(list(files)) if files else ""
    if len(files) < 2 or not top or top in files:
        return files
    return {path[len(top) + 1 :]: entry for path, entry in files.items()}
