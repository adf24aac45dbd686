"""What stands out, and what forms clusters: in whole comparisons of small classes."""

import pytest
from support.programs import write_class

import moss
from moss.engine.union_find import clusters
from moss.model import Standing

SOLUTION = ["total = 0", "for line in open('data.txt'):", "    total += int(line)", "print(total)"]
TINY = {f"tiny{n}": {"main.py": "\n".join(SOLUTION) + "\n"} for n in range(8)}
OTHERS = {
    f"other{n}": {"main.py": f"def f{n}(x):\n    return x * {n} + len(str(x)[{n}:])\n\nprint(f{n}({n}))\n"}
    for n in range(4)
}


def lines(count):
    """So many lines that nobody else has."""
    return "".join(f"weight_{n} = measure({n}, '{chr(97 + n) * 3}') ** {n + 2}\n" for n in range(count))


def standing(tmp_path, members, one, other, base=()):
    folder = write_class(tmp_path / "hw1", members)
    report = moss.compare([folder], base=base, settings=moss.Settings(jobs=1))
    ids = [record.id for record in report.submissions]
    ranking = report.ranking
    [score] = [
        score
        for a, b, score in zip(ranking.a.tolist(), ranking.b.tolist(), ranking.score.tolist(), strict=True)
        if {ids[a], ids[b]} == {one, other}
    ]
    assert score == 1
    return report.baseline.standing(score)


def copied(text):
    return {"ada": {"main.py": text}, "bob": {"main.py": text}}


@pytest.mark.parametrize(("count", "expected"), [(5, Standing.ORDINARY), (6, Standing.FAR), (40, Standing.FAR)])
def test_identical_programs_of_more_than_five_lines_always_stand_out(tmp_path, count, expected):
    """Also where so many short programs are identical that nothing else can."""
    assert standing(tmp_path, TINY | copied(lines(count)), "ada", "bob") is expected


def test_two_of_three_that_are_identical_stand_out(tmp_path):
    assert standing(tmp_path, copied(lines(9)) | {"eve": {"main.py": SOLUTION[0]}}, "ada", "bob") is Standing.FAR


@pytest.mark.parametrize("padding", ["\n\n   \n", "\r\n \r\n"])
def test_blank_lines_are_not_counted(tmp_path, padding):
    text = lines(5).replace("\n", padding)
    assert standing(tmp_path, TINY | copied(text), "ada", "bob") is Standing.ORDINARY


def test_lines_that_were_handed_out_are_not_counted(tmp_path):
    starter = write_class(tmp_path / "starter", {".": {"main.py": lines(20)}})
    members = {
        name: {"main.py": lines(20) + files["main.py"]}
        for name, files in (TINY | copied("end = 7\nclose(end, 4, 3)\n")).items()
    }
    assert standing(tmp_path, members, "ada", "bob", [starter]) is Standing.ORDINARY


def two_copies(tmp_path):
    """Two identical ones, two of which one has half of the other's program, and honest ones."""
    half = {
        "cai": {"main.py": lines(20)},
        "dee": {"main.py": lines(12) + "import sys\nfor word in sys.argv:\n    print(word)\n"},
    }
    other = "\n".join(
        f"def step_{n}(a, b):\n    while a > {n}:\n        a, b = b, a % b\n    return a" for n in range(6)
    )
    return write_class(tmp_path / "hw1", OTHERS | half | copied(other))


def test_clusters_are_made_of_what_is_far_above(tmp_path):
    report = moss.compare([two_copies(tmp_path)], settings=moss.Settings(jobs=1))
    far = [(pair.a, pair.b) for pair in report.pairs if pair.score > report.baseline.far]
    assert ("ada", "bob") in far
    assert len(far) < len(report.ranking)
    assert report.clusters == clusters(far)
    assert report.parameters["cluster"] is None


def test_another_limit_can_be_set_by_hand(tmp_path):
    folder = two_copies(tmp_path)
    everybody = moss.compare([folder], settings=moss.Settings(jobs=1, cluster=0))
    ranking = everybody.ranking
    assert len(everybody.clusters[0]) == len({*ranking.a.tolist(), *ranking.b.tolist()})
    best = float(ranking.score[0])
    exact = moss.compare([folder], settings=moss.Settings(jobs=1, cluster=best))
    assert exact.clusters == (("ada", "bob"),)
