"""The selection language: conditions on x, y, z and named groups, read by a whitelist and never executed."""

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from pliant.errors import Array, Ids, SelectionError

MAX_LENGTH = 1000
MAX_DEPTH = 40
MAX_EXPONENT = 16
ALLOWED = 'numbers, x y z pi, + - * / **, < <= > >= == !=, and or not, abs sqrt sin cos min max, group("name")'

_ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type, Callable] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ONE_ARGUMENT: dict[str, Callable] = {"abs": np.abs, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos}
_MANY_ARGUMENTS: dict[str, Callable] = {"min": np.minimum, "max": np.maximum}


def select(expression: str, points: Array, groups: Mapping[str, Ids]) -> Ids:
    """Sorted ids of the points (p, 3) where the condition holds; none is a valid answer."""
    tree = _parse(expression)
    with np.errstate(all="ignore"):
        mask = _Evaluator(expression, points, groups).condition(tree.body)
    return np.flatnonzero(np.broadcast_to(mask, len(points)))


def _parse(expression: str) -> ast.Expression:
    if not isinstance(expression, str) or not expression.strip():
        raise SelectionError(f'a selection must be text such as "x < 0.1"; {expression!r} was given')
    if len(expression) > MAX_LENGTH:
        raise SelectionError(
            f"a selection may have {MAX_LENGTH} characters; this one has {len(expression)}: shorten it"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        place = f"at character {error.offset}" if error.offset else "at its end"
        raise SelectionError(f"selection {_shown(expression)} cannot be read {place}; allowed are {ALLOWED}") from None
    except (ValueError, RecursionError, MemoryError):
        raise SelectionError(f"selection {_shown(expression)} cannot be read; allowed are {ALLOWED}") from None


def _shown(expression: str) -> str:
    return repr(expression if len(expression) <= 80 else expression[:80] + "...")


class _Evaluator(ast.NodeVisitor):
    """Walks the syntax tree; a node without a method here is refused."""

    def __init__(self, expression: str, points: Array, groups: Mapping[str, Ids]):
        self.expression, self.groups, self.count, self.depth = expression, groups, len(points), 0
        self.names = {"x": points[:, 0], "y": points[:, 1], "z": points[:, 2], "pi": np.float64(np.pi)}

    def visit(self, node: ast.AST) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(node, f"is nested deeper than {MAX_DEPTH} levels: simplify it")
        value = super().visit(node)
        self.depth -= 1
        return value

    def condition(self, node: ast.AST) -> Any:
        value = self.visit(node)
        if value.dtype != bool:
            self.refuse(node, "has a number where a condition is needed: compare it, as in x < 0.1")
        return value

    def number(self, node: ast.AST) -> Any:
        value = self.visit(node)
        if value.dtype == bool:
            self.refuse(node, "has a condition where a number is needed: join conditions with and, or, not")
        return value

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        place = getattr(node, "col_offset", 0) + 1
        raise SelectionError(
            f"selection {_shown(self.expression)} at character {place} {reason}; allowed are {ALLOWED}"
        )

    def generic_visit(self, node: ast.AST) -> NoReturn:
        self.refuse(node, f"uses {type(node).__name__}, which is not part of the language")

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            self.refuse(node, f"has {node.value!r} where a number is needed")
        try:
            return np.float64(node.value)
        except OverflowError:
            return self.refuse(node, "has a number that is too large")

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            self.refuse(node, f"uses the unknown name {node.id!r}")
        return self.names[node.id]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return ~self.condition(node.operand)
        if isinstance(node.op, ast.Invert):
            self.refuse(node, "uses ~; write not")
        return -self.number(node.operand) if isinstance(node.op, ast.USub) else self.number(node.operand)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if type(node.op) not in _ARITHMETIC:
            self.refuse(node, f"uses {type(node.op).__name__}, which is not part of the language")
        left, right = self.number(node.left), self.number(node.right)
        if isinstance(node.op, ast.Pow) and not np.all(np.abs(right) <= MAX_EXPONENT):
            self.refuse(node.right, f"has an exponent beyond {MAX_EXPONENT}")
        return _ARITHMETIC[type(node.op)](left, right)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        return reduce(join, [self.condition(value) for value in node.values])

    def visit_Compare(self, node: ast.Compare) -> Any:
        numbers = [self.number(side) for side in (node.left, *node.comparators)]
        result: Any = np.True_
        for op, left, right in zip(node.ops, numbers, numbers[1:], strict=False):
            if type(op) not in _COMPARISONS:
                self.refuse(node, f"uses {type(op).__name__}, which is not part of the language")
            result = result & _COMPARISONS[type(op)](left, right)
        return result

    def visit_Call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords:
            self.refuse(node, "names an argument; give it by position")
        if name == "group":
            return self.group(node)
        if name in _ONE_ARGUMENT and len(node.args) == 1:
            return _ONE_ARGUMENT[name](self.number(node.args[0]))
        if name in _MANY_ARGUMENTS and len(node.args) >= 2:
            return reduce(_MANY_ARGUMENTS[name], [self.number(argument) for argument in node.args])
        return self.refuse(
            node, f"calls {name or 'something'!r} with {len(node.args)} arguments, which is not possible"
        )

    def group(self, node: ast.Call) -> Any:
        name = str(node.args[0].value) if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) else ""
        if name not in self.groups:
            known = ", ".join(map(repr, sorted(self.groups)[:10])) or "none in this mesh"
            self.refuse(node, f"asks for the group {name!r}; groups are: {known}")
        mask = np.zeros(self.count, dtype=bool)
        mask[self.groups[name]] = True
        return mask
