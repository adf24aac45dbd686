"""Thue–Morse words: two that differ in every letter, and have equal polynomials modulo 2^64 whatever the base is."""

from __future__ import annotations

from typing import TypeVar

Letter = TypeVar("Letter")

LENGTH = 1024
"""The polynomials of two such words of 2^m letters differ by a product of m factors 1 - B^(2^i). For an odd base each
is divisible by a higher power of 2 than the one before. For ours ten of them have 65 factors 2; a hash has 64 bits."""


def twins(zero: Letter, one: Letter) -> tuple[list[Letter], list[Letter]]:
    """Two sequences; where one has `zero` the other has `one`."""
    odd = [bool(number.bit_count() % 2) for number in range(LENGTH)]
    return [one if bit else zero for bit in odd], [zero if bit else one for bit in odd]


def twin_words(zero: str, one: str) -> tuple[str, str]:
    """Two words; where one has the letter `zero` the other has `one`."""
    a, b = twins(zero, one)
    return "".join(a), "".join(b)
