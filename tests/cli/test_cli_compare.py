"""`moss compare`: the options of the contract, and what each of them does."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, MAZE, dead_code, write_class

from frontends import FRONTENDS
from moss.cli import main

ROOT = Path(__file__).parents[2]
OPTIONS = {
    "--language": "-l", "--base": "-b", "--archive": "-a", "--directory": "-d", "--max-matches": "-m", "--show": "-n",
    "--comment": "-c", "--noise": None, "--guarantee": None, "--output": "-o", "--json": None, "--csv": None,
    "--scores": None, "--anonymize": None, "--jobs": "-j", "--quiet": None,
}  # fmt: skip
COPIES = {"alice": {"Ledger.java": LEDGER}, "bob": {"Maze.java": MAZE}, "mallory": {"Bank.java": LEDGER}}


@pytest.fixture
def hw1(tmp_path):
    return write_class(tmp_path / "hw1", HONEST_JAVA | COPIES)


def run(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result


def report_of(*arguments):
    return json.loads(run("compare", "--json", "-", *arguments).stdout)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def parameters(report, key="thresholds"):
    return report["parameters"][key]


# Help.


@pytest.mark.parametrize("command", [(), *((name,) for name in sorted(main.commands))], ids=" ".join)
def test_help_has_an_example(command):
    result = run(*command, "--help")
    assert re.search(rf"^ +moss[ -]{' '.join(command)}", result.stdout, re.MULTILINE)
    assert run(*command, "-h").stdout == result.stdout


@pytest.mark.parametrize("option", OPTIONS)
def test_the_options_of_the_contract_are_there(option):
    [found] = [parameter for parameter in main.commands["compare"].params if option in parameter.opts]
    assert OPTIONS[option] is None or OPTIONS[option] in found.opts
    assert found.help


def test_every_option_has_help():
    assert all(parameter.help for parameter in main.commands["compare"].params if parameter.param_type_name == "option")


def test_the_default_of_show_is_that_of_the_contract():
    [show] = [parameter for parameter in main.commands["compare"].params if parameter.name == "show"]
    assert show.default == 250


def test_the_list_of_commands_says_what_each_says_of_itself():
    for name, command in main.commands.items():
        summary = main.commands.summaries[name]
        assert command.hidden == (not summary)
        assert command.hidden or " ".join(command.help.split()).startswith(summary)
        assert command.hidden or f"  {name} " in run("--help").stdout


def imported(*arguments):
    """The modules that a command imports."""
    program = (
        "import sys; from moss.cli import main\n"
        f"try: main({[*map(str, arguments)]!r})\nexcept SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


LARGE = {"asyncio", "charset_normalizer", "flask", "jinja2", "pydantic", "pygments", "rich", "sqlalchemy", "subprocess"}
"""What takes long to import, and is needed for something that `moss compare` seldom does."""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["compare", "--help"]], ids=" ".join)
def test_help_imports_nothing_large(arguments):
    modules = imported(*arguments)
    assert not modules & {*LARGE, "numpy", "frontends", "socket", "logging"}
    ours = {name for name in modules if name.startswith("moss.")}
    assert ours <= {
        "moss.cli",
        "moss.cli.commands",
        "moss.cli.numpy_settings",
        "moss.messages",
        "moss.cli.compare",
        "moss.cli.course_file",
        "moss.cli.options",
        "moss.cli.other_tools",
        "moss.cli.output",
        "moss.version",
    }


def test_comparing_a_small_class_imports_only_what_it_needs(hw1):
    modules = imported("compare", "--no-cache", hw1)
    assert "numpy" in modules
    assert not modules & {*LARGE, "logging", "multiprocessing"}
    others = ("moss.cli.corpus.", "moss.jobs", "moss.store", "moss.web", "moss.wire")
    assert not {name for name in modules if name.startswith(others)}


def test_a_report_is_taken_from_the_cache_and_written_without_what_checks_reports(hw1, tmp_path):
    arguments = ["compare", "--cache", tmp_path / "cache", "--json", tmp_path / "report.json", hw1]
    for _ in range(2):
        modules = imported(*arguments)
    assert "moss.comparison.detection" not in modules  # so it was in the cache
    assert not modules & {"pydantic", "pydantic_core", "moss.shapes"}


def test_python_dash_m(hw1):
    done = subprocess.run(
        [sys.executable, "-m", "moss", "compare", str(hw1)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "alice" in done.stdout
    assert not done.stderr


def test_wrong_usage_under_python_dash_m_names_the_program():
    done = subprocess.run([sys.executable, "-m", "moss", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No such command 'nonsense'" in done.stderr


def test_languages_lists_every_front_end():
    lines = run("languages").stdout.splitlines()
    listed = {line.split()[0]: line for line in lines[1:]}
    for frontend in FRONTENDS:
        assert all(word in listed[frontend.name] for word in (*frontend.endings, *frontend.aliases))


# What is printed.


def test_the_table(hw1):
    lines = run("compare", hw1).stdout.splitlines()
    assert lines[0].split() == ["rank", "score", "submission", "share", "submission", "share", "longest", "others"]
    assert lines[1].split()[:6] == ["1", "100%", "alice", "100%", "mallory", "100%"]
    assert lines[-2].endswith("among 7 submissions.")


def test_equal_comments_alone_have_a_dash_and_no_share_of_nothing(tmp_path):
    comment = "// the same long remark of two people, which no other has, and it goes on for a while\n" * 2
    two = {name: {"a.c": comment} for name in ("ada", "emeka")}
    table = run("compare", write_class(tmp_path / "hw1", HONEST_JAVA | two)).stdout
    [row] = [line.split() for line in table.splitlines() if "ada" in line and "emeka" in line]
    assert row[:6] == ["1", "100%", "ada", "-", "emeka", "-"]


def test_the_table_says_kinds_and_has_a_student_close_to_several_of_one_kind_once(tmp_path):
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {"ada": {"Bank.java": LEDGER}})
    answers = {f"answer{n}": {"A.java": LEDGER.replace("balance", f"value{n}")} for n in range(1, 5)}
    shown = run("compare", "--reference", "chatbot", write_class(tmp_path / "chat", answers), folder).stdout
    rows = [line for line in shown.splitlines() if "ada" in line.split() and "answer" in line]
    assert len(rows) == 1
    assert "answer1 (chatbot’s answer)" in rows[0]
    assert "only the best is in the table" in shown


def test_the_table_when_nothing_is_shared(tmp_path):
    folder = write_class(tmp_path / "hw1", {"a": {"a.java": "class A {}"}, "b": {"b.java": "interface Q { }"}})
    assert run("compare", folder).stdout == "No two submissions share a passage.\n"


def test_the_table_when_no_pair_has_the_score_or_none_was_asked_for(tmp_path):
    folder = write_class(tmp_path / "hw1", {"a": {"a.java": LEDGER}, "b": {"b.java": LEDGER.replace("balance", "sum")}})
    told = "No two submissions with a score of 99% or more share a passage.\n"
    assert run("compare", "--threshold", "0.999", folder).stdout == told
    assert run("compare", "-n", "0", folder).stdout == "This report was made without pairs.\n"


@pytest.mark.parametrize("option", ["--json", "--csv", "--scores"])
def test_a_dash_is_standard_output_and_nothing_else_is_there(hw1, tmp_path, option):
    file = tmp_path / "out"
    printed = run("compare", option, "-", hw1).stdout
    run("compare", option, file, hw1)
    without_time = [re.sub(r'"created": ".*?"', "", text) for text in (printed, file.read_bytes().decode())]
    assert without_time[0].replace("\r\n", "\n") == without_time[1].replace("\r\n", "\n")


def test_problems_go_to_standard_error(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES | {"eve": {"x.java": b"\x7fELF\0\0\0\0"}})
    result = run("compare", folder)
    assert "moss: eve/x.java: a compiled program in a file named like source code" in result.stderr
    assert "x.java" not in result.stdout


def test_csv_has_the_shown_pairs(hw1):
    report, table = report_of(hw1), rows(run("compare", "--csv", "-", hw1).stdout)
    assert [(row["a"], row["b"]) for row in table] == [(pair["a"], pair["b"]) for pair in report["pairs"]]
    for row, pair in zip(table, report["pairs"], strict=True):
        for figure in ("score", "similarity", "share_a", "share_b"):
            assert float(row[figure]) == pytest.approx(pair[figure], abs=1e-4)
        assert (int(row["tokens"]), int(row["longest"])) == (pair["tokens"], pair["longest"])


# Scores.


def scores_of(*arguments):
    return run("compare", "--scores", "-", *arguments).stdout


def test_scores_have_every_pair_best_first(hw1):
    table = rows(scores_of("-n", "1", hw1))
    scores = [float(row["score"]) for row in table]
    assert list(table[0]) == ["a", "b", "score"]
    assert len(table) > 1
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert len({frozenset((row["a"], row["b"])) for row in table}) == len(table)


def test_scores_are_those_of_the_report_in_its_order(hw1):
    report = report_of(hw1)
    table = [(row["a"], row["b"]) for row in rows(scores_of(hw1))]
    figures = {(row["a"], row["b"]): float(row["score"]) for row in rows(scores_of(hw1))}
    shown = [(pair["a"], pair["b"]) for pair in report["pairs"]]
    assert [pair for pair in table if pair in set(shown)] == shown
    for pair in report["pairs"]:
        assert figures[pair["a"], pair["b"]] == pytest.approx(pair["score"], abs=1e-6)


@pytest.mark.parametrize("show", [0, 1, 3])
def test_a_score_does_not_depend_on_what_is_shown(hw1, show):
    assert scores_of("-n", show, hw1) == scores_of(hw1)
    assert len(report_of("-n", show, hw1)["pairs"]) == show


def test_scores_are_the_same_again_with_any_number_of_processes_and_in_any_order(hw1, tmp_path):
    files = sorted(hw1.glob("*/*.java"))
    expected = scores_of(*files)
    assert scores_of("-j", "1", *files) == expected
    assert scores_of("-j", "3", *reversed(files)) == expected
    assert scores_of(*files[3:], *files[:3]) == expected


def test_the_report_is_the_same_in_another_process_with_other_hashes(hw1):
    def report(seed):
        done = subprocess.run(
            [sys.executable, "-m", "moss", "compare", "--json", "-", str(hw1)],
            cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return {key: value for key, value in json.loads(done.stdout).items() if key != "created"}

    assert report("1") == report("2")


# Options.


def test_directory_makes_files_of_one_directory_one_submission(tmp_path):
    folder = write_class(tmp_path / "hw1", {"alice": {"A.java": LEDGER, "B.java": MAZE}, "bob": {"A.java": LEDGER}})
    files = sorted(folder.glob("*/*.java"))
    together = report_of("-d", "-l", "java", *files)
    assert [(s["id"], [f["path"] for f in s["files"]]) for s in together["submissions"]] == [
        ("alice", ["A.java", "B.java"]),
        ("bob", ["A.java"]),
    ]
    assert len(report_of(*files)["submissions"]) == 3


def test_mossers_habits(tmp_path):
    base = tmp_path / "Base.java"
    base.write_text(MAZE)
    members = {name: {"Main.java": program, "Base.java": MAZE} for name, program in (("a", LEDGER), ("b", LEDGER))}
    folder = write_class(tmp_path / "hw1", members | {"c": {"Base.java": MAZE}})
    report = report_of("-l", "java", "-d", "-m", "10", "-c", "hw 1", "-b", base, *sorted(folder.glob("*/*.java")))
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [("a", "b")]
    assert {match["a"]["file"] for match in report["pairs"][0]["matches"]} == {"Main.java"}
    assert parameters(report, "comment") == "hw 1"


def test_a_passage_of_more_than_m_submissions_is_common(tmp_path):
    members = {name: {"A.java": LEDGER, "B.java": dead_code(seed, 100)} for seed, name in enumerate("abc")}
    folder = write_class(tmp_path / "hw1", members | HONEST_JAVA)
    for pair in report_of("-m", "3", folder)["pairs"][:3]:
        assert {match["a"]["file"] for match in pair["matches"]} >= {"A.java"}
    for pair in report_of("-m", "2", folder)["pairs"]:
        assert not {pair["a"], pair["b"]} <= set("abc") or {m["a"]["file"] for m in pair["matches"]} == {"B.java"}


def test_archives_are_compared_with_the_new_only(tmp_path):
    new = write_class(tmp_path / "new", {"bob": {"Maze.java": MAZE}, "mallory": {"Bank.java": LEDGER}})
    old = write_class(tmp_path / "old", {"alice": {"L.java": LEDGER}, "amy": {"L.java": LEDGER}})
    report = report_of(new, "-a", old)
    found = [(pair["a"], pair["b"]) for pair in report["pairs"]]
    assert found[:2] == [("alice", "mallory"), ("amy", "mallory")]
    assert ("alice", "amy") not in found
    assert {s["id"]: s["role"] for s in report["submissions"]} == {
        "alice": "archive", "amy": "archive", "bob": "new", "mallory": "new",
    }  # fmt: skip


def test_thresholds_are_what_the_user_says_and_are_told(hw1):
    report = report_of("--noise", "30", "--guarantee", "40", hw1)
    assert {(layer["noise"], layer["guarantee"]) for layer in parameters(report)} == {(30, 40)}
    assert all(match["tokens"] >= 30 for pair in report["pairs"] for match in pair["matches"])


@pytest.mark.parametrize(
    ("option", "value"), [("--noise", 25), ("--guarantee", 25), ("--guarantee", 3), ("--noise", 2)]
)
def test_one_threshold_alone_holds(hw1, option, value):
    for layer in parameters(report_of(option, value, hw1)):
        assert layer[option.strip("-")] == value
        assert 2 <= layer["noise"] <= layer["guarantee"]


def test_a_shared_run_of_the_guarantee_is_found_and_one_below_the_noise_is_not(tmp_path):
    words = [f"w{i}" for i in range(12)]
    folder = write_class(
        tmp_path / "hw1",
        {
            "a": {"a.txt": " ".join(["one", *words, "two", "three four five six"])},
            "b": {"b.txt": " ".join(["seven", "eight", *words, "nine ten eleven twelve"])},
        },
    )
    assert report_of("--noise", "4", "--guarantee", "12", folder)["pairs"]
    assert not report_of("--noise", "13", "--guarantee", "13", folder)["pairs"]


def test_the_output_folder(hw1, tmp_path):
    output = tmp_path / "deep" / "report"
    result = run("compare", hw1, "-o", output)
    assert f"Report: {output / 'index.html'}" in result.stderr
    page = (output / "index.html").read_text()
    assert "alice" in page
    assert json.loads((output / "report.json").read_text())["format"] == "moss-report"


def test_the_folder_has_the_report_that_is_written_as_json(hw1, tmp_path):
    output, written = tmp_path / "out", tmp_path / "report.json"
    run("compare", hw1, "-o", output, "--json", written)
    assert json.loads(written.read_text())["pairs"]
    assert (output / "report.json").read_bytes() == written.read_bytes()


def test_when_nothing_can_be_read_every_reason_is_listed(tmp_path):
    for name, content in {
        "ann.pdf": b"%PDF-1.4\n",
        "bob.png": b"\x89PNG\r\n\x1a\n\0",
        "cyd.docx": b"PK\x03\x04",
    }.items():
        (tmp_path / name).write_bytes(content)
    result = CliRunner().invoke(main, ["compare", "--no-cache", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (2, "")
    *reasons, last = result.stderr.splitlines()
    assert last == "moss: there is nothing to compare: none of the submissions has a file that can be read"
    for name in ("ann.pdf: a damaged PDF", "bob.png: a PNG image", "cyd.docx: a damaged zip archive"):
        assert any(line.startswith(f"moss: {name}") for line in reasons)
