import hashlib
import json

import pytest

from moss.intake import collect


@pytest.fixture
def read(tree):
    def reader(notebook):
        content = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
        intake = collect([tree({"alice/hw.ipynb": content})])
        (file,) = intake.submissions[0].files
        assert file.digest == hashlib.sha256(content).hexdigest()
        return file, [p.reason for p in intake.problems]

    return reader


def code(source, **more):
    return {"cell_type": "code", "source": source, "outputs": [{"text": "OUTPUT"}], **more}


def cells_of(file):
    return [(c.label, c.language, file.text[c.start : c.end]) for c in file.cells]


def test_cells_without_outputs(read):
    file, problems = read({"nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}, "cells": [
        {"cell_type": "markdown", "source": ["# Titel\n", "größer"]}, code(""), code("x <- 1\n"),
        {"cell_type": "raw", "source": "raw"}, code(["y\n", "z"]),
    ]})  # fmt: skip
    assert file.text == "# Titel\ngrößer\nx <- 1\nraw\ny\nz\n"
    assert cells_of(file) == [
        ("cell 1", "text", "# Titel\ngrößer"),
        ("cell 3", "r", "x <- 1\n"),
        ("cell 4", "text", "raw"),
        ("cell 5", "r", "y\nz"),
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("metadata", "language"),
    [({}, "python"), ({"language_info": {"name": "Julia"}}, "julia"), ({"kernelspec": 3}, "python"), (None, "python")],
)
def test_language(read, metadata, language):
    assert cells_of(read({"metadata": metadata, "cells": [code("x")]})[0]) == [("cell 1", language, "x")]


def test_format_3(read):
    sheet = {
        "cells": [
            {"cell_type": "code", "input": ["a = 1"], "language": "python"},
            {"cell_type": "heading", "source": "H"},
        ]
    }
    assert cells_of(read({"nbformat": 3, "worksheets": [sheet, sheet]})[0]) == [
        ("cell 1", "python", "a = 1"),
        ("cell 2", "text", "H"),
        ("cell 3", "python", "a = 1"),
        ("cell 4", "text", "H"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b'{"cells": [', b"[]", b"3", b'{"cells": 3}', b'{"cells": [3]}', b'{"cells": [{"source": 3}]}', b"{}",
        b'{"worksheets": {}}', b"[" * 100_000, b'{"cells": [{"source": [1]}]}', b'{"a": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_a_broken_notebook_is_plain_text(read, content):
    file, problems = read(content)
    assert (file.text, file.cells) == (content.decode(), ())
    assert problems == ["not a valid notebook, so it was read as plain text"]


def test_half_characters_can_be_written(read):
    read(b'{"cells": [{"cell_type": "code", "source": "x\\ud800y"}]}')[0].text.encode()
