"""Standard output that may be full or closed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def standard_output() -> Iterator[IO[str]]:
    """Standard output, written to the end; what cannot be written is one sentence for the user, as for any file."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has seen enough; click ends quietly
    except OSError as error:
        from moss.report.files import OutputError

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains once more about the rest at its end
        raise OutputError(f"cannot write to standard output: {(error.strerror or str(error)).lower()}") from error
