"""A comparison in words: what was compared, with which parameters, and how to repeat it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moss.model import Baseline, Report, Role

TOLD_APART = ("archive", "base", "bundle", "handed_out", "limits", "paths", "thresholds")
"""Parameters that pages show in other ways: roles say what was compared, the command says where it was."""
_LIMITS = {
    "file_bytes": "max-file-size", "submission_bytes": "max-submission-size", "total_bytes": "max-total-size",
    "entries": "max-files", "ratio": "max-ratio", "depth": "max-depth",
}  # fmt: skip
_VALUES = (
    "language", "max_matches", "show", "noise", "guarantee", "cluster", "deadline", "comment", "encoding",
    "subdirectory", "threshold",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParameterInWords:
    """A parameter of the run, and its value in words."""

    name: str
    value: str


def has_handout(report: Report) -> bool:
    """Whether there was starter code. Older reports say so only by their paths, or by the regions they mark."""
    told = report.parameters.get("handed_out")
    if told is not None:
        return bool(told)
    return bool(report.parameters.get("base")) or any(file.base for each in report.submissions for file in each.files)


def roles_in_words(report: Report) -> list[ParameterInWords]:
    """The numbers of new submissions and earlier work, and the starter code."""
    counted = Counter(record.role for record in report.submissions)
    handed_out = [f"{each['id']} ({_files(each['files'])})" for each in report.parameters.get("handed_out") or ()]
    return [
        ParameterInWords("new submissions", str(counted[Role.NEW])),
        ParameterInWords("earlier work", f"{counted[Role.ARCHIVE]} submissions" if counted[Role.ARCHIVE] else "none"),
        ParameterInWords("handed out", ", ".join(handed_out) or ("given" if has_handout(report) else "none")),
    ]


def _files(files: Sequence[Any]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"


def parameters_in_words(parameters: Mapping[str, Any], baseline: Baseline) -> list[ParameterInWords]:
    """All parameters of a run that influenced its result, besides what was compared."""
    plain = {name: value for name, value in parameters.items() if name not in TOLD_APART}
    limits = {f"limit, {name}": value for name, value in (parameters.get("limits") or {}).items()}
    rows = [ParameterInWords(name.replace("_", " "), _value(value)) for name, value in sorted((plain | limits).items())]
    for layer in parameters.get("thresholds") or ():
        scope = "" if layer["own"] else ", all files"
        value = f"noise {layer['noise']}, guarantee {layer['guarantee']}, passage {layer['passage']} tokens"
        rows.append(ParameterInWords(f"thresholds, {layer['channel']}{scope}", value))
    ordinary = f"median {baseline.typical:.4f}, above {baseline.limit:.4f}, far above {baseline.far:.4f}"
    return [*rows, ParameterInWords("ordinary scores", ordinary)] if baseline.pairs else rows


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "left to the program" if value is None else "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def common_from(report: Report) -> int | None:
    """The number of submissions beyond which a passage counts as common; None if there are not so many."""
    limit = report.parameters.get("max_matches")
    return limit if isinstance(limit, int) and limit < len(report.submissions) else None


def command(parameters: Mapping[str, Any]) -> str:
    """The command line that repeats a run.

    For an anonymous run the reader fills in the paths. A server's run had no paths: it is repeated from its bundle."""
    if parameters.get("bundle"):
        return shlex.join(["moss", "repeat", str(parameters["bundle"]), "--output", "report"])
    options = shlex.join(["moss", "compare", *_options(parameters)])
    if parameters.get("anonymize"):
        paths = [f"--{name} PATH" for name in ("base", "archive") if parameters.get(name)]
        return " ".join([options, *paths, "PATH"])
    paths = [part for name in ("base", "archive") for path in parameters.get(name, ()) for part in (f"--{name}", path)]
    return f"{options} {shlex.join([*paths, '--', *parameters.get('paths', ())])}"


def _options(parameters: Mapping[str, Any]) -> Iterator[str]:
    for name in _VALUES:
        if parameters.get(name) not in (None, ""):
            yield f"--{name.replace('_', '-')}={parameters[name]}"
    for name in ("directory", "anonymize"):
        if parameters.get(name):
            yield f"--{name}"
    for name, value in parameters.get("limits", {}).items():
        if name in _LIMITS:
            yield f"--{_LIMITS[name]}={value}"


def digests(report: Report) -> str:
    """The SHA-256 of every file as handed in, in the form that `sha256sum --check` reads."""
    return "\n".join(
        f"{file.digest}  {record.id}/{file.path}"
        for record in report.submissions
        for file in record.files
        if file.digest
    )
