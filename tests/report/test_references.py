"""References: told by their kind on every page, and a student who is close to several of one kind is listed once."""

import csv
import json
import re
from io import StringIO

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, MAZE, write_class

import moss
from moss.cli import main
from moss.model import ReferenceKind, Role, Standing
from moss.report.csv_tables import write_csv
from moss.report.evidence.document import render_evidence
from moss.report.page_templates import DiskLinks
from moss.report.pages.overview import counts, render_overview, rows
from moss.report.pages.pair_list import pair_list_script
from moss.report.site import write_site
from moss.report.words.references import fold_references, kind_in_words, listed_in_ranking
from moss.report.words.run_words import command


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A class in which one student has a chatbot's answer, four such answers, earlier work and the task."""
    root = tmp_path_factory.mktemp("references")
    answers = {f"answer{n}": {"A.java": LEDGER.replace("balance", f"value{n}")} for n in range(1, 5)}
    write_class(root / "class", HONEST_JAVA | {"ada": {"Bank.java": LEDGER}, "emeka": {"Maze.java": MAZE}})
    write_class(root / "answers", answers)
    write_class(root / "earlier", {"old": {"Maze.java": MAZE}, "older": {"Maze.java": MAZE + "// 2024\n"}})
    (root / "task.md").write_text("Write a bank.\n")
    return root


@pytest.fixture(scope="module")
def report(folders):
    references = [(ReferenceKind.CHATBOT, folders / "answers"), (ReferenceKind.TASK, folders / "task.md")]
    return moss.compare(
        [folders / "class"], archive=[folders / "earlier"], references=references, settings=moss.Settings(jobs=1)
    )


def test_each_reference_has_its_kind_and_earlier_work_is_one(report):
    kinds = {record.id: record.kind for record in report.submissions}
    assert kinds["answer1"] is ReferenceKind.CHATBOT
    assert kinds["task.md"] is ReferenceKind.TASK
    assert kinds["old"] is ReferenceKind.EARLIER
    assert kinds["ada"] is None


def test_a_student_close_to_several_of_one_kind_is_listed_once_and_nothing_is_lost(report):
    listed = {row.number: row for row in rows(report) if not row.behind}
    assert sorted([*listed, *(n for row in listed.values() for n in row.further)]) == [
        n for n, _ in enumerate(report.pairs, 1)
    ]

    def of_kind(kind, student):
        return [row for row in listed.values() if [side.id for side in row.sides if not side.kind] == [student]
                and kind in {side.kind for side in row.sides}]  # fmt: skip

    [chatbot] = of_kind(ReferenceKind.CHATBOT, "ada")
    assert len(chatbot.further) == 3
    assert all(report.pairs[n - 1].score <= chatbot.pair.score for n in chatbot.further)
    assert len(of_kind(ReferenceKind.EARLIER, "emeka")) == 2, "behind each stands another student"
    assert list(fold_references(report)) == sorted(listed)
    script = pair_list_script(report, DiskLinks())
    behind = json.loads(script.removeprefix("var mossPairs=").removesuffix(";\n"))["pairs"]["behind"]
    assert [n for n, best in enumerate(behind, 1) if best == chatbot.number] == list(chatbot.further)


def test_cards_histogram_and_threshold_count_what_is_listed(report):
    """A student close to four answers of a chatbot is one very unusual pair, wherever pairs are counted."""
    listed = [row for row in rows(report) if not row.behind]
    told = counts(report)
    assert told["far"] == sum(row.standing is Standing.FAR for row in listed)
    assert told["above"] == sum(row.standing is Standing.ABOVE for row in listed)
    script = pair_list_script(report, DiskLinks())
    lowest = json.loads(script.removeprefix("var mossPairs=").removesuffix(";\n"))["thresholds"][0][1]
    bars = map(int, re.findall(r'data-count="(\d+)"', render_overview(report, DiskLinks())))
    counted = listed_in_ranking(report)
    assert sum(bars) == told["scores"] == counted.sum() < told["sharing"]
    assert f" {told['scores']} pairs," in lowest
    ids = [record.id for record in report.submissions]
    columns = (report.ranking.a[counted].tolist(), report.ranking.b[counted].tolist())
    of_ranking = {frozenset((ids[a], ids[b])) for a, b in zip(*columns, strict=True)}
    with_page = {frozenset((pair.a, pair.b)) for pair in report.pairs}
    assert of_ranking & with_page == {frozenset((row.pair.a, row.pair.b)) for row in listed}


def test_files_are_counted_as_students_are(report):
    """As the check of an upload counts them; what students are compared with has files, too, which are listed."""
    of_students = [file for record in report.submissions if record.role is Role.NEW for file in record.files]
    told = counts(report)
    assert told["read"] == len(of_students) == told["files"] - told["of_others"] < told["files"]
    page = render_overview(report, DiskLinks())
    tab = re.search(r'<a href="#files".*?</a>', page, re.DOTALL)[0]
    assert f'<span class="count">{len(of_students)}</span>' in tab
    assert f"{told['of_others']} of these files are from earlier work or other references" in page


def test_a_drawing_says_the_kinds_of_its_squares_to_all(report, tmp_path):
    page = write_site(report, tmp_path).read_text()
    assert "Squares: earlier work and chatbot’s answer." in page
    assert 'aria-label="answer1, chatbot’s answer"' in page
    alone = next(number for number, ids in enumerate(report.clusters, 1) if "answer1" in ids)
    [cluster] = (tmp_path / "clusters").glob(f"*{alone}.html")
    assert "Squares: chatbot’s answer." in cluster.read_text()


def test_pages_and_evidence_say_the_kind(report, tmp_path):
    write_site(report, tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "chatbot’s answer" in page
    link = re.findall(r'href="([^"]+)">3 more of this kind', page)[0]
    students_page = (tmp_path / link).read_text()
    assert all(f"answer{n}" in students_page for n in range(1, 5)), "there the others can be opened"
    number = next(n for n, pair in enumerate(report.pairs, 1) if {pair.a, pair.b} == {"ada", "answer1"})
    assert "<small>chatbot’s answer</small>" in render_evidence(report, number)
    assert "chatbot’s answer" in render_evidence(report, number, student="ada")
    assert "answer1" not in render_evidence(report, number, student="ada").replace("answer1/", "")


def test_a_table_for_spreadsheets_has_the_kind_of_each_pair(report):
    file = StringIO()
    write_csv(report, file)
    rows = csv.DictReader(file.getvalue().splitlines())
    kinds = {record.id: record.kind for record in report.submissions}
    told = [(row["a"], row["b"], row["reference"]) for row in rows]
    assert told == [(pair.a, pair.b, kinds[pair.a] or kinds[pair.b] or "") for pair in report.pairs]
    assert {"", "earlier", "chatbot"} <= {kind for _, _, kind in told}


def test_the_command_line_has_them_and_the_report_repeats_it(folders, tmp_path):
    told = ["--reference", "chatbot", str(folders / "answers"), "--reference", "task", str(folders / "task.md")]
    done = CliRunner().invoke(
        main, ["compare", "-j", "1", "--quiet", "--json", str(tmp_path / "r.json"), *told, str(folders / "class")]
    )
    assert done.exit_code == 0, done.output
    read = json.loads((tmp_path / "r.json").read_text())
    kinds = {each["id"]: each.get("reference") for each in read["submissions"]}
    assert (kinds["answer1"], kinds["task.md"], kinds["ada"]) == ("chatbot", "task", None)
    assert " ".join(told) in command(read["parameters"])
    wrong = CliRunner().invoke(main, ["compare", "--reference", "oracle", "x", "y"])
    assert wrong.exit_code == 2
    assert "there are earlier, model, task, book, chatbot" in wrong.stderr


def test_a_settings_file_has_them_too(folders):
    config = folders / "moss.toml"
    config.write_text('[compare]\npaths = ["class"]\nreference = [["chatbot", "answers"]]\n')
    done = CliRunner().invoke(main, ["compare", "-j", "1", "--quiet", "--json", "-", "--config", str(config)])
    assert "chatbot" in {each.get("reference") for each in json.loads(done.stdout)["submissions"]}
    config.write_text('[compare]\npaths = ["class"]\nreference = ["chatbot"]\n')
    wrong = CliRunner().invoke(main, ["compare", "--config", str(config)])
    assert (wrong.exit_code, "reference must be a list such as" in wrong.stderr) == (2, True)


def test_every_kind_has_its_words():
    assert len({kind_in_words(kind) for kind in ReferenceKind}) == len(ReferenceKind)
