"""The page of a cluster, times of handing in, and the timeline: what they say, and what they do not claim."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

import moss
from moss.model import Commit, GitHistory, Role
from moss.report.page_templates import DiskLinks
from moss.report.pages.cluster import CommonPassage, pairs_of_source, render_cluster, source_of_passages
from moss.report.pages.overview import render_overview
from moss.report.pages.pair import render_pair
from moss.report.pages.submission import render_submission
from moss.report.pages.timeline import make_timeline
from moss.report.words.hand_in_times import TimeSource, hand_in_time, order_in_words

SAMPLE = Path(__file__).parents[2] / "sample_submissions" / "java-library"
START = datetime(2025, 10, 3, 22, 5)


@cache
def untimed():
    settings = moss.Settings(jobs=1, show=60, cluster=0.3)
    return moss.compare([SAMPLE / "submissions"], base=[SAMPLE / "starter"], settings=settings)


def timed(gap=timedelta(hours=3), **changes):
    """The report with a time for each submission, each so much after the one before it."""
    records = untimed().submissions
    changed = [replace(record, handed_in=(START + i * gap).isoformat(), **changes) for i, record in enumerate(records)]
    return replace(untimed(), submissions=tuple(changed))


def largest(report):
    return 1 + max(range(len(report.clusters)), key=lambda i: len(report.clusters[i]))


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition("<main")[2]))


def test_members_stand_in_the_order_of_handing_in_and_the_first_is_named_with_caution():
    report = timed()
    number = largest(report)
    page = render_cluster(report, number, DiskLinks("../"))
    members = report.clusters[number - 1]
    table = page.partition('id="members-title"')[2].partition("</table>")[0]
    shown = re.findall(r'<th scope="row"><a [^>]*><bdi>(.*?)</bdi>', table)
    assert shown == sorted(members)  # which is the order of the times
    said = text_of(page)
    assert f"{shown[0]}, by the times that are known:" in said
    assert "Times can be wrong" in said


def test_without_times_nobody_is_first():
    page = text_of(render_cluster(untimed(), largest(untimed()), DiskLinks("../")))
    assert "Not known: fewer than two members have a time" in page
    assert "Handed in" not in page


def test_nobody_is_first_if_another_time_cannot_be_compared():
    report = timed()
    number = largest(report)
    last = report.clusters[number - 1][-1]  # whoever is last may be the first, by the zone of the platform
    records = [replace(r, handed_in=f"{r.handed_in}+00:00") if r.id == last else r for r in report.submissions]
    said = text_of(render_cluster(replace(report, submissions=tuple(records)), number, DiskLinks("../")))
    assert "Not known: the first times are equal or cannot be compared." in said
    assert "by the times that are known:" not in said


@pytest.mark.parametrize("sign", "\f\v\x1c\x85\u2028")
def test_what_ends_no_line_does_not_shorten_a_passage_unsaid(sign):
    whole, more = (
        CommonPassage("a.c", 1, 40, f"{sign}line\n" * 40, 3, ()),
        CommonPassage("a.c", 1, 41, f"{sign}line\n" * 41, 3, ()),
    )
    assert (whole.cut, whole.shown) == (False, whole.text)
    assert (more.cut, more.shown) == (True, whole.text)


def test_earlier_work_comes_before_everything():
    report = timed()
    number = largest(report)
    old = report.clusters[number - 1][-1]
    records = [replace(r, role=Role.ARCHIVE, handed_in="") if r.id == old else r for r in report.submissions]
    said = text_of(render_cluster(replace(report, submissions=tuple(records)), number, DiskLinks("../")))
    assert f"before this class handed anything in: {old}." in said


def test_the_date_of_a_chatbots_answer_is_not_when_it_was_handed_in():
    report = timed()
    number = largest(report)
    members = report.clusters[number - 1]
    answer = {"role": Role.ARCHIVE, "reference": "chatbot", "handed_in": "", "dated": "2025-12-24T09:00:00"}
    records = [replace(r, **answer) if r.id == members[-1] else r for r in report.submissions]
    said = text_of(render_cluster(replace(report, submissions=tuple(records)), number, DiskLinks("../")))
    assert "chatbot" in said
    assert "Dec" not in said
    assert f"{members[0]}, by the times that are known:" in said


def test_the_range_of_times_on_a_clusters_page_is_that_of_the_class():
    report = timed()
    number = largest(report)
    old = report.clusters[number - 1][-1]
    later = {"role": Role.ARCHIVE, "handed_in": "2026-01-08T09:00:00"}
    records = [replace(r, **later) if r.id == old else r for r in report.submissions]
    said = text_of(render_cluster(replace(report, submissions=tuple(records)), number, DiskLinks("../")))
    first, last = re.search(r"handed in from (\d+ \S+ \d{4}), \S+ to (\d+ \S+ \d{4}),", said).groups()
    assert first.endswith("Oct 2025")
    assert last.endswith("Oct 2025")


def test_the_matrix_has_the_score_of_every_two_members():
    report = untimed()
    number = largest(report)
    members = report.clusters[number - 1]
    table = render_cluster(report, number, DiskLinks("../")).partition('class="matrix"')[2].partition("</table>")[0]
    cells = re.findall(r"<td(?! class)[^>]*>(.*?)</td>", table)
    assert len(cells) == len(members) * (len(members) - 1) // 2
    pages = {int(found) for found in re.findall(r"pairs/(\d{4})\.html", table)}
    assert pages == {i for i, pair in enumerate(report.pairs, 1) if {pair.a, pair.b} <= set(members)}


def test_the_page_counts_all_pairs_of_its_members_and_not_only_those_with_a_page():
    report = untimed()
    number = largest(report)
    page = render_cluster(report, number, DiskLinks("../"))
    cells = re.findall(r"<td(?! class)[^>]*>(.*?)</td>", page.partition('class="matrix"')[2].partition("</table>")[0])
    found = sum(cell != "–" for cell in cells)
    fewer = render_cluster(replace(report, pairs=report.pairs[:4]), number, DiskLinks("../"))
    listed = fewer.partition('id="pairs-title"')[2].count('<tr><th scope="row">')
    assert 0 < listed < found
    for said in map(text_of, (page, fewer)):
        assert f"submissions · {found} pairs ·" in said
    assert f"The best {listed} of {found} pairs are listed. The table above has the scores of all." in text_of(fewer)


def test_the_passages_that_all_share_are_those_of_one_member_and_its_pairs():
    report = untimed()
    number = largest(report)
    source = report.submissions[source_of_passages(report, number) - 1]
    kept = [replace(r, files=tuple(replace(f, text="") for f in r.files)) if r is not source else r
            for r in report.submissions]  # fmt: skip
    ranks = pairs_of_source(report, number)
    pairs = [pair if i in ranks else replace(pair, matches=()) for i, pair in enumerate(report.pairs, 1)]
    partial = replace(report, submissions=tuple(kept), pairs=tuple(pairs))
    page = render_cluster(report, number, DiskLinks("../"))
    assert 'class="common"' in page
    assert render_cluster(partial, number, DiskLinks("../")) == page


def test_times_are_on_the_pages_of_pairs_and_submissions():
    report = timed()
    pair = report.pairs[0]
    first, second = sorted((pair.a, pair.b))
    ids = [record.id for record in report.submissions]
    hours = 3 * (ids.index(second) - ids.index(first))
    page = text_of(render_pair(report, 1, DiskLinks("../")))
    assert re.search(rf"{first} was handed in {hours} hours before {second}\.|days before", page)
    place = ids.index(first)
    assert f'datetime="{report.submissions[place].handed_in}"' in render_submission(report, place + 1, DiskLinks("../"))


@pytest.mark.parametrize(
    ("changes", "source"),
    [
        ({"handed_in": "2025-10-03T22:05:00+00:00"}, TimeSource.PLATFORM),
        ({"history": GitHistory((Commit("1" * 40, "Ada", time="2025-10-03T22:05:00+02:00"),), 1)}, TimeSource.COMMIT),
        ({"dated": "2025-10-03T22:05:00"}, TimeSource.FILES),
        ({"handed_in": "yesterday", "dated": "never"}, None),
    ],
)
def test_the_best_source_of_a_time_counts(changes, source):
    time = hand_in_time(replace(untimed().submissions[0], **changes))
    assert (time.source if time else None) is source


def test_a_local_time_is_not_compared_with_one_that_names_its_zone():
    a, b = untimed().submissions[:2]
    times = {
        a.id: hand_in_time(replace(a, handed_in="2025-10-03T22:05:00")),
        b.id: hand_in_time(replace(b, handed_in="2025-10-03T23:05:00+00:00")),
    }
    assert order_in_words(a.id, b.id, times) == ""
    times[a.id] = hand_in_time(replace(a, handed_in="2025-10-03T22:05:00+00:00"))
    assert order_in_words(a.id, b.id, times) == f"{a.id} was handed in 60 minutes before {b.id}."


def test_the_timeline_counts_every_time_and_has_a_row_for_each_cluster():
    report = timed()
    line = make_timeline(report)
    assert sum(bar.count for bar in line.bars) == len(report.submissions)
    assert [row.cluster for row in line.rows if row.cluster] == list(range(1, len(report.clusters) + 1))
    for row in line.rows:
        assert [dot.x for dot in row.dots] == sorted(dot.x for dot in row.dots)
        assert all(0 <= dot.x <= 100 for dot in row.dots)
    assert 1 < len(line.ticks) <= 6
    page = render_overview(report, DiskLinks())
    assert 'href="#timeline"' in page
    assert page.count("<circle role=") == sum(len(row.dots) for row in line.rows)


def test_the_timeline_says_if_filled_bars_count_rows_that_are_left_out():
    assert "submissions with a dot below. " in text_of(render_overview(timed(), DiskLinks()))
    report = replace(timed(), clusters=(), baseline=replace(timed().baseline, limit=0.0, far=0.9))
    assert make_timeline(report).more > 0
    page = render_overview(report, DiskLinks())
    assert "submissions with a dot below, or in a row that is left out. " in text_of(page)


def test_there_is_no_timeline_without_two_different_times():
    assert make_timeline(untimed()) is None
    assert make_timeline(timed(timedelta())) is None
    assert 'id="timeline"' not in render_overview(untimed(), DiskLinks())
