"""Results of JPlag, versions 4 to 6: a `.jplag` or zip file, or what was unpacked from one.

Names of files and fields differ between versions; each is looked for under all of its names. Matches are shown by
whole lines.

    files/ID/…                        what was handed in (submissions/ID/… before version 5)
    overview.json                     names, version, date (version 5 and before)
    submissionMappings.json, runInformation.json, options.json, cluster.json      the same from version 6 on
    comparisons/A-B.json              a pair (A-B.json before version 6)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from moss.imported.found import ForeignPair, ForeignPassage, ForeignResult, ForeignText
from moss.imported.result_files import ResultFiles
from moss.intake.encodings import decode
from moss.intake.limits import IntakeError
from moss.intake.names import displayable
from moss.messages import gettext, marked
from moss.model import ImportedFrom, Problem

_INDEXES = ("overview.json", "submissionMappings.json", "runInformation.json", "options.json", "cluster.json")
_FOLDERS = ("files/", "submissions/")
_MOST_LINES = 10_000_000
_ADVICE = marked("to compare the submissions themselves, use moss compare")


def _line_of(value: Any) -> Any:
    """The number of a line, which is given alone, or as a position with a column."""
    return value.get("line") if isinstance(value, dict) else value


def _named(*names: str) -> Any:
    return Field(validation_alias=AliasChoices(*names))


Line = Annotated[int, BeforeValidator(_line_of), Field(ge=1, le=_MOST_LINES)]
Similarity = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]  # some versions print a little more than 1


class JplagModel(BaseModel):
    """Part of a file of JPlag; fields that are not known are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class JplagMatch(JplagModel):
    """A match of two files."""

    first_file: str = _named("firstFileName", "file1")
    second_file: str = _named("secondFileName", "file2")
    first_start: Line = _named("startInFirst", "start1")
    first_end: Line = _named("endInFirst", "end1")
    second_start: Line = _named("startInSecond", "start2")
    second_end: Line = _named("endInSecond", "end2")
    tokens: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        0, validation_alias=AliasChoices("lengthOfFirst", "tokens", "length")
    )


class JplagComparison(JplagModel):
    """A file about a pair."""

    first: str = _named("firstSubmissionId", "id1")
    second: str = _named("secondSubmissionId", "id2")
    similarities: dict[str, float] = {}
    similarity: Similarity | None = None
    first_similarity: Similarity | None = Field(
        None, validation_alias=AliasChoices("firstSimilarity", "first_similarity")
    )
    second_similarity: Similarity | None = Field(
        None, validation_alias=AliasChoices("secondSimilarity", "second_similarity")
    )
    matches: list[JplagMatch]

    @property
    def average(self) -> float:
        """JPlag's average similarity."""
        known = self.similarities.get("AVG", self.similarity)
        sides = [each for each in (self.first_similarity, self.second_similarity) if each is not None]
        value = known if known is not None else sum(sides) / len(sides) if sides else 0.0
        return min(1.0, max(0.0, value))


class JplagCluster(JplagModel):
    """A group of submissions."""

    members: list[str] = []


class JplagVersion(JplagModel):
    """The version of JPlag."""

    major: int = 0
    minor: int = 0
    patch: int = 0


class JplagIndex(JplagModel):
    """Everything that the files beside the comparisons say."""

    names: dict[str, str] = Field(
        default={}, validation_alias=AliasChoices("submissionIds", "submission_id_to_display_name")
    )
    version: JplagVersion = Field(JplagVersion(), validation_alias=AliasChoices("version", "jplag_version"))
    made: str = Field("", validation_alias=AliasChoices("dateOfExecution", "date_of_execution"))
    least: int | None = Field(None, validation_alias=AliasChoices("minimumTokenMatch", "match_sensitivity"))
    failed: list[Any] = Field(default=[], validation_alias=AliasChoices("failedSubmissions", "failed_submission_names"))
    clusters: list[JplagCluster] = []


def is_jplag(files: ResultFiles) -> bool:
    """Whether these are the files of a result of JPlag."""
    return "overview.json" in files or "submissionMappings.json" in files


def read_jplag(files: ResultFiles) -> ForeignResult:
    """The findings of JPlag; raises IntakeError."""
    index = _index(files)
    texts = _texts(files)
    names = _unique_names(index.names, texts)
    comparisons = list(_comparisons(files))
    if not comparisons:
        raise IntakeError(gettext("it has no comparison in it; %(advice)s", advice=gettext(_ADVICE)))
    for each in comparisons:
        for id in (each.first, each.second):
            texts.setdefault(id, {})
            names.setdefault(id, displayable(id))
    pairs = [_pair(each, names) for each in comparisons if each.first != each.second]
    known = {names[id]: found for id, found in texts.items()}
    clusters = [[names[id] for id in cluster.members if id in texts] for cluster in index.clusters]
    return ForeignResult(_source(index), known, pairs, clusters, list(_problems(index, known)))


def _index(files: ResultFiles) -> JplagIndex:
    together: dict[str, Any] = {}
    for name in _INDEXES:
        if name in files:
            content = _json(files, name)
            together |= {"clusters": content} if isinstance(content, list) else content
    try:
        return JplagIndex.model_validate(together)
    except ValidationError as error:
        raise _unknown(", ".join(name for name in _INDEXES if name in files), error) from None


def _json(files: ResultFiles, path: str) -> Any:
    try:
        content = json.loads(files.read(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, IntakeError):
            raise
        raise IntakeError(gettext("its %(path)s is damaged", path=path)) from None
    if not isinstance(content, dict | list):
        raise IntakeError(gettext("its %(path)s is damaged", path=path))
    return content


def _unknown(path: str, error: ValidationError) -> IntakeError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    return IntakeError(
        gettext(
            "its %(path)s is not what JPlag 4 to 6 write, at %(place)s; %(advice)s",
            path=path,
            place=place,
            advice=gettext(_ADVICE),
        )
    )


def _comparisons(files: ResultFiles) -> Iterator[JplagComparison]:
    for path in files.paths():
        folder, _, name = path.rpartition("/")
        if folder not in ("", "comparisons") or not name.endswith(".json") or name in _INDEXES:
            continue
        content = _json(files, path)
        if not isinstance(content, dict) or "matches" not in content:
            continue  # of another kind, such as the index of files
        try:
            yield JplagComparison.model_validate(content)
        except ValidationError as error:
            raise _unknown(path, error) from None


def _texts(files: ResultFiles) -> dict[str, dict[str, ForeignText]]:
    found: dict[str, dict[str, ForeignText]] = {}
    for path in files.paths():
        folder = next((folder for folder in _FOLDERS if path.startswith(folder)), None)
        id, slash, inside = path[len(folder) :].partition("/") if folder else ("", "", "")
        if slash and inside:
            content = files.read(path)
            found.setdefault(id, {})[inside] = ForeignText(decode(content)[0], content)
    return found


def _unique_names(names: Mapping[str, str], texts: Mapping[str, Any]) -> dict[str, str]:
    """The name of each submission, or its id where two have one name."""
    named = {id: displayable(names.get(id) or id) for id in {*names, *texts}}
    count = Counter(named.values())
    return {id: displayable(id) if count[name] > 1 else name for id, name in named.items()}


def _pair(found: JplagComparison, names: Mapping[str, str]) -> ForeignPair:
    average = found.average
    shares = [
        average if value is None else min(1.0, value) for value in (found.first_similarity, found.second_similarity)
    ]
    passages = tuple(_passage(match, found) for match in found.matches)
    return ForeignPair(names[found.first], names[found.second], average, shares[0], shares[1], passages)


def _passage(match: JplagMatch, pair: JplagComparison) -> ForeignPassage:
    return ForeignPassage(
        _inside(match.first_file, pair.first), (match.first_start, match.first_end),
        _inside(match.second_file, pair.second), (match.second_start, match.second_end), match.tokens,
    )  # fmt: skip


def _inside(path: str, id: str) -> str:
    """The path inside a submission; JPlag puts the submission's id before it, on Windows with backslashes."""
    return path.replace("\\", "/").removeprefix(f"{id}/")


def _source(index: JplagIndex) -> ImportedFrom:
    version = index.version
    number = f"{version.major}.{version.minor}.{version.patch}" if version.major else ""
    least = f" of at least {index.least} tokens" if index.least else ""
    meaning = (
        f"JPlag's average similarity: the part of both submissions' tokens that lies in matches{least}. Shares are "
        "JPlag's similarity of each side. Tokens of passages are JPlag's, those of files are words and signs."
    )
    return ImportedFrom("JPlag", meaning, number, displayable(index.made)[:100])


def _problems(index: JplagIndex, texts: Mapping[str, Any]) -> Iterator[Problem]:
    for failed in index.failed:
        id = failed.get("submissionId") if isinstance(failed, dict) else failed
        state = failed.get("submissionState", "") if isinstance(failed, dict) else ""
        reason = (
            f"JPlag did not compare it{f': {state}' if state else ''}".lower()
            .replace("jplag", "JPlag")
            .replace("_", " ")
        )
        yield Problem(displayable(str(id))[:1000], displayable(reason)[:1000])
    for name, found in texts.items():
        if not found:
            yield Problem(name, "the result has none of its files, so its passages are not shown")
