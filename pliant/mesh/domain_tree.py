"""Trees of domains: grown from a root over the graph of neighbours; a graph with a cycle is refused, and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pliant.errors import MeshError

Graph = Sequence[Sequence[int]]


@dataclass(frozen=True)
class DomainTree:
    """Attributes:
    order: the domains, parents before their children, level by level.
    parents: the parent of every domain, by its label; -1 for the root.
    depths: the level of every domain, by its label; 0 for the root.
    """

    order: tuple[int, ...]
    parents: tuple[int, ...]
    depths: tuple[int, ...]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every domain, by its label, in the order of the tree."""
        found: list[list[int]] = [[] for _ in self.order]
        for part in self.order[1:]:
            found[self.parents[part]].append(part)
        return tuple(map(tuple, found))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where every domain, by its label, is in `order`."""
        found = [0] * len(self.order)
        for place, part in enumerate(self.order):
            found[part] = place
        return tuple(found)


def grown_tree(graph: Graph, names: Sequence[str], root: int) -> DomainTree:
    """The tree breadth first from `root`.

    Raises:
        MeshError: the graph has a cycle, or falls into pieces.
    """
    parents, depths, order = [-1] * len(graph), [-1] * len(graph), [root]
    depths[root] = 0
    for part in order:
        for other in graph[part]:
            if other == parents[part]:
                continue
            if depths[other] >= 0:
                raise MeshError(_shown_cycle(parents, depths, names, part, other))
            parents[other], depths[other] = part, depths[part] + 1
            order.append(other)
    if loose := [names[part] for part, depth in enumerate(depths) if depth < 0]:
        raise MeshError(
            f"the parts must hang together by shared faces; {', '.join(loose[:6])} cannot be reached from {names[root]}"
        )
    return DomainTree(tuple(order), tuple(parents), tuple(depths))


def least_deep_root(graph: Graph, names: Sequence[str]) -> int:
    """The domain from which the deepest one is nearest: the middle of a longest path, the smaller label if two are."""
    far = _deepest(grown_tree(graph, names, 0))
    tree = grown_tree(graph, names, far)
    path = [_deepest(tree)]
    while tree.parents[path[-1]] >= 0:
        path.append(tree.parents[path[-1]])
    middle = len(path) // 2
    return path[middle] if len(path) % 2 else min(path[middle - 1], path[middle])


def _deepest(tree: DomainTree) -> int:
    return max(range(len(tree.depths)), key=tree.depths.__getitem__)


def _shown_cycle(parents: Sequence[int], depths: Sequence[int], names: Sequence[str], a: int, b: int) -> str:
    """The two ways up from an edge a - b that closes a cycle, until they meet."""
    left, right = [a], [b]
    while left[-1] != right[-1]:
        side = left if depths[left[-1]] >= depths[right[-1]] else right
        side.append(parents[side[-1]])
    cycle = [*left[::-1], *right[:-1], left[-1]]
    return (
        f"the parts must make a tree, but these go round in a circle: {' - '.join(names[part] for part in cycle)}; "
        "join two of them into one part, or use pl.couple, which welcomes loops"
    )
