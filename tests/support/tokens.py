"""Programs that use the API of a server under test."""

from __future__ import annotations

from types import SimpleNamespace

from moss.store.accounts.credentials import digest
from moss.store.tables import ApiTokenRow


def programs(server, person="instructor"):
    """A client for the API in the name of this person: requests with a token, answers as data."""
    secret = f"moss_{person}"
    with server.store.session() as session:
        session.add(ApiTokenRow(user_id=server.id_of(person), name="test", digest=digest(secret)))
    client = server.app.test_client()

    def ask(method, path, expected=None, **options):
        options.setdefault("headers", {"Authorization": f"Bearer {secret}"})
        answer = client.open(f"/api/v1{path}", method=method, **options)
        assert expected is None or answer.status_code == expected, answer.text
        return SimpleNamespace(status=answer.status_code, data=answer.get_json(silent=True), text=answer.text)

    return ask
