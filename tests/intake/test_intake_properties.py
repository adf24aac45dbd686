import io
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss.intake import Limits, collect
from moss.intake.names import numbered, unique_ids

names = st.one_of(
    st.sampled_from(
        ["a", "b.py", "src", "bin", "target", "pom.xml", "x.zip", ".git", "Thumbs.db", "classes", "e\u0301"]
    ),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
        lambda name: name not in (".", "..")
    ),
)
contents = st.one_of(st.binary(max_size=200), st.just(b"int x;\n"), st.just(b"\x89PNG\r\n\x1a\n\0"))
trees = st.dictionaries(st.lists(names, min_size=1, max_size=4).map(tuple), contents, max_size=12)
wild_names = st.one_of(
    st.text(max_size=12), st.sampled_from(["/a", "../b", "c:\\d", "e//f", "./g", "h/../i", "a\\b", "/"])
)


def accounted(intake, shown, root=""):
    """Whether a file is in a submission or it, or a folder above it, is among the problems."""
    read = {f"{s.id}/{f.path}" for s in intake.submissions for f in s.files} | {
        s.id for s in intake.submissions if s.files
    }
    parts = (root + shown).split("/")
    above = {"/".join(parts[:i]) for i in range(1, len(parts) + 1)}
    return shown in read or above & {p.path for p in intake.problems}


@settings(deadline=None, max_examples=60)
@given(trees)
def test_every_file_of_a_tree_is_accounted_for(files):
    with tempfile.TemporaryDirectory() as folder:
        written = []
        for parts, content in files.items():
            path = Path(folder, *parts)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError:  # one name is a file and a folder
                continue
            written.append("/".join(parts))
        intake = collect([folder])
        assert intake == collect([folder])
    assert [shown for shown in written if not accounted(intake, shown)] == []
    assert len({s.id for s in intake.submissions}) == len(intake.submissions)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(wild_names, st.integers(0, 2**32 - 1).map(lambda n: b"file %d" % n)), max_size=8))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_every_member_of_a_zip_is_accounted_for(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo("x")
            info.filename = name.encode("utf-8", "replace").decode()
            archive.writestr(info, content)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "c.zip").write_bytes(buffer.getvalue())
        intake = collect([Path(folder, "c.zip")])
    texts = [f.text.encode() for s in intake.submissions for f in s.files]
    files = [content for name, content in members if not name.endswith(("/", "\\"))]
    assert len(texts) + len([p for p in intake.problems if p.reason != "no readable file"]) >= len(files)
    assert set(texts) <= set(files)


starts = st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\0"])


@settings(deadline=None, max_examples=200)
@given(starts, st.binary(max_size=600), st.sampled_from([".zip", ".tar.gz", ".ipynb", ".java", ""]))
def test_no_bytes_can_stop_a_run(start, content, ending):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "alice" + ending).write_bytes(start + content)
        Path(folder, "bob.py").write_bytes(b"b")
        intake = collect([folder, Path(folder, "alice" + ending)])
    assert "bob.py" in {s.id for s in intake.submissions}
    for problem in intake.problems:
        (problem.path + problem.reason).encode()


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_no_damage_to_an_archive_can_stop_a_run(data, zipped, tarred):
    members = [
        ("alice/a.py", b"a" * 700),
        ("bob/" + "long" * 40 + ".py", b"b"),
        ("carol/in.zip", zipped([("c.py", b"c")])),
    ]
    mode = data.draw(st.sampled_from(["zip", "w", "w:gz"]))
    content = bytearray(zipped(members) if mode == "zip" else tarred(members, mode))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "class").write_bytes(content[: data.draw(st.integers(1, len(content)))])
        collect([Path(folder, "class")], limits=Limits(file_bytes=10_000))


@given(st.lists(st.lists(st.sampled_from(["a", "b", "a (2)", "c.py"]), min_size=1, max_size=3).map(tuple), max_size=12))
def test_ids_are_unique_and_end_as_the_path_does(paths):
    ids = unique_ids(paths)
    assert len(set(ids)) == len(paths)
    assert all(
        name.removesuffix(")").startswith(path[-1]) or path[-1] in name for name, path in zip(ids, paths, strict=True)
    )


@given(st.lists(st.sampled_from(["a.py", "a (2).py", "a (3).py", "b"]), max_size=12))
def test_numbered_names_are_unique_and_first_ones_unchanged(given_names):
    result = numbered(given_names)
    assert len(set(result)) == len(given_names)
    assert all(result[given_names.index(name)] == name for name in given_names)
