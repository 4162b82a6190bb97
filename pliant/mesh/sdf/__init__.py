"""Signed distances: solids modelled as functions, negative inside, combined with | & - and turned into meshes.

heart = sdf.smooth_union(sdf.sphere(0.3).translate((0.2, 0, 0)), sdf.sphere(0.3).translate((-0.2, 0, 0)), radius=0.1)
mesh = (heart - sdf.box((1, 0.1, 0.1))).voxels(0.02)
"""

from pliant.mesh.sdf.curves import spline, sweep
from pliant.mesh.sdf.field import Field, intersection, smooth_union, union
from pliant.mesh.sdf.primitives import box, capsule, cone, cylinder, ellipsoid, rounded_box, sphere, torus

__all__ = [
    "Field",
    "box",
    "capsule",
    "cone",
    "cylinder",
    "ellipsoid",
    "intersection",
    "rounded_box",
    "smooth_union",
    "sphere",
    "spline",
    "sweep",
    "torus",
    "union",
]
