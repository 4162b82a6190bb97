"""The public names of pliant and the room each lives in."""

from pliant.errors import Diverged as Diverged
from pliant.errors import PliantError as PliantError
from pliant.fem import Corotational as Corotational
from pliant.fem import Linear as Linear
from pliant.fem import NeoHookean as NeoHookean
from pliant.fem import Solid as Solid
from pliant.fem import StVK as StVK
from pliant.fem import solve_static as solve_static
from pliant.mesh import Mesh as Mesh
from pliant.mesh import read_mesh as read_mesh
from pliant.mesh import shapes as shapes
from pliant.mesh import split as split
from pliant.mesh import tetrahedralise as tetrahedralise
from pliant.mesh import voxelise as voxelise
from pliant.systems import Full as Full

__version__: str
