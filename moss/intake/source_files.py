"""Entries to source files: limits are charged, archives inside are opened, binaries recognised, texts decoded.

A folder or library that turned out to hold nothing but compiled files becomes one line instead of one for each. This is
decided after everything in it was read, so that a source file among compiled ones is never missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from moss.intake.archives.commits import NumberedLines, numbered_lines
from moss.intake.archives.formats import HEAD, archive_entries, archive_kind
from moss.intake.documents.formats import DocumentFormat, Handed, document_format
from moss.intake.encodings import binary_reason, decode
from moss.intake.entries import CHUNK, Entry, Repository, UnreadableError, wrapping
from moss.intake.limits import Account, IntakeRun, human_size
from moss.intake.notebooks import MOST_CELLS, NOTEBOOK, extract, has_rest
from moss.messages import gettext as _
from moss.messages import number
from moss.model import SourceFile

if TYPE_CHECKING:
    from moss.intake.archives.commits import RepositoryHistory
    from moss.intake.archives.git import RepositoryFiles
    from moss.intake.documents.paragraphs import Extracted
    from moss.intake.sandbox import Refused

MINIFIED_LINE = 300  # characters in an average line; nobody writes by hand what is that dense
_OUTPUT_FOLDERS = frozenset(("bin", "build", "debug", "dist", "obj", "out", "release", "target"))
_LIBRARIES = (".jar", ".war", ".whl", ".egg")
_LIBRARY_TEXTS = (".txt", ".md", ".properties", ".xml", ".html", ".mf")


class Part(NamedTuple):
    """An entry and the two names it goes by: inside its submission, and to the person who gave it to us."""

    entry: Entry
    path: str
    shown: str
    lone: bool = False  # it is all of its submission, so if it is an archive, its members are the submission's files
    note: str = ""  # why it belongs to a submission without being compared
    typed: bool = False  # into a form of the platform, which keeps it as HTML: an essay, no web page


class Outcome(NamedTuple):
    """The outcome for one file: it was read, or there is a reason why not, or it was read less well; or it is a
    document that is yet to be read."""

    path: str
    shown: str
    file: SourceFile | None = None
    reason: str = ""
    binary: bool = False
    ignored: bool = False
    empty: bool = False  # its text has nothing but blanks
    folder: bool = False  # it stands for all that is in a folder
    document: Handed | None = None
    lines: NumberedLines | None = None  # of a file whose submission has a history
    repository: RepositoryFiles | None = None  # whose history is yet to be read,
    history: RepositoryHistory | None = None  # or was
    modified: datetime | None = None  # as the archive that it was in says

    @property
    def waiting(self) -> int:
        """The bytes of it that are yet to be read."""
        return sum(len(each.content) for each in (self.document, self.repository) if each)


def read_part(part: Part, account: Account, depth: int) -> Iterator[Outcome]:
    """Read a part, or everything inside it if it is an archive; `depth` archives have been opened around it."""
    entry = part.entry
    if entry.repository and account.dated:
        yield _repository(part, entry.repository, account)
    elif entry.refusal:
        yield Outcome(part.path, part.shown, reason=entry.refusal, ignored=entry.ignored, folder=entry.folder)
    elif part.note:
        yield Outcome(part.path, part.shown, reason=part.note, ignored=True)
    elif entry.chunks is not None:
        account.run.count_file()
        try:
            account.run.watch.announce(part.shown)
            kind, content = read_content(entry, part.path, account)
            outcomes = _unpack(part, kind, content, account, depth + 1) if kind else _read(part, content, account)
            yield from (o if o.modified else o._replace(modified=entry.modified) for o in outcomes)
        except UnreadableError as refused:
            yield Outcome(part.path, part.shown, reason=refused.reason, binary=refused.binary)


def _repository(part: Part, read: Repository, account: Account) -> Outcome:
    """A repository whose history is yet to be read, or why it will not be."""
    entry = part.entry
    outcome = Outcome(part.path, part.shown, reason=entry.refusal, ignored=entry.ignored, folder=entry.folder)
    try:
        account.run.watch.announce(part.shown)
        return outcome._replace(repository=read())
    except UnreadableError as refused:
        return without_history(outcome, refused.reason)


def without_history(outcome: Outcome, reason: str) -> Outcome:
    """The outcome for a repository whose history is not read for this reason."""
    because = _("its history was not read: %(reason)s", reason=reason)
    return outcome._replace(repository=None, reason=f"{outcome.reason}; {because}" if outcome.reason else because)


def read_content(entry: Entry, name: str, account: Account) -> tuple[str, bytes]:
    """The kind of archive, or nothing, and the bytes; raises UnreadableError for binaries and at every limit."""
    assert entry.chunks is not None
    account.charge(0)
    pieces: list[bytes] = []
    size, kind, limit = 0, "", account.limits.file_bytes
    for piece in entry.chunks():
        if not pieces:
            kind = archive_kind(name, piece[:HEAD])
            special = kind or document_format(name, piece[:HEAD])
            limit = account.limits.submission_bytes if special else limit
            if not special and len(piece) == CHUNK:
                _binary(name, piece)  # so that a large binary is left at its beginning
        size += len(piece)
        if max(size, entry.claimed) > limit:
            raise UnreadableError(_("larger than the limit of %(limit)s for one file", limit=human_size(limit)))
        account.charge(len(piece))
        pieces.append(piece)
    return kind, pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _binary(name: str, content: bytes) -> str:
    """Refuse binary content (UnreadableError), unless it is named like source code: then return a sentence about it.

    Such a file is read all the same, because compilers skip odd bytes in comments. For a text the sentence is empty."""
    reason = binary_reason(content)
    if not reason:
        return ""
    from frontends import for_path

    if for_path(name) is None:
        raise UnreadableError(_("%(what)s, not read as text", what=reason), binary=True)
    return _("%(what)s in a file named like source code: only its printable text was compared", what=reason)


def _read(part: Part, content: bytes, account: Account) -> Iterator[Outcome]:
    format = DocumentFormat.HTML if part.typed else document_format(part.path, content[:HEAD])
    if format:
        lesser = _binary(part.path, content) if format is DocumentFormat.TEX else ""
        yield Outcome(part.path, part.shown, reason=lesser, document=Handed(format, content))
        return
    lesser = _binary(part.path, content)
    text, encoding = decode(content, account.run.encoding)
    name = part.path.lower()
    if name.endswith((".min.js", ".min.css")) and len(text) > MINIFIED_LINE * (text.count("\n") + 1):
        raise UnreadableError(_("a minified library, ignored"))
    file = SourceFile(part.path, text, sha256(content).hexdigest(), encoding)
    file, reason = _notebook(file) if name.endswith(NOTEBOOK) else (file, lesser)
    lines = numbered_lines(file.text) if account.dated else None
    empty = not file.text.strip()
    yield Outcome(part.path, part.shown, account.run.watch.after(file), reason, empty=empty, lines=lines)


def with_documents(outcomes: Sequence[Outcome], run: IntakeRun) -> list[Outcome]:
    """The outcomes; in the place of documents that were yet to be read their texts, or why they have none."""
    documents = [outcome.document for outcome in outcomes if outcome.document]
    if not documents:
        return list(outcomes)
    from moss.intake.documents.extraction import extract_all  # which few classes need

    found = iter(extract_all(documents, run.limits, run.jobs))
    return [_with_text(outcome, next(found), run) if outcome.document else outcome for outcome in outcomes]


def _with_text(outcome: Outcome, found: Extracted | Refused, run: IntakeRun) -> Outcome:
    from moss.intake.documents.paragraphs import Extracted

    document = outcome.document
    assert document is not None
    if not isinstance(found, Extracted):
        return outcome._replace(document=None, reason=found.reason)
    reasons = [*([outcome.reason] if outcome.reason else []), *found.findings]
    digest = sha256(document.content).hexdigest()
    file = SourceFile(outcome.path, found.text, digest, document.format.value, found.cells)
    return outcome._replace(document=None, file=run.watch.after(file), reason="; ".join(reasons))


def _notebook(file: SourceFile) -> tuple[SourceFile, str]:
    try:
        text, cells = extract(file.text)
    except ValueError:
        return file, _("not a valid notebook, so it was read as plain text")
    more = _("it has more than %(n)s cells; the rest are compared as one", n=number(MOST_CELLS))
    rest = more if has_rest(cells) else ""
    return replace(file, text=text, cells=cells), rest


def _unpack(part: Part, kind: str, content: bytes, account: Account, depth: int) -> Iterator[Outcome]:
    if depth > account.limits.depth:
        raise UnreadableError(
            _("not unpacked, because it is nested more than %(n)s archives deep", n=account.limits.depth)
        )
    with account.unpacking(len(content)):
        yield from _unpacked(part, BytesIO(content), kind, account, depth)


def _unpacked(part: Part, file: BytesIO, kind: str, account: Account, depth: int) -> Iterator[Outcome]:
    entries = archive_entries(file, kind, account.run, account.limits.submission_bytes, part.path)
    account.count_entries(len(entries))
    account.dated = account.dated or (account.may_be_dated and any(entry.repository for entry in entries))
    top = wrapping(entries, least=1) if part.lone else ""
    for entry in entries:
        path = entry.path.removeprefix(top) if part.lone else f"{part.path}/{entry.path}".rstrip("/")
        shown = f"{part.shown}/{entry.path}".rstrip("/")
        yield from read_part(Part(entry, path or part.path, shown), account, depth)


def collapse(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, those of each folder or library of compiled files replaced by a single one."""
    outcomes = tuple(outcomes)
    if sum(outcome.binary for outcome in outcomes) < 2:
        return outcomes
    kept: list[Outcome] = []
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        top = _output_folder(outcome.path)
        (groups.setdefault(top, []) if top else kept).append(outcome)
    for top, inside in groups.items():
        kept.extend([_collapsed(top, inside)] if _is_compiled(top, inside) else inside)
    return tuple(kept)


def _output_folder(path: str) -> str:
    """The outermost folder or library above the path that may hold compiled files only, or nothing."""
    parts = path.split("/")[:-1]
    for i, part in enumerate(parts):
        if part.lower() in _OUTPUT_FOLDERS or part.lower().endswith(_LIBRARIES):
            return "/".join(parts[: i + 1])
    return ""


def _is_compiled(top: str, inside: Sequence[Outcome]) -> bool:
    library = top.lower().endswith(_LIBRARIES)
    compiled = [outcome for outcome in inside if outcome.binary]
    return len(compiled) > 1 and all(
        outcome.binary or outcome.ignored or (library and _is_library_text(outcome)) for outcome in inside
    )


def _is_library_text(outcome: Outcome) -> bool:
    name = outcome.path.rpartition("/")[2].lower()
    return outcome.file is not None and ("." not in name or name.endswith(_LIBRARY_TEXTS))


def _collapsed(top: str, inside: Sequence[Outcome]) -> Outcome:
    first = inside[0]
    shown = first.shown[: len(first.shown) - len(first.path) + len(top)]
    return Outcome(
        top, shown, reason=_("only compiled or other binary files (%(n)s), ignored", n=len(inside)), binary=True
    )
