"""What is installed is complete and no more than it need be: wheel and editable install, with and without extras."""

from __future__ import annotations

import ast
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
import urllib.request
import venv
import zipfile
from collections import Counter
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest
from browser.tools import lacking

from moss.shipped import DISTRIBUTION, EXTRAS, how_to_install

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_submissions" / "essays"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLAIN = {"charset_normalizer", "click", "jinja2", "numpy", "pydantic", "pygments", "rich"}
ALL = [module for modules in EXTRAS.values() for module in modules]
BROUGHT_ALONG = {"markupsafe"}  # by jinja2, whose public interface it is part of
CALLED_BY = {"babel"}  # which is installed wherever it calls what imports it: the extractor of messages


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; it must succeed, with nothing of this checkout on its path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def new_environment(folder: Path) -> Path:
    """An environment that sees the packages installed here, so that nothing has to be fetched; returns its bin."""
    venv.create(folder, with_pip=False, system_site_packages=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    here = Path(next(path for path in sys.path if path.endswith("site-packages")))
    names = [p for p in here.iterdir() if not p.name.startswith(("moss", "_moss", "__editable__")) and p.name != "pip"]
    for package in names:
        if package.suffix != ".pth":
            (site / package.name).symlink_to(package)
    return folder / "bin"


def install(bin_folder: Path, *what: str) -> None:
    python = bin_folder / "python"
    command = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet", "--no-deps"]
    run(*command, "--no-build-isolation", "--disable-pip-version-check", *what, cwd=bin_folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT]
    run(*command, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_holds_front_ends_templates_and_samples(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {"frontends": "frontends", "moss": "moss"} | {
        name: f"moss/{name}" for name in ("templates", "sample_submissions")
    }
    for folder, packed in inside.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{packed}/{path.relative_to(ROOT / folder)}" in names
    besides = [name for name in names if ".dist-info/" not in name and not name.startswith(("frontends/", "moss/"))]
    assert [name.partition(".data/")[2] for name in besides] == ["data/share/man/man1/moss.1"]


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_an_installed_moss_works_from_any_directory(kind, request, tmp_path):
    bin_folder = new_environment(tmp_path / "environment")
    what = [str(request.getfixturevalue("wheel"))] if kind == "wheel" else ["--editable", str(ROOT)]
    install(bin_folder, *what)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "essays" not in run(bin_folder / "moss", "--version", cwd=elsewhere)
    output = run(bin_folder / "moss", "compare", "-o", "report", SAMPLE / "submissions", cwd=elsewhere)
    assert "alma" in output
    assert "celine" in (elsewhere / "report" / "index.html").read_text()
    where = run(
        bin_folder / "python", "-c", "import moss, frontends; print(moss.__file__, frontends.__file__)", cwd=elsewhere
    )
    assert (str(ROOT) in where) == (kind == "editable")


def imported(path: Path) -> set[str]:
    """The packages that a module imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in named}


def named_in(requirements: list[str]) -> set[str]:
    """The modules of the packages that requirements name; here each module is called as its package is."""
    names = (re.split(r"[^\w-]", requirement)[0] for requirement in requirements)
    return {name.removesuffix("-c").replace("-", "_") for name in names}


def test_everything_imported_comes_with_the_plain_install_or_with_an_extra():
    ours = {"moss", "frontends"}
    for path in (path for name in ours for path in (ROOT / name).rglob("*.py")):
        known = (
            sys.stdlib_module_names
            | ours
            | PLAIN
            | BROUGHT_ALONG
            | CALLED_BY
            | {each for some in EXTRAS.values() for each in some}
        )
        assert imported(path) <= known, path
    assert named_in(PROJECT["dependencies"]) == PLAIN


def test_extras_bring_what_is_missing_without_them():
    extras = PROJECT["optional-dependencies"]
    assert PROJECT["name"] == DISTRIBUTION
    assert set(extras) - {"bench", "dev"} == set(EXTRAS)
    for extra, modules in EXTRAS.items():
        brought = named_in(extras[extra]) - {DISTRIBUTION.replace("-", "_")}
        assert brought <= set(modules)
    (all_others,) = (each for each in extras["dev"] if each.startswith(DISTRIBUTION))
    assert set(re.findall(r"\w+", all_others.partition("[")[2])) == set(EXTRAS)


def test_each_package_that_the_project_names_has_one_pinned_version_in_tests():
    pins = (ROOT / "constraints.txt").read_text() + (ROOT / ".ci" / "versions.txt").read_text()
    pinned = Counter(name.lower().replace("_", "-") for name in re.findall(r"^([\w.-]+)==", pins, re.MULTILINE))
    requirements = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    named = {re.split(r"[^\w.-]", each)[0] for each in requirements} - {DISTRIBUTION}
    assert named <= set(pinned)
    assert set(pinned.values()) == {1}


WITHOUT = """
import sys

missing = sys.argv.pop(1).split(",")

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from moss.cli import main
main(prog_name="moss")
"""


def moss_without(modules, *arguments, folder, **environment):
    """What `moss` does in an environment that lacks some packages."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
    command = [sys.executable, "-c", WITHOUT, ",".join(modules), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=clean | environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["serve", "--help"],
        ["worker", "--help"],
        ["corpus", "--help"],
        ["admin", "--help"],
        ["submit", "--help"],
        ["languages"],
        ["cache", "show"],
        ["repeat", "--help"],
        ["compare", "-o", "report", SAMPLE / "submissions"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])),
)
def test_what_needs_no_extra_runs_without(tmp_path, arguments):
    done = moss_without(ALL, *arguments, folder=tmp_path, MOSS_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    if arguments[0] == "compare":
        done = moss_without(ALL, "evidence", "report", "alma", "celine", "-o", "case.html", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "celine" in (tmp_path / "case.html").read_text()


@pytest.mark.parametrize(
    ("extra", "arguments", "settings"),
    [
        ("server", ["serve"], {}),
        ("server", ["worker"], {}),
        ("server", ["admin", "setup-code"], {}),
        ("postgres", ["serve"], {"MOSS_DATABASE_URL": "postgresql://moss@127.0.0.1:9/moss"}),
        ("oidc", ["serve"], {"MOSS_OIDC_ISSUER": "https://id.example.org", "MOSS_OIDC_CLIENT_ID": "moss"}),
        ("corpus", ["corpus", "add", "essays", SAMPLE / "submissions"], {}),
        ("corpus", ["compare", "-a", "corpus:essays", SAMPLE / "submissions"], {}),
    ],
)
def test_a_command_whose_extra_is_missing_names_it_in_a_sentence(tmp_path, extra, arguments, settings):
    done = moss_without(EXTRAS[extra], *arguments, folder=tmp_path, **settings)
    sentence = f'moss: `moss {arguments[0]}` needs more: pip install "{DISTRIBUTION}[{extra}]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_a_document_whose_extra_is_missing_is_listed_with_the_extra(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("the same words in both of them " * 5)
    (tmp_path / "three.pdf").write_bytes(b"%PDF-1.4\n")
    done = moss_without(EXTRAS["documents"], "compare", "--no-cache", tmp_path, folder=tmp_path)
    sentence = f'moss: three.pdf: a PDF document, not read; to read it: pip install "{DISTRIBUTION}[documents]"\n'
    assert (done.returncode, sentence in done.stderr) == (0, True)


def test_a_crawl_or_a_bucket_whose_extra_is_missing_is_told_in_a_sentence(tmp_path):
    page = {"url": "http://a/", "html": "<p>Some words.</p>"}
    (tmp_path / "a.jsonl").write_text(json.dumps(page))
    done = moss_without(["resiliparse"], "corpus", "add", "./c", "a.jsonl", folder=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert how_to_install("crawl") in done.stderr
    done = moss_without(["s3fs"], "corpus", "add", "s3://bucket/c", "a.jsonl", folder=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert f"moss: s3:// needs more: {how_to_install('s3')}" in done.stderr
    done = moss_without(["py3langid"], "corpus", "add", "./c", "a.jsonl", "--language", "de", folder=tmp_path)
    assert (done.returncode, how_to_install("crawl") in done.stderr) == (2, True), done.stderr


def test_a_module_that_no_extra_brings_is_an_accident_and_no_advice(tmp_path):
    done = moss_without(["numpy"], "compare", SAMPLE / "submissions", folder=tmp_path)
    assert "ModuleNotFoundError" in done.stderr
    assert "needs more" not in done.stderr


def test_a_plain_install_has_little_and_compares(wheel, tmp_path):
    """By pip, from nothing, as a user does it."""
    venv.create(tmp_path / "environment", symlinks=True)
    python = tmp_path / "environment" / "bin" / "python"
    command = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet", "--no-compile"]
    done = subprocess.run(
        [*command, "--constraint", ROOT / "constraints.txt", wheel],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        lacking(f"packages cannot be fetched: {done.stderr.strip().splitlines()[-1]}")
    moss = python.parent / "moss"
    assert "alma" in run(moss, "compare", "--no-cache", SAMPLE / "submissions", cwd=tmp_path)
    for command, extra in ((["serve"], "server"), (["corpus", "add", "essays", SAMPLE], "corpus")):
        refused = subprocess.run([moss, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        sentence = f"moss: `moss {command[0]}` needs more: {how_to_install(extra)}\n"
        assert (refused.returncode, refused.stderr) == (2, sentence)


def test_the_sample_is_served_from_a_wheel(wheel, tmp_path):
    bin_folder = new_environment(tmp_path / "environment")
    install(bin_folder, str(wheel))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MOSS_"))}
    command = [bin_folder / "moss", "serve", "--sample", "--no-worker", "--port", "0", "--wire-port", "0"]
    server = subprocess.Popen(command, cwd=tmp_path, env=clean, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        with urllib.request.urlopen(address) as page:
            assert page.status == 200
            assert "moss" in page.read().decode()
    finally:
        server.terminate()
        server.communicate()
    assert server.returncode == 0
    with closing(sqlite3.connect(tmp_path / "moss-data" / "moss.sqlite3")) as database:
        ((path,),) = database.execute("SELECT path FROM upload_parts ORDER BY path DESC LIMIT 1").fetchall()
    assert path.startswith("submissions/")
