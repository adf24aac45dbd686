"""Bytes to text: which bytes are no text at all, and the others decoded, without ever failing or dropping anything.

What cannot be text says so by its first bytes, or by being full of control bytes, however the file is named. A text
stays a text when NULs or control characters are sprinkled into it, since that is a way to hide a copy.

Encodings are tried in this order: a byte order mark; UTF-16 and UTF-32 by where their NULs fall; UTF-8; EBCDIC, the
encoding of mainframes; UTF-8 in which a few stray bytes are taken as Western European; the encoding that the file
declares; the encoding that its rarer bytes suggest; and Western European, which can read anything. Line ends (but those
of EBCDIC), form feeds and NULs stay as they are.

A comment full of NULs can look like UTF-16, and read so the program behind it would be Chinese to us. So all of a file
must be UTF-16, not its beginning; and plain letters in a row, which UTF-16 has no way to write, speak against it, even
against a mark.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from moss.messages import gettext as _
from moss.messages import marked

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", marked("a PNG image")),
    (b"\xff\xd8\xff", marked("a JPEG image")),
    (b"GIF87a", marked("a GIF image")),
    (b"GIF89a", marked("a GIF image")),
    (b"II*\0", marked("a TIFF image")),
    (b"MM\0*", marked("a TIFF image")),
    (b"RIFF", marked("an image, sound or film")),
    (b"\0\0\1\0", marked("an icon")),
    (b"%PDF-", marked("a PDF document")),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        marked("an office document with a password, or from before 2007 (save it as .docx)"),
    ),
    (b"\xca\xfe\xba\xbe", marked("a compiled Java class")),
    (b"\x7fELF", marked("a compiled program")),
    (b"MZ\x90\0", marked("a compiled program")),
    (b"\xcf\xfa\xed\xfe", marked("a compiled program")),
    (b"\xce\xfa\xed\xfe", marked("a compiled program")),
    (b"!<arch>\n", marked("a compiled library")),
    (b"\0asm", marked("a compiled program")),
    (b"Rar!\x1a\x07", marked("a RAR archive")),
    (b"7z\xbc\xaf\x27\x1c", marked("a 7z archive")),
    (b"\x28\xb5\x2f\xfd", marked("a compressed file")),
    (b"PK\x03\x04", marked("a zip archive")),
    (b"\x1f\x8b", marked("a compressed file")),
    (b"\xfd7zXZ\0", marked("a compressed file")),
    (b"BZh", marked("a compressed file")),
    (b"SQLite format 3\0", marked("a database")),
    (b"\x93NUMPY", marked("an array of numbers")),
    (b"\x89HDF\r\n\x1a\n", marked("an array of numbers")),
    (b"wOFF", marked("a font")),
    (b"wOF2", marked("a font")),
    (b"OTTO", marked("a font")),
    (b"\0\1\0\0", marked("a font")),
    (b"OggS", marked("a sound or film")),
    (b"ID3", marked("a sound")),
)


_STARTS = tuple(start for start, what in _SIGNATURES)


# Tab, line feed, vertical tab, form feed, carriage return, backspace and escape all occur in honest text files.
_CONTROLS = bytes(sorted(set(range(1, 32)) - {8, 9, 10, 11, 12, 13, 27})) + b"\x7f"


_NOT_ASCII = bytes(range(128, 256))

SAMPLE = 8 * 1024
_FEWEST_EBCDIC = 32  # bytes: of fewer nobody can tell
FEW_BYTES = 8  # too few for a guess at their encoding

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_DECLARATIONS = (
    re.compile(rb"\A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*([-\w.]{1,40})"),
    re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([-\w.]{1,40})"),
    re.compile(rb"<meta[^>]{1,200}?charset\s{0,9}=\s{0,9}[\"']?([-\w.]{1,40})", re.IGNORECASE),
)

# A declaration may name any of these; others (unicode-escape, utf-7, rot13, …) would change plain ASCII text.
_DECLARABLE = re.compile("iso8859-|cp125|cp(437|850|852|866|874|932|949|950)|koi8|mac-|gb|big5|shift_jis|euc|iso2022")
_GUESSES = (
    "cp1251", "cp1253", "cp1255", "cp1256", "koi8_r", "cp866",
    "gb18030", "big5", "cp932", "euc_jp", "cp949",
)  # fmt: skip

_ASCII = "".join(map(chr, range(32, 127)))
_EBCDIC = ("cp037", "cp500", "cp273")  # they differ in brackets and other signs
_CP1047 = str.maketrans("[]Ý¨^¬", "Ý¨[]¬^")  # from cp037: Python lacks the one that C programs on mainframes are in
_EBCDIC_TEXT = b"".join(
    byte for byte in map(bytes, zip(range(256))) if any(byte.decode(name) in f"\t\n\r\x85{_ASCII}" for name in _EBCDIC)
)

_STRAY = re.compile("[\udc80-\udcff]+")
_HIGH = re.compile(rb"[\x80-\xff]+")
_NON_ASCII = re.compile("[^\x00-\x7f]")
_WESTERN = {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])
_IS_PLAIN = bytes(byte in _PLAIN for byte in range(256))
_PLAIN_LINE = re.compile(rb"[\t\n\r -~]{24}")  # so many in a row no text in UTF-16 has, not even a Chinese one
_WIDE_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def binary_reason(content: bytes) -> str:
    """The kind of content that is not text, or nothing if it is text."""
    if content.startswith(_STARTS) and (what := _signature(content)):
        return _(what)
    if content.isascii() and b"\0" not in content and len(content.translate(None, _CONTROLS)) == len(content):
        return ""
    is_text = wide_encoding(content) or _is_text(content) or is_ebcdic(content)
    return "" if is_text else _("binary content")


def _signature(content: bytes) -> str:
    what = next(what for start, what in _SIGNATURES if content.startswith(start))
    # Most signatures that are plain letters could begin a text; the real thing is never without a NUL.
    start = next(start for start in _STARTS if content.startswith(start))
    return what if not start.isascii() or start in (b"%PDF-", b"PK\x03\x04") or b"\0" in content else ""


def _is_text(content: bytes) -> bool:
    # Files that a crash padded with NULs are still texts.
    content = content.rstrip(b"\0")
    nuls, controls = _share(content, b"\0"), _share(content, _CONTROLS)
    if _share(content, _NOT_ASCII) < 0.1:
        return bool(content) and nuls <= 0.5 and controls < 0.3 * (1 - nuls)
    # Compiled and compressed bytes are half beyond ASCII, where a text in an old encoding has no controls at all.
    return nuls + controls < (0.05 if _is_utf8(content) else 0.01)


def _is_utf8(content: bytes) -> bool:
    return len(content.decode("utf-8", "ignore").encode()) > 0.99 * len(content)


def _share(content: bytes, kind: bytes) -> float:
    return 1 - len(content.translate(None, kind)) / len(content) if content else 0.0


def decode(content: bytes, first: str = "") -> tuple[str, str]:
    """The text and the name of the encoding it was read with; an encoding that somebody names is tried first."""
    if first and _decodes(content, first):
        return content.decode(first), first
    if wide := wide_encoding(content):
        mark = next((mark for mark, encoding in _WIDE_MARKS if encoding == wide and content.startswith(mark)), b"")
        return content[len(mark) :].decode(wide, "replace"), wide
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_legacy(content)


def wide_encoding(content: bytes) -> str:
    """UTF-16 or UTF-32 when the content is marked so, or its NULs fall as these encodings put them, else nothing."""
    marked = [encoding for mark, encoding in _WIDE_MARKS if content.startswith(mark)]
    if marked and not _PLAIN_LINE.search(content):
        return next((name for name in marked if _reads_as_text(content, name)), "")
    if b"\0" not in content:
        return ""
    whole = content[: len(content) // 4 * 4]
    candidates = [name for name in _unmarked(whole) if _has_spaces(whole.decode(name, "replace"))]
    return next((name for name in candidates if _reads_as_text(whole or content, name)), "")


def _unmarked(content: bytes) -> list[str]:
    quarter = len(content) // 4
    nuls = [content[i::4].count(0) for i in range(4)]
    if min(nuls[2:]) == quarter > max(nuls[0], 1):
        return ["utf-32-le"]
    if min(nuls[:2]) == quarter > max(nuls[3], 1):
        return ["utf-32-be"]
    return [name for name, first in (("utf-16-le", 1), ("utf-16-be", 0)) if _high_bytes_at(content, first)]


def _high_bytes_at(content: bytes, first: int) -> bool:
    # The upper halves of letters outside East Asia are small numbers, which hardly occur in text read byte by byte.
    upper, lower = content[first::2], content[1 - first :: 2]
    small = len(upper) - len(upper.translate(None, bytes(range(9)) + bytes(range(14, 32))))
    return small >= 0.7 * len(upper) and lower.count(0) <= 0.1 * upper.count(0) and not _have_words(upper, lower)


def _have_words(upper: bytes, lower: bytes) -> bool:
    """Whether somewhere four plain characters stand in a row: no keyword of five letters escapes. An upper half may be
    a blank, as that of dashes and bullets is; and one Chinese letter may be two plain characters, two hardly ever."""
    size = min(len(upper), len(lower))
    flags = (half.translate(_IS_PLAIN) for half in (upper[:size].replace(b" ", b"\0"), lower[:size]))
    first, second = (int.from_bytes(flag) for flag in flags)
    pairs = first & second
    return bool(pairs & (pairs >> 8))


def _has_spaces(text: str) -> bool:
    # Counting numbers have the bytes of letters, but not the spaces and line ends between them.
    return len(text) < 64 or text.count(" ") + text.count("\n") >= 0.01 * len(text)


def _reads_as_text(sample: bytes, encoding: str) -> bool:
    text = sample.decode(encoding, "replace")
    odd = len(_WIDE_CONTROLS.findall(text)) + text.count("\N{REPLACEMENT CHARACTER}")
    return odd <= 0.05 * len(text)


def is_ebcdic(content: bytes) -> bool:
    """Whether a text is in EBCDIC: it has no blank or line end of ASCII, but blanks of EBCDIC, and nearly all bytes are
    where EBCDIC has letters, digits and signs."""
    if len(content) < _FEWEST_EBCDIC or b" " in content or b"\n" in content:
        return False
    return _share(content, _EBCDIC_TEXT) > 0.9 and _share(content, b"\x40") > 0.01 and _share(content, _NOT_ASCII) > 0.2


def _decode_ebcdic(content: bytes) -> tuple[str, str]:
    texts = {name: content.decode(name) for name in _EBCDIC}
    texts["cp1047"] = texts["cp037"].translate(_CP1047)
    best = max(texts, key=lambda name: sum(min(map(texts[name].count, pair)) for pair in ("[]", "{}")))
    return texts[best].replace("\x85", "\n"), best


def _decode_legacy(content: bytes) -> tuple[str, str]:
    if is_ebcdic(content):
        return _decode_ebcdic(content)
    text = content.decode("utf-8", "surrogateescape")
    runs = _STRAY.findall(text)
    stray = sum(map(len, runs))
    if len(_NON_ASCII.findall(text)) - stray >= stray:
        return _patched(text), "utf-8"
    if declared := _declared(content):
        return content.decode(declared), declared
    # Guesses between the encodings of Latin alphabets are mostly wrong.
    if stray >= FEW_BYTES and not _are_accents(stray, len(runs)) and (guess := _guess(content)):
        return content.decode(guess), guess
    return _patched(text), "cp1252" if _has_c1(content) else "latin-1"


def _patched(text: str) -> str:
    return _STRAY.sub(lambda run: run[0].translate(_WESTERN), text)


def _has_c1(content: bytes) -> bool:
    return len(content.translate(None, bytes(range(0x80, 0xA0)))) < len(content)


def _declared(content: bytes) -> str:
    for declaration in _DECLARATIONS:
        if found := declaration.search(content[:1024]):
            try:
                name = codecs.lookup(found[1].decode("ascii")).name
            except (LookupError, UnicodeDecodeError):
                continue
            if _DECLARABLE.match(name) and _decodes(content, name):
                return name
    return ""


def guess_alphabet(words: bytes) -> str:
    """The encoding of words in another alphabet than the Latin one, as in names; empty if they are Latin, or nobody can
    tell."""
    runs = _HIGH.findall(words)
    size = sum(map(len, runs))
    if size < FEW_BYTES or _are_accents(size, len(runs)):
        return ""
    return "gb18030" if _is_chinese(runs) else _guess(words)


def _are_accents(size: int, runs: int) -> bool:
    """Whether so many bytes beyond ASCII are accented letters: these stand alone, others in words."""
    return size <= 1.5 * runs


def _is_chinese(runs: Sequence[bytes]) -> bool:
    """Whether words are common characters of GB 2312, which other guesses need a whole text for. Korean ones have lower
    first bytes, letters of alphabets higher second ones."""
    if any(len(run) % 2 for run in runs):
        return False
    first, second = b"".join(run[::2] for run in runs), b"".join(run[1::2] for run in runs)
    are_characters = min(first) >= 0xB0 and max(first) <= 0xF7 and min(second) >= 0xA1
    are_spread = max(first) > 0xC8 and min(second) < 0xC0
    return are_characters and are_spread and sum(byte <= 0xD7 for byte in first) >= 0.9 * len(first)


def _guess(content: bytes) -> str:
    from charset_normalizer import from_bytes  # slow to import and hardly ever needed

    # Plain ASCII lines say nothing; and no candidate uses the newline inside a character, so lines are safe to pick.
    sample = b"".join(line for line in content[: 64 * SAMPLE].splitlines(keepends=True) if not line.isascii())[:SAMPLE]
    best = from_bytes(sample, cp_isolation=list(_GUESSES), preemptive_behaviour=False, enable_fallback=False).best()
    return best.encoding if best and _decodes(content, best.encoding) else ""


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
