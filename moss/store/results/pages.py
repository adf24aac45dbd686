"""Rendered pages of reports, compressed in pieces (`moss.report.packed_page`)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from moss.report.packed_page import PackedPage
from moss.store.tables import RenderedPageRow

_PAGE = select(RenderedPageRow.packed).where(
    RenderedPageRow.run_id == bindparam("run"),
    RenderedPageRow.name == bindparam("name"),
    RenderedPageRow.made_with == bindparam("made_with"),
)


def save_pages(session: Session, run_id: int, made_with: str, pages: Mapping[str, PackedPage]) -> None:
    """Store pages, in place of older ones with the same names."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id, RenderedPageRow.name.in_(pages)))
    session.add_all(
        RenderedPageRow(run_id=run_id, name=name, made_with=made_with, packed=page.to_bytes())
        for name, page in pages.items()
    )


def read_page(session: Session, run_id: int, name: str, made_with: str) -> PackedPage | None:
    """A page, if it is stored and was made with these templates."""
    packed = session.scalar(_PAGE, {"run": run_id, "name": name, "made_with": made_with})
    return PackedPage.from_bytes(packed) if packed is not None else None


def delete_pages(session: Session, run_id: int) -> None:
    """Delete all pages of a run."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id))
