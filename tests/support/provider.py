"""Identity providers for tests: a real one, and one whose answers are whatever a test wants."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey


@contextmanager
def real_provider() -> Iterator[str]:
    """The address of a provider that lets anybody in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports what its maker calls old
        from oidc_provider_mock import run_server_in_thread
    with run_server_in_thread(require_nonce=True) as running:
        yield f"http://localhost:{running.server_port}"


@dataclass
class Forger:
    """A provider that may lie."""

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)  # what the next token says, beside or instead of the truth
    calls_itself: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, parameters={"kid": "1"}))
    signs_with: RSAKey | None = None

    def metadata(self) -> dict[str, Any]:
        """The provider's metadata."""
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        told = {name: f"{self.issuer}/{path}" for name, path in places.items()}
        return told | {"issuer": self.calls_itself or self.issuer, "id_token_signing_alg_values_supported": ["RS256"]}

    def token(self) -> dict[str, Any]:
        """The answer to a code."""
        usual = {"iss": self.issuer, "sub": "1", "aud": "moss", "iat": int(time.time()), "exp": int(time.time()) + 60}
        claims = {name: value for name, value in (usual | self.claims).items() if value is not None}
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.signs_with or self.key)
        return {"access_token": "x", "token_type": "Bearer", "id_token": signed}

    def answer(self, path: str) -> Any:
        """The answer at a path."""
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        return self.token() if path == "/token" else self.metadata()


@contextmanager
def forging() -> Iterator[Forger]:
    """A provider that may lie, on loopback."""
    forger = Forger()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(forger.answer(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, *told: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        forger.issuer = f"http://127.0.0.1:{running.server_port}"
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield forger
        finally:
            running.shutdown()
            thread.join()
