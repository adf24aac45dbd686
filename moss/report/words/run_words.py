"""A comparison in words: what was compared, with which parameters, and how to repeat it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontends.language_titles import language_title
from moss.messages import counted, gettext, marked, number, percent
from moss.model import Baseline, ReferenceKind, Report, Role
from moss.report.words.references import kind_in_words

TOLD_APART = ("archive", "base", "bundle", "handed_out", "limits", "paths", "reference", "thresholds")
"""Parameters that pages show in other ways: roles say what was compared, the command says where it was."""
_NAMES = {
    "anonymize": marked("anonymous"),
    "cluster": marked("clusters from a score of"),
    "comment": marked("comment"),
    "deadline": marked("seconds for a file"),
    "directory": marked("each folder is a submission"),
    "encoding": marked("encoding"),
    "guarantee": marked("guarantee"),
    "language": marked("language"),
    "max_matches": marked("ignore passages shared by more than"),
    "noise": marked("noise"),
    "quotations": marked("mark quotations"),
    "show": marked("pairs to show"),
    "subdirectory": marked("folder inside each submission"),
    "threshold": marked("pairs from a score of"),
    "depth": marked("limit: archives inside archives"),
    "entries": marked("limit: files"),
    "file_bytes": marked("limit: bytes of a file"),
    "ratio": marked("limit: unpacked to packed size"),
    "submission_bytes": marked("limit: bytes of a submission"),
    "total_bytes": marked("limit: bytes in all"),
}
"""Parameters as pages call them; others, of newer versions, by their own names."""
_LIMITS = {
    "file_bytes": "max-file-size", "submission_bytes": "max-submission-size", "total_bytes": "max-total-size",
    "entries": "max-files", "ratio": "max-ratio", "depth": "max-depth",
}  # fmt: skip
_VALUES = (
    "language", "max_matches", "show", "noise", "guarantee", "cluster", "deadline", "comment", "encoding",
    "subdirectory", "threshold",
)  # fmt: skip

_SCORES = ("cluster", "threshold")


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
    roles = Counter(record.role for record in report.submissions)
    starter = [
        gettext("%(name)s (%(files)s)", name=each["id"], files=counted(each["files"], "file"))
        for each in report.parameters.get("handed_out") or ()
    ]
    kinds = Counter(record.kind for record in report.submissions if record.kind)
    work = kinds.pop(ReferenceKind.EARLIER, 0)
    earlier = counted(work, "submission") if work else gettext("none")
    given = gettext("given") if has_handout(report) else gettext("none")
    return [
        ParameterInWords(gettext("new submissions"), number(roles[Role.NEW])),
        ParameterInWords(gettext("earlier work"), earlier),
        *(ParameterInWords(kind_in_words(kind), number(count)) for kind, count in sorted(kinds.items())),
        ParameterInWords(gettext("starter code"), ", ".join(starter) or given),
    ]


def parameters_in_words(parameters: Mapping[str, Any], baseline: Baseline) -> list[ParameterInWords]:
    """All parameters of a run that influenced its result, besides what was compared."""
    plain = {name: value for name, value in parameters.items() if name not in TOLD_APART}
    told = [*sorted(plain.items()), *sorted((parameters.get("limits") or {}).items())]
    rows = [ParameterInWords(_name(name), _value(name, value)) for name, value in told]
    rows += [_threshold(layer) for layer in parameters.get("thresholds") or ()]
    return [*rows, _ordinary(baseline)] if baseline.pairs else rows


def _name(name: str) -> str:
    return gettext(_NAMES[name]) if name in _NAMES else name.replace("_", " ")


def _value(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or gettext("none")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if value is None or value == "":
        return gettext("automatic") if value is None else gettext("none")
    if name == "language":
        return gettext("automatic") if value == "auto" else language_title(str(value))
    if name in _SCORES and isinstance(value, int | float) and 0 <= value <= 1:  # a damaged report may have anything
        return percent(value)
    return number(value) if isinstance(value, int) else str(value)


def _threshold(layer: Mapping[str, Any]) -> ParameterInWords:
    """The thresholds of a layer."""
    names = {
        ("structure", True): gettext("passages found by structure"),
        ("text", True): gettext("passages found by words"),
        ("text", False): gettext("passages found by words, in all files"),
    }
    key = str(layer["channel"]), bool(layer["own"])
    sizes = {size: layer[size] for size in ("noise", "guarantee", "passage")}
    words = gettext("noise %(noise)s, guarantee %(guarantee)s, passage %(passage)s tokens", **sizes)
    return ParameterInWords(names.get(key, key[0]), words)


def _ordinary(baseline: Baseline) -> ParameterInWords:
    """The class's ordinary scores."""
    words = gettext(
        "median %(typical)s, spread %(spread)s of the angle, unusual over %(limit)s, very unusual over %(far)s, "
        "%(pairs)s",
        typical=f"{baseline.typical:.4f}",
        spread=f"{baseline.spread:.4f}",
        limit=f"{baseline.limit:.4f}",
        far=f"{baseline.far:.4f}",
        pairs=counted(baseline.pairs, "pair"),
    )
    return ParameterInWords(gettext("ordinary scores"), words)


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
        return " ".join([options, *paths, *["--reference KIND PATH"] * bool(parameters.get("reference")), "PATH"])
    paths = [part for name in ("base", "archive") for path in parameters.get(name, ()) for part in (f"--{name}", path)]
    for told in parameters.get("reference", ()):
        kind, _, path = str(told).partition(":")
        paths += ["--reference", kind, path]
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
