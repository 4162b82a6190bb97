"""Contacts of 20 deforming bodies of 5,120 triangles: boxes refit and contacts found, against others and bare memory.

The scene is that of maths sheet momentum E13, where ipctk's LBVH (build and face-vertex query, candidates alone)
takes 51 ms and libigl's trees, rebuilt, 69 ms; the latter is the yardstick where ipctk is not installed. Its bodies are
packed until they are a quarter of a metre inside each other; a tenth farther apart they overlap by half of that.
"""

import numpy as np
from numba import njit

from bench.timing import best_times, table
from pliant.collide import collision_shape, contacts_for, find_contacts, refit, surfaces_of
from pliant.collide.distance import signed_distances
from pliant.collide.surfaces import Surfaces
from pliant.collide.thinning import MOST, choose
from pliant.errors import Array, Ids

BODIES, MODES, IPCTK_OVER_LIBIGL = 20, 10, 51 / 69


def icosphere(times: int) -> tuple[Array, Ids]:
    """Vertices on the unit sphere and 20 * 4^times triangles."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=times)
    return np.array(ball.vertices), np.array(ball.faces)


def scene(
    times: int, bodies: int = BODIES, strength: float = 0.4, apart: float = 1.0
) -> tuple[Array, Ids, list[Array]]:
    """Ellipsoids at rest, their triangles, and the vertices of all bodies: bent by random waves, in a packed grid."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(1)
    X, triangles = icosphere(times)
    X = X * [1.0, 0.6, 0.5]
    waves = [np.stack([np.sin(1.5 * (k // 3 + 1) * X[:, (k + a) % 3] + k) for a in range(3)], 1) for k in range(MODES)]
    U = 0.1 * np.stack(waves, axis=2)
    U -= U.mean(axis=0)
    q = strength * rng.standard_normal((bodies, MODES))
    R = Rotation.from_rotvec(0.25 * rng.standard_normal((bodies, 3))).as_matrix()
    side = int(np.ceil(bodies ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:bodies, [1, 0, 2]]
    t = apart * grid * [1.98, 1.16, 0.97] + 0.05 * rng.standard_normal((bodies, 3))
    return X, triangles, [(X + U @ q[b]) @ R[b].T + t[b] for b in range(bodies)]


def surfaces(X: Array, triangles: Ids, places: list[Array]) -> tuple[Surfaces, Array]:
    shape = collision_shape(X, triangles)
    return surfaces_of([shape], np.zeros(len(places), dtype=np.int64)), np.concatenate([x[shape.ids] for x in places])


@njit(cache=True)
def sum_of(numbers):
    """One pass over memory."""
    total = 0.0
    for row in numbers:
        for number in row:
            total += number
    return total


def compare(times: int, strength: float, apart: float, margin: float) -> dict[str, object]:
    """Times of one scene [ms]."""
    X, triangles, places = scene(times, strength=strength, apart=apart)
    S, x = surfaces(X, triangles, places)
    margins, allowed, room = np.full(BODIES, margin / 2), np.ones((BODIES, BODIES), np.uint8), contacts_for(200000)
    refit(S, x)
    count = find_contacts(S, x, margins, allowed, room)
    runs = {
        "refit": lambda: refit(S, x),
        "find": lambda: find_contacts(S, x, margins, allowed, room),
        "pass": lambda: (sum_of(x), sum_of(S.boxes)),
    }
    try:
        import igl
    except ImportError:
        igl = None
    if igl is not None:

        def rebuild() -> None:
            for place in places:
                igl.AABB().init(place, triangles)

        runs["libigl"] = rebuild
    lbvh = ipctk_query(places, triangles)
    if lbvh is not None:
        runs["ipctk"] = lbvh
    took = {name: 1e3 * seconds for name, seconds in best_times(runs).items()}
    ours = took["refit"] + took["find"]
    rival = took.get("ipctk", took.get("libigl", np.nan) * IPCTK_OVER_LIBIGL)
    return {
        "triangles": len(triangles),
        "strength": strength,
        "apart": apart,
        "margin mm": 1e3 * margin,
        "contacts": count,
        "deepest mm": -1e3 * float(room.gap[:count].min(initial=0)),
        "refit ms": took["refit"],
        "find ms": took["find"],
        "refit / pass": took["refit"] / took["pass"],
        "libigl rebuilt ms": took.get("libigl", np.nan),
        "ipctk ms" if lbvh is not None else "ipctk ms (by libigl)": rival,
        "times under ipctk": rival / ours,
    }


def ipctk_query(places: list[Array], triangles: Ids):
    """Build of the LBVH over all bodies, and face-vertex candidates, of different ones where it can tell them apart, on
    one thread; None if it is not installed."""
    try:
        import ipctk
    except ImportError:
        return None
    ipctk.set_num_threads(1)
    x = np.asfortranarray(np.concatenate(places))
    faces = np.concatenate([triangles + b * len(places[0]) for b in range(len(places))])
    faces = np.asfortranarray(faces, dtype=np.int32)
    edges, broad = np.asfortranarray(ipctk.edges(faces)), ipctk.LBVH()
    if hasattr(ipctk, "VertexPatchesCanCollide"):
        broad.can_vertices_collide = ipctk.VertexPatchesCanCollide(np.repeat(np.arange(len(places)), len(places[0])))

    def query() -> None:
        broad.build(x, edges, faces, 0.0)
        broad.detect_face_vertex_candidates()

    return query


def queries() -> list[dict[str, object]]:
    """Nanoseconds of a signed distance, by distance of the points from the surface."""
    X, triangles, places = scene(4)
    S, x = surfaces(X, triangles, places)
    refit(S, x)
    rng = np.random.default_rng(2)
    own = x[: S.first_vertex[1]]
    rows: list[dict[str, object]] = []
    for spread in (1e-3, 1e-2, 1e-1):
        points = own[rng.integers(len(own), size=5000)] + spread * rng.standard_normal((5000, 3))
        triangle, distance = np.zeros(5000, dtype=np.int64), np.zeros(5000)
        took = best_times({"": lambda p=points, t=triangle, d=distance: signed_distances(S, x, 0, p, t, d)})[""]
        rows.append({"about mm from the surface": 1e3 * spread, "ns a point": 1e9 * took / 5000})
    return rows


def growth() -> list[dict[str, object]]:
    """Time over the number of bodies, of 320 triangles each."""
    rows: list[dict[str, object]] = []
    for bodies in (8, 64, 512):
        X, triangles, places = scene(2, bodies)
        S, x = surfaces(X, triangles, places)
        margins, allowed, room = np.full(bodies, 1e-3), np.ones((bodies, bodies), np.uint8), contacts_for(400000)
        refit(S, x)
        count = find_contacts(S, x, margins, allowed, room)
        took = best_times(
            {"refit": lambda S=S, x=x: refit(S, x), "find": lambda a=(S, x, margins, allowed, room): find_contacts(*a)}
        )
        chosen = np.zeros(len(room.gap), np.uint8)
        thinned = best_times({"": lambda a=(room, count, MOST, margins, S.ways, 0.0, 0.0, 0.0, chosen): choose(*a)})[""]
        rows.append(
            {"bodies": bodies, "contacts": count}
            | {f"{name} us a body": 1e6 * seconds / bodies for name, seconds in took.items()}
            | {"find ns a contact": 1e9 * took["find"] / count, "thin ns a contact": 1e9 * thinned / count}
        )
    return rows


def main() -> None:
    settings = [(4, 0.4, 1.0, 2e-3), (4, 0.1, 1.0, 2e-3), (4, 0.1, 1.1, 2e-3), (4, 0.1, 1.1, 2e-2), (3, 0.4, 1.0, 2e-3)]
    print(table([compare(*setting) for setting in settings]))
    print(table(queries()))
    print(table(growth()))


if __name__ == "__main__":
    main()
