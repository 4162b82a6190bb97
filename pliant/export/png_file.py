"""A .png file of an sRGB picture, by the standard library alone."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BIT_DEPTH, TRUE_COLOUR = 8, 2
FROM_ABOVE = 2  # the filter that stores every byte less the one above it
LEVEL = 6


def save_png(path: Path, image: NDArray[np.uint8]) -> None:
    """Write sRGB (height, width, 3)."""
    height, width, _ = image.shape
    above = np.concatenate([np.zeros_like(image[:1]), image[:-1]])
    rows = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 0], rows[:, 1:] = FROM_ABOVE, (image - above).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, BIT_DEPTH, TRUE_COLOUR, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), LEVEL)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
