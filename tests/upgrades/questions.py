"""What is asked about a set, by the version that makes it and by those that open it: commands and addresses only.

Commands, options and the API keep their names, so the questions are the same for ever.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from moss.cli import main as moss

API = "/api/v1"


def ask_corpus(corpus: Path, texts: Path) -> dict[str, Any]:
    """What a corpus answers about each of these texts, and how it groups what it has."""
    queries = {
        path.name: told("corpus", "query", f"./{corpus}", path, "--json", "-") for path in sorted(texts.iterdir())
    }
    clusters = told("corpus", "clusters", f"./{corpus}", "--json", "-")
    return {
        "found": {name: sorted(each["address"] for each in answer["found"]) for name, answer in queries.items()},
        "clusters": sorted(sorted(cluster["documents"]) for cluster in clusters["clusters"]),
    }


def told(*arguments: str | Path) -> Any:
    """The JSON that a command prints."""
    done = CliRunner().invoke(moss, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def ask_server(app: Any, token: str, course: int = 2, runs: tuple[int, ...] = (1, 2, 3)) -> dict[str, Any]:
    """What the API tells of a course: by the addresses that were asked."""
    headers, answers = {"Authorization": f"Bearer {token}"}, {}
    for address in addresses(course, runs):
        answer = app.test_client().get(f"{API}{address}", headers=headers)
        assert answer.status_code == 200, (address, answer.text)
        answers[address] = answer.json
    return answers


def addresses(course: int, runs: tuple[int, ...]) -> list[str]:
    """Where the API tells what should last."""
    of_course = ["", "/assignments", "/cases", "/members", "/people"]
    of_run = ["", "/pairs?limit=100", "/pairs/1", "/report", "/shares"]
    return [
        *(f"/courses/{course}{each}" for each in of_course),
        *(f"/runs/{run}{each}" for run in runs for each in of_run),
    ]
