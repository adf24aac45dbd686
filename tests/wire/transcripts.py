"""What the known families of clients send, to the byte, and what the server must make of it.

A transcript is what is sent, cut where the client waits for an answer; `YES`, `NO` and others are what it must get.
"""

from __future__ import annotations

from dataclasses import dataclass, field

YES, NO, ADDRESS = "yes", "no", "address"
NO_FILES = "Error: No files uploaded to compare."

A = b'#include <stdio.h>\nint main(void) {\n    puts("one");\n}\n'
B = b'#include <stdio.h>\nint main(void) {\n    puts("two");\n}'  # without a line end: a command follows at once
UMLAUTS = 'class Ä {\n    String größe = "übergroß";\n}\n'.encode()
GLUED = "print('ä ö ü')\n# naïve".encode()  # its last bytes stand before the next command, on the same line
RUBY = "def grüße\n  'äö'\nend\n".encode()  # four bytes are left over: `end` and a line end
COUNTED_IN_LATIN_1 = "// ÄÖÜ ñ é\nvar x = 1;\n".encode()


@dataclass(frozen=True)
class Asked:
    """What a request must be."""

    files: list  # (number, name, content)
    base: list = field(default_factory=list)
    user: str = "12345"
    language: str = "c"
    directory: bool = False
    max_matches: int = 10
    show: int = 250
    comment: str = ""
    experimental: bool = False


@dataclass(frozen=True)
class Transcript:
    """One conversation: pieces that are sent, each with the answer that follows it; and what was asked, if it was."""

    name: str
    steps: list  # (bytes, answer or None)
    asked: Asked | None
    end: bytes = b"end\n"  # None: it closes without a word; b"": it waits for the server to close


def header(number, language, size, name):
    return f"file {number} {language} {size} {name}\n".encode()


def sent(number, language, content, name):
    return header(number, language, len(content), name) + content


def characters(content):
    return len(content.decode())


FILES = [(1, "a.c", A), (2, "b.c", B)]
PERL = b"moss 12345\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n"
TWO = sent(1, "c", A, "a.c") + sent(2, "c", B, "b.c")

# fmt: off
TRANSCRIPTS = [
    Transcript("perl", [(PERL, YES), (TWO + b"query 0 \n", ADDRESS)], Asked(FILES)),
    Transcript(
        "perl with everything",
        [
            (b"moss 987654321\ndirectory 1\nX 1\nmaxmatches 4\nshow 30\nlanguage java\n", YES),
            (
                sent(0, "java", A, "starter/Main.java")
                + sent(0, "java", B, "starter/Other.java")
                + sent(1, "java", A, "hw1/ann/My_Main.java")
                + sent(2, "java", B, "hw1/ann/Other.java")
                + sent(3, "java", B, "hw1/bob/Main.java")
                + b"query 0 homework 1, second try\n",
                ADDRESS,
            ),
        ],
        Asked(
            [(1, "hw1/ann/My_Main.java", A), (2, "hw1/ann/Other.java", B), (3, "hw1/bob/Main.java", B)],
            [(0, "starter/Main.java", A), (0, "starter/Other.java", B)],
            "987654321",
            "java",
            True,
            4,
            30,
            "homework 1, second try",
            True,
        ),
    ),
    Transcript("perl, unknown language", [(PERL.replace(b"language c\n", b"language klingon\n"), NO)], None),
    Transcript(
        "mosspy, which takes no for an answer and goes on",
        [
            (PERL.replace(b"language c\n", b"language klingon\n"), NO),
            (TWO.replace(b" c ", b" klingon ") + b"query 0 \n", "Error: unknown language klingon"),
        ],
        None,
    ),
    Transcript(
        "mosspy before it was mended: one number for all",
        [(PERL, YES), (sent(1, "c", A, "a.c") + sent(1, "c", B, "b.c") + b"query 0 \n", ADDRESS)],
        Asked([(1, "a.c", A), (1, "b.c", B)]),
    ),
    Transcript(
        "php, with options missing",
        [(b"moss 12345\nlanguage c\n", YES), (TWO + b"query 0 c\n", ADDRESS)],
        Asked(FILES, comment="c"),
    ),
    Transcript(
        "an option twice",
        [
            (b"moss 12345\ndirectory 1\ndirectory 0\nmaxmatches 3\nlanguage c\n", YES),
            (TWO + b"query 0 \n", ADDRESS),
        ],
        Asked(FILES, max_matches=3),
    ),
    Transcript(
        "kotlin: options after the language and between files, blanks in names",
        [
            (b"moss 12345\nlanguage c\n", YES),
            (
                b"maxmatches 7\n"
                + sent(1, "c", A, "my first program.c")
                + b"show 9\ndirectory 0\n"
                + sent(2, "c", B, "b.c")
                + b"X 0\nquery 0 \n",
                ADDRESS,
            ),
        ],
        Asked([(1, "my_first_program.c", A), (2, "b.c", B)], max_matches=7, show=9),
    ),
    Transcript(
        "c#: no language, carriage returns, a blank behind end",
        [
            (
                b"moss 12345\r\ndirectory 0\r\nX 0\r\nmaxmatches 3\r\nshow 250\r\n"
                + b"file 0 csharp %d Base.cs\r\n" % len(A)
                + A
                + b"file 1 csharp %d a.cs\r\n" % len(A)
                + A
                + b"file 2 csharp %d b.cs\r\n" % len(B)
                + B
                + b"query 0 \r\n",
                ADDRESS,
            ),
        ],
        Asked([(1, "a.cs", A), (2, "b.cs", B)], [(0, "Base.cs", A)], language="csharp", max_matches=3),
        end=b"end \r\n",
    ),
    Transcript(
        "moji: schema, and a blank line behind end",
        [
            (b"moss 12345\ndirectory 1\nX 0\nmaxmatches 10\nshow 250\nlanguage schema\n", YES),
            (
                sent(0, "schema", A, "base.scm")
                + sent(1, "schema", A, "ann/a.scm")
                + sent(2, "schema", B, "bob/b.scm")
                + b"query 0 \n",
                ADDRESS,
            ),
        ],
        Asked([(1, "ann/a.scm", A), (2, "bob/b.scm", B)], [(0, "base.scm", A)], language="schema", directory=True),
        end=b"end\n\n",
    ),
    Transcript(
        "go, with blank lines",
        [(b"moss 12345\n\nlanguage c\n", YES), (TWO + b"\nquery 0 \n\n", ADDRESS)],
        Asked([(1, "a.c", A), (2, "b.c", B + b"\n")]),
        end=b"end\n\n",
    ),
    Transcript(
        "java that counts characters",
        [
            (b"moss 12345\nlanguage java\n", YES),
            (
                header(1, "java", characters(UMLAUTS), "Ä.java")
                + UMLAUTS
                + header(2, "java", characters(UMLAUTS), "b.java")
                + UMLAUTS
                + b"query 0 \n",
                ADDRESS,
            ),
        ],
        Asked([(1, "Ä.java", UMLAUTS), (2, "b.java", UMLAUTS)], language="java"),
    ),
    Transcript(
        "ruby that counts characters, of files that end with end",
        [
            (b"moss 12345\nlanguage ruby\n", YES),
            (
                header(1, "ruby", characters(RUBY), "a.rb")
                + RUBY
                + header(2, "ruby", characters(RUBY), "b.rb")
                + RUBY
                + b"query 0 \n",
                ADDRESS,
            ),
        ],
        Asked([(1, "a.rb", RUBY), (2, "b.rb", RUBY)], language="ruby"),
    ),
    Transcript(
        "characters counted, and no line end before the next command",
        [
            (b"moss 12345\nlanguage python\n", YES),
            (
                header(0, "python", characters(GLUED), "base.py")
                + GLUED
                + header(1, "python", characters(GLUED), "a.py")
                + GLUED
                + header(2, "python", characters(GLUED), "b.py")
                + GLUED
                + b"query 0 end of file\n",
                ADDRESS,
            ),
        ],
        Asked(
            [(1, "a.py", GLUED), (2, "b.py", GLUED)], [(0, "base.py", GLUED)], language="python", comment="end of file"
        ),
    ),
    Transcript(
        "javascript: the size on disk, the text encoded anew",
        [
            (b"moss 12345\nlanguage javascript\n", YES),
            (
                header(1, "javascript", characters(COUNTED_IN_LATIN_1), "a.js")
                + COUNTED_IN_LATIN_1
                + header(2, "javascript", len(B), "b.js")
                + B
                + b"query 0 \n",
                ADDRESS,
            ),
        ],
        Asked([(1, "a.js", COUNTED_IN_LATIN_1), (2, "b.js", B)], language="javascript"),
        end=b"",
    ),
    Transcript("rust: no end", [(PERL, YES), (TWO + b"query 0 \n", ADDRESS)], Asked(FILES), end=None),
    Transcript(
        "everything at once, without waiting for any answer",
        [(PERL + TWO + b"query 0 \n", "yes\n" + ADDRESS)],
        Asked(FILES),
    ),
    Transcript(
        "numbers beyond reason, a user id that is no number",
        [
            (b"moss ann.b@example.org\nmaxmatches 10000000\nshow 4000000\nX 1\nlanguage C++\n", YES),
            (TWO.replace(b" c ", b" C++ ") + b"query 0 \n", ADDRESS),
        ],
        Asked(FILES, user="ann.b@example.org", language="C++", max_matches=1_000_000, show=1000, experimental=True),
    ),
    Transcript(
        "names: backslashes, drives, dots, other encodings, controls",
        [
            (PERL, YES),
            (
                sent(1, "c", A, "C:\\home work\\ann\\a.c")
                + sent(2, "c", A, "../.././../etc/passwd")
                + sent(3, "c", A, "/home/ann/ä\u3000b.c")
                + sent(4, "c", A, "?").replace(b"?", b"\xe9t\xe9.c", 1)
                + sent(5, "c", A, 'x<"&>\x00\x1b.c')
                + sent(6, "c", A, " \t padded.c \t")
                + b"query 0 caf\xe9\x07\n",
                ADDRESS,
            ),
        ],
        Asked(
            [
                (1, "C:/home_work/ann/a.c", A),
                (2, "../.././../etc/passwd", A),
                (3, "/home/ann/ä_b.c", A),
                (4, "été.c", A),
                (5, 'x<"&>__.c', A),
                (6, "padded.c", A),
            ],
            comment="café",
        ),
    ),
    Transcript(
        "empty files are ignored",
        [
            (PERL, YES),
            (sent(0, "c", b"", "none.c") + TWO + sent(3, "c", b"", "empty.c") + b"query 0 \n", ADDRESS),
        ],
        Asked(FILES),
    ),
    Transcript("automoss, which checks an id", [(b"moss 12345\nquery 0 \n", NO_FILES)], None),
    Transcript("base files only", [(PERL, YES), (sent(0, "c", A, "a.c") + b"query 0 \n", NO_FILES)], None),
    Transcript("empty files only", [(PERL, YES), (sent(1, "c", b"", "a.c") + b"query 0 \n", NO_FILES)], None),
    Transcript("telnet, which looks and leaves", [], None, end=None),
    Transcript("telnet, which says something and leaves", [(b"GET / HTTP/1.0\r\n\r\n", None)], None, end=None),
]
# fmt: on
