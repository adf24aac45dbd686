"""A store in each kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moss.store import Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An empty store."""
    made = Store(database_url)
    yield made
    made.close()
