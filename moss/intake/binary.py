"""Which bytes are not text, however the file is named.

What cannot be text says so by its first bytes, or by being full of control bytes. A text stays a text when NULs or
control characters are sprinkled into it, since that is a way to hide a copy.
"""

from __future__ import annotations

from moss.intake.encodings import wide_encoding
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


def binary_reason(content: bytes) -> str:
    """The kind of content that is not text, or nothing if it is text."""
    if content.startswith(_STARTS) and (what := _signature(content)):
        return _(what)
    if content.isascii() and b"\0" not in content and len(content.translate(None, _CONTROLS)) == len(content):
        return ""
    return "" if wide_encoding(content) or _is_text(content) else _("binary content")


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
