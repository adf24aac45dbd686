"""Notes about a class that a reader needs to judge its scores: text that was not counted, files that many have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TypeVar

from moss.comparison.scan_pool import ScannedClass
from moss.comparison.scanned_files import ScannedSubmission
from moss.comparison.views import BESIDE
from moss.engine.ranking.beside import Beside
from moss.messages import gettext as _
from moss.messages import ngettext, number, percent
from moss.model import Channel, Problem, SourceFile, Submission

Key = TypeVar("Key")
_NAMED = 10  # files: nobody reads a longer list
_MOSTLY = 0.5  # of a file is common: all of it is said to be
_MANY = 10  # one owner in so many, and
_LEAST = 4  # at least so many, who have the same program file beside others: it may have been handed out


def common_text(submissions: Sequence[Submission], read: ScannedClass, beside: Beside) -> list[Problem]:
    """Notes about text beside programs that was not counted, or not all of it, because much of the class has it.

    There is one for each name of a file, such as `readme.txt`, whoever handed it in."""
    files = _beside_files(submissions, read)
    whole: dict[str, set[str]] = defaultdict(set)
    partly: dict[str, set[str]] = defaultdict(set)
    most: dict[str, float] = defaultdict(float)
    for common, (path, owner) in zip(beside.common.tolist(), files, strict=True):
        name = PurePosixPath(path).name
        if common > _MOSTLY:
            whole[name].add(owner)
        elif common:
            partly[name].add(owner)
            most[name] = max(most[name], common)
    everybody = len({submission.owner for submission in submissions})
    notes = [
        Problem(
            name,
            _(
                "the same text beside the programs of %(n)s of %(all)s submissions, not counted",
                n=len(having),
                all=everybody,
            ),
        )
        for name, having in _commonest(whole)
    ]
    in_part = [
        Problem(
            name,
            _(
                "up to %(share)s of this text, which much of the class has too, is not counted",
                share=percent(most[name]),
            ),
        )
        for name, _having in _commonest(partly)
    ]
    kind = _("text that much of the class has beside its programs, not counted")
    partly_common = _("text that much of the class has in part beside its programs, not counted")
    return [*_shortened(notes, kind), *_shortened(in_part, partly_common)]


def _beside_files(submissions: Sequence[Submission], read: ScannedClass) -> Iterator[tuple[str, str]]:
    """Path and owner of each file of text without structure, in the order of their bags."""
    for bags in read.bags:
        places: dict[int, Iterator[int]] = {}
        for place in bags[BESIDE].numbers.tolist():
            if place not in places:
                places[place] = iter(_text_files(read.scanned[place]))
            submission = submissions[place]
            yield submission.files[next(places[place])].path, submission.owner


def _text_files(scanned: ScannedSubmission) -> list[int]:
    """The numbers of the files that have text without structure."""
    return sorted(
        {
            file
            for key, located in scanned.layers.items()
            if key.own and key.channel is Channel.TEXT
            for file in located.files
        }
    )


def common_programs(submissions: Sequence[Submission], scanned: Sequence[ScannedSubmission]) -> list[Problem]:
    """Notes about program files that many submissions have: each may be starter code that nobody named.

    A submission counts only if it has other programs too."""
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for submission, read in zip(submissions, scanned, strict=True):
        programs = _program_files(read)
        if len({content_of(submission.files[number]) for number in programs}) > 1:
            for number in programs:
                file = submission.files[number]
                owners[PurePosixPath(file.path).name, content_of(file)].add(submission.owner)
    everybody = len({submission.owner for submission in submissions})
    many = {key: having for key, having in owners.items() if len(having) >= max(_LEAST, everybody / _MANY)}
    notes = [
        Problem(
            name,
            _(
                "the same file in %(n)s of %(all)s submissions: if you handed it out, give it as starter code",
                n=len(having),
                all=everybody,
            ),
        )
        for (name, _content), having in _commonest(many)
    ]
    kind = _("program files that many submissions have: if you handed them out, give them as starter code")
    return _shortened(notes, kind)


def content_of(file: SourceFile) -> str:
    """A text that is equal for files that are equal to the byte."""
    return file.digest or file.text


def _program_files(scanned: ScannedSubmission) -> set[int]:
    """The numbers of the files that have a program which was not handed out."""
    return {
        file
        for key, located in scanned.layers.items()
        if key.channel is Channel.STRUCTURE
        for file, (begin, end) in zip(located.files, pairwise(located.document.first.tolist()), strict=True)
        if not located.document.base[begin : end - 1].all()
    }


def _commonest(owners: dict[Key, set[str]]) -> list[tuple[Key, set[str]]]:
    """The files with their owners, those of most owners first."""
    return sorted(owners.items(), key=lambda item: (-len(item[1]), str(item[0])))


def _shortened(notes: list[Problem], kind: str) -> list[Problem]:
    """The first notes, and one about how many more there are of this kind."""
    more = len(notes) - _NAMED
    return [
        *notes[:_NAMED],
        *([Problem(ngettext("%(n)s more file", "%(n)s more files", more, n=number(more)), kind)] if more > 0 else []),
    ]
