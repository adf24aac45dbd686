"""Laws of the score on whole classes: the samples, notebooks, and programs that were generated."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from support.programs import dead_code, notebook, write_class

from moss.comparison import compare_submissions
from moss.intake import Intake, collect
from moss.model import Report, Role, SourceFile, Submission
from moss.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
WORDS = [word for path in sorted((SAMPLES / "essays").glob("submissions/*/*")) for word in path.read_text().split()]


def compared(submissions) -> Report:
    return compare_submissions(Intake(tuple(submissions), ()), Settings(jobs=1, show=5), {})


def scores(submissions) -> dict[tuple[str, str], float]:
    report = compared(submissions)
    ids = [submission.id for submission in report.submissions]
    ranking = report.ranking
    rows = zip(ranking.a.tolist(), ranking.b.tolist(), ranking.score.tolist(), strict=True)
    return {(ids[a], ids[b]): score for a, b, score in rows}


@cache
def sample(name: str) -> tuple[Submission, ...]:
    folder = SAMPLES / name
    return tuple(collect([folder / "submissions"], [], [folder / "starter"]).submissions)


def text_of(submission: Submission) -> str:
    return "\n".join(file.text for file in submission.files)


@cache
def generated() -> tuple[Submission, ...]:
    """Twelve programs that have nothing to do with each other, and one that copies half of another."""
    texts = [dead_code(seed, 60) for seed in range(12)]
    texts.append("\n".join(texts[0].splitlines()[:40] + dead_code(99, 30).splitlines()))
    return tuple(one(f"s{number:02}", text, "Main.java") for number, text in enumerate(texts))


def one(name: str, text: str, path: str) -> Submission:
    return Submission(name, name, (SourceFile(path, text),), Role.NEW)


def with_file(submissions, having, path, text):
    """The submissions, those of some with one more file."""
    return [replace(s, files=(*s.files, SourceFile(path, text(s.id)))) if s.id in having else s for s in submissions]


def check_unmoved(before, after):
    """No pair is raised by more than 0.02, and no two that were more than 0.04 apart change places."""
    pairs = before.keys() | after.keys()
    old, new = ({pair: found.get(pair, 0.0) for pair in pairs} for found in (before, after))
    assert max(new[pair] - old[pair] for pair in pairs) <= 0.02
    order = sorted(pairs, key=lambda pair: -old[pair])
    lowest = 1.0
    for pair in order:  # what stands well above a pair stays above it
        above = [new[other] for other in order if old[other] > old[pair] + 0.04]
        lowest = min([lowest, *above])
        assert new[pair] <= lowest or not above


def prose(size, seed=1):
    return " ".join(random.Random(seed).choices(WORDS, k=size))


@pytest.mark.parametrize(
    ("path", "size", "everyone", "named"),
    [
        ("README.md", 100, True, False),
        ("LICENSE", 6000, False, False),
        ("README.md", 1000, False, True),
        ("settings.json", 6000, True, True),
        ("data.csv", 300, False, True),
    ],
)
@pytest.mark.parametrize("name", ["java-library", "python-textstats", "generated"])
def test_text_beside_programs_that_many_have_moves_no_pair(name, path, size, everyone, named):
    class_ = generated() if name == "generated" else sample(name)
    members = [s.id for s in class_ if s.role is Role.NEW]
    having = set(members if everyone else random.Random(size).sample(members, len(members) // 2))
    text = prose(size)
    changed = with_file(class_, having, path, lambda owner: f"by {owner}\n{text}" if named else text)
    check_unmoved(scores(class_), scores(changed))
    [note] = [problem.reason for problem in compared(changed).problems if problem.path == path]
    assert note == f"the same text beside the programs of {len(having)} of {len(members)} submissions, not counted"


def test_a_text_of_which_a_part_is_common_is_noted():
    """Everybody has the task's statement in a text that is otherwise their own."""
    class_ = sample("python-textstats")
    members = [s.id for s in class_ if s.role is Role.NEW]
    own = {member: prose(300, seed=number + 5) for number, member in enumerate(members)}
    changed = with_file(class_, set(members), "README.md", lambda owner: f"{own[owner]}\n{prose(100)}")
    [note] = [problem.reason for problem in compared(changed).problems if problem.path == "README.md"]
    said = re.fullmatch(r"up to (\d+)% of this text, which much of the class has too, is not counted", note)
    assert 20 <= int(said[1]) <= 50


@pytest.mark.parametrize("everyone", [True, False])
def test_a_first_cell_that_many_have_moves_no_pair(tmp_path, everyone):
    programs = {s.id: text_of(s) for s in sample("python-textstats") if s.role is Role.NEW}
    having = set(list(programs)[:: 1 if everyone else 2])

    def class_(folder, heading):
        books = {
            name: {"book.ipynb": notebook(*([f"# {heading}"] if heading and name in having else []), f"\n{text}")}
            for name, text in programs.items()
        }
        return collect([write_class(tmp_path / folder, books)], [], []).submissions

    check_unmoved(scores(class_("without", "")), scores(class_("with", prose(400))))


def test_a_text_that_few_have_beside_their_programs_counts():
    class_ = sample("java-library")
    pair = ("bela", "wanda")
    changed = scores(with_file(class_, set(pair), "REPORT.md", lambda owner: prose(400)))
    assert changed[pair] > scores(class_).get(pair, 0) + 0.1


def test_a_program_file_that_many_have_is_pointed_out_and_counts():
    class_ = generated()
    having = [s.id for s in class_[:7]]
    shared = dead_code(1234, 40)
    changed = with_file(class_, set(having), "Util.java", lambda owner: shared)
    report = compared(changed)
    [note] = [problem.reason for problem in report.problems if problem.path == "Util.java"]
    assert note.startswith("the same file in 7 of 13 submissions: ")
    before, after = scores(class_), scores(changed)
    assert all(after[pair] >= before.get(pair, 0) for pair in combinations(having, 2))
    base = Submission("starter", "starter", (SourceFile("Util.java", shared),), Role.BASE)
    assert not [problem for problem in compared([*changed, base]).problems if problem.path == "Util.java"]


@pytest.mark.parametrize(
    ("name", "path"), [("java-library", "A.java"), ("python-textstats", "a.py"), ("essays", "a.txt")]
)
def test_more_copied_never_scores_less(name, path):
    texts = [text_of(s) for s in sample(name) if s.role is Role.NEW and len(text_of(s)) > 300]
    source, program, *others = (text.splitlines() for text in random.Random(1).sample(texts, min(10, len(texts))))
    rest = [one(f"c{number:02}", "\n".join(lines), path) for number, lines in enumerate(others)]
    last = 0.0
    for percent in range(0, 101, 10):
        mixed = source[: len(source) * percent // 100] + program[len(program) * percent // 100 :]
        found = scores([one("a", "\n".join(source), path), one("b", "\n".join(mixed), path), *rest])
        assert found.get(("a", "b"), 0.0) >= last - 0.01
        last = found.get(("a", "b"), 0.0)
    assert last == 1


@pytest.mark.parametrize(("name", "path"), [("java-library", "A.java"), ("python-textstats", "a.py")])
def test_a_hundred_times_as_much_unrelated_text_hides_no_copy(name, path):
    texts = [text_of(s) for s in sample(name) if s.role is Role.NEW and len(text_of(s)) > 300]
    other = {"A.java": "python-textstats", "a.py": "java-library"}[path]
    unrelated = "\n".join(text_of(s) for s in sample(other))
    long = texts[0] + "\n" + (unrelated * (100 * len(texts[0]) // len(unrelated) + 1))
    class_ = [one("copy", long, path), *(one(f"s{n:02}", text, path) for n, text in enumerate(texts))]
    found = scores(class_)
    assert sum(score > found["copy", "s00"] for score in found.values()) < len(class_)


def test_of_equal_scores_identical_files_come_first_then_the_larger():
    small, large = dead_code(1, 20), dead_code(2, 60)
    class_ = [
        one("a1", small, "A.java"),
        one("a2", small.replace("    ", "\t"), "A.java"),
        one("b1", large, "A.java"),
        one("b2", large.replace("    ", "\t"), "A.java"),
        one("c1", dead_code(3, 20), "A.java"),
        one("c2", dead_code(3, 20), "A.java"),
        *(one(f"d{n}", dead_code(10 + n, 30), "A.java") for n in range(8)),
    ]
    first = [pair for pair, score in scores(class_).items() if score == 1]
    assert first == [("c1", "c2"), ("b1", "b2"), ("a1", "a2")]


@pytest.mark.parametrize("name", ["java-library", "python-textstats", "essays"])
def test_a_copied_submission_is_first_and_scores_1(name):
    class_ = sample(name)
    source = next(s for s in class_ if s.role is Role.NEW)
    found = scores([*class_, replace(source, id="zz-copy", owner="zz-copy")])
    assert found[source.id, "zz-copy"] == 1
    assert next(iter(found)) == (source.id, "zz-copy")


def test_two_submissions_alone_can_be_compared():
    a, b = dead_code(1, 40), dead_code(2, 40)
    half = "\n".join(a.splitlines()[:25] + b.splitlines()[25:])
    [(_, alike)] = scores([one("a", a, "A.java"), one("b", half, "A.java")]).items()
    [(_, apart)] = scores([one("a", a, "A.java"), one("b", b, "A.java")]).items()
    assert 0.95 > alike > apart + 0.2


def test_of_many_common_texts_some_are_named_and_the_others_counted():
    class_ = generated()
    for number in range(13):
        text = prose(60, seed=number)
        class_ = with_file(class_, {s.id for s in class_}, f"text{number:02}.md", lambda owner, text=text: text)
    named = [problem for problem in compared(class_).problems if problem.path.endswith(".md")]
    assert len(named) == 10
    assert "3 more files" in [problem.path for problem in compared(class_).problems]
