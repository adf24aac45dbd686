"""Earlier work that is kept elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from moss import compare
from moss.comparison import with_external_archives
from moss.intake import Intake
from moss.model import Role, SourceFile, Submission

WORDS = " ".join(f"word{number}" for number in range(60))
NAMES = st.lists(st.sampled_from(["a", "b", "a (2)", "a (3)", "b (2)"]), max_size=6)


@dataclass(frozen=True)
class Shelf:
    """An archive that always gives the same."""

    names: list[str]
    name: str = "the shelf"

    def about(self, new, progress):
        progress(len(new), len(new))
        assert all(submission.role is Role.NEW for submission in new)
        return [Submission(name, name, (SourceFile("old.txt", WORDS),), Role.ARCHIVE) for name in self.names]


@given(NAMES.map(lambda names: list(dict.fromkeys(names))), NAMES, NAMES)
def test_all_are_told_apart_and_what_is_new_keeps_its_name(new, first, second):
    roles = [Role.NEW, Role.BASE, Role.ARCHIVE]
    given = tuple(Submission(name, name, (), roles[number % 3]) for number, name in enumerate(new))
    found = with_external_archives(Intake(given, ()), [Shelf(first), Shelf(second)], lambda done, total: None)
    assert found.submissions[: len(given)] == given
    assert len({submission.id for submission in found.submissions}) == len(new) + len(first) + len(second)
    assert [submission.owner for submission in found.submissions] == [*new, *first, *second]


def test_what_is_kept_is_compared_and_named(tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "essay.txt").write_text(WORDS if name == "ada" else WORDS[::-1])
    told = []
    report = compare([tmp_path], kept=[Shelf(["ada"])], progress=lambda *now: told.append(now))
    assert {s.id: s.role for s in report.submissions} == {"ada": "new", "bob": "new", "ada (2)": "archive"}
    assert report.parameters["archive"] == ["the shelf"]
    assert report.pairs == (), "nobody is compared with themselves"
    assert ("asking archives", 2, 2) in told
    (pair,) = compare([tmp_path], kept=[Shelf(["cyd"])]).pairs
    assert {pair.a, pair.b} == {"ada", "cyd"}
