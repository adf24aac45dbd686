"""Programs that were not written by us, to compare our scanners with another on.

`PACKAGES` is the one place that says which packages have code in which language. `fetch_real_code.py` puts them into
the folder `.real-code`, by name and version, from the registries of Debian, npm and PyPI.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

FETCHED = Path(__file__).parents[2] / ".real-code"
ENOUGH = 400_000  # bytes for each language: a few seconds of the other scanner
LONGEST = 100_000  # a longer file would crowd out the others


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a registry, and the endings of its files in each language that it is taken for."""

    registry: str
    name: str
    version: str  # empty for Debian, where a release has just one
    endings: dict[str, tuple[str, ...]]
    under: str = ""  # the part of a path that all of its files must have

    @property
    def folder(self) -> Path:
        """Where its files lie once fetched."""
        return FETCHED / self.registry / f"{self.name.replace('/', '+')}-{self.version or 'any'}"


PACKAGES: tuple[Package, ...] = (
    Package("pypi", "brotli", "1.1.0", {"c": (".c", ".h")}),
    Package("pypi", "psutil", "5.9.8", {"c": (".c", ".h")}),
    Package("pypi", "pythondata-cpu-vexriscv", "1.0.1.post407", {"scala": (".scala",)}),
    Package("npm", "react-native", "0.72.6", {"java": (".java",), "cc": (".cpp",)}),
    Package("npm", "com.cysharp.unitask", "2.2.5", {"csharp": (".cs",)}),
    Package("npm", "com.neuecc.unirx", "7.1.0", {"csharp": (".cs",)}),
    Package("npm", "expo-modules-core", "1.11.14", {"kotlin": (".kt",), "swift": (".swift",)}),
    Package("npm", "react-native-vision-camera", "4.0.5", {"kotlin": (".kt",), "swift": (".swift",)}),
    Package("debian", "golang-golang-x-crypto-dev", "", {"go": (".go",)}),
    Package("debian", "golang-golang-x-net-dev", "", {"go": (".go",)}),
    Package("debian", "rust-src", "", {"rust": (".rs",)}, under="/library/"),
    Package("debian", "python3-django", "", {"python": (".py",)}),
    Package("debian", "python3-networkx", "", {"python": (".py",)}),
    Package("npm", "eslint", "8.57.0", {"javascript": (".js",)}, under="/lib/"),
    Package("npm", "express", "4.19.2", {"javascript": (".js",)}),
    Package("npm", "three", "0.160.0", {"javascript": (".js",)}, under="/src/"),
    Package("npm", "rxjs", "7.8.1", {"typescript": (".ts",)}, under="/src/"),
    Package("npm", "zod", "3.25.76", {"typescript": (".ts",)}, under="/src/"),
    Package("debian", "composer", "", {"php": (".php",)}, under="/Composer/"),
    Package("debian", "php-symfony-console", "", {"php": (".php",)}),
    Package("debian", "php-twig", "", {"php": (".php",)}),
    Package("debian", "ruby-activesupport", "", {"ruby": (".rb",)}),
    Package("debian", "ruby-rubygems", "", {"ruby": (".rb",)}),
    Package("debian", "ruby-actionpack", "", {"ruby": (".rb",)}),
)


def real_code(language: str) -> list[Path]:
    """Fetched files in a language, always the same ones, about `ENOUGH` bytes of them."""
    packages = [package for package in PACKAGES if language in package.endings]
    files = [path for package in packages for path in _files(package, language)]
    if not files:
        _missing(language, packages)
    chosen: list[Path] = []
    total = 0
    for path in sorted(files, key=_shuffled):
        if total < ENOUGH and 0 < path.stat().st_size <= LONGEST:
            chosen.append(path)
            total += path.stat().st_size
    return chosen


def _files(package: Package, language: str) -> list[Path]:
    endings = package.endings[language]
    return [path for path in package.folder.rglob("*") if path.name.endswith(endings) and path.is_file()]


def _shuffled(path: Path) -> bytes:
    """A key that puts paths in an order which is arbitrary, but the same everywhere."""
    return sha256(path.relative_to(FETCHED).as_posix().encode()).digest()


def _missing(language: str, packages: list[Package]) -> None:
    names = ", ".join(package.name for package in packages)
    message = f"no {language} code: run `python tests/support/fetch_real_code.py`, which gets {names}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
