"""The state of a system: everything that changes with time, as named plain arrays. Equal for equal motion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ArgumentError, Array, check_array, check_number

SHOWN = 6  # arrays that are named when a state is printed


class State(Mapping[str, NDArray[Any]]):
    """Read-only arrays by name, among them `time` (); `bytes(state)` and `State.from_bytes` copy it to the last bit.

    Two states are equal where all their numbers are, and may be keys of a dictionary.
    """

    __slots__ = ("_arrays",)

    def __init__(self, **arrays: ArrayLike):
        self._arrays = {name: _owned(arrays[name]) for name in sorted(arrays)}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self._arrays["time"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __or__(self, other: Mapping[str, ArrayLike]) -> State:
        return State(**{**self._arrays, **other})

    def __bytes__(self) -> bytes:
        header = [[name, array.dtype.str, array.shape] for name, array in self._arrays.items()]
        text = json.dumps(header).encode()
        return len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in self._arrays.values())

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state that `bytes` gave."""
        try:
            end = 8 + int.from_bytes(data[:8], "little")
            arrays = {}
            for name, kind, shape in json.loads(data[8:end]):
                count = int(np.prod(shape, dtype=np.int64))
                arrays[name] = np.frombuffer(data, np.dtype(kind), count, end).reshape(shape)
                end += arrays[name].nbytes
        except Exception:  # names of types can be wrong in any way
            raise ArgumentError(f"these {len(data)} bytes are no state; give what bytes(system.state()) gave") from None
        return cls(**arrays)

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, State) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __repr__(self) -> str:
        shapes = [f"{name} {array.shape}" for name, array in self._arrays.items() if name != "time"]
        more = f", and {len(shapes) - SHOWN} more" if len(shapes) > SHOWN else ""
        return f"State(time={self._arrays.get('time', np.nan):g}, {', '.join(shapes[:SHOWN])}{more})"


def checked_state(state: Mapping[str, ArrayLike], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """A whole state or none: arrays of these shapes under their names, and the time."""
    missing = [name for name in (*shapes, "time") if not isinstance(state, Mapping) or name not in state]
    if missing:
        raise ArgumentError(f"state must come from state() of such a system; it lacks {', '.join(missing)}")
    checked: dict[str, Any] = {name: check_array(name, state[name], shape) for name, shape in shapes.items()}
    return checked | {"time": check_number("time", state["time"])}


def loads_felt(state: Mapping[str, ArrayLike], size: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the load that the accelerations of a state answer, and of that felt at last, where it tells them."""
    return {name: (size,) for name in ("balanced", "felt") if isinstance(state, Mapping) and name in state}


def adopt_forces(state: Mapping[str, ArrayLike], forces: Array, name: str = "hold_forces") -> None:
    """The forces of hands as they were, where the same number of hands holds now; else they begin anew."""
    then = np.ravel(state.get(name, ()))
    forces[:] = then if then.shape == forces.shape else 0.0


def _owned(array: ArrayLike) -> Array:
    copied = np.array(array)
    copied.setflags(write=False)
    return copied
