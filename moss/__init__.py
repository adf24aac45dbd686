"""moss finds copied passages in a class's programs and texts, and shows them side by side.

    import moss
    report = moss.compare(["submissions"], base=["starter"])

docs/api.md has the rest. What is not needed is not imported: `import moss` by itself costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moss.version import __version__

if TYPE_CHECKING:
    from moss.comparison import NothingToCompareError, compare
    from moss.intake import IntakeError, Limits
    from moss.settings import Settings, SettingsError

__all__ = [
    "IntakeError",
    "Limits",
    "NothingToCompareError",
    "Settings",
    "SettingsError",
    "__version__",
    "compare",
]

_HOME = {
    "compare": "moss.comparison",
    "NothingToCompareError": "moss.comparison",
    "IntakeError": "moss.intake",
    "Limits": "moss.intake",
    "Settings": "moss.settings",
    "SettingsError": "moss.settings",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'moss' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
