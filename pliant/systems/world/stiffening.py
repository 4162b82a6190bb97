"""Models with another Young's modulus that are the same in all else, so that bodies change while they move."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pliant.reduced import ReducedModel
from pliant.reduced.linear import LinearForce
from pliant.systems.world.body import Model
from pliant.systems.world.building import share_shapes


def follows_young(model: Model) -> bool:
    """Is it soft, of a force that another Young's modulus scales?

    Linear forces of materials that are not made of a bulk and a shear modulus are those of their constants.
    """
    if not isinstance(model, ReducedModel) or not model.size:
        return False
    force = model.force_law
    return not (isinstance(force, LinearForce) and force.elastic is not None)


class Stiffening:
    """One factor on Young's modulus of many models, over what each was made with.

    Attributes:
        factor: of now.
    """

    def __init__(self) -> None:
        self.factor = 1.0
        self._as_made: WeakKeyDictionary[Model, Model] = WeakKeyDictionary()
        self._now: WeakKeyDictionary[Model, Model] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"Stiffening({self.factor:g})"

    def change(self, factor: float) -> None:
        """Of models that are asked for from now on."""
        if factor != self.factor:
            self.factor, self._now = factor, WeakKeyDictionary()

    def of(self, model: Model) -> Model:
        """A model, or one that came from here, with the factor of now; the same one for the same."""
        made = self._as_made.get(model, model)
        if self.factor == 1.0 or not isinstance(made, ReducedModel) or not follows_young(made):
            return made
        if made not in self._now:
            stiff = made.with_material(young=self.factor * made.groups.young)
            share_shapes(made, stiff)
            self._now[made], self._as_made[stiff] = stiff, made
        return self._now[made]
