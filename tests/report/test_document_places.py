"""Passages in documents: the page of a pair and the evidence name page and paragraph, and what is quoted."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from support.corpora import prose
from support.documents import docx, odt

from moss.cli import main


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The folder of a report on two essays, which share a paragraph and a quotation."""
    folder = tmp_path_factory.mktemp("essays")
    for number, (name, write) in enumerate([("ann.docx", docx), ("bob.odt", odt)]):
        own = [prose(10 * number + place, 150) for place in (1, 2, 3)]
        pages = [[own[0], f'"{prose(98, 60)}"', own[1]], [own[2], prose(99, 80)]]
        (folder / name).write_bytes(write(pages))
    done = CliRunner().invoke(main, ["compare", "--no-cache", "-o", str(folder / "report"), str(folder)])
    assert done.exit_code == 0, done.output
    return folder / "report"


PLACES = ("page 2, paragraph 2", "page 1, paragraph 2")


def test_the_page_of_a_pair_names_page_and_paragraph(report) -> None:
    (page,) = (path.read_text() for path in (report / "pairs").glob("*.html"))
    for place, line, quoted in zip(PLACES, (9, 3), ("", ", quoted"), strict=True):
        assert page.count(f"{place}, {line}{quoted}<") >= 2
        assert page.count(f"{place} · text") == 2  # above the paragraph, on both sides


def test_evidence_names_page_and_paragraph(report) -> None:
    file = report / "case.html"
    done = CliRunner().invoke(main, ["evidence", str(report), "ann.docx", "bob.odt", "-o", str(file)])
    assert done.exit_code == 0, done.output
    evidence = file.read_text()
    assert evidence.count(f", {PLACES[0]}</span>") == 2
    assert evidence.count(f", {PLACES[1]}, quoted</span>") == 2
