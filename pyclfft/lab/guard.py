"""The guard of the lab: one ASGI layer that decides which requests reach the page.

A server on 127.0.0.1 is open to every program and every user of the machine, and to every page in
the browser. The guard lets in the browser that was given the link, and nobody else:

- Host names this machine, so that no foreign name which resolves to 127.0.0.1 can be used.
- An Origin, where there is one, equals Host, so that no page of another site can send requests. A
  websocket has to send an Origin, because browsers let every page open one.
- The link's token is exchanged once for a cookie. Without the cookie every path is forbidden.
- The bytes of a request are counted while they arrive.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

MAX_BODY_BYTES = 256 * 2**20
TOKEN_BYTES = 16  # 128 random bits
TOKEN = "token"  # the parameter in the link's query

_HOST = re.compile(rb"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)

# NiceGUI compiles its templates in the browser, which is what 'unsafe-eval' is for. Nothing is
# loaded from elsewhere.
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# The headers of every answer; they replace those of the same names that the page itself sends.
HEADERS: dict[bytes, bytes] = {
    b"content-security-policy": _POLICY.encode(),
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}

# What the answers say. They repeat nothing of the request.
_WRONG_HOST = "The lab answers only to 127.0.0.1, localhost and [::1]."
_WRONG_ORIGIN = "The lab answers only to its own page."
_NO_COOKIE = (
    "This browser has no key to the lab. Open the link that pyclfft lab has printed. The link "
    "works once: if it has been used, end pyclfft lab with Ctrl-C and start it again."
)
_NO_TOKEN = "A websocket brings no token."
_NO_LENGTH = "The length of the request is no number."
_TOO_LARGE = "The upload has more than {} bytes, which is the limit of the lab."
_ENTER = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>pyclfft lab</title>'
    '<meta http-equiv="refresh" content="0;url={start}"></head>'
    '<body><p><a href="{start}">Go to the lab</a></p></body></html>'
)


class Guard:
    """An ASGI application around another one, which sees only what may come in.

    Parameters
    ----------
    app : callable
        The ASGI application inside.
    port : int
        The port of the server, by which the cookie is named: browsers send cookies to all ports.
    start : str, optional
        The path of the page to which the link leads.
    max_body_bytes : int, optional
        The greatest number of bytes that a request may send.

    Attributes
    ----------
    token : str
        128 random bits, for the link. The first request with it gets the cookie; afterwards the
        token is worth nothing.
    cookie_name : str
        The name of the cookie.
    """

    def __init__(
        self, app: App, port: int, *, start: str = "/", max_body_bytes: int = MAX_BODY_BYTES
    ) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.cookie_name = f"pyclfft-lab-{port}"
        self._app = app
        self._enter = _ENTER.format(start=start).encode("ascii")
        self._key = secrets.token_urlsafe(2 * TOKEN_BYTES)
        self._is_token_used = False
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application inside answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] in ("http", "websocket"):
            await self._judge(scope, receive, send)

    async def _judge(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the rules in turn; what passes all of them goes inside."""
        tokens = _query(scope).get(TOKEN, [])
        if tokens:  # neither the application inside nor a server's log ever sees a token
            scope["query_string"] = b""
        is_socket = scope["type"] == "websocket"
        hosts, origins = (_values(scope["headers"], name) for name in (b"host", b"origin"))
        if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
            await _refuse(scope, receive, send, HTTPStatus.FORBIDDEN, _WRONG_HOST)
        elif (
            len(origins) > 1
            or (is_socket and not origins)
            or (origins and not _is_same(origins[0], hosts[0]))
        ):
            await _refuse(scope, receive, send, HTTPStatus.FORBIDDEN, _WRONG_ORIGIN)
        elif self._spends(tokens, scope):
            await _answer(
                send, HTTPStatus.OK, b"text/html; charset=utf-8", self._enter, self._cookie()
            )
        elif not self._has_cookie(scope):
            await _refuse(scope, receive, send, HTTPStatus.FORBIDDEN, _NO_COOKIE)
        elif tokens and is_socket:
            await _refuse(scope, receive, send, HTTPStatus.FORBIDDEN, _NO_TOKEN)
        elif tokens:
            await _answer(send, HTTPStatus.SEE_OTHER, b"text/plain", b"", [(b"location", b"/")])
        elif is_socket:
            await self._app(scope, receive, send)
        else:
            await self._let_in(scope, receive, send)

    # --- the token and the cookie -----------------------------------------------------------------

    def _spends(self, tokens: list[str], scope: Scope) -> bool:
        """Return whether a request for the page brings the token, and is the first that does.

        The answer is a page that leads on to the lab, not a redirection: a browser that has
        followed a link from another site would not send a strict cookie after a redirection.
        """
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/":
            return False
        if len(tokens) != 1 or self._is_token_used or not _is_equal(tokens[0], self.token):
            return False
        self._is_token_used = True
        return True

    def _cookie(self) -> Headers:
        value = f"{self.cookie_name}={self._key}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"set-cookie", value.encode("ascii"))]

    def _has_cookie(self, scope: Scope) -> bool:
        found = False
        for header in _values(scope["headers"], b"cookie"):
            for part in header.split(b";"):
                name, _, value = part.strip().partition(b"=")
                if name == self.cookie_name.encode("ascii"):
                    found |= _is_equal(value, self._key)
        return found

    # --- the bytes of a request -------------------------------------------------------------------

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer a request, whose bytes are counted while they arrive."""
        too_large = _TOO_LARGE.format(self._max_body_bytes)
        for length in _values(scope["headers"], b"content-length"):
            if not length.isdigit():
                await _refuse(scope, receive, send, HTTPStatus.BAD_REQUEST, _NO_LENGTH)
                return
            if int(length) > self._max_body_bytes:
                await _refuse(scope, receive, send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, too_large)
                return
        received, has_begun, is_gone = 0, False, False

        async def count() -> Message:
            nonlocal received, is_gone
            if received > self._max_body_bytes:
                return {"type": "http.disconnect"}
            message = await receive()
            received += len(message.get("body", b""))
            is_gone |= message["type"] == "http.disconnect"
            # The application inside is told that nobody is there any more, so that it gives up.
            return message if received <= self._max_body_bytes else {"type": "http.disconnect"}

        async def reply(message: Message) -> None:
            nonlocal has_begun
            if received > self._max_body_bytes and not has_begun:
                return
            if message["type"] == "http.response.start":
                has_begun = True
                message = {**message, "headers": with_headers(message.get("headers", ()))}
            await send(message)

        try:
            await self._app(scope, count, reply)
        except Exception:
            if received <= self._max_body_bytes and not is_gone:
                raise  # otherwise nobody is there to whom an answer was owed
        if received > self._max_body_bytes and not has_begun:
            await _refuse(scope, receive, send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, too_large)


def with_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return an answer's headers with the guard's, which replace those of the same names."""
    others = [(name, value) for name, value in headers if name.lower() not in HEADERS]
    return [*others, *HEADERS.items()]


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [bytes(value) for each, value in headers if each.lower() == name]


def _query(scope: Scope) -> dict[str, list[str]]:
    query = scope.get("query_string", b"").decode("latin-1")
    return parse_qs(query, keep_blank_values=True)


def _is_equal(given: str | bytes, known: str) -> bool:
    """Compare in a time that does not tell how much of the text is right."""
    text = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
    return hmac.compare_digest(text, known.encode("ascii"))


def _is_same(origin: bytes, host: bytes) -> bool:
    """Return whether an Origin names the Host, by either scheme: a tunnel may speak https."""
    return origin.lower() in (b"http://" + host.lower(), b"https://" + host.lower())


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: HTTPStatus, words: str
) -> None:
    """Answer a request, or the request to open a websocket, with an error."""
    prefix = "http"
    if scope["type"] == "websocket":
        await receive()  # the request to connect
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1008})  # the server answers 403
            return
        prefix = "websocket.http"
    body = words.encode("ascii") + b"\n"
    await _answer(send, status, b"text/plain; charset=utf-8", body, prefix=prefix)


async def _answer(
    send: Send,
    status: HTTPStatus,
    content_type: bytes,
    body: bytes,
    more: Iterable[tuple[bytes, bytes]] = (),
    *,
    prefix: str = "http",
) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode("ascii")),
        (b"cache-control", b"no-store"),
        *more,
    ]
    start = {"type": f"{prefix}.response.start", "status": int(status)}
    await send({**start, "headers": with_headers(headers)})
    await send({"type": f"{prefix}.response.body", "body": body})
