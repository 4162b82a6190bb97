"""One honest viewer in a process of its own: `honest_client.py ADDRESS SECONDS` prints when frames came [s], as JSON.

It says which frames it has seen, lets time run again when somebody held it, and resets what went astray.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

PATIENCE = 0.05  # [s] between two orders of a person


async def watch(address, seconds):
    parts = urlsplit(address)
    where, times, held, acted = f"ws://{parts.netloc}{parts.path}live", [], [], 0.0
    begun = time.monotonic()
    async with connect(where, origin=f"http://{parts.netloc}", compression=None) as socket:
        while (now := time.monotonic()) < begun + seconds:
            if held and now > acted + PATIENCE:
                acted = now
                for kind in held:
                    await socket.send(json.dumps({"kind": kind}))
            try:
                message = await asyncio.wait_for(socket.recv(), PATIENCE)
            except TimeoutError:
                continue
            if isinstance(message, bytes):
                times.append(round(time.monotonic() - begun, 4))
                await socket.send(json.dumps({"kind": "seen", "frame": int.from_bytes(message[4:8], "little")}))
            elif (said := json.loads(message))["kind"] == "status":
                held = [] if said["playing"] else ["reset", "play"] if said.get("diverged") else ["play"]
    return times


if __name__ == "__main__":
    print(json.dumps(asyncio.run(watch(sys.argv[1], float(sys.argv[2])))))
