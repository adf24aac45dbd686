"""The web app: pages for people, an API for programs."""

from moss.web.app import create_app

__all__ = ["create_app"]
