"""What instructors drop is recognised as they mean it, and a file that kills its reader costs that file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select
from support.classes import add_run
from support.corpora import prose
from support.documents import WRITERS
from support.downloads import EXPORTS, autolab, moodle_flat, submitty
from support.hostile_documents import hostile_documents
from support.server import make_server
from support.uploads import Desk, moodle_export, open_desk, program, zipped

from moss.intake import Watch, collect
from moss.jobs import reader_process
from moss.jobs.handlers import recognition
from moss.jobs.handlers.recognition import LIMITS, read_in_own_process
from moss.jobs.job_context import JobContext, JobError
from moss.jobs.sandboxed_reader import FOLDERS, SandboxedReader, plan_class, sort_out
from moss.jobs.supervisor import JobForkServer, do_job
from moss.model import Reading, Role
from moss.server_jobs import JOB_PROCESS
from moss.store.results.reports import load_report
from moss.store.tables import ContentRow, JobRow, JobState, LogLineRow, RunRow, SubmissionRow, UploadState

ANN, BO, CY = program(1), program(2), program(3)
CLASS = {"ann/main.py": ANN, "bo/main.py": BO}
NESTED = ('{"":' * 20 + str(number * 7_368_787 % 100_003) + "}" * 20 for number in range(130_000))
HUNGRY = f"[{','.join(NESTED)}]".encode()  # not large, and very large once it is parsed


@pytest.fixture
def desk(tmp_path, database_url) -> Desk:
    with make_server(tmp_path, database_url) as server:
        yield open_desk(server)


@pytest.fixture
def quick_desk(tmp_path) -> Desk:
    """On SQLite alone, for what does not depend on the database."""
    with make_server(tmp_path) as server:
        yield open_desk(server)


DROPPED = {
    "a folder of folders": ({"hw1/ann/main.py": ANN, "hw1/bo/main.py": BO}, ["ann", "bo"], Reading.ITEMS),
    "the same inside two more": ({"x/hw1/ann/main.py": ANN, "x/hw1/bo/main.py": BO}, ["ann", "bo"], Reading.ITEMS),
    "several folders": (CLASS, ["ann", "bo"], Reading.ITEMS),
    "a folder of archives": (
        {"hw1/ann.zip": zipped({"main.py": ANN}), "hw1/bo.zip": zipped({"main.py": BO})}, ["ann", "bo"], Reading.ITEMS,
    ),
    "several archives": (
        {"ann.zip": zipped({"main.py": ANN}), "bo.zip": zipped({"main.py": BO})}, ["ann", "bo"], Reading.ITEMS,
    ),
    "a folder with one file": ({"ann/main.py": ANN}, ["ann"], Reading.ITEMS),
    "one inside another": ({"hw1/ann/main.py": ANN}, ["ann"], Reading.ITEMS),
    "one file": ({"ann.py": ANN}, ["ann"], Reading.CLASSES),
    "several files": ({"ann.py": ANN, "bo.py": BO}, ["ann", "bo"], Reading.ITEMS),
    "an archive of a class": ({"hw1.zip": zipped(CLASS)}, ["ann", "bo"], Reading.CLASSES),
    "an archive beside a file of the system": (
        {"hw1.zip": zipped(CLASS), ".DS_Store": b"\0\1"}, ["ann", "bo"], Reading.CLASSES,
    ),
    "an archive in a folder": ({"hw1/download.zip": zipped(CLASS)}, ["ann", "bo"], Reading.CLASSES),
    "a platform's download": (
        {"hw1.zip": moodle_export({"Ann Lee": {"main.py": ANN}, "Bo Kim": {"main.py": BO}})},
        ["Ann Lee", "Bo Kim"], Reading.CLASSES,
    ),
    "two platform's downloads": (
        {"1.zip": moodle_export({"Ann Lee": {"main.py": ANN}}), "2.zip": moodle_export({"Bo Kim": {"main.py": BO}})},
        ["Ann Lee", "Bo Kim"], Reading.CLASSES,
    ),
    "a platform's download, unpacked": (
        {"ann_11_21_main.py": ANN, "bo_12_22_main.py": BO, "cy_13_23_main.py": CY}, ["ann", "bo", "cy"], Reading.ITEMS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DROPPED)
def test_what_was_dropped_is_read_as_it_is_meant(quick_desk, name):
    files, owners, reading = DROPPED[name]
    upload = quick_desk.send(files)
    assert list(quick_desk.drafts(upload)) == owners
    assert quick_desk.upload(upload).reading is reading
    assert quick_desk.upload(upload).state is UploadState.READY


@pytest.mark.parametrize("given_as", ["a zip", "files", "a zip and the platform's own file"])
@pytest.mark.parametrize("build", EXPORTS, ids=lambda build: build.__name__)
def test_every_platforms_download_is_read_as_on_the_command_line(build, given_as, tmp_path, monkeypatch):
    export = build()
    monkeypatch.chdir(tmp_path)
    files = export.files if given_as == "files" else {"download.zip": zipped(export.files)}
    for path, content in (files | ({"grades.csv": "Jane Doe,1"} if "own" in given_as else {})).items():
        target = FOLDERS[Role.NEW] / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = sort_out(SandboxedReader({}, 60), Reading.AUTO, LIMITS)
    newest = {each["owner"]: each for each in found["submissions"] if not each["age"]}
    assert {owner: sorted(file["path"] for file in each["files"]) for owner, each in newest.items()} == export.owners
    first = newest[next(iter(export.owners))]
    assert first["time"] == (export.time.isoformat() if export.time else None)
    told = {path.rpartition("download.zip/")[2] for path, _ in found["problems"]}
    assert all(any(own.endswith(path) for path in told) for own in export.own)  # wrapping folders are taken off
    assert ("grades.csv" in told) >= ("own" in given_as)


def test_versions_are_numbered_from_the_oldest_and_sent_again_they_are_there_already(quick_desk):
    quick_desk.confirm(quick_desk.send({"download.zip": zipped(autolab().files)}))
    jane = [row for row in quick_desk.rows() if row.owner == "jdoe@school.edu"]
    assert [(row.version, row.name) for row in jane] == [
        (1, "jdoe@school.edu version 2"), (2, "jdoe@school.edu version 9"), (3, "jdoe@school.edu version 10"),
    ]  # fmt: skip
    before = len(quick_desk.rows())
    later = autolab().files | {"jdoe@school.edu_11_hw1.py": CY}
    page = quick_desk.confirm(quick_desk.send({"download.zip": zipped(later)}))
    assert len(quick_desk.rows()) == before + 1
    assert "1 student added" in page
    assert [row.name for row in quick_desk.rows() if row.owner == "jdoe@school.edu"][-1] == "jdoe@school.edu version 11"


def test_times_are_stored_in_utc(quick_desk):
    quick_desk.confirm(quick_desk.send(submitty().files))
    jane = [row for row in quick_desk.rows() if row.owner == "jdoe"]
    assert jane[-1].handed_in.isoformat() == "2025-10-10T22:05:00+00:00"


def test_online_text_does_not_replace_the_program(quick_desk):
    upload = quick_desk.send({"download.zip": zipped(moodle_flat().files)})
    assert quick_desk.drafts(upload)["Jane Doe"] == ["hw1.py", "onlinetext.html"]
    quick_desk.confirm(upload)
    assert [row.version for row in quick_desk.rows() if row.owner == "Jane Doe"] == [1]


def test_all_of_it_together_is_one_submission_whatever_the_names_look_like(quick_desk):
    upload = quick_desk.send({"ada_111_222_a.py": ANN, "bob_333_444_a.py": BO})
    assert list(quick_desk.drafts(upload)) == ["ada", "bob"]
    quick_desk.recognise(upload, reading="whole")
    assert [len(files) for files in quick_desk.drafts(upload).values()] == [2]


def test_whose_names_they_are_can_be_said(quick_desk):
    upload = quick_desk.send({"ada_1_2_a.py": ANN, "bob_3_4_a.py": BO, "carol.py": CY})
    assert list(quick_desk.drafts(upload)) == ["ada_1_2_a", "bob_3_4_a", "carol"]
    quick_desk.recognise(upload, layout="canvas")
    assert list(quick_desk.drafts(upload)) == ["ada", "bob", "carol"]
    quick_desk.recognise(upload, layout="sakai")
    assert list(quick_desk.drafts(upload)) == ["ada_1_2_a", "bob_3_4_a", "carol"]
    assert ["layout", "nothing is named as sakai says, so it was read as it looks"] in quick_desk.upload(
        upload
    ).problems
    assert quick_desk.browser.post(f"/uploads/{upload}/recognise", data={"layout": "kanvas"}).status_code == 422
    page = quick_desk.browser.get(f"/uploads/{upload}/").text
    assert '<option value="canvas" translate="no">Canvas</option>' in page


def test_two_submissions_of_one_owner_are_told_of(quick_desk):
    ada = "submission_%d:\n  :submitters:\n  - :name: Ada\n    :email: ada@school.edu\n"
    files = {"submission_1/a.py": ANN, "submission_2/a.py": BO, "submission_metadata.yml": ada % 1 + ada % 2}
    upload = quick_desk.send({"download.zip": zipped(files)})
    told = dict(map(tuple, quick_desk.upload(upload).problems))
    assert "2 submissions (" in told["Ada"]
    assert "treated as versions of one" in told["Ada"]


def test_another_reading_gives_other_submissions(quick_desk):
    upload = quick_desk.send({"one.zip": zipped(CLASS), "two.zip": zipped({"cy/main.py": CY})})
    assert list(quick_desk.drafts(upload)) == ["one", "two"]
    quick_desk.recognise(upload, reading="classes")
    assert list(quick_desk.drafts(upload)) == ["ann", "bo", "cy"]
    quick_desk.recognise(upload, reading="whole")
    assert len(quick_desk.drafts(upload)) == 1


def test_a_late_student_is_one_submission_if_told_so(quick_desk):
    upload = quick_desk.send({"ann/main.py": ANN, "ann/more.py": BO})
    assert list(quick_desk.drafts(upload)) == ["main", "more"]
    quick_desk.recognise(upload, reading="whole")
    assert quick_desk.drafts(upload) == {"ann": ["main.py", "more.py"]}


def test_a_whole_archive_is_named_after_it(tmp_path):
    (tmp_path / "new" / "submissions").mkdir(parents=True)
    (tmp_path / "new" / "submissions" / "ann.zip").write_bytes(zipped({"main.py": ANN}))
    chosen = plan_class(tmp_path / "new" / "submissions", Reading.WHOLE, LIMITS, Watch())
    assert [s.owner for s in collect(chosen.paths).submissions] == ["ann"]
    assert plan_class(tmp_path / "nowhere", Reading.AUTO, LIMITS, Watch()).paths == ()


def test_everything_is_recognised(desk):
    """On each database: owners, files, languages, roles, problems and texts."""
    upload = desk.begin()["id"]
    notebook = {"cells": [{"cell_type": "code", "source": "print(1)"}], "metadata": {}, "nbformat": 4}
    members = {
        "ann/main.py": ANN,
        "ann/work.ipynb": json.dumps(notebook),
        "bo/main.py": BO,
        "bo/photo.png": b"\x89PNG\r\n\x1a\n",
    }
    desk.put(upload, "class.zip", zipped(members))
    desk.put(upload, "starter/base.py", CY.encode(), "base")
    desk.put(upload, "last year.zip", zipped({"dan/main.py": CY, "eve/main.java": "class A { }"}), "archive")
    desk.recognise(upload)
    with desk.server.store.reading() as session:
        found = {row.owner: row for row in session.scalars(select(SubmissionRow))}
        assert {owner: row.role.value for owner, row in found.items()} == {
            "ann": "new", "bo": "new", "starter": "base", "dan": "archive", "eve": "archive",
        }  # fmt: skip
        assert {file.path: file.language for file in found["ann"].files} == {
            "main.py": "python",
            "work.ipynb": "python",
        }
        assert [file.language for file in found["eve"].files] == ["java"]
        assert [path for path, _ in found["bo"].skipped] == ["photo.png"]
        assert not any(row.confirmed or row.person_id for row in found.values())
        assert session.scalar(select(func.count()).select_from(ContentRow)) == 5
    assert [path for path, _ in desk.upload(upload).problems] == ["class.zip/bo/photo.png"]


def test_nothing_is_left_in_the_scratch_folder(quick_desk):
    left = quick_desk.server.config.data / "work" / "job-999"
    left.mkdir(parents=True)
    (left / "secret.py").write_text(ANN)
    quick_desk.send({"hw1.zip": zipped(CLASS)})
    assert list((quick_desk.server.config.data / "work").iterdir()) == []


def test_a_crash_before_the_end_leaves_nothing_and_doubles_nothing(desk, monkeypatch):
    upload = desk.begin()["id"]
    desk.put(upload, "hw1.zip", zipped(CLASS))
    finish = recognition._finish
    monkeypatch.setattr(recognition, "_finish", lambda *given: (_ for _ in ()).throw(RuntimeError("crash")))
    desk.browser.post(f"/uploads/{upload}/recognise")
    (job_id,) = desk.server.waiting()
    desk.server.work()
    assert desk.drafts(upload) == {}
    assert desk.upload(upload).state is UploadState.RECOGNISING
    assert list((desk.server.config.data / "work").iterdir()) == []
    with desk.server.store.session() as session:
        session.get_one(JobRow, job_id).not_before = None
    monkeypatch.setattr(recognition, "_finish", finish)
    desk.server.work()
    assert list(desk.drafts(upload)) == ["ann", "bo"]
    with desk.server.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(ContentRow)) == 2


def test_more_submissions_than_a_class_has_are_refused_before_anything_is_stored(desk, monkeypatch):
    monkeypatch.setattr(recognition, "MOST_SUBMISSIONS", 3)
    upload = desk.send({"flat.zip": zipped({f"f{number}.py": ANN for number in range(4)})})
    assert desk.drafts(upload) == {}
    with desk.server.store.reading() as session:
        assert session.scalars(select(JobRow.reason)).all() == [
            "moss would find 4 submissions in it, and accepts 3. "
            "Put the files of each student into a folder, or send the class in parts."
        ]
        assert not session.scalar(select(func.count()).select_from(ContentRow))


def test_texts_that_were_swept_away_meanwhile_are_stored_again(quick_desk, monkeypatch):
    store_texts = recognition._store_texts

    def and_swept(work, folder, found):
        store_texts(work, folder, found)
        with work.store.session() as session:
            session.query(ContentRow).delete()

    monkeypatch.setattr(recognition, "_store_texts", and_swept)
    upload = quick_desk.send({"hw1.zip": zipped(CLASS)})
    assert list(quick_desk.drafts(upload)) == ["ann", "bo"]


def test_a_file_that_needs_too_much_memory_costs_that_file(tmp_path):
    """In the real processes: the job's own, and the reader's, which has the same limit."""
    with make_server(tmp_path, job_megabytes=512) as server:
        desk = open_desk(server)
        upload = desk.begin()["id"]
        members = {
            "ann/main.py": ANN,
            "ann/bomb.ipynb": HUNGRY,
            "bo/main.py": BO,
            "cy/inner.zip": zipped({"again.ipynb": HUNGRY, "main.py": CY}),
        }
        desk.put(upload, "hw1.zip", zipped(members))
        desk.browser.post(f"/uploads/{upload}/recognise")
        with JobForkServer(JOB_PROCESS) as fork_server:
            assert not do_job(server.store, server.config, fork_server, server.waiting()[0])
        assert desk.upload(upload).state is UploadState.READY, desk.upload(upload).reason
        assert desk.drafts(upload) == {"ann": ["main.py"], "bo": ["main.py"], "cy": ["inner.zip/main.py"]}
        problems = dict(desk.upload(upload).problems)
        assert set(problems) == {"hw1.zip/ann/bomb.ipynb", "hw1.zip/cy/inner.zip/again.ipynb"}
        assert all("more memory" in reason for reason in problems.values()), problems
        with server.store.reading() as session:
            said = session.scalars(select(LogLineRow.text)).all()
        assert sum("Left out" in line for line in said) == 2


def laid_out(desk: Desk, files: dict[str, bytes]) -> JobContext:
    """A running job's work, and files as it lays them out."""
    with desk.server.store.session() as session:
        job = JobRow(kind="recognise", state=JobState.RUNNING, lease="mine")
        session.add(job)
        session.flush()
        number = job.id
    folder = desk.server.config.data / "new" / "submissions"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return JobContext(desk.server.store, desk.server.config, number, "mine", {})


def test_a_file_that_takes_too_long_costs_that_file(quick_desk):
    """The system itself ends the process that reads it."""
    work = laid_out(quick_desk, {"ann/main.py": ANN.encode(), "bo/slow.ipynb": HUNGRY, "cy/main.py": CY.encode()})
    found = read_in_own_process(work, quick_desk.server.config.data, "items", seconds=0.2)
    assert {s["owner"]: [f["path"] for f in s["files"]] for s in found["submissions"]} == {
        "ann": ["main.py"], "bo": [], "cy": ["main.py"],
    }  # fmt: skip
    assert ["bo/slow.ipynb", "not read, because the program that read it took longer than 0.2 seconds for it"] in found[
        "problems"
    ]


def test_a_machine_on_which_nothing_can_be_read_is_not_blamed_on_the_files(quick_desk):
    work = laid_out(quick_desk, {"ann/main.py": ANN.encode()})
    (quick_desk.server.config.data / "texts").write_text("in the way")
    with pytest.raises(JobError, match="can’t be read"):
        read_in_own_process(work, quick_desk.server.config.data, "items")


def test_the_reader_is_given_no_secrets(quick_desk, monkeypatch):
    monkeypatch.setenv("MOSS_DATABASE_URL", "postgresql://user:secret@host/name")
    work = laid_out(quick_desk, {"ann/main.py": ANN.encode()})
    seen = []
    popen = reader_process.subprocess.Popen
    monkeypatch.setattr(reader_process.subprocess, "Popen", lambda *a, **k: seen.append(k["env"]) or popen(*a, **k))
    assert len(read_in_own_process(work, quick_desk.server.config.data, "items")["submissions"]) == 1
    assert seen
    assert not any(name.startswith("MOSS_") for name in seen[0])


SPY = """
import os, subprocess, sys
from pathlib import Path
from moss import server_jobs
from moss.jobs import sandboxed_reader

def read_and_tell():
    known = [f"{name}={value}" for name, value in os.environ.items()]
    open_files = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if number.isdigit()
                  and os.path.exists(f"/proc/self/fd/{number}")]
    memory = Path("/proc/self/environ").read_text(errors="replace")
    Path(sys.argv[1]).write_text("\\n".join([*known, *open_files, memory]))
    read()

read, sandboxed_reader.main = sandboxed_reader.main, read_and_tell
subprocess.Popen = None  # whoever starts a program fails
server_jobs.register_jobs()
server_jobs.job_process.main()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at processes as Linux shows them")
def test_the_reader_is_forked_from_the_workers_pool_and_inherits_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("MOSS_DATABASE_URL", "postgresql://user:secret-word@host/name")
    with make_server(tmp_path / "data") as server:
        desk = open_desk(server)
        upload = desk.begin()["id"]
        desk.put(upload, "hw1.zip", zipped(CLASS))
        desk.browser.post(f"/uploads/{upload}/recognise")
        told = tmp_path / "told"
        with JobForkServer([sys.executable, "-P", "-c", SPY, str(told)]) as fork_server:
            assert not do_job(server.store, server.config, fork_server, server.waiting()[0])
        assert desk.upload(upload).state is UploadState.READY, desk.upload(upload).reason
        assert "MOSS_" not in told.read_text()
        assert "secret-word" not in told.read_text()
        assert "sqlite" not in told.read_text()
        assert "socket:" not in told.read_text()


def test_documents_are_read_and_compared_with_the_way_back_to_their_pages(quick_desk):
    copied = prose(7, 120)
    essays = {
        f"{name}.{format}": WRITERS[format]([[prose(seed, 100)], [copied, prose(seed + 50, 100)]])
        for seed, (name, format) in enumerate([("ann", "docx"), ("bo", "pdf"), ("cy", "odt"), ("di", "txt")])
    }
    hostile = hostile_documents()
    broken = {name: hostile[name] for name in ("laughs.docx", "bomb.odt", "recursive.pdf")}
    upload = quick_desk.send({**essays, **broken})
    assert {owner for owner, files in quick_desk.drafts(upload).items() if files} == {"ann", "bo", "cy", "di"}
    assert set(broken) <= {path for path, _ in quick_desk.upload(upload).problems}
    quick_desk.confirm(upload)
    assert {file.path: file.language for file in quick_desk.files()} == dict.fromkeys(essays, "text")
    run = add_run(quick_desk.server.store, quick_desk.assignment)
    quick_desk.server.work()
    with quick_desk.server.store.reading() as session:
        report = load_report(session, session.get_one(RunRow, run))
    regions = [region for pair in report.pairs for match in pair.matches for region in (match.a, match.b)]
    places = {region.file: region.cell for region in regions}
    assert places == {name: None if name.endswith("txt") else "page 2, paragraph 1" for name in essays}
    assert len(report.pairs) == 6
