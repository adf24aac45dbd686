"""Folders, archives, platform exports and notebooks become submissions.

Nothing is written to disk, nothing handed in can stop a run, and nothing disappears: each file ends up in a
submission or, with a reason, among the problems.
"""

from moss.intake.collect import Download, Intake, collect, newest_versions, only_below
from moss.intake.limits import AS_USUAL, Choice, IntakeError, Limits, Rule, Watch
from moss.intake.platforms import AUTO, LAYOUTS

__all__ = [
    "AS_USUAL", "AUTO", "LAYOUTS", "Choice", "Download", "Intake", "IntakeError", "Limits", "Rule", "Watch", "collect",
    "newest_versions", "only_below",
]  # fmt: skip
