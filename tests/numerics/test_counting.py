"""What allocates and is called by functions that count no references says so, or a cold start cannot compile it.

numba compiles a function for the first caller that asks: for one that borrows its arrays it is refused where it
allocates, unless it is `counting` or has `_nrt=True`. Where another caller came first the mistake does not show, so
callers are looked through here.
"""

import ast
import importlib
import inspect
import pkgutil
import textwrap

import numpy as np
from numba.core.dispatcher import Dispatcher

import pliant
from pliant.fem import material
from pliant.numerics.counting import borrowing
from pliant.numerics.inner import inner

ALLOCATE = {  # calls of numpy, and methods of arrays, that make one
    "arange", "argsort", "array", "concatenate", "copy", "cross", "cumsum", "dot", "empty", "empty_like", "eye", "full",
    "full_like", "inv", "linspace", "ones", "ones_like", "outer", "solve", "sort", "unique", "where", "zeros",
    "zeros_like",
}  # fmt: skip


def compiled_functions():
    """Of all modules, by their Python function."""
    found = {}
    for info in pkgutil.walk_packages(pliant.__path__, "pliant."):
        if "__main__" not in info.name:
            for thing in vars(importlib.import_module(info.name)).values():
                if isinstance(thing, Dispatcher) and thing.py_func.__module__.startswith("pliant"):
                    found[thing.py_func] = thing
    return found


def names_in(code):
    inside = [names_in(each) for each in code.co_consts if hasattr(each, "co_names")]
    return set(code.co_names).union(*inside)


def calls_of(function):
    """Compiled functions that a Python function names, and the kinds of those that are chosen by an argument."""
    for name in names_in(function.__code__):
        thing = function.__globals__.get(name)
        if isinstance(thing, Dispatcher):
            yield thing.py_func, thing.targetoptions.get("_nrt")
        elif inspect.isfunction(thing):
            for kind in material.implementations(thing):
                yield kind, None


def allocations(function):
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and hasattr(node.func, "attr"))
    products = ("@" for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
    return sorted({name for name in calls if name in ALLOCATE} | set(products))


def forgotten(roots):
    """Those that are reached from borrowing functions, allocate, and do not say that they count."""
    seen, waiting, found = set(), list(roots), {}
    while waiting:
        function = waiting.pop()
        for called, counts in calls_of(function):
            if called not in seen and not counts:
                seen.add(called)
                waiting.append(called)
                made = allocations(called)
                if made:
                    found[f"{called.__module__}.{called.__name__}"] = made
    return found


@inner
def _makes(x):
    return np.zeros(3)[0] + x


@borrowing
def _borrows(x):
    x[0] = _makes(x[0])


def test_what_allocates_for_borrowing_functions_counts():
    compiled = compiled_functions()
    borrow = [function for function, made in compiled.items() if made.targetoptions.get("_nrt") is False]
    assert len(borrow) > 100
    assert forgotten(borrow) == {}


def test_one_that_forgets_is_found():
    assert forgotten([_borrows.py_func]) == {f"{__name__}._makes": ["zeros"]}
