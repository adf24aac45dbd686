"""`moss evidence`: one file from a report's folder, a clear sentence for every mistake."""

import csv
import hashlib
import re
import shutil
import stat
import subprocess

import pytest
from browser.tools import lacking
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, MAZE, write_class

from moss.cli import main
from moss.cli.evidence import default_name
from moss.report.evidence.pdf import find_browser
from moss.shipped import shipped

SAMPLES = shipped("sample_submissions") / "java-library" / "submissions"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("cli")
    members = {"=alice": {"A.java": LEDGER}, "mallory": {"B.java": f"// mallory\n{LEDGER}"}}
    folder = write_class(root / "hw1", HONEST_JAVA | members)
    result = CliRunner().invoke(main, ["compare", "-j", "1", "-o", str(root / "report"), str(folder)])
    assert result.exit_code == 0, result.output
    return root / "report"


def run(*arguments):
    return CliRunner().invoke(main, ["evidence", *map(str, arguments)])


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def test_a_file_is_written_and_its_digest_told(report, tmp_path):
    page = tmp_path / "case.html"
    told = done(report, "=alice", "mallory", "-o", page, "--note", "Seen together.").stderr
    assert f"Evidence on =alice and mallory: {page}" in told
    assert hashlib.sha256(page.read_bytes()).hexdigest() in told
    assert "Seen together." in page.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["case.html"]


def test_the_order_does_not_matter(report, tmp_path):
    pages = []
    for a, b in (("=alice", "mallory"), ("mall", "=a")):
        done(report, a, b, "-o", tmp_path / "x.html")
        pages.append(re.sub(r"<div><dt>Document made.*", "", (tmp_path / "x.html").read_text()))
    assert pages[0] == pages[1]


def test_names_go_into_a_table_of_their_own(report, tmp_path):
    done(report, "=alice", "mallory", "-o", tmp_path / "case.html", "--anonymize")
    table = tmp_path / "case.names.csv"
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["pseudonym"] for row in rows] == ["student1", "student2"]
    assert {(row["submission"], row["owner"]) for row in rows} == {("'=alice", "'=alice"), ("mallory", "mallory")}
    page = (tmp_path / "case.html").read_text().lower()
    assert "alice" not in page
    assert "mallory" not in page


def test_the_table_goes_where_it_is_told(report, tmp_path):
    done(report, "=alice", "mallory", "-o", tmp_path / "case.html", "--anonymize", "--names", tmp_path / "safe.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.html", "safe.csv"]


def test_the_file_has_a_name_by_itself_and_an_anonymous_one_tells_nobody(report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done(report, "=alice", "mallory")
    done(report, "=alice", "mallory", "--anonymize")
    names = {path.name for path in tmp_path.iterdir()}
    anonymous = {"evidence-student1-student2.html", "evidence-student1-student2.names.csv"}
    assert names == {"evidence-alice-mallory.html", *anonymous}


@pytest.mark.parametrize("id", ["../../etc/passwd", "a b\n\u202e", "....", "é/ö", "x" * 300, "-rf"])
def test_a_name_is_of_plain_characters(id):
    assert re.fullmatch(r"evidence-[\w.-]{1,60}-b\.html", default_name([id, "b"]), re.ASCII)
    assert "/" not in default_name([id, "b"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("{report}", "=alice", "malory"), "did you mean mallory?"),
        (("{report}", "=alice", "=alice"), "is named twice"),
        (("{tmp}", "a", "b"), "is not a report"),
        (("{tmp}/nowhere", "a", "b"), "is not a report"),
        (("{report}", "=alice", "mallory", "-o", "{tmp}/no/x.html"), "cannot write"),
        (("{report}", "=alice", "mallory", "-o", "{tmp}"), "cannot write"),
        (("{report}", "=alice", "mallory", "--names", "{tmp}/n.csv"), "--names needs --anonymize"),
        (("{report}", "=alice", "mallory", "--anonymize", "--name-others"), "can't be used together"),
        (("{report}", "=alice", "mallory", "--anonymize", "-o", "{tmp}/x", "--names", "{tmp}/x"), "cannot be both"),
        (("{report}", "=alice", "mallory", "--for", "hugo"), "a copy is for one of the two"),
        (("{report}", "=alice", "mallory", "--for", "mallory", "--anonymize"), "can't be used with"),
        (("{report}", "=alice", "mal\x1b[31mlory"), "the report has no submission"),
    ],
)  # fmt: skip
def test_every_mistake_is_one_sentence(report, tmp_path, arguments, words):
    result = run(*(argument.format(report=report, tmp=tmp_path) for argument in arguments))
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert "\x1b" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_option_has_help():
    assert all(option.help for option in main.commands["evidence"].params if option.param_type_name == "option")


def test_a_copy_for_a_student_names_nobody_else(report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done(report, "=alice", "mallory", "--for", "=al")
    [page] = tmp_path.iterdir()
    assert page.name == "evidence-alice-copy.html"
    assert "=alice" in page.read_text()
    assert "mallory" not in page.read_text()


def long_programs():
    """Two programs of about 370 lines: more than half of each is the other's, with some names changed and moved."""
    changes = {"balance": "saldo", "account": "konto", "amount": "sum", "path": "route", "maze": "labyrinth"}
    names = re.compile(rf"\b({'|'.join(changes)})\b")
    own = [(SAMPLES / who / "Main.java").read_text() for who in ("uma", "bela")]
    ledger, maze = (names.sub(lambda found: changes[found[0]], text) for text in (LEDGER, MAZE))
    return LEDGER + MAZE + own[0], ledger + own[1] + maze


def test_a_long_pair_is_printed_on_few_sheets_each_with_both_names_and_its_number(tmp_path):
    if find_browser() is None or shutil.which("pdftotext") is None:
        lacking("printing needs a browser and pdftotext: apt install chromium-headless-shell poppler-utils")
    texts = dict(zip(("=alice", "mallory"), long_programs(), strict=True))
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {name: {"Main.java": text} for name, text in texts.items()})
    compared = CliRunner().invoke(main, ["compare", "-j", "1", "-o", str(tmp_path / "report"), str(folder)])
    assert compared.exit_code == 0, compared.output
    page = tmp_path / "case.pdf"
    told = done(tmp_path / "report", "=alice", "mallory", "--pdf", "-o", page).stderr
    assert page.read_bytes().startswith(b"%PDF-")
    assert hashlib.sha256(page.read_bytes()).hexdigest() in told
    text = subprocess.run(["pdftotext", "-layout", page, "-"], capture_output=True, text=True, check=True).stdout
    sheets = text.split("\f")[:-1]
    assert len(sheets) <= 10
    for number, sheet in enumerate(sheets, 1):
        assert f"Page {number} of {len(sheets)}" in sheet
        assert "=alice and mallory" in " ".join(sheet.split())


def test_without_a_browser_a_sentence_says_what_to_install(report, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run(report, "=alice", "mallory", "--pdf", "-o", tmp_path / "case.pdf")
    assert result.exit_code == 2
    assert "install Chromium or Chrome" in result.stderr
    assert not (tmp_path / "case.pdf").exists()


def test_a_browser_that_fails_leaves_nothing_behind(report, tmp_path, monkeypatch):
    broken = tmp_path / "bin" / "chromium"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    result = run(report, "=alice", "mallory", "--pdf", "-o", tmp_path / "case.pdf")
    assert (result.exit_code, "could not print" in result.stderr) == (2, True)
    assert not (tmp_path / "case.pdf").exists()
