"""Pictures: the rasteriser against geometry, the camera's framing, shadows, and what is drawn."""

from time import process_time

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import made_up

import pliant as pl
from pliant.errors import ArgumentError
from pliant.export import Recording, write
from pliant.export.camera import framing
from pliant.export.creases import split_at_creases
from pliant.export.light import irradiance, key_light, sky_light
from pliant.export.photographer import GHOST, Photographer
from pliant.export.picture import SIZE
from pliant.export.rasteriser import rasterise
from pliant.export.studio import Studio

SMALL = {"size": (96, 64)}
seeds = st.integers(0, 10**6)


def test_rasteriser_covers_the_area_of_a_triangle_and_interpolates_in_it():
    pixels, near = np.array([[10.0, 10.0], [90.0, 20.0], [30.0, 80.0]]), np.array([1.0, 2.0, 3.0])
    owner, nearness, shares = rasterise(pixels, near, np.array([[0, 1, 2]]), 100, 100)
    (ax, ay), (bx, by) = pixels[1] - pixels[0], pixels[2] - pixels[0]
    assert (owner == 0).sum() == pytest.approx(abs(ax * by - ay * bx) / 2, rel=0.02)
    rows, columns = np.nonzero(owner == 0)
    np.testing.assert_allclose(shares[rows, columns] @ pixels, np.stack([columns, rows], axis=1) + 0.5, atol=1e-9)
    np.testing.assert_allclose(shares[rows, columns] @ near, nearness[rows, columns])


def test_the_nearer_triangle_is_seen():
    pixels = np.array([[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]] * 2)
    owner, _, _ = rasterise(pixels, np.array([1.0] * 3 + [2.0] * 3), np.arange(6).reshape(2, 3), 10, 10)
    assert (owner == 1).all()


@given(seed=seeds, aspect=st.floats(0.3, 3))
def test_framing_has_all_points_in_the_picture_and_one_near_its_border(seed, aspect):
    draw = np.random.default_rng(seed)
    points, width, height = draw.standard_normal((30, 3)) * draw.uniform(0.1, 3, 3), 1000 * aspect, 1000.0
    pixels, depth = framing(points, draw.standard_normal(3), aspect, margin=1.0).project(points, width, height)
    assert (depth > 0).all()
    offset = np.abs(pixels / [width, height] - 0.5)
    assert offset.max() == pytest.approx(0.5, abs=1e-6)


def test_open_sky_and_key_light_give_one_to_what_faces_them():
    far = np.array([[0.0, -10.0, 0.0], [0.1, -10.0, 0.0], [0.0, -10.0, 0.1]])
    point, up = np.zeros((1, 3)), np.array([[0.0, 1.0, 0.0]])
    assert irradiance(sky_light(), point, up, far, np.array([[0, 1, 2]]))[0] == pytest.approx(1)
    assert irradiance(key_light(up[0]), point, up, far, np.array([[0, 1, 2]]))[0] == pytest.approx(1, abs=0.02)


def test_a_roof_takes_the_light_away():
    roof = np.array([[-9.0, 0.6, -9.0], [9.0, 0.6, -9.0], [9.0, 0.6, 9.0], [-9.0, 0.6, 9.0]])
    point, up = np.zeros((1, 3)), np.array([[0.0, 1.0, 0.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    assert irradiance(key_light(np.array([0.3, 1, 0.2])), point, up, roof, triangles)[0] == pytest.approx(0, abs=1e-12)
    assert irradiance(sky_light(), point, up, roof, triangles)[0] < 0.05


def test_creases_split_a_box_into_faces_and_leave_a_sphere_whole():
    box, sphere = pl.shapes.box(cells=(2, 2, 2)), pl.shapes.sphere(cells=8)
    split = split_at_creases(box.vertices, box.surface)
    assert len(split.source) == 6 * 9
    np.testing.assert_array_equal(split.source[split.triangles], box.surface)
    assert len(split_at_creases(sphere.vertices, sphere.surface).source) == len(sphere.surface_vertices)


def test_picture_shows_the_surface_in_its_colour(tmp_path):
    ball = pl.shapes.sphere(cells=6)
    recording = Recording(ball.surface, np.zeros(1), positions=ball.vertices[None])
    write(recording, tmp_path / "a.png", size=(96, 64), colour=(0.6, 0.05, 0.05))
    image = matplotlib.image.imread(tmp_path / "a.png")
    assert image.shape[:2] == (64, 96)
    middle, corner = image[28:36, 44:52, :3].mean(axis=(0, 1)), image[2, 2, :3]
    assert middle[0] > 2 * middle[2]
    assert np.ptp(corner) < 0.15
    assert corner.min() > 0.7


def test_pictures_of_different_times_differ_and_ghosts_show(tmp_path):
    recording, images = made_up("tree"), []
    for name, options in {"a": {"time": 0.0}, "b": {"time": 9.0}, "c": {"time": 9.0, "ghosts": (0.0,)}}.items():
        write(recording, tmp_path / f"{name}.png", **SMALL, **options)
        images.append(matplotlib.image.imread(tmp_path / f"{name}.png"))
    assert np.abs(images[0] - images[1]).max() > 0.2
    assert np.abs(images[1] - images[2]).max() > 0.05


def test_bad_picture_options_are_refused(tmp_path):
    recording = made_up("full", frames=1)
    for options in ({"size": (0, 64)}, {"direction": (1, 2)}, {"colour": "blue"}):
        with pytest.raises(ArgumentError):
            write(recording, tmp_path / "a.png", **options)


def test_a_still_takes_less_than_a_second():
    """Of 3,000 triangles at the usual size, in seconds of the processor; what compiles has done so before."""
    mesh = pl.shapes.bar((1.0, 0.5, 0.5), (30, 12, 12), kind="hex")
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000.0), fixed="x < 1e-9")
    recording = pl.record(pl.Full(solid, 1e-3), 0.0)
    assert len(recording.triangles) > 3_000
    camera = Photographer(recording, SIZE)
    camera.take(0)
    spent = []
    for _ in range(3):
        start = process_time()
        camera.take(0)
        spent.append(process_time() - start)
    assert min(spent) < 1.0


def test_the_first_still_of_a_recording_is_written_in_a_second(tmp_path):
    """As anyone asks for it; what compiles has done so before."""
    recording = pl.record(pl.load_scene("bar").build(), 0.1)
    spent = []
    for name in ("warm.png", "a.png", "b.png"):
        start = process_time()
        pl.write(recording, tmp_path / name)
        spent.append(process_time() - start)
    assert min(spent[1:]) < 1.0


def test_ghosts_are_lighter_and_of_the_same_hue(monkeypatch):
    """1.2 sqrt(colour), behind the frame itself in its own."""
    layers = []
    monkeypatch.setattr(Studio, "photograph", lambda self, given: layers.extend(given) or np.zeros((8, 8, 3)))
    colour = np.array([0.09, 0.25, 0.64])
    Photographer(made_up("full"), (8, 8), colour=colour).take(1, ghosts=[0])
    np.testing.assert_allclose([layer.colour for layer in layers], [1.2 * np.sqrt(colour), colour])
    assert [layer.alpha for layer in layers] == [GHOST, 1.0]
