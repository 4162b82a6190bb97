"""The public names of pliant and the room each lives in."""

from pliant.basis import Basis as Basis
from pliant.basis import Modes as Modes
from pliant.basis import modal_basis as modal_basis
from pliant.basis import modal_derivatives as modal_derivatives
from pliant.basis import pose_basis as pose_basis
from pliant.basis import sketch_basis as sketch_basis
from pliant.basis import snapshot_basis as snapshot_basis
from pliant.basis import vibration_modes as vibration_modes
from pliant.errors import Diverged as Diverged
from pliant.errors import PliantError as PliantError
from pliant.fem import Corotational as Corotational
from pliant.fem import Linear as Linear
from pliant.fem import NeoHookean as NeoHookean
from pliant.fem import Solid as Solid
from pliant.fem import StVK as StVK
from pliant.fem import solve_static as solve_static
from pliant.mesh import Mesh as Mesh
from pliant.mesh import Surface as Surface
from pliant.mesh import embed as embed
from pliant.mesh import read_mesh as read_mesh
from pliant.mesh import read_surface as read_surface
from pliant.mesh import sdf as sdf
from pliant.mesh import shapes as shapes
from pliant.mesh import split as split
from pliant.mesh import tetrahedralise as tetrahedralise
from pliant.mesh import voxelise as voxelise
from pliant.reduced import ReducedModel as ReducedModel
from pliant.reduced import Rigid as Rigid
from pliant.reduced import load as load
from pliant.reduced import reduce as reduce
from pliant.scenes import Scene as Scene
from pliant.scenes import gallery as gallery
from pliant.scenes import load_scene as load_scene
from pliant.skin import Pose as Pose
from pliant.skin import Skin as Skin
from pliant.systems import Clamped as Clamped
from pliant.systems import Full as Full
from pliant.systems import Seams as Seams
from pliant.systems import couple as couple
from pliant.systems import substructure as substructure
from pliant.systems import Wind as Wind
from pliant.systems import Tree as Tree
from pliant.systems import Limb as Limb

__version__: str
