"""Vectors of sixteen numbers in registers: the few SIMD words that the hot loops of reduced models are written in.

LLVM cuts them into whatever registers the processor has. Loads and stores need no alignment.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

WIDTH = 16


class Lanes(types.Type):
    """Sixteen float32 or float64."""

    def __init__(self, scalar):
        self.scalar = scalar
        super().__init__(f"Lanes({scalar})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, ir.VectorType(manager.lookup(lanes.scalar).get_value_type(), WIDTH))


def _address(context, builder, array_type, array, start):
    data = context.make_array(array_type)(context, builder, array).data
    lanes = context.get_value_type(Lanes(array_type.dtype))
    size = context.get_abi_sizeof(context.get_value_type(array_type.dtype))
    return builder.bitcast(builder.gep(data, [start]), lanes.as_pointer()), size


def _everywhere(builder, scalar, vector_type):
    empty, zero = ir.Constant(vector_type, ir.Undefined), ir.IntType(32)(0)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(builder.insert_element(empty, scalar, zero), empty, zeros)


def _numbers(builder, integer):
    """An integer in all 32-bit lanes, and 0, 1, 2 .. to compare it with."""
    lanes = ir.VectorType(ir.IntType(32), WIDTH)
    return _everywhere(builder, builder.trunc(integer, lanes.element), lanes), ir.Constant(lanes, list(range(WIDTH)))


@intrinsic
def load(_typing, array, start):
    """array[start : start + 16] of a flat contiguous array."""

    def generate(context, builder, signature, arguments):
        address, size = _address(context, builder, signature.args[0], *arguments)
        value = builder.load(address)
        value.align = size
        return value

    return Lanes(array.dtype)(array, types.intp), generate


@intrinsic
def store(_typing, array, start, lanes):
    """array[start : start + 16] = lanes."""

    def generate(context, builder, signature, arguments):
        address, size = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], address).align = size
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
def spread(_typing, scalar):
    """All lanes equal to a scalar."""

    def generate(context, builder, signature, arguments):
        return _everywhere(builder, arguments[0], context.get_value_type(signature.return_type))

    return Lanes(scalar)(scalar), generate


@intrinsic
def fma(_typing, a, b, c):
    """a b + c, lane by lane."""

    def generate(_context, builder, _signature, arguments):
        a, b, c = arguments
        return builder.fadd(builder.fmul(a, b, flags=("contract",)), c, flags=("contract",))

    return a(a, b, c), generate


@intrinsic
def total(_typing, lanes):
    """Sum of all lanes."""

    def generate(_context, builder, _signature, arguments):
        vector = arguments[0].type
        number = vector.element
        name = f"llvm.vector.reduce.fadd.v{WIDTH}{'f64' if isinstance(number, ir.DoubleType) else 'f32'}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number, vector]), name)
        return builder.call(function, [ir.Constant(number, -0.0), arguments[0]], fastmath=("reassoc", "nsz"))

    return lanes.scalar(lanes), generate


@intrinsic
def head(_typing, lanes, count):
    """The first `count` lanes, zero in the others."""

    def generate(_context, builder, _signature, arguments):
        limit, counting = _numbers(builder, arguments[1])
        zeros = ir.Constant(arguments[0].type, [0.0] * WIDTH)
        return builder.select(builder.icmp_signed("<", counting, limit), arguments[0], zeros)

    return lanes(lanes, types.intp), generate


@intrinsic
def place(_typing, lanes, index, scalar):
    """The lanes with one of them replaced."""

    def generate(_context, builder, _signature, arguments):
        chosen, counting = _numbers(builder, arguments[1])
        replaced = _everywhere(builder, arguments[2], arguments[0].type)
        return builder.select(builder.icmp_signed("==", counting, chosen), replaced, arguments[0])

    return lanes(lanes, types.intp, lanes.scalar), generate
