import io
import tarfile
import zipfile
from pathlib import Path

import pytest


def make_zip(members, compression=zipfile.ZIP_DEFLATED):
    """The bytes of a zip archive with these (name, content) members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name) if isinstance(name, str) else name, content, compression)
    return buffer.getvalue()


def make_tar(members, mode="w"):
    """The bytes of a tar archive; a member is (name, content) or a TarInfo."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                header = tarfile.TarInfo(member[0])
                header.size = len(member[1])
                archive.addfile(header, io.BytesIO(member[1]))
    return buffer.getvalue()


@pytest.fixture
def tree(tmp_path):
    """Write files given as {path: content} below a folder and return the folder."""

    def write(files, name="hw1") -> Path:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


@pytest.fixture(scope="session")
def zipped():
    return make_zip


@pytest.fixture(scope="session")
def tarred():
    return make_tar


@pytest.fixture
def layout():
    """Submissions as {id: [paths of files]}."""
    return lambda intake: {s.id: [f.path for f in s.files] for s in intake.submissions}


@pytest.fixture
def reasons():
    """Problems as {path: reason}."""
    return lambda intake: {p.path: p.reason for p in intake.problems}
