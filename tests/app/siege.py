"""A server among hostile clients: `python siege.py SECONDS [HOSTILE [VIEWERS [SEED [ACT ..]]]]`, from this folder.

An honest viewer, so many others as in the load test, and so many hostile clients come to a server for so long. What
the honest one saw is told: frames in every second, the longest wait, and what memory the server took.
"""

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from live_standins import SCENES
from live_viewing import served

HERE = Path(__file__).parent
LEFT_OUT = 2  # seconds at the beginning, in which processes start
TOLD = 5  # of the longest waits


class Siege(NamedTuple):
    """What was seen.

    Attributes:
        rates: frames in each second. gaps: [s] between two, which end at `times` [s].
        memory: [bytes] the most that was resident. before: [bytes] at first.
        acts: how often each hostile thing was done. stumbles: what the live thread did not expect.
        load: the mean load of the machine. processor: [s] that the server took in all, of one core.
    """

    rates: np.ndarray
    gaps: np.ndarray
    times: np.ndarray
    memory: int
    before: int
    acts: dict[str, int]
    stumbles: list[str]
    load: float
    processor: float


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _started(script, *arguments):
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class _Stumbles(logging.Handler):
    def __init__(self):
        super().__init__(logging.ERROR)
        self.told = []

    def emit(self, record):
        self.told.append(self.format(record))


def besiege(seconds, hostile=6, viewers=10, seed=0, acts=(), tell=None):
    """Run it; `tell(second, siege so far)` hears of memory now and then."""
    stumbles, memory, loads, before = _Stumbles(), [], [], _resident()
    logs = [logging.getLogger(name) for name in ("pliant.live", "uvicorn.error")]
    try:
        with served(SCENES) as (_, address):
            for log in logs:
                log.addHandler(stumbles)
            honest = _started("honest_client.py", address, seconds)
            others = [_started("live_clients.py", address, viewers, seconds)] if viewers else []
            attackers = [_started("hostile_clients.py", address, hostile, seconds, seed, *acts)] if hostile else []
            end, spent = time.monotonic() + seconds, time.process_time()
            while time.monotonic() < end:
                memory.append(_resident())
                loads.append(os.getloadavg()[0])
                if tell is not None:
                    tell(seconds - (end - time.monotonic()), memory[-1])
                time.sleep(min(5.0, max(0.1, end - time.monotonic())))
            spent = time.process_time() - spent
            told = [process.communicate(timeout=120)[0] for process in (honest, *others, *attackers)]
    finally:
        for log in logs:
            log.removeHandler(stumbles)
    times = np.array(json.loads(told[0]))
    rates = np.histogram(times, np.arange(LEFT_OUT, int(seconds) + 1))[0]
    done = json.loads(told[-1]) if hostile else {}
    times = times[times > LEFT_OUT]
    return Siege(
        rates, np.diff(times), times[1:], max(memory), before, done, stumbles.told, float(np.mean(loads)), spent
    )


def summary(siege):
    """In words."""
    low = 100 * np.mean(siege.rates < 30)
    tens = siege.rates[: len(siege.rates) // 10 * 10].reshape(-1, 10).mean(axis=1)
    lines = [
        f"frames a second: mean {siege.rates.mean():.1f}, least {siege.rates.min()}, below 30 in {low:.2f} % of them"
    ]
    if len(tens):
        lines += [f"over ten seconds: least {tens.min():.1f}, below 30 in {100 * np.mean(tens < 30):.2f} %"]
    longest = [f"{siege.gaps[i]:.2f} s at {siege.times[i]:.0f}" for i in np.argsort(-siege.gaps)[:TOLD]]
    lines += [f"longest waits for a frame: {', '.join(longest)}", f"memory at most {siege.memory / 2**20:.0f} MB"]
    share = 100 * siege.processor / (len(siege.rates) + LEFT_OUT)
    lines += [f"load of the machine {siege.load:.1f}, of which the server had {share:.0f} % of a core"]
    lines += [f"hostile acts {sum(siege.acts.values())}: {siege.acts}"]
    return "\n".join([*lines, f"stumbles {len(siege.stumbles)}", *siege.stumbles[:20]])


if __name__ == "__main__":
    numbers, acts = [int(word) for word in sys.argv[1:5]], sys.argv[5:]
    found = besiege(*numbers, acts=acts, tell=lambda at, size: print(f"{at:.0f} s, {size >> 20} MB", flush=True))
    print(summary(found))
    sys.exit(int(bool(found.stumbles) or found.rates.mean() < 30))
