import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib

import pytest

from moss.intake import Limits, collect
from moss.intake.archives.bounded import Inflated
from moss.intake.entries import Entry, UnreadableError
from moss.intake.limits import Account, IntakeRun
from moss.intake.source_files import read_content

CLASS = [("hw1/alice/src/A.java", b"a"), ("hw1/bob/B.java", b"b")]


@pytest.fixture
def given(tmp_path):
    def write(content, name="class.zip"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize("mode", ["zip", "w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("name", ["class.zip", "download"])
def test_children_of_an_archive_recognised_by_content(given, zipped, tarred, layout, mode, name):
    content = zipped(CLASS) if mode == "zip" else tarred(CLASS, mode)
    assert layout(collect([given(content, name)])) == {"alice": ["src/A.java"], "bob": ["B.java"]}


def test_explicit_folders_and_macos_leftovers_do_not_hide_the_top_folder(given, zipped, layout):
    members = [("hw1/", b""), ("hw1/alice/", b""), *CLASS, ("__MACOSX/hw1/._x", b"x"), ("hw1/carol/", b"")]
    intake = collect([given(zipped(members))])
    assert layout(intake) == {"alice": ["src/A.java"], "bob": ["B.java"], "carol": []}


def test_a_sole_submission_keeps_its_folder(given, zipped, layout):
    assert layout(collect([given(zipped([("alice/A.java", b"a")]))])) == {"alice": ["A.java"]}


@pytest.mark.parametrize("mode", ["zip", "w:gz"])
def test_archives_inside_are_submissions_without_their_top_folder(given, zipped, tarred, layout, reasons, mode):
    def pack(members):
        return zipped(members) if mode == "zip" else tarred(members, mode)

    alice = pack([("alice/src/A.java", b"a"), ("alice/x.bin", b"\0\1\2\3\4" * 9)])
    bob = pack([("B.java", b"b"), ("lib/C.java", b"c")])
    intake = collect([given(zipped([("alice.zip", alice), ("bob.tar.gz", bob), ("carol.zip", b"just text")]))])
    assert layout(intake) == {"alice": ["src/A.java"], "bob": ["B.java", "lib/C.java"], "carol.zip": ["carol.zip"]}
    assert [s.owner for s in intake.submissions] == ["alice", "bob", "carol.zip"]
    assert list(reasons(intake)) == ["class.zip/alice.zip/alice/x.bin"]
    assert [p.path for p in intake.submissions[0].skipped] == ["x.bin"]


def test_an_archive_among_other_files_keeps_its_name(tree, zipped, layout):
    intake = collect([tree({"alice/a.py": "a", "alice/more.zip": zipped([("top/b.py", b"b")])})])
    assert layout(intake) == {"alice": ["a.py", "more.zip/top/b.py"]}


def test_depth_is_limited(tree, zipped, reasons):
    content = zipped([("a.py", b"a")])
    for _ in range(3):
        content = zipped([("in.zip", content), ("b.py", b"b")])
    intake = collect([tree({"alice.zip": content})], limits=Limits(depth=2))
    assert [f.path for f in intake.submissions[0].files] == ["b.py", "in.zip/b.py"]
    assert reasons(intake) == {
        "alice.zip/in.zip/in.zip": "not unpacked, because it is nested more than 2 archives deep"
    }


@pytest.mark.parametrize("name", ["/etc/x.py", "../x.py", "a/../../x.py", "C:/x.py", "..\\x.py", "\\x.py", "a" * 5000])
@pytest.mark.parametrize("pack", ["zip", "tar"])
def test_names_that_lead_elsewhere_are_refused(given, zipped, tarred, name, pack):
    info = zipfile.ZipInfo("x")
    info.filename = name
    content = zipped([(info, b"x"), *CLASS]) if pack == "zip" else tarred([(name, b"x"), *CLASS])
    intake = collect([given(content)])
    assert [f.text for s in intake.submissions for f in s.files] == ["a", "b"]
    assert len(intake.problems) == 1
    assert intake.problems[0].reason.startswith("refused, because its name ")


def test_a_nul_in_a_name_is_refused(given, zipped):
    content = zipped([("evil_name.py", b"x"), *CLASS]).replace(b"evil_name.py", b"evil\0name.py")
    intake = collect([given(content)])
    assert [p.reason for p in intake.problems] == ["refused, because its name contains a NUL character"]
    assert len(intake.submissions) == 2


def test_backslashes_separate(given, zipped, layout):
    first, second = zipfile.ZipInfo("x"), zipfile.ZipInfo("y")
    first.filename, second.filename = "alice\\src\\A.java", "bob\\B.java"
    assert layout(collect([given(zipped([(first, b"a"), (second, b"b")]))])) == {
        "alice": ["src/A.java"],
        "bob": ["B.java"],
    }


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_tars_are_refused(given, tarred, layout, reasons, kind):
    info = tarfile.TarInfo("hw1/alice/evil")
    info.type, info.linkname = kind, "/etc/passwd"
    intake = collect([given(tarred([info, *CLASS]))])
    assert layout(intake) == {"alice": ["src/A.java"], "bob": ["B.java"]}
    assert reasons(intake)["class.zip/hw1/alice/evil"].startswith("refused, because it is a")


def test_links_in_zips_are_refused(given, zipped, reasons):
    link = zipfile.ZipInfo("hw1/alice/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "link" in reasons(collect([given(zipped([(link, b"/etc/passwd"), *CLASS]))]))["class.zip/hw1/alice/link"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_one_name_are_all_kept(given, zipped):
    intake = collect([given(zipped([("alice/a.py", b"1"), ("alice/a.py", b"2"), ("bob/b.py", b"3")]))])
    assert [(f.path, f.text) for f in intake.submissions[0].files] == [("a.py", "1"), ("a (2).py", "2")]


def test_encrypted_members_are_problems(given, zipped, layout, reasons):
    content = bytearray(zipped(CLASS))
    content[6] |= 1  # the flag in the local header, and in the central one
    content[content.index(b"PK\x01\x02") + 8] |= 1
    intake = collect([given(bytes(content))])
    assert layout(intake) == {"alice": [], "bob": ["B.java"]}
    assert "encrypted" in reasons(intake)["class.zip/hw1/alice/src/A.java"]


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_rare_methods_are_problems(given, zipped, reasons, method):
    intake = collect([given(zipped(CLASS, method))])
    assert "method that is not supported" in reasons(intake)["class.zip/hw1/bob/B.java"]


def test_a_damaged_member_leaves_the_others(given, zipped, layout, reasons):
    content = zipped([("alice/A.java", b"int a;" * 50), ("bob/B.java", b"b")])
    position = content.index(b"A.java") + 10
    intake = collect([given(content[:position] + b"\xff\xff\xff" + content[position + 3 :])])
    assert layout(intake) == {"alice": [], "bob": ["B.java"]}
    assert "damaged" in reasons(intake)["class.zip/alice/A.java"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_that_is_cut_off_gives_what_came_before(given, tarred, reasons, mode):
    members = [(f"s{i:03}/a.py", os.urandom(3000).hex().encode()) for i in range(100)]
    content = tarred(members, mode)
    intake = collect([given(content[: len(content) // 2])])
    texts = [f.text.encode() for s in intake.submissions for f in s.files]
    assert 0 < len(texts) < 100 or mode == "w:bz2"  # which loses a block as large as half of this archive
    assert texts == [content for _, content in members[: len(texts)]]
    assert "damaged or cut off" in reasons(intake)["class.zip"]


def test_a_tar_damaged_in_the_middle_says_so(given, tarred, layout, reasons):
    content = bytearray(tarred([("alice/a.py", b"a"), ("bob/b.py", b"b"), ("carol/c.py", b"c")]))
    content[1024 + 3] ^= 1
    intake = collect([given(bytes(content))])
    assert layout(intake) == {"alice": ["a.py"]}
    assert "damaged or cut off at byte 1,024" in reasons(intake)["class.zip"]


def test_a_zip_that_is_cut_off_is_a_problem(tree, zipped, reasons):
    intake = collect([tree({"alice.zip": zipped(CLASS)[:-30], "bob.py": "b"})])
    assert [(s.id, len(s.files)) for s in intake.submissions] == [("alice", 0), ("bob.py", 1)]
    assert "damaged zip" in intake.problems[0].reason


@pytest.mark.parametrize("format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_long_and_foreign_names_in_tars(given, layout, format):
    name = "alice/" + "très-long/" * 12 + "Ärger.py"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format, encoding="utf-8") as archive:
        for member in (name, "bob/b.py"):
            header = tarfile.TarInfo(member)
            header.size = 1
            archive.addfile(header, io.BytesIO(b"x"))
    assert layout(collect([given(buffer.getvalue())])) == {"alice": [name[6:]], "bob": ["b.py"]}


def test_zip_names_without_the_flag_are_utf8_or_else_cp437(given, zipped, layout):
    content = zipped([("alice/aaaa.py", b"a"), ("bob/bbbb.py", b"b")])
    content = content.replace(b"aaaa", "éé".encode()).replace(b"bbbb", b"\x82\x81bb")
    assert layout(collect([given(content)])) == {"alice": ["éé.py"], "bob": ["éübb.py"]}


@pytest.mark.parametrize(
    ("page", "names"),
    [
        *((page, ("Müller", "Sánchez")) for page in ("cp437", "cp850", "cp1252")),
        *((page, ("Ünal", "Zoë")) for page in ("cp437", "cp850", "cp1252")),
        *((page, ("João", "Strauß", "Søren")) for page in ("cp850", "cp1252")),
        ("cp850", ("José", "João")),
        ("cp1252", ("René",)),
    ],
)
def test_zip_names_without_the_flag_are_read_in_the_encoding_that_fits_all(given, zipped, layout, page, names):
    content = zipped([(f"{'xyz'[i] * len(name)}/a.py", b"a") for i, name in enumerate(names)])
    for letter, name in zip((b"x", b"y", b"z"), names, strict=False):
        content = content.replace(letter * len(name) + b"/", name.encode(page) + b"/")
    assert set(layout(collect([given(content)]))) == set(names)


ALPHABETS = {
    "cp866": "Иванов_Иван Петрова_Анна Сидоров_Пётр Попов_Дмитрий",
    "cp1251": "Иванов_Иван Петрова_Анна Сидоров_Пётр Попов_Дмитрий",
    "gbk": "王伟 李娜 张敏 刘洋 陈静 杨磊 赵丽 黄强 周杰 吴倩",
    "cp932": "佐藤健 鈴木一郎 高橋花子 田中実 伊藤美咲 渡辺大輔 山本さくら 中村翔 小林愛 加藤ゆい",
    "cp949": "김민준 이서연 박지훈 최수진 정우성 강하늘",
    "cp1253": "Παπαδόπουλος_Γιώργος Νικολάου_Μαρία Γεωργίου_Άννα Δημητρίου_Νίκος",
    "cp1256": "محمد_علي فاطمة_حسن أحمد_خالد مريم_يوسف عمر_سعيد",
}


@pytest.mark.parametrize("page", ALPHABETS)
def test_zip_names_in_other_alphabets_are_read(given, zipped, layout, page):
    """As Windows writes them where it speaks that language: nothing in the archive says so."""
    names = ALPHABETS[page].split()
    standing = [f"{number:02}".ljust(len(name.encode(page)), "z") for number, name in enumerate(names)]
    content = zipped([(f"{each}/a.py", b"a") for each in standing])
    for each, name in zip(standing, names, strict=True):
        content = content.replace(each.encode() + b"/", name.encode(page) + b"/")
    assert set(layout(collect([given(content)]))) == set(names)


@pytest.mark.parametrize("pack", ["zip", "w:gz", "w:bz2", "w:xz"])
def test_bombs_stop_at_the_ratio(tree, zipped, tarred, reasons, pack):
    bomb = [("a.py", b"a"), ("zeros.txt", b"0" * 30_000_000)]
    content = zipped(bomb) if pack == "zip" else tarred(bomb, pack)
    intake = collect([tree({"alice.zip": content, "bob.py": "b"})], limits=Limits(file_bytes=40_000_000))
    assert [f.path for s in intake.submissions for f in s.files] == ["a.py", "bob.py"]
    assert any("more than 200 times its size" in reason for reason in reasons(intake).values())


def test_a_bomb_that_lies_about_its_size_is_stopped_as_well(tree, zipped, reasons):
    content = bytearray(zipped([("zeros.txt", b"0" * 30_000_000), ("a.py", b"a")]))
    central = content.index(b"PK\x01\x02")
    content[central + 24 : central + 28] = struct.pack("<I", 9_999_999)
    intake = collect([tree({"alice.zip": bytes(content)})])
    assert [f.path for f in intake.submissions[0].files] == ["a.py"]
    assert "more than 200 times its size" in reasons(intake)["alice.zip/zeros.txt"]


def test_overlapping_members_stop_at_the_submission_limit(tree, reasons):
    packed = zlib.compressobj(wbits=-15)
    text = os.urandom(20_000).hex().encode()
    body = packed.compress(text) + packed.flush()
    content, central = b"", b""
    name, crc = b"a.txt", zlib.crc32(text)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, len(body), len(text), len(name), 0) + name + body
    for _ in range(100):  # a hundred members, one body
        central += (
            struct.pack(
                "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, len(body), len(text), len(name), 0, 0, 0, 0, 0, 0
            )
            + name
        )
    content = local + central + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 100, 100, len(central), len(local), 0)
    intake = collect([tree({"alice.zip": content})], limits=Limits(submission_bytes=500_000))
    (alice,) = intake.submissions
    assert 1 <= len(alice.files) < 12
    assert len(alice.files) + len(alice.skipped) == 100
    refused = "the submission is larger than the limit", "damaged"  # newer versions of Python see that they overlap
    assert any(reason in reasons(intake)["alice.zip/a.txt"] for reason in refused)


def test_too_many_members_are_not_even_listed(tree, zipped):
    content = zipped([(f"{i}.py", b"") for i in range(50)])
    intake = collect([tree({"alice.zip": content})], limits=Limits(entries=20))
    assert "limit of 20 files" in intake.problems[0].reason


def test_members_of_all_archives_count_together(tree, zipped, reasons):
    content = zipped([(f"{i}.py", b"x") for i in range(12)])
    intake = collect([tree({"alice.zip": content, "bob.zip": content})], limits=Limits(entries=20))
    assert [len(s.files) for s in intake.submissions] == [12, 0]


def test_an_archive_may_be_larger_than_a_file(tree, zipped, layout):
    content = zipped([(f"{i}.py", b"x" * 90) for i in range(20)], zipfile.ZIP_STORED)
    intake = collect([tree({"alice.zip": content})], limits=Limits(file_bytes=100))
    assert len(intake.submissions[0].files) == 20


def test_a_compressed_tar_is_read_from_front_to_back(given, tarred, monkeypatch):
    rewinds = []
    rewind = Inflated._rewind
    monkeypatch.setattr(Inflated, "_rewind", lambda self: (rewinds.append(1), rewind(self)))
    members = [(f"s{i:03}/a.py", b"x" * 2000) for i in reversed(range(50))]
    assert len(collect([given(tarred(members, "w:gz"))]).submissions) == 50
    assert len(rewinds) <= 3  # to open it, for its list of members, and for the members


def test_what_claims_to_be_too_large_is_left_at_its_beginning():
    pieces = iter([b"x" * 10, b"y" * 10])
    with pytest.raises(UnreadableError, match="larger than the limit of 100 bytes"):
        read_content(Entry("a.py", lambda: pieces, claimed=101), "a.py", Account(IntakeRun(Limits(file_bytes=100))))
    assert next(pieces) == b"y" * 10


def test_a_huge_member_is_refused_by_its_claim_alone(given, zipped, reasons):
    intake = collect([given(zipped([("alice/a.py", b"x" * 999), *CLASS]))], limits=Limits(file_bytes=100))
    assert "larger than the limit" in reasons(intake)["class.zip/alice/a.py"]


def test_tar_sizes_below_zero_cannot_loop(given, tarred, reasons):
    content = bytearray(tarred([("alice/a.py", b"a"), ("bob/b.py", b"b")]))
    content[1024 + 124 : 1024 + 136] = b"\xff" * 10 + b"\xfc\x00"  # minus 1,024, which leads back to the beginning
    content[1024 + 148 : 1024 + 156] = b" " * 8
    content[1024 + 148 : 1024 + 156] = b"%06o\0 " % sum(content[1024:1536])
    assert "damaged" in reasons(collect([given(bytes(content))]))["class.zip"]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("slides.pptx", zipfile.ZIP_DEFLATED, "a zip archive, not read as text"),
        ("hw.rar", b"Rar!\x1a\x07\x00rest", "a RAR archive that is damaged"),
        ("hw.7z", b"7z\xbc\xaf\x27\x1crest", "a damaged archive that cannot be unpacked"),
    ],
)
def test_other_containers_are_problems(tree, zipped, reasons, name, content, what):
    if isinstance(content, int):
        content = zipped([("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<y/>")])
    intake = collect([tree({f"alice/{name}": content})])
    assert what in reasons(intake)[f"alice/{name}"]
    assert intake.submissions[0].files == ()


def test_a_zip_disguised_as_a_document_is_unpacked(tree, zipped, layout):
    assert layout(collect([tree({"alice/hw.docx": zipped([("A.java", b"a")])})])) == {"alice": ["hw.docx/A.java"]}


def packed(zipped, members):
    """Members with folders as a Mac leaves them, in a zip in a zip."""
    return zipped([("again.zip", zipped([("class.zip", zipped(members)), ("__MACOSX/._class.zip", b"\0")]))])


def test_a_platforms_download_that_was_packed_again_is_recognised(given, zipped, reasons):
    members = [(f"{who}_{n}_assignsubmission_file_/a.py", b"a") for n, who in enumerate(("Ada Li", "Bo Ek"), 41)]
    intake = collect([given(packed(zipped, members))])
    assert [submission.owner for submission in intake.submissions] == ["Ada Li", "Bo Ek"]
    assert list(reasons(intake)) == ["class.zip/again.zip/__MACOSX"]


def test_archives_of_students_that_were_packed_again_are_submissions(given, zipped, layout):
    members = [(f"{who}.zip", zipped([("a.py", b"a"), ("b.py", b"b")])) for who in ("ann", "bo", "cy")]
    intake = collect([given(packed(zipped, members))])
    assert layout(intake) == {who: ["a.py", "b.py"] for who in ("ann", "bo", "cy")}


def test_an_archive_of_one_student_in_another_stays_one_submission(given, zipped, layout):
    members = [("src/a.py", b"a"), ("test/b.py", b"b")]
    assert layout(collect([given(zipped([("ann.zip", zipped(members))]))])) == {"ann": ["src/a.py", "test/b.py"]}
