"""Scene files written: a document as TOML, with the files that it names found from where it is written."""

import json
import math
import os
import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from pliant.errors import FileError
from pliant.mesh.files.paths import ending_of, replacing

FILES = ("mesh", "surface", "skin")  # keys that name a file
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def write_scene(document: dict[str, Any], path: str | PathLike[str], notes: Sequence[str] = ()) -> None:
    """Write a document with its notes as comments, whole or not at all."""
    check_scene_ending(path)
    with replacing(path) as temporary:
        temporary.write_text(with_notes(document, notes), encoding="utf-8")


def check_scene_ending(path: str | PathLike[str]) -> None:
    """Scene files have one ending."""
    if ending_of(path) != ".toml":
        raise FileError(f"{path} cannot be written: a scene file must end in .toml")


def with_notes(document: dict[str, Any], notes: Sequence[str] = ()) -> str:
    """TOML with sentences as comments above it."""
    comments = "".join(f"# {line}\n" for note in notes for line in note.splitlines())
    return comments + "\n" * bool(comments) + to_toml(document)


def to_toml(document: dict[str, Any]) -> str:
    """Plain keys first, then tables, then lists of tables; what lies deeper is written in one line."""
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    rows = {key: value for key, value in document.items() if _is_list_of_tables(value)}
    plain = {key: value for key, value in document.items() if key not in tables and key not in rows}
    blocks = [_lines(plain)]
    blocks += [f"[{_key(key)}]\n{_lines(table)}" for key, table in tables.items()]
    blocks += [f"[[{_key(key)}]]\n{_lines(table)}" for key, row in rows.items() for table in row]
    return "\n".join(block for block in blocks if block)


def moved(document: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The document of a scene file in folder `old`, for one in folder `new`."""

    def found(name: str) -> str:
        target = Path(os.path.abspath(old / name))
        try:
            return Path(os.path.relpath(target, os.path.abspath(new))).as_posix()
        except ValueError:  # on another drive
            return target.as_posix()

    def part(table: dict[str, Any]) -> dict[str, Any]:
        named: dict[str, Any] = {key: found(table[key]) for key in FILES if table.get(key) is not None}
        basis = table.get("basis", {})
        if basis.get("poses"):
            named["basis"] = {**basis, "poses": [found(name) for name in basis["poses"]]}
        return table | named

    whole = {"skin": found(document["skin"])} if document.get("skin") is not None else {}
    return document | whole | {"part": [part(table) for table in document["part"]]}


def _lines(table: dict[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items() if value is not None)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None)
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(_value(each) for each in value)}]"


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)
