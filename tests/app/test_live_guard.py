"""Who may look: a wrong token, a foreign origin or a forged host name gets nothing; everything else is bounded."""

import asyncio
import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest
from live_viewing import finish
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pliant.app.server import _listening

PAGES = ("", "index.html", "main.js", "vendor/three.module.js", "geometry/1", "recording.glb", "live")


def ask(address, path, host=None):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
    connection.request("GET", path, headers={"Host": host or parts.netloc})
    response = connection.getresponse()
    return response.status, response.read(), dict(response.getheaders())


def token_path(address):
    return urlsplit(address).path


@pytest.mark.parametrize("page", PAGES)
def test_wrong_token_gets_nothing(session_server, page):
    _, address = session_server
    token = token_path(address).strip("/")
    for wrong in ("", "x", token[:-1], token + "x", token.swapcase(), "%00", "../" + token, "%C3%A9"):
        status, body, _ = ask(address, f"/{wrong}/{page}")
        assert (status, body) == (403, b"")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_foreign_host_name_gets_nothing(session_server, host):
    _, address = session_server
    status, body, _ = ask(address, token_path(address), host or "localhost.evil")
    assert (status, body) == (403, b"")


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1:80", "[::1]:80"])
def test_own_names_are_known(session_server, host):
    _, address = session_server
    assert ask(address, token_path(address), host)[0] == 200


def test_forgotten_slash_is_mended(session_server):
    _, address = session_server
    status, _, headers = ask(address, token_path(address).rstrip("/"))
    assert (status, headers["location"]) == (307, token_path(address))


def test_page_may_load_from_itself_alone(session_server):
    _, address = session_server
    status, body, headers = ask(address, token_path(address))
    assert status == 200
    assert b'<script type="module" src="main.js">' in body
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["../guard.py", "%2e%2e/guard.py", "..%2fguard.py", "/etc/passwd", "nothing.js"])
def test_only_files_of_the_page_are_served(session_server, path):
    _, address = session_server
    assert ask(address, token_path(address) + path)[0] == 404


def test_old_geometry_and_missing_recording_are_said(session_server):
    _, address = session_server
    status, body, _ = ask(address, token_path(address) + "geometry/987654")
    assert status == 409
    assert b"gone" in body
    status, body, _ = ask(address, token_path(address) + "recording.glb")
    assert status == 409
    assert b"recorded" in body
    assert ask(address, token_path(address) + "recording.exe")[0] == 409


def socket_to(address, path=None, origin="same"):
    parts = urlsplit(address)
    origin = f"http://{parts.netloc}" if origin == "same" else origin
    return connect(f"ws://{parts.netloc}{path or parts.path + 'live'}", origin=origin, compression=None, max_queue=None)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None, "http://127.0.0.1:1"])
def test_foreign_origin_gets_no_socket(session_server, origin):
    async def attempt():
        with pytest.raises(InvalidStatus) as refused:
            async with socket_to(session_server[1], origin=origin):
                pass
        assert refused.value.response.status_code == 403

    finish(attempt())


@pytest.mark.parametrize("path", ["/wrong/live", "/live", "TOKEN", "TOKEN/", "TOKEN/geometry/1"])
def test_wrong_address_gets_no_socket(session_server, path):
    path = path.replace("TOKEN", token_path(session_server[1]).rstrip("/"))

    async def attempt():
        with pytest.raises(InvalidStatus) as refused:
            async with socket_to(session_server[1], path=path):
                pass
        assert refused.value.response.status_code == 403

    finish(attempt())


async def notice_of(socket):
    while True:
        message = await asyncio.wait_for(socket.recv(), 5)
        if isinstance(message, str) and json.loads(message)["kind"] == "notice":
            return json.loads(message)


async def all_of(socket):
    while True:
        await socket.recv()


def test_long_message_ends_the_connection_and_only_that(session_server):
    async def attempt():
        async with socket_to(session_server[1]) as socket:
            await socket.send("x" * 100_000)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(all_of(socket), 5)
        async with socket_to(session_server[1]) as socket:
            assert json.loads(await socket.recv())["kind"] == "status"

    finish(attempt())


def test_flood_is_told_to_slow_down(session_server):
    async def attempt():
        async with socket_to(session_server[1]) as socket:
            for _ in range(600):
                await socket.send('{"kind":"release"}')
            assert "too many messages" in (await notice_of(socket))["sentence"]

    finish(attempt())


def test_small_frames_do_not_wait_for_each_other():
    """TCP_NODELAY is on in every socket that is accepted; without it frames come in bursts."""
    with _listening("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
