"""Compiled functions of records of any type behind an address: loops that call them are compiled once for all types.

A loop that takes a record itself is compiled anew for each type of record, and with it all that it calls.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core import cgutils
from numba.extending import intrinsic

from pliant.errors import Array
from pliant.numerics.specialisation import specialised


class Opaque(NamedTuple):
    """A function with the record that it reads. The record is borrowed: keep it for as long as this is used.

    Attributes:
        entry: address of `function(pointer to the record, *others)`.
        record: its bytes.
    """

    entry: int
    record: Array


def opaque(function: Callable, record: Any, *others: Any) -> Opaque:
    """`function(place, *others)`, compiled for this record, which it gets by `read(place)`.

    It returns nothing where `call` shall call it, a whole number where `enter` shall.

    Args:
        function: `specialised`.
        others: arguments whose types `call` will pass.
    """
    kinds = (types.CPointer(typeof(record)), *(typeof(other) for other in others))
    function.compile(kinds)  # type: ignore[attr-defined]
    compiled = function.overloads[kinds]  # type: ignore[attr-defined]
    return Opaque(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name), _bytes_of(record))


@intrinsic
def read(_, place):
    """The record at a place."""

    def build(context, builder, signature, arguments):
        kind = signature.return_type
        return _without_owners(context, builder, kind, context.unpack_value(builder, kind, arguments[0]))

    return place.dtype(place), build


@intrinsic(prefer_literal=True)
def part(_, place, number):
    """One member of the record at a place, by its number, a constant: the others cost nothing, also to compile."""
    which = number.literal_value
    kind = place.dtype.types[which]

    def build(context, builder, _signature, arguments):
        member = cgutils.gep_inbounds(builder, arguments[0], 0, which)
        return _without_owners(context, builder, kind, context.unpack_value(builder, kind, member))

    return kind(place, number), build


def _without_owners(context, builder, kind, value):
    """A record whose arrays nobody counts: the counters of a call's arguments end with the call."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        parts = [_without_owners(context, builder, *part) for part in zip(kind.types, parts)]
        return context.make_tuple(builder, kind, parts)
    return value


@intrinsic
def _size_of(_, record):
    """How many bytes a record takes."""

    def build(context, builder, signature, _arguments):
        size = context.get_abi_sizeof(context.get_data_type(signature.args[0]))
        return context.get_constant(types.intp, size)

    return types.intp(record), build


@intrinsic
def _write(_, record, into):
    """A record into bytes."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        kind = signature.args[0]
        place = builder.bitcast(data, context.get_data_type(kind).as_pointer())
        context.pack_value(builder, kind, arguments[0], place)
        return context.get_dummy_value()

    return types.none(record, into), build


@specialised
def _bytes_of(record):
    into = np.empty(_size_of(record), np.uint8)
    _write(record, into)
    return into


@intrinsic
def _call(_, entry, record, first, second):
    """entry(record, first, second) by numba's own convention of calls."""

    def build(context, builder, signature, arguments):
        place = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        return _called(context, builder, arguments[0], place, (first, second), arguments[2:])

    return types.none(entry, record, first, second), build


def _called(context, builder, entry, place, kinds, others):
    """entry(place, *others), which returns nothing."""
    all_kinds, convention = (types.CPointer(types.uint8), *kinds), context.call_conv
    function = convention.get_function_type(types.none, all_kinds)
    pointer = builder.inttoptr(entry, function.as_pointer())
    status, _ = convention.call_function(builder, pointer, types.none, all_kinds, (place, *others))
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return context.get_dummy_value()


@njit(cache=True, nogil=True)
def call(function, first, second):
    """The function of an `Opaque`, for two more arguments."""
    _call(function.entry, function.record, first, second)


@intrinsic
def _call_at(_, entry, address, first, second):
    """entry(record at an address, first, second) by numba's own convention of calls."""

    def build(context, builder, _signature, arguments):
        place = builder.inttoptr(arguments[1], context.get_value_type(types.CPointer(types.uint8)))
        return _called(context, builder, arguments[0], place, (first, second), arguments[2:])

    return types.none(entry, address, first, second), build


@njit(cache=True, nogil=True)
def call_at(entry, address, first, second):
    """As `call`, of an `Opaque` that a table keeps as two numbers: its entry, and the address of its record."""
    _call_at(entry, address, first, second)


@intrinsic
def _enter(_, entry, place, number):
    """entry(place, number), which returns a whole number, by numba's own convention of calls."""

    def build(context, builder, signature, arguments):
        kinds, result = (types.CPointer(types.uint8), number), signature.return_type
        convention = context.call_conv
        function = convention.get_function_type(result, kinds)
        pointer = builder.inttoptr(arguments[0], function.as_pointer())
        record = builder.inttoptr(arguments[1], context.get_value_type(kinds[0]))
        status, found = convention.call_function(builder, pointer, result, kinds, (record, arguments[2]))
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return found

    return types.int64(entry, place, number), build


@njit(cache=True, nogil=True)
def enter(entry, place, number):
    """The function of an `Opaque` from Python, `place` the address of its record: three numbers, since numba takes a
    quarter of a microsecond to look at an array and a whole one to look at a tuple."""
    return _enter(entry, place, number)
