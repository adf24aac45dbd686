"""Files that come with the program besides its modules, and how more of the program is installed."""

from __future__ import annotations

from pathlib import Path

DISTRIBUTION = "moss-compare"  # the name to install it by; what is called moss on PyPI is another project
EXTRAS = {
    "documents": ("dulwich", "libarchive", "pdfminer", "py7zr", "zstandard"),
    "server": ("alembic", "flask", "itsdangerous", "sqlalchemy", "waitress", "werkzeug"),
    "postgres": ("psycopg",),
    "oidc": ("authlib", "requests"),
    "corpus": ("duckdb",),
    "spark": ("pyspark", "py4j"),
}
"""The extras, with the modules that are not there without them."""

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """A folder that comes with the program: in an installed package it is inside, in a checkout beside it."""
    return next(folder for folder in (_PACKAGE / name, _PACKAGE.parent / name) if folder.is_dir())


def extra_with(module: str) -> str | None:
    """The extra that brings a module, if one does."""
    package = module.partition(".")[0]
    return next((extra for extra, packages in EXTRAS.items() if package in packages), None)


def how_to_install(extra: str) -> str:
    """The command that installs an extra."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
