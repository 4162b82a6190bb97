"""Clients that mean no good, in a process of their own: `hostile_clients.py ADDRESS COUNT SECONDS SEED [ACT ..]`.

Each does one bad thing after the other; how often each thing was done, and what the machine did not let them do, is
printed as JSON.
"""

import asyncio
import contextlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

sys.path.append(str(Path(__file__).parents[1]))
from fuzz.mutations import spoilt_bytes

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"
NAMES = ("bar", "wobble", "crowd", "seams", "tree", "full")
LONGEST = 8.0  # [s] of an act
PAUSE = 0.3  # [s] between two acts of a client


class Door(NamedTuple):
    """Where the server is, and chance."""

    parts: SplitResult
    random: np.random.Generator

    def live(self):
        where = f"ws://{self.parts.netloc}{self.parts.path}live"
        return connect(where, origin=f"http://{self.parts.netloc}", compression=None, max_queue=None)

    async def line(self):
        return await asyncio.open_connection(self.parts.hostname, self.parts.port)


async def _say(socket, *orders):
    for order in orders:
        await socket.send(json.dumps(order))


async def storm(door):
    """Another scene, and another, and another."""
    async with door.live() as socket:
        names = door.random.choice(NAMES, 150)
        await _say(socket, *({"kind": "scene", "name": str(name)} for name in names))
        await asyncio.sleep(1)


async def flood(door):
    """More messages than are heard, until it is shown the door."""
    async with door.live() as socket:
        for number in range(3000):
            await socket.send('{"kind":"move","target":[0,0,0]}' if number % 2 else "{")


async def spoil(door):
    """Messages that are nearly right."""
    whole = [path.read_bytes() for path in sorted(CORPUS.glob("*.json"))]
    async with door.live() as socket:
        for _ in range(100):
            content = spoilt_bytes(door.random, whole[door.random.integers(len(whole))], whole)
            await socket.send(content if door.random.integers(2) else content.decode(errors="replace"))
            await asyncio.sleep(0.01)


async def tune(door):
    """The dearest settings that are allowed."""
    wild = [{"dt": 1e-6}, {"newton": 100}, {"beta": 10.0}, {"stiffness": 1e3}, {"gravity": [0, -1e6, 0]}]
    wild += [{"dt": 0.1}, {"stiffness": 1e-3}, {"vectors": 1}, {"vectors": 100_000}, {"alpha": 1e3}, {"wind": 200.0}]
    async with door.live() as socket:
        for _ in range(10):
            await _say(socket, {"kind": "set", **wild[door.random.integers(len(wild))]})
            await asyncio.sleep(0.1)


async def pull(door):
    """Far away, and leave without a word."""
    async with door.live() as socket:
        vertex = int(door.random.integers(60))
        await _say(socket, {"kind": "grab", "vertex": vertex, "target": [0, 0, 0]})
        for _ in range(30):
            target = (10.0 ** door.random.uniform(-2, 6) * door.random.standard_normal(3)).clip(-1e6, 1e6)
            await _say(socket, {"kind": "move", "target": target.tolist()})
            await asyncio.sleep(0.03)
        socket.transport.abort()


async def meddle(door):
    """Everything that a person may do, in any order."""
    orders = [{"kind": kind} for kind in ("pause", "reset", "undo", "save", "free", "keep", "defaults", "drop")]
    orders += [{"kind": "step", "count": 100}, {"kind": "mode", "mode": 0}, {"kind": "pace", "speed": 4.0}]
    orders += [{"kind": kind, "on": on} for kind in ("record", "sketch", "listen") for on in (True, False)]
    orders += [{"kind": "throw", "eye": [0, 0, 5], "target": [0, 0, 0]}, {"kind": "probe", "vertices": [1, 2, 3]}]
    orders += [{"kind": "colour", "by": "stress"}, {"kind": "load", "state": 0}]
    async with door.live() as socket:
        for _ in range(25):
            await _say(socket, orders[door.random.integers(len(orders))])
            await asyncio.sleep(0.04)


async def sulk(door):
    """Watch, and never say that anything was seen."""
    async with door.live():
        await asyncio.sleep(4)


async def crowd(door):
    """Come and go, many at once."""
    sockets = await asyncio.gather(*(door.live() for _ in range(30)), return_exceptions=True)
    for socket in sockets:
        if not isinstance(socket, BaseException):
            socket.transport.abort()


async def shout(door):
    """Messages that are too long, whole and in pieces."""
    async with door.live() as socket:
        await socket.send(["[" * 3000] * 100 if door.random.integers(2) else "x" * 1_000_000)
        await socket.wait_closed()


async def half_open(door):
    """Lines that never finish what they ask."""
    begun = [b"", b"GET / HT", b"POST /x HTTP/1.1\r\nContent-Length: 999999\r\n\r\n", b"\x00" * 50]
    lines = [await door.line() for _ in range(20)]
    for number, (_, writer) in enumerate(lines):
        writer.write(begun[number % len(begun)])
    await asyncio.sleep(3)
    for _, writer in lines:
        writer.close()


async def knock(door):
    """Wrong tokens, hosts, origins, numbers and paths."""
    path, host = door.parts.path, door.parts.netloc
    asked = [f"GET /{'x' * 32}/ HTTP/1.1\r\nHost: {host}", f"GET {path} HTTP/1.1\r\nHost: a.example"]
    asked += [
        f"GET {path}geometry/{'9' * 5000} HTTP/1.1\r\nHost: {host}",
        f"POST {path}meshes/a.obj HTTP/1.1\r\nHost: x",
    ]
    asked += [f"GET {path}../../etc/passwd HTTP/1.1\r\nHost: {host}", f"GET {path} HTTP/1.1\r\nX: {'y' * 100_000}"]
    for request in asked:
        reader, writer = await door.line()
        writer.write(f"{request}\r\n\r\n".encode())
        await asyncio.wait_for(reader.read(4096), 3)
        writer.close()


async def upload(door):
    """Meshes that were spoilt on the way."""
    paths = [
        path for path in sorted(CORPUS.iterdir()) if path.suffix in (".obj", ".off", ".ply", ".stl", ".msh", ".vtk")
    ]
    chosen = paths[door.random.integers(len(paths))]
    content = spoilt_bytes(door.random, chosen.read_bytes(), [path.read_bytes() for path in paths])
    reader, writer = await door.line()
    head = f"POST {door.parts.path}meshes/{chosen.name} HTTP/1.1\r\nHost: {door.parts.netloc}\r\n"
    head += f"Origin: http://{door.parts.netloc}\r\nContent-Length: {len(content)}\r\n\r\n"
    writer.write(head.encode() + content)
    await asyncio.wait_for(reader.read(4096), 3)
    writer.close()


ACTS = {act.__name__: act for act in (storm, flood, spoil, tune, pull, meddle, sulk, crowd, shout, half_open, knock)}
ACTS |= {"upload": upload}


async def misbehave(door, acts, until, done):
    """One act after the other; whatever the server does to this client is its right."""
    while time.monotonic() < until:
        name = str(door.random.choice(acts))
        try:
            await asyncio.wait_for(ACTS[name](door), LONGEST)
            done[name] += 1
        except (OSError, WebSocketException, TimeoutError) as reason:
            done[f"{name}: {type(reason).__name__}"] += 1
        await asyncio.sleep(PAUSE)


async def main(address, count, seconds, seed, acts):
    until, done = time.monotonic() + seconds, Counter()
    doors = [Door(urlsplit(address), np.random.default_rng([seed, number])) for number in range(count)]
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*(misbehave(door, acts or list(ACTS), until, done) for door in doors))
    print(json.dumps(dict(sorted(done.items()))))


if __name__ == "__main__":
    address, count, seconds, seed, *acts = sys.argv[1:]
    asyncio.run(main(address, int(count), float(seconds), int(seed), acts))
