"""A report without names: places in texts stay exact, and nobody is named anywhere in it."""

import re
from functools import cache
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from support.programs import HONEST_JAVA, LEDGER, notebook, write_class

import moss
from moss.anonymity import Remover
from moss.report.evidence.redaction import flipped
from moss.report.json_report import write_json, write_sources
from moss.report.masked_report import Mask, NamelessText
from moss.report.page_templates import DiskLinks
from moss.report.pages.pair import render_pair

REMOVER = Remover({"ada": "student12", "wilhelmina": "s1"})
TEXTS = st.lists(st.sampled_from(["ada", "Wilhelmina", "x", "\u00e9", "\n", " ", "_", "🙂"]), max_size=20).map("".join)


@given(TEXTS, st.data())
def test_a_span_has_the_same_text_without_its_names(text, data):
    masked = NamelessText(REMOVER(text), REMOVER.found_in(text))
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    shown = masked.text[masked.start(start) : masked.end(end)]
    inside = [name for name in masked.found if start <= name.start and name.end <= end]
    cut = [name for name in masked.found if name not in inside and name.start < end and name.end > start]
    plain = text[start:end]
    for name in reversed(inside):
        plain = plain[: name.start - start] + name.pseudonym + plain[name.end - start :]
    assert shown == plain if not cut else all(name.pseudonym in shown for name in cut)


UNREAD = {f"{letter}na": {"Main.java": f"class {letter.upper()} {{}}", "b.bin": b"\0"} for letter in "abcdefgh"}


@cache
def named(tmp_path):
    """A report of two people who write their names everywhere, one of them in a notebook too."""
    half = len(LEDGER) // 2
    members = {
        name: {
            f"{part}.java": f"// {name}\n{LEDGER.replace('balance', f'{part}Balance')}",
            "a.bin": b"\0",
            f"{part}/work.ipynb": notebook(f"// {name}\n{LEDGER[:half]}", LEDGER[half:], language="java"),
        }
        for name, part in (("Zebulon Quartz", "zebulon"), ("Ottoline Vex", "ottoline"))
    }
    return moss.compare([write_class(tmp_path / "hw", HONEST_JAVA | members | UNREAD)], settings=moss.Settings(jobs=1))


def test_passages_are_where_they_were_and_nobody_is_named(tmp_path):
    report = named(tmp_path)
    mask = Mask(report)
    masked = mask.report(report)
    written = StringIO()
    write_json(masked, written)
    write_sources(masked, written)
    assert not re.search("zebulon|quartz|ottoline|vex", written.getvalue(), re.IGNORECASE)
    texts, hidden = (
        {record.id: {file.path: file.text for file in record.files} for record in each.submissions}
        for each in (report, masked)
    )
    assert [pair.score for pair in masked.pairs] == [pair.score for pair in report.pairs]
    for before, after in zip(report.pairs, masked.pairs, strict=True):
        if mask.id(before.a) != after.a:
            before = flipped(before)
        assert (after.a, after.b) == (mask.id(before.a), mask.id(before.b))
        for old, new in zip(before.matches, after.matches, strict=True):
            for run, moved in zip(old.runs, new.runs, strict=True):
                was = texts[before.a][old.a.file][run.a_start : run.a_end]
                assert hidden[after.a][new.a.file][moved.a_start : moved.a_end] == mask.texts(was)
        assert render_pair(masked, masked.pairs.index(after) + 1, DiskLinks("../"))


def test_a_part_of_a_report_gets_the_same_pseudonyms(tmp_path):
    report = named(tmp_path)
    mask = Mask(report)
    ids = {record.id for record in mask.report(report).submissions}
    assert ids == set(mask.ids.values())
    assert all(id.startswith("student") for id in ids)


def test_nothing_is_in_the_order_of_names(tmp_path):
    report = named(tmp_path)
    mask = Mask(report)
    masked = mask.report(report)
    ids = [record.id for record in masked.submissions]
    assert ids == sorted(ids)
    assert [report.submissions[mask.number_behind(number) - 1].id for number, _ in enumerate(ids, 1)] == [
        next(name for name, pseudonym in mask.ids.items() if pseudonym == id) for id in ids
    ]
    assert (mask.number_behind(0), mask.number_behind(len(ids) + 1)) == (None, None)
    assert all(pair.a < pair.b for pair in masked.pairs)
    paths = [problem.path for problem in masked.problems]
    assert len(paths) > 3
    assert paths == sorted(paths)
    assert (masked.ranking.a < masked.ranking.b).all()
    sides = [
        [frozenset((names[a], names[b])) for a, b in zip(each.ranking.a, each.ranking.b, strict=True)]
        for each, names in ((masked, ids), (report, [mask.id(record.id) for record in report.submissions]))
    ]
    assert sides[0] == sides[1]
