"""A hand that pulls at a vertex as people do, slowly, to and fro and in jerks, and what the body makes of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from pulled_shapes import Body, Shape, bodies_of

from pliant.app.holding import Grip
from pliant.errors import ArgumentError, Array, Diverged
from pliant.systems import State, System

SECONDS, FRAMES = 5.0, 30  # of pulling and of rest each; a hand moves at every frame of a second
LOOKS = 6  # frames between looks at the cells
FARTHEST = 2.0  # sizes of the body that a target is away
SHAKEN, JERKS = 2.0, 4.0  # [Hz]
GAIN, VOLUMES, EDGES = 20.0, (0.1, 5.0), 4.0  # what a body bears, over what the hand put in, and over rest
BACK = 0.02  # of the size of the body


@dataclass
class Pull:
    """What happened.

    Attributes:
        diverged: why, if it did.
        gain: the largest energy over what the hand put in.
        volumes: smallest and largest volume of a cell over that at rest.
        edges: the longest edge over its length at rest.
        moved: how far the body moved at most over its size, or may move while it swings on: one that goes round an
            ellipse of half axes a and b can come to swing along a line, by sqrt(a^2 + b^2).
        left: how far it is at the end over its size, less rigid motion where it is free.
        start: the state it began in. spins: (b, 3) of every body in that state [rad/s], for the angular momentum that
            the hand left it with; zero where it is held.
    """

    diverged: str = ""
    gain: float = 0.0
    volumes: tuple[float, float] = (1.0, 1.0)
    edges: float = 1.0
    moved: float = 0.0
    left: float = 0.0
    start: State | None = None
    spins: Array | None = None


def slow(way: Array, _: np.random.Generator) -> Callable[[float], Array]:
    return lambda t: way * min(1.0, t / (0.8 * SECONDS))


def shaken(way: Array, _: np.random.Generator) -> Callable[[float], Array]:
    return lambda t: way * np.sin(2 * np.pi * SHAKEN * t)


def jerked(way: Array, random: np.random.Generator) -> Callable[[float], Array]:
    places = [np.linalg.norm(way) * random.uniform(-1, 1, 3) for _ in range(int(SECONDS * JERKS) + 1)]
    return lambda t: places[int(t * JERKS)]


MANNERS = {"slow": slow, "shaken": shaken, "jerked": jerked}


def movable_vertices(system: System) -> Iterator[int]:
    """In a random order."""
    order = np.random.default_rng(7).permutation(len(system.vertices()))
    for vertex in map(int, order):
        try:
            system.hold(vertex, system.vertices()[vertex])
        except ArgumentError:  # it is fixed
            continue
        system.hold(vertex, None)
        yield vertex


@dataclass(frozen=True)
class Calm:
    """What a body does without a hand in the time of a pull, in the wind or swinging.

    Attributes:
        energy: the largest [J]. left: how far it goes from where it was at most, over its size.
    """

    energy: float
    left: float


def untouched(system: System) -> Calm:
    """Its state stays."""
    start, shape, energies, ways = system.state(), Shape(system), [system.energy()], [0.0]
    for frame in range(round(2 * SECONDS * FRAMES)):
        system.step(_steps(system))
        energies.append(system.energy())
        if frame % LOOKS == 0:
            ways.append(shape.left())
    system.restore(start)
    return Calm(max(energies), max(ways))


def _steps(system: System) -> int:
    """Of a frame."""
    return max(1, round(1 / FRAMES / system.dt))


def pulled(system: System, manner: str, vertex: int, seed: int, calm: Calm) -> Pull:
    """Pull at a vertex of a body at rest, let go and wait; the system is left where it ends.

    Args:
        calm: what it does without a hand.
    """
    random, result, shape = np.random.default_rng(seed), Pull(start=system.state()), Shape(system)
    rest = system.vertices()
    way = random.standard_normal(3)
    way *= random.uniform(0.2, FARTHEST) * max(shape.sizes) / np.linalg.norm(way)
    target = MANNERS[manner](way, random)
    steps, grip = _steps(system), Grip(system, vertex, rest[vertex])
    points = system.points([vertex])  # asked once it is held: that can bring columns of its own
    put_in, most, released, ways = 0.0, 0.0, round(SECONDS * FRAMES), []
    swing = released + max(LOOKS, round(2 * np.pi / slowest_of(system).omega * FRAMES))
    try:
        for frame in range(2 * released):
            if frame == released:
                grip.release()
                result.spins = shape.spins()
            if frame < released:
                grip.target = rest[vertex] + target(frame / FRAMES)
                grip.aim()
            before, force = points.place(system.pose())[0], grip.force
            system.step(steps)
            if frame < released:
                put_in += abs(float(0.5 * (force + grip.force) @ (points.place(system.pose())[0] - before)))
            most = max(most, system.energy() - calm.energy)
            if frame % LOOKS == 0:
                far = _look(shape, result)
                ways += [far] if released <= frame < swing else []
    except Diverged as reason:
        result.diverged = str(reason)
        grip.release()
        return result
    result.gain, result.left = most / put_in, _look(shape, result)
    result.moved = max(result.moved, float(np.hypot(max(ways), min(ways))))
    return result


def _look(shape: Shape, result: Pull) -> float:
    """Take down how strained it is; how far it is from rest."""
    far, (least, most, edges), (low, high) = shape.left(), shape.strained(), result.volumes
    result.volumes, result.edges = (min(low, least), max(high, most)), max(result.edges, edges)
    result.moved = max(result.moved, far)
    return far


def broken(system: System, pull: Pull, calm: Calm) -> str:
    """What a pull did that it must not, in words; the system may be left elsewhere."""
    least, most = pull.volumes
    back = BACK + calm.left + pull.moved * still_swinging(system)
    bounds = {
        pull.diverged: not pull.diverged,
        f"gained {pull.gain:.3g} times the work of the hand": pull.gain < GAIN,
        f"volumes of {least:.3g} to {most:.3g}": VOLUMES[0] < least <= most < VOLUMES[1],
        f"edges {pull.edges:.3g} times as long": pull.edges < EDGES,
    }
    if not pull.diverged and pull.left >= back:
        back += left_by_spin(system, pull)
        bounds[f"{pull.left:.3g} from rest, {back:.3g} allowed"] = pull.left < back
    return "; ".join(what for what, kept in bounds.items() if not kept)


def still_swinging(system: System) -> float:
    """What Rayleigh damping leaves of the first vibration after the time of rest: exp(-(alpha + beta om^2) t / 2)."""
    slowest = slowest_of(system)
    om, (alpha, beta) = slowest.omega, slowest.damping
    return float(np.exp(-0.5 * (alpha + beta * om**2) * SECONDS))


def left_by_spin(system: System, pull: Pull) -> float:
    """How far a body goes that nobody pulled, thrown with the angular momentum that this pull left, over its size.

    What spins is drawn out by centrifugal forces and swings about that shape: a hand that lets go of it cannot leave it
    undeformed. The system is left where it ends.
    """
    system.restore(pull.start)
    shape, ways = Shape(system), [0.0]
    for each, spin in zip(bodies_of(system), pull.spins, strict=True):
        if each.free:
            each.launch(spin=spin)
    for frame in range(round(SECONDS * FRAMES)):
        system.step(_steps(system))
        if frame % LOOKS == 0:
            ways.append(shape.left())
    return max(ways)


def slowest_of(system: System) -> Body:
    """The body with the longest period."""
    return min(bodies_of(system), key=lambda each: each.omega)
