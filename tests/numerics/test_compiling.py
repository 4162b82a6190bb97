"""Whoever waits for numba is told so, once a stage, by the thread that compiles."""

import threading

from numba import njit

from pliant.numerics.compiling import ONCE, telling_of_compiling
from pliant.numerics.progress import COMPILING


def fresh():
    return njit(lambda x: x + 1)


def test_compiling_is_said_once_a_stage_and_only_where_it_happens():
    told, known = [], fresh()
    known(1)
    with telling_of_compiling(lambda stage, fraction: told.append((stage, fraction))) as report:
        fresh()(1)
        report("cells", 0.2)
        known(1)
        assert told == [(ONCE, 0.0), ("cells", 0.2)]
        fresh()(1), fresh()(1)
        report("cells", 0.6)
        report("basis", 0.1)
        other = threading.Thread(target=lambda: fresh()(1))
        other.start()
        other.join()
        report(COMPILING, 1.0)
        fresh()(1)
    fresh()(1)
    said = [(f"cells; {ONCE}", 0.2), (f"cells; {ONCE}", 0.6), ("basis", 0.1), (COMPILING, 1.0), (ONCE, 1.0)]
    assert told[2:] == said
