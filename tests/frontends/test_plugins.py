"""Front ends of other packages: installed for real, used by the real program, and refused with a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from support.plugin_package import LOGO, make_wheel, pip_install, unpack
from support.programs import HONEST_JAVA, write_class

from frontends import Frontend, plugins
from frontends.lexing.scanner import Lexicon, comment, scanner
from frontends.normalise.outline import outline
from frontends.plugins import CheckedScan
from moss.model import Channel, TokenStream

SQUARE = """
; draws {0} squares
to square{0} :side
  repeat 4 [ forward :side right 90 ]
  if :side > 100 [ stop ]
  make "next{0} :side * 2
  square{0} :next{0}
end
to flower{0} :n
  repeat :n [ square{0} 20 right 360 / :n ]
  ifelse :n > 7 [ output :n ] [ pu back 10 left 45 pd ]
end
"""
OTHER = "".join(
    f'to f{n} :x{n}\n  pu left {n} make "y{n} :x{n} + {n} pd\n  forward :y{n} output :x{n}\nend\n' for n in range(9)
)
CLASS = {
    "ada": {"square.lgo": SQUARE.format(1)},
    "bob": {"quadrat.lgo": SQUARE.format("andmore").replace(" draws", " paints")},
    "cem": {"other.lgo": OTHER},
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that pip has installed a package into."""
    folder = tmp_path_factory.mktemp("plugin")
    pip_install(make_wheel(folder, "moss-logo", LOGO), folder / "installed")
    return folder / "installed"


def moss(*arguments, packages=None):
    """What a command prints when these packages are there."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MOSS_", "PYTHONPATH"))}
    found = {"PYTHONPATH": str(packages)} if packages else {}
    command = [sys.executable, "-m", "moss", *map(str, arguments)]
    return subprocess.run(command, env=clean | found, capture_output=True, text=True, check=False)


def report_of(folder, packages, tmp_path, *options):
    """The report and what was printed."""
    written = tmp_path / "report.json"
    done = moss("compare", "--quiet", "-j", "1", *options, "--json", written, folder, packages=packages)
    assert done.returncode == 0, done.stderr
    return json.loads(written.read_text()), done.stdout


def languages(report):
    """The languages in which files were read."""
    return {file["language"] for submission in report["submissions"] for file in submission["files"]}


def refused(tmp_path, source, name="moss-bad", value=""):
    """The sentence about a package that cannot be used."""
    unpack(make_wheel(tmp_path, name, source, value=value), tmp_path / "bad")
    done = moss("languages", packages=tmp_path / "bad")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_language_of_another_package_is_listed_with_where_it_is_from(installed):
    done = moss("languages", packages=installed)
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert rows["logo"].split()[1:] == [
        "turtle",
        ".lgo",
        *["a", "table", "of", "its", "own"],
        "12/16",
        "moss-logo",
        "1.2",
    ]
    assert rows["java"].endswith(" moss")
    assert "logo" not in moss("languages").stdout


def test_its_files_are_read_by_it(installed, tmp_path):
    folder = write_class(tmp_path / "hw1", CLASS)
    with_it, printed = report_of(folder, installed, tmp_path, "--no-cache")
    without, _ = report_of(folder, None, tmp_path, "--no-cache")
    assert "logo is imported" in printed
    assert languages(with_it) == {"logo"}
    assert "logo" not in languages(without)
    best = with_it["pairs"][0]
    assert (best["a"], best["b"], best["share_a"], best["share_b"]) == ("ada", "bob", 1, 1)  # renamed, and found
    assert without["pairs"][0]["share_a"] < 1


@pytest.mark.parametrize("asked", [("-l", "turtle"), ("-l", "LOGO")])
def test_it_can_be_asked_for_by_name(installed, tmp_path, asked):
    folder = write_class(tmp_path / "hw1", {name: {"x.c": "".join(files.values())} for name, files in CLASS.items()})
    found, _ = report_of(folder, installed, tmp_path, "--no-cache", *asked)
    assert languages(found) == {"logo"}


def test_nothing_of_it_is_imported_for_a_class_in_our_languages(installed, tmp_path):
    folder = write_class(
        tmp_path / "hw1", {**HONEST_JAVA, "ada": {"Makefile": "all:\n\techo\n", "A.java": "class A {}"}}
    )
    _, printed = report_of(folder, installed, tmp_path, "--no-cache")
    assert "logo is imported" not in printed


def test_another_version_or_none_is_another_result(installed, tmp_path):
    folder = write_class(tmp_path / "hw1", CLASS)
    unpack(make_wheel(tmp_path, "moss-logo", LOGO, version="1.3"), tmp_path / "newer")
    cache = ("--cache", tmp_path / "cache")
    imported = []
    for packages in (installed, installed, tmp_path / "newer", None, None):
        _, printed = report_of(folder, packages, tmp_path, *cache)
        imported.append("logo is imported" in printed)
    assert imported == [True, False, True, False, False]  # the second time, what was found is found again
    assert "logo" not in languages(report_of(folder, None, tmp_path, *cache)[0])


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import nothing_of_the_kind", "cannot be loaded (ModuleNotFoundError: No module named 'nothing_of_the_kind')"),
        ("FRONTENDS = (", "cannot be loaded (SyntaxError: "),
        ("X = 1", "cannot be loaded (AttributeError: "),
        ("FRONTENDS = ()", "has no front ends where it says, in moss_bad:FRONTENDS"),
        ("FRONTENDS = ('logo',)", "has no front ends where it says"),
        (LOGO.replace('"logo", scanner', '"Logo", scanner'), "with 'Logo': names and endings are in lower case"),
        (LOGO.replace('".lgo"', '"lgo"'), "with 'lgo': names and endings are in lower case, and endings begin with"),
        (LOGO.replace('"logo", scanner', '"java", scanner'), "would read java, which moss does already"),
        (LOGO.replace('"turtle"', '"c++"'), "would read c++, which moss does already"),
        (LOGO.replace('".lgo"', '".py"'), "would read .py, which moss does already"),
    ],
)
def test_a_package_that_cannot_be_used_is_one_sentence(tmp_path, source, sentence):
    said = refused(tmp_path, source)
    assert "moss-bad 1.2" in said
    assert sentence in said


def test_two_packages_for_one_language_are_refused(tmp_path):
    unpack(make_wheel(tmp_path, "moss-also", LOGO), tmp_path / "bad")
    assert "moss-bad 1.2 would read logo, which moss-also 1.2 does already" in refused(tmp_path, LOGO)


def test_a_comparison_says_so_too(tmp_path):
    unpack(make_wheel(tmp_path, "moss-bad", "1 / 0"), tmp_path / "bad")
    done = moss("compare", "--no-cache", write_class(tmp_path / "hw1", CLASS), packages=tmp_path / "bad")
    assert done.returncode == 1
    assert done.stderr.strip() == (
        "Error: the front ends of moss-bad 1.2 cannot be loaded (ZeroDivisionError: division by zero): "
        "mend or uninstall it"
    )


FOREIGN = """
import os, time
from frontends.frontend import Frontend
from frontends.languages.generic import scan_anything

def scan(text):
    if "crash" in text: os._exit(9)
    if "lie" in text: return {}
    return scan_anything(text)

FRONTENDS = Frontend("logo", scan, "a function", endings=(".lgo",))
"""


def test_a_scanner_that_is_not_of_our_parts_costs_no_more_than_its_file(tmp_path):
    unpack(make_wheel(tmp_path, "moss-foreign", FOREIGN), tmp_path / "foreign")
    good = {name: {"a.lgo": SQUARE.format(name)} for name in ("ada", "bob")}
    bad = {"crash": {"a.lgo": f"{OTHER}crash"}, "lie": {"a.lgo": f"{OTHER}lie"}}
    found, _ = report_of(write_class(tmp_path / "hw1", good | bad), tmp_path / "foreign", tmp_path, "--no-cache")
    read = {s["id"]: (s["files"][0]["status"], s["files"][0]["reason"]) for s in found["submissions"]}
    assert read["ada"] == read["bob"] == ("ok", "")
    assert read["crash"][0] == read["lie"][0] == "fallback"
    assert "crashed" in read["crash"][1]
    assert "ValueError" in read["lie"][1]


def stream(codes, start, end):
    return TokenStream(np.array(codes, np.uint64), np.array(start, np.int64), np.array(end, np.int64))


GOOD = stream([1, 2], [0, 2], [2, 3])


@pytest.mark.parametrize(
    "tokens",
    [
        {},
        {Channel.TEXT: GOOD},
        {Channel.STRUCTURE: GOOD},
        {Channel.TEXT: GOOD, Channel.STRUCTURE: stream([1], [0], [9])},
        {Channel.TEXT: GOOD, Channel.STRUCTURE: stream([1], [-1], [1])},
        {Channel.TEXT: GOOD, Channel.STRUCTURE: stream([1, 2], [0, 1], [2, 3])},
        {Channel.TEXT: GOOD, Channel.STRUCTURE: stream([1, 2], [2, 0], [3, 1])},
        {Channel.TEXT: GOOD, Channel.STRUCTURE: TokenStream(GOOD.codes.astype(np.int64), GOOD.start, GOOD.end)},
    ],
)
def test_tokens_that_are_none_are_refused(tokens):
    with pytest.raises(ValueError, match="a scanner"):
        CheckedScan(lambda text: tokens, Channel.STRUCTURE)("abc")


def test_tokens_that_are_some_are_not():
    tokens = {Channel.TEXT: GOOD, Channel.STRUCTURE: stream([], [], [])}
    assert CheckedScan(lambda text: tokens, Channel.STRUCTURE)("abc") is tokens


def test_a_worker_does_not_start_with_a_package_that_cannot_be_used(tmp_path):
    unpack(make_wheel(tmp_path, "moss-bad", "1 / 0"), tmp_path / "bad")
    done = moss("worker", "--data", tmp_path / "data", packages=tmp_path / "bad")
    assert done.returncode == 1
    assert "the front ends of moss-bad 1.2 cannot be loaded" in done.stderr


def test_its_programs_have_outlines(monkeypatch):
    """Brackets go and all values are alike, as in our languages."""
    lexicon = Lexicon(
        vocabulary="of another package", keywords=frozenset({"repeat"}), rules=(comment(";", r"[^\n]*+"),)
    )
    logo = Frontend("logo", scanner(lexicon), "a table")
    one, other = (logo.scan(text)[Channel.STRUCTURE].codes for text in ("repeat (x) + 4", "repeat y + z"))
    assert outline(one).tolist() != outline(other).tolist()
    monkeypatch.setattr(plugins, "_loaded", [plugins.Plugin("moss-logo 1.2", (logo,))])
    assert outline(one).tolist() == outline(other).tolist()
