"""The secrets that sign messages to the webhooks of courses."""

from __future__ import annotations

import secrets

from sqlalchemy.orm import Session

from moss.store.tables import ServerValueRow


def webhook_secret_name(course_id: int) -> str:
    """The name under which the secret of a course's webhook is stored."""
    return f"webhook of course {course_id}"


def webhook_secret(session: Session, course_id: int) -> str:
    """The secret that signs messages to a course's webhook, made when first asked for."""
    name = webhook_secret_name(course_id)
    found = session.get(ServerValueRow, name)
    if found is None:
        found = ServerValueRow(name=name, value=secrets.token_hex(32))
        session.add(found)
        session.flush()
    return found.value
