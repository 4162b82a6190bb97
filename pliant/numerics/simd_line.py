"""Lines of 64 bytes, one register of the widest processors: eight float64 or sixteen float32, by the array they are in.

A line of float64 is an octet of `simd8.py`; one of float32 is a type of its own with the same arithmetic.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, overload, register_model

from pliant.numerics.simd8 import octet

BYTES = 64
_SINGLES = ir.VectorType(ir.FloatType(), BYTES // 4)


class SingleLine(types.Type):
    """Sixteen float32."""

    def __init__(self):
        super().__init__("SingleLine")


single_line = SingleLine()


@register_model(SingleLine)
class _SingleLineModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _SINGLES)


def _arithmetic(operation, instruction):
    class _Template(AbstractTemplate):
        def generic(self, arguments, _keywords):
            known = tuple(arguments) == (single_line, single_line)
            return signature(single_line, single_line, single_line) if known else None

    infer_global(operation)(_Template)

    def generate(_context, builder, _signature, arguments):
        return getattr(builder, instruction)(*arguments, flags=("contract",))

    lower_builtin(operation, SingleLine, SingleLine)(generate)


for _operation, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    _arithmetic(_operation, _instruction)


def lanes_of(array):
    """Numbers in a line of the array."""
    return BYTES // array.itemsize


@overload(lanes_of)
def _lanes_of(array):
    count = BYTES // (array.dtype.bitwidth // 8)
    return lambda array: count


def _line_of(array):
    return octet if array.dtype == types.float64 else single_line


def _address(context, builder, kind, array_type, array, start):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), kind.as_pointer())


@intrinsic
def load_line(_typing, array, start):
    """The line that begins at array[start]."""
    line = _line_of(array)

    def generate(context, builder, sig, arguments):
        value = builder.load(_address(context, builder, context.get_value_type(line), sig.args[0], *arguments))
        value.align = array.dtype.bitwidth // 8
        return value

    return line(array, types.intp), generate


@intrinsic
def store_line(_typing, array, start, value):
    """Write a line to array[start] and what follows."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, arguments[2].type, sig.args[0], *arguments[:2])
        builder.store(arguments[2], address).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, _line_of(array)), generate


@intrinsic
def spread_line(_typing, array, at):
    """array[at] in all lanes of a line."""
    line = _line_of(array)

    def generate(context, builder, sig, arguments):
        vector, lane = context.get_value_type(line), ir.IntType(32)
        number = builder.load(_address(context, builder, vector.element, sig.args[0], *arguments))
        empty = ir.Constant(vector, ir.Undefined)
        zeros = ir.Constant(ir.VectorType(lane, vector.count), [0] * vector.count)
        return builder.shuffle_vector(builder.insert_element(empty, number, lane(0)), empty, zeros)

    return line(array, types.intp), generate
