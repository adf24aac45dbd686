"""`moss explain`: a file as it is compared, and how the score of a pair comes about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.options import class_options, corpora_among, given_choice
from moss.cli.output import complain, printable, standard_output
from moss.messages import counted, gettext, listed, marked, ngettext
from moss.messages import number as number_of

if TYPE_CHECKING:
    from moss.comparison.explain import ExplainedClass, ExplainedFile, ExplainedPair, ExplainedView, SharedTrace
    from moss.comparison.fingerprint_traces import Trace
    from moss.comparison.submission_choice import ChosenSubmissions, ClassInput
    from moss.model import Submission

_PATH = click.Path(path_type=Path)
_SETTINGS = ("language", "directory", "max_matches", "subdirectory", "encoding")
_LINES = 30  # of a file that are printed without --all,
_TRACES = 8  # and fingerprints of a view
_LONGEST = 100  # characters of a line, without --all
_GROUPS = (
    (1, 1, marked("shared with nobody: %(n)s")),
    (2, 2, marked("with one other: %(n)s")),
    (3, 8, marked("with 2 to 7 others: %(n)s")),
    (9, None, marked("with 8 or more: %(n)s")),
)


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("other", required=False, metavar="[OTHER]")
@click.option(
    "--in",
    "inside",
    multiple=True,
    type=_PATH,
    metavar="CLASS",
    help="The class that says what is rare: a folder, an archive or a file; repeatable.",
)
@class_options
@click.option(
    "-m",
    "--max-matches",
    type=int,
    metavar="N",
    help="Ignore passages shared by more than N students.  [default: as in moss compare]",
)
@click.option("--all", "everything", is_flag=True, help="Print all lines and all shared fingerprints.")
def explain(file: str, other: str | None, base: tuple[Path, ...], everything: bool, **options: Any) -> None:
    """Show how a file is compared, or how two files get their score.

    For FILE alone, it prints the language, the tokens line by line (as written, as compared, and in outline), and the
    number of fingerprints in each view. For FILE and OTHER, it prints what they share in each view, and every term of
    the score. A folder is one submission.

    With --in, FILE and OTHER are submissions of that class: their names, files in them, or other paths, which are then
    added to the class. All figures are the same as in `moss compare` with the same class and options.

    \b
        moss explain Ledger.java
        moss explain ada/Ledger.java emeka/Ledger.java
        moss explain --in hw1.zip -b starter/ ada emeka
        moss explain --in hw1/ -a last-year.zip ada 2024-zoe
        moss explain --in hw1/ ada/Ledger.java --all

    Exit status: 0 done, 2 no such file or submission, or wrong usage.
    """
    from frontends import UnknownLanguageError, by_name
    from moss.comparison.explain import ExplainedClass
    from moss.comparison.submission_choice import SubmissionChoiceError, choose_submissions
    from moss.corpus.errors import CorpusError
    from moss.intake import IntakeError
    from moss.report.atomic_files import OutputError
    from moss.settings import Settings, SettingsError

    names = [name for name in (file, other) if name is not None]
    try:
        if options["language"] != "auto":
            by_name(options["language"])
        settings = Settings(**{name: options[name] for name in _SETTINGS})
        chosen = choose_submissions(names, _class_input(options), base, settings)
        lines = _explained(ExplainedClass(chosen, settings), chosen, bool(options["inside"]), everything)
        with standard_output():
            for line in lines:
                click.echo(printable(line))
        for problem in chosen.problems:
            complain(f"{printable(problem.path)}: {printable(problem.reason)}")
    except (SubmissionChoiceError, IntakeError, OutputError, UnknownLanguageError, SettingsError, CorpusError) as error:
        complain(printable(str(error)))
        raise SystemExit(2) from None


def _class_input(options: Mapping[str, Any]) -> ClassInput:
    """The class that the options describe."""
    from moss.comparison.submission_choice import ClassInput

    corpora, archive = corpora_among(options["archive"])
    choice = given_choice(click.get_current_context(), options["inside"])
    every = options["versions"] == "all"
    archive = [*archive, *(path for _, path in options["reference"])]
    return ClassInput(options["inside"], archive, corpora, choice, options["layout"], every)


def _explained(class_: ExplainedClass, chosen: ChosenSubmissions, in_class: bool, everything: bool) -> Iterable[str]:
    if len(chosen.numbers) == 2:
        return _of_pair(class_.pair(*chosen.numbers), class_, everything)
    return _of_submission(class_, chosen.numbers[0], chosen.files[0], in_class, everything)


def _of_submission(
    class_: ExplainedClass, number: int, only: str | None, in_class: bool, everything: bool
) -> Iterable[str]:
    yield class_.submissions[number].id
    for file in class_.files(number, only):
        yield from _of_file(file, everything)
    yield ""
    yield gettext("Fingerprints of %(id)s, without starter code", id=class_.submissions[number].id)
    for bag in class_.bags(number):
        rarity = f"  {_rarity(bag.by_authors)}" if in_class else ""
        yield f"  {bag.view:<10}{bag.fingerprints:>7,}{rarity}"


def _of_file(file: ExplainedFile, everything: bool) -> Iterable[str]:
    yield ""
    reason = f" ({file.reason})" if file.reason else ""
    yield f"{file.path}: {file.language}, {counted(file.tokens, 'token')}{reason}"
    shown = file.lines if everything else file.lines[:_LINES]
    for line in shown:
        yield _cut(f"{line.number:>5}  {line.written}", everything)
        yield _cut(f"       = {line.compared}", everything)
        if line.outline:
            yield _cut(f"       ~ {line.outline}", everything)
    if len(shown) < len(file.lines):
        yield f"       {_rest(len(file.lines) - len(shown))}"
    yield "       " + gettext("= as it is compared; ~ its outline, in which _ is any operand")


def _rarity(by_authors: Mapping[int, int]) -> str:
    """A line with the number of fingerprints for each number of other owners."""
    told = []
    for least, most, sentence in _GROUPS:
        count = sum(n for authors, n in by_authors.items() if authors >= least and (most is None or authors <= most))
        told.append(gettext(sentence, n=number_of(count)))
    return ", ".join(told)


def _of_pair(pair: ExplainedPair, class_: ExplainedClass, everything: bool) -> Iterable[str]:
    proportion, amount = pair.reasons.proportion, pair.reasons.amount
    yield listed([pair.a.id, pair.b.id])
    submissions = counted(class_.submissions, "submission")
    yield ngettext(
        "in a class of %(submissions)s by %(num)s author; equal programs count as one author's",
        "in a class of %(submissions)s by %(num)s different authors; equal programs count as one author's",
        class_.authors,
        submissions=submissions,
    )
    yield ""
    yield gettext("view        shared S  possible g       x       y   n    part")
    for view in pair.views:
        terms = (
            f"{view.shared:>11,.1f} {view.g:>11,.1f} {view.x:>7.4f} {view.y:>7.4f} {view.times:>3} {view.part:>7.1%}"
        )
        yield f"{view.view:<10}{terms}"
    yield ""
    yield gettext("proportion  P = sqrt(sum n x^2 / sum n y^2) = %(value)s", value=f"{proportion:.4f}")
    yield gettext("amount      %(value)s tokens", value=f"{amount:,.1f}")
    shares = {"half": f"{pair.half:g}", "value": f"{amount / (amount + pair.half):.4f}"}
    yield gettext("            A = amount / (amount + %(half)s) = %(value)s", **shares)
    yield gettext("score       1 - (1 - P)(1 - A/2) = %(value)s", value=f"{pair.score:.6f}") + _place(pair)
    yield gettext("S and g are in tokens times bits of rarity; moss.engine.ranking.score documents the formula.")
    for view in pair.views:
        yield from _of_view(view, (pair.a, pair.b), everything)
    yield ""
    yield gettext("amount: what few others have, in tokens")
    yield from _of_traces([each for each in pair.rare if each.weight], (pair.a, pair.b), everything)


def _place(pair: ExplainedPair) -> str:
    if not pair.place:
        return gettext(": they share nothing")
    return gettext(", number %(place)s of the pairs that share anything", place=number_of(pair.place))


def _of_view(view: ExplainedView, sides: tuple[Submission, Submission], everything: bool) -> Iterable[str]:
    weighty = [each for each in view.traces if each.weight]
    common = len(view.traces) - len(weighty)
    yield ""
    told = {"view": view.view, "shared": number_of(len(weighty)), "common": number_of(common)}
    if common:
        yield gettext("%(view)s: %(shared)s shared fingerprints, and %(common)s that are too common to count", **told)
    else:
        yield gettext("%(view)s: %(shared)s shared fingerprints", **told)
    if weighty and not view.shared:
        yield "  " + gettext("not counted: letters are compared only for the pairs that rank best without them")
        return
    yield from _of_traces(weighty, sides, everything)


def _of_traces(traces: Sequence[SharedTrace], sides: Sequence[Submission], everything: bool) -> Iterable[str]:
    shown = traces if everything else traces[:_TRACES]
    for each in shown:
        yield from _of_trace(each, sides, everything)
    if len(shown) < len(traces):
        yield f"  {_rest(len(traces) - len(shown))}"


def _of_trace(each: SharedTrace, sides: Sequence[Submission], everything: bool) -> Iterable[str]:
    if each.times > 1:
        told = ngettext(
            "%(num)s has it, %(times)s times", "%(num)s have it, %(times)s times", each.authors, times=each.times
        )
    else:
        told = ngettext("%(num)s has it", "%(num)s have it", each.authors)
    yield f"  {each.weight:6.2f}  {told}"
    if not each.a.line and each.a.text == each.b.text:
        yield f"          {each.a.text!r}"
        return
    for found, side in zip((each.a, each.b), sides, strict=True):
        yield _cut(f"          {_where(found, side)}  {found.text}", everything)


def _where(found: Trace, side: Submission) -> str:
    path = f"{side.id}/{side.files[found.file].path}"
    return f"{path}:{found.line}" if found.line else path


def _rest(count: int) -> str:
    return gettext("%(n)s more (--all prints them)", n=number_of(count))


def _cut(line: str, everything: bool) -> str:
    return line if everything or len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
