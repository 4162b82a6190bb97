"""Serves a live session to browsers: the page, the geometry, recordings and the WebSocket, behind a token."""

import contextlib
import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from pliant.app.connections import Timely
from pliant.app.downloads import recording_file, scene_text
from pliant.app.guard import SOCKET, Guard
from pliant.app.live import Live
from pliant.app.messages import MAX_BYTES
from pliant.app.network import network_address
from pliant.app.qr_code import picture_code
from pliant.app.uploads import Uploads
from pliant.app.viewers import Viewers
from pliant.errors import ArgumentError, FileError, PliantError

WEB = Path(__file__).parent / "web"
THREE = WEB / "vendor" / "three.module.js"
SHUTDOWN = 2  # [s] that open connections get


def web_app(live: Live, token: str, names: Iterable[str] = (), others: str | None = None) -> Guard:
    """The ASGI application; every address begins with the token.

    Args:
        others: where other machines find it, if they do.
    """
    viewers, uploads = Viewers(live), Uploads(live)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        viewers.attach()
        yield
        uploads.close()

    async def geometry(request: Request) -> Response:
        asked = request.path_params["number"]
        if not re.fullmatch(r"[0-9]{1,12}", asked):
            return Response(status_code=404)
        number = int(asked)
        if live.is_past(number):  # another one has come meanwhile, which the page is told of
            return Response(status_code=204)
        wanted = live.geometry(number)
        known = wanted.update and request.query_params.get("since") == str(wanted.since)
        return Response(wanted.update if known else wanted.payload, media_type="application/octet-stream")

    async def recording(request: Request) -> Response:
        return await recording_file(live, request.path_params["ending"])

    async def texture(_: Request) -> Response:
        stage = live.session.stage
        found = None if stage is None else stage.source.texture
        return Response(status_code=404) if found is None else Response(found.png, media_type="image/png")

    async def scene(_: Request) -> Response:
        named = {"content-disposition": 'attachment; filename="scene.toml"'}
        return PlainTextResponse(scene_text(live), media_type="application/toml", headers=named)

    async def thumbnail(request: Request) -> Response:
        source = live.session.scenes.get(request.path_params["name"])
        if source is None or source.thumbnail is None:
            return Response(status_code=404)
        return FileResponse(source.thumbnail, media_type="image/png")

    async def phone(_: Request) -> Response:
        return JSONResponse({"address": others, "code": None if others is None else picture_code(others)})

    async def sorry(_: Request, reason: Exception) -> Response:
        return PlainTextResponse(str(reason), status_code=409)

    routes = [
        Route("/geometry/{number:str}", geometry),
        Route("/recording.{ending:str}", recording),
        Route("/scene.toml", scene),
        Route("/texture/{number:str}", texture),
        Route("/meshes/{name:str}", uploads.take, methods=["POST"]),
        Route("/thumbnails/{name:str}", thumbnail),
        Route("/phone.json", phone),
        WebSocketRoute(f"/{SOCKET}", viewers.serve),
        Mount("/", StaticFiles(directory=WEB, html=True)),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers={PliantError: sorry}), token, names)


class Server:
    """A live session on a socket of this machine.

    Args:
        host, port, names: as for `serve`.
        token: of a server before this one, whose pages shall find this one; a random one without it.

    Attributes:
        address: where browsers find it; holds the token, so whoever has the address may look and touch.
    """

    def __init__(
        self,
        live: Live,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Iterable[str] = (),
        token: str | None = None,
    ):
        if not THREE.is_file():
            raise FileError("the viewer lacks three.js; run: npm ci && python -m pliant.app.vendor")
        self._socket = _listening(host, port)
        token = secrets.token_urlsafe(24) if token is None else token
        number = self._socket.getsockname()[1]
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
        self.address = f"http://{shown}:{number}/{token}/"
        self._server = uvicorn.Server(
            uvicorn.Config(
                web_app(live, token, {host, *names}, network_address(self.address, host)),
                log_level="warning",
                access_log=False,
                ws_max_size=MAX_BYTES,
                ws_max_queue=64,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=SHUTDOWN,
                server_header=False,
                http=Timely,
                h11_max_incomplete_event_size=16384,
            )
        )

    def __repr__(self) -> str:
        """Without the token, which lets people in."""
        return f"Server({self.address.rsplit('/', 2)[0]}/...)"

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        with contextlib.suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._server.should_exit = True


def serve(
    live: Live,
    host: str = "127.0.0.1",
    port: int = 0,
    ready: Callable[[str], None] | None = None,
    names: Iterable[str] = (),
) -> None:
    """Run a live session and serve it until Ctrl-C.

    Args:
        host: address of this machine to listen on; others can only connect where it is not loopback.
        port: 0 takes a free one.
        ready: called with the address once it can be opened.
        names: host names, besides localhost and numbers, under which browsers may call.
    """
    server = Server(live, host, port, names)
    with live:
        if ready is not None:
            ready(server.address)
        server.run()


def _listening(host: str, port: int) -> socket.socket:
    if not host.strip():
        raise ArgumentError("host must name an address of this machine; 0.0.0.0 lets all others on the network in")
    try:
        listening = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128
        )
        # Accepted sockets inherit it: without it small frames wait for each other and come in bursts.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, OverflowError) as reason:
        raise ArgumentError(f"pliant cannot listen on {host}, port {port}: {reason}; try another port") from None
