"""`moss compare`: from a folder of submissions to ranked, exact matches."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from moss.cli.course_file import config_option
from moss.cli.options import Size, class_options, corpora_among, given_choice, listed_paths, quiet_option
from moss.cli.other_tools import FamiliarCommand, note_on_classes
from moss.cli.output import complain, data_output, print_table, printable, progress_bar, standard_output
from moss.messages import counted, gettext, marked, ngettext

if TYPE_CHECKING:
    from moss.cache import Cache
    from moss.model import Problem, Report
    from moss.report.code_annotations import FileAddress

_ROWS = 25  # pairs printed in the terminal; the files have them all
_PATH = click.Path(path_type=Path)
_OBJECTS = 100_000  # new ones after which Python looks for garbage: the objects of a large class are none, and many


@click.command(cls=FamiliarCommand)
@click.argument("paths", nargs=-1, type=_PATH, metavar="PATH...")
@config_option
@class_options
@click.option("--files-from", metavar="FILE", help="Read more PATHs from FILE, one per line; - for standard input.")
@click.option(
    "-m",
    "--max-matches",
    type=int,
    metavar="N",
    help="Ignore passages shared by more than N students; identical submissions count once.  "
    "[default: no limit up to 1,000 submissions, then a million divided by their number]",
)
@click.option("-n", "--show", type=int, default=250, show_default=True, metavar="N", help="Number of pairs to show.")
@click.option("--threshold", type=float, default=0.0, metavar="SCORE", help="Lowest score to show, from 0 to 1.")
@click.option(
    "-c",
    "--comment",
    default="",
    metavar="TEXT",
    help="Text to show in the report, such as the name of the assignment.",
)
@click.option(
    "--noise",
    type=int,
    metavar="K",
    help="Shortest run of equal tokens to show; scores don't depend on it.  [default: by language]",
)
@click.option(
    "--guarantee",
    type=int,
    metavar="T",
    help="Show every run of T tokens that two submissions share; scores don't depend on it.  [default: by language]",
)
@click.option(
    "--cluster",
    type=float,
    metavar="SCORE",
    help="Score from which pairs form clusters.  [default: very unusual pairs]",
)
@click.option(
    "-o", "--output", type=_PATH, metavar="DIR", help="Write the HTML report; DIR/index.html opens from disk."
)
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON; - for standard output.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the shown pairs as CSV; - for standard output.")
@click.option(
    "--scores", "scores_file", metavar="FILE", help="Write the scores of all pairs that share anything, as CSV."
)
@click.option("--sarif", "sarif_file", metavar="FILE", help="Write the passages as SARIF, for code viewers and CI.")
@click.option("--github", is_flag=True, help="Print the passages as annotations for a GitHub workflow.")
@click.option("--open", "open_page", is_flag=True, help="Open the HTML report in a browser; needs -o.")
@click.option(
    "--fail-above",
    type=click.FloatRange(0, 1),
    metavar="SCORE",
    help="Exit with status 1 if a pair has at least this score, for CI.",
)
@click.option("-x", "experimental", is_flag=True, hidden=True, help="Accepted as in MOSS's script; it does nothing.")
@click.option(
    "--anonymize", is_flag=True, help="Replace students' names with pseudonyms everywhere, also inside the code."
)
@click.option(
    "--no-quotations",
    "quotations",
    flag_value=False,
    default=True,
    help="Ignore quotations and reference lists in essays.",
)
@click.option("-j", "--jobs", type=int, metavar="N", help="Number of processes.  [default: all cores]")
@click.option(
    "--memory",
    type=Size(),
    help="Memory to use, for example 2GB; what doesn't fit goes to disk.",
)
@click.option(
    "--cache",
    "cache_folder",
    type=_PATH,
    metavar="DIR",
    help="Where to cache results for the next run.  [default: MOSS_CACHE, or moss in your cache folder]",
)
@click.option("--no-cache", is_flag=True, help="Don't read or write the cache.")
@quiet_option
@click.option("--max-file-size", type=Size(), default="16MB", show_default=True, help="Largest file to read.")
@click.option(
    "--max-submission-size", type=Size(), default="64MB", show_default=True, help="Largest submission to read."
)
@click.option("--max-total-size", type=Size(), default="4GB", show_default=True, help="Most to read in total.")
@click.option("--max-files", type=int, default=500_000, show_default=True, metavar="N", help="Most files to look at.")
@click.option(
    "--max-ratio",
    type=int,
    default=200,
    show_default=True,
    metavar="N",
    help="Highest compression ratio of an archive.",
)
@click.option(
    "--max-depth",
    type=int,
    default=5,
    show_default=True,
    metavar="N",
    help="Deepest nesting of archives inside archives.",
)
@click.option(
    "--deadline",
    type=float,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for Pygments, per submission and again per megabyte.",
)
def compare(paths: tuple[Path, ...], **options: Any) -> None:
    """Compare submissions, and rank pairs by what they share and few others have.

    If PATH is a folder or an archive (zip, tar, 7z, …), everything directly inside it is a submission. If PATHs are
    files, each file is a submission or, with -d, each directory.

    \b
        moss compare submissions/
        moss compare -b starter/ -a last-year.zip -o report moodle-download.zip
        moss compare -l java -d -b Base.java hw1/*/*.java
        moss compare -a corpus:essays essays-2025/
        moss compare --reference chatbot answers/ --reference task hw1.md hw1/
        moss compare --json - --quiet hw1/ | jq '.pairs[0]'

    You can leave out the word `compare`: `moss -l java *.java` works as with MOSS's script.

    Exit status: 0 done (files that could not be read are listed), 1 if --fail-above found such a pair, 2 nothing to
    compare, or wrong usage.
    """
    from moss.comparison import NothingToCompareError
    from moss.corpus.errors import CorpusError
    from moss.intake import IntakeError
    from moss.report.atomic_files import OutputError
    from moss.settings import SettingsError

    paths = (*paths, *listed_paths(options["files_from"]))
    if not paths:
        raise click.UsageError(gettext("nothing to compare: name a folder, an archive or files"))
    if options["open_page"] and not options["output"]:
        raise click.UsageError(gettext("--open opens the HTML report, so it needs -o DIR"))
    try:
        report = _run(paths, options)
        write_outputs(report, options)
    except (NothingToCompareError, IntakeError, SettingsError, OutputError, CorpusError) as error:
        print_problems(error.problems if isinstance(error, NothingToCompareError) else ())
        complain(str(error))
        if isinstance(error, NothingToCompareError) and (note := note_on_classes(paths)):
            complain(note)
        raise SystemExit(2) from None
    print_problems(report.problems)
    if _are_lone_files(report) and (note := note_on_classes(paths)):
        complain(note)
    if _fails(report, options["fail_above"]):
        raise SystemExit(1)


def print_problems(problems: Sequence[Problem]) -> None:
    """Print each problem with its reason to standard error."""
    for problem in problems:
        complain(f"{_shown(problem.path)}: {_shown(problem.reason)}")


def _run(paths: tuple[Path, ...], options: dict[str, Any]) -> Report:
    from moss.comparison import compare as run
    from moss.intake import Limits
    from moss.settings import Settings

    gc.set_threshold(_OBJECTS)
    if options["language"] != "auto":
        _check_language(options["language"])  # before anything is read
    limits = Limits(
        options["max_file_size"], options["max_submission_size"], options["max_total_size"],
        options["max_files"], options["max_ratio"], options["max_depth"],
    )  # fmt: skip
    names = {field.name for field in fields(Settings)} & set(options)
    settings = Settings(limits=limits, **{name: options[name] for name in names})
    corpora, archive = corpora_among(options["archive"])
    cache = None if options["no_cache"] else _cache(options["cache_folder"])
    with progress_bar(options["quiet"]) as progress:
        return run(
            paths, base=options["base"], archive=archive, references=options["reference"], kept=corpora,
            settings=settings, progress=progress,
            cache=cache, choice=given_choice(click.get_current_context(), paths), layout=options["layout"],
            all_versions=options["versions"] == "all",
        )  # fmt: skip


def _check_language(name: str) -> None:
    from frontends import UnknownLanguageError, by_name
    from moss.settings import SettingsError

    try:
        by_name(name)
    except UnknownLanguageError as error:
        raise SettingsError(str(error)) from None


def _cache(folder: Path | None) -> Cache:
    from moss.cache import Cache, default_folder, limit

    return Cache(folder or default_folder(), limit(), complain)


def write_outputs(report: Report, options: dict[str, Any]) -> None:
    """Write the files that the options name; without any, print the best pairs."""
    targets = options["json_file"], options["csv_file"], options["scores_file"], options.get("sarif_file")
    encoded = _encoded(report) if options["json_file"] else ""
    if any(targets):
        _write_files(report, targets, encoded)
    if options["output"]:
        from moss.report.site import write_site

        with progress_bar(options["quiet"]) as progress:
            page = write_site(report, options["output"], options["jobs"], progress, encoded)
        click.echo(gettext("Report: %(page)s", page=page), err=True)
        if options.get("open_page"):
            click.launch(str(page))
    if options.get("github"):
        _annotate(report)
    if "-" not in targets:
        with standard_output():
            _print_pairs(report)


def _encoded(report: Report) -> str:
    """The report as JSON, which takes a while: it is made once for the file and for the folder of pages."""
    from moss.report.json_report import as_json

    return as_json(report)


def _write_files(report: Report, targets: tuple[str | None, ...], encoded: str) -> None:
    """Write the report to each file or stream that the options ask for; `encoded` is the report as JSON."""
    from moss.report.code_annotations import write_sarif
    from moss.report.csv_tables import write_csv, write_scores

    def write_encoded(report: Report, file: IO[str]) -> None:
        file.write(encoded)

    sarif: Callable[[Report, IO[str]], None] = partial(write_sarif, address=_address_of(report))
    writers = (write_encoded, write_csv, write_scores, sarif)
    for target, write in zip(targets, writers, strict=True):
        if target == "-":
            with data_output() as file:
                write(report, file)
        elif target:
            _write_file(report, Path(target), write)


def _write_file(report: Report, path: Path, write: Callable[[Report, IO[str]], None]) -> None:
    from moss.report.atomic_files import whole_file

    with whole_file(path) as file:
        write(report, file)


def _annotate(report: Report) -> None:
    from moss.report.code_annotations import github_annotations

    with standard_output():
        for line in github_annotations(report, _address_of(report)):
            click.echo(line)


def _address_of(report: Report) -> FileAddress:
    """The address of files in annotations: relative to the folder that was compared, if it was one."""
    from moss.report.code_annotations import inside_submission

    paths = report.parameters.get("paths", ())
    folder = Path(paths[0]) if len(paths) == 1 else Path()

    def address(submission: str, path: str) -> str:
        place = folder / submission / path
        return place.as_posix() if place.is_file() else inside_submission(submission, path)

    return address


def _are_lone_files(report: Report) -> bool:
    """Whether most submissions are a file."""
    from moss.model import Role

    new = [record for record in report.submissions if record.role is Role.NEW]
    return 2 * sum(len(record.files) == 1 and record.id.endswith(record.files[0].path) for record in new) > len(new)


def _fails(report: Report, limit: float | None) -> bool:
    """Whether a pair reaches the score of `--fail-above`; prints how many do."""
    if limit is None:
        return False
    count = int((report.ranking.score >= limit).sum())
    if count:
        complain(
            ngettext(
                "%(num)s pair with a score of %(limit)s or more",
                "%(num)s pairs with a score of %(limit)s or more",
                count,
                limit=f"{limit:g}",
            )
        )
    return bool(count)


def _print_pairs(report: Report) -> None:
    """Print the best pairs as a table, and a sentence about the rest."""

    if not report.pairs:
        from moss.report.words.listed import no_pairs_in_words

        click.echo(no_pairs_in_words(report))
        return
    if report.imported:
        _print_imported(report)
        return
    from moss.report.words.references import fold_references

    listed = fold_references(report)
    shown = list(listed)[:_ROWS]
    called = _students_with_kinds(report)
    headings = (marked("rank"), marked("score"), marked("submission"), marked("share"), "submission ", "share ",
                marked("longest"), marked("others"))  # fmt: skip
    rows = [
        (
            str(rank),
            f"{p.score:.0%}",
            called[p.a],
            _share(p.share_a),
            called[p.b],
            _share(p.share_b),
            str(p.longest),
            f"{p.rarity:.0f}",
        )
        for rank, p in ((rank, report.pairs[rank - 1]) for rank in shown)
    ]
    print_table(headings, rows, right=("rank", "score", "share", "share ", "longest", "others"))
    click.echo()
    click.echo(_how_many(len(rows), len(report.ranking), counted(report.submissions, "submission")))
    click.echo(
        gettext("Longest: the longest passage, in tokens. Others: how many other students have the passages too.")
    )
    if any(listed[rank] for rank in shown):
        click.echo(gettext("Of a student’s pairs with several texts of one kind only the best is in the table."))


def _share(share: float) -> str:
    """The share of a submission in percent, with a dash where nothing that was found counts, as with comments alone."""
    return f"{share:.0%}" if share else "-"


def _students_with_kinds(report: Report) -> dict[str, str]:
    """The name of each submission, with its kind if it is a reference."""
    from moss.report.words.references import kind_in_words

    kinds = {record.id: record.kind for record in report.submissions}
    return {
        id: f"{name} ({kind_in_words(kind)})" if (kind := kinds.get(id)) else name
        for id, name in _students(report).items()
    }


def _how_many(shown: int, count: int, submissions: str) -> str:
    """A sentence about the pairs in the table, and all pairs that share anything."""
    if count > shown:
        pairs = counted(count, "pair")
        return gettext(
            "The first %(shown)s of %(pairs)s that share anything, among %(submissions)s.",
            shown=shown, pairs=pairs, submissions=submissions,
        )  # fmt: skip
    return ngettext(
        "Only %(num)s pair shares anything, among %(submissions)s.",
        "All %(num)s pairs that share anything, among %(submissions)s.",
        count,
        submissions=submissions,
    )


def _print_imported(report: Report) -> None:
    """Print the best pairs of another tool's result, with what that tool says of them only."""

    assert report.imported
    headings = ("rank", "score", "submission", "share", "submission ", "share ", marked("passages"))
    rows = [
        (str(rank), f"{p.score:.0%}", p.a, f"{p.share_a:.0%}", p.b, f"{p.share_b:.0%}", str(len(p.matches)))
        for rank, p in enumerate(report.pairs[:_ROWS], 1)
    ]
    print_table(headings, rows, right=("rank", "score", "share", "share ", "passages"))
    count = len(report.pairs)
    shown, pairs, tool = len(rows), counted(count, "pair"), report.imported.tool
    click.echo()
    if count > shown:
        click.echo(
            gettext("The first %(shown)s of %(pairs)s in a result of %(tool)s.", shown=shown, pairs=pairs, tool=tool)
        )
    else:
        click.echo(gettext("%(pairs)s in a result of %(tool)s.", pairs=pairs, tool=tool))
    click.echo(gettext("The score is %(meaning)s", meaning=report.imported.meaning))


def _students(report: Report) -> dict[str, str]:
    """The name of each submission in the table: its student, or its id if a student has several."""
    count = Counter(record.owner for record in report.submissions)
    return {record.id: record.owner if count[record.owner] == 1 else record.id for record in report.submissions}


def _shown(text: str) -> str:

    return printable(text)
