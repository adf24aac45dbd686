"""Front ends: values that describe one language each and hold its function from text to token streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moss.model import Channel, Tokens


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Three lengths in tokens: nothing shorter than `noise` is noticed, every equal run of `guarantee` tokens is found,
    and a passage is shown if it has at least `passage` equal tokens, small gaps bridged."""

    noise: int
    guarantee: int
    passage: int

    def __post_init__(self) -> None:
        if not 1 <= self.noise <= self.guarantee:
            raise ValueError("the noise threshold must be at least 1 and at most the guarantee threshold")

    @property
    def promised(self) -> int:
        """How long a shared run is that is shown whole, on one side."""
        return max(self.guarantee, self.passage)

    @property
    def window(self) -> int:
        """The winnowing window: how many k-grams an equal run of `guarantee` tokens has."""
        return self.guarantee - self.noise + 1


CODE = Thresholds(12, 16, 12)  # structure: about two statements
WORDS = Thresholds(6, 9, 12)  # the words of any file, code and prose alike, so that they can be compared
PROSE = Thresholds(3, 4, 8)  # prose by itself: a revised sentence keeps short phrases only


@dataclass(frozen=True, slots=True)
class Frontend:
    """One language or format: its names, the endings of its files, and the function that makes tokens of them."""

    name: str
    scan: Callable[[str], Tokens]
    scanner: str  # how it is scanned, for `moss languages`
    endings: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    channel: Channel = Channel.STRUCTURE  # the one that its figures are counted in; prose has only the text
    thresholds: Thresholds = CODE  # in that channel
    colours: str = ""  # the Pygments lexer that colours it on a page, if no scanner of ours can
    isolated: bool = False  # its scanner may hang or crash on hostile input: run it where it can be killed
    markup: bool = False  # its structure is only how a document is set; the content is in its words
