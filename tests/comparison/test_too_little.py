"""Small programs: the report says that there is too little to tell, and accuses nobody."""

from random import Random

import moss

TINY = 'int main() {{ int {0} = 0; for (int i = 0; i < 10; i++) {0} += i; printf("%d", {0}); return 0; }}\n'


def program(seed, lines=60):
    """A program of its own kind: no two seeds have much in common."""
    chance = Random(seed)
    operators = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
    body = "\n".join(f"x {chance.choice(operators)}= a {chance.choice(operators)} {i};" for i in range(lines))
    return f"int run(int a, int x) {{\n{body}\nreturn x;\n}}\n"


def compare(folder, texts):
    for name, text in texts.items():
        (folder / name).mkdir()
        (folder / name / "main.c").write_text(text)
    return moss.compare([folder], settings=moss.Settings(jobs=1))


def test_in_a_class_of_tiny_programs_nothing_stands_out(tmp_path):
    report = compare(tmp_path, {f"s{i}": TINY.format(f"sum{i}") for i in range(8)})
    assert not report.baseline.enough
    assert report.baseline.far == report.baseline.limit == 1
    assert not [problem for problem in report.problems if "too little" in problem.reason]


def test_a_tiny_program_among_others_is_named(tmp_path):
    report = compare(tmp_path, {f"s{i}": program(i) for i in range(6)} | {"tiny": TINY.format("sum")})
    assert report.baseline.enough
    assert [problem.path for problem in report.problems if "too little" in problem.reason] == ["tiny"]


def test_several_are_named_in_one_sentence(tmp_path):
    tiny = {name: TINY.format(name) for name in ("one", "two")}
    report = compare(tmp_path, {f"s{i}": program(i) for i in range(6)} | tiny)
    (problem,) = [problem for problem in report.problems if "too little" in problem.reason]
    assert problem.path == "2 submissions"
    assert problem.reason.endswith(": one, two")


def test_the_same_tiny_text_still_scores_1(tmp_path):
    report = compare(tmp_path, {name: TINY.format("sum") for name in "ab"} | {f"s{i}": program(i) for i in range(4)})
    assert report.pairs[0].score == 1
    assert {report.pairs[0].a, report.pairs[0].b} == {"a", "b"}
