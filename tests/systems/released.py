"""Something pulled, and let go: the motion that systems are compared by."""

import numpy as np


def pulled_and_released(system, patch, forces, steps):
    """Mean displacements (2 steps, 3) of vertices (k,) under forces (k, 3), and for as long after."""
    found, rest = [], system.vertices("mesh")[patch]
    system.push(patch, forces)
    for step in range(2 * steps):
        if step == steps:
            system.release()
        system.step()
        found.append((system.vertices("mesh")[patch] - rest).mean(axis=0))
    return np.array(found)
