"""What a call of PyTorch or NumPy makes: numbers of the dtype that is passed or fixed, or of that of its operands."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.tensors.numbers import named_dtype
from torchlint.model.values.value_sets import Device, Display, Literal, Text
from torchlint.pytorch import dtypes
from torchlint.pytorch.generators import NUMPY_GENERATORS
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_FLOAT32 = "float32"


@dataclass(frozen=True, slots=True)
class Operation:
    """What a call makes: numbers of a dtype, or of that which all its operands have."""

    dtype: str | None = None
    is_array: bool | None = None
    """Whether it makes an ndarray, None for what its operands are."""
    operands: tuple[Place, ...] = ()
    of_arrays: bool | None = None
    """Whether its operands have to be ndarrays, or tensors."""
    of_floats: bool = False


def operation_of(ev: Evaluator, call: Call) -> Operation | None:
    """Return what a call makes, None where that is unknown."""
    names = call.callee.names
    if len(names) == 1 and not call.is_partial:
        return _of_function(ev, call, next(iter(names)))
    return _of_method(ev, call) if not names and call.owner is not None else None


def _of_function(ev: Evaluator, call: Call, name: str) -> Operation | None:
    is_array = name.startswith("numpy.")
    with_step = call.argument("dtype", 1 if name in dtypes.DTYPE_SECOND else None)
    if with_step is not None and (is_array or name.startswith("torch.")):
        dtype = named_dtype(ev, with_step)
        return Operation(dtype, is_array) if dtype is not None else None
    if call.is_open:
        return None
    return _of_array_function(ev, call, name) if is_array else _of_torch_function(ev, call, name)


def _of_array_function(ev: Evaluator, call: Call, name: str) -> Operation | None:
    if name in dtypes.ARRAYS_OF_FLOATS:
        return Operation("float64", True)
    if name in dtypes.ARRAYS_OF_INTEGERS:
        return Operation("int64", True)
    if name.startswith(dtypes.RANDOM):
        return _drawn(call, name.removeprefix(dtypes.RANDOM))
    if name in dtypes.ARRAY_JOINING:
        return Operation(operands=_parts(call), of_arrays=True)
    if name in dtypes.ARRAY_FUNCTIONS:
        written = _written_dtype(ev, call)
        return Operation(written, True) if written else Operation(operands=call.arguments[:1], of_arrays=True)
    if name in dtypes.ARRAY_MATHS:
        return Operation(operands=call.arguments[:1], of_arrays=True, of_floats=True)
    return None


def _of_torch_function(ev: Evaluator, call: Call, name: str) -> Operation | None:
    if name in dtypes.LEGACY_TENSORS:
        return Operation(dtypes.LEGACY_TENSORS[name], False)
    if name in dtypes.OF_DATA:
        return Operation(is_array=False, operands=call.arguments[:1])
    if name in dtypes.ALWAYS_LONG:
        return Operation("int64", False)
    if name in dtypes.DEFAULT_FLOAT:
        return Operation(_FLOAT32, False) if not ev.project.once(sets_default_dtype) else None
    if name in dtypes.FILLING:
        return _filled(ev, call)
    if name in dtypes.JOINING:
        return Operation(operands=_parts(call), of_arrays=False)
    if name in dtypes.KEEPING_FUNCTIONS:
        return Operation(operands=call.arguments[:1], of_arrays=False)
    return None


def _filled(ev: Evaluator, call: Call) -> Operation | None:
    """Return what `torch.full(size, value)` makes: of the dtype of a value that is surely one of Python's numbers."""
    value = call.argument("fill_value", 1)
    possible = ev.evaluate(value) if value is not None else ()
    kinds = {type(one.value.value).__name__ if isinstance(one.value, Literal) else "" for one in possible}
    dtype = dtypes.OF_FILL.get(kinds.pop()) if len(kinds) == 1 else None
    is_open = dtype is None or (dtype == _FLOAT32 and ev.project.once(sets_default_dtype))
    return None if is_open else Operation(dtype, False)


def sets_default_dtype(ev: Evaluator) -> bool:
    """Tell whether a project sets the dtype that tensors and layers have by default."""
    return any(bool(ev.project.library.holding(word)) for word in dtypes.SETS_DEFAULT)


def _drawn(call: Call, method: str) -> Operation | None:
    """Return what is drawn: an array where a size is passed, and else a number of Python."""
    dtype, position = dtypes.DRAWN.get(method, ("", 0))
    size = call.argument("size", position)
    is_array = bool(dtype) and size is not None and size.literals != (None,)
    return Operation(dtype, True) if is_array else None


def _parts(call: Call) -> tuple[Place, ...]:
    """Return what is written in the list or tuple that a call is given."""
    match [one.expression for one in call.arguments[:1]]:
        case [ast.List(elts=parts) | ast.Tuple(elts=parts)]:
            return tuple(map(call.at, parts))
        case _:
            return ()


def _written_dtype(ev: Evaluator, call: Call) -> str | None:
    """Return the dtype of an array that is written as a list of numbers: `np.array([[1.0, 2.0]])`."""
    displays = [one.value for place in call.arguments[:1] for one in ev.evaluate(place)]
    if len(displays) != 1 or not isinstance(displays[0], Display):
        return None
    written = displays[0].place
    if written.statement is not call.statement or not isinstance(written.expression, (ast.List, ast.Tuple)):
        return None
    leaves = [one for one in walk(written.expression) if not isinstance(one, (ast.List, ast.Tuple, ast.Load))]
    kinds = {type(one.value) if isinstance(one, ast.Constant) else None for one in leaves}
    return "float64" if kinds in ({float}, {float, int}) else "int64" if kinds == {int} else None


def _of_method(ev: Evaluator, call: Call) -> Operation | None:
    method, owner = call.method, call.owner
    assert owner is not None
    answer = _METHODS.get(method)
    if answer is not None:
        return answer(ev, call, owner)
    if method in dtypes.CASTS and not ev.is_module(owner):
        return Operation(dtypes.CASTS[method], False)
    if method in dtypes.DRAWN and _is_generator(ev, owner):
        with_step = call.argument("dtype")
        dtype = named_dtype(ev, with_step) if with_step is not None else None
        return Operation(dtype, True) if dtype else _drawn(call, method) if with_step is None else None
    if method in dtypes.REDUCING and not call.is_open and call.argument("dtype") is None:
        return Operation(operands=(owner,), of_floats=True)
    kinds = {kind for kind, methods in ((True, dtypes.ARRAY_KEEPING), (False, dtypes.KEEPING)) if method in methods}
    if not kinds:
        return None
    return Operation(operands=(owner,), of_arrays=kinds.pop() if len(kinds) == 1 else None)


def _is_generator(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something draws numbers for NumPy: `np.random.default_rng(0)`."""
    made = [one.origin for one in ev.evaluate(owner)]
    calls = [one.at(one.expression.func) for one in made if one is not None and isinstance(one.expression, ast.Call)]
    return len(calls) == len(made) > 0 and all(bool(one.names) and one.names <= NUMPY_GENERATORS for one in calls)


def _astype(ev: Evaluator, call: Call, _: Place) -> Operation | None:
    with_step = call.argument("dtype", 0)
    dtype = named_dtype(ev, with_step) if with_step is not None else None
    return Operation(dtype, True) if dtype is not None else None


def _moved(ev: Evaluator, call: Call, owner: Place) -> Operation | None:
    """Return what `x.to(…)` makes: of the dtype that is passed, of its own where that is a device."""
    if call.is_open or ev.is_module(owner):
        return None
    with_step = call.argument("dtype") or next((one for one in call.arguments if named_dtype(ev, one)), None)
    if with_step is not None:
        dtype = named_dtype(ev, with_step)
        return Operation(dtype, False) if dtype is not None else None
    device = call.argument("device", 0)
    kinds = [one.value for one in ev.evaluate(device)] if device is not None else []
    is_device = bool(kinds) and all(isinstance(one, (Device, Text, Literal)) for one in kinds)
    return Operation(operands=(owner,), of_arrays=False) if is_device else None


def _typed(ev: Evaluator, call: Call, _: Place) -> Operation | None:
    with_step = call.argument("dtype", 0)
    dtype = named_dtype(ev, with_step) if with_step is not None else None
    return Operation(dtype, False) if dtype is not None else None


def _viewed(ev: Evaluator, call: Call, owner: Place) -> Operation | None:
    """Return what `x.view(…)` makes: of another dtype if it is passed one, and not a shape."""
    given = call.argument("dtype", 0)
    if given is None or named_dtype(ev, given) is None:
        return Operation(operands=(owner,))
    is_of_torch = any(name.startswith("torch.") for name in given.names)
    return Operation(named_dtype(ev, given), False) if is_of_torch else None


def _as_array(_: Evaluator, __: Call, owner: Place) -> Operation | None:
    return Operation(is_array=True, operands=(owner,), of_arrays=False)


_METHODS: dict[str, Callable[[Evaluator, Call, Place], Operation | None]] = {
    "astype": _astype,
    "to": _moved,
    "type": _typed,
    "view": _viewed,
    "numpy": _as_array,
}
