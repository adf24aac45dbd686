"""No page is wider than its window, in any width between a phone and a screen, whatever names and figures it has."""

import pytest
from support.programs import HONEST_JAVA, LEDGER, MAZE, dead_code, write_class

import moss
from browser.sites import Site
from moss.model import ReferenceKind
from moss.report.site import write_site

WIDTHS = (320, 390, 600, 701, 720, 736, 744, 760, 800, 900, 960, 1100)  # half a screen of 1440 pixels is 720
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Two close to a book, one of them with a name that has no place to break."""
    folder = tmp_path_factory.mktemp("wide")
    starter, names = dead_code(99, 30), ("ada", "x" * 60)
    copies = {name: {"Maze.java": starter + MAZE + LEDGER + dead_code(n, 4)} for n, name in enumerate(names)}
    write_class(folder / "hw", HONEST_JAVA | copies)
    write_class(folder, {"starter": {"Maze.java": starter}})
    write_class(folder / "book", {"Ref.java": {"Ref.java": MAZE + LEDGER}})
    references = [(ReferenceKind.BOOK, folder / "book")]
    settings = moss.Settings(jobs=1, cluster=0.4)
    report = moss.compare([folder / "hw"], base=[folder / "starter"], references=references, settings=settings)
    write_site(report, folder / "report", jobs=1)
    return Site(folder / "report", report)


@pytest.fixture(params=["overview", "pair", "submission", "cluster", "evidence"])
def page(request, open_page, wide):
    addresses = {
        "overview": wide.page,
        "pair": lambda: wide.pair(wide.richest()),
        "submission": lambda: wide.submission("ada"),
        "cluster": lambda: wide.page("clusters/0001.html"),
        "evidence": lambda: request.getfixturevalue("evidence")(wide, 1),
    }
    return open_page(addresses[request.param]())


def test_nothing_is_beyond_the_edge(page):
    wider = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        wider += [width] if page.evaluate(WIDER) else []
    assert wider == []
