"""What a motion is judged by: J = sum_k l_k(q_k, v_k, a_k) + rho(g) (maths sheet section 10)."""

from typing import NamedTuple, Protocol

from pliant.errors import Array


class StageCost(NamedTuple):
    """l_k, and its gradients with respect to q, v and a, each (r,)."""

    cost: float
    q: Array
    v: Array
    a: Array

    def __repr__(self) -> str:
        return f"StageCost(cost {self.cost:.6g}, r={len(self.q)})"


class Objective(Protocol):
    """Any object with these two methods can be minimised."""

    def stage(self, k: int, q: Array, v: Array, a: Array) -> StageCost:
        """The cost of the state (r,) after step k = 1 .. T."""

    def effort(self, controls: Array) -> tuple[float, Array]:
        """rho(g), and its gradient (T, c), of the controls (T, c)."""
