"""From what the rasteriser saw to colours: surface points, which of them share their light, and the blend of layers."""

import numpy as np
from numba import njit

from pliant.errors import Array, Ids

ALIKE = 0.97  # cosine between normals of samples of a pixel that share their light
NEAR = 0.02  # of the distance, between them


@njit(cache=True, nogil=True)
def seen_points(owner, shares, triangles, depth, x, N, eye):
    """Of every sample that sees a triangle: its place (k, 3) and the normal (k, 3) on the side that the eye (3,) sees.

    Also the number of its row (height, width), -1 for none, and the triangle (k,).
    """
    height, width = owner.shape
    count = 0
    row_of = np.full((height, width), -1, np.int32)
    for i in range(height):
        for j in range(width):
            if owner[i, j] >= 0:
                row_of[i, j] = count
                count += 1
    points, normals = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)  # half as much to look through
    whose = np.empty(count, np.int32)
    for i in range(height):
        for j in range(width):
            k = row_of[i, j]
            if k < 0:
                continue
            t = owner[i, j]
            whose[k] = t
            a, b, c = triangles[t]
            u, v, w = shares[i, j, 0] / depth[a], shares[i, j, 1] / depth[b], shares[i, j, 2] / depth[c]
            total = u + v + w
            u, v, w = u / total, v / total, w / total
            length = 0.0
            for m in range(3):
                points[k, m] = u * x[a, m] + v * x[b, m] + w * x[c, m]
                normals[k, m] = u * N[a, m] + v * N[b, m] + w * N[c, m]
                length += normals[k, m] ** 2
            p0, p1, p2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
            q0, q1, q2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
            facing = (p1 * q2 - p2 * q1) * (eye[0] - points[k, 0]) + (p2 * q0 - p0 * q2) * (eye[1] - points[k, 1])
            facing += (p0 * q1 - p1 * q0) * (eye[2] - points[k, 2])
            sign = -1.0 if facing < 0 else 1.0
            if length == 0.0:
                normals[k, 1] = length = 1.0
            for m in range(3):
                normals[k, m] *= sign / np.sqrt(length)
    return row_of, points, normals, whose


@njit(cache=True, nogil=True, error_model="numpy")
def shaded(paint, whose, points, normals, by_key, by_sky, eye, sun, colours):
    """Colours (k, 3) of points under a key light from `sun` (3,) and a sky, with gloss and a rim.

    Args:
        paint: (1, 3) of all, or (t, 3) of the triangles `whose` (k,) the points are.
        by_key, by_sky: (k,) what they receive.
        colours: (3, 3) of the key light, of the sky, and of what the ground throws back.
    """
    found = np.empty((len(points), 3))
    for k in range(len(points)):
        to = (eye[0] - points[k, 0], eye[1] - points[k, 1], eye[2] - points[k, 2])
        away = np.sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2])
        facing, shine, length = 0.0, 0.0, 0.0
        for m in range(3):
            towards = to[m] / away
            half = towards + sun[m]
            facing += normals[k, m] * towards
            shine += normals[k, m] * half
            length += half * half
        facing, shine = min(max(facing, 0.0), 1.0), min(max(shine / np.sqrt(length), 0.0), 1.0)
        gloss = 0.16 * shine**40 if by_key[k] > 0.0 else 0.0
        rim = 0.22 * (1 - facing) ** 4 * min(max(by_sky[k], 0.0), 1.0)
        bounce, own = 0.5 - 0.5 * normals[k, 1], paint[whose[k] if len(paint) > 1 else 0]
        for m in range(3):
            light = colours[0, m] * by_key[k] + colours[1, m] * by_sky[k] + colours[2, m] * bounce
            found[k, m] = own[m] * light * 1.2 + gloss * colours[0, m] + rim * colours[1, m]
    return found


@njit(cache=True, nogil=True)
def light_givers(row_of, points, normals, eye, samples):
    """The row (k,) that each row has its light from: the first of its pixel that is near and alike, mostly."""
    height, width = row_of.shape
    giver = np.arange(len(points))
    for i in range(height // samples):
        for j in range(width // samples):
            first = -1
            for s in range(samples * samples):
                k = row_of[i * samples + s // samples, j * samples + s % samples]
                if k < 0:
                    continue
                if first < 0:
                    first = k
                    continue
                cosine = gap = distance = 0.0
                for m in range(3):
                    cosine += normals[k, m] * normals[first, m]
                    gap += (points[k, m] - points[first, m]) ** 2
                    distance += (eye[m] - points[k, m]) ** 2
                if cosine > ALIKE and gap < NEAR**2 * distance:
                    giver[k] = first
    return giver


@njit(cache=True, nogil=True)
def lit_ground(places, fade, lights, colours, haze):
    """RGB (p, 3): the light (l, g, g) of the ground at places (p, 2) in its map, fading into the haze (3,).

    Args:
        fade: (p,) how much of the ground is seen.
        colours: (l, 3) of the ground in each light.
    """
    last = lights.shape[1] - 1
    seen = np.empty((len(places), 3))
    for i in range(len(places)):
        u, v = min(max(places[i, 0], 0.0), last * 1.0), min(max(places[i, 1], 0.0), last * 1.0)
        a, b = min(int(u), last - 1), min(int(v), last - 1)
        s, t = u - a, v - b
        for m in range(3):
            seen[i, m] = (1 - fade[i]) * haze[m]
        if fade[i] == 0.0:
            continue
        for k in range(len(lights)):
            grid = lights[k]
            here = (1 - s) * ((1 - t) * grid[a, b] + t * grid[a, b + 1])
            here += s * ((1 - t) * grid[a + 1, b] + t * grid[a + 1, b + 1])
            for m in range(3):
                seen[i, m] += fade[i] * here * colours[k, m]
    return seen


@njit(cache=True, nogil=True)
def blended(background, near, rows, colours, first_rows, alphas, samples):
    """Linear RGB (height, width, 3): each sample's layers over the background from back to front, averaged.

    Args:
        background: (height, width, 3).
        near, rows: (l, samples height, samples width) nearness and row of colour of the layers, -1 for none.
        colours: (k, 3) of all layers, that of a layer from `first_rows` (l,) on.
        alphas: (l,) cover.
    """
    height, width, _ = background.shape
    count = len(near)
    image, order = np.zeros((height, width, 3)), np.empty(count, np.int64)
    for i in range(height):
        for j in range(width):
            for s in range(samples * samples):
                r, c, used = i * samples + s // samples, j * samples + s % samples, 0
                for layer in range(count):
                    if rows[layer, r, c] < 0:
                        continue
                    place = used
                    while place > 0 and near[order[place - 1], r, c] > near[layer, r, c]:
                        order[place] = order[place - 1]
                        place -= 1
                    order[place] = layer
                    used += 1
                for m in range(3):
                    value = background[i, j, m]
                    for place in range(used):
                        layer = order[place]
                        alpha = alphas[layer]
                        value += alpha * (colours[first_rows[layer] + rows[layer, r, c], m] - value)
                    image[i, j, m] += value / (samples * samples)
    return image


def spread(light: Array, giver: Ids, lit: Ids) -> Array:
    """Light (k,) of all rows from that (g,) of the rows `lit` (g,) that give it."""
    whole = np.empty(len(giver))
    whole[lit] = light
    return whole[giver]
