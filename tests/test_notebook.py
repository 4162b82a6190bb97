"""What notebooks show: every public thing with a shape has a picture and its facts, a recording plays offline."""

import html
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import pliant as pl
from pliant.mesh.portrait import HEIGHT, MOST, WIDTH, portrait


@pytest.fixture(scope="module")
def things():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (6, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=2, size=3))
    halves = (mesh.centroids[:, 0] > 0.5).astype(int)
    systems = [pl.Clamped(model, 0.005), pl.Full(solid, 0.005), pl.substructure(solid, halves, size=6, dt=0.005)]
    systems += [pl.couple(solid, halves, 1, 1, dt=0.005, nonlinear=kind) for kind in (False, True)]
    systems.append(pl.Bodies([pl.Clamped(model, 0.005), pl.Clamped(model, 0.005)]))
    world = pl.World(0.005)
    world.add(model)
    systems.append(world)
    return [mesh, pl.Surface(mesh.vertices, mesh.surface), solid, model, *systems]


def test_everything_with_a_shape_has_a_picture_and_its_facts(things):
    for thing in things:
        shown = thing._repr_html_()
        tree = ET.fromstring(shown)  # well-formed, so that no notebook stumbles over it
        assert f"<b>{type(thing).__name__}</b>" in shown
        assert len(tree.findall(".//tr")) >= 3
        assert len(tree.findall(".//{*}path")) > 10
        assert len(shown) < 100_000


def test_facts_are_those_of_the_thing(things):
    solid, clamped = things[2], things[4]
    assert "40 kg" in solid._repr_html_()  # 1000 kg/m^3 of 1 x 0.2 x 0.2 m
    assert "<td>3</td>" in clamped._repr_html_()


def test_portrait_shows_front_faces_inside_its_frame():
    """A cube shows three of its six faces: half of its triangles."""
    cube = pl.shapes.box((1, 1, 1), (2, 2, 2))
    drawn = re.findall(r'd="M([^"]+)Z"', portrait(cube.vertices, cube.surface))
    assert len(drawn) == len(cube.surface) / 2
    pixels = np.array([[float(x) for x in re.split("[ L]", path)] for path in drawn]).reshape(-1, 2)
    assert pixels.min() >= 0
    assert (pixels.max(axis=0) <= [WIDTH, HEIGHT]).all()


def test_large_surfaces_are_drawn_coarser():
    ball = pl.shapes.sphere(0.5, 30)
    assert len(ball.surface) > MOST
    assert portrait(ball.vertices, ball.surface).count("<path") < MOST


def test_a_flat_surface_has_a_portrait():
    assert "<path" in portrait(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))


def test_recording_is_the_offline_player_in_a_frame(things):
    recording = pl.record(things[4], 0.05, name="a <bar>")
    shown = recording._repr_html_()
    (frame,) = ET.fromstring(shown.replace(' sandbox="allow-scripts"', "")).iter("iframe")
    assert "allow-scripts" in shown
    assert "allow-same-origin" not in shown
    assert frame.attrib["srcdoc"].startswith("<!doctype html>")
    assert "default-src 'none'" in html.unescape(shown)
    assert "a &lt;bar&gt;" in frame.attrib["srcdoc"]
