"""Options that commands share: what a class is, which files of it are read and how, and sizes as people write them.

`--include` and `--exclude` add to the rules of `.mossignore` files. Earlier work may be a corpus, as `corpus:NAME`.
The other options of a command are in its own module, such as `moss.cli.compare`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moss.messages import gettext

if TYPE_CHECKING:
    from moss.corpus.search.archive import CorpusArchive
    from moss.intake import Choice, Rule
    from moss.model import ReferenceKind

Command = TypeVar("Command", bound=Callable[..., Any])

_TYPED_RULES = "moss.cli.options"
IGNORE_FILE = ".mossignore"
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?)i?B?", re.IGNORECASE)
_CORPUS = "corpus:"
_URL = re.compile(r"^([a-z0-9]+):/(?!/)")  # of which a path has lost a slash

jobs_option = click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes.  [default: all cores]"
)
quiet_option = click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)


class _InOrder(click.Option):
    """An option that can be given several times and remembers its place among others of this kind."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Have the parser record each value in order: click itself keeps the order only within one option."""
        super().add_to_parser(parser, ctx)
        (name,) = self.opts
        option = parser._long_opt[name]
        usual = option.process

        def process(value: Any, state: Any) -> None:
            ctx.meta.setdefault(_TYPED_RULES, []).append((value, name == "--include"))
            usual(value, state)

        option.process = process


def class_options(command: Command) -> Command:
    """Give a command the options that say what a class is: language, starter code, earlier work, files, layout,
    versions, folder and encoding."""
    path = click.Path(path_type=Path)
    options = (
        click.option(
            "-l",
            "--language",
            default="auto",
            show_default=True,
            help="Language of all files; auto goes by each file's extension.",
        ),
        click.option(
            "-b",
            "--base",
            multiple=True,
            type=path,
            metavar="PATH",
            help="Starter code to ignore, a file or folder; repeatable.",
        ),
        click.option(
            "-a",
            "--archive",
            multiple=True,
            type=path,
            metavar="PATH",
            help="Earlier work to compare with, or corpus:NAME; repeatable.",
        ),
        click.option(
            "--reference",
            multiple=True,
            type=(KindName(), path),
            metavar="KIND PATH",
            help="Like --archive, and says what it is: earlier (work), model (solution), task (statement), book (or "
            "published solution) or chatbot (answers); repeatable.",
        ),
        file_choice_options,
        layout_option,
        click.option("-d", "--directory", is_flag=True, help="Treat the files of each directory as one submission."),
        click.option(
            "--versions",
            type=click.Choice(["newest", "all"]),
            default="newest",
            show_default=True,
            help="Versions of a student's work to compare, if a platform keeps several; they are never a pair.",
        ),
        click.option("--subdirectory", default="", metavar="NAME", help="Only read this folder of each submission."),
        click.option(
            "--encoding", default="", metavar="NAME", help="Encoding to try first for each file.  [default: detected]"
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def file_choice_options(command: Command) -> Command:
    """Give a command both options."""
    exclude = click.option(
        "--exclude", cls=_InOrder, multiple=True, metavar="GLOB", help="Files or folders to exclude; repeatable."
    )
    include = click.option(
        "--include",
        cls=_InOrder,
        multiple=True,
        metavar="GLOB",
        help="Files or folders to read even if they are usually ignored, such as node_modules; the last match wins.",
    )
    return include(exclude(command))


def layout_option(command: Command) -> Command:
    """Give a command the option `--layout`."""
    text = "The platform the download comes from, if it isn't recognised; none if each folder or file is a submission."
    return click.option("--layout", type=LayoutName(), default="auto", show_default=True, help=text)(command)


class KindName(click.ParamType["ReferenceKind"]):
    """The name of a kind of reference; which there are is looked up when one is given."""

    name = "kind"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ReferenceKind:
        """The kind of this name; a name that is none is wrong usage, in one sentence."""
        from moss.model import ReferenceKind

        if value not in list(ReferenceKind):
            self.fail(f"there is no kind {value!r} of reference; there are {', '.join(ReferenceKind)}", param, ctx)
        return ReferenceKind(value)


class LayoutName(click.ParamType[str]):
    """The name of a platform's way to name things; which there are is looked up when one is given."""

    name = "layout"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The placeholder for the value in a page of help."""
        return "NAME"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a platform."""
        from moss.intake import LAYOUTS

        if value != "auto" and value not in LAYOUTS:
            self.fail(
                gettext("unknown layout %(name)r; the layouts are %(layouts)s", name=value, layouts=", ".join(LAYOUTS)),
                param,
                ctx,
            )
        return value


def given_choice(ctx: click.Context, paths: Sequence[Path] = ()) -> Choice:
    """The rules of `.mossignore` files, here and in the given folders, followed by the rules typed, in order."""
    from moss.intake import Choice, Rule

    files = dict.fromkeys(path / IGNORE_FILE for path in (Path(), *paths))
    typed = (Rule(glob, include) for glob, include in ctx.meta.get(_TYPED_RULES, []))
    return Choice((*_rules_in(files), *typed))


def _rules_in(files: Iterable[Path]) -> Iterator[Rule]:
    """The rules in these files, as far as they exist: a glob on each line excludes, and includes after `!`."""
    from moss.intake import Rule

    for file in files:
        try:
            lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(gettext("%(file)s cannot be read: %(error)s", file=file, error=error)) from None
        for line in map(str.strip, lines):
            if line and not line.startswith("#"):
                yield Rule(line.removeprefix("!").strip("/"), line.startswith("!"))


def listed_paths(file: str | None) -> list[Path]:
    """The paths in a list, one on each line, or between NULs as `find -print0` writes them."""
    if file is None:
        return []
    try:
        with click.open_file(file, "rb") as source:
            content = source.read()
    except OSError as error:
        raise click.UsageError(
            gettext("%(file)s cannot be read: %(reason)s", file=file, reason=error.strerror)
        ) from None
    names = content.split(b"\0") if b"\0" in content else content.splitlines()
    return [Path(os.fsdecode(name)) for name in names if name.strip()]


class Size(click.ParamType[int]):
    """A number of bytes."""

    name = "size"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes that the text says."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(value.strip())
        if not match:
            self.fail(
                gettext("%(value)r is not a size; write 500KB, 16MB or 2GB, for example", value=value), param, ctx
            )
        return int(float(match[1]) * _UNITS[match[2].upper()])


def corpora_among(paths: Sequence[Path]) -> tuple[list[CorpusArchive], list[Path]]:
    """Split paths into corpora, written corpus:NAME or as the path of one, and all others."""
    if not paths:
        return [], []
    from moss.cli.corpus.options import folder_of
    from moss.corpus.storage.manifest import exists

    corpora: list[Path | str] = []  # names and folders
    others: list[Path] = []
    for path in paths:
        if str(path).startswith(_CORPUS):
            corpora.append(_URL.sub(r"\1://", str(path).removeprefix(_CORPUS)))
        elif exists(path) and (path / "segments").is_dir():
            corpora.append(path)
        else:
            others.append(path)
    if not corpora:
        return [], others
    # This takes a while to import, and fails where corpora cannot be read, whatever their names are.
    from moss.corpus.search.archive import CorpusArchive

    data = Path(os.environ.get("MOSS_DATA") or "moss-data")
    folders = [folder_of(corpus, data) if isinstance(corpus, str) else corpus for corpus in corpora]
    return [CorpusArchive(folder, str(folder)) for folder in folders], others
