"""What several of these tests need, and what to say when it is not there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest

PATIENT = 300_000  # milliseconds: a machine that is busy with other tests takes its time
DESK = {"width": 1280, "height": 800}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


def lacking(what: str) -> None:
    """Skip at home, fail in CI: there nothing may be skipped for want of a tool."""
    if os.environ.get("CI"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what, allow_module_level=True)


def needed(module: str, package: str) -> ModuleType:
    """A module that a test needs."""
    try:
        return import_module(module)
    except ImportError:
        lacking(f"{package} is missing: pip install {package}")
        raise


def wait_until(page, true: Callable[[], bool]) -> None:
    """Wait for something; the pages' own policy forbids what playwright would evaluate in them to wait."""
    end = time.monotonic() + PATIENT / 1000
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        page.wait_for_timeout(20)


def address(page) -> str:
    """The address that a page shows. The browser tells its own name for it (`page.url`) a moment later."""
    return str(page.evaluate("location.href"))
