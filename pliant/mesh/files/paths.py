"""What every reader and writer does with a path: refuse what is no file, bound its counts, replace it atomically."""

import mmap
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from pliant.errors import FileError

# A count stands after a word or an attribute, on its line or the next: `Vertices\n1000`, `POINTS 1000 float`,
# `NumberOfPoints="1000"`, `$Nodes\n1 1000 1 1000`.
_COUNTS = re.compile(rb"[A-Za-z][\"=\s]+(\d{4,}(?:[ \t]+\d+)*|\d{1,3}(?:[ \t]+\d+)+)")


def existing_file(path: str | PathLike[str]) -> Path:
    """`path` as a Path to a file that is there and not empty."""
    try:
        file = Path(path)
        is_file, is_folder = file.is_file(), file.is_dir()
    except (TypeError, ValueError):
        raise FileError(f"a path must be text; {path!r} was given") from None
    if is_folder:
        raise FileError(f"{file} is a folder; give the path of a mesh file in it")
    if not is_file:
        raise FileError(f"{file} does not exist or is not a plain file; check the path")
    if file.stat().st_size == 0:
        raise FileError(f"{file} is empty; write it again")
    return file


def check_counts(file: Path) -> None:
    """Refuse a header that announces more entries than the file has bytes, before anyone allocates them."""
    size = file.stat().st_size
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for match in _COUNTS.finditer(content):
            longest = max(match[1].split(), key=len)
            count = max(map(int, match[1].split())) if len(longest) < 19 else 10**18
            if count > size:
                word = content[: match.start() + 1].split()[-1][-40:].decode(errors="replace")
                raise FileError(
                    f"{file} announces {count} entries after {word!r} but has only {size} bytes; "
                    "it is damaged: get or write it again"
                )


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`; what is written there replaces `path` in one step, or is removed on failure."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: the folder {target.parent} does not exist; make it first")
    if target.is_dir():
        raise FileError(f"{target} cannot be written: it is a folder; give the path of a file")
    temporary = target.with_name(f".{secrets.token_hex(6)}{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
