"""Settings of the whole suite, and the servers that its tests can ask for."""

from __future__ import annotations

import gc
import os
import sys
import threading
from itertools import count

import pytest
from hypothesis import settings
from support.placing import (
    pytest_collection_modifyitems,
    pytest_xdist_auto_num_workers,
    pytest_xdist_make_scheduler,
)
from support.pseudo_language import LANGUAGE, write_catalogue
from support.services import (
    database_url,
    empty_database_url,
    migrated_postgres_url,
    postgres_server,
    postgres_template,
    postgres_url,
)

from moss.messages import of_environment

__all__ = [
    "database_url",
    "empty_database_url",
    "migrated_postgres_url",
    "postgres_server",
    "postgres_template",
    "postgres_url",
    "pytest_collection_modifyitems",
    "pytest_xdist_auto_num_workers",
    "pytest_xdist_make_scheduler",
]

# A busy machine must not fail a law, and what fails in CI must fail again at home. There are some 250 laws, and a run
# at home tries other examples than the last one: half as many as Hypothesis tries by itself are enough.
settings.register_profile(
    "moss", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=50, print_blob=True
)
settings.load_profile("moss")

# Hundreds of processes are started here, and each would compile the program anew where the environment says not to keep
# what was compiled: that was a second of the two that a server takes to start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_TESTS = count()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Let the collector of garbage pass over what is there before the first test: it took a quarter of the time to
    look again and again at six thousand tests, and all that they import, in which nothing ever ends."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_unconfigure():
    """Let everything end as it would have."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path_factory):
    """A cache for each test alone, so that none finds what another left; the folder is made if something is kept."""
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path_factory.getbasetemp() / f"cache-{next(_TESTS)}"))


@pytest.fixture(autouse=True, scope="session")
def real_password_method():
    """Hash passwords quickly in this process, else a tenth of a second for each of hundreds; gives the real method."""
    from moss.store.accounts import credentials

    with pytest.MonkeyPatch.context() as patch:
        real = credentials.METHOD
        patch.setattr(credentials, "METHOD", "scrypt:1024:8:1")
        yield real


@pytest.fixture
def forking(monkeypatch):
    """Let workers be forked, so that they see what a test has put into the program, also beside threads that earlier
    tests have left in this process; threads that the test itself starts count."""
    older = threading.active_count()
    forks = sys.platform.startswith("linux")
    monkeypatch.setattr("moss.processes.pool._can_fork", lambda: forks and threading.active_count() <= older)


@pytest.fixture
def made_up_language(monkeypatch, tmp_path):
    """Let everything speak the made-up language, in this process and those that it starts."""
    monkeypatch.setenv("MOSS_CATALOGUES", str(write_catalogue(tmp_path / "catalogues")))
    monkeypatch.setenv("MOSS_LOCALE", LANGUAGE)
    of_environment.cache_clear()
    yield
    of_environment.cache_clear()
