"""Compression of answers, for clients that accept gzip."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import lru_cache

from flask import Response, request

from moss.report.packed_page import PackedPage

_FEWEST = 500  # bytes: less fits into one packet as it is
_LEVEL = 4
_PLAIN = ("text/", "application/json", "application/javascript", "application/manifest+json", "image/svg+xml")
"""The kinds of content that are not compressed already."""


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, _LEVEL, mtime=0)


_packed_file = lru_cache(maxsize=64)(_packed)  # style sheets and scripts, which are few and always the same


def accepts_gzip() -> bool:
    """Whether the client of this request accepts gzip."""
    return "gzip" in request.headers.get("Accept-Encoding", "") and request.accept_encodings["gzip"] > 0


def send_page(page: PackedPage, contents: Mapping[str, str], kind: str = "text/html") -> Response:
    """A stored page with its slots filled, compressed if the client accepts that."""
    if not accepts_gzip():
        return Response(page.filled(contents), mimetype=kind)
    return Response(page.gzipped(contents), mimetype=kind, headers={"Content-Encoding": "gzip"})


def compress(response: Response) -> Response:
    """Compress an answer if that helps and the client accepts it, and say that answers differ by what is accepted."""
    if not (response.mimetype or "").startswith(_PLAIN):
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers or (response.is_streamed and not response.direct_passthrough):
        return response
    if not accepts_gzip() or response.status_code in (204, 206, 304) or (response.content_length or _FEWEST) < _FEWEST:
        return response
    is_file, response.direct_passthrough = response.direct_passthrough, False
    content = response.get_data()
    if len(content) < _FEWEST:
        return response
    response.set_data(_packed_file(content) if is_file else _packed(content))
    response.headers["Content-Encoding"] = "gzip"
    response.headers.pop("Accept-Ranges", None)
    tag, weak = response.get_etag()
    if tag is not None and not weak:  # the same content in other bytes
        response.set_etag(tag, weak=True)
    return response
