"""Which tests of a run with several processes go to the same one: those that share something that takes long to make.

The default would make it in every process. The tests of some files are long, and a group for that reason alone. All
others go wherever there is room, one by one; the groups go first, so that none of them is what everybody waits for in
the end.
"""

from __future__ import annotations

import pytest

_REPORTS = "reports on disk and a browser"
_GROUPS = {
    "tests/browser/test_app_keyboard.py": "a furnished server and a browser",
    "tests/browser/test_app_pages.py": "a furnished server and a browser",
    "tests/cli/test_cli_submit.py": "a server to submit to",
    "tests/corpus/test_removal.py": "a corpus from which something is removed",
    "tests/corpus/test_spark.py": "a cluster",
    "tests/jobs/test_jobs_killing.py": "workers that are killed",
    "tests/wire/test_wire_server.py": "a server of MOSS's protocol",
    "tests/wire/test_wire_server_crowd.py": "a crowd",
}
_ALONE = "tests/browser/test_app_way.py"


def group_of(nodeid: str) -> str:
    """The name of a test's group, which is its own if it can run anywhere."""
    file = nodeid.partition("::")[0]
    if file.startswith("tests/browser/") and file != _ALONE:
        return _GROUPS.get(file, _REPORTS)
    return _GROUPS.get(file, nodeid)


@pytest.hookimpl(optionalhook=True)  # it is one of pytest-xdist's
def pytest_xdist_make_scheduler(config, log):
    """Hand out groups, the largest first, unless somebody has asked for another way."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Placing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Placing(config, log)
