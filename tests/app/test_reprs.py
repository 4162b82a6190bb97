"""What people meet when they print: one line that says what it is, whatever is in it."""

import numpy as np
import pytest
from live_standins import SCENES, clamped_bar, coupled_bar
from live_viewing import served

from pliant.app.comparison import Outcome
from pliant.app.holding import Grip, Twist
from pliant.app.live import Live
from pliant.app.packing import pack_geometry
from pliant.app.resketching import Resketched
from pliant.app.server import Server
from pliant.app.stage import Stage
from pliant.app.vibrations import vibrations_of
from pliant.control import Tracking, optimise, simulate
from pliant.export import record
from pliant.export.plot import Panel

NAMES = (
    "Clamped",
    "Recording",
    "Panel",
    "Trajectory",
    "Tracking",
    "Optimum",
    "Outcome",
    "Geometry",
    "Resketched",
    "Vibrations",
    "Stage",
    "Live",
    "Grip",
    "Twist",
)


@pytest.fixture(scope="module")
def printed():
    """Things, and how their line begins; the bar has 13 x 3 x 3 vertices, 11 of them inside."""
    bar, seams = clamped_bar(), coupled_bar()
    effort = Tracking({2: np.zeros(12)}, np.eye(12))
    return {
        "Clamped": (bar, "Clamped(12 coordinates, dt=0.001, t=0 s)"),
        "Recording": (record(bar.retuned(), 0.1, name="bar"), "Recording('bar', 7 frames, 0 to 0.1 s, 208 triangles)"),
        "Panel": (Panel({"tip": ([0, 1], [1, 2]), "end": ([0], [1])}, "Where"), "Panel(Where: tip, end)"),
        "Trajectory": (
            simulate(bar, np.eye(12)[:, :3], np.zeros((5, 3))),
            "Trajectory(5 steps of 0.001 s, 3 controls",
        ),
        "Tracking": (effort, "Tracking(1 targets, "),
        "Optimum": (optimise(bar, np.eye(12), effort, np.zeros((2, 12)), iterations=1), "Optimum("),
        "Outcome": (
            Outcome("cubic", 12, np.arange(3.0), {}, np.zeros((3, 6)), 2e-5, "why"),
            "Outcome(cubic: 12 coordinates, 3 frames, 20 us a step, stopped early)",
        ),
        "Geometry": (pack_geometry(3, bar), "Geometry(number 3: 106 vertices, "),
        "Resketched": (Resketched(bar, np.zeros((4, 12))), "Resketched(12 to 4 vectors: Clamped(12 coordinates"),
        "Vibrations": (vibrations_of(bar), "Vibrations(12 modes, lowest "),
        "Stage": (Stage("bar", SCENES["bar"], clamped_bar(), 1), "Stage(bar: Clamped(12 coordinates"),
        "Live": (Live(SCENES), "Live(Session(nothing built yet, playing, 0 hands), 6 scenes)"),
        "Grip": (Grip(seams, 116, (1, 0.2, 0)), "Grip(vertex 116 to (1, 0.2, 0))"),
        "Twist": (Twist(seams, 116, (0.5, 0, 0)), "Twist(interface "),
    }


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_one_short_line(name, printed):
    thing, begin = printed[name]
    assert repr(thing).startswith(begin)
    assert "\n" not in repr(thing)
    assert len(repr(thing)) < 160


def test_a_server_does_not_print_its_token():
    with served({"bar": SCENES["bar"]}) as (live, _):
        server = Server(live)
        token = server.address.split("/")[-2]
        assert token not in repr(server)
        assert repr(server).startswith("Server(http://127.0.0.1:")
