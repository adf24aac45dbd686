"""The benchmark of the papers' figures: its measures against simple cases, and that all of it runs."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import papers  # noqa: E402
from findings import Table  # noqa: E402
from installed_pages import find_pages, without_tags  # noqa: E402
from papers_winnowing import count, longest_gap, plateaus, random_text, slope  # noqa: E402


@pytest.fixture
def pages(tmp_path):
    """Pages that share their head, with words that repeat."""
    random = np.random.default_rng(1)
    words = [f"word{number}" for number in range(300)]
    for number in range(8):
        body = " ".join(random.choice(words, 1200).tolist())
        page = f"<html><head><style>p {{}}</style></head><body><h1>The head</h1><p>{body}</p></body></html>"
        (tmp_path / f"{number}.html").write_text(page)
    return find_pages(tmp_path)


def test_tags_and_white_space_go():
    page = "<p class='x'>a &amp; b<script>if (a < b) {}</script><!-- no -->\n<b>c</b></p>"
    assert without_tags(page) == "a&bc"


def test_a_folder_without_pages_is_said(tmp_path):
    with pytest.raises(SystemExit, match="no HTML pages"):
        find_pages(tmp_path)


@pytest.mark.parametrize(("selected", "longest"), [([], 10), ([0, 9], 8), ([4], 5), (list(range(10)), 0)], ids=str)
def test_the_longest_gap(selected, longest):
    assert longest_gap(np.array(selected, np.int64), 10) == longest


def test_random_text_has_the_expected_densities():
    counted = count([(300_000, random_text(300_000))])
    assert counted.robust / counted.hashes == pytest.approx(2 / 101, rel=0.03)
    assert counted.mod / counted.hashes == pytest.approx(1 / 50, rel=0.05)
    assert counted.longest_robust < 100 < counted.longest_mod


def test_plateaus_have_two_ends_each():
    rank, frequency = plateaus(np.array([5, 5, 5, 6, 7, 8], np.uint64))
    assert rank.tolist() == [1, 1, 2, 4]
    assert frequency.tolist() == [3, 3, 1, 1]
    assert slope(np.array([1, 10, 100]), np.array([1000, 100, 10])) == pytest.approx(-1)


def test_a_table_in_the_terminal_and_on_a_page():
    table = Table(("", "ours"), [("density", "0.5"), ("runs", "12")])
    assert table.plain() == "         ours\ndensity   0.5\nruns       12"
    assert table.markdown() == "|  | ours |\n| --- | ---: |\n| density | 0.5 |\n| runs | 12 |"


def test_all_sections_are_made_printed_and_written(pages, tmp_path, monkeypatch, capsys):
    text = " ".join(f"word{number * number % 991}" for number in range(20_000)).replace("0", "o")
    monkeypatch.setattr(
        "generated_pages.real_text", lambda most: " ".join(["some", "words", "follow", "others"] * 50) + text
    )
    (folder,) = {page.parent for page in pages}
    page = tmp_path / "made" / "papers.md"
    page.parent.mkdir()
    monkeypatch.setattr(sys, "argv", ["papers.py", "--quick", "--pages", str(folder), "--write", str(page)])
    papers.main()
    assert capsys.readouterr().out.count("paper's") >= 7  # once a section, at least
    text = page.read_text()
    assert text.count("\n## ") == 8
    pictures = re.findall(r"\(images/([^)]+)\)", text)
    assert len(pictures) == 3
    for picture in pictures:
        ElementTree.parse(page.parent / "images" / picture)
