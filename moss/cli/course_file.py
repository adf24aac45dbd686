"""A course's settings in a file: `moss compare --config moss.toml`, for a repository that a whole course shares.

The table `compare` has the long names of options, and `paths`. Paths are meant from the file's folder; what is typed
on the command line counts more.

    [compare]
    paths = ["submissions"]
    base = ["starter"]
    language = "java"
    fail-above = 0.8
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from moss.messages import gettext

_TABLE = "compare"
_PATHS = ("paths", "base", "archive", "output")


def config_option(command: Any) -> Any:
    """Give a command the option `--config`."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_use,
        metavar="FILE",
        help="Read options from the table [compare] of a TOML file, by their long names.",
    )(command)


def _use(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    """Make the file's values the defaults of the options."""
    if path is None:
        return
    values = _read(path)
    known = {_spelling(each): each for each in ctx.command.params}
    for name in values:
        if name not in known:
            raise click.UsageError(
                gettext(
                    "%(path)s: unknown setting %(name)r; the settings are %(known)s",
                    path=path,
                    name=name,
                    known=", ".join(sorted(known)),
                ),
                ctx,
            )
    given = {name: _from_folder(value, path.parent) if name in _PATHS else value for name, value in values.items()}
    if "reference" in given:
        given["reference"] = [(kind, _from_folder(place, path.parent)) for kind, place in _kinds(given["reference"])]
    ctx.default_map = {known[name].name or name: _fitting(known[name], value) for name, value in given.items()}


def _read(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get(_TABLE)
    except OSError as error:
        raise click.UsageError(
            gettext("%(path)s cannot be read: %(reason)s", path=path, reason=error.strerror)
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise click.UsageError(gettext("%(path)s is not a TOML file: %(error)s", path=path, error=error)) from None
    if not isinstance(table, dict):
        raise click.UsageError(gettext("%(path)s has no table [%(table)s]", path=path, table=_TABLE))
    return table


def _spelling(parameter: click.Parameter) -> str:
    """The name of a parameter in the file: `max-file-size` for `--max-file-size`."""
    return max(parameter.opts, key=len).removeprefix("--")


def _fitting(parameter: click.Parameter, value: Any) -> Any:
    """A value as click expects it from a command line: several as a list, one as a text."""
    several = isinstance(parameter, click.Argument) or parameter.multiple
    if parameter.nargs > 1:
        return value
    if several:
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    if isinstance(value, dict | list):
        raise click.UsageError(
            gettext(
                "%(setting)s must be a single value in the settings file, not %(value)r",
                setting=_spelling(parameter),
                value=value,
            )
        )
    return value if isinstance(value, bool) else str(value)


def _kinds(value: Any) -> list[tuple[str, str]]:
    """The kinds and paths of references."""
    pairs = value if isinstance(value, list) else [value]
    if not all(isinstance(each, list) and [type(part) for part in each] == [str, str] for each in pairs):
        raise click.UsageError(f'reference must be a list such as [["chatbot", "answers"]], not {value!r}')
    return [(kind, place) for kind, place in pairs]


def _from_folder(value: Any, folder: Path) -> Any:
    """Paths as seen from here; a corpus is named, not found in a folder."""
    if isinstance(value, list):
        return [_from_folder(each, folder) for each in value]
    return value if not isinstance(value, str) or value.startswith("corpus:") else str(folder / value)
