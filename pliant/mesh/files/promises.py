"""What text files promise in their heads, counted: a file that was cut short is no smaller mesh."""

import re
import warnings
from pathlib import Path

from pliant.errors import FileError, PliantWarning

MAX_INCLUDES = 64
_POINTS = re.compile(rb"^\s*(?:POINTS|NPOIN\s*=)\s*(\d+)", re.MULTILINE | re.IGNORECASE)
_CELLS = re.compile(rb"^\s*(?:CELLS|NELEM\s*=)\s*(\d+)", re.MULTILINE | re.IGNORECASE)
_OFFSETS = re.compile(rb"^\s*OFFSETS\s", re.MULTILINE | re.IGNORECASE)  # of VTK 5, one more than there are cells
_INCLUDE = re.compile(rb"^\s*\*INCLUDE\b[^\n=]*=([^\n]*)", re.MULTILINE | re.IGNORECASE)
_BULK = re.compile(rb"BEGIN BULK.*?[\r\n]ENDDATA", re.DOTALL)


def check_promises(file: Path, points: int, cells: int) -> None:
    """Refuse what was read of a .vtk or .su2 file where it is less than the file promises."""
    if file.suffix.lower() not in (".vtk", ".su2"):
        return
    content = file.read_bytes()
    promised, offsets = _first(_POINTS, content), _OFFSETS.search(content)
    if promised is not None and promised != points:
        _refuse(file, promised, "points", points)
    promised = _first(_CELLS, content)
    if promised is not None and promised - (offsets is not None) != cells:
        _refuse(file, promised - (offsets is not None), "cells", cells)


def check_surface_rows(file: Path) -> None:
    """Refuse an .off or a textual .ply file with fewer or shorter rows than its head promises."""
    counts, rows = (_off_rows if file.suffix.lower() == ".off" else _ply_rows)(file.read_bytes())
    promised = sum(counts)
    if len(rows) < promised:
        _refuse(file, promised, "rows", len(rows))
    words = rows[promised - 1].split() if promised and counts[-1] else []
    if words and words[0].isdigit() and len(words) <= _count(words[0]):
        raise FileError(f"{file} ends in the midst of its last row; it is truncated: get or write it again")


def _off_rows(content: bytes) -> tuple[list[int], list[bytes]]:
    """Counts of vertices and faces, and the rows of both."""
    rows = _rows(content.partition(b"OFF")[2])
    return [_count(word) for word in rows[0].split()[:2] if word.isdigit()] if rows else [], rows[1:]


def _ply_rows(content: bytes) -> tuple[list[int], list[bytes]]:
    """Counts of all that comes up to the faces, and the rows of it; none of a binary file."""
    head, _, body = content.partition(b"end_header")
    if b"format ascii" not in head:
        return [], []
    elements = re.findall(rb"element\s+(\w+)\s+(\d+)", head)
    faces = next((k for k, (name, _) in enumerate(elements) if name == b"face"), len(elements) - 1)
    return [_count(count) for _, count in elements[: faces + 1]], _rows(body)


def check_includes(file: Path) -> None:
    """Refuse an .inp file that includes itself, or more files than can be meant."""
    left = MAX_INCLUDES

    def look(path: Path, parents: tuple[Path, ...]) -> None:
        nonlocal left
        here, left = path.resolve(), left - 1
        if here in parents:
            raise FileError(f"{path} includes itself; remove the *INCLUDE that closes the circle")
        if left < 0:
            raise FileError(f"{file} includes more than {MAX_INCLUDES} files; join them into one")
        for found in _INCLUDE.finditer(here.read_bytes()) if here.is_file() else ():
            name = Path(found[1].decode(errors="replace").strip())
            look(name if name.exists() else path.parent / name, (*parents, here))

    look(file, ())


def check_end_of_bulk(file: Path) -> None:
    """Refuse a Nastran file whose data do not end: meshio looks for their first line for ever."""
    if not _BULK.search(file.read_bytes()):
        raise FileError(f"{file} has no ENDDATA after BEGIN BULK; it is truncated: get or write it again")


def warn_of_open_end(file: Path) -> None:
    """An .inp file promises nothing, but its last line has an end."""
    with open(file, "rb") as stream:
        stream.seek(-1, 2)
        if stream.read(1) not in b"\r\n":
            warnings.warn(f"{file} ends in the midst of a line; it may be truncated", PliantWarning, 2)


def _first(pattern: re.Pattern[bytes], content: bytes) -> int | None:
    found = pattern.search(content)
    return None if found is None else _count(found[1])


def _count(digits: bytes) -> int:
    """A number; of those that no file can have, one."""
    return int(digits) if len(digits) < 19 else 10**18


def _rows(content: bytes) -> list[bytes]:
    """Lines that say something, without comments."""
    stripped = (line.split(b"#", 1)[0].strip() for line in content.splitlines())
    return [line for line in stripped if line]


def _refuse(file: Path, promised: int, what: str, found: int) -> None:
    raise FileError(f"{file} promises {promised} {what} and has {found}; it is truncated: get or write it again")
