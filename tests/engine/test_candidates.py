"""What much of a class shares is summed up by multiplying matrices, and the calling thread does it alone."""

import os
import subprocess
import sys
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from moss.engine.ranking.candidates import shared_weights


class Lists(NamedTuple):
    first: np.ndarray
    documents: np.ndarray
    sizes: np.ndarray


def many_lists(documents, lists):
    """Lists that about half of the documents are in, and their weights."""
    random = np.random.default_rng(documents * lists)
    members = [np.flatnonzero(random.random(documents) < 0.5) for _ in range(lists)]
    sizes = np.array([len(each) for each in members])
    found = Lists(np.append(0, np.cumsum(sizes)), np.concatenate(members).astype(np.int32), sizes)
    return found, random.integers(1, 1 << 23, lists)


@pytest.mark.parametrize(("documents", "lists"), [(70, 3), (97, 256), (160, 600)])
def test_the_sums_of_many_lists_of_many_documents(documents, lists):
    found, weights = many_lists(documents, lists)
    has = np.zeros((documents, lists), np.int64)
    has[found.documents, np.repeat(np.arange(lists), found.sizes)] = 1
    expected = {
        (a, b): total for a, b in combinations(range(documents), 2) if (total := int((has[a] * has[b] * weights).sum()))
    }
    pairs = shared_weights(found, weights, documents)
    assert (
        dict(zip(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True), pairs.values.tolist(), strict=True)) == expected
    )


PROGRAM = """
import sys, time
sys.path.append(sys.argv[1])
from test_candidates import many_lists
from moss.engine.ranking.candidates import shared_weights
lists, weights = many_lists(600, 1500)
whole, mine = time.process_time(), time.thread_time()
for _ in range(3):
    shared_weights(lists, weights, 600)
print(time.process_time() - whole, time.thread_time() - mine)
"""


@pytest.mark.skipif(len(getattr(os, "sched_getaffinity", lambda pid: [0])(0)) < 2, reason="one core starts no threads")
def test_no_other_thread_of_a_program_that_imports_moss_computes_for_it():
    surroundings = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", PROGRAM, os.path.dirname(__file__)]
    printed = subprocess.run(command, env=surroundings, check=True, capture_output=True, text=True).stdout
    whole, mine = map(float, printed.split())
    assert whole < 1.2 * mine, "threads of the library for matrices took as much again"
