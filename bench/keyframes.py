"""[MR12] Fig. 8 made anew: a soft toy dinosaur takes five steps through three keyframes each.

For every step how long the search took, and how far its keyframes are missed in the smoothed motion and in the world.
The picture of `docs/control.md` has four keyframes in a row, each in the corner of what the world made of it.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.errors import Array
from pliant.export import Camera, record
from pliant.export.photographer import Photographer
from pliant.export.png_file import save_png

PICTURE, THUMBNAILS = Path("docs/images/dinosaur.png"), (
    Path("docs/images/gallery/dinosaur.png"),
    Path("pliant/scenes/gallery/dinosaur.png"),
)  # fmt: skip
SHOWN, SIZE, INSET = (3, 5, 7, 8), (640, 420), (256, 168)
PAPER = 180.0  # [s]


def photograph(world: pl.World, middle: float, size: tuple[int, int]) -> Any:
    """From the side, along with the dinosaur."""
    camera = Camera(eye=(middle + 0.2, 0.3, 1.0), target=(middle - 0.02, 0.15, 0.0))
    return Photographer(record(world, 0.0, camera=camera), size, ground=0.0).take(0)


def posed(world: pl.World, body: Any, pose: Any) -> None:
    """Put the body where a keyframe wants it."""
    inertia = body.model.inertia
    body.q, body.rotation = pose.q, pose.R
    body.position = pose.t - pose.R @ (inertia.centre + inertia.N @ pose.q / inertia.mass)


def main() -> None:
    scene = pl.load_scene("dinosaur")
    begun = time.process_time()
    world = scene.build()
    print(f"built and planned in {time.process_time() - begun:.1f} s of processor time; the paper took {PAPER:.0f} s")
    steering: Any = scene.schedule.steering
    rows = [
        {
            "step": k + 1,
            "motions": each.reached.motions,
            "smoothed mm": 1e3 * each.reached.distances.max(),
            "in the world mm": 1e3 * each.missed.max(),
            "what no pose can mm": 1e3 * each.reached.beyond.max(),
        }
        for k, each in enumerate(steering.stretches)
    ]
    print(table(rows))
    steps = [each.first + step for each in steering.stretches for step in each.reached.steps]
    poses = [aim.pose for each in steering.stretches for aim in each.reached._aims]
    body: Any = world.bodies[0]
    reached: list[Array] = []
    states = {}

    def look(system: pl.World) -> None:
        at = round(system.time / system.dt)
        if at in steps:
            states[steps.index(at)] = system.state()

    scene.watch(world, seen=look)  # type: ignore[arg-type]
    for k in SHOWN:
        world.restore(states[k])
        middle = float(body.centre[0])
        picture = photograph(world, middle, SIZE)
        posed(world, body, poses[k])
        corner = photograph(world, middle, INSET)
        picture[: INSET[1], : INSET[0]] = corner
        picture[INSET[1] : INSET[1] + 2, : INSET[0] + 2] = picture[: INSET[1] + 2, INSET[0] : INSET[0] + 2] = 255
        reached.append(picture)
    save_png(PICTURE, np.vstack([np.hstack(reached[:2]), np.hstack(reached[2:])]))
    world.restore(states[7])
    camera = scene.camera
    assert camera is not None
    shown = record(world, 0.0, camera=Camera(camera.position, camera.target))
    for path in THUMBNAILS:
        save_png(path, Photographer(shown, (320, 228), ground=0.0).take(0))


if __name__ == "__main__":
    main()
