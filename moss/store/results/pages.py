"""Rendered pages of reports, compressed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.store.tables import RenderedPageRow


def save_pages(session: Session, run_id: int, made_with: str, pages: Mapping[str, str]) -> None:
    """Store pages, in place of older ones with the same names."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id, RenderedPageRow.name.in_(pages)))
    session.add_all(
        RenderedPageRow(run_id=run_id, name=name, made_with=made_with, packed=zlib.compress(text.encode(), 6))
        for name, text in pages.items()
    )


def read_page(session: Session, run_id: int, name: str, made_with: str) -> str | None:
    """A page, if it is stored and was made with these templates."""
    query = select(RenderedPageRow.packed).filter_by(run_id=run_id, name=name, made_with=made_with)
    packed = session.scalar(query)
    return zlib.decompress(packed).decode() if packed is not None else None


def delete_pages(session: Session, run_id: int) -> None:
    """Delete all pages of a run."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id))
