"""Painted recordings: every file that can show colours has those of the triangles, whatever carries them."""

import dataclasses

import numpy as np
import pytest
from glb_reader import Reader
from matplotlib.image import imread
from recordings import assert_same_triangles, made_up

from pliant.errors import ArgumentError
from pliant.export import read_recording, write
from pliant.export.colours import encoded, linear
from pliant.export.pieces import creased

KINDS = ("one part", "tree", "rigid bones", "chained", "full")
FLOAT32 = 1e-6
RED, GREEN = (0.9, 0.1, 0.1), (0.1, 0.7, 0.2)


def painted(kind):
    """The left half red, the right half green."""
    recording = made_up(kind)
    middle = recording.vertices(0)[recording.triangles].mean(axis=1)[:, 0]
    return dataclasses.replace(recording, colours=np.where((middle < np.median(middle))[:, None], RED, GREEN))


@pytest.mark.parametrize("kind", KINDS)
def test_glb_has_the_colour_of_every_corner(tmp_path, kind):
    recording = painted(kind)
    write(recording, tmp_path / "a.glb")
    reader = Reader(tmp_path / "a.glb")
    found = np.stack([reader.corners(time) for time in recording.times - recording.times[0]])
    assert_same_triangles(found, recording)
    colours = []
    for mesh in reader.gltf.meshes:
        primitive = mesh.primitives[0]
        index = reader.array(primitive.indices).reshape(-1, 3)
        colours.append(reader.array(primitive.attributes.COLOR_0)[index])
    found = np.concatenate(colours)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    for colour in (RED, GREEN):
        share = (np.abs(found[:, 0] - linear(np.array(colour))) < FLOAT32).all(axis=1).sum()
        assert share == (recording.colours == colour).all(axis=1).sum()
    assert reader.gltf.materials[0].pbrMetallicRoughness.baseColorFactor == [1, 1, 1, 1]


def test_vertices_are_split_where_colours_meet():
    recording = painted("one part")
    surface = creased(recording)
    np.testing.assert_allclose(surface.colours[surface.triangles[:, 0]], linear(recording.colours))
    plain = creased(dataclasses.replace(recording, colours=None))
    assert len(surface.source) > len(plain.source)
    assert plain.colours is None


def test_colours_go_to_linear_light_and_back():
    grey = np.linspace(0, 1, 256)
    np.testing.assert_array_equal(encoded(linear(grey)), np.arange(256))


def test_picture_shows_both_colours(tmp_path):
    write(painted("one part"), tmp_path / "a.png", size=(160, 100))
    red, green, blue = np.moveaxis(imread(tmp_path / "a.png")[..., :3], -1, 0)
    assert ((red > 1.5 * green) & (red > 1.5 * blue)).mean() > 0.01
    assert ((green > 1.5 * red) & (green > 1.5 * blue)).mean() > 0.01


def test_page_and_archive_keep_the_colours(tmp_path, browser):
    recording = painted("chained")
    write(recording, tmp_path / "a.npz")
    np.testing.assert_array_equal(read_recording(tmp_path / "a.npz").colours, recording.colours)
    write(recording, tmp_path / "a.html")
    page, errors = browser.new_page(viewport={"width": 240, "height": 180}), []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((tmp_path / "a.html").as_uri())
    colours = np.array(page.evaluate("Array.from(recording.colours)")).reshape(-1, 3)
    np.testing.assert_allclose(colours, creased(recording).colours, atol=FLOAT32)
    page.screenshot(path=tmp_path / "page.png")
    page.close()
    red, green, _ = np.moveaxis(imread(tmp_path / "page.png")[..., :3], -1, 0)
    assert (red > 1.5 * green).mean() > 0.01
    assert (green > 1.3 * red).mean() > 0.01
    assert not errors


def test_colours_must_be_one_a_triangle():
    with pytest.raises(ArgumentError, match="colours of a recording must have shape"):
        dataclasses.replace(painted("tree"), colours=np.zeros((3, 3)))
