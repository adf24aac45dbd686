"""Files that come with the program besides its modules, and how more of the program is installed."""

from __future__ import annotations

from pathlib import Path

DISTRIBUTION = "moss-compare"  # the name on PyPI, where `moss` is another project
EXTRAS = {
    "documents": ("dulwich", "libarchive", "pdfminer", "py7zr", "zstandard"),
    "server": ("alembic", "flask", "itsdangerous", "sqlalchemy", "waitress", "werkzeug"),
    "postgres": ("psycopg",),
    "oidc": ("authlib", "requests"),
    "corpus": ("duckdb", "orjson"),
    "spark": ("pyspark", "py4j"),
    "crawl": ("py3langid", "resiliparse", "waitress", "zstandard"),
    "s3": ("s3fs", "fsspec"),
    "gcs": ("gcsfs",),
    "azure": ("adlfs",),
    "hdfs": ("pyarrow", "fsspec"),
}
"""For each extra, the modules that it brings."""

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """The path of a folder that comes with the program: inside an installed package, or beside it in a checkout."""
    return next(folder for folder in (_PACKAGE / name, _PACKAGE.parent / name) if folder.is_dir())


def extra_with(module: str) -> str | None:
    """The extra that brings a module; None if no extra does."""
    package = module.partition(".")[0]
    return next((extra for extra, packages in EXTRAS.items() if package in packages), None)


def how_to_install(extra: str) -> str:
    """The command that installs an extra."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
