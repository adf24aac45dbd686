"""Broken and hostile documents among honest ones: each is read or listed, within bounds, and nothing is lost."""

from __future__ import annotations

from functools import partial

import pytest
from support.corpora import prose
from support.documents import docx
from support.hostile_documents import hostile_documents

from moss.comparison import compare
from moss.intake import Limits, sandbox
from moss.intake.documents import extraction, formats
from moss.model import Problem

LARGEST = 1_000_000  # characters of the text of any of them


@pytest.fixture(scope="module")
def documents():
    return hostile_documents()


@pytest.fixture(scope="module")
def report(documents, tmp_path_factory):
    """The report on a class of them and of two honest essays, one copied from the other; each may take one second."""
    folder = tmp_path_factory.mktemp("class")
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    for name in ("ada", "bob"):
        (folder / f"{name}.docx").write_bytes(docx([[prose(1, 200)]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extraction, "extract_all", partial(extraction.extract_all, seconds=1.0))
        return compare([folder])


def test_there_are_fifty(documents) -> None:
    assert len(documents) >= 50


def test_each_is_read_or_listed_with_a_reason(documents, report) -> None:
    records = {record.id: record for record in report.submissions}
    for name in documents:
        (file,) = records[name].files
        assert file.text or (file.reason and Problem(name, file.reason) in report.problems), name
        assert len(file.text) <= LARGEST


def test_honest_essays_among_them_are_compared(report) -> None:
    assert (report.pairs[0].a, report.pairs[0].b) == ("ada.docx", "bob.docx")
    assert report.pairs[0].matches[0].tokens == 200


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("laughs.docx", "a document that defines XML entities"),
        ("outside.docx", "a document that defines XML entities"),
        ("bomb.docx", "unpacks to more than 200 times its size"),
        ("locked.docx", "encrypted"),
        ("password.docx", "an office document with a password"),
        ("locked.odt", "encrypted"),
        ("spans.odt", "elements are nested more than"),
        ("self.pdf", "a document that takes longer than 1 seconds to read"),
        ("saved.pdf", "a document that takes longer than"),
        ("groups.rtf", "groups are nested more than"),
    ],
)
def test_the_reason_says_what_is_wrong(report, name, reason) -> None:
    assert any(reason in problem.reason for problem in report.problems if problem.path == name)


def test_a_text_larger_than_a_file_may_be_is_refused() -> None:
    limits = Limits(file_bytes=1000)
    (found,) = extraction.extract_all([formats.Handed(formats.DocumentFormat.DOCX, docx([[prose(1, 400)]]))], limits)
    assert found == sandbox.Refused("a document with more text than the limit of 1000 bytes, not read")
