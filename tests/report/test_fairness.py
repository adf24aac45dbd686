"""What may speak against copying: every answer follows from the report, and says what was not compared."""

import numpy as np
import pytest

from moss.model import (
    Baseline,
    Channel,
    FileRecord,
    Match,
    Pair,
    Ranking,
    ReferenceKind,
    Region,
    Report,
    Role,
    Status,
    SubmissionRecord,
)
from moss.report.words.fairness import fairness_of

LONG = Region("a.py", 1, 9, 0, 90)
USUAL = Baseline(100, 0.1, 0.1, 0.3, 0.6, expected=0.1)


def record(id, role=Role.NEW, reference=None, base=()):
    file = FileRecord("a.py", 10, 40, "python", Status.OK, base=base)
    return SubmissionRecord(id, id, role, "python", 40, 9, (file,), reference=reference)


def match(tokens=10, others=(), region=LONG):
    return Match(region, region, tokens, len(others), Channel.STRUCTURE, tuple(others), ())


def answers(matches, rest=(), score=0.5, baseline=USUAL, handed_out=(), scores=(0.9, 0.5, 0.2), base=()):
    records = [record("ada", base=base), record("emeka"), *rest]
    tokens = sum(each.tokens for each in matches)
    pair = Pair("ada", "emeka", score, 0.5, 0.5, 0.5, tokens, tokens, 0.0, tuple(matches))
    places = np.zeros(len(scores), np.int64)
    report = Report(
        None, "0", {"handed_out": list(handed_out)}, tuple(records), (pair,), Ranking(places, places, np.array(scores)),
        (), (), baseline,
    )  # fmt: skip
    return {point.question: point.answer for point in fairness_of(report, pair)}


CLASS, YEARS, GIVEN, TEXT, QUOTED, SHORT, CHANCE = (
    "Do others in this class have it?", "Did earlier students have it?", "Was it given to everybody?",
    "Is it in another text?", "Is it a quotation?", "Is it short?", "What would chance give?",
)  # fmt: skip


def test_what_was_not_compared_is_not_called_absent():
    told = answers([match()])
    assert told[CLASS] == "There are no other students in this comparison, so this is not known."
    assert told[YEARS] == "No earlier work was compared, so this is not known."
    assert "No starter code was given" in told[GIVEN]
    assert told[TEXT].startswith("Not compared: a model solution, the task’s statement, ")
    assert QUOTED not in told
    assert SHORT not in told


def test_students_of_this_class_and_of_earlier_years_are_told_apart():
    rest = [record("cem"), record("dan"), record("old", Role.ARCHIVE), record("older", Role.ARCHIVE)]
    told = answers([match(30, ["cem"]), match(10, ["cem", "dan"]), match(60, ["old"])], rest)
    assert told[CLASS] == (
        "Yes: 2 of 3 passages, with 40% of what the two share. "
        "Passage 2 is the most common: 2 of the other 2 students have it."
    )
    assert told[YEARS] == "Yes: 1 of 3 passages, with 60% of what the two share (2 submissions compared)."
    told = answers([match()], rest)
    assert told[CLASS] == "No: none of the other 2 students has any of the passages."
    assert told[YEARS] == "No: none of the passages is in earlier work (2 submissions compared)."


def test_the_kind_of_a_text_is_told_and_it_is_nobody_of_an_earlier_year():
    rest = [record("task.md", Role.ARCHIVE, ReferenceKind.TASK), record("gpt", Role.ARCHIVE, ReferenceKind.CHATBOT)]
    told = answers([match(25, ["task.md"]), match(75)], rest)
    assert "In the task’s statement: 1 of 2 passages, with 25% of what the two share." in told[TEXT]
    assert "In a chatbot’s answers: no passage." in told[TEXT]
    assert told[TEXT].endswith("Not compared: a model solution and a book or published solution.")
    assert told[YEARS] == "No earlier work was compared, so this is not known."


def test_starter_code_short_passages_and_quotations_are_counted():
    quoted = Region("a.py", 3, 8, 0, 90, quoted=0.9)
    starter = Region("a.py", 1, 4, 0, 40)
    matches = [match(10, region=Region("a.py", 3, 4, 0, 20)), match(30, region=quoted)]
    told = answers(matches, handed_out=[{"id": "starter", "files": []}], base=(starter,))
    assert "makes up 40% of the lines of ada and 0% of emeka" in told[GIVEN]
    assert told[SHORT].endswith("1 of 2 passages, with 25% of what the two share.")
    assert told[QUOTED].endswith("1 of 2 passages, with 75% of what the two share.")


@pytest.mark.parametrize(
    ("score", "baseline", "words"),
    [
        (0.2, USUAL, "Chance is enough: 3 of 100 pairs in this class have this score or a higher one."),
        (0.5, USUAL, "about one pair would score over 30% though nobody copied"),
        (0.9, USUAL, "about 0.1 pairs would score over 60% though nobody copied: one class in 10 has one."),
        (0.9, USUAL, "In this class 1 pair did."),
        (0.9, Baseline(3), "too small, or too alike, to say"),
    ],
)
def test_chance_in_words(score, baseline, words):
    assert words in answers([match()], score=score, baseline=baseline)[CHANCE]
