"""Eight float64 that are written like one: a formula over octets runs for eight instances at once.

LLVM cuts them into whatever registers the processor has. Arithmetic is lane by lane; plain numbers are spread.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

WIDTH = 8
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)


class Octet(types.Type):
    """Eight float64."""

    def __init__(self):
        super().__init__("Octet")

    def can_convert_from(self, _context, other):
        return Conversion.safe if isinstance(other, types.Number) else None


octet = Octet()


@register_model(Octet)
class _OctetModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


def _spread(builder, scalar):
    empty, lane = ir.Constant(_VECTOR, ir.Undefined), ir.IntType(32)
    zeros = ir.Constant(ir.VectorType(lane, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(builder.insert_element(empty, scalar, lane(0)), empty, zeros)


@lower_cast(types.Number, Octet)
def _from_number(context, builder, given, _wanted, value):
    return _spread(builder, context.cast(builder, value, given, types.float64))


def _arithmetic(operation, instruction, flags):
    class _Template(AbstractTemplate):
        def generic(self, arguments, _keywords):
            if octet in arguments and all(a == octet or isinstance(a, types.Number) for a in arguments):
                return signature(octet, *([octet] * len(arguments)))
            return None

    infer_global(operation)(_Template)

    def generate(_context, builder, _signature, arguments):
        return getattr(builder, instruction)(*arguments, flags=flags)

    lower_builtin(operation, *([Octet] * (1 if instruction == "fneg" else 2)))(generate)


# Multiplications and additions may fuse; nothing else about the order of operations changes.
for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.neg, "fneg"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
    (operator.imul, "fmul"),
):
    _arithmetic(_operation, _instruction, () if _instruction == "fneg" else ("contract",))


def _address(context, builder, array_type, array, start):
    """Where eight numbers of an array begin, their type, and its alignment."""
    data = context.make_array(array_type)(context, builder, array).data
    number = context.get_value_type(array_type.dtype)
    kind = ir.VectorType(number, WIDTH)
    return builder.bitcast(builder.gep(data, [start]), kind.as_pointer()), kind, context.get_abi_sizeof(number)


@intrinsic
def load8(_typing, array, start):
    """array[start : start + 8] of a flat contiguous array of float64, or of float32 that are widened."""

    def generate(context, builder, sig, arguments):
        address, kind, alignment = _address(context, builder, sig.args[0], *arguments)
        value = builder.load(address)
        value.align = alignment
        return value if kind == _VECTOR else builder.fpext(value, _VECTOR)

    return octet(array, types.intp), generate


@intrinsic
def store8(_typing, array, start, value):
    """array[start : start + 8] = value, rounded where the array is of float32."""

    def generate(context, builder, sig, arguments):
        address, kind, alignment = _address(context, builder, sig.args[0], *arguments[:2])
        value = arguments[2] if kind == _VECTOR else builder.fptrunc(arguments[2], kind)
        builder.store(value, address).align = alignment
        return context.get_dummy_value()

    return types.void(array, types.intp, octet), generate


@intrinsic
def spread8(_typing, scalar):
    """All lanes equal to a number."""

    def generate(_context, builder, _signature, arguments):
        return _spread(builder, arguments[0])

    return octet(types.float64), generate


@intrinsic
def sqrt8(_typing, value):
    """Square root, lane by lane."""

    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v8f64"), arguments)

    return octet(octet), generate


def _shuffled_sum(builder, lanes, a, b):
    """Lanes of (a, b) picked by two lists and added."""
    kind = ir.VectorType(ir.IntType(32), WIDTH)
    x, y = (builder.shuffle_vector(a, b, ir.Constant(kind, list(chosen))) for chosen in lanes)
    return builder.fadd(x, y)


@intrinsic
def sums8(_typing, a, b, c, d, e, f, g, h):
    """The sums of the lanes of eight octets, one a lane."""

    def generate(_context, builder, _signature, arguments):
        rows = list(arguments)
        for distance in (1, 2, 4):
            # Lanes whose number lacks the bit come from a, those that have it from b: half of each, folded.
            low = [lane if not lane & distance else WIDTH + lane - distance for lane in range(WIDTH)]
            high = [lane + distance if not lane & distance else WIDTH + lane for lane in range(WIDTH)]
            rows = [_shuffled_sum(builder, (low, high), *pair) for pair in zip(rows[::2], rows[1::2])]
        return rows[0]

    return octet(a, b, c, d, e, f, g, h), generate


@intrinsic
def split8(_typing, value):
    """(m, e) with value = m 2^e and 1 <= m < 2, lane by lane, for positive numbers that are not tiny."""

    def generate(context, builder, signature, arguments):
        whole = ir.VectorType(ir.IntType(64), WIDTH)
        bits = builder.bitcast(arguments[0], whole)
        exponent = builder.sub(builder.lshr(bits, ir.Constant(whole, [52] * WIDTH)), ir.Constant(whole, [1023] * WIDTH))
        mantissa = builder.and_(bits, ir.Constant(whole, [(1 << 52) - 1] * WIDTH))
        one = ir.Constant(whole, [1023 << 52] * WIDTH)
        parts = builder.bitcast(builder.or_(mantissa, one), _VECTOR), builder.sitofp(exponent, _VECTOR)
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(octet, 2)(octet), generate


def _reduction(name, start=None):
    def generate(_context, builder, _signature, arguments):
        number = ir.DoubleType()
        kind = ir.FunctionType(number, [_VECTOR] if start is None else [number, _VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.{name}.v8f64")
        given = arguments if start is None else [ir.Constant(number, start), *arguments]
        return builder.call(function, given, fastmath=("reassoc", "nsz") if start is not None else ())

    return generate


@intrinsic
def total8(_typing, value):
    """Sum of the lanes."""
    return types.float64(octet), _reduction("fadd", -0.0)


@intrinsic
def least8(_typing, value):
    """Smallest lane; lanes that are no number do not count."""
    return types.float64(octet), _reduction("fmin")


@intrinsic
def smallest8(_typing, value):
    """Smallest lane, of numbers: three steps instead of seven."""

    def generate(_context, builder, _signature, arguments):
        value, lane = arguments[0], ir.VectorType(ir.IntType(32), WIDTH)
        for distance in (4, 2, 1):
            other = builder.shuffle_vector(value, value, ir.Constant(lane, [k ^ distance for k in range(WIDTH)]))
            value = builder.select(builder.fcmp_ordered("<", value, other), value, other)
        return builder.extract_element(value, ir.IntType(32)(0))

    return types.float64(octet), generate


@intrinsic
def where_positive8(_typing, test, yes, no):
    """`yes` in the lanes where `test` > 0, else `no`."""

    def generate(_context, builder, _signature, arguments):
        zeros = ir.Constant(_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", arguments[0], zeros), arguments[1], arguments[2])

    return octet(octet, octet, octet), generate


@intrinsic
def larger8(_typing, one, other):
    """The larger of both, lane by lane; the other where one is no number."""

    def generate(_context, builder, _signature, arguments):
        one, other = arguments
        return builder.select(builder.fcmp_ordered(">", one, other), one, other)

    return octet(octet, octet), generate


@intrinsic
def up_to8(_typing, value, bound):
    """A whole number that has bit k where value <= bound in lane k."""

    def generate(_context, builder, _signature, arguments):
        flags = builder.fcmp_ordered("<=", *arguments)
        return builder.zext(builder.bitcast(flags, ir.IntType(WIDTH)), ir.IntType(64))

    return types.int64(octet, octet), generate


@intrinsic
def lowest_bit(_typing, mask):
    """The number of the lowest bit of a whole number that is not zero."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
