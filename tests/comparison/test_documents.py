"""Essays in different formats: copies are found across them, and passages lead back to page and paragraph."""

from __future__ import annotations

import re

import pytest
from support.corpora import prose
from support.documents import WRITERS

from moss.comparison import compare
from moss.intake import collect
from moss.model import Report
from moss.settings import Settings

COPIED = prose(7, 120)
FORMATS = ("docx", "odt", "pdf", "txt")


def essays(folder, formats) -> Report:
    """The report on a class in which each has copied one paragraph, the first on page 2."""
    for number, format in enumerate(formats):
        own = [prose(seed + number, 150) for seed in (100, 200, 300)]
        (folder / f"{number}.{format}").write_bytes(WRITERS[format]([own[:2], [COPIED, own[2]]]))
    return compare([folder])


def test_copies_are_found_across_formats_with_page_and_paragraph(tmp_path) -> None:
    report = essays(tmp_path, FORMATS * 2)
    assert len(report.pairs) == 28
    texts = {record.id: record.files[0].text for record in report.submissions}
    for pair in report.pairs:
        (match,) = pair.matches
        for name, region in ((pair.a, match.a), (pair.b, match.b)):
            assert texts[name][region.start : region.end] == COPIED.rstrip(".")
            assert region.cell == (None if name.endswith(".txt") else "page 2, paragraph 1")


def test_a_passage_runs_over_paragraphs(tmp_path) -> None:
    for number in range(3):
        own, other = prose(400 + number, 100), prose(500 + number, 100)
        copied = [prose(8, 60), prose(9, 60)] if number < 2 else [prose(10, 60)]
        (tmp_path / f"{number}.docx").write_bytes(WRITERS["docx"]([[own, *copied, other]]))
    (match,) = compare([tmp_path]).pairs[0].matches
    assert (match.tokens, match.a.cell) == (120, "paragraph 2 to paragraph 3")


def test_a_program_in_a_document_is_compared_as_code(tmp_path) -> None:
    program = "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n"
    program += "    return total / len(values)\n"
    program += program.replace("mean", "average").replace("total", "result").replace("+=", "*=")
    renamed = program.replace("value", "number").replace("total", "amount")
    (tmp_path / "essay.docx").write_bytes(WRITERS["docx"]([[prose(600, 100), *program.splitlines()]]))
    (tmp_path / "program.py").write_text(renamed)
    (tmp_path / "other.py").write_text("import sys\n\nprint(sorted(sys.argv, key=len)[0])\n")
    report = compare([tmp_path])
    (pair,) = report.pairs[:1]
    assert {pair.a, pair.b} == {"essay.docx", "program.py"}
    assert pair.matches[0].channel == "structure"


ROUTES_PHP = """\
<?php
// Finds who answers a request.
class Routes
{
    private $known = [
        'home' => 'HomePage',
        'about' => 'AboutPage',
        'basket' => 'BasketPage',
    ];

    public function answering($request, $otherwise)
    {
        foreach ($this->known as $path => $page) {
            if (strpos($request->path(), $path) === 0) {
                return new $page(
                    $request,
                    $this->settings
                );
            }
        }
        return $otherwise
            ->with('path', $request->path())
            ->page();
    }
}
"""
QUEUE_RB = """\
class Waiting
  include Enumerable

  # Whoever came first is served first.
  def initialize *names
    @names = names
    @served = 0
  end

  def next
    return if done?
    @served += 1
    yield @names[@served - 1]
  end

  def done?
    @served == @names.size
  end

  def each
    @names.drop(@served).each do |name|
      yield name, @served
    end
  end
end
"""


@pytest.mark.parametrize(
    ("program", "path", "other"),
    [(ROUTES_PHP, "routes.php", "<?php\necho $argv[1];\n"), (QUEUE_RB, "waiting.rb", "puts ARGV.sort.first\n")],
)
def test_a_renamed_program_in_a_document_is_read_as_a_whole_in_the_language_of_the_class(
    tmp_path, program, path, other
) -> None:
    """Though some of its lines could be prose, and `=>` is in several languages."""
    names = r"known|answering|otherwise|request|page\b|path|settings|Waiting|names?|served|done"
    renamed = re.sub(names, lambda found: f"{found[0]}Too", program)
    (tmp_path / "copy.docx").write_bytes(WRITERS["docx"]([renamed.splitlines()]))
    (tmp_path / path).write_text(program)
    (tmp_path / f"other-{path}").write_text(other)
    report = compare([tmp_path])
    (pair,) = report.pairs[:1]
    assert {pair.a, pair.b} == {"copy.docx", path}
    assert pair.matches[0].channel == "structure"
    assert min(pair.share_a, pair.share_b) > 0.9


def test_what_is_said_between_programs_stays_prose(tmp_path) -> None:
    lines = ROUTES_PHP.splitlines()
    page = [prose(9, 90), *lines, prose(8, 90), *lines, prose(7, 60)]
    (tmp_path / "report.docx").write_bytes(WRITERS["docx"]([page]))
    (report,) = collect([tmp_path], [], []).submissions
    spoken = [report.files[0].text[cell.start : cell.end] for cell in report.files[0].cells if cell.language == "text"]
    assert {page[0], page[-1]} <= {*spoken}


def test_an_anonymous_report_keeps_the_places(tmp_path) -> None:
    for name in ("Adalbert", "Brunhilde", "Cunigunde"):
        text = [f"{name} wrote {prose(len(name), 80)}", COPIED, f"{prose(len(name) + 9, 50)}, says {name}."]
        (tmp_path / f"{name}.docx").write_bytes(WRITERS["docx"]([text[:1], text[1:]]))
    report = compare([tmp_path], settings=Settings(anonymize=True))
    texts = {record.id: record.files[0] for record in report.submissions}
    assert not any("Adalbert" in file.text or "Brunhilde" in file.text for file in texts.values())
    for file in texts.values():
        (cell,) = (cell for cell in file.cells if cell.label == "page 2, paragraph 1")
        assert file.text[cell.start : cell.end] == COPIED
