"""Names, options and messages that the commands of `moss corpus` share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from math import isnan
from pathlib import Path
from typing import IO, Any

import click

from moss.cli.options import Size
from moss.cli.output import complain, data_output, printable, private_files
from moss.messages import counted, gettext

ROWS = 25  # printed in the terminal; the files have them all


class Share(click.FloatRange):
    """A number between two others, which "nan" is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that the text says."""
        found: float = super().convert(value, param, ctx)
        if isnan(found):
            self.fail(gettext("%(value)r is not a number", value=value), param, ctx)
        return found


with_data = click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("moss-data"),
    envvar="MOSS_DATA",
    show_default=True,
    help="Data folder, for corpora with plain names.",
)
"""Where corpora are that are called by a plain name."""


link_option = click.option(
    "--resemblance",
    type=float,
    default=0.5,
    show_default=True,
    metavar="R",
    help="Lowest resemblance that links two documents.",
)
"""The resemblance from which documents belong together."""


def of_corpus(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for the argument and options of every command; files in a data folder become private."""

    @wraps(command)
    def private(name: str, **given: Any) -> Any:
        with nullcontext() if _is_place(name) else private_files():
            return command(name=name, **given)

    decorated: Callable[..., Any] = private
    for decorate in (
        click.option("--memory", type=Size(), default="2GB", show_default=True, help="Memory for sorting and joining."),
        with_data,
        click.argument("name"),
    ):
        decorated = decorate(decorated)
    return decorated


def with_engine(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for the options that choose the engine."""
    for decorate in (
        click.option(
            "--local",
            type=Size(),
            metavar="SIZE",
            help="With Spark: do on this machine what reads at most this much.  [default: an eighth of --memory]",
        ),
        click.option("--master", metavar="URL", help="Address of the Spark cluster: spark://host:7077, or local[2]."),
        click.option(
            "--engine",
            type=click.Choice(["duckdb", "spark"]),
            default="duckdb",
            show_default=True,
            help="Run in this process, or on a Spark cluster (needs the extra spark).",
        ),
    ):
        command = decorate(command)
    return command


def with_filter(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for the options that say which documents an answer may have; the command gets `only`."""

    @wraps(command)
    def filtered(host: str, tongue: str, least_words: int, most_words: int | None, **given: Any) -> Any:
        from moss.corpus.search.sites import DocumentFilter

        with one_sentence():
            only = DocumentFilter(host, tongue, least_words, most_words)
        return command(only=only, **given)

    decorated: Callable[..., Any] = filtered
    for decorate in (
        click.option("--most-words", type=click.IntRange(0), metavar="N", help="Only documents of at most N words."),
        click.option(
            "--least-words", type=click.IntRange(0), default=0, metavar="N", help="Only documents of at least N words."
        ),
        click.option("--language", "tongue", default="", metavar="CODE", help="Only documents in this language: en, …"),
        click.option("--host", default="", metavar="HOST", help="Only documents from this host or its subdomains."),
    ):
        decorated = decorate(decorated)
    return decorated


def listed(path: str) -> list[str]:
    """The lines of a file, or of standard input (-), without empty ones."""
    from moss.corpus.errors import CorpusError

    with click.open_file(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = [line.strip() for line in file]
    found = [line for line in lines if line]
    if not found:
        raise CorpusError(gettext("%(path)s is empty", path=path))
    return found


def checked_master(engine: str, master: str | None) -> str | None:
    """The address of the Spark cluster, checked; None without one."""
    if engine == "spark" and not master:
        raise click.UsageError(gettext("--engine spark needs --master, the cluster's address"))
    if engine != "spark" and master:
        raise click.UsageError(gettext("--master needs --engine spark"))
    return master


@contextmanager
def opened_cluster(name: str, engine: str, master: str | None, memory: int, local: int | None) -> Iterator[Any]:
    """The Spark cluster that was asked for, or None; the corpus of this name has to be where its machines see it."""
    checked = checked_master(engine, master)
    check_place(name, checked)
    if checked is None:
        yield None
        return
    from moss.corpus.engines.spark import spark_cluster

    with spark_cluster(checked, memory, local) as cluster:
        yield cluster


def check_place(name: str, master: str | None) -> None:
    """Refuse a corpus behind a URL where Spark is to work on it: its machines see folders."""
    if master and "://" in name:
        from moss.corpus.errors import CorpusError

        raise CorpusError(gettext("Spark needs the corpus in a folder that all its machines can read, not at a URL"))


def _is_place(name: str) -> bool:
    return "://" not in name and _is_path(name)


def _is_path(name: str) -> bool:
    return os.sep in name or name in (".", "..") or (Path(name) / "corpus.json").is_file()


def folder_of(name: str, data: Path, *, new: bool = False) -> Path:
    """The folder of a corpus: the mirror of a URL, brought up to date; the name as a path if it has a separator or
    exists here; else below the data folder. There has to be something, unless the corpus may be new."""
    if not name:
        from moss.corpus.errors import CorpusError

        raise CorpusError(gettext("the name of the corpus is empty"))
    from moss.corpus.places import check_scheme, is_url

    if is_url(check_scheme(name)):
        from moss.corpus.storage.mirror import pulled

        return pulled(name, data, new=new)
    from moss.corpus.storage.catalog import folder_in
    from moss.corpus.storage.manifest import check_there

    folder = Path(name) if _is_place(name) else folder_in(data, name)
    if folder.is_file():
        from moss.corpus.errors import CorpusError

        raise CorpusError(gettext("%(file)s is a file; a corpus is a folder", file=folder))
    if not new:
        check_there(folder, name)
    return folder


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn a user's mistake into one sentence and exit status 2, and an interruption into one with status 1."""
    from moss.corpus.errors import CorpusError
    from moss.intake import IntakeError
    from moss.report.atomic_files import OutputError

    try:
        yield
    except (CorpusError, IntakeError, OutputError) as error:
        complain(str(error))
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        click.echo(err=True)
        complain(gettext("interrupted; finished work is kept, and the same command continues from there"))
        raise SystemExit(1) from None
    except BrokenPipeError:
        raise  # the reader has seen enough; click ends quietly
    except OSError as error:
        complain(f"{error.filename or gettext('the corpus')}: {(error.strerror or str(error)).lower()}")
        raise SystemExit(2) from None


def passage_line(passage: Any, text: str) -> str:
    """A line about a passage of a text that a document of the corpus shares."""
    from moss.corpus.search.passages import excerpt

    here, there = passage.here, passage.there
    return "  " + gettext(
        "lines %(first)s–%(last)s ↔ %(their_first)s–%(their_last)s, %(tokens)s: %(text)s",
        first=here.start_line, last=here.end_line, their_first=there.start_line, their_last=there.end_line,
        tokens=counted(passage.tokens, "token"), text=printable(excerpt(text, here)),
    )  # fmt: skip


def write_json(plain: dict[str, Any], json_file: str | None) -> None:
    """Write plain data as JSON to a file, in one step, or to standard output."""
    import json

    from moss.report.atomic_files import whole_file

    if json_file == "-":
        with data_output() as file:
            json.dump(plain, file, ensure_ascii=False, indent=1)
            file.write("\n")
    elif json_file:
        with whole_file(Path(json_file)) as file:
            json.dump(plain, file, ensure_ascii=False, indent=1)


@contextmanager
def json_list(
    plain: dict[str, Any], name: str, json_file: str | None, **before: Iterable[Any]
) -> Iterator[Callable[[Any], None]]:
    """Write plain data as `write_json` does, with some lists, and one more to which the block adds one item after the
    other: they may be longer than memory holds."""
    import json

    from moss.report.atomic_files import whole_file

    if not json_file:
        yield lambda item: None
        return
    with data_output() if json_file == "-" else whole_file(Path(json_file)) as file:
        file.write(json.dumps(plain, ensure_ascii=False, indent=1)[:-2])
        for listed, items in before.items():
            with _json_items(file, listed) as add:
                for item in items:
                    add(item)
        with _json_items(file, name) as add:
            yield add
        file.write("\n}\n" if json_file == "-" else "\n}")


@contextmanager
def _json_items(file: IO[str], name: str) -> Iterator[Callable[[Any], None]]:
    """Write one more list of an object, to which the block adds items."""
    import json

    file.write(f",\n {json.dumps(name)}: [")
    written = 0

    def add(item: Any) -> None:
        nonlocal written
        text = json.dumps(item, ensure_ascii=False, indent=1).replace("\n", "\n  ")
        file.write(f"{',' if written else ''}\n  {text}")
        written += 1

    yield add
    file.write("\n ]" if written else "]")
