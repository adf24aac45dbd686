"""Small packages with front ends, as wheels that pip installs without a network."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

LOGO = """
from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import NUMBER_FRACTION
from frontends.lexing.scanner import Lexicon, comment, scanner, string

print("logo is imported")
LEXICON = Lexicon(
    vocabulary="logo",
    keywords=frozenset("to end make if ifelse repeat output stop forward back left right pu pd".split()),
    fold_case=True,
    rules=(comment(";", r"[^\\n\\r]*+"), string('"', r"\\w++"), NUMBER_FRACTION),
)
FRONTENDS = (Frontend("logo", scanner(LEXICON), "a table of its own", endings=(".lgo",), aliases=("turtle",)),)
"""
"""Says on standard output that it is imported, so that a test can see whether it was."""


def make_wheel(folder: Path, name: str, source: str, version: str = "1.2", value: str = "") -> Path:
    """A wheel of one module with that source, whose entry point is its FRONTENDS, or another value."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[moss.frontends]\n{module} = {value or f'{module}:FRONTENDS'}\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in (*files, f"{info}/RECORD"))
    wheel = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return wheel


def pip_install(wheel: Path, target: Path) -> None:
    """Install a wheel into a folder, as a user would, but from no registry."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)


def unpack(wheel: Path, target: Path) -> None:
    """Install a wheel in the way that takes no time."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
