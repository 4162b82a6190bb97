"""A photo studio: surfaces on an endless pale ground under a key light and a sky."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import binary_dilation, gaussian_filter

from pliant.errors import Array, Ids
from pliant.export.camera import Camera
from pliant.export.light import Shadows, key_light, shadows, sky_light
from pliant.export.rasteriser import rasterise
from pliant.export.shading import blended, light_givers, lit_ground, seen_points, shaded, spread
from pliant.mesh.normals import unit, vertex_normals

SURFACE = (0.085, 0.30, 0.47)  # linear RGB, as all colours here
GHOST = 0.36
GROUND = np.array([0.74, 0.745, 0.75])
HAZE = np.array([0.80, 0.84, 0.89])
KEY = np.array([1.0, 0.94, 0.86]) * 0.85
SKY = np.array([0.80, 0.90, 1.0]) * 0.42
BOUNCE = np.array([1.0, 0.97, 0.93]) * 0.16
KEY_DIRECTION = np.array([-0.45, 1.0, 0.70])
SOLID_FIRST = 0.01  # of the distance
GROUND_COLOURS = 1.08 * GROUND * np.stack([KEY, SKY]) / (KEY + SKY)  # in each of the lights
GROUND_DETAIL = 0.3  # samples of the ground along each side, over the width of the picture
GROUND_SIZES = (96, 384)
GROUND_MARGIN = 4  # samples, more than the blur reaches
BLUR = 1 / 384  # of the map of the ground
GROUND_REACH = 2.5  # how far they go, over the radius of the scene
LIGHTS = (key_light(KEY_DIRECTION), sky_light())
MANY = 50_000  # triangles: their shadows are so many and small that a third of the directions will do
FEWER_LIGHTS = (key_light(KEY_DIRECTION, count=10), sky_light(count=22))


@dataclass(frozen=True, eq=False)
class Layer:
    """A surface to draw: positions (n, 3), triangles (t, 3), linear RGB (3,) or (t, 3), and its cover (0 to 1)."""

    x: Array
    triangles: Ids
    colour: Array
    alpha: float


@dataclass(frozen=True, eq=False)
class Studio:
    """Camera, height of the ground [m], radius of the scene [m], size of its pictures, samples along a pixel's side.

    What does not move, the ground and its haze, is worked out once for all pictures.
    """

    camera: Camera
    ground: float
    radius: float
    width: int
    height: int
    samples: int = 2

    def photograph(self, layers: list[Layer]) -> Array:
        """Linear RGB (height, width, 3)."""
        lights = LIGHTS if max(len(layer.triangles) for layer in layers) < MANY else FEWER_LIGHTS
        cast = [tuple(shadows(light, layer.x, layer.triangles) for light in lights) for layer in layers]
        drawn = [self._surface(layer, *shade) for layer, shade in zip(layers, cast)]
        # Where a ghost and the solid surface coincide, the solid one is seen.
        near = np.stack([near * (1 + SOLID_FIRST * (layer.alpha == 1)) for layer, (near, _, _) in zip(layers, drawn)])
        colours = [colours for _, _, colours in drawn]
        first_rows = np.cumsum([0, *map(len, colours[:-1])])
        alphas = np.array([layer.alpha for layer in layers])
        rows = np.stack([rows for _, rows, _ in drawn])
        background = self._background(layers, cast)
        return blended(background, near, rows, np.concatenate(colours), first_rows, alphas, self.samples)

    def _surface(self, layer: Layer, key: Shadows, sky: Shadows) -> tuple[Array, Ids, Array]:
        """Nearness and row (samples height, samples width) of a layer, and colours (k, 3) of the rows."""
        width, height = self.samples * self.width, self.samples * self.height
        pixels, depth = self.camera.project(layer.x, width, height)
        owner, near, shares = rasterise(pixels, 1 / depth, layer.triangles, width, height)
        eye, N = np.array(self.camera.eye), vertex_normals(layer.x, layer.triangles)
        rows, points, normals, whose = seen_points(owner, shares, layer.triangles, depth, layer.x, N, eye)
        giver = light_givers(rows, points, normals, eye, self.samples)
        lit = np.flatnonzero(giver == np.arange(len(giver)))
        by_key, by_sky = (spread(light.irradiance(points[lit], normals[lit]), giver, lit) for light in (key, sky))
        paint, sun = np.atleast_2d(layer.colour), unit(KEY_DIRECTION)
        return near, rows, shaded(paint, whose, points, normals, by_key, by_sky, eye, sun, np.stack([KEY, SKY, BOUNCE]))

    @cached_property
    def _stage(self) -> tuple[Array, Array]:
        """Of every pixel: its place (p, 2) in the map of the ground, and how much of the ground is seen there (p,)."""
        rays = self.camera.rays(self.width, self.height).reshape(-1, 3)
        eye, target = np.array(self.camera.eye), np.array(self.camera.target)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (self.ground - eye[1]) / rays[:, 1]
        hit = np.isfinite(reach) & (reach > 0)
        spots = (eye + np.where(hit, reach, 0.0)[:, None] * rays)[:, [0, 2]] - target[[0, 2]]
        distance = np.linalg.norm(spots, axis=1) / self.radius
        side = GROUND_REACH * self.radius
        places = (spots + side) / (2 * side) * (self._ground_size - 1)
        return places, np.where(hit, np.exp(-((distance / 4.5) ** 2)), 0.0)

    @property
    def _ground_size(self) -> int:
        """Samples of the map of the ground along each side."""
        return int(np.clip(GROUND_DETAIL * self.width, *GROUND_SIZES))

    @cached_property
    def _ground_points(self) -> Array:
        """Of the map of the ground, around the target (g, 3)."""
        line = np.linspace(-1, 1, self._ground_size) * GROUND_REACH * self.radius
        x, z = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
        target = self.camera.target
        return np.stack([x + target[0], np.full(x.shape, self.ground), z + target[2]], axis=1)

    @cached_property
    def _ground_seen(self) -> Ids:
        """Which of these are in the picture, or near it."""
        places, fade = self._stage
        last = self._ground_size - 1
        seen = np.zeros((last + 1, last + 1), dtype=bool)
        seen[tuple(np.clip(places[fade > 0], 0, last).astype(np.int64).T)] = True
        return np.flatnonzero(binary_dilation(seen, np.ones((3, 3)), iterations=GROUND_MARGIN))

    def _background(self, layers: list[Layer], cast: list[tuple[Shadows, ...]]) -> Array:
        """The ground fades into haze, so there is no horizon to look at."""
        lights = np.stack([self._ground_light(layers, [light[k] for light in cast]) for k in range(len(LIGHTS))])
        seen = lit_ground(*self._stage, lights, GROUND_COLOURS, HAZE)
        return seen.reshape(self.height, self.width, 3)

    def _ground_light(self, layers: list[Layer], cast: list[Shadows]) -> Array:
        """What the map of the ground receives of a light, over what it receives in the open."""
        size, seen = self._ground_size, self._ground_seen
        points = self._ground_points[seen]
        up = np.tile([0.0, 1.0, 0.0], (len(points), 1))
        light = cast[0].light
        open_air = float((light.weights * light.directions[:, 1]).sum())
        total = np.full(len(points), open_air)
        for layer, shadow in zip(layers, cast):
            total -= layer.alpha * (open_air - shadow.irradiance(points, up))
        grid = np.ones(size * size)
        grid[seen] = np.maximum(total, 0.0) / open_air
        return gaussian_filter(grid.reshape(size, size), BLUR * size)
