import pytest

from moss.intake import collect

CLASS = b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(range(256))


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("alice/.git/objects/ab", "alice/.git"),
        ("alice/.DS_Store", "alice/.DS_Store"),
        ("alice/__MACOSX/._a.py", "alice/__MACOSX"),
        ("alice/node_modules/x/index.js", "alice/node_modules"),
        ("alice/__pycache__/a.pyc", "alice/__pycache__"),
        ("alice/package-lock.json", "alice/package-lock.json"),
        ("alice/lib/jquery.min.js", "alice/lib/jquery.min.js"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_nobody_writes_is_ignored_and_listed_once(tree, zipped, reasons, path, listed, packed):
    files = {"alice/a.py": "a", "bob/a.py": "b", path: "var a=1;" * 200, path + "2": "y"}
    if path.count("/") == 1 or path.endswith(".js"):
        del files[path + "2"]
    root = tree({"class.zip": zipped(sorted(files.items()))}) / "class.zip" if packed else tree(files)
    intake = collect([root])
    assert [f.path for f in intake.submissions[0].files] == ["a.py"]
    assert list(reasons(intake)) == ["class.zip/" + listed if packed else listed]
    assert "ignored" in intake.problems[0].reason


def test_a_hidden_file_at_the_top_is_no_submission(tree, layout, reasons):
    intake = collect([tree({".DS_Store": "x", "__MACOSX/a": "y", "alice.py": "z"})])
    assert list(layout(intake)) == ["alice.py"]
    assert set(reasons(intake)) == {".DS_Store", "__MACOSX"}


@pytest.mark.parametrize(
    ("project", "output", "trace"),
    [
        ("pom.xml", "target", "classes/A.class"),
        ("Cargo.toml", "target", "CACHEDIR.TAG"),
        ("build.gradle", "build", "libs/x.jar"),
        ("app.csproj", "bin", "Debug/x.txt"),
        ("app.csproj", "obj", "project.assets.json"),
        ("CMakeLists.txt", "build", "CMakeCache.txt"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_build_output_needs_the_tool_beside_and_its_traces_inside(tree, zipped, project, output, trace, packed):
    def read(*paths):
        files = {f"alice/{path}": "text" for path in paths} | {"bob/b.py": "b"}
        root = (
            tree({"c.zip": zipped(files.items())}, str(len(paths))) / "c.zip"
            if packed
            else tree(files, str(len(paths)))
        )
        return [f.path for f in collect([root]).submissions[0].files]

    assert f"{output}/gen.txt" not in read("main.x", project, f"{output}/{trace}", f"{output}/gen.txt")
    assert f"{output}/gen.txt" in read(project, f"{output}/gen.txt")
    assert f"{output}/{trace}" in read(f"{output}/{trace}")


def test_the_traces_of_one_tool_do_not_count_for_another(tree, layout):
    intake = collect([tree({"alice/Cargo.toml": "x", "alice/target/classes/a.rs": "y"})])
    assert layout(intake) == {"alice": ["Cargo.toml", "target/classes/a.rs"]}


def test_a_virtual_environment_is_ignored_but_not_the_folder_it_was_made_in(tree, layout):
    intake = collect([tree({"alice/venv/pyvenv.cfg": "x", "alice/venv/a.py": "x", "alice/b.py": "b",
                            "bob/pyvenv.cfg": "x", "bob/b.py": "b"})])  # fmt: skip
    assert layout(intake) == {"alice": ["b.py"], "bob": ["b.py", "pyvenv.cfg"]}


def test_a_folder_of_compiled_files_is_one_problem(tree, reasons):
    intake = collect([tree({"alice/bin/A.class": CLASS, "alice/bin/p/B.class": CLASS, "alice/A.java": "a"})])
    assert list(reasons(intake)) == ["alice/bin"]
    assert [p.path for p in intake.submissions[0].skipped] == ["bin"]


def test_a_source_hidden_among_compiled_files_is_read(tree, layout, reasons):
    intake = collect([tree({"alice/bin/A.class": CLASS, "alice/bin/C.class": CLASS, "alice/bin/B.class": "int x;"})])
    assert layout(intake) == {"alice": ["bin/B.class"]}
    assert set(reasons(intake)) == {"alice/bin/A.class", "alice/bin/C.class"}


def test_a_library_is_one_problem_but_a_jar_with_sources_is_read(tree, zipped, layout, reasons):
    library = zipped([("META-INF/MANIFEST.MF", "x"), ("LICENSE.txt", "y"), ("A.class", CLASS), ("B.class", CLASS)])
    handed_in = zipped([("META-INF/MANIFEST.MF", "x"), ("A.class", CLASS), ("A.java", "class A {}")])
    intake = collect([tree({"alice/junit.jar": library, "alice/hw.jar": handed_in})])
    assert layout(intake) == {"alice": ["hw.jar/A.java", "hw.jar/META-INF/MANIFEST.MF"]}
    assert set(reasons(intake)) == {"alice/junit.jar", "alice/hw.jar/A.class"}


def test_a_readable_file_called_minified_is_read(tree, layout):
    assert layout(collect([tree({"alice/mine.min.js": "let a = 1;\n" * 50})])) == {"alice": ["mine.min.js"]}


@pytest.mark.parametrize("packed", [False, True])
def test_a_repository_without_a_work_tree_has_nothing_of_gits_own_to_compare(tree, tmp_path, zipped, reasons, packed):
    own = {
        "HEAD": "ref: refs/heads/main",
        "config": "[core]",
        "description": "Unnamed",
        "packed-refs": "# pack-refs",
        "hooks/pre-commit.sample": "#!/bin/sh",
        "info/exclude": "*~",
        "objects/pack/x.idx": "x",
        "refs/heads/main": "1",
    }
    files = {f"{name}.git/{path}": text for name in ("ada", "bob") for path, text in own.items()}
    files["bob.git/notes.txt"] = "mine"
    root = tree(files)
    if packed:
        (tmp_path / "class.zip").write_bytes(zipped([(path, text.encode()) for path, text in files.items()]))
    intake = collect([tmp_path / "class.zip" if packed else root])
    assert {s.id: [f.path for f in s.files] for s in intake.submissions} == {"ada": [], "bob": ["notes.txt"]}
    assert "a git repository without a commit" in set(reasons(intake).values())


def test_names_that_git_uses_are_read_elsewhere(tree, layout):
    assert layout(collect([tree({"ada/config": "x", "ada/HEAD": "y", "ada/hooks/a.py": "z"})])) == {
        "ada": ["HEAD", "config", "hooks/a.py"]
    }
