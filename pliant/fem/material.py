"""What a material is: constants checked once, and five functions that compiled loops call.

A material is a frozen class with its constants and a `Parameters` tuple that numba can see. The functions below are
names only; each material file supplies its own versions with `implements`, chosen by the type of the tuple.
Isotropic constants: lam = nu E / ((1 + nu)(1 - 2 nu)), mu = E / (2 (1 + nu)).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, MaterialError, check_array


def energy(material, cell, F):
    """psi(F), energy per rest volume [J/m^3]."""
    raise NotImplementedError


def stress(material, cell, F, P):
    """P = d psi / d F, first Piola stress, written into P (3, 3) [Pa]."""
    raise NotImplementedError


def stress_derivative(material, cell, F, D):
    """D[3i+j, 3k+l] = d P_ij / d F_kl, written into D (9, 9) [Pa]."""
    raise NotImplementedError


def clamped_stress_derivative(material, cell, F, D):
    """The same with its negative eigenvalues set to zero."""
    raise NotImplementedError


def stress_curvature(material, cell, A, B, P):
    """d^2 P [A, B] at F = I, written into P (3, 3) [Pa]."""
    raise NotImplementedError


def principal_response(material, first, x):
    """An isotropic material in its principal stretches, for eight cells at once; faster, and for materials that like.

    Args:
        first: the first of the cells.
        x: three octets, the signed singular values of F.

    Returns:
        psi; d psi / dx_a (3); d2 psi / dx_a dx_b (6: 00, 01, 02, 11, 12, 22); plus (3) and minus (3) of `isotropic.py`.
    """
    raise NotImplementedError


_IMPLEMENTED: dict[Callable, dict[type, Callable]] = {}


def is_implemented(generic: Callable, material: Any) -> bool:
    """Is there a version of `generic` for this type of compiled constants, as numba sees it?"""
    return getattr(material, "instance_class", None) in _IMPLEMENTED.get(generic, ())


def implementations(generic: Callable) -> Collection[Callable]:
    """All versions of it."""
    return _IMPLEMENTED.get(generic, {}).values()


def implements(generic: Callable, parameters: type) -> Callable:
    """Register the decorated function as `generic` for materials whose compiled constants are `parameters`."""

    def register(function: Callable) -> Callable:
        _IMPLEMENTED.setdefault(generic, {})[parameters] = function

        @overload(generic, strict=False)
        def choose(material, *_arguments):
            return function if getattr(material, "instance_class", None) is parameters else None

        return function

    return register


@dataclass(frozen=True, eq=False)
class Material(ABC):
    """Young's modulus, Poisson's ratio and density: one number each, or one a cell.

    A material with more constants is a frozen dataclass of its own; they go wherever these three go.

    Attributes:
        young: [Pa], above 0.
        poisson: between -1 and 0.5, both excluded.
        density: [kg/m^3], above 0.
    """

    young: float | Array
    poisson: float | Array
    density: float | Array = 1000.0

    def __post_init__(self) -> None:
        check_range(self, "young", 0.0, np.inf, "Pa; rubber has about 1e6, steel 2e11")
        check_range(self, "poisson", -1.0, 0.5, "use 0.49 for a nearly incompressible solid")
        check_range(self, "density", 0.0, np.inf, "kg/m^3; water has 1000")

    def __repr__(self) -> str:
        shown = (f"{name}={_span(getattr(self, name))}" for name in self.constant_names())
        return f"{type(self).__name__}({', '.join(shown)})"

    @classmethod
    def constant_names(cls) -> tuple[str, ...]:
        """young, poisson, density, and what a material adds."""
        return tuple(field.name for field in fields(cls) if field.init)

    def lame(self, cell_count: int) -> tuple[Array, Array]:
        """Lame constants lam (m,) and mu (m,) of every cell [Pa]."""
        E, nu = self.per_cell("young", cell_count), self.per_cell("poisson", cell_count)
        return nu * E / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))

    def per_cell(self, name: str, cell_count: int) -> Array:
        """A constant as an array (m,)."""
        given = getattr(self, name)
        value = check_array(f"{name} of {type(self).__name__}", given, (None,) * min(np.ndim(given), 1), MaterialError)
        if value.ndim and len(value) != cell_count:
            raise MaterialError(
                f"{name} has {len(value)} values but the mesh has {cell_count} cells; give one number or one a cell"
            )
        return np.array(np.broadcast_to(value, cell_count))

    def of_cells(self, cells: Ids) -> "Material":
        """The material of some cells of its mesh."""
        given = {name: getattr(self, name) for name in self.constant_names()}
        return replace(self, **{name: np.asarray(value)[cells] for name, value in given.items() if np.ndim(value)})

    @abstractmethod
    def parameters(self, cell_count: int) -> Any:
        """The constants as a named tuple of arrays, one entry a cell, for compiled code."""


def _span(constant: ArrayLike) -> str:
    """A number, or the range of those of the cells."""
    low, high = np.min(constant), np.max(constant)
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


LARGEST = 1e40  # and the least is its inverse: products of a few of them are numbers


def check_range(material: Material, name: str, low: float, high: float, hint: str) -> None:
    """Refuse a constant outside of (low, high), and freeze it."""
    given: ArrayLike = getattr(material, name)
    value = check_array(f"{name} of {type(material).__name__}", given, (None,) * np.ndim(given), MaterialError)
    outside = ~((value > low) & (value < high))
    if value.ndim > 1 or value.size == 0:
        raise MaterialError(f"{name} must be one number or a flat array, one a cell; shape {value.shape} was given")
    if outside.any():
        where = f" for cell {int(np.argmax(outside))}" if value.ndim else ""
        bad = value[outside][0] if value.ndim else value
        span = f"above {low:g}" if high == np.inf else f"above {low:g} and below {high:g}"
        raise MaterialError(f"{name} must be {span}; {float(bad):g} was given{where} ({hint})")
    if high == np.inf and not ((value >= 1 / LARGEST) & (value <= LARGEST)).all():
        worst = np.max(value) if np.max(value) > LARGEST else np.min(value)
        raise MaterialError(f"{name} must be within {1 / LARGEST:g} and {LARGEST:g}; {worst:g} was given ({hint})")
    value = value.copy()
    value.setflags(write=False)
    object.__setattr__(material, name, value if value.ndim else float(value))
