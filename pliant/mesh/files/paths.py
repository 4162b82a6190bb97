"""What every reader and writer does with a path: refuse what is no file, bound its counts, replace it atomically."""

import math
import mmap
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from pliant.errors import FileError, PliantError

# The words after which meshio's and trimesh's formats say how much to allocate: `Vertices\n1000`, `POINTS 1000 float`,
# `NumberOfPoints="1000"`, `$Nodes\n1 1000 1 1000`, `element vertex 1000`, `OFF\n1000 2000 0`.
_COUNTS = re.compile(
    rb"(?:\$\w+|OFF|element\s+\w+|POINTS|CELLS|CELL_TYPES|(?:POINT|CELL)_DATA|NumberOf\w+=|DIMENSIONS|[XYZ]_COORDINATES"
    rb"|Vertices|Edges|Triangles|Quadrilaterals|Tetrahedra|Hexahedra|Prisms|Pyramids|Corners|Ridges|Required\w+)"
    rb"[\s\"']+(\d+(?:[ \t]+\d+)*)",
    re.IGNORECASE,
)


def existing_file(path: str | PathLike[str]) -> Path:
    """`path` as a Path to a file that is there and not empty."""
    try:
        file = Path(path)
        is_file, is_folder = file.is_file(), file.is_dir()
    except (TypeError, ValueError, OSError):
        raise FileError(f"a path must be text that names a file; {str(path)[:80]!r} was given") from None
    if is_folder:
        raise FileError(f"{file} is a folder; give the path of a mesh file in it")
    if not is_file:
        raise FileError(f"{file} does not exist or is not a plain file; check the path")
    if not os.access(file, os.R_OK):
        raise FileError(f"{file} may not be read; change its permissions")
    if file.stat().st_size == 0:
        raise FileError(f"{file} is empty; write it again")
    return file


def ending_of(path: str | PathLike[str]) -> str:
    """The ending of a path in small letters, with its dot."""
    try:
        return Path(path).suffix.lower()
    except TypeError:
        raise FileError(f"a path must be text; {str(path)[:80]!r} was given") from None


def check_counts(file: Path) -> None:
    """Refuse a header that announces more entries than the file has bytes, before anyone allocates them."""
    size = file.stat().st_size
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for match in _COUNTS.finditer(content):
            word = re.split(rb"[\s=]", match[0], maxsplit=1)[0].decode(errors="replace")
            counts = [float(count) for count in match[1].split()]
            count = math.prod(counts) if word.upper() == "DIMENSIONS" else max(counts)
            if count > size:
                raise FileError(
                    f"{file} announces {count:.0f} entries after {word[:40]!r} but has only {size} bytes; "
                    "it is damaged: get or write it again"
                )


LEFT_OVER = re.compile(r"\.pliant-[0-9a-f]{12}(\.\w+)?")
OLD = 3600.0  # [s] after which nobody writes a temporary file any more
_swept: set[Path] = set()


@contextmanager
def replacing(path: str | PathLike[str], *failures: type[Exception]) -> Iterator[Path]:
    """A temporary path beside `path`; what is written there replaces `path` in one step, or is removed on failure.

    What a killed process left in that folder is removed once it is old.

    Args:
        failures: what the library that writes raises, beside OSError, where it cannot.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: the folder {target.parent} does not exist; make it first")
    if target.is_dir():
        raise FileError(f"{target} cannot be written: it is a folder; give the path of a file")
    sweep(target.parent)
    temporary = temporary_beside(target)
    refusals: tuple[type[Exception], ...] = (OSError, *failures)
    try:
        yield temporary
        os.replace(temporary, target)
    except PliantError:
        raise
    except refusals as error:
        reason = getattr(error, "strerror", None) or next(iter(str(error).splitlines()), "") or type(error).__name__
        raise FileError(f"{target} cannot be written: {reason}") from None
    finally:
        temporary.unlink(missing_ok=True)


def temporary_beside(target: Path) -> Path:
    """A name in the same folder that nobody else takes, and that `sweep` knows."""
    return target.with_name(f".pliant-{secrets.token_hex(6)}{target.suffix}")


def sweep(folder: Path) -> None:
    """Remove the temporary files and folders of processes that were killed, once a process and folder."""
    folder = folder.absolute()
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError):
        for each in os.scandir(folder):
            if LEFT_OVER.fullmatch(each.name) and each.stat(follow_symlinks=False).st_mtime < time.time() - OLD:
                _remove(each)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(entry.path)
