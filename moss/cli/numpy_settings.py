"""Settings of numpy that it reads from the environment when it is imported, so they have to be made before.

On AMD processors of the fourth Zen generation, numpy sorts five times as fast without the widest vectors: one of their
instructions, which sorting is made of, is carried out in small steps there (numpy/x86-simd-sort, issue 6). Everything
else is about as fast without them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import MutableMapping
from pathlib import Path

_FEATURES = "NPY_DISABLE_CPU_FEATURES"
_PROCESSOR = Path("/proc/cpuinfo")
_ZEN_4 = ("AuthenticAMD", "25")  # Zen 3 has the same family, but no wide vectors


def prepare_numpy(environment: MutableMapping[str, str], processor: Path = _PROCESSOR) -> None:
    """Make these settings, unless the user has made others."""
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")  # or numpy starts threads, for matrices; here are none
    if _FEATURES not in environment and _sorts_slowly(processor) and (name := _wide_vectors(sys.path)):
        environment[_FEATURES] = name


def _sorts_slowly(processor: Path) -> bool:
    """Whether it is a processor with wide vectors that are slow to sort with."""
    try:
        with processor.open(encoding="utf-8", errors="replace") as file:
            lines = (line.partition(":") for line in file.read(8192).splitlines())
    except OSError:
        return False
    said: dict[str, str] = {}
    for name, _, value in lines:
        said.setdefault(name.strip(), value.strip())
    kind = said.get("vendor_id"), said.get("cpu family")
    return kind == _ZEN_4 and "avx512f" in said.get("flags", "").split()


def _wide_vectors(places: list[str]) -> str:
    """The name by which the installed numpy knows the widest vectors; empty if it may not work without them, because
    it was built for one machine: packages that are built for all bring their libraries along."""
    for place in places:
        if os.path.isdir(os.path.join(place, "numpy")):
            names = os.listdir(place) if os.path.isdir(os.path.join(place, "numpy.libs")) else []
            found = [match for name in names if (match := re.match(r"numpy-(\d+)\.(\d+)", name))]
            return "" if not found else "X86_V4" if (int(found[0][1]), int(found[0][2])) >= (2, 4) else "AVX512_SKX"
    return ""
