"""Headers: what browsers may do with our pages, which is as little as possible."""

from __future__ import annotations

from flask import Response

from moss.web.request.context import parts, visitor

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def add_headers(response: Response) -> Response:
    """Add the headers that every answer has."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers["X-Content-Type-Options"] = "nosniff"
    headers.setdefault("X-Frame-Options", "DENY")
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    headers["X-Robots-Tag"] = "noindex"
    if parts().config.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if "Cache-Control" not in headers:
        headers["Cache-Control"] = "no-store" if visitor() else "no-cache"
    return response
