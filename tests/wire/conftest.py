"""mosspy, and files for it to send."""

from __future__ import annotations

from collections.abc import Callable

import mosspy
import pytest


@pytest.fixture
def client(port: int, monkeypatch: pytest.MonkeyPatch) -> mosspy.Moss:
    """A client of the server that a module names by its fixture `port`."""
    monkeypatch.setattr(mosspy.Moss, "server", "127.0.0.1")
    monkeypatch.setattr(mosspy.Moss, "port", port)
    return mosspy.Moss(987654321, "java")


@pytest.fixture
def write(tmp_path) -> Callable[[str, str], str]:
    """Writes a file, and tells its path."""

    def written(name: str, content: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return str(path)

    return written
