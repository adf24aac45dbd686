"""Settings: everything that a user can choose about a comparison, validated once."""

from __future__ import annotations

from dataclasses import dataclass, field

from moss.intake import Limits
from moss.messages import gettext


class SettingsError(ValueError):
    """An impossible setting; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to compare. The field names are the names of the command line's options."""

    language: str = "auto"  # a front end for all files, or `auto`: by each file's ending
    directory: bool = False  # files in one directory are one submission
    subdirectory: str = ""  # the folder of each submission that is read from paths; all of it, if empty
    encoding: str = ""  # tried first for each file that is read from paths; if empty, it is recognised
    max_matches: int | None = None  # a passage in more submissions than this is common; None: by the class's size
    show: int = 250  # pairs to align and show
    threshold: float = 0.0  # pairs with a lower score are ranked, but not shown
    comment: str = ""
    noise: int | None = None  # thresholds in tokens; None: each language's own
    guarantee: int | None = None
    cluster: float | None = None  # pairs with at least this score form clusters; None: those far above the ordinary
    anonymize: bool = False
    quotations: bool = True  # of essays are compared, and their lists of references
    jobs: int | None = None  # processes; None: all cores
    memory: int | None = None  # bytes, an eighth of which may hold scanned files; the rest of these goes to a file
    deadline: float = 10.0  # seconds of computing for a submission's untrusted files, and again for each megabyte
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        least_of = {"max_matches": 2, "show": 0, "noise": 2, "guarantee": 2, "jobs": 1, "memory": 1}
        for name, least in least_of.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise SettingsError(
                    gettext(
                        "%(name)s must be at least %(least)s, not %(value)s",
                        name=name.replace("_", "-"),
                        least=least,
                        value=value,
                    )
                )
        if self.noise is not None and self.guarantee is not None and self.guarantee < self.noise:
            raise SettingsError(
                gettext(
                    "guarantee (%(guarantee)s) must be at least noise (%(noise)s): shorter passages than noise are "
                    "never shown",
                    guarantee=self.guarantee,
                    noise=self.noise,
                )
            )
        for name in ("cluster", "threshold"):
            score = getattr(self, name)
            if score is not None and not 0 <= score <= 1:
                raise SettingsError(gettext("%(name)s must be between 0 and 1, not %(score)s", name=name, score=score))
        if self.encoding:
            _check_encoding(self.encoding)
        if not 0 < self.deadline < float("inf"):
            raise SettingsError(
                gettext("deadline must be more than 0 seconds, not %(deadline)s", deadline=self.deadline)
            )


def _check_encoding(name: str) -> None:
    try:
        b"?".decode(name)
    except (LookupError, ValueError):
        raise SettingsError(
            gettext(
                "unknown encoding %(name)r; use utf-8, cp1252, shift_jis or another one that Python knows", name=name
            )
        ) from None


def default_max_matches(submissions: int) -> int:
    """The number of submissions that may share a passage before it counts as common, unless the user sets one.

    Weighting by rarity already makes material that everyone has count for nothing, and a sharp limit would hide many
    copies of one source (docs/decisions.md has the figures), so up to a thousand submissions there is no limit.
    Beyond that it shrinks, so that the work of counting pairs stays proportional to the size.
    """
    return submissions if submissions <= 1000 else max(10, 1_000_000 // submissions)
