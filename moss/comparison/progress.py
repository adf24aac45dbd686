"""Progress: what whoever waits is told."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told the stage, how much of it is done, and how much there is in all (0: not known)."""
