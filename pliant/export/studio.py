"""A photo studio: surfaces on an endless pale ground under a key light and a sky."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates

from pliant.errors import Array, Ids
from pliant.export.camera import Camera
from pliant.export.light import irradiance, key_light, sky_light
from pliant.export.normals import unit, vertex_normals
from pliant.export.rasteriser import rasterise

SURFACE = (0.085, 0.30, 0.47)  # linear RGB, as all colours here
GHOST = 0.36
GROUND = np.array([0.74, 0.745, 0.75])
HAZE = np.array([0.80, 0.84, 0.89])
KEY = np.array([1.0, 0.94, 0.86]) * 0.85
SKY = np.array([0.80, 0.90, 1.0]) * 0.42
BOUNCE = np.array([1.0, 0.97, 0.93]) * 0.16
KEY_DIRECTION = np.array([-0.45, 1.0, 0.70])
SOLID_FIRST = 0.01  # of the distance
GROUND_MAP = 384  # samples of the ground along each side


@dataclass(frozen=True, eq=False)
class Layer:
    """A surface to draw: positions (n, 3), triangles (t, 3), linear RGB (3,) or (t, 3), and its cover (0 to 1)."""

    x: Array
    triangles: Ids
    colour: Array
    alpha: float


@dataclass(frozen=True, eq=False)
class Studio:
    """Camera, height of the ground [m], and radius of the scene [m]."""

    camera: Camera
    ground: float
    radius: float

    def photograph(self, layers: list[Layer], width: int, height: int) -> Array:
        """Linear RGB (height, width, 3)."""
        image = self._background(layers, width, height)
        drawn = [self._surface(layer, width, height) for layer in layers]
        # Where a ghost and the solid surface coincide, the solid one is seen.
        nearness = np.stack([near * (1 + SOLID_FIRST * (layer.alpha == 1)) for layer, (_, near) in zip(layers, drawn)])
        # From back to front, so that what is nearer covers what is behind it.
        for depth_rank in np.argsort(nearness, axis=0):
            for number, (colour, near) in enumerate(drawn):
                here = (depth_rank == number) & np.isfinite(near)
                alpha = layers[number].alpha
                image[here] = (1 - alpha) * image[here] + alpha * colour[here]
        return image

    def _surface(self, layer: Layer, width: int, height: int) -> tuple[Array, Array]:
        """Colours (height, width, 3) and nearness (height, width) of a layer."""
        pixels, depth = self.camera.project(layer.x, width, height)
        owner, near, shares = rasterise(pixels, 1 / depth, layer.triangles, width, height)
        seen = owner >= 0
        corners = layer.triangles[owner[seen]]
        weights = shares[seen] / depth[corners]
        weights /= weights.sum(axis=1, keepdims=True)
        points, normals = (
            np.einsum("pc,pci->pi", weights, values[corners])
            for values in (layer.x, vertex_normals(layer.x, layer.triangles))
        )
        colours = np.zeros((height, width, 3))
        a, b, c = (layer.x[corners[:, i]] for i in range(3))
        paint = layer.colour if layer.colour.ndim == 1 else layer.colour[owner[seen]]
        colours[seen] = self._shaded(layer, paint, points, unit(normals), np.cross(b - a, c - a))
        return colours, near

    def _shaded(self, layer: Layer, paint: Array, points: Array, normals: Array, flat_normals: Array) -> Array:
        """Colours (m, 3); what is seen from its back side is lit there."""
        towards = unit(np.array(self.camera.eye) - points)
        normals = np.where((flat_normals * towards).sum(axis=1, keepdims=True) < 0, -normals, normals)
        facing = np.clip((normals * towards).sum(axis=1, keepdims=True), 0, 1)
        key = irradiance(key_light(KEY_DIRECTION), points, normals, layer.x, layer.triangles)[:, None]
        sky = irradiance(sky_light(), points, normals, layer.x, layer.triangles)[:, None]
        light = KEY * key + SKY * sky + BOUNCE * (0.5 - 0.5 * normals[:, 1:2])
        half = unit(towards + unit(KEY_DIRECTION))
        gloss = 0.16 * np.clip((normals * half).sum(axis=1, keepdims=True), 0, 1) ** 40 * (key > 0)
        rim = 0.22 * (1 - facing) ** 4 * np.clip(sky, 0, 1)
        return paint * light * 1.2 + gloss * KEY + rim * SKY

    def _background(self, layers: list[Layer], width: int, height: int) -> Array:
        """The ground fades into haze, so there is no horizon to look at."""
        rays = self.camera.rays(width, height)
        eye = np.array(self.camera.eye)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (self.ground - eye[1]) / rays[..., 1]
        hit = np.isfinite(reach) & (reach > 0)
        spots = (eye + np.where(hit, reach, 0.0)[..., None] * rays)[..., [0, 2]] - np.array(self.camera.target)[[0, 2]]
        distance = np.linalg.norm(spots, axis=-1) / self.radius
        fade = np.where(hit, np.exp(-((distance / 4.5) ** 2)), 0.0)[..., None]
        key, sky = self._ground_light(layers, spots)
        return fade * GROUND * (KEY * key + SKY * sky) / (KEY + SKY) * 1.08 + (1 - fade) * HAZE

    def _ground_light(self, layers: list[Layer], spots: Array) -> tuple[Array, Array]:
        """Irradiance by key and sky (height, width, 1) at spots (height, width, 2) around the target."""
        reach = 2.5 * self.radius
        line = np.linspace(-reach, reach, GROUND_MAP)
        x, z = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
        target = np.array(self.camera.target)
        points = np.stack([x + target[0], np.full(x.shape, self.ground), z + target[2]], axis=1)
        up = np.tile([0.0, 1.0, 0.0], (len(points), 1))
        places = (spots.reshape(-1, 2).T + reach) / (2 * reach) * (GROUND_MAP - 1)
        received = []
        for light in (key_light(KEY_DIRECTION), sky_light()):
            open_air = float((light.weights * light.directions[:, 1]).sum())
            total = np.full(len(points), open_air)
            for layer in layers:
                shadowed = irradiance(light, points, up, layer.x, layer.triangles)
                total -= layer.alpha * (open_air - shadowed)
            grid = gaussian_filter(np.maximum(total, 0.0).reshape(GROUND_MAP, GROUND_MAP) / open_air, 1.0)
            received.append(map_coordinates(grid, places, order=1, mode="nearest").reshape(*spots.shape[:2], 1))
        return received[0], received[1]
