"""Settings of the whole suite."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine must not fail a law, and what fails in CI must fail again at home.
settings.register_profile("moss", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("moss")
