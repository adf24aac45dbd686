"""Results of JPlag become reports that say whose they are, and whatever is in them is bounded and answered in words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.foreign_results import A_LINES, B_LINES, PROGRAMS, SHARED, jplag_5, jplag_6, unpacked, zipped

from moss.imported import import_result, result_files
from moss.intake import IntakeError, Limits
from moss.report.folder_reader import load_report
from moss.report.site import write_site

RESULTS = {"5": jplag_5(), "6": jplag_6(), "6 from Windows": jplag_6(windows=True)}


@pytest.fixture(params=RESULTS)
def result(request, tmp_path):
    return zipped(RESULTS[request.param], tmp_path / "result.jplag")


def test_a_result_has_its_pairs_texts_and_lines(result):
    report = import_result(result)
    assert [record.id for record in report.submissions] == ["Ada Lovelace", "bob", "cyd"]
    ada = report.submissions[0]
    assert {file.path: file.text for file in ada.files} == PROGRAMS["ada"]
    pair = report.pairs[0]
    assert (pair.a, pair.b, pair.score, pair.share_a, pair.share_b) == ("Ada Lovelace", "bob", 0.85, 0.8, 0.9)
    [match] = pair.matches
    assert (match.a.start_line, match.a.end_line) == A_LINES
    assert (match.b.start_line, match.b.end_line) == B_LINES
    assert ada.files[0].text[match.a.start : match.a.end] == SHARED.rstrip("\n")
    assert (match.tokens, pair.longest) == (40, 40)
    assert report.clusters == (("Ada Lovelace", "bob"),)
    assert [problem.path for problem in report.problems] == ["eve"]
    assert "JPlag did not compare it" in report.problems[0].reason


def test_a_report_says_what_it_is_and_claims_no_more(result, tmp_path):
    report = import_result(result)
    assert report.imported.tool == "JPlag"
    assert report.imported.version in ("5.1.0", "6.2.0")
    assert "of at least 12 tokens" in report.imported.meaning
    write_site(report, tmp_path / "report")
    pages = {file.relative_to(tmp_path / "report").as_posix(): file.read_text()
             for file in (tmp_path / "report").rglob("*.html")}  # fmt: skip
    assert len(pages) >= 4
    for name in ("index.html", "pairs/0001.html"):
        assert "JPlag" in pages[name]
        assert "average similarity" in pages[name]
    for page in pages.values():
        for claim in (
            "ordinary up to",
            "far above",
            "Only these two",
            "nobody else has it",
            "Standing",
            "is ordinary.",
        ):
            assert claim not in page
        assert "handed out" not in page.lower().replace("hatched</span> what was handed out", "")
    loaded = load_report(tmp_path / "report")
    assert loaded.imported == report.imported
    filed = json.loads((tmp_path / "report" / "report.json").read_text())
    assert filed["imported"]["tool"] == "JPlag"
    assert not {"standing", "above"} & set(filed["pairs"][0])


def test_an_unpacked_folder_and_a_folder_around_it_will_do(tmp_path):
    folder = unpacked(jplag_6(), tmp_path / "result")
    wrapped = zipped({f"result/{name}": content for name, content in jplag_6().items()}, tmp_path / "result.zip")
    assert import_result(folder).pairs == import_result(wrapped).pairs


def test_without_shares_of_the_sides_the_average_stands_for_both(tmp_path):
    pair = import_result(zipped(jplag_5(similarity=False), tmp_path / "r.zip")).pairs[0]
    assert (pair.share_a, pair.share_b) == (0.85, 0.85)


def test_two_of_one_name_go_by_their_ids(tmp_path):
    members = jplag_6()
    mappings = json.loads(members["submissionMappings.json"])
    mappings["submissionIds"]["bob"] = "Ada Lovelace"
    members["submissionMappings.json"] = json.dumps(mappings).encode()
    report = import_result(zipped(members, tmp_path / "r.zip"))
    assert [record.id for record in report.submissions] == ["ada", "bob", "cyd"]


def changed(name, **fields):
    members = jplag_6()
    content = json.loads(members[name])
    members[name] = json.dumps(content | fields).encode()
    return members


def matches(*found):
    match = json.loads(jplag_6()["comparisons/ada-bob.json"])["matches"][0]
    return changed("comparisons/ada-bob.json", matches=[match | each for each in found])


def test_passages_that_overlap_or_lie_outside_are_cut_or_listed(tmp_path):
    wide, narrow = {"line": 1}, {"line": 20}
    inside = {"startInFirst": {"line": 5}, "endInFirst": {"line": 6}, "startInSecond": {"line": 5},
              "endInSecond": {"line": 6}, "lengthOfFirst": 3}  # fmt: skip
    over = {"startInFirst": wide, "endInFirst": narrow, "lengthOfFirst": 90}
    elsewhere = {"firstFileName": "ada/gone.py"}
    report = import_result(zipped(matches({}, inside, over, elsewhere), tmp_path / "r.zip"))
    found = report.pairs[0].matches
    assert [match.a.end_line for match in found] == [13]
    assert any("3 passages are not shown" in problem.reason for problem in report.problems)


BROKEN = {
    "no json": jplag_6() | {"comparisons/ada-bob.json": b"{"},
    "deep json": jplag_6() | {"runInformation.json": b"[" * 100_000},
    "a number": jplag_6() | {"submissionMappings.json": b"7"},
    "no lines": matches({"startInFirst": {"line": -3}}),
    "lines as words": matches({"startInFirst": {"line": "three"}}),
    "other fields": changed("comparisons/ada-bob.json", matches=[{"x": 1}]),
    "nan": jplag_6() | {"comparisons/ada-bob.json": jplag_6()["comparisons/ada-bob.json"].replace(b"0.8,", b"NaN,")},
    "huge": changed("comparisons/ada-bob.json", firstSimilarity=1e300),
    "no comparison": {name: content for name, content in jplag_6().items() if not name.startswith("comparisons")},
    "nothing": {"a.txt": b"hello", "b.txt": b"hello"},
}


@pytest.mark.parametrize("members", BROKEN.values(), ids=BROKEN)
def test_a_broken_result_is_one_sentence(members, tmp_path):
    path = zipped(members, tmp_path / "r.zip")
    with pytest.raises(IntakeError) as refused:
        import_result(path)
    sentence = str(refused.value)
    assert sentence.startswith(f"{path} cannot be imported: it")
    assert "\n" not in sentence
    assert len(sentence) < 500


def test_what_is_no_result_at_all_is_one_sentence(tmp_path):
    (tmp_path / "cut.jplag").write_bytes(zipped(jplag_6(), tmp_path / "r.zip").read_bytes()[:200])
    (tmp_path / "text.jplag").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name in ("cut.jplag", "text.jplag", "empty", "not-there.jplag"):
        with pytest.raises(IntakeError, match="cannot be imported: "):
            import_result(tmp_path / name)


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(result_files, "_LIMITS", Limits(file_bytes=1000, total_bytes=10_000))
    monkeypatch.setattr(result_files.ResultFiles.__init__, "__defaults__", (Limits(file_bytes=1000),))
    path = zipped(jplag_6() | {"files/ada/big.py": b"x = 1\n" * 100_000}, tmp_path / "r.zip")
    with pytest.raises(IntakeError):
        import_result(path)


scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner), max_leaves=4
)
FIELDS = ["matches", "firstSubmissionId", "similarities", "firstSimilarity", "secondSubmissionId"]


@given(st.dictionaries(st.sampled_from(FIELDS), values))
def test_whatever_a_comparison_says_is_a_report_or_a_sentence(tmp_path_factory, fields):
    path = zipped(changed("comparisons/ada-bob.json", **fields), tmp_path_factory.mktemp("odd") / "r.zip")
    try:
        report = import_result(path)
    except IntakeError:
        return
    assert all(0 <= pair.score <= 1 for pair in report.pairs)
