"""Our scanners find what Pygments finds, on code that neither was written for."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from support.differential import COMPARISONS, Outcome, compare
from support.real_code import real_code

AGREEMENT = 0.999


@pytest.mark.parametrize("language", COMPARISONS)
def test_agrees_with_pygments(language: str) -> None:
    how = COMPARISONS[language]
    read = [path.read_text(encoding="utf-8", errors="replace") for path in real_code(language)]
    texts = [text for text in read if not (how.misled and re.search(how.misled, text))]
    outcomes = [compare(how, text) for text in texts]
    both = Counter(kind for outcome in outcomes for kind, _, _ in outcome.both)
    alone = Counter(kind for outcome in outcomes for kind, _, _ in outcome.ours | outcome.theirs)
    assert both.total() > 20_000
    assert both.total() / (both.total() + alone.total()) >= AGREEMENT, examples(texts, outcomes)
    for kind in ("word", "number", "string", "comment"):
        assert both[kind] > 50, kind
        assert alone[kind] / both[kind] < 0.01, kind
    disputed = sum((outcome.keywords for outcome in outcomes), Counter[str]())
    assert disputed.total() / both["word"] <= 1 - AGREEMENT, disputed.most_common(10)


def examples(texts: list[str], outcomes: list[Outcome]) -> list[tuple[str, str]]:
    """Some tokens that only one side found, to begin the search for the reason with."""
    return [
        (kind, text[start:end][:60])
        for text, outcome in zip(texts, outcomes, strict=True)
        for kind, start, end in sorted(outcome.ours | outcome.theirs)
    ][:20]
