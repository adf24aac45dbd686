"""The JSON report: the contract, and that what it says of the sample classes is true to the character."""

import io
import json
import re
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.programs import HONEST_JAVA, LEDGER, MAZE, write_class

import moss
from frontends import by_name
from moss.model import Channel, Status
from moss.report.json_report import as_plain, write_json

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
CLASSES = ("java-library", "python-textstats", "essays")


@cache
def report_of(name):
    folder = SAMPLES / name
    return moss.compare(
        [folder / "submissions"],
        base=[folder / "starter"],
        archive=[folder / "archive"] if (folder / "archive").is_dir() else [],
        settings=moss.Settings(jobs=1),
    )


@pytest.fixture(params=CLASSES)
def report(request):
    return report_of(request.param)


def texts(report):
    return {(s.id, file.path): file for s in report.submissions for file in s.files}


def sides(report):
    """(pair, match, submission, region, runs) for both sides of every match."""
    for pair in report.pairs:
        for match in pair.matches:
            yield pair, match, pair.a, match.a, [(run.a_start, run.a_end) for run in match.runs]
            yield pair, match, pair.b, match.b, [(run.b_start, run.b_end) for run in match.runs]


# The contract: what is here stays for ever. What was added since is in the schema.

SHARE, COUNT, TEXT = "share", "count", "text"
REGION = {"file": TEXT, "start_line": COUNT, "end_line": COUNT, "start": COUNT, "end": COUNT, "cell?": TEXT}
FILE = {
    "path": TEXT, "lines": COUNT, "tokens": COUNT, "language": TEXT, "status": TEXT, "reason": TEXT,
    "encoding": TEXT, "sha256": TEXT, "base?": [REGION],
    "cells?": [{"label": TEXT, "language": TEXT, "start": COUNT, "end": COUNT}],
}  # fmt: skip
CONTRACT = {
    "format": TEXT, "version": COUNT, "created": TEXT, "tool": {"name": TEXT, "version": TEXT}, "parameters": dict,
    "submissions": [
        {"id": TEXT, "owner": TEXT, "role": TEXT, "language": TEXT, "tokens": COUNT, "fingerprints": COUNT,
         "files": [FILE]}
    ],
    "pairs": [
        {
            "a": TEXT, "b": TEXT, "score": SHARE, "similarity": SHARE, "share_a": SHARE, "share_b": SHARE,
            "tokens": COUNT, "longest": COUNT, "rarity": float, "above": float, "standing": TEXT,
            "matches": [
                {"a": REGION, "b": REGION, "tokens": COUNT, "rarity": COUNT, "channel": TEXT, "others": [TEXT],
                 "runs": [[COUNT]]}
            ],
        }
    ],
    "clusters": [[TEXT]],
    "problems": [{"path": TEXT, "reason": TEXT}],
    "baseline": {"pairs": COUNT, "typical": SHARE, "spread": float, "limit": SHARE, "far": SHARE, "enough": bool,
                 "expected": float},
}  # fmt: skip


def check(value, shape, place="report"):
    """Fail unless the value has the shape: a table of keys (those with ? may be missing), a list, or a kind."""
    if isinstance(shape, dict):
        required = {key for key in shape if not key.endswith("?")}
        assert required <= value.keys(), place
        for key, inner in shape.items():
            if (name := key.rstrip("?")) in value:
                check(value[name], inner, f"{place}.{name}")
    elif isinstance(shape, list):
        assert isinstance(value, list), place
        for i, item in enumerate(value):
            check(item, shape[0], f"{place}[{i}]")
    elif isinstance(shape, type):
        assert isinstance(value, shape), place
    elif shape == TEXT:
        assert isinstance(value, str), place
    elif shape == COUNT:
        assert type(value) is int, place
        assert value >= 0, place
    else:
        assert isinstance(value, int | float), place
        assert 0 <= value <= 1, place


def test_it_keeps_the_contract(report):
    file = io.StringIO()
    write_json(report, file)
    plain = json.loads(file.getvalue(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    check(plain, CONTRACT)
    assert (plain["format"], plain["version"]) == ("moss-report", 1)
    assert datetime.fromisoformat(plain["created"]).tzinfo is not None
    assert {s["role"] for s in plain["submissions"]} <= {"new", "archive"}
    assert {file["status"] for s in plain["submissions"] for file in s["files"]} <= {"ok", "fallback", "skipped"}
    assert {match["channel"] for pair in plain["pairs"] for match in pair["matches"]} <= {"structure", "text"}


def test_ids_are_unique_and_everything_refers_to_them(report):
    plain = as_plain(report)
    ids = [submission["id"] for submission in plain["submissions"]]
    assert len(set(ids)) == len(ids)
    mentioned = {x for pair in plain["pairs"] for x in (pair["a"], pair["b"])} | {
        x for cluster in plain["clusters"] for x in cluster
    }
    mentioned |= {x for pair in plain["pairs"] for match in pair["matches"] for x in match["others"]}
    assert mentioned <= set(ids)


def test_pairs_are_sorted_by_score(report):
    scores = [pair["score"] for pair in as_plain(report)["pairs"]]
    assert scores == sorted(scores, reverse=True)


def test_the_parameters_tell_what_was_compared():
    parameters = as_plain(report_of("java-library"))["parameters"]
    assert [Path(path).name for path in parameters["paths"] + parameters["base"] + parameters["archive"]] == [
        "submissions", "starter", "archive",
    ]  # fmt: skip
    assert {"language", "max_matches", "show", "thresholds", "anonymize", "directory", "limits", "deadline"} <= set(
        parameters
    )


# The truth of it.


def line_of(text, offset):
    return 1 + len(re.findall(r"\r\n|\r|\n", text[:offset]))


def test_lines_agree_with_offsets(report):
    files = texts(report)
    for _, _, owner, region, _ in sides(report):
        text = files[owner, region.file].text
        assert 0 <= region.start < region.end <= len(text)
        assert region.start_line == line_of(text, region.start)
        assert region.end_line == line_of(text, region.end - 1)


@cache
def scan(language, text, channel):
    return by_name(language).scan(text)[channel]


def tokens_in(stream, start, end):
    inside = np.flatnonzero((stream.start >= start) & (stream.end <= end))
    assert len(inside)
    assert (stream.start[inside[0]], stream.end[inside[-1]]) == (start, end), "a run begins and ends with tokens"
    return stream.codes[inside].tolist()


def test_runs_are_equal_tokens():
    for name in ("java-library", "essays"):
        report = report_of(name)
        files = texts(report)
        for pair in report.pairs:
            for match in pair.matches:
                one, other = files[pair.a, match.a.file], files[pair.b, match.b.file]
                a, b = (scan(file.language, file.text, match.channel) for file in (one, other))
                equal = 0
                for run in match.runs:
                    codes = tokens_in(a, run.a_start, run.a_end)
                    assert codes == tokens_in(b, run.b_start, run.b_end)
                    equal += len(codes)
                assert equal == match.tokens


def test_runs_lie_in_their_regions_and_span_them(report):
    for _, _, _, region, runs in sides(report):
        assert (region.start, region.end) == (runs[0][0], runs[-1][1])
        assert all(start < end for start, end in runs)
        assert all(before[1] <= behind[0] for before, behind in pairwise(runs))


def test_regions_of_a_pair_never_overlap(report):
    for pair in report.pairs:
        for side in ("a", "b"):
            regions = sorted((r.file, r.start, r.end) for r in (getattr(match, side) for match in pair.matches))
            for (file, _, end), (next_file, start, _) in pairwise(regions):
                assert file != next_file or end <= start, (pair.a, pair.b, file)


def test_no_match_is_shorter_than_the_noise(report):
    least = {
        channel: min(layer["noise"] for layer in report.parameters["thresholds"] if layer["channel"] == channel)
        for channel in Channel
        if any(layer["channel"] == channel for layer in report.parameters["thresholds"])
    }
    for pair in report.pairs:
        assert pair.matches
        for match in pair.matches:
            if not match.a.cell and not match.b.cell:  # a longer one that runs over cells is shown cell by cell
                assert match.tokens >= least[match.channel]


def test_sums_are_those_of_the_matches(report):
    for pair in report.pairs:
        assert pair.tokens == sum(match.tokens for match in pair.matches)
        assert pair.longest == max(match.tokens for match in pair.matches)
        assert all(match.rarity <= len(match.others) for match in pair.matches)
        assert all(not {pair.a, pair.b} & set(match.others) for match in pair.matches)


def test_counts_of_files_are_true(report):
    for submission in report.submissions:
        assert submission.tokens == sum(file.tokens for file in submission.files)
        for file in submission.files:
            assert file.status is Status.OK
            assert file.lines == len(re.findall(r"[^\n]*\n|[^\n]+\Z", file.text))


# Handed-out code.


def test_base_is_listed_where_it_stands():
    report = report_of("java-library")
    for submission in report.submissions:
        for file in submission.files:
            if file.path.endswith("Words.java") and submission.id in ("ada", "chiara", "goran"):
                assert file.base
                assert (file.base[0].start_line, len(file.base)) <= (3, 1)
            for before, behind in pairwise(file.base):
                assert before.end <= behind.start
            for region in file.base:
                assert region.file == file.path
                assert region.start_line == line_of(file.text, region.start)
                assert region.end_line == line_of(file.text, region.end - 1)


def test_base_is_in_no_run(report):
    files = texts(report)
    for _, match, owner, region, runs in sides(report):
        if match.channel is Channel.STRUCTURE:
            for base in files[owner, region.file].base:
                assert all(end <= base.start or base.end <= start for start, end in runs), (owner, region)


def test_what_is_nothing_but_base_shares_nothing(tmp_path):
    members = {name: {"Main.java": LEDGER, "Own.java": files.popitem()[1]} for name, files in HONEST_JAVA.copy().items()
               for files in [dict(files)]}  # fmt: skip
    folder = write_class(tmp_path / "hw1", members)
    (tmp_path / "Base.java").write_text(LEDGER)
    report = moss.compare([folder], base=[tmp_path / "Base.java"], settings=moss.Settings(jobs=1))
    for submission in report.submissions:
        [main] = [file for file in submission.files if file.path == "Main.java"]
        assert [(region.start_line, region.end_line) for region in main.base] == [(1, main.lines)]
    assert all(match.a.file == "Own.java" for pair in report.pairs for match in pair.matches)


# Odd texts keep their offsets.

ODD = {
    "CR": LEDGER.replace("\n", "\r"),
    "CRLF": LEDGER.replace("\n", "\r\n"),
    "form feeds": LEDGER.replace("\n\n", "\n\f\n"),
    "line separators": LEDGER.replace("\n\n", "\u2028\n"),
    "zero-width": LEDGER.replace("balance", "bal\u200bance"),
    "astral": LEDGER.replace("// Opening", "// 👩‍💻😀 Opening"),
    "escapes": LEDGER.replace("customer", "\\u0063ustomer"),
    "NUL": LEDGER.replace(" = ", " =\0 "),
}


@pytest.mark.parametrize("kind", ODD)
def test_offsets_and_lines_of_odd_texts(tmp_path, kind):
    members = HONEST_JAVA | {"alice": {"A.java": "// mine\n" + LEDGER}, "mallory": {"A.java": MAZE[:100] + ODD[kind]}}
    report = moss.compare([write_class(tmp_path / "hw1", members)], settings=moss.Settings(jobs=1))
    best = report.pairs[0]
    files = texts(report)
    for _, _, owner, region, runs in list(sides(report))[: 2 * len(best.matches)]:
        text = files[owner, region.file].text
        assert region.start_line == line_of(text, region.start)
        assert region.end_line == line_of(text, region.end - 1)
        for start, end in runs:
            tokens_in(scan("java", text, best.matches[0].channel), start, end)


@pytest.mark.parametrize("split", ["alice", "mallory"])
def test_a_match_never_spans_two_files(tmp_path, split):
    middle = LEDGER.index("    public boolean transfer")
    copies = {"alice": {"A.java": LEDGER}, "mallory": {"A.java": LEDGER}}
    copies[split] = {"A.java": LEDGER[:middle], "B.java": LEDGER[middle:]}
    report = moss.compare([write_class(tmp_path / "hw1", HONEST_JAVA | copies)], settings=moss.Settings(jobs=1))
    best, files = report.pairs[0], texts(report)
    assert len(best.matches) == 2
    for match in best.matches:
        for run in match.runs:
            ours = files[best.a, match.a.file].text[run.a_start : run.a_end]
            assert ours == files[best.b, match.b.file].text[run.b_start : run.b_end]
