"""Names of clusters that last: a cluster is named by its first document, which stays the first while others come.

When two clusters become one, the name of the older stays. Only when its first document is removed, or when another
threshold joins it with an older one, is a cluster called otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # without those that are taken for others
_LENGTH = 12  # of 5 bits each: a billion clusters have names of their own


def cluster_name(key: int) -> str:
    """The name of the cluster whose first document has this key.

    >>> cluster_name(0), cluster_name(-1)
    ('000000000000', 'zzzzzzzzzzzz')
    """
    return "".join(_LETTERS[key >> 5 * place & 31] for place in range(_LENGTH))


def cluster_names(labels: NDArray[np.int64], keys: NDArray[np.int64]) -> Sequence[str]:
    """The names of clusters, by the documents that they are labelled with; `keys` are those of all documents."""
    return [cluster_name(key) for key in keys[labels].tolist()]
