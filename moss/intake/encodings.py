"""Bytes to text, without ever failing and without dropping anything.

Tried in this order: a byte order mark; UTF-16 and UTF-32 by where their NULs fall; UTF-8; UTF-8 in which a few stray
bytes are taken as Western European; the encoding that the file declares; the encoding that its rarer bytes suggest;
and Western European, which can read anything. Line ends, form feeds and NULs stay as they are.

A comment full of NULs can look like UTF-16, and read so the program behind it would be Chinese to us. So all of a file
must be UTF-16, not its beginning; and plain letters in a row, which UTF-16 has no way to write, speak against it, even
against a mark.
"""

from __future__ import annotations

import codecs
import re

SAMPLE = 8 * 1024
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

_STRAY = re.compile("[\udc80-\udcff]+")
_NON_ASCII = re.compile("[^\x00-\x7f]")
_WESTERN = {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])
_IS_PLAIN = bytes(byte in _PLAIN for byte in range(256))
_PLAIN_LINE = re.compile(rb"[\t\n\r -~]{24}")  # so many in a row no text in UTF-16 has, not even a Chinese one
_WIDE_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


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


def _decode_legacy(content: bytes) -> tuple[str, str]:
    text = content.decode("utf-8", "surrogateescape")
    runs = _STRAY.findall(text)
    stray = sum(map(len, runs))
    if len(_NON_ASCII.findall(text)) - stray >= stray:
        return _patched(text), "utf-8"
    if declared := _declared(content):
        return content.decode(declared), declared
    # Accented letters stand alone, and guesses between the encodings of Latin alphabets are mostly wrong; letters of
    # other alphabets come in words.
    isolated = stray <= 1.5 * len(runs)
    if stray >= FEW_BYTES and not isolated and (guess := _guess(content)):
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
