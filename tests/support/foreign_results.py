"""Results as JPlag and MOSS write them, of two programs that share ten lines, and one that shares nothing."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

SHARED = "".join(f"def step_{n}(value):\n    return value * {n} + offset\n" for n in range(5))
PROGRAMS = {
    "ada": {"src/main.py": f"import sys\n\n{SHARED}print(step_1(2))\n"},
    "bob": {"main.py": f"offset = 1\n{SHARED}"},
    "cyd": {"other.py": "for line in open('x'):\n    print(line)\n"},
}
A_LINES, B_LINES = (3, 12), (2, 11)

Members = dict[str, bytes]


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()


def _files(folder: str, windows: bool = False) -> Members:
    slash = "\\" if windows else "/"
    return {
        slash.join([folder, id, *path.split("/")]): text.encode()
        for id, files in PROGRAMS.items()
        for path, text in files.items()
    }


def jplag_5(similarity: bool = True) -> Members:
    """A result of version 5: names with underscores, lines as numbers, comparisons beside the overview."""
    match = {"file1": "ada/src/main.py", "file2": "bob/main.py", "start1": A_LINES[0], "end1": A_LINES[1],
             "start2": B_LINES[0], "end2": B_LINES[1], "tokens": 40}  # fmt: skip
    sides = {"first_similarity": 0.8, "second_similarity": 0.9} if similarity else {}
    comparison = {"id1": "ada", "id2": "bob", "similarities": {"AVG": 0.85, "MAX": 0.9}, "matches": [match], **sides}
    overview = {
        "jplag_version": {"major": 5, "minor": 1, "patch": 0},
        "submission_folder_path": ["submissions"], "language": "Python3", "match_sensitivity": 12,
        "submission_id_to_display_name": {"ada": "Ada Lovelace", "bob": "bob", "cyd": "cyd"},
        "submission_ids_to_comparison_file_name": {"ada": {"bob": "ada-bob.json"}, "bob": {"ada": "ada-bob.json"}},
        "failed_submission_names": ["eve"], "date_of_execution": "17/11/24", "execution_time": 12,
        "clusters": [{"average_similarity": 0.85, "strength": 0.1, "members": ["ada", "bob"]}],
        "total_comparisons": 3,
    }  # fmt: skip
    return _files("files") | {
        "overview.json": _json(overview), "ada-bob.json": _json(comparison), "options.json": _json({"language": "x"}),
        "README.txt": b"This is a result.", "submissionFileIndex.json": _json({"fileIndexes": {}}),
        "cyd-bob.json": _json({"id1": "cyd", "id2": "bob", "similarities": {"AVG": 0.0}, "matches": []}),
    }  # fmt: skip


def jplag_6(windows: bool = False) -> Members:
    """A result of version 6: a file for each thing, positions with columns, comparisons in a folder."""
    slash = "\\" if windows else "/"

    def at(line: int) -> dict[str, int]:
        return {"line": line, "column": 0, "tokenListIndex": line}

    match = {"firstFileName": slash.join(["ada", "src", "main.py"]), "secondFileName": slash.join(["bob", "main.py"]),
             "startInFirst": at(A_LINES[0]), "endInFirst": at(A_LINES[1]), "startInSecond": at(B_LINES[0]),
             "endInSecond": at(B_LINES[1]), "lengthOfFirst": 40, "lengthOfSecond": 41}  # fmt: skip
    comparison = {"firstSubmissionId": "ada", "secondSubmissionId": "bob", "firstSimilarity": 0.8,
                  "secondSimilarity": 0.9, "similarities": {"AVG": 0.85, "MAX": 0.9}, "matches": [match]}  # fmt: skip
    return _files("files", windows) | {
        "submissionMappings.json": _json({
            "submissionIds": {"ada": "Ada Lovelace", "bob": "bob", "cyd": "cyd"},
            "submissionIdsToComparisonFileName": {"ada": {"bob": "ada-bob.json"}},
        }),
        "runInformation.json": _json({
            "version": {"major": 6, "minor": 2, "patch": 0}, "dateOfExecution": "06/05/25", "executionTime": 471,
            "failedSubmissions": [{"submissionId": "eve", "submissionState": "TOO_SMALL"}], "totalComparisons": 3,
        }),
        "options.json": _json({"minimumTokenMatch": 12, "language": "python3"}),
        "cluster.json": _json([{"averageSimilarity": 0.85, "strength": 0.1, "members": ["ada", "bob"]}]),
        "topComparisons.json": _json([{"firstSubmission": "ada", "secondSubmission": "bob", "similarities": {}}]),
        "distribution.json": _json({"AVG": [0] * 100}),
        "submissionFileIndex.json": _json({"fileIndexes": {"ada": {"ada/src/main.py": {"tokenCount": 50}}}}),
        "comparisons/ada-bob.json": _json(comparison),
        "basecode/ada.json": _json([]),
    }  # fmt: skip


def zipped(members: Members, path: Path) -> Path:
    """The members as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    path.write_bytes(buffer.getvalue())
    return path


def unpacked(members: Members, folder: Path) -> Path:
    """The members as a folder."""
    for name, content in members.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder
