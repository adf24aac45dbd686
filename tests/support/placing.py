"""Which tests of a run with several processes go to the same one, and which go first.

The tests of a file are together, so that what they share is made once; so are the files of a group, which share
something that takes long to make. Groups go first, the longest before the others, so that none of them is what
everybody waits for in the end. There is one process more than there are cores: tests of servers, of workers and of
browsers wait now and then, and then another one has the core.
"""

from __future__ import annotations

import os

import pytest

from moss.processes.pool import available_cores

_REPORTS = "reports on disk and a browser"
_MADE_UP = "the made-up language"  # of all messages that are found in the source
_GROUPS = {
    "tests/corpus/test_spark.py": "a cluster",
    "tests/browser/": _REPORTS,
    "tests/browser/test_anonymous.py": "a furnished server and a browser",
    "tests/browser/test_app_keyboard.py": "a furnished server and a browser",
    "tests/browser/test_app_pages.py": "a furnished server and a browser",
    "tests/browser/test_app_way.py": "a way through the app",
    "tests/benchmarks/test_programs.py": "programs that measure",
    "tests/wire/test_wire_server_crowd.py": "a crowd",
    "tests/jobs/test_jobs_killing.py": "workers that are killed",
    "tests/jobs/test_jobs_workers.py": "workers that are killed",
    "tests/wire/test_wire_server.py": "a server of MOSS's protocol",
    "tests/cli/test_cli_submit.py": "a server to submit to",
    "tests/cli/test_cli_serve.py": "servers that start and end",
    "tests/test_packaging.py": "a wheel",
    "tests/corpus/test_removal.py": "a corpus from which something is removed",
    "tests/cli/test_cli_language.py": _MADE_UP,
    "tests/comparison/test_result_cache.py": _MADE_UP,
    "tests/report/test_report_language.py": _MADE_UP,
    "tests/report/test_served.py": _MADE_UP,
    "tests/test_messages.py": _MADE_UP,
    "tests/test_words.py": _MADE_UP,
    "tests/web/test_web_marking.py": _MADE_UP,
    "tests/web/test_web_people_marking.py": _MADE_UP,
}
_ORDER = list(dict.fromkeys(_GROUPS.values()))


def group_of(nodeid: str) -> str:
    """The name of a test's group, which is its file if it is in none."""
    file = nodeid.partition("::")[0]
    folder = f"{file.rpartition('/')[0]}/"
    return _GROUPS.get(file) or _GROUPS.get(folder, file)


def turn_of(nodeid: str) -> int:
    """When a test's group goes: groups in their order, then all else."""
    group = group_of(nodeid)
    return _ORDER.index(group) if group in _ORDER else len(_ORDER)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put groups first in the processes of such a run; alone, pytest keeps its own order."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: turn_of(item.nodeid))


@pytest.hookimpl(optionalhook=True, tryfirst=True)  # it is one of pytest-xdist's, as is the next
def pytest_xdist_auto_num_workers(config):
    """How many processes `-n auto` starts."""
    return available_cores() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out groups and files in their order, unless somebody has asked for another way."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Placing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False  # else by the number of tests
    return Placing(config, log)
