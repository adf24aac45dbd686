"""What is installed is complete: wheel and editable install, used from another directory."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_submissions" / "essays"


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


def test_the_wheel_holds_front_ends_and_templates(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for folder, packed in (("frontends", "frontends"), ("moss", "moss"), ("templates", "moss/templates")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{packed}/{path.relative_to(ROOT / folder)}" in names
    assert not [name for name in names if name.startswith(("tests", "sample_submissions", "templates"))]


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
