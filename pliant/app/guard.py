"""Lets in who has the token, comes from the page itself, and calls the server by a name nobody can forge.

The token is the first folder of every address, so the browser holds nothing that a foreign page could make it send.
"""

import ipaddress
import re
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SOCKET = "live"  # the one address of a WebSocket
READS = ("GET", "HEAD")  # what changes nothing, and may come from an address bar
CALLED = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?")  # a host, and a port; it enters the policy
REFUSED_CODE = 1008  # WebSocket: policy violation


class Guard:
    """ASGI middleware: refuses, or takes the token off the path and passes on with security headers."""

    def __init__(self, app: ASGIApp, token: str, names: Iterable[str] = ()):
        self._app, self._token, self._names = app, token.encode(), {"localhost", *names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        token, slash, rest = scope["path"].removeprefix("/").partition("/")
        known = self._knows(headers.get("host", "")) and secrets.compare_digest(token.encode(), self._token)
        acts = scope["type"] == "websocket" or scope["method"] not in READS
        allowed = _same_origin(headers) and (scope["type"] != "websocket" or rest == SOCKET)
        if not known or (acts and not allowed):
            await _refuse(scope, receive, send)
        elif not slash:
            await RedirectResponse(f"/{token}/")(scope, receive, send)
        else:
            inner = {**scope, "path": f"/{rest}", "root_path": "", "raw_path": f"/{rest}".encode()}
            await self._app(inner, receive, _with_headers(send, headers.get("host", "")))

    def _knows(self, host: str) -> bool:
        """A name that a foreign site resolves to this machine is not known; numbers cannot be rebound."""
        if not CALLED.fullmatch(host):
            return False
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True


def _same_origin(headers: Headers) -> bool:
    """A page of this server, and nothing else, may open the WebSocket or send something."""
    host = headers.get("host", "")
    return headers.get("origin", "") in (f"http://{host}", f"https://{host}")


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """403 and nothing else; a WebSocket that is closed before it opens gets the same from the server."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": REFUSED_CODE})
        return
    await send({"type": "http.response.start", "status": 403, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def _with_headers(send: Send, host: str) -> Send:
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        f"connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    extra = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-cache",
    }

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in extra.items():
                headers[name] = value
        await send(message)

    return wrapped
