"""Agents: which browser it is, in words, by what it says of itself."""

from __future__ import annotations

_BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "FxiOS": "Firefox", "Chrome/": "Chrome",
             "CriOS": "Chrome", "Chromium": "Chromium", "Safari/": "Safari", "curl": "curl"}  # fmt: skip
_SYSTEMS = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "CrOS": "ChromeOS",
            "Mac OS X": "macOS", "Linux": "Linux"}  # fmt: skip


def describe(agent: str) -> str:
    """A browser in words, as `Firefox on Linux`; browsers name their ancestors too, so the order matters."""
    browser = next((name for sign, name in _BROWSERS.items() if sign in agent), "")
    system = next((name for sign, name in _SYSTEMS.items() if sign in agent), "")
    return " on ".join(filter(None, (browser, system))) or "A browser"
