"""Reading a reduced model back from its file."""

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from pliant.basis.size_report import SizeReport
from pliant.errors import FileError
from pliant.fem import Material, Solid
from pliant.mesh import Mesh
from pliant.mesh.cell_kinds import KINDS
from pliant.reduced.cells import CellForce
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.cubic import CubicForce
from pliant.reduced.file import read_arrays
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups
from pliant.reduced.linear import LinearForce, loaded_linear_force
from pliant.reduced.material_names import material_called
from pliant.reduced.model import GROUP_ARRAYS, ReducedModel
from pliant.reduced.packing import coefficient_count


def load(path: str | PathLike) -> ReducedModel:
    """The model in a file that `ReducedModel.save` wrote."""
    header, arrays = read_arrays(path)
    try:
        return _model(path, header, arrays)
    except FileError:
        raise
    except (KeyError, TypeError, AttributeError, ArithmeticError, IndexError, ValueError) as reason:
        raise FileError(f"{path} is not a whole reduced model ({reason!r}); build it again") from None


def _model(path: str | PathLike, header: dict[str, Any], arrays: dict[str, Any]) -> ReducedModel:
    if header.get("kind") != "model":
        raise FileError(f"{path} holds a {header.get('kind')}, not a reduced model")
    material = material_called(header["material"], path)
    groups = replace(_groups(path, material, arrays), plane="shell.thickness" in arrays)
    own: dict[str, Any] = {name: arrays[name] for name in ("X", "U", "cells", "fixed", "unit_grams")}
    parts = {name.removeprefix("force."): a for name, a in arrays.items() if name.startswith("force.")}
    law = _force(path, header["force"], material, groups, parts, own)
    own |= {name: arrays.get(f"shell.{name}") for name in ("thickness", "hinged")}
    return checked_model(
        ReducedModel(**own, material_law=material, groups=groups, force_law=law, report=_report(arrays))
    )


def checked_model(model: ReducedModel) -> ReducedModel:
    """The model, if all arrays are as long as they must be, and all numbers that say where others are in range.

    Compiled loops trust them.
    """
    n, m, r, g = len(model.X), len(model.cells), model.U.shape[1], len(model.groups.young)
    groups, law, parts = model.groups, model.force_law, model.force_law.arrays()
    lengths: dict[str, tuple[Any, tuple[int, ...]]] = {
        "X": (model.X, (n, 3)),
        "U": (model.U, (3 * n, r)),
        "unit_grams": (model.unit_grams, (g, 4 + 3 * r, 4 + 3 * r)),
        "labels": (groups.labels, (m,)),
        "fixed": (model.fixed, (model.fixed.size,)),
        **{name: (values, (g,)) for name, values in groups.constants.items()},
    }
    moduli = groups.moduli.shape[1]
    if isinstance(law, CubicForce):
        lengths["force"] = law.parts, (g, moduli, coefficient_count(r + 1))
    elif isinstance(law, LinearForce):
        lengths["force"] = law.parts, (g, moduli, r, r) if law.elastic is None else (1, 1, r, r)
    elif isinstance(law, CubatureForce):
        points = len(law.weights)
        lengths |= {"weights": (law.weights, (points,)), "gradients": (law.gradients, (points, 9, r))}
        lengths |= {"constants": (law.constants, (len(groups.constants), points)), "points": (law.cells, (points,))}
        _check_ids("points", law.cells, m)
    elif isinstance(law, CellForce):
        lengths["force"] = law.U, (3 * law.solid.mesh.vertex_count, r)
    if model.cells.ndim != 2 or model.cells.shape[1] not in KINDS:
        raise ValueError(f"cells is {model.cells.shape}")
    if (model.cells.shape[1] == 3) != (model.thickness is not None) or (model.thickness is None) != (
        model.hinged is None
    ):
        raise ValueError("triangles, their thickness and hinged vertices go together")
    if model.thickness is not None and model.hinged is not None:
        lengths |= {"thickness": (model.thickness, (m,)), "hinged": (model.hinged, (model.hinged.size,))}
        _check_ids("hinged", model.hinged, n)
        parts = {**parts, "thickness": model.thickness}
    for name, (array, shape) in lengths.items():
        if array.shape != shape:
            raise ValueError(f"{name} is {array.shape}, not {shape}")
    if groups.shares.shape not in ((len(groups.constants), m), (len(groups.constants), 1)):
        raise ValueError(f"shares is {groups.shares.shape}")
    for name, ids, end in (("cells", model.cells, n), ("fixed", model.fixed, n), ("labels", groups.labels, g)):
        _check_ids(name, ids, end)
    numbers = {"X": model.X, "U": model.U, "grams": model.unit_grams, "shares": groups.shares}
    for name, array in {**numbers, **groups.constants, **parts}.items():
        if array.dtype.kind == "f" and not (array.dtype == np.float64 and np.isfinite(array).all()):
            raise ValueError(f"{name} is not finite")
    return model


def _check_ids(name: str, ids: Any, end: int) -> None:
    if ids.dtype != np.int64 or (ids.size and not 0 <= ids.min() <= ids.max() < end):
        raise ValueError(f"{name} do not lie between 0 and {end - 1}")


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
