"""Models of our own that scenes are made with, each in a file of its own: signed-distance solids, and grown blocks.

Those of several parts have a cell group for each; an assembly is a tree of instanced pieces.
"""

from collections.abc import Callable

from pliant.mesh import Mesh
from pliant.scenes.assembly import Assembly
from pliant.scenes.models.basket import basket
from pliant.scenes.models.bridge import bridge
from pliant.scenes.models.doll import doll
from pliant.scenes.models.fish import fish
from pliant.scenes.models.flower import flower
from pliant.scenes.models.hare import hare
from pliant.scenes.models.heart import heart
from pliant.scenes.models.letters import letters
from pliant.scenes.models.lizard import lizard
from pliant.scenes.models.oak import oak
from pliant.scenes.models.octopus import octopus
from pliant.scenes.models.ring import ring
from pliant.scenes.models.sailboat import sailboat
from pliant.scenes.models.segments import segments
from pliant.scenes.models.shell import shell
from pliant.scenes.models.station import station
from pliant.scenes.models.sunflower import sunflower
from pliant.scenes.models.tower import tower
from pliant.scenes.models.tyrannosaur import tyrannosaur

MODELS: dict[str, Callable[..., Mesh]] = {
    "basket": basket,
    "bridge": bridge,
    "doll": doll,
    "fish": fish,
    "flower": flower,
    "hare": hare,
    "heart": heart,
    "letters": letters,
    "lizard": lizard,
    "octopus": octopus,
    "ring": ring,
    "sailboat": sailboat,
    "segments": segments,
    "shell": shell,
    "station": station,
    "sunflower": sunflower,
    "tower": tower,
    "tyrannosaur": tyrannosaur,
}
ASSEMBLIES: dict[str, Callable[..., Assembly]] = {"oak": oak}

__all__ = [
    "ASSEMBLIES",
    "MODELS",
    "basket",
    "bridge",
    "doll",
    "fish",
    "flower",
    "hare",
    "heart",
    "letters",
    "lizard",
    "oak",
    "octopus",
    "ring",
    "sailboat",
    "segments",
    "shell",
    "station",
    "sunflower",
    "tower",
    "tyrannosaur",
]
