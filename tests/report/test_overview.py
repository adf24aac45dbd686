"""The overview: it says what is ordinary, it hides nothing, and nobody's name can do anything on it."""

import csv
import json
import re
import shlex
from dataclasses import replace
from functools import cache
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.renderers import renamed

import moss
from moss.cli import main
from moss.engine.union_find import clusters
from moss.model import Baseline, Ranking, Role, Standing
from moss.report.csv_tables import write_csv
from moss.report.page_templates import DiskLinks
from moss.report.pages.histogram import THRESHOLDS, counts_from, make_histogram
from moss.report.pages.overview import FIRST_ROWS, counts, render_overview, rows
from moss.report.pages.pair import render_pair
from moss.report.pages.pair_list import pair_list_script
from moss.report.pages.submission import render_submission
from moss.report.words.run_words import command

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
HOSTILE = {
    "ada": "<script>alert(1)</script>",
    "chiara": "\"onload=alert(1) x='",
    "goran": "../../x",
    "hana": "\u202egnp.exe",
    "kofi": "n" * 300,
    "nils": "javascript:alert(1)",
    "rosa": "=HYPERLINK(0)",
    "emeka": "{{7*7}}{% raw %}",
}


@cache
def report():
    folder = SAMPLES / "java-library"
    return moss.compare(
        [folder / "submissions"],
        base=[folder / "starter"],
        archive=[folder / "archive"],
        settings=moss.Settings(jobs=1, comment="A library"),
    )


def overview(of=None):
    return render_overview(of or report(), DiskLinks())


def text_of(page):
    """What a reader sees, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def verdict(page):
    return text_of(re.search(r'<p class="verdict".*?</p>', page, re.DOTALL)[0])


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


# What is ordinary.


def test_the_verdict_counts_what_stands_out():
    said = verdict(overview())
    count = counts(report())
    assert said.startswith(f"{count['far']} pairs are very unusual in this class.")
    assert f"{count['above']} more" in said
    assert f"typically score {report().baseline.typical:.0%}." in said


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (Baseline(225, 0.02, 0.3, 0.9, 0.95), "1 pair is very unusual"),
        (Baseline(225, 0.02, 0.3, 0.8, 0.8), "3 pairs are very unusual in this class. Two of its submissions"),
        (Baseline(225, 0.5, 0.9, 1.0, 1.0), "This class is so alike that no pair can be called unusual."),
        (Baseline(225, 0.02, 0.3, enough=False), "The submissions may be too short to tell"),
        (Baseline(225, 0.02, 0.3, 0.2, 0.5), "By chance, hardly any two would score over 20%."),
        (
            Baseline(225, 0.02, 0.3, 0.2, 0.5, expected=0.1),
            "about one pair of such a class would score over 20%, and 0.1 pairs over 50%",
        ),
        (Baseline(3, 0.02, 0.1), "There are too few submissions to say what is ordinary. Start"),
        (Baseline(3, 0.02, 0.1, 0.99, 0.99), "1 pair is identical, and too long for that to be chance. Start"),
        (Baseline(225, 0.5, 0.9, 0.95, 1.0), "This class is so alike that no pair can be called unusual."),
    ],
)
def test_every_class_has_a_sentence(baseline, words):
    assert words in verdict(overview(replace(report(), baseline=baseline)))


def test_a_class_without_outliers_is_told_so():
    low = replace(report().ranking, score=np.minimum(report().ranking.score, 0.1))
    assert verdict(overview(replace(report(), ranking=low))).startswith("No pair is unusual in this class.")
    some = replace(report().ranking, score=np.minimum(report().ranking.score, report().baseline.far))
    said = verdict(overview(replace(report(), ranking=some)))
    assert re.match(r"No pair is very unusual in this class\. \d+ pairs are unusual\.", said)


def test_a_report_without_pairs_is_a_page():
    nothing = Ranking(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    page = overview(replace(report(), pairs=(), clusters=(), ranking=nothing))
    assert "No two submissions share a passage." in verdict(page)
    assert '<table class="pairs"' not in page


def asked(show=250, threshold=0.0, **changes):
    """The report as it is when so many pairs are asked for, from a score on."""
    listed = tuple(pair for pair in report().pairs[:show] if pair.score >= threshold)
    parameters = {**report().parameters, "show": show, "threshold": threshold}
    return replace(report(), pairs=listed, parameters=parameters)


def test_a_threshold_that_leaves_no_pair_is_named_and_nobody_is_said_to_share_nothing():
    page = overview(asked(threshold=0.999))
    assert verdict(page) == "No two submissions with a score of 99% or more share a passage."
    assert "Run the comparison again with a lower --threshold." in page
    assert "No two submissions share a passage" not in page
    assert verdict(overview(asked(show=0))) == "This report was made without pairs."


def test_a_threshold_is_no_lack_of_passages():
    page = text_of(overview(asked(threshold=0.5)))
    assert "225 pairs share anything. Listed are those with a score of 50% or more, if they share a whole" in page
    assert "of them a whole passage" not in page
    assert "run again with a lower --threshold to see more" in page


def test_a_page_says_that_others_share_too_little_only_if_passages_were_looked_for():
    number = next(n for n, each in enumerate(report().submissions, 1) if each.id == report().pairs[0].a)

    def others(of):
        return re.search(r"\d+ more, .*?(?=<)", render_submission(of, number, DiskLinks("../")))[0]

    assert others(asked(show=1)) == "20 more, not listed in this report"
    assert others(asked(threshold=0.5)).endswith("more, not listed in this report")
    few = replace(asked(), pairs=report().pairs[:1])
    assert others(few) == "20 more, with too little in common to show"


def test_the_histogram_has_every_pair_once():
    histogram = make_histogram(report().ranking.score, report().baseline)
    assert sum(bar.count for bar in histogram.bars) == len(report().ranking)
    for bar in histogram.bars:
        top = 101 if bar.high == 100 else bar.high
        inside = [score for score in report().ranking.score.tolist() if bar.low / 100 <= score < top / 100]
        assert len(inside) == bar.count


def test_a_score_on_the_edge_of_two_bars_is_in_the_upper_one():
    edges = np.arange(40, -1, -1) / 40
    histogram = make_histogram(edges, Baseline())
    assert [bar.count for bar in histogram.bars] == [1] * 39 + [2]


def test_in_the_histogram_one_outlier_can_be_seen_beside_a_million():
    score = np.concatenate([[0.9], np.full(1_000_000, 0.01)])
    histogram = make_histogram(score, Baseline(limit=0.5, far=0.6))
    few, many = sorted(histogram.bars, key=lambda bar: bar.count)
    assert few.height >= 4
    assert many.height == histogram.height
    assert few.standing is Standing.FAR
    assert many.standing is Standing.ORDINARY


def test_a_bar_has_the_standing_of_its_pairs():
    same = np.full(300, 1.0)
    assert [bar.standing for bar in make_histogram(same, Baseline(limit=0.999, far=0.999)).bars] == [Standing.FAR]
    low = np.concatenate([[0.099], np.full(40, 0.08)])
    assert [bar.standing for bar in make_histogram(low, Baseline(limit=0.085, far=0.3)).bars] == [Standing.ORDINARY]


def test_pairs_that_share_nothing_are_counted():
    apart = replace(report(), baseline=replace(report().baseline, pairs=1000))
    assert counts(apart)["apart"] == 775
    assert "775 pairs share nothing" in text_of(overview(apart))
    many = replace(report(), baseline=replace(report().baseline, pairs=99_225))
    assert "99,000 pairs share nothing" in text_of(overview(many)), "in the form of all other numbers"


def test_the_tab_is_named_by_what_the_page_shows():
    def title(page):
        return unescape(re.search("<title>(.*?)</title>", page)[1])

    assert title(overview()) == f"A library: {counts(report())['far']} very unusual pairs – moss"
    low = replace(report().ranking, score=np.minimum(report().ranking.score, 0.1))
    assert title(overview(replace(report(), ranking=low))) == "A library: nothing unusual – moss"
    unnamed = replace(report(), parameters={**report().parameters, "comment": ""})
    assert title(overview(unnamed)).startswith("Comparison of 18 submissions: ")
    assert title(render_submission(report(), 1, DiskLinks("../"))) == "ada: 21 pairs – moss"


def test_the_cards_count_what_the_report_has():
    said = text_of(re.search(r'<div class="stats">.*?</div>\s*<p', overview(), re.DOTALL)[0])
    found = counts(report())
    assert f"{found['far']} very unusual" in said
    assert f"{found['above']} unusual" in said
    assert f"{len(report().clusters)} clusters" in said
    assert "0 files not read" in said


# The table.


def test_without_a_script_the_page_has_the_first_rows_and_says_what_it_lacks():
    body = re.search(r'<noscript id="first-pairs">.*?</noscript>', overview(), re.DOTALL)[0]
    first = rows(report())[:FIRST_ROWS]
    assert re.findall(r'href="pairs/(\d+).html"', body) == [f"{row.number:04}" for row in first]
    assert body.count("earlier work</span>") == sum(side.kind is not None for row in first for side in row.sides)
    assert f"These are the first 200 of {len(report().pairs)} pairs. The rest" in text_of(body)
    few = replace(report(), pairs=report().pairs[:200])
    assert "These are the first" not in text_of(overview(few))


def data_of(of):
    """The data of the overview's lists, read as a browser does."""
    script = pair_list_script(of, DiskLinks())
    assert "<" not in script
    return json.loads(script.removeprefix("var mossPairs=").removesuffix(";\n"))


def test_the_data_have_every_pair_as_the_page_shows_it():
    data = data_of(report())
    ids, pairs = data["submissions"]["id"], data["pairs"]
    assert pairs.pop("behind") == [], "no student is close to several texts of one kind"
    assert {len(column) for column in pairs.values()} == {len(report().pairs)}
    for row, a, b, *figures, standing, remark in zip(rows(report()), *pairs.values(), strict=True):
        pair = row.pair
        assert (ids[a], ids[b]) == (pair.a, pair.b)
        shares = [round(1e6 * share) for share in (pair.score, pair.share_a, pair.share_b)]
        assert figures == [*shares, pair.longest, pair.tokens, round(10 * round(pair.rarity, 1)), row.cluster or 0]
        assert ["ordinary", "above", "far above"][int(standing)] == row.standing
        assert data["remarks"][int(remark)] == row.remark
    for place, record in enumerate(report().submissions):
        assert data["submissions"]["kind"][place] == str(int(record.role is Role.ARCHIVE))
    assert data["kinds"] == [["earlier", "earlier work"]]


def test_names_that_would_be_something_else_are_only_names_in_the_data():
    names = [*HOSTILE.values(), "<!--moss:slot states-->"]
    hostile = renamed(report(), {**HOSTILE, "viktor": names[-1]})
    data = data_of(hostile)
    assert set(names) <= set(data["submissions"]["id"])
    [(place, markup)] = data["submissions"]["markup"].items()
    assert data["submissions"]["id"][int(place)] == HOSTILE["hana"]
    assert "\u202e" not in markup


def test_the_threshold_counts_what_is_left():
    ranking = report().ranking
    counts = counts_from(ranking, np.ones(len(ranking), np.bool_), len(report().submissions))
    assert len(counts) == THRESHOLDS + 1
    for place in (0, 1, 30, 88, 89, 150, THRESHOLDS):
        left = ranking.score >= place / THRESHOLDS
        links = list(zip(ranking.a[left].tolist(), ranking.b[left].tolist(), strict=True))
        groups = clusters([(str(a), str(b)) for a, b in links])
        assert counts[place] == (len(links), len({one for link in links for one in link}), len(groups))
    assert counts[0][0] == len(ranking)


def test_the_page_says_what_clusters_are_made_of():
    far = report().baseline.far
    assert f"connected by very unusual pairs, those with a score over {far:.0%}." in text_of(overview())
    chosen = replace(report(), parameters={**report().parameters, "cluster": 0.3})
    assert "Submissions connected by pairs with a score of at least 30%." in text_of(overview(chosen))


def test_a_cluster_is_named_only_for_pairs_inside_it():
    for row in rows(report()):
        together = any({row.pair.a, row.pair.b} <= set(cluster) for cluster in report().clusters)
        assert (row.cluster is not None) == together


def test_every_column_can_be_sorted_by_a_button():
    heading = re.search(r'<table class="pairs".*?<thead>(.*?)</thead>', overview(), re.DOTALL)[1]
    assert heading.count('<th scope="col"') == heading.count('<button type="button" data-sort=') == 9


def test_a_pair_that_shares_only_comments_says_so_and_not_zero_percent():
    """Comments make a score, but no share: 0% beside a score of 100% would be taken for a contradiction."""
    same = replace(report().pairs[0], score=1.0, share_a=0.0, share_b=0.0)
    strange = replace(report(), pairs=(same,))
    shown = re.search(r'<td class="share".*?</td>', overview(strange)[overview(strange).index("<noscript") :])[0]
    assert text_of(shown) == "– –"
    page = text_of(render_pair(strange, 1, DiskLinks("../")))
    assert "0% of what" not in page
    assert "What both have is comments or other text beside the code, of which no share is counted." in page
    assert page.count("no code shared") == 2


# Safety.


@pytest.mark.parametrize("number", [None, *range(1, 23)])
def test_hostile_names_do_nothing(number):
    hostile = renamed(report(), HOSTILE)
    page = overview(hostile) if number is None else render_submission(hostile, number, DiskLinks("../"))
    for tag, attributes in Elements(page).found:
        assert tag not in ("img", "iframe", "form", "base", "object")
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("href", "src"):
            target = attributes.get(name) or ""
            assert re.fullmatch(
                r"#[\w=&.-]*|(\.\./)?(index|(pairs|submissions|clusters)/\d{4})\.html(#[\w-]*)?"
                r"|(\.\./)?(assets/\w+\.(css|js|svg)|pairs\.js)",
                target or "#",
            ), target
        if tag == "script":
            assert attributes.get("src")
    assert "\u202e" not in page
    assert "alert(1)</script>" not in page


@pytest.mark.parametrize("others", [0.05, 0.25, 2.749, 3.15, 12.35])
def test_others_are_rounded_alike_in_all_lists(others):
    [best, *_] = report().pairs
    of = replace(report(), pairs=(replace(best, rarity=others),))
    table = StringIO()
    write_csv(of, table)
    [row] = csv.DictReader(table.getvalue().splitlines())
    drawn = json.loads(re.search(r'"rarity":(\[.*?\])', pair_list_script(of, DiskLinks()))[1])
    listed = re.findall(r'<td class="rarity">(.*?)</td>', overview(of))
    assert f"{float(row['rarity']):g}" == f"{drawn[0] / 10:g}" == listed[-1]


def test_no_script_or_style_is_inline():
    for tag, attributes in Elements(overview()).found:
        assert tag != "style"
        assert "style" not in attributes
        assert tag != "script" or set(attributes) == {"src"}


# Repeating a run.


def test_the_command_line_repeats_the_run(tmp_path):
    words = shlex.split(command(report().parameters))
    assert words[:2] == ["moss", "compare"]
    file = tmp_path / "again.json"
    result = CliRunner().invoke(main, ["compare", "--json", str(file), "--quiet", *words[2:]])
    assert result.exit_code == 0, result.output
    again = json.loads(file.read_text(encoding="utf-8"))
    assert [(p["a"], p["b"], p["score"]) for p in again["pairs"]] == [
        (p.a, p.b, round(p.score, 6)) for p in report().pairs
    ]


def test_hostile_arguments_stay_arguments():
    parameters = {"paths": ["; rm -rf ~", "-x"], "base": ["$(x)"], "comment": "`y`", "language": "auto"}
    words = shlex.split(command(parameters))
    assert words[-3:] == ["--", "; rm -rf ~", "-x"]
    assert "$(x)" in words
    assert "--comment=`y`" in words


def test_the_paths_of_an_anonymous_run_are_not_told():
    line = command({"paths": ["1 left out for anonymity"], "archive": ["1 left out"], "anonymize": True})
    assert line == "moss compare --anonymize --archive PATH PATH"


def test_digests_are_listed_for_sha256sum():
    page = overview()
    for record in report().submissions:
        for file in record.files:
            assert f"{file.digest}  {record.id}/{file.path}" in page


# Submissions.


def test_each_file_that_could_not_be_read_is_told_once(tmp_path):
    for name in ("ann", "bo", "cy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text("def f(a):\n    return a + 1\n" * 20)
        (tmp_path / name / "work.zip").write_bytes(b"PK\x03\x04 and then nothing of use")
    page = overview(moss.compare([tmp_path], settings=moss.Settings(jobs=1)))
    assert re.findall(r"<bdi>(\w+)/work.zip</bdi></code></th><td>a damaged", page) == ["ann", "bo", "cy"]
    assert "3 files not read 3 problems" in text_of(page)


def test_a_submission_s_page_names_everyone_who_shares():
    place = next(i for i, record in enumerate(report().submissions, 1) if record.id == "ada")
    page = render_submission(report(), place, DiskLinks("../"))
    table = re.search(r'<table class="partners cards">.*?</table>', page, re.DOTALL)[0]
    partners = [p.b if p.a == "ada" else p.a for p in report().pairs if "ada" in (p.a, p.b)]
    assert re.findall(r"<bdi>(\w+)</bdi>", table) == partners


def test_a_submission_s_page_shows_what_others_have_and_says_where_the_rest_is():
    place, record = next((i, r) for i, r in enumerate(report().submissions, 1) if r.id == "kofi")
    page = render_submission(report(), place, DiskLinks("../"))
    text = "".join(file.text for file in record.files)
    shown = [unescape(part) for part in re.findall(r"<pre[^>]*>\n(.*?)</pre>", page, re.DOTALL)]
    assert all(part in text for part in shown)
    mine = [
        (n, m.a if p.a == "kofi" else m.b)
        for n, p in enumerate(report().pairs, 1)
        if "kofi" in (p.a, p.b)
        for m in p.matches
    ]
    assert all(text[region.start : region.end].strip() in "".join(shown) for _, region in mine)
    assert f'<a href="../pairs/{mine[0][0]:04}.html">the page of the most similar pair has the whole text</a>' in page
    assert "starter code" in page
