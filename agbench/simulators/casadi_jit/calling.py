"""How a Numba kernel calls machine code at an address, and reads an array at one."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic


def _call(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Call compiled code at an int64 `address` with a tuple of float64 arrays or int64 pointers.

    The address is an argument and not a constant, so that the calling kernel can be cached.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = ir.PointerType(ir.IntType(8))
        passed = []
        for i, kind in enumerate(signature.args[1]):
            value = builder.extract_value(values[1], i)
            if isinstance(kind, types.Array):
                data = context.make_array(kind)(context, builder, value).data
                passed.append(builder.bitcast(data, pointer))
            else:
                passed.append(builder.inttoptr(value, pointer))
        kind = ir.FunctionType(ir.VoidType(), [pointer] * len(passed))
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), passed)
        return context.get_dummy_value()

    return types.void(types.int64, arguments), generate


def _load(typing_context: Any, address: Any, index: Any) -> Any:
    """Return element `index` of the float64 array at an int64 `address`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number = ir.DoubleType()
        array = builder.inttoptr(values[0], number.as_pointer())
        return builder.load(builder.gep(array, [values[1]]))

    return types.float64(types.int64, types.int64), generate


call: Any = intrinsic(_call)
load: Any = intrinsic(_load)
