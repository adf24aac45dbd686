"""Habits from other tools: commands and options that users of MOSS, JPlag, Dolos, compare50 and copydetect type first.

Where we can do what was meant, we do it: options without a command are those of `moss compare`, and `run` is another
name for it. Where the spelling differs, one sentence says ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from moss.messages import gettext, marked

COMPARE = "compare"
ALIASES = {"run": COMPARE}  # Dolos
_OF_THE_GROUP = frozenset({"-h", "--help", "--version"})


class ForeignOption(NamedTuple):
    """An option of another tool, and how to say it here."""

    spellings: tuple[str, ...]
    tool: str
    ours: str


FOREIGN_OPTIONS = (
    ForeignOption(("-bc", "--base-code"), "JPlag", marked("-b PATH names starter code")),
    ForeignOption(("-new", "--new"), "JPlag", marked("name new submissions as PATH, without an option")),
    ForeignOption(("-old", "--old"), "JPlag", marked("-a PATH names earlier work")),
    ForeignOption(
        ("-r", "--result-file"), "JPlag", marked("-o DIR writes the report, --json FILE writes it for programs")
    ),
    ForeignOption(
        ("-r", "--ref-dirs"),
        "copydetect",
        marked("-a PATH names earlier work, which is only compared with new submissions"),
    ),
    ForeignOption(("-t", "--min-tokens"), "JPlag", marked("--noise K is the shortest passage to show, in tokens")),
    ForeignOption(("-t", "--test-dirs"), "copydetect", marked("name the folders as PATH, without an option")),
    ForeignOption(
        ("-p", "--suffixes"), "JPlag", marked("--exclude '*' --include '*.java' reads files by their extensions")
    ),
    ForeignOption(("-p", "--passes"), "compare50", marked("every comparison looks at structure and words")),
    ForeignOption(("-s",), "JPlag", marked("--subdirectory NAME reads one folder of each submission")),
    ForeignOption(("--exclusion-file",), "JPlag", marked("--exclude GLOB, or a .mossignore file, excludes files")),
    ForeignOption(("--similarity-threshold",), "JPlag", marked("--threshold SCORE sets the lowest score to show")),
    ForeignOption(("--shown-comparisons",), "JPlag", marked("-n N is the number of pairs to show")),
    ForeignOption(("--mode", "-M", "--cluster-skip"), "JPlag", marked("moss has no such option")),
    ForeignOption(
        ("-f", "--output-format"), "Dolos", marked("-o DIR writes pages, --csv FILE a table; the rest is printed")
    ),
    ForeignOption(("--output-destination",), "Dolos", marked("-o DIR names the folder of the report")),
    ForeignOption(("-i", "--ignore"), "Dolos", marked("-b PATH names starter code")),
    ForeignOption(("-M", "--max-fingerprint-percentage"), "Dolos", marked("-m N counts students, not percent")),
    ForeignOption(
        ("--max-fingerprint-count",), "Dolos", marked("-m N ignores passages shared by more than N students")
    ),
    ForeignOption(("-k", "--kgram-length"), "Dolos", marked("--noise K is the shortest passage to show, in tokens")),
    ForeignOption(
        ("-w", "--kgrams-in-window"), "Dolos", marked("--guarantee T is the length in tokens that is always found")
    ),
    ForeignOption(("-L", "--limit-results"), "Dolos", marked("-n N is the number of pairs to show")),
    ForeignOption(("--sort-by", "--fragment-sort-by"), "Dolos", marked("pairs are sorted by score")),
    ForeignOption(
        ("-e", "--extensions"), "copydetect", marked("-l LANGUAGE, or --include and --exclude, choose files")
    ),
    ForeignOption(("--boilerplate-dirs",), "copydetect", marked("-b PATH names starter code")),
    ForeignOption(
        ("-g", "--guarantee-thresh"), "copydetect", marked("--guarantee T is the length in tokens that is always found")
    ),
    ForeignOption(("--noise-thresh",), "copydetect", marked("--noise K is the shortest passage to show, in tokens")),
    ForeignOption(("--display-thresh",), "copydetect", marked("--threshold SCORE sets the lowest score to show")),
    ForeignOption(("-O", "--out-file"), "copydetect", marked("-o DIR writes the report as a folder of pages")),
    ForeignOption(("-A", "--autoopen"), "copydetect", marked("--open opens the report once it is written")),
    ForeignOption(("--distro",), "compare50", marked("-b PATH names starter code")),
)


def with_command(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The arguments with the command that was meant, if none was named.

    >>> with_command(["-l", "java", "A.java"], ["compare"])
    ['compare', '-l', 'java', 'A.java']
    >>> with_command(["languages"], ["languages"])
    ['languages']
    """
    if not arguments or arguments[0] in _OF_THE_GROUP or arguments[0] in commands:
        return list(arguments)
    if arguments[0] in ALIASES:
        return [ALIASES[arguments[0]], *arguments[1:]]
    means_compare = arguments[0].startswith("-") or Path(arguments[0]).exists()
    return [COMPARE, *arguments] if means_compare else list(arguments)


def note_on_classes(paths: Sequence[Path]) -> str:
    """The sentence for somebody who named each student's folder or archive, as one does with compare50, so that each
    file in it was taken for a submission; empty if they do not lie side by side in one folder."""
    if len(paths) < 2 or len({path.parent for path in paths}) > 1 or not all(map(_is_class, paths)):
        return ""
    return gettext(
        "each of these %(n)s paths was read as a class, in which each file or folder is a submission; if each path "
        "is one submission, name the folder they are in: moss compare %(folder)s",
        n=len(paths), folder=paths[0].parent,
    )  # fmt: skip


def _is_class(path: Path) -> bool:
    """Whether submissions are sought in it: it is a folder, or by its name an archive."""
    from moss.intake.names import without_archive_suffix

    return path.is_dir() or without_archive_suffix(path.name) != path.name


def hint(option: str) -> str:
    """How to say here what an option says elsewhere; empty if no other tool has it.

    >>> hint("-bc")
    'JPlag: -b PATH names starter code'
    """
    return "; ".join(f"{each.tool}: {gettext(each.ours)}" for each in FOREIGN_OPTIONS if option in each.spellings)


class FamiliarCommand(click.Command):
    """A command that answers an option of another tool with our spelling of it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, or say how to write what another tool writes differently."""
        self._refuse_clusters(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            told = hint(error.option_name)
            if not told:
                raise
            raise click.UsageError(
                gettext("there is no option %(option)s here. %(hint)s", option=error.option_name, hint=told),
                ctx,
            ) from None

    def _refuse_clusters(self, args: Sequence[str]) -> None:
        """Refuse `-bc` and the like, which would otherwise be read as `-b c`."""
        for argument in args:
            if argument == "--":
                return
            if argument.startswith("-") and not argument.startswith("--") and len(argument) > 2 and hint(argument):
                raise click.UsageError(
                    gettext("there is no option %(option)s here. %(hint)s", option=argument, hint=hint(argument))
                )
