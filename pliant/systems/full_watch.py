"""What watches over the steps of the full model: its energy against the work, and its cells."""

import warnings
from collections.abc import Mapping

import numpy as np

from pliant.errors import Array, Diverged, PliantWarning
from pliant.fem import Linear, Solid, StVK
from pliant.fem.inversion import against_crushing
from pliant.systems.arrival import FAR
from pliant.systems.energy_watch import FLOOR, add_work, balanced, begin, energy_watch

CHECKED = 16  # steps from check to check
TOO_MANY = 0.1  # of the volume inside out
NOISE = 1e-13  # of the energy that deforms a body by its own size: what rounding makes of energies


class FullWatch:
    """Keeps the last state that was sound.

    Attributes:
        good: u, v, a and the time at the last check that passed.
    """

    def __init__(self, solid: Solid, explicit: bool):
        self._solid, self._explicit = solid, explicit
        self._extent = float(np.ptp(solid.mesh.vertices, axis=0).max())
        stiffness = float(np.mean(solid.stiffness().diagonal()))
        self._ledger = energy_watch(NOISE * 0.5 * stiffness * self._extent**2)
        self._told, self._since = isinstance(solid.material, Linear), 0
        self.good: dict[str, Array | float] = {}

    def begin(self, state: Mapping[str, Array], time: float, dt: float) -> None:
        """From a state that nothing led to."""
        begin(self._ledger, self._energy(state, dt))
        self._keep(state, time)

    def count(self, load: Array, moved: Array) -> None:
        """A step has been taken under this mean load."""
        add_work(self._ledger, float(load @ moved))
        self._since += 1

    @property
    def due(self) -> bool:
        """Is it time for a check?"""
        return self._since >= CHECKED

    def within(self, state: Mapping[str, Array]) -> bool:
        """Are the numbers of a state such as energies can be made of, and its displacements, but for flight, real?"""
        u, v = state["u"], state["v"]
        shape = u.reshape(-1, 3) if len(self._solid.fixed) else u.reshape(-1, 3) - u.reshape(-1, 3).mean(axis=0)
        far = np.einsum("ij,ij->", shape, shape) / len(shape) > (FAR * self._extent) ** 2
        # No energy of a material grows faster than det F cubed: then it is finite as well.
        return bool(np.isfinite((u @ u) ** 5 + v @ v) and not far)

    def struck(self, before: Mapping[str, Array], after: Mapping[str, Array], dt: float) -> None:
        """An impulse has worked."""
        add_work(self._ledger, self._energy(after, dt) - self._energy(before, dt))

    def check(self, state: Mapping[str, Array], time: float, dt: float) -> None:
        """Raises `Diverged` where energy was gained that no load supplied, or where the body is inside out."""
        since, cure = float(self.good["time"]), "use a smaller dt, more damping or a softer push"
        law = type(self._solid.material)
        if not all(np.isfinite(state[name]).all() for name in "uva") or not self.within(state):
            raise Diverged(f"the steps from t = {since:.6g} s found no solution; {cure}", since)
        if not balanced(self._ledger, self._energy(state, dt)):
            raise Diverged(f"the steps from t = {since:.6g} s gained energy that no load supplied; {cure}", since)
        share = self._turned(state["u"])
        if share > TOO_MANY and issubclass(law, StVK):
            what = f"turned {share:.0%} of the volume inside out; {against_crushing(law)}"
            raise Diverged(f"the steps from t = {since:.6g} s {what}", since)
        if share > 0 and not self._told:
            self._told = True
            warnings.warn(f"some cells are inside out; {against_crushing(law)}", PliantWarning, 4)
        self._keep(state, time)

    def _keep(self, state: Mapping[str, Array], time: float) -> None:
        self._since, self.good = 0, {**{name: state[name].copy() for name in "uva"}, "time": time}

    def _energy(self, state: Mapping[str, Array], dt: float) -> float:
        """What steps keep: T + V, for explicit ones T + V - dt^2/8 a M a with lumped mass."""
        v, a, masses = state["v"], state["a"], self._solid.lumped_mass
        if not self._explicit:
            return float(0.5 * v @ (self._solid.mass @ v) + self._solid.energy(state["u"]))
        lost = dt**2 / 8 * (a @ (masses * a))
        self._ledger[FLOOR] = max(self._ledger[FLOOR], 2 * lost if self._since == 0 else 0.0)
        return float(0.5 * v @ (masses * v) + self._solid.energy(state["u"]) - lost)

    def _turned(self, u: Array) -> float:
        """Share of the volume with det F < 0 at the first point of its cells."""
        if not self._solid.has_inside:
            return 0.0
        e, cells = self._solid.elements, self._solid.mesh.cells
        F = np.eye(3) + np.einsum("cai,caj->cij", u.reshape(-1, 3)[cells], e.gradients[e.blocks, 0])
        volume = e.weights.sum(axis=1)[e.blocks]
        return float(volume[np.linalg.det(F) < 0].sum() / volume.sum())
