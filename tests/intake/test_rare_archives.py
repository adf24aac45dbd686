"""Archives that students send besides zip and tar: 7z, RAR, and single compressed files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib

import py7zr
import pytest
import zstandard

from moss.intake import Limits, collect

PROGRAM = b"class A { int a; }\n"


def seven_zip(files: dict[str, bytes], password: str | None = None) -> bytes:
    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w", password=password, header_encryption=password is not None) as archive:
        for name, content in files.items():
            archive.writestr(content, name)
    return buffer.getvalue()


def _number(value: int) -> bytes:
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def _header(*fields: int | bytes) -> bytes:
    body = b"".join(field if isinstance(field, bytes) else _number(field) for field in fields)
    sized = _number(len(body)) + body
    return zlib.crc32(sized).to_bytes(4, "little") + sized


def rar(files: dict[str, bytes]) -> bytes:
    """A RAR archive of version 5 whose files are stored as they are."""
    parts = [b"Rar!\x1a\x07\x01\x00", _header(1, 0, 0)]
    for name, content in files.items():
        crc = zlib.crc32(content).to_bytes(4, "little")
        named = name.encode()
        parts += [_header(2, 2, len(content), 4, len(content), 0o100644, crc, 0, 1, len(named), named), content]
    return b"".join([*parts, _header(5, 0, 0)])


def rar_with_reference(kind: int) -> bytes:
    """A RAR archive with a program, and a second file that is said to equal it: as a hard link (4), or a copy (5)."""
    name, other = b"hw1/A.java", b"hw1/B.java"
    record = b"".join(map(_number, (5, kind, 0, len(name)))) + name
    extra = _number(len(record)) + record
    reference = _header(2, 3, len(extra), 0, 0, 0, 0o100644, 0, 1, len(other), other, extra)
    whole = rar({name.decode(): PROGRAM})
    end = _header(5, 0, 0)
    return whole.removesuffix(end) + reference + end


COMPRESSED = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
    "zst": lambda content: zstandard.ZstdCompressor().compress(content),
}  # fmt: skip


@pytest.mark.parametrize("pack", [seven_zip, rar])
def test_members_are_read_like_those_of_a_zip(tree, layout, reasons, pack) -> None:
    packed = pack({"hw1/A.java": PROGRAM, "hw1/__MACOSX/x": b"", "hw1/picture.png": b"\x89PNG\r\n\x1a\n\0"})
    folder = tree({"alice.7z": packed, "bob/more.rar": packed})
    intake = collect([folder])
    assert layout(intake) == {"alice": ["A.java"], "bob": ["more.rar/hw1/A.java"]}
    assert "a PNG image, not read as text" in reasons(intake)["alice.7z/hw1/picture.png"]


@pytest.mark.parametrize("pack", [seven_zip, rar])
def test_a_class_in_one_archive(tree, layout, pack) -> None:
    packed = pack({"hw1/alice/A.java": PROGRAM, "hw1/bob/A.java": PROGRAM})
    assert layout(collect([tree({"hw1.7z": packed}) / "hw1.7z"])) == {"alice": ["A.java"], "bob": ["A.java"]}


def test_a_file_that_is_stored_as_a_reference_is_read_or_named_and_never_empty(tree, layout, reasons) -> None:
    folder = tree({"alice.rar": rar_with_reference(4), "bob.rar": rar_with_reference(5)})
    intake = collect([folder])
    assert layout(intake) == {"alice": ["A.java", "B.java"], "bob": ["A.java"]}
    assert {file.text for submission in intake.submissions for file in submission.files} == {PROGRAM.decode()}
    assert "the same as another file" in reasons(intake)["bob.rar/hw1/B.java"]


@pytest.mark.parametrize("ending", COMPRESSED)
def test_a_compressed_file_is_the_file(tree, layout, ending) -> None:
    folder = tree(
        {f"alice.java.{ending}": COMPRESSED[ending](PROGRAM), f"bob/A.java.{ending}": COMPRESSED[ending](PROGRAM)}
    )
    intake = collect([folder])
    assert layout(intake) == {"alice.java": ["alice.java"], "bob": [f"A.java.{ending}/A.java"]}
    assert {file.text for submission in intake.submissions for file in submission.files} == {PROGRAM.decode()}


@pytest.mark.parametrize("ending", COMPRESSED)
def test_a_compressed_file_that_swells_is_refused(tree, reasons, ending) -> None:
    packed = COMPRESSED[ending](bytes(40_000_000))
    (reason,) = reasons(collect([tree({"alice/a.txt." + ending: packed, "alice/b.txt": b"words"})])).values()
    assert "times its size" in reason or "larger than the limit" in reason


def test_archives_that_swell_or_are_locked_are_refused(tree, reasons) -> None:
    bomb, locked = seven_zip({"a.txt": bytes(30_000_000)}), seven_zip({"a.txt": b"words"}, "secret")
    found = reasons(collect([tree({"a/bomb.7z": bomb, "b/locked.7z": locked, "c/c.txt": b"words"})]))
    assert found["a/bomb.7z"] == "refused, because it unpacks to more than 200 times its size"
    assert "encrypted" in found["b/locked.7z"]


def test_names_that_lead_out_are_refused(tree, layout, reasons) -> None:
    packed = rar({"../../etc/passwd": b"root", "ok.txt": b"words"})
    intake = collect([tree({"alice/x.rar": packed})])
    assert layout(intake) == {"alice": ["x.rar/ok.txt"]}
    assert "leads out of the archive" in reasons(intake)["alice/x.rar/../../etc/passwd"]


def test_archives_count_against_the_limits(tree, reasons) -> None:
    packed = seven_zip({f"{n}.txt": b"word" for n in range(30)})
    found = reasons(collect([tree({"alice/x.7z": packed})], limits=Limits(entries=10)))
    assert any("limit of 10 files" in reason for reason in found.values())


@pytest.mark.parametrize("start", [b"Rar!\x1a\x07\x01\0", b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd"])
def test_a_program_does_not_hide_behind_the_first_bytes_of_an_archive(tree, layout, start) -> None:
    assert layout(collect([tree({"alice/A.java": b"//" + PROGRAM, "bob/A.java": start + b"\n" + PROGRAM})]))["bob"]
