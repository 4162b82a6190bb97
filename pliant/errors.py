"""Every way pliant says no: one class a reason, and the checks that raise them at the public boundary."""

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ids = NDArray[np.int64]


class PliantError(Exception):
    """Base of all errors: catch this one to catch them all."""


class ArgumentError(PliantError, ValueError):
    """An argument has the wrong shape, type or value."""


class MeshError(PliantError, ValueError):
    """The vertices and cells do not make a mesh that can be simulated."""


class MaterialError(PliantError, ValueError):
    """A material constant is outside the range where the material is stable."""


class SelectionError(PliantError, ValueError):
    """A selection expression cannot be understood, or selects nothing."""


class FileError(PliantError, OSError):
    """A file is missing, truncated, of a foreign or newer format, or cannot be written."""


class BasisError(PliantError, ValueError):
    """The columns offered as a basis do not span what was asked for."""


class SceneError(PliantError, ValueError):
    """A scene file has mistakes; the message lists all of them, each with its place in the file."""


class MissingPackage(PliantError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str | None, purpose: str):
        wanted = package if extra is None else f"'pliant[{extra}]'"
        super().__init__(f"{purpose} needs the package {package}; install it with: pip install {wanted}")


class Diverged(PliantError, ArithmeticError):
    """A solve found no solution. The last good state is still there to read.

    Attributes:
        time: simulated time at which the step began [s].
        residual: relative residual that was left.
        part: name of the part that failed first, where that is known.
    """

    def __init__(self, message: str, time: float = 0.0, residual: float = float("nan"), part: str | None = None):
        super().__init__(message)
        self.time, self.residual, self.part = time, residual, part


class SingularMatrix(PliantError, ArithmeticError):
    """A linear system has no unique solution, often because nothing holds a part of the body in place."""


class PliantWarning(UserWarning):
    """Something was repaired or is unusual, or errs by more than is good, and by how much."""


class CrudeBasis(PliantWarning):
    """Vectors that somebody counted err by more than is good in small motion; ignore it where that is wanted."""


def check_array(
    name: str,
    value: ArrayLike,
    shape: Sequence[int | None],
    error: type[PliantError] = ArgumentError,
    dtype: Any = np.float64,
) -> NDArray[Any]:
    """`value` as a contiguous array of finite numbers; None in `shape` admits any length."""
    try:
        if np.iscomplexobj(value):
            raise TypeError
        array = np.asarray(value, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be an array of numbers of shape {_shape(shape)}; {_given(value)} was given") from None
    if array.ndim != len(shape) or any(want is not None and want != got for want, got in zip(shape, array.shape)):
        raise error(f"{name} must have shape {_shape(shape)}; {array.shape} was given")
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        raise error(f"{name} must be finite; {len(bad)} entries are not, the first at index {tuple(map(int, bad[0]))}")
    return array


def check_out(out: NDArray[Any], shape: tuple[int, ...]) -> Array:
    """An array of the caller's that results are written into, as it is: float64, of this shape, C-ordered, writable."""
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape
    if not fits or not out.flags.c_contiguous or not out.flags.writeable:
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else _given(out)
        raise ArgumentError(f"out must be a writable, C-ordered array of float64 {_shape(shape)}; {given} was given")
    return out


def check_ids(name: str, value: ArrayLike, count: int, error: type[PliantError] = ArgumentError) -> Ids:
    """`value` as a flat array of ids below `count`, in the order given; a boolean mask of length `count` is welcome."""
    try:
        raw = np.atleast_1d(np.asarray(value))
    except ValueError:
        raise error(f"{name} must be a flat list of whole-number ids; {_given(value)} was given") from None
    if raw.dtype == bool and raw.shape == (count,):
        return np.flatnonzero(raw)
    if raw.size == 0:
        return np.empty(0, dtype=np.int64)
    if raw.ndim != 1 or raw.dtype.kind not in "iu":
        raise error(f"{name} must be a flat list of whole-number ids below {count}; {_given(value)} was given")
    if raw.min() < 0 or raw.max() >= count:
        bad = raw[(raw < 0) | (raw >= count)][0]
        raise error(f"{name} must lie between 0 and {count - 1}; {bad} was given")
    return raw.astype(np.int64)


def check_number(
    name: str,
    value: Any,
    above: float = -np.inf,
    at_least: float = -np.inf,
    at_most: float = np.inf,
    error: type[PliantError] = ArgumentError,
) -> float:
    """`value` as a finite float in the range asked for."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be a number; {_given(value)} was given") from None
    if not (np.isfinite(number) and number > above and number >= at_least and number <= at_most):
        bounds = [f"above {above:g}"] * (above > -np.inf) + [f"at least {at_least:g}"] * (at_least > -np.inf)
        bounds += [f"at most {at_most:g}"] * (at_most < np.inf)
        raise error(f"{name} must be finite{''.join(' and ' + b for b in bounds)}; {number:g} was given")
    return number


def check_count(
    name: str, value: Any, at_least: int = 1, at_most: int | None = None, error: type[PliantError] = ArgumentError
) -> int:
    """`value` as a whole number in the range asked for."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < at_least or (at_most is not None and value > at_most):
        limit = "" if at_most is None else f" and at most {at_most}"
        raise error(f"{name} must be a whole number of at least {at_least}{limit}; {_given(value)} was given")
    return int(value)


def check_choice(name: str, value: Any, choices: Sequence[str], error: type[PliantError] = ArgumentError) -> str:
    """`value`, which must be one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"{name} must be one of {', '.join(choices)}; {_given(value)} was given")
    return str(value)


def _shape(shape: Sequence[int | None]) -> str:
    return "(" + ", ".join("any" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"


def _given(value: Any) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:40]}..."
