"""From a TOML file to a checked scene: every mistake at once, each with its place and what is allowed."""

import difflib
import reprlib
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pliant.errors import FileError, PliantWarning, SceneError
from pliant.scenes.scene_model import scene_model
from pliant.scenes.schema import SceneFile

LARGEST_FILE = 1_000_000
MOST_MISTAKES = 30


def read_scene(path: Path) -> SceneFile:
    """The scene in a file."""
    try:
        data = path.read_bytes()[: LARGEST_FILE + 1]
    except OSError as reason:
        raise FileError(f"the scene {path} cannot be read: {reason.strerror or reason}") from None
    if len(data) > LARGEST_FILE:
        raise FileError(f"the scene {path} is larger than {LARGEST_FILE} bytes; is it a mesh?")
    return parse_scene(data, str(path))


def parse_scene(data: bytes, name: str = "scene") -> SceneFile:
    """The scene in the bytes of a TOML document; `name` is used in messages."""
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as reason:
        raise SceneError(f"{name} is not a text file: byte {reason.start} is not UTF-8") from None
    except tomllib.TOMLDecodeError as reason:
        raise SceneError(f"{name} is not valid TOML: {reason}") from None
    except RecursionError:
        raise SceneError(f"{name} is nested too deeply") from None
    except ValueError:
        raise SceneError(f"{name} has a number with more digits than can be meant; shorten it") from None
    scene = check_scene(document, name)
    _warn_of_spare_parts(scene, name)
    return scene


def _warn_of_spare_parts(scene: SceneFile, name: str) -> None:
    used = {body.part for body in scene.body} | {place.part for place in scene.place} or {scene.part[0].name}
    if spare := [part.name for part in scene.part if part.name not in used]:
        tables = "[[place]]" if scene.place else "[[body]]"
        said = f"{name}: no {tables} names the part {spare[0]!r}, so it is not in the scene"
        warnings.warn(f"{said}; name it in one, or leave it out", PliantWarning, 5)


def check_scene(document: dict[str, Any], name: str = "scene") -> SceneFile:
    """The scene in a parsed document."""
    try:
        return scene_model().model_validate(document)
    except ValidationError as reason:
        mistakes = [_sentence(error) for error in reason.errors(include_url=False, include_context=True)]
    except RecursionError:
        raise SceneError(f"{name} is nested too deeply") from None
    shown = mistakes[:MOST_MISTAKES] + [f"... and {len(mistakes) - MOST_MISTAKES} more"] * (
        len(mistakes) > MOST_MISTAKES
    )
    count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    raise SceneError(f"{name} has {count}:\n" + "\n".join(f"  {line}" for line in shown))


def _sentence(error: Any) -> str:
    place, given = _place(error["loc"]), reprlib.repr(error["input"])
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown key{_suggestion(error['loc'])}"
    if error["type"] == "missing":
        return f"{place}: missing"
    if error["type"] == "value_error":
        return f"{place or 'the scene'}: {error['ctx']['error']}"
    message = error["msg"][0].lower() + error["msg"][1:]
    return f"{place}: {message.replace('input ', '')}; {given} was given"


def _place(location: tuple[int | str, ...]) -> str:
    """part[0].material.poisson; branches of unions, which pydantic also lists, are left out."""
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step not in _UNION_BRANCHES and not step.startswith(
            ("literal[", "dict[", "constrained-", "tagged-", "list[")
        ):
            text += f".{step}" if text else step
    return text


_UNION_BRANCHES = {"int", "str", "float", "bool", "DentTable", "ControlTable", "KeyframesControl"}


def _suggestion(location: tuple[int | str, ...]) -> str:
    known = _keys_at(location[:-1])
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; allowed here: {', '.join(known)}"


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    tables: list[type[BaseModel]] = [scene_model()]
    for step in location:
        if isinstance(step, str):  # a key, the table of a union, or another branch of one
            tables = [each for each in tables if each.__name__ == step] or _tables_under(tables, step) or tables
    fields = [field.alias or name for table in tables for name, field in table.model_fields.items()]
    return list(dict.fromkeys(fields))


def _tables_under(tables: list[type[BaseModel]], key: str) -> list[type[BaseModel]]:
    """Those that a key of these tables holds, alone, in lists, or one of several."""
    fields = [table.model_fields[key] for table in tables if key in table.model_fields]
    return [kind for field in fields for kind in _within(field.annotation)]


def _within(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _within(part)
