"""Each rule of the guard, by raw bytes over a socket, around an application that notes who came."""

from __future__ import annotations

import base64
import logging
import os
import socket
import threading
import time

import pytest

uvicorn = pytest.importorskip("uvicorn", reason="the lab needs nicegui")

from pyclfft.lab.guard import Guard  # noqa: E402 (below the skip)
from pyclfft.lab.server import listen, settings  # noqa: E402

LIMIT = 1000
FORBIDDEN = 403


class Inside:
    """What the guard guards: it notes what reaches it, and reads every request to its end."""

    def __init__(self):
        self.seen = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        self.seen.append((scope["type"], scope["path"], scope["query_string"]))
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "text": "come in"})
            await send({"type": "websocket.close"})
            return
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.seen.append("gone")
                raise ConnectionError("the upload ended early")
            size, more = size + len(message.get("body", b"")), message.get("more_body", False)
        headers = [(b"content-type", b"text/plain"), (b"referrer-policy", b"unsafe-url")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"inside %d" % size})


class Server:
    """A guarded application on a port of this machine, in a thread."""

    def __init__(self):
        self.socket = listen(0)
        self.port = self.socket.getsockname()[1]
        self.renew()
        self.server = uvicorn.Server(settings(self.enter_guard, "debug"))
        run = self.server.run
        self.thread = threading.Thread(target=run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def renew(self):
        """Set up a guard that nobody has passed."""
        self.inside = Inside()
        self.guard = Guard(self.inside, self.port, max_body_bytes=LIMIT)

    async def enter_guard(self, scope, receive, send):
        await self.guard(scope, receive, send)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(10)
        self.socket.close()

    def send(self, lines, body=b"", until=None):
        """Send the lines of a request as they are; return status, headers and body of the answer.

        The answer ends where the server closes the connection, or with the bytes `until`.
        """
        request = "\r\n".join([*lines, "", ""]).encode("latin-1") + body
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as raw:
            raw.sendall(request)
            answer = b""
            while not (until and until in answer) and (part := raw.recv(65536)):
                answer += part
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *fields = head.decode("latin-1").split("\r\n")
        headers = [(n.lower(), v.strip()) for n, _, v in (each.partition(":") for each in fields)]
        return int(first.split()[1]), headers, rest

    def get(self, path="/", *more, host=None, method="GET", body=b"", until=None):
        host = f"127.0.0.1:{self.port}" if host is None else host
        hosts = [f"Host: {host}"] if host else []
        return self.send(
            [f"{method} {path} HTTP/1.1", *hosts, "Connection: close", *more], body, until
        )

    def enter(self):
        """Spend the token; return the header with the cookie."""
        status, headers, _ = self.get(f"/?token={self.guard.token}")
        assert status == 200
        return "Cookie: " + dict(headers)["set-cookie"].partition(";")[0]

    def open_socket(self, *more, path="/_nicegui_ws/socket.io/?EIO=4&transport=websocket"):
        key = base64.b64encode(os.urandom(16)).decode()
        return self.get(
            path,
            "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13", *more, until=b"come in",
        )  # fmt: skip


@pytest.fixture(scope="module")
def running():
    result = Server()
    yield result
    result.stop()


@pytest.fixture
def server(running):
    running.renew()
    return running


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(server):
    status, headers, body = server.get(f"/?token={server.guard.token}")
    assert status == 200
    name, *attributes = dict(headers)["set-cookie"].split("; ")
    assert name.startswith(f"pyclfft-lab-{server.port}=")
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert dict(headers)["cache-control"] == "no-store"
    assert b'content="0;url=/"' in body
    assert server.guard.token not in repr(headers) + body.decode()
    assert server.inside.seen == []


def test_the_link_leads_to_a_page(server):
    server.guard = Guard(server.inside, server.port, start="/sound")
    assert b'content="0;url=/sound"' in server.get(f"/?token={server.guard.token}")[2]


def test_the_cookie_opens_every_path(server):
    cookie = server.enter()
    for path in ("/", "/_nicegui/static/a.js", "/tab/1/result"):
        assert server.get(path, cookie)[::2] == (200, b"8\r\ninside 0\r\n0\r\n\r\n")
        assert server.inside.seen.pop() == ("http", path, b"")


def test_the_token_has_128_random_bits(server):
    others = {Guard(server.inside, 1).token for _ in range(100)}
    assert len(others) == 100
    for token in others:
        assert len(base64.urlsafe_b64decode(token + "==")) == 16


def test_the_token_works_once(server):
    server.enter()
    assert server.get(f"/?token={server.guard.token}")[0] == FORBIDDEN
    assert server.inside.seen == []


@pytest.mark.parametrize("path", ["/", "/_nicegui/static/a.js", "/favicon.ico", "/tab/1/save", "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "PUT"])
def test_without_the_cookie_every_path_is_forbidden(server, path, method):
    assert server.get(path, method=method)[0] == FORBIDDEN
    assert server.inside.seen == []


@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "token=wrong",
        "token=%ff%00",
        "token={t}x",
        "token={t}&token={t}",
        "TOKEN={t}",
        "{t}",
    ],
)
def test_a_wrong_token_is_forbidden(server, query):
    path = "/?" + query.format(t=server.guard.token)
    status, headers, _ = server.get(path)
    assert status == FORBIDDEN
    assert "set-cookie" not in dict(headers)
    assert server.enter()  # and spends nothing


@pytest.mark.parametrize("method", ["HEAD", "POST", "OPTIONS"])
def test_only_a_get_of_the_page_spends_the_token(server, method):
    assert server.get(f"/?token={server.guard.token}", method=method)[0] == FORBIDDEN
    assert server.get(f"/other?token={server.guard.token}")[0] == FORBIDDEN
    assert server.open_socket(f"Origin: http://127.0.0.1:{server.port}")[0] == FORBIDDEN
    assert server.enter()


@pytest.mark.parametrize(
    "cookie",
    ["pyclfft-lab-{port}=", "pyclfft-lab-{port}=wrong", "pyclfft-lab-1={key}", "{key}",
     "pyclfft-lab-{port}={key}x", "pyclfft-lab-{port}=\xff", "pyclfft-lab-{port}={token}"],
)  # fmt: skip
def test_a_wrong_cookie_is_forbidden(server, cookie):
    key = server.enter().partition("=")[2]
    text = cookie.format(port=server.port, key=key, token=server.guard.token)
    assert server.get("/", f"Cookie: {text}")[0] == FORBIDDEN
    assert server.inside.seen == []


def test_the_cookie_is_found_among_others(server):
    name, _, value = server.enter().partition(" ")
    assert server.get("/", f"{name} a=b; {value}; c=d")[0] == 200
    assert server.get("/", f"{name} pyclfft-lab-{server.port}=old; {value}")[0] == 200


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST:1", "127.0.0.1:65535", "[::1]:8080"]
)
def test_hosts_of_this_machine_come_in(server, host):
    assert server.get("/", server.enter(), host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["example.com", "127.0.0.1.example.com", "localhost.example.com", "127.0.0.2", "0.0.0.0",
     "example.com:80", "localhost:", "localhost:x", "user@localhost", "::1", "[::1", "127.1",
     "127.0.0.1:123456", "localhost, example.com", "2130706433"],
)  # fmt: skip
def test_other_hosts_are_forbidden(server, host):
    assert server.get("/", server.enter(), host=host)[0] == FORBIDDEN
    assert server.get(f"/?token={server.guard.token}", host=host)[0] == FORBIDDEN
    assert server.inside.seen == []


def test_a_foreign_host_does_not_spend_the_token(server):
    assert server.get(f"/?token={server.guard.token}", host="example.com")[0] == FORBIDDEN
    assert server.enter()


def test_a_request_has_one_host(server):
    cookie, host = server.enter(), f"Host: 127.0.0.1:{server.port}"
    lines = ["GET / HTTP/1.0", cookie]
    assert server.send(lines)[0] == FORBIDDEN
    assert server.send([*lines, host])[0] == 200
    assert server.send([*lines, host, "Host: example.com"])[0] in (400, FORBIDDEN)
    assert server.send([*lines, "Host: example.com", host])[0] in (400, FORBIDDEN)
    assert len(server.inside.seen) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_own_origin_comes_in(server, method):
    cookie = server.enter()
    for host in (f"127.0.0.1:{server.port}", "localhost:99"):
        assert server.get("/", cookie, f"Origin: http://{host}", host=host, method=method)[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://example.com", "http://127.0.0.1", "http://localhost:{port}", "http://127.0.0.1:1",
     "null", "",
     "127.0.0.1:{port}", "file://", "ftp://127.0.0.1:{port}", "http://127.0.0.1:{port}/",
     "http://127.0.0.1:{port}.example.com"],
)  # fmt: skip
def test_other_origins_are_forbidden(server, origin):
    cookie, header = server.enter(), f"Origin: {origin.format(port=server.port)}"
    for method in ("GET", "POST"):
        assert server.get("/", cookie, header, method=method)[0] == FORBIDDEN
    assert server.open_socket(cookie, header)[0] == FORBIDDEN
    assert server.inside.seen == []


def test_two_origins_are_forbidden(server):
    own = f"Origin: http://127.0.0.1:{server.port}"
    cookie = server.enter()
    assert server.get("/", cookie, own, "Origin: http://example.com")[0] == FORBIDDEN
    assert server.open_socket(cookie, own, own)[0] in (400, FORBIDDEN)
    assert server.inside.seen == []


def test_a_websocket_comes_in_with_cookie_and_origin(server):
    status, _, frames = server.open_socket(
        server.enter(), f"Origin: http://127.0.0.1:{server.port}"
    )
    assert status == 101
    assert b"come in" in frames


def test_a_websocket_without_origin_is_forbidden(server):
    assert server.open_socket(server.enter())[0] == FORBIDDEN
    assert server.inside.seen == []


def test_a_websocket_without_the_cookie_is_forbidden(server):
    origin = f"Origin: http://127.0.0.1:{server.port}"
    assert server.open_socket(origin)[0] == FORBIDDEN
    assert server.open_socket(origin, f"Cookie: pyclfft-lab-{server.port}=wrong")[0] == FORBIDDEN
    assert server.inside.seen == []


def test_a_websocket_to_a_foreign_host_is_forbidden(server):
    cookie, key = server.enter(), base64.b64encode(os.urandom(16)).decode()
    status, *_ = server.get(
        "/", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13", cookie, "Origin: http://example.com", host="example.com",
    )  # fmt: skip
    assert status == FORBIDDEN
    assert server.inside.seen == []


def answers(server):
    """One answer of each kind: of the guard, to a websocket, and of the application inside."""
    yield server.get("/")
    yield server.get("/", host="example.com")
    yield server.open_socket()
    yield server.get(f"/?token={server.guard.token}x")
    cookie = server.enter()
    yield server.get("/", cookie)
    yield server.get("/?token=x", cookie)
    yield server.get("/", cookie, f"Content-Length: {LIMIT + 1}", method="POST")


def test_every_answer_has_the_headers(server):
    statuses = []
    for status, headers, _ in answers(server):
        statuses.append(status)
        for name, value in {
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        }.items():
            assert [v for n, v in headers if n == name] == [value], (status, name)
        (policy,) = (v for n, v in headers if n == "content-security-policy")
        assert {"frame-ancestors 'none'", "connect-src 'self'"} <= set(policy.split("; "))
        assert "http:" not in policy
    assert statuses == [403, 403, 403, 403, 200, 303, 413]


def test_a_token_never_goes_inside(server):
    cookie = server.enter()
    status, headers, _ = server.get(f"/page?a=b&token={server.guard.token}", cookie)
    assert (status, dict(headers)["location"]) == (303, "/")
    assert server.inside.seen == []


def test_a_websocket_brings_no_token(server):
    cookie, origin = server.enter(), f"Origin: http://127.0.0.1:{server.port}"
    assert server.open_socket(cookie, origin, path="/?token=x")[0] == FORBIDDEN
    assert server.inside.seen == []


def test_bytes_up_to_the_limit_come_in(server):
    cookie, body = server.enter(), bytes(LIMIT)
    status, _, answer = server.get(
        "/", cookie, f"Content-Length: {LIMIT}", method="POST", body=body
    )
    assert status == 200
    assert b"inside %d" % LIMIT in answer


def test_an_upload_that_says_it_is_too_long_is_refused_before_it_arrives(server):
    cookie = server.enter()
    status, _, answer = server.get("/", cookie, f"Content-Length: {LIMIT + 1}", method="POST")
    assert status == 413
    assert f"more than {LIMIT} bytes" in answer.decode()
    assert server.inside.seen == []


def test_an_upload_of_unknown_length_is_counted_while_it_arrives(server):
    cookie = server.enter()
    chunks = b"".join(b"64\r\n" + bytes(100) + b"\r\n" for _ in range(LIMIT // 100)) + b"0\r\n\r\n"
    chunked = "Transfer-Encoding: chunked"
    status, _, answer = server.get("/", cookie, chunked, method="POST", body=chunks)
    assert (status, b"inside %d" % LIMIT in answer) == (200, True)
    endless = b"1\r\n\0\r\n" + chunks[:-5]  # no last chunk: more could follow for ever
    status, _, answer = server.get("/", cookie, chunked, method="POST", body=endless)
    assert status == 413
    assert server.inside.seen[-1] == "gone"
    assert server.get("/", cookie)[0] == 200  # the server stays up


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "9" * 30])
def test_a_length_that_is_no_number_is_refused(server, length):
    assert server.get("/", server.enter(), f"Content-Length: {length}", method="POST")[0] in (
        400,
        413,
    )


def test_logs_hold_neither_token_nor_key(server, caplog):
    caplog.set_level(logging.DEBUG)
    cookie = server.enter()
    server.get(f"/?token={server.guard.token}")
    server.get(f"/nowhere?token={server.guard.token}", cookie)
    server.send(["nonsense " + server.guard.token])
    assert caplog.records  # there is a log
    for record in caplog.records:
        assert server.guard.token not in record.getMessage()
        assert cookie.partition("=")[2] not in record.getMessage()
