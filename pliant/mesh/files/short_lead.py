"""meshio on a short lead: no more memory than a file can mean, no reader that does not end."""

import contextlib
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError

FARTHEST = 10_000_000  # a number of a node up to which a table of all numbers costs nothing
DENSEST, SMALL = 40, 1 << 26  # times as large as its file, or this many bytes: what unpacks to more is no mesh
SECONDS, SPEED = 2, 1_000_000  # of a reader that may not end, and bytes more a second [1/s]
MEMORY = 1 << 29  # bytes of such a reader, beside twenty times its file
_one = threading.Lock()


@contextlib.contextmanager
def bounded(meshio: Any, size: int) -> Iterator[None]:
    """Within, numbers of Gmsh's nodes and compressed arrays of a file of `size` bytes have bounds; one at a time.

    Entities of Gmsh 4.1 files without a physical group have the group 0, which is none: meshio skips them in its list
    of groups, one a block of cells, and then refuses the list for being too short.
    """
    gmsh, vtu, patched = meshio.gmsh, meshio.vtu._vtu, []

    def patch(home: Any, name: str, value: Any) -> None:
        patched.append((home, name, getattr(home, name)))
        setattr(home, name, value)

    with _one:
        try:
            for home in (gmsh._gmsh22, gmsh._gmsh40, gmsh._gmsh41):
                patch(home, "_read_nodes", _with_near_tags(home._read_nodes, size))
            patch(gmsh._gmsh41, "_read_entities", _with_groups(gmsh._gmsh41._read_entities))
            left = [DENSEST * size + SMALL]
            patch(vtu, "zlib", _Unpacker(zlib.decompressobj, left))
            patch(vtu, "lzma", _Unpacker(lzma.LZMADecompressor, left))
            yield
        finally:
            for home, name, value in reversed(patched):
                setattr(home, name, value)


def _with_near_tags(read: Any, size: int) -> Any:
    def checked(*arguments: Any) -> Any:
        found = read(*arguments)
        tags = np.asarray(found[1])
        if tags.size and not 0 <= tags.min() <= tags.max() <= max(FARTHEST, size):
            raise ValueError(f"nodes are numbered {tags.min():.0f} to {tags.max():.0f}; number them from 1 on")
        return found

    return checked


def _with_groups(read: Any) -> Any:
    def tagged(*arguments: Any) -> Any:
        groups, bounds = read(*arguments)
        return [{entity: tags or [0] for entity, tags in found.items()} for found in groups], bounds

    return tagged


class _Unpacker:
    """Stands in for zlib or lzma in meshio's reader of .vtu files, with a common budget of bytes."""

    def __init__(self, make: Any, left: list[int]):
        self._make, self._left = make, left

    def decompress(self, data: bytes) -> bytes:
        unpacked: bytes = self._make().decompress(bytes(data), self._left[0] + 1)
        self._left[0] -= len(unpacked)
        if self._left[0] < 0:
            raise ValueError("it unpacks to far more than a mesh of its size")
        return unpacked


def read_ansys(meshio: Any, file: Path) -> Any:
    """What meshio reads of an Ansys mesh, in a process with bounds."""
    size = file.stat().st_size
    seconds, memory = SECONDS + size // SPEED, MEMORY + 20 * size
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "mesh.npz"
        worker = [sys.executable, "-P", str(Path(__file__).with_name("ansys_worker.py"))]
        command = [*worker, str(file.absolute()), str(result), str(seconds), str(memory)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=20 * seconds, check=False, env=_alone())
        except subprocess.TimeoutExpired:
            done = None
        if done is None or done.returncode != 0 or not result.is_file():
            raise FileError(f"{file} is damaged, truncated, or neither a Gmsh nor an Ansys mesh; get or write it again")
        with np.load(result, allow_pickle=False) as arrays:
            kinds = [str(kind) for kind in arrays["kinds"]]
            return meshio.Mesh(arrays["points"], [(kind, arrays[f"cells {k}"]) for k, kind in enumerate(kinds)])


def _alone() -> dict[str, str]:
    """One thread: others would take memory of their own."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
