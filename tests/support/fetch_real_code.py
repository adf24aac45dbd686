"""Fetch the packages that `real_code.PACKAGES` names into `.real-code`; those that are there already are kept.

Needs pip, and on the path npm, apt-get (with fresh lists) and dpkg-deb. Nothing is installed; pip asks each source
package for its name and version, which runs its build script.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.real_code import FETCHED, PACKAGES, Package


def main() -> int:
    """Fetch what is missing; the number of packages that could not be had."""
    FETCHED.mkdir(exist_ok=True)
    (FETCHED / ".gitignore").write_text("*\n")
    failed = 0
    for package in PACKAGES:
        if package.folder.exists():
            continue
        try:
            fetch(package)
        except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
            print(f"{package.name}: {error}", file=sys.stderr)
            failed += 1
    return failed


def fetch(package: Package) -> None:
    """Download, unpack and keep the files that have one of the package's endings."""
    with tempfile.TemporaryDirectory() as folder:
        download = Path(folder, "download")
        unpacked = Path(folder, "unpacked")
        download.mkdir()
        unpacked.mkdir()
        _download(package, download)
        for archive in download.iterdir():
            _unpack(archive, unpacked)
        kept = Path(folder, "kept")
        _keep(package, unpacked, kept)
        package.folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(kept, package.folder)
    print(f"{package.name}: {sum(path.is_file() for path in package.folder.rglob('*'))} files")


def _download(package: Package, folder: Path) -> None:
    pinned = package.name
    if package.version:
        pinned += ("==" if package.registry == "pypi" else "@") + package.version
    command = {
        "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", pinned],
        "npm": ["npm", "pack", "--silent", pinned],
        "debian": ["apt-get", "--quiet", "download", pinned],
    }[package.registry]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "--extract", str(archive), str(folder)], check=True)
    else:
        with tarfile.open(archive) as contents:
            contents.extractall(folder, filter="data")


def _keep(package: Package, unpacked: Path, kept: Path) -> None:
    endings = tuple(ending for group in package.endings.values() for ending in group)
    kept.mkdir()
    for path in unpacked.rglob("*"):
        inside = path.relative_to(unpacked)
        if path.name.endswith(endings) and path.is_file() and not path.is_symlink() and package.under in f"/{inside}":
            target = kept / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


if __name__ == "__main__":
    sys.exit(main())
