"""Programs in documents: recognised where they are, and never seen where an essay is."""

from __future__ import annotations

import pytest

from moss.intake.documents.paragraphs import Paragraph, put_together

PYTHON = """\
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)"""
JAVA = """\
public class Stack {
    private int[] items = new int[10];
    public void push(int item) {
        items[size++] = item;
    }
}"""
ESSAY = [
    "In this essay I argue that, if we look closely (as Smith did in 1998), everything changes;",
    "for example, the city of Paris had (at that time) a population of 547,756 [3].",
    "While many disagree, I return to this point below: the class of workers is not uniform.",
    "[12] Smith, J. (2020). The rise of the city. Oxford: University Press, pp. 12–34.",
    "import of grain, (see Table 2), continued until 1789;",
    "Question (a): what is x = 3 in the equation f(x) = 2x + 1?",
]


@pytest.mark.parametrize(("program", "language"), [(PYTHON, "python"), (JAVA, "java")])
@pytest.mark.parametrize("monospaced", [True, False])
def test_lines_of_a_program_are_one_listing(program: str, language: str, monospaced: bool) -> None:
    lines = program.split("\n")
    found = put_together([Paragraph("I wrote this:"), *(Paragraph(line, monospaced=monospaced) for line in lines)])
    assert [cell.language for cell in found.cells] == ["text", language]
    assert found.text.endswith(program + "\n")


def test_an_essay_is_no_program_in_any_font() -> None:
    for monospaced in (False, True):
        found = put_together(Paragraph(line, monospaced=monospaced) for line in ESSAY)
        assert {cell.language for cell in found.cells} == {"text"}


def test_a_few_lines_that_no_font_gives_away_stay_prose() -> None:
    assert {cell.language for cell in put_together(map(Paragraph, PYTHON.split("\n")[:3])).cells} == {"text"}
