"""In which order entities are eliminated, so that little fills in.

The entities of a part are a clique. Eliminating an entity makes one clique of those it is in, less itself and whatever
is in no other. First goes what makes the largest of its cliques grow least, then what has the fewest neighbours: a tree
of parts, whose leaves make nothing grow, never fills in, and loops do where they close.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One step of the elimination.

    Attributes:
        gone: the entities that are eliminated together. left: those that this makes a clique of.
        takes: the cliques that it takes; parts come first, then what earlier stages left.
    """

    gone: tuple[int, ...]
    left: tuple[int, ...]
    takes: tuple[int, ...]


def elimination_order(parts: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[Stage]:
    """Stages that eliminate all entities, given those of every part and how many coordinates each has."""
    members = {clique: set(own) for clique, own in enumerate(parts)}
    cliques: dict[int, set[int]] = {}
    for clique, own in members.items():
        for entity in own:
            cliques.setdefault(entity, set()).add(clique)

    def size_of(entities: set[int]) -> int:
        return sum(sizes[e] for e in entities)

    def cost(entity: int) -> tuple[int, int]:
        own = [members[clique] for clique in cliques[entity]]
        reached = size_of(set.union(*own))
        return reached - max(map(size_of, own)), reached

    costs = {entity: cost(entity) for entity in cliques}
    waiting = [(value, entity) for entity, value in costs.items()]
    heapq.heapify(waiting)
    stages: list[Stage] = []
    while waiting:
        value, entity = heapq.heappop(waiting)
        if entity not in cliques or value != costs[entity]:
            continue
        takes = cliques[entity]
        reached = set.union(*(members.pop(clique) for clique in takes))
        gone = {e for e in reached if cliques[e] <= takes}
        made = len(parts) + len(stages)
        members[made] = left = reached - gone
        for e in gone:
            del cliques[e]
        for e in left:
            cliques[e] = (cliques[e] - takes) | {made}
        for e in left:
            costs[e] = cost(e)
            heapq.heappush(waiting, (costs[e], e))
        stages.append(Stage(tuple(sorted(gone)), tuple(sorted(left)), tuple(sorted(takes))))
    return stages
