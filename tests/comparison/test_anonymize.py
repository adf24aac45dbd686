"""Anonymous reports: no owner's name anywhere, the same pseudonyms again, and offsets that still hold."""

import gzip
import io
import json
import re
from dataclasses import replace
from datetime import datetime
from unicodedata import normalize

import pytest
from support.programs import DIARY_PY, HONEST_JAVA, LEDGER, MAZE, notebook, write_class
from support.repositories import Change, make_repository

import moss
from moss.comparison.anonymize import anonymize, pseudonyms_for
from moss.intake import collect
from moss.report.csv_tables import write_csv, write_scores
from moss.report.json_report import write_json
from moss.report.site import write_site

NAMES = ("Annemarie Quilty", "Bogdan_Ferenczy", "zsófia")
SECRET = ("annemarie", "quilty", "bogdan", "ferenczy", "zsófia", "zsofia")


def signed(text, name):
    return f"// Author: {name}, also known as {name.upper()} <{name.split()[0].lower()}@example.org>\n{text}"


@pytest.fixture
def hw1(tmp_path):
    first, second, third = NAMES
    return write_class(
        tmp_path / "hw1",
        {
            first: {"Ledger.java": signed(LEDGER, first), f"{first} broken.zip": b"PK\x03\x04 rubbish"},
            second: {
                f"{second}/Ledger.java": signed(LEDGER, second),
                "shared.java": f"// with help of {third}\n{LEDGER}",
            },
            third: {
                "a.ipynb": notebook(f"# By {third}\n", f"author = '{third}'\n{DIARY_PY}"),
                f"{third}.class": b"\xca\xfe\xba\xbe\0",
            },
            **HONEST_JAVA,
        },
    )


def compare(folder, **settings):
    return moss.compare([folder], settings=moss.Settings(anonymize=True, jobs=1, **settings))


def unpacked(path):
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    return content.decode("latin-1" if ".bin" in path.suffixes else "utf-8")


def everything(report, folder):
    """All that a reader of any of the report's files can see, and the code that is kept for showing."""
    files = []
    for write in (write_json, write_csv, write_scores):
        file = io.StringIO()
        write(report, file)
        files.append(file.getvalue())
    page = write_site(report, folder)
    files += [unpacked(path) for path in page.parent.rglob("*.*")]
    files += [file.text for submission in report.submissions for file in submission.files]
    return "\n".join(files).lower()


def test_no_name_is_anywhere(hw1, tmp_path):
    seen = everything(compare(hw1), tmp_path / "out")
    assert {name for name in SECRET if name in seen} == set()


def test_the_same_without_anonymity_tells_them(hw1, tmp_path):
    report = moss.compare([hw1], settings=moss.Settings(jobs=1))
    seen = everything(report, tmp_path / "out")
    assert {name for name in SECRET if name in seen} >= {"annemarie", "quilty", "bogdan", "ferenczy", "zsófia"}


@pytest.mark.parametrize(
    "spelling",
    [
        "annemarieQuilty", "AnnemarieQuilty", "annemariequilty", "annemarie_quilty", "QUILTY, ANNEMARIE",
        "quiltyannemarie", "aquilty", "quilty2", "getQuiltyName", "Annemarie\u00a0Quilty",
    ],
)  # fmt: skip
def test_the_usual_spellings_of_a_name_are_gone_too(tmp_path, spelling):
    program = LEDGER.replace("class Ledger", f"class Ledger /* {spelling} */")
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {NAMES[0]: {"A.java": program}})
    report = compare(folder)
    [text] = [f.text for s in report.submissions for f in s.files if f.path == "A.java"]
    assert "quilty" not in text.lower()


@pytest.mark.parametrize("spelling", ["Zsófia Ünal", "zso\u0301fia u\u0308nal", "zsofia unal"], ids=ascii)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_do_not_give_a_name_away(tmp_path, spelling, form):
    folder = write_class(
        tmp_path / "hw1", HONEST_JAVA | {normalize(form, "Zsófia Ünal"): {"A.java": f"// {spelling}\n{LEDGER}"}}
    )
    [text] = [f.text for s in compare(folder).submissions for f in s.files if f.path == "A.java"]
    first = normalize("NFD", text.splitlines()[0]).encode("ascii", "ignore").decode().lower()
    assert "zsofia" not in first
    assert "unal" not in first


def test_a_name_of_two_letters_is_in_no_path(tmp_path):
    members = {"Li": {"A.java": LEDGER, "broken.zip": b"PK\x03\x04 rubbish"}, "Xu": {"Xu.java": LEDGER}}
    report = compare(write_class(tmp_path / "hw1", HONEST_JAVA | members))
    paths = [problem.path for problem in report.problems] + [f.path for s in report.submissions for f in s.files]
    assert not [path for path in paths if re.search(r"\b(?:Li|Xu)\b", path)]


def test_a_name_that_two_owners_have_points_at_neither_of_them(tmp_path):
    members = {"Anna Berg": {"A.java": f"// Anna\n{LEDGER}"}, "Anna Holm": {"B.java": f"// Anna\n{LEDGER}"}}
    report = compare(write_class(tmp_path / "hw1", HONEST_JAVA | members))
    owners = {file.path: (s.owner, file.text.splitlines()[0]) for s in report.submissions for file in s.files}
    others = {"A.java": owners["B.java"][0], "B.java": owners["A.java"][0]}
    for path, other in others.items():
        assert other not in owners[path][1], "the code of one owner names the other"
        assert "Anna" not in owners[path][1]


def test_files_that_are_submissions_keep_their_language(tmp_path):
    renamed = re.sub(r"\b(balances|journal|customer|amount|rest|words|entry|parts)\b", r"\1X", LEDGER)
    folder = tmp_path / "hw1"
    write_class(folder, {"": {"alice.java": LEDGER, "mallory.java": renamed, "bob.java": MAZE}})
    report = compare(folder)
    assert {file.language for s in report.submissions for file in s.files} == {"java"}
    assert {file.path.rpartition(".")[2] for s in report.submissions for file in s.files} == {"java"}
    assert report.pairs[0].share_a == report.pairs[0].share_b == 1
    assert "import java.util.List;" in report.submissions[0].files[0].text + report.submissions[1].files[0].text


def test_a_number_that_is_a_name_is_no_part_of_other_numbers(tmp_path):
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {"100": {"A.java": f"int x = 1000 + 2100;\n{LEDGER}"}})
    [text] = [f.text for s in compare(folder).submissions for f in s.files if f.path == "A.java"]
    assert text.startswith("int x = 1000 + 2100;")


def test_pseudonyms_are_the_same_again(hw1):
    one, other = (compare(hw1) for _ in range(2))
    assert [s.id for s in one.submissions] == [s.id for s in other.submissions]
    assert [(p.a, p.b, p.score) for p in one.pairs] == [(p.a, p.b, p.score) for p in other.pairs]


def test_pseudonyms_do_not_depend_on_the_order_of_the_paths(hw1):
    children = sorted(hw1.iterdir())

    def ranking(paths):
        files = [file for child in paths for file in sorted(child.rglob("*.java"))]
        report = moss.compare(files, settings=moss.Settings(anonymize=True, jobs=1))
        return [(p.a, p.b, p.score) for p in report.pairs]

    assert ranking(children) == ranking(children[::-1])


def test_every_owner_has_one_pseudonym_and_no_two_the_same():
    owners = [f"owner {i}" for i in range(120)]
    pseudonyms = pseudonyms_for(owners)
    assert len(set(pseudonyms.values())) == 120
    assert pseudonyms == pseudonyms_for(owners[::-1])
    assert [pseudonyms[owner] for owner in sorted(owners)] != sorted(pseudonyms.values()), "the alphabet must not show"


def test_names_do_not_change_what_is_found(hw1):
    plain = moss.compare([hw1], settings=moss.Settings(jobs=1))
    hidden = compare(hw1)
    assert len(plain.ranking) == len(hidden.ranking)
    assert [pytest.approx(p.score, abs=0.02) for p in plain.pairs[:2]] == [p.score for p in hidden.pairs[:2]]
    assert [p.longest for p in plain.pairs[:2]] == [p.longest for p in hidden.pairs[:2]]


def test_offsets_hold_in_the_texts_that_are_shown(hw1):
    report = compare(hw1)
    files = {(s.id, f.path): f.text for s in report.submissions for f in s.files}
    best = report.pairs[0]
    assert best.matches
    for match in best.matches:
        a, b = files[best.a, match.a.file], files[best.b, match.b.file]
        for run in match.runs:
            ours, theirs = a[run.a_start : run.a_end], b[run.b_start : run.b_end]
            assert re.sub(r"student\d*|\s", "", ours) == re.sub(r"student\d*|\s", "", theirs)
        assert match.a.start_line == 1 + a[: match.a.start].count("\n")


def test_cells_of_notebooks_hold(hw1, tmp_path):
    write_class(hw1, {"copier": {"d.py": DIARY_PY}})
    report = compare(hw1)
    best = next(p for p in report.pairs if any(m.a.cell or m.b.cell for m in p.matches))
    files = {(s.id, f.path): f.text for s in report.submissions for f in s.files}
    for match in best.matches:
        for run in match.runs:
            ours = files[best.a, match.a.file][run.a_start : run.a_end]
            theirs = files[best.b, match.b.file][run.b_start : run.b_end]
            assert ours.split() == theirs.split()
    assert "student" in next(f.text for s in report.submissions for f in s.files if f.path == "a.ipynb").splitlines()[0]


def test_parameters_tell_no_path(hw1):
    parameters = json.dumps(compare(hw1).parameters, default=str)
    assert "hw1" not in parameters


def test_a_short_or_common_name_does_not_destroy_the_code(tmp_path):
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {"int": {"A.java": LEDGER}, "Li": {"A.java": LEDGER}})
    report = compare(folder)
    best = report.pairs[0]
    assert best.share_a == best.share_b == 1
    text = next(f.text for s in report.submissions for f in s.files if f.path == "A.java")
    assert "List" in text
    assert "print" in text


def test_problems_are_not_in_the_order_of_names(tmp_path):
    class_ = {f"{letter}na": {f"{letter}na.py": DIARY_PY, "notes.bin": b"\0"} for letter in "abcdefgh"}
    report = compare(write_class(tmp_path / "hw", class_))
    paths = [problem.path for problem in report.problems]
    assert len(paths) == len(class_)
    assert paths == sorted(paths)


def test_dates_of_files_do_not_tell_who_it_is(tmp_path):
    folder = write_class(tmp_path / "hw", HONEST_JAVA)
    given = collect([folder])
    dated = [replace(each, dated=datetime(2026, 3, day)) for day, each in enumerate(given.submissions, 1)]
    assert {each.dated for each in anonymize(replace(given, submissions=tuple(dated))).submissions} == {None}


def test_a_history_keeps_its_dates_and_names_nobody(tmp_path):
    ann = [
        Change({"main.py": "x = 1\ny = 2\n"}, author="Ann Lee <ann@example.org>"),
        Change(
            {"main.py": "x = 1\ny = 2\nz = 3\nprint(z)\n"}, author="Bo Kim <bo@example.org>", day=1, message="by Bo"
        ),
    ]
    make_repository(tmp_path / "class" / "Ann Lee", ann)
    [hidden] = anonymize(collect([tmp_path / "class"])).submissions
    commits = hidden.history.commits
    assert [(c.author, c.id, c.mail, c.subject) for c in commits] == [
        ("author 1", "", "", ""),
        ("author 2", "", "", ""),
    ]
    assert [commit.time[:10] for commit in commits] == ["2026-02-25", "2026-02-26"]
    assert [origin.commit for origin in hidden.files[0].origins] == [1, 2]


@pytest.mark.parametrize(
    ("name", "spelling", "secret"),
    [
        ("Conor O'Brien", "class OBrienLedger by cobrien", "brien"),
        ("José García López", "garciaLopez, GARCIALOPEZ, joseGarcia, jgarcia", "garcia"),
        ("Ana-María de la Cruz", "anamaria, DeLaCruz, adelacruz", "cruz|anamaria"),
        ("Jean-Luc Picard", "jeanLuc, jlpicard", "luc|picard"),
        ("Zoë Müller", "Mueller, zmueller, MUELLER", "mueller"),
        ("Đorđe Šarić", "DjordjeSaric, ĐORĐE_ŠARIĆ", "djordje|đorđe|saric"),
        ("王小明", "作者王小明的作业", "小明"),
        ("李伟", "李伟, 感谢李伟同学, by李伟", "李伟"),
        ("김민수", "김민수가", "민수"),
        ("Wang Fang", "作者Wang的作业", "wang"),
        ("محمد علي", "ومحمد", "محمد"),
    ],
)
def test_names_of_several_words_and_of_other_scripts_are_gone(tmp_path, name, spelling, secret):
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {name: {"A.java": f"// {spelling}\n{LEDGER}"}})
    [text] = [f.text for s in compare(folder).submissions for f in s.files if f.path == "A.java"]
    assert not re.search(secret, text.splitlines()[0], re.IGNORECASE)


def test_a_name_that_was_copied_with_the_file_is_no_word_of_the_task(tmp_path):
    copies = {name: {"A.java": f"// by rosa\n{LEDGER}"} for name in ("rosa", "sven", "tara", "ugo")}
    report = compare(write_class(tmp_path / "hw1", copies))
    assert not [f.path for s in report.submissions for f in s.files if "rosa" in f.text]
