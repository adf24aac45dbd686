"""Commands that do not start, and what they say."""

from __future__ import annotations

import os

from click.testing import CliRunner

from moss.cli import main


def refusal(*arguments: str, **environment: str) -> tuple[int, str]:
    """The status and the last words of a command that refuses, with no settings in its environment but these."""
    cleared = dict.fromkeys(name for name in os.environ if name.startswith("MOSS_"))
    done = CliRunner().invoke(main, arguments, env=cleared | environment)
    assert isinstance(done.exception, SystemExit)  # any other would be a traceback
    return done.exit_code, done.stderr.strip().splitlines()[-1]
