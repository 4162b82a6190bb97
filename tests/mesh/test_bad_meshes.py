"""Bad input: malformed meshes, files, selections and arguments, each refused in one sentence that says what to do."""

import time

import numpy as np
import pytest
from scipy.sparse import identity

from pliant.errors import ArgumentError, FileError, MeshError, PliantError, SelectionError
from pliant.mesh import (
    Embedding,
    Mesh,
    Surface,
    embed,
    read_mesh,
    read_surface,
    sdf,
    shapes,
    split,
    tetrahedralise,
    voxelise,
)

SECONDS = 1.0  # of processor time: every refusal is quick, also where a header promises a gigabyte

TET = np.vstack([np.zeros(3), np.eye(3)])
CUBE = shapes.box((1, 1, 1), (1, 1, 1), "hex")
BAR = shapes.bar((1, 1, 1), (2, 1, 1))
TRIANGLES = [[0, 1, 2], [0, 1, 3]]
FOLDED = CUBE.cells[:, [0, 2, 1, 3, 4, 5, 6, 7]]

MESHES = {
    "NaN vertex": (lambda: Mesh([[0, 0, np.nan], *np.eye(3)], [[0, 1, 2, 3]]), "vertices must be finite; 1 .*index"),
    "infinite vertex": (lambda: Mesh([[0, 0, np.inf], *np.eye(3)], [[0, 1, 2, 3]]), "vertices must be finite"),
    "vertices without end": (lambda: Mesh(TET * 1e200, [[0, 1, 2, 3]]), "vertices must lie within 1e\\+50 m"),
    "flat vertices": (lambda: Mesh(np.zeros((4, 2)), [[0, 1, 2, 3]]), r"vertices must have shape \(any, 3\)"),
    "vertices of words": (lambda: Mesh("abc", [[0, 1, 2, 3]]), "vertices must be an array of numbers"),
    "no vertices": (lambda: Mesh(np.empty((0, 3)), [[0, 1, 2, 3]]), "vertices must hold at least one point"),
    "no vertices at all": (lambda: Mesh(None, [[0, 1, 2, 3]]), "vertices"),
    "no cells": (lambda: Mesh(TET, []), "cells must hold at least one row of 4, 8, 10, 11 or 20"),
    "no cells at all": (lambda: Mesh(TET, None), "cells must be rows of 4, 8, 10, 11 or 20"),
    "triangles for cells": (
        lambda: Mesh(TET, TRIANGLES),
        r"cells must be rows of 4, 8, 10, 11 or 20 vertex ids; shape \(2, 3\)",
    ),
    "one flat row": (lambda: Mesh(TET, [0, 1, 2, 3]), "cells must be rows of 4, 8, 10, 11 or 20"),
    "ragged cells": (lambda: Mesh(TET, [[0, 1, 2, 3], [0, 1, 2]]), "cells must be rows .* ragged"),
    "fractional ids": (lambda: Mesh(TET, [[0.5, 1, 2, 3]]), "cells must hold whole numbers"),
    "id too large": (
        lambda: Mesh(TET, [[0, 1, 2, 4]]),
        r"cells must name vertices 0 to 3; 1 \(rows 0\).*\[0, 1, 2, 4\]",
    ),
    "enormous id": (lambda: Mesh(TET, np.array([[0, 1, 2, 2**64 - 1]], dtype=np.uint64)), "cells must name vertices"),
    "negative id": (lambda: Mesh(TET, [[0, 1, 2, -1]]), "cells must name vertices 0 to 3"),
    "repeated corner": (lambda: Mesh(TET, [[0, 1, 2, 2]]), "cells must have different corners; 1 .*remove"),
    "repeated cell": (lambda: Mesh(TET, [[0, 1, 2, 3], [1, 0, 3, 2]]), r"cells must differ; 1 \(rows 1\).*remove"),
    "flat tet": (lambda: Mesh(TET * [1, 1, 0], [[0, 1, 2, 3]]), r"cells must have volume; 1 \(rows 0\) are flat"),
    "nearly flat tet": (lambda: Mesh(TET * [1, 1, 1e-14], [[0, 1, 2, 3]]), "cells must have volume"),
    "all in one point": (lambda: Mesh(np.ones((4, 3)), [[0, 1, 2, 3]]), "cells must have volume"),
    "folded hex": (lambda: Mesh(CUBE.vertices, FOLDED), "hexes must be convex|cells must have volume"),
    "three cells on a face": (
        lambda: Mesh(np.vstack([TET, [[1, 1, 1], [2, 2, 1]]]), [[1, 2, 3, 4], [1, 2, 3, 5], [0, 1, 2, 3]]).surface,
        "a face may be shared by two cells at most; .*remove",
    ),
    "group out of range": (
        lambda: Mesh(TET, [[0, 1, 2, 3]], {"left": [9]}),
        "vertex group 'left' must lie between 0 and 3",
    ),
    "cell group of words": (lambda: Mesh(TET, [[0, 1, 2, 3]], cell_groups={"a": ["x"]}), "cell group 'a'"),
    "material of no group": (
        lambda: Mesh(TET, [[0, 1, 2, 3]], materials={"steel": {}}),
        "'steel' is none: add it to cell_groups",
    ),
    "material without constants": (
        lambda: Mesh(TET, [[0, 1, 2, 3]], cell_groups={"a": [0]}, materials={"a": {"young": 1}}),
        "material 'a' must have the constants young, poisson and density",
    ),
    "submesh of nothing": (lambda: BAR.submesh([]), "cell_ids must name at least one cell"),
    "submesh out of range": (lambda: BAR.submesh([99]), "cell_ids must lie between 0 and 11; 99"),
    "surface id too large": (lambda: Surface(TET, [[0, 1, 7]]), "triangles must name vertices 0 to 3"),
    "surface of tets": (lambda: Surface(TET, [[0, 1, 2, 3]]), "triangles must be rows of 3"),
}

ARGUMENTS = {
    "bar of negative size": (lambda: shapes.bar((1, -1, 1), (1, 1, 1)), "size must be three positive lengths"),
    "bar of NaN": (lambda: shapes.bar((1, np.nan, 1), (1, 1, 1)), "size must be finite"),
    "bar of two lengths": (lambda: shapes.bar((1, 1), (1, 1, 1)), r"size must have shape \(3,\)"),
    "bar of no cells": (lambda: shapes.bar((1, 1, 1), (1, 0, 1)), "cells must be a whole number of at least 1; 0"),
    "bar of half a cell": (lambda: shapes.bar((1, 1, 1), (1.5, 1, 1)), "cells must be a whole number"),
    "bar of one count": (lambda: shapes.bar((1, 1, 1), 4), "cells must be 3 whole numbers; 4"),
    "bar of too many cells": (lambda: shapes.bar((1, 1, 1), (10**6, 10**6, 10**6)), "cells must make at most 1e"),
    "bar of unknown kind": (
        lambda: shapes.bar((1, 1, 1), (1, 1, 1), "prism"),
        "kind must be one of tet, hex, tet10, hex11, hex20; 'prism'",
    ),
    "sphere of no radius": (lambda: shapes.sphere(0), "radius must be finite and above 0"),
    "torus without a hole": (lambda: shapes.torus(0.1, 0.2), "radius must be larger than thickness"),
    "sdf of no size": (lambda: sdf.box((0, 1, 1)), "size must be three positive lengths"),
    "sdf turned around nothing": (lambda: sdf.sphere(1).rotate((0, 0, 0), 1), "axis must have a direction"),
    "sdf union with a number": (lambda: sdf.sphere(1) | 3, "solids to combine must be"),
    "sdf grid too fine": (lambda: sdf.sphere(1).voxels(1e-6), "a grid may have .*coarsen"),
    "sdf with nothing inside": (lambda: (sdf.sphere(1) - sdf.sphere(2)).tets(0.2), "no inside .*lower edge"),
    "sdf sweep of one point": (lambda: sdf.sweep([(0, 0, 0)], 1), "points must be two or more"),
    "sdf spline that stands still": (lambda: sdf.spline([(0, 0, 0), (0, 0, 0)]), "points must be two or more, no two"),
    "voxels of an open sheet": (lambda: voxelise((TET, [[0, 1, 2]]), 8), "no cube .* refine"),
    "surface of one point": (lambda: voxelise((np.ones((3, 3)), [[0, 1, 2]]), 8), "surface must have an extent"),
    "resolution zero": (lambda: voxelise((TET, TRIANGLES), 0), "resolution must be a whole number of at least 1"),
    "resolution too high": (lambda: voxelise((TET, TRIANGLES), 10**6), "resolution .* at most 400"),
    "unknown pieces": (lambda: voxelise((TET, TRIANGLES), 8, keep="some"), "keep must be one of largest, bodies, all"),
    "surface of no kind": (lambda: voxelise(42), "surface must be a Surface, a path, or a pair"),
    "edge zero": (lambda: tetrahedralise((TET, TRIANGLES), 0), "edge must be finite and at least 0.002"),
    "unknown method": (lambda: tetrahedralise((TET, TRIANGLES), method="magic"), "method must be one of auto"),
    "tets of an open sheet": (lambda: tetrahedralise((TET, [[0, 1, 2]]), 0.2, "lattice"), "no inside .*lower edge"),
    "zero parts": (lambda: split(BAR, 0), "count must be a whole number of at least 1"),
    "more parts than cells": (lambda: split(BAR, 99), "count .* at most 12; 99"),
    "fewer parts than pieces": (
        lambda: split(Mesh(np.vstack([TET, TET + 2]), [[0, 1, 2, 3], [4, 5, 6, 7]]), 1),
        "count must be at least 2, the number of loose pieces",
    ),
    "points of two numbers": (lambda: embed(BAR, [[0, 0]]), r"points must have shape \(any, 3\)"),
    "points of NaN": (lambda: embed(BAR, [[0, 0, np.nan]]), "points must be finite"),
    "carry of a wrong length": (
        lambda: Embedding(identity(12, format="csr"), np.arange(12), np.zeros(12, bool)).carry(TET),
        r"x must have shape \(12, any\)",
    ),
    "writing to no path": (lambda: BAR.write(7), "a path must be text; '7'"),
    "writing a surface to no path": (lambda: Surface(TET, TRIANGLES).write(None), "a path must be text"),
    "path of no kind": (lambda: read_mesh(3.5), "a path must be text"),
    "path with a zero": (lambda: read_mesh("a\0b.vtu"), "a\\\\x00b|does not exist|path must be text"),
}

SELECTIONS = {
    "no text": (None, "must be text"),
    "blank": ("   ", "must be text"),
    "unfinished": ("x <", "cannot be read at its end"),
    "a number": ("x + 1", "has a number where a condition is needed"),
    "a condition as number": ("(x < 1) + 1 > 0", "has a condition where a number is needed"),
    "unknown name": ("w < 1", "character 1 uses the unknown name 'w'"),
    "unknown function": ("tan(x) < 1", "calls 'tan'"),
    "attribute": ("x.real < 1", "uses Attribute"),
    "call of an attribute": ("().__class__.__bases__[0].__subclasses__() < 1", "not possible|not part"),
    "import": ("__import__('os').system('x') < 1", "not possible"),
    "lambda": ("(lambda: 1)() < 1", "not possible"),
    "comprehension": ("[i for i in x] < 1", "uses ListComp"),
    "subscript": ("x[0] < 1", "uses Subscript"),
    "assignment": ("(w := 1) < 1", "uses NamedExpr"),
    "text": ("'a' < x", "has 'a' where a number is needed"),
    "truth": ("True", "has True where a number is needed"),
    "complex": ("1j < x", "has 1j where a number is needed"),
    "membership": ("x in y", "uses In"),
    "floor division": ("x // 2 < 1", "uses FloorDiv"),
    "bit or": ("(x < 1) | (y < 1)", "uses BitOr"),
    "tower of powers": ("9**9**9 < x", "exponent beyond 16"),
    "too long": ("x < 1 or " * 200 + "x < 1", "may have 1000 characters"),
    "too deep": ("-" * 300 + "x < 1", "nested deeper|cannot be read"),
    "many brackets": ("(" * 400 + "x" + ")" * 400 + " < 1", "cannot be read|nested deeper"),
    "unknown group": ('group("nobody")', "group 'nobody'; groups are: none in this mesh"),
    "group of nothing": ("group() and x < 1", "asks for the group"),
    "named argument": ("abs(x=1) < 1", "names an argument"),
    "min of one": ("min(x) < 1", "calls 'min' with 1 arguments"),
    "two statements": ("x < 1; y < 1", "cannot be read"),
}

VEG = "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTETS\n1 4 0\n1 1 2 3 4\n"
MEDIT_VERTICES = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
MEDIT = f"MeshVersionFormatted 1\nDimension 3\n{MEDIT_VERTICES}Tetrahedra\n1\n1 2 3 4 0\nEnd\n"
VTK = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
GMSH = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {} 1 4\n"
VTU = '<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="{}" NumberOfCells="1">'
GIGABYTE = "1000000000"

FILES = {
    "empty.vtu": (b"", "is empty"),
    "garbage.vtu": (bytes(range(256)) * 4, "is damaged, truncated"),
    "garbage.vtk": (bytes(range(256)) * 4, "is damaged, truncated"),
    "garbage.msh": (bytes(range(256)) * 4, "is damaged, truncated"),
    "garbage.mesh": (bytes(range(256)) * 4, "is damaged, truncated|has no tets"),
    "garbage.veg": (bytes(range(256)) * 4, "should begin with a command"),
    "garbage.node": (bytes(range(256)) * 4, "does not exist|damaged"),
    "picture.png": (b"\x89PNG\r\n", "has the ending '.png', which is no volume mesh format; use one of .mesh"),
    "no_ending": (b"hello", "has the ending '', which is no volume mesh format"),
    "truncated.mesh": (MEDIT[:80], "is damaged, truncated|has no tets"),
    "truncated.vtu": (VTU.format(4), "is damaged, truncated"),
    "gigabyte.mesh": (
        MEDIT.replace("Vertices\n4", f"Vertices\n{GIGABYTE}"),
        "announces 1000000000 entries after 'Vertices'",
    ),
    "gigabyte_tets.mesh": (MEDIT.replace("Tetrahedra\n1", f"Tetrahedra\n{GIGABYTE}"), "announces 1000000000 .*bytes"),
    "gigabyte.vtk": (VTK.format(GIGABYTE), "announces 1000000000 entries after 'POINTS'"),
    "gigabyte.vtu": (VTU.format(GIGABYTE), "announces 1000000000 entries after 'NumberOfPoints'"),
    "gigabyte.msh": (GMSH.format(GIGABYTE), "announces 1000000000 entries"),
    "gigabyte.veg": (VEG.replace("4 3 0 0", f"{GIGABYTE} 3 0 0"), "announces 1000000000 vertices but has 4"),
    "endless_digits.mesh": (MEDIT.replace("Vertices\n4", "Vertices\n" + "9" * 4000), "announces .* entries"),
    "grid.vtk": (
        VTK.split("DATASET")[0] + "DATASET STRUCTURED_POINTS\nDIMENSIONS 900 900 900\n",
        "announces 729000000",
    ),
    "negative.veg": (VEG.replace("4 3 0 0", "-4 3 0 0"), "should have 1 counts"),
    "letters.veg": (VEG.replace("2 1 0 0", "2 one 0 0"), "has vertices that cannot be read"),
    "short_row.veg": (VEG.replace("1 1 2 3 4", "1 1 2 3"), "has elements that cannot be read"),
    "fraction.veg": (VEG.replace("1 1 2 3 4", "1 1 2 3.5 4"), "must give elements as whole numbers"),
    "unordered.veg": (VEG.replace("2 1 0 0", "7 1 0 0"), "must number its vertices one after the other"),
    "out_of_range.veg": (VEG.replace("1 1 2 3 4", "1 1 2 3 9"), "out_of_range.veg: cells must name vertices 0 to 3"),
    "wedges.veg": (VEG.replace("TETS", "WEDGES"), "elements of type 'WEDGES'; only TETS and CUBES"),
    "no_elements.veg": (VEG.split("*ELEMENTS")[0], r"has no complete \*ELEMENTS section"),
    "bad_set.veg": (VEG + "*SET a\n1, 7\n", "has a set 'a' that is not a list of its 1 elements"),
    "enormous_set.veg": (VEG + "*SET a\n" + "9" * 30 + "\n", "has a set 'a' that is not a list"),
    "enormous_number.veg": (VEG.replace("1 0 0 0", "1e300 0 0 0"), "must number its vertices"),
    "bad_region.veg": (VEG + "*MATERIAL m\nENU, 1, 1, 0.3\n*REGION\nnobody, m\n", "unknown set 'nobody'; define it"),
    "bad_material.veg": (
        VEG + "*MATERIAL m\nENU, 1, soft, 0.3\n",
        "must give material 'm' as ENU, density, young, poisson",
    ),
    "itself.veg": ("*INCLUDE itself.veg\n", "includes itself; remove"),
    "missing_include.veg": ("*INCLUDE nowhere.veg\n", "nowhere.veg does not exist"),
    "many_includes.veg": ("*INCLUDE empty_part.txt\n" * 100, "more than 64 included files"),
    "lonely.node": ("1 3 0 0\n1 0 0 0\n", "lonely.ele does not exist"),
    "surface.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "holds a surface; use read_surface, then voxelise"),
    "surface.mesh": (
        MEDIT.split("Tetra")[0] + "Triangles\n1\n1 2 3 0\nEnd\n",
        "no tets or hexes but triangle; fill a surface",
    ),
    "flat.mesh": (MEDIT.replace("0 0 1 0\nTetra", "1 1 0 0\nTetra"), "flat.mesh: cells must have volume"),
}

SURFACES = {
    "empty.obj": (b"", "is empty"),
    "garbage.obj": (bytes(range(256)) * 4, "is damaged|triangles must|vertices must|holds no triangles"),
    "garbage.ply": (bytes(range(256)) * 4, "is damaged"),
    "garbage.stl": (bytes(range(256)) * 4, "is damaged|triangles must|vertices must|holds no triangles"),
    "garbage.off": (bytes(range(256)) * 4, "is damaged"),
    "gigabyte.off": (f"OFF\n{GIGABYTE} 4 0\n0 0 0\n", "announces 1000000000 entries after 'OFF'"),
    "gigabyte.ply": (
        f"ply\nformat ascii 1.0\nelement vertex {GIGABYTE}\nproperty float x\nend_header\n",
        "announces 1000000000",
    ),
    "points.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "is damaged|triangles must|vertices must|holds no triangles"),
    "far_index.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "is damaged|triangles must name"),
    "nan.obj": ("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "vertices must be finite"),
    "surface.vtu": ("<VTKFile/>", "is not a surface file; its ending must be one of .obj"),
}


@pytest.fixture(autouse=True)
def quick_and_silent(capfd):
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS
    assert capfd.readouterr() == ("", "")


def refused(call, error, message):
    with pytest.raises(PliantError, match=message) as caught:
        call()
    assert isinstance(caught.value, error)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", MESHES)
def test_bad_meshes_are_refused(name):
    refused(MESHES[name][0], (MeshError, ArgumentError), MESHES[name][1])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_refused(name):
    refused(ARGUMENTS[name][0], (ArgumentError, MeshError, FileError), ARGUMENTS[name][1])


@pytest.mark.parametrize("name", SELECTIONS)
def test_bad_selections_are_refused(name):
    refused(lambda: BAR.select(SELECTIONS[name][0]), SelectionError, SELECTIONS[name][1])


@pytest.mark.parametrize("name", FILES)
def test_bad_mesh_files_are_refused(tmp_path, name):
    content, message = FILES[name]
    (tmp_path / "empty_part.txt").write_text("# nothing\n")
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(lambda: read_mesh(tmp_path / name), (FileError, MeshError), message)


@pytest.mark.parametrize("name", SURFACES)
def test_bad_surface_files_are_refused(tmp_path, name):
    content, message = SURFACES[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(lambda: read_surface(tmp_path / name), (FileError, MeshError), message)


@pytest.mark.parametrize("read", [read_mesh, read_surface])
def test_missing_files_and_folders_are_refused(tmp_path, read):
    refused(lambda: read(tmp_path / "nowhere.obj"), FileError, "nowhere.obj does not exist")
    refused(lambda: read(tmp_path), FileError, "is a folder")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such/folder.vtu", "the folder .*such does not exist; make it first"),
        ("a.xyz", "has the ending '.xyz', which is no volume mesh format"),
        ("hexes.node", "cannot hold hexes"),
    ],
)
def test_unwritable_paths_are_refused(tmp_path, name, message):
    refused(lambda: CUBE.write(tmp_path / name), FileError, message)
    assert not list(tmp_path.iterdir())


def test_truncated_files_of_every_format_are_refused(tmp_path):
    for ending in (".vtu", ".vtk", ".msh", ".mesh", ".veg", ".inp", ".su2"):
        BAR.write(tmp_path / f"bar{ending}")
        content = (tmp_path / f"bar{ending}").read_bytes()
        for part in (0.3, 0.7):
            (tmp_path / f"bar{ending}").write_bytes(content[: int(part * len(content))])
            with pytest.raises(PliantError, match=f"bar{ending}"):
                read_mesh(tmp_path / f"bar{ending}")
