"""Forces on the vertices that pages probe: of hands, and of what the scene pushes with."""

import numpy as np

from pliant.app.reports import ProbeReport
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.scenes.schedule import Schedule


class Probing:
    """Which vertices each page probes."""

    def __init__(self) -> None:
        self.clients: dict[int, tuple[int, ...]] = {}

    def want(self, client: int, vertices: tuple[int, ...]) -> None:
        """A client probes these vertices, and no others."""
        if vertices:
            self.clients[client] = vertices
        else:
            self.forget(client)

    def forget(self, client: int) -> None:
        """A client probes nothing more."""
        self.clients.pop(client, None)

    def reports(self, stage: Stage) -> dict[int, ProbeReport]:
        """The forces of now, by client."""
        forces = {vertex: force_on(stage, vertex) for vertices in self.clients.values() for vertex in vertices}
        return {
            client: ProbeReport(vertices, tuple(forces[vertex] for vertex in vertices))
            for client, vertices in self.clients.items()
        }


def force_on(stage: Stage, vertex: int) -> float:
    """How strongly hands and pushes act on a vertex of what is drawn [N]; weight, wind and contacts do not count."""
    system, total = stage.system, np.zeros(3)
    try:
        holds = system.holds
    except ArgumentError:  # a kind that no hand can hold
        holds = ()
    for hold in holds:
        if hold.vertex == vertex and (hold.on == "skin" or system.worn is None):
            total += hold.force
    if isinstance(stage.forces, Schedule) and system.worn is None:
        total += stage.forces.force_on(vertex, system.time)
    return float(np.linalg.norm(total))
