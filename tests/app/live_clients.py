"""Many viewers at once, in a process of their own: `live_clients.py ADDRESS COUNT SECONDS` prints what they saw."""

import asyncio
import json
import sys
from urllib.parse import urlsplit

from websockets.asyncio.client import connect


async def watch(address, seen):
    """Take frames and say so, as a page does, until cancelled."""
    parts = urlsplit(address)
    async with connect(
        f"ws://{parts.netloc}{parts.path}live", origin=f"http://{parts.netloc}", compression=None
    ) as socket:
        async for message in socket:
            if isinstance(message, bytes):
                seen.append(len(message))
                await socket.send(json.dumps({"kind": "seen", "frame": int.from_bytes(message[4:8], "little")}))


async def main(address, count, seconds):
    """Half of the viewers are cut off in the middle, without a goodbye."""
    seen = [[] for _ in range(count)]
    tasks = [asyncio.create_task(watch(address, mine)) for mine in seen]
    await asyncio.sleep(seconds / 2)
    for task in tasks[: count // 2]:
        task.cancel()
    middle = [len(mine) for mine in seen]
    await asyncio.sleep(seconds / 2)
    failed = [repr(task.exception()) for task in tasks[count // 2 :] if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    later = [len(mine) - before for mine, before in zip(seen, middle)][count // 2 :]
    print(json.dumps({"first": middle, "second": later, "bytes": max(map(max, seen)), "failed": failed}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
