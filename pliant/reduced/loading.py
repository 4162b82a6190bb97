"""Reading a reduced model back from its file."""

from dataclasses import replace
from os import PathLike
from typing import Any

from pliant.basis.size_report import SizeReport
from pliant.errors import FileError
from pliant.fem import Material, Solid
from pliant.mesh import Mesh
from pliant.reduced.cells import CellForce
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.cubic import CubicForce
from pliant.reduced.file import read_arrays
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups
from pliant.reduced.linear import loaded_linear_force
from pliant.reduced.material_names import material_called
from pliant.reduced.model import GROUP_ARRAYS, ReducedModel


def load(path: str | PathLike) -> ReducedModel:
    """The model in a file that `ReducedModel.save` wrote."""
    header, arrays = read_arrays(path)
    try:
        return _model(path, header, arrays)
    except (KeyError, TypeError, IndexError, ValueError) as reason:
        raise FileError(f"{path} is not a whole reduced model ({reason!r}); build it again") from None


def _model(path: str | PathLike, header: dict[str, Any], arrays: dict[str, Any]) -> ReducedModel:
    if header.get("kind") != "model":
        raise FileError(f"{path} holds a {header.get('kind')}, not a reduced model")
    material = material_called(header["material"], path)
    groups = _groups(path, material, arrays)
    own: dict[str, Any] = {name: arrays[name] for name in ("X", "U", "cells", "fixed", "unit_grams")}
    parts = {name.removeprefix("force."): a for name, a in arrays.items() if name.startswith("force.")}
    law = _force(path, header["force"], material, groups, parts, own)
    model = ReducedModel(**own, material_law=material, groups=groups, force_law=law, report=_report(arrays))
    if model.U.shape != (model.X.size, law.size) or model.inertia.size != law.size:
        raise FileError(f"{path} is not consistent: basis {model.U.shape}, force of {law.size}; build it again")
    return model


def _report(arrays: dict[str, Any]) -> SizeReport | None:
    named = {name.removeprefix("report."): array for name, array in arrays.items() if name.startswith("report.")}
    return SizeReport.of_arrays(named) if named else None


def _groups(path: str | PathLike, material: type[Material], arrays: dict[str, Any]) -> Groups:
    prefix = "groups.others."
    others = {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
    groups = Groups(**{name: arrays[f"groups.{name}"] for name in GROUP_ARRAYS}, others=others)
    wanted = material.constant_names()
    if set(groups.constants) != set(wanted):
        raise FileError(
            f"{path} has the constants {', '.join(groups.constants)}, but {material.__name__} has {', '.join(wanted)}; "
            "build it again"
        )
    return replace(groups, others={name: others[name] for name in wanted[3:]})


def _force(
    path: str | PathLike,
    kind: str,
    material: type[Material],
    groups: Groups,
    parts: dict[str, Any],
    own: dict[str, Any],
) -> Force:
    if kind == "cubic":
        return CubicForce(parts["parts"], groups.moduli)
    if kind == "linear":
        return loaded_linear_force(parts, groups)
    if kind == "cubature":
        return CubatureForce(material, **parts)
    if kind == "cells":
        return CellForce(Solid(Mesh(own["X"], own["cells"]), groups.material(material), own["fixed"]), own["U"])
    raise FileError(f"{path} has a force of the kind {kind}, which this pliant does not know")
