"""`python -m killing COUNT [SEED]`, from the folder of the tests: writers that are killed at any moment.

A child writes models, recordings, scenes of .glb and entries of the cache one after the other, numbered, and says which
are done. It is killed after a random while. Then every file must be whole, and the newest that was done or the one that
was under way; the cache must answer as if nothing had happened; and what the dead left behind must be swept.
"""

import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import pliant as pl
from pliant.export import read_recording, record, write
from pliant.mesh.files import paths
from pliant.reduced import cached_arrays

LONGEST, LARGEST = 5.0, 1 << 20  # [s] to look at all files; kilobytes that a child may grow by
CYCLE = 0.25  # [s] within which a child is killed
ENTRIES = 5  # of the cache


class Kept(NamedTuple):
    """A kind of file: how number k of it is written, and which number a file is; it raises where it is not whole."""

    name: str
    write: object
    number: object


def _model():
    solid = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (8, 2, 2)), pl.StVK(1e6, 0.3), fixed="x < 0.01")
    return pl.reduce(solid, pl.modal_basis(solid, modes=4, size=10))


def _whole_glb(path):
    content = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content)), "a whole .glb"
    return int(content.split(b"number ", 1)[1].split(b'"', 1)[0])


def kinds():
    """What is written."""
    model = _model()
    seen = record(pl.Clamped(model, 0.01), 0.3)

    def named(k):
        return replace(seen, name=f"number {k}")

    return [
        Kept(
            "a.pliant",
            lambda path, k: model.with_material(young=1e6 + k).save(path),
            lambda path: round(float(pl.load(path).groups.young[0]) - 1e6),
        ),
        Kept(
            "a.npz",
            lambda path, k: write(named(k), path),
            lambda path: int(read_recording(path).name.removeprefix("number ")),
        ),
        Kept("a.glb", lambda path, k: write(named(k), path), _whole_glb),
    ]


def entry(k):
    """An entry of the cache; which one follows from the key alone."""
    found = cached_arrays(["killed", k % ENTRIES], lambda: {"a": np.full(200_000, float(k % ENTRIES))})
    assert (found["a"] == k % ENTRIES).all(), "an entry of the cache is another's, or torn"


def _forget(folder, k):
    """The child's cache loses an entry, so that it is written again."""
    for path in sorted((folder / "cache").glob("*.pliant"))[k % ENTRIES :][:1]:
        path.unlink(missing_ok=True)


def _write_for_ever(folder, kept, first, done):
    k = first
    while True:
        k += 1
        for number, kind in enumerate(kept):
            kind.write(folder / kind.name, k)
            os.write(done, struct.pack("<II", number, k))
        _forget(folder, k)
        entry(k)


def _killed_child(folder, kept, first, after):
    """What a child said to be done, {kind: number}, and the kilobytes that it grew by."""
    reading, writing = os.pipe()
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _write_for_ever(folder, kept, first, writing)
        finally:
            os._exit(1)
    os.close(writing)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    with os.fdopen(reading, "rb") as stream:
        said = struct.iter_unpack("<II", stream.read())
    return dict(said), used.ru_maxrss - size


def kill_writers(count, seed, folder):
    """Kill so many; returns what was wrong, and how many temporary files they left."""
    chance, kept, wrong = random.Random(seed), kinds(), []
    os.environ["PLIANT_CACHE"] = str(folder / "cache")
    newest = [0] * len(kept)
    for kind in kept:
        kind.write(folder / kind.name, 0)
    for death in range(count):
        done, grown = _killed_child(folder, kept, max(newest), chance.uniform(0, CYCLE))
        wrong += ["took a gigabyte"] if grown > LARGEST else []
        begun = time.monotonic()
        try:
            for number, kind in enumerate(kept):
                found, least = kind.number(folder / kind.name), done.get(number, newest[number])
                newest[number] = found
                if found < least:
                    wrong.append(f"{kind.name}: {found} after {least} was done")
            for k in range(ENTRIES):
                entry(k)
        except Exception as reason:
            wrong.append(f"death {death}: {type(reason).__name__}: {reason}")
        if time.monotonic() - begun > LONGEST:
            wrong.append(f"death {death}: looking took {time.monotonic() - begun:.1f} s")
    return wrong, _left_over(folder)


def _left_over(folder):
    return [path for path in folder.rglob("*") if paths.LEFT_OVER.fullmatch(path.name)]


def sweep_old(folder, left):
    """An hour later somebody writes again; what is left over then."""
    for path in left:
        os.utime(path, (time.time() - 2 * paths.OLD,) * 2)
    paths._swept.clear()
    for inside in {path.parent for path in left}:
        paths.sweep(inside)
    return _left_over(folder)


def main(count, seed):
    with tempfile.TemporaryDirectory() as name:
        wrong, left = kill_writers(count, seed, Path(name))
        size = sum(path.stat().st_size for path in left)
        print(f"{count} kills, {len(wrong)} faults; {len(left)} temporary files left ({size / 1e6:.1f} MB)")
        print(f"an hour later {len(sweep_old(Path(name), left))} of them", *wrong[:20], sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
