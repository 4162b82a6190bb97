"""What users add to pliant: materials, bases and systems under names that scene files then know."""

from collections.abc import Callable
from inspect import isabstract
from typing import Any, Literal

from pliant.basis import BASES
from pliant.errors import ArgumentError, check_choice
from pliant.fem import MATERIALS, Material
from pliant.scenes.choices import is_many, parameters
from pliant.scenes.kinds import SYSTEMS, Kind, plain_kind
from pliant.scenes.part_tables import COMMON
from pliant.scenes.schema import SceneFile

What = Literal["material", "basis", "system"]


def register(what: What, name: str, thing: Any, replace: bool = False) -> None:
    """Let scene files say `name`.

    Args:
        what: "material", "basis" or "system".
        thing: a subclass of `Material`; a function (solid, **options) -> Basis, whose options are the keys of a
            scene's basis table; a function (solid, scene) -> System, or a `Kind`.
        replace: take the place of what has this name already.
    """
    table, checked = TABLES[check_choice("what", what, tuple(TABLES))]
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise ArgumentError(f"name of a {what} must be a word such as 'mooney'; {name!r} was given")
    made = checked(name, thing)
    if name in table and not replace:
        raise ArgumentError(f"there is a {what} called {name!r} already; take another name, or say replace=True")
    table[name] = made


def _material(name: str, thing: Any) -> type[Material]:
    if not isinstance(thing, type) or not issubclass(thing, Material) or isabstract(thing):
        raise ArgumentError(f"material {name!r} must be a whole subclass of pliant.fem.Material; {thing!r} was given")
    if missing := [key for key in COMMON if key not in parameters(thing)]:
        raise ArgumentError(f"material {name!r} must be made with {', '.join(COMMON)}; it does not take {missing[0]}")
    return thing


def _basis(name: str, thing: Any) -> Callable[..., Any]:
    if not callable(thing) or not _takes(thing, 1):
        raise ArgumentError(f"basis {name!r} must be a function (solid, **options) -> Basis; {thing!r} was given")
    return thing


def _system(name: str, thing: Any) -> Kind:
    if not isinstance(thing, Kind):
        if not callable(thing) or not _takes(thing, 2):
            raise ArgumentError(f"system {name!r} must be a function (solid, scene) -> System; {thing!r} was given")
        return plain_kind(name, thing)
    if thing.name != name:
        raise ArgumentError(f"the kind is called {thing.name!r}; register it under this name, not {name!r}")
    if strange := sorted(thing.accepts - set(SceneFile.model_fields) - {"assembly"}):
        raise ArgumentError(f"the kind {name!r} accepts {strange[0]!r}, which is no key of scene files")
    if thing.table is not None and name in SceneFile.model_fields:
        raise ArgumentError(f"scene files have a key {name!r} already; give the kind with a table another name")
    return thing


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Can it be called with so many arguments in a row, and no more need to be given?"""
    try:
        given = list(parameters(function).values())
    except (TypeError, ValueError):
        return False
    row = [each for each in given if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    enough = len(row) >= count or any(each.kind is each.VAR_POSITIONAL for each in given)
    needed = [each for each in given if each.default is each.empty and not is_many(each)]
    return enough and (count < 2 or len(needed) <= count)


TABLES: dict[str, tuple[dict[str, Any], Callable[[str, Any], Any]]] = {
    "material": (MATERIALS, _material),
    "basis": (BASES, _basis),
    "system": (SYSTEMS, _system),
}
