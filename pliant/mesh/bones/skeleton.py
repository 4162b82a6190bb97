"""A skeleton: segments or points in space, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, FileError, check_array, check_ids
from pliant.mesh.files.paths import existing_file
from pliant.mesh.mesh import Mesh

LONGER, INSIDE = 2.0, 0.6  # variance along over that across, of parts that have an axis; how far bones reach
SIDE = 3  # columns of a point in a .tgf: x, y, z; programs write more behind them


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Skeleton:
    """Bones, each a segment; one that begins where it ends is a point.

    Attributes:
        ends: (k, 2, 3) [m].
        names: of every bone.
    """

    ends: Array
    names: tuple[str, ...]

    def __init__(self, ends: ArrayLike, names: Sequence[str] | None = None):
        given = check_array("ends of bones", ends, (None,) * np.ndim(np.asarray(ends)))
        segments = np.repeat(given[:, None], 2, axis=1) if given.ndim == 2 else given
        checked = check_array("ends of bones", segments, (None, 2, 3)).copy()
        if not len(checked):
            raise ArgumentError("a skeleton needs at least one bone")
        checked.flags.writeable = False
        labels = tuple(f"bone {k}" for k in range(len(checked))) if names is None else tuple(map(str, names))
        if len(labels) != len(checked) or len(set(labels)) < len(labels):
            raise ArgumentError(
                f"names must be one a bone, all different; {len(checked)} bones have {list(labels)[:6]}"
            )
        self.__dict__.update(ends=checked, names=labels)

    def __repr__(self) -> str:
        return f"Skeleton({len(self.names)} bones)"

    @classmethod
    def of_parts(cls, mesh: Mesh, labels: ArrayLike, names: Sequence[str] | None = None) -> Skeleton:
        """A bone in every part of a mesh, such as of `pl.split(mesh)`: along its longest axis, or in its middle.

        A rod of length l has the variance l^2/12 along it, so bones reach from -s to s with s = INSIDE sqrt(3 var).

        Args:
            labels: (m,) the part of every cell, from 0.
            names: of the bones; by default "bone 0", ...
        """
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.read_mesh)")
        of = check_ids("labels", labels, mesh.cell_count)
        if len(of) != mesh.cell_count or len(np.unique(of)) <= of.max(initial=-1):
            raise ArgumentError(
                f"labels must be one a cell, from 0, and no part without a cell; {len(of)} were given for "
                f"{mesh.cell_count} cells"
            )
        return cls([_along(mesh.centroids[of == k], mesh.volumes[of == k]) for k in range(int(of.max()) + 1)], names)

    def distances(self, points: Array) -> tuple[Array, Array]:
        """Of points (p, 3): the distance from every bone (p, k) [m], and the nearest place on it (p, k, 3)."""
        start, way = self.ends[:, 0], self.ends[:, 1] - self.ends[:, 0]
        square = (way**2).sum(axis=1)
        along = np.einsum("pki,ki->pk", points[:, None] - start, way) / np.where(square > 0, square, 1.0)
        places = start + np.clip(along, 0, 1)[..., None] * way
        return np.linalg.norm(points[:, None] - places, axis=2), places

    def is_point(self, bone: int) -> bool:
        """Does a bone begin where it ends?"""
        return bool((self.ends[bone, 0] == self.ends[bone, 1]).all())

    def samples(self, spacing: float) -> list[Array]:
        """Of every bone, places (s, 3) along it, at most so far apart [m]."""
        counts = np.ceil(np.linalg.norm(self.ends[:, 1] - self.ends[:, 0], axis=1) / spacing).astype(int) + 1
        return [np.linspace(a, b, count) for (a, b), count in zip(self.ends, counts)]


def _along(x: Array, volumes: Array) -> Array:
    """(2, 3) ends of a bone in cells at places x (c, 3); twice the middle of what has no longest axis."""
    middle = volumes @ x / volumes.sum()
    spread, axes = np.linalg.eigh(np.einsum("c,ci,cj->ij", volumes, x - middle, x - middle) / volumes.sum())
    long = spread[2] > LONGER * spread[1]
    return middle + np.outer([-1, 1], INSIDE * np.sqrt(3 * spread[2]) * axes[:, 2] if long else np.zeros(3))


def read_skeleton(path: str | PathLike[str]) -> Skeleton:
    """Bones from a .tgf file: lines `number x y z`, a line `#`, lines `from to`.

    Points that no line joins to another are bones of their own.
    """
    file = existing_file(path)
    points, bones = _sections(file)
    joined = {number for bone in bones for number in bone}
    ends = [(points[a], points[b]) for a, b in bones]
    ends += [(place, place) for number, place in points.items() if number not in joined]
    return Skeleton(np.array(ends))


def _sections(file: Path) -> tuple[dict[int, list[float]], list[tuple[int, int]]]:
    points: dict[int, list[float]] = {}
    bones: list[tuple[int, int]] = []
    section = 0
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["#"]:
            section += 1
        elif words and section < 2:  # others follow in files of some programs
            try:
                if section == 0:
                    points[int(words[0])] = _place(words[1:])
                else:
                    bones.append((_known(points, words[0]), _known(points, words[1])))
            except (ValueError, IndexError) as error:
                raise FileError(f"line {number} of {file.name} is no {('point', 'bone')[section]}: {error}") from None
    if not points:
        raise FileError(f"{file.name} has no points; a .tgf has lines 'number x y z', '#', then 'from to'")
    return points, bones


def _place(words: list[str]) -> list[float]:
    place = [float(word) for word in words[:SIDE]]
    if len(place) < SIDE or not np.isfinite(place).all():
        raise ValueError("three finite numbers are needed")
    return place


def _known(points: dict[int, list[float]], word: str) -> int:
    if int(word) not in points:
        raise ValueError(f"there is no point {word}")
    return int(word)
