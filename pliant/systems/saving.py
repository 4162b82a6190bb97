"""Systems in files: what they are made of, what acts on them and how they move, to the last bit. Nothing is unpickled.

A file is a tree of plain values in its header, with arrays and objects by number: objects of a few known classes,
written once however many share them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pliant.basis.boundary import PartColumns
from pliant.basis.interface_entities import Entity
from pliant.basis.size_report import SizeReport
from pliant.basis.trace import Trace
from pliant.errors import ArgumentError, FileError, PliantError
from pliant.fem import MATERIALS, Material, Shell, Solid
from pliant.mesh import Mesh, Surface
from pliant.mesh.domains import Domain, Domains
from pliant.mesh.embedding import Embedding
from pliant.mesh.sheet import Sheet
from pliant.reduced import ReducedModel, Rigid
from pliant.reduced.cells import CellForce
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.cubic import CubicForce
from pliant.reduced.file import read_arrays, write_arrays
from pliant.reduced.groups import Groups
from pliant.reduced.linear import LinearForce
from pliant.reduced.loading import checked_model
from pliant.skin import Worn

PLAIN = (bool, int, float, str, type(None))


class Coded(NamedTuple):
    """How objects of a kind are taken apart and made again."""

    kind: type
    parts: Callable[[Any], dict[str, Any]]
    made: Callable[..., Any]
    moves: bool


CODED: dict[str, Coded] = {}


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value) if each.init}


def savable(
    kind: type,
    parts: Callable[[Any], dict[str, Any]] = _fields,
    made: Callable[..., Any] | None = None,
    moves: bool = False,
) -> None:
    """Let files hold objects of a kind: by default a data class, by its fields. Copies share what does not move."""
    CODED[kind.__name__] = Coded(kind, parts, kind if made is None else made, moves)


_BY_FIELDS: tuple[type, ...] = (Mesh, Surface, Embedding, Worn, Domain, Domains, Entity, Trace, PartColumns, Groups)
for _kind in (*_BY_FIELDS, CubicForce, LinearForce, CubatureForce, CellForce, SizeReport):
    savable(_kind)
savable(ReducedModel, made=lambda **parts: checked_model(ReducedModel(**parts)))
savable(Solid, lambda it: {"mesh": it.mesh, "material": it.material, "fixed": it.fixed})
savable(
    Shell,
    lambda it: {
        "surface": it.mesh,
        "material": it.material,
        "thickness": it.thickness,
        "fixed": it.clamped,
        "hinged": it.hinged,
    },
)
savable(
    Sheet,
    lambda it: {name: getattr(it, name) for name in ("vertices", "cells", "vertex_groups", "cell_groups")},
)
savable(Rigid, lambda it: {"mesh": it.mesh, "density": it.density})


def save(system: Any, path: str | PathLike) -> None:
    """Write a system to a file, whole or not at all; `resume` gives it back."""
    writer = _Writer()
    header = {"kind": "system", "system": writer.node(system), "objects": writer.objects}
    write_arrays(path, header, writer.arrays)


def resume(path: str | PathLike) -> Any:
    """The system in a file that `system.save` wrote, as it was: it goes on to the last bit."""
    header, arrays = read_arrays(path)
    if header.get("kind") != "system":
        raise FileError(f"{path} holds a {header.get('kind')}, not a saved system; read models with pl.load")
    try:
        system = _Reader(header["objects"], arrays).value(header["system"])
        if not hasattr(system, "step"):
            raise TypeError(f"it holds a {type(system).__name__}")
        return system
    except PliantError:
        raise
    except Exception as reason:  # what is missing or of another kind fails in any way
        raise FileError(f"{path} is not a whole system ({reason!r:.100}); save it again") from None


def copied(system: Any) -> Any:
    """Another one that moves for itself, with the same parts, which never change."""
    writer = _Writer(shares=True)
    node = writer.node(system)
    return _Reader(writer.objects, writer.arrays, writer.shared).value(node)


def packed(system: Any) -> tuple[Any, ...]:
    """What `unpacked` needs: nodes, arrays, and the kinds that must be imported first."""
    writer = _Writer()
    return writer.node(system), writer.objects, writer.arrays, tuple(writer.kinds)


def unpacked(node: Any, objects: list[Any], arrays: dict[str, Any], _kinds: tuple[type, ...]) -> Any:
    """The system that was `packed`."""
    return _Reader(objects, arrays).value(node)


class _Writer:
    """Attributes:
    arrays: by number. objects: nodes of objects, in the order in which they can be made. kinds: their classes.
    shared: objects that copies share, by number.
    """

    def __init__(self, shares: bool = False) -> None:
        self.arrays: dict[str, Any] = {}
        self.objects: list[Any] = []
        self.kinds: dict[type, None] = {}
        self.shared: list[Any] = []
        self._shares = shares
        self._known: dict[int, tuple[Any, list[Any]]] = {}

    def node(self, value: Any) -> Any:
        """Plain values as they are, others as a list of a tag and what it needs."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, tuple | list):
            return ["tuple" if isinstance(value, tuple) else "list", *(self.node(each) for each in value)]
        if isinstance(value, Mapping):
            return ["dict", *([self.node(key), self.node(each)] for key, each in value.items())]
        if isinstance(value, type) and issubclass(value, Material):
            return ["law", _law(value)]
        if id(value) not in self._known:
            # The value is kept, so that no other object gets its id.
            self._known[id(value)] = value, self._array(value) if isinstance(value, np.ndarray) else self._object(value)
        return self._known[id(value)][1]

    def _array(self, value: Any) -> list[Any]:
        # Products depend, in the last bit, on how a matrix lies in memory.
        columns = value.ndim == 2 and value.flags.f_contiguous and not value.flags.c_contiguous
        number, kept = str(len(self.arrays)), value.T if columns else value
        self.arrays[number] = kept.copy() if self._shares and kept.flags.writeable else kept
        return ["columns" if columns else "array", number]

    def _object(self, value: Any) -> list[Any]:
        coded = CODED.get(type(value).__name__)
        if self._shares and (coded is None or not coded.moves):
            self.shared.append(value)
            return ["shared", len(self.shared) - 1]
        self.objects.append(self._taken_apart(value))
        return ["object", len(self.objects) - 1]

    def _taken_apart(self, value: Any) -> list[Any]:
        kind = type(value)
        self.kinds[kind] = None
        if sp.issparse(value):
            parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr, "shape": value.shape}
            return ["sparse", value.format, self.node(parts)]
        if isinstance(value, Material):
            return ["material", _law(kind), self.node(_fields(value))]
        coded = CODED.get(kind.__name__)
        if coded is None or coded.kind is not kind:
            raise ArgumentError(f"a {kind.__name__} cannot be saved with a system; only pliant's own parts can")
        return ["object", kind.__name__, self.node(coded.parts(value))]


def _law(kind: type[Material]) -> str:
    for name, known in MATERIALS.items():
        if known is kind:
            return name
    raise ArgumentError(f"{kind.__name__} is not among the known materials; add it with pl.register, then save")


class _Reader:
    def __init__(self, objects: list[Any], arrays: dict[str, Any], shared: Sequence[Any] = ()):
        self._objects, self._arrays, self._shared = objects, arrays, shared
        self._made: dict[int, Any] = {}

    def value(self, node: Any) -> Any:
        """What a node stands for."""
        if not isinstance(node, list):
            return node
        tag, *rest = node
        if tag in ("tuple", "list"):
            values = [self.value(each) for each in rest]
            return tuple(values) if tag == "tuple" else values
        if tag == "dict":
            return {self.value(key): self.value(each) for key, each in rest}
        if tag == "law":
            return MATERIALS[rest[0]]
        if tag == "shared":
            return self._shared[rest[0]]
        if tag in ("array", "columns"):
            array = self._arrays[rest[0]]
            return array.T if tag == "columns" else array
        if rest[0] not in self._made:
            self._made[rest[0]] = self._assembled(*self._objects[rest[0]])
        return self._made[rest[0]]

    def _assembled(self, tag: str, name: str, node: Any) -> Any:
        parts = self.value(node)
        if tag == "sparse":
            make = getattr(sp, f"{name}_matrix")
            matrix = make((parts["data"], parts["indices"], parts["indptr"]), shape=parts["shape"])
            matrix.check_format()  # its compiled loops trust the places
            return matrix
        if tag == "material":
            return MATERIALS[name](**parts)
        if name not in CODED:
            raise FileError(f"the file holds a {name}, which is not imported; import where it is defined first")
        return CODED[name].made(**parts)
