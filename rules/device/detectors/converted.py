"""What makes an ndarray: `t.numpy()`, and what is given to NumPy, to what draws and to what scores."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported
from torchlint.pytorch.numpy_calls import (
    ARRAY_ARGUMENTS,
    ARRAY_PACKAGES,
    NO_ARRAY_OF_LIST,
    NO_ARRAY_OF_TENSOR,
    OF_TWO,
)
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import parent_of
from torchlint.syntax.last_names import root_of

from .given_to_numpy import is_list

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_OTHER_NAMES = (ast.Name, ast.Attribute, ast.IfExp)
_NUMPY = "numpy."


def converted(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield the calls of a file that make ndarrays, each with the tensor or list that it makes one of."""
    for call, statement in file.index.calls("numpy"):
        if isinstance(call.func, ast.Attribute) and not call.args and not call.keywords:
            place = Place(file, call, statement)
            yield place, place.at(call.func.value)
    if not any(map(file.says, ARRAY_PACKAGES)):
        return
    for call, statement in file.index.expressions(ast.Call):
        if isinstance(call.func, (ast.Name, ast.Attribute)):
            place = Place(file, call, statement)
            if _may_be_imported(place.at(call.func)):
                yield from ((place, place.at(one)) for one in _arrays_of(ev, place, call))


def _may_be_imported(function: Place) -> bool:
    """Tell whether the root of a name may be imported, or an alias; most names are not."""
    root = root_of(function.expression)
    bindings = function.scope.seen(root.id) if isinstance(root, ast.Name) else ()
    return bindings is None or any(one.kind == "import" or isinstance(one.value, _OTHER_NAMES) for one in bindings)


def _arrays_of(ev: Evaluator, place: Place, call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that its callee makes ndarrays of, whichever function that is."""
    found = [one.value.name if isinstance(one.value, Imported) else "" for one in ev.evaluate(place.at(call.func))]
    given = _before_star(call)
    if found and all(name.startswith(_NUMPY) for name in found):
        yield from (one for one in given[:1] if _makes_array(ev, found, place.at(one)))
        yield from (one for one in given[1:2] if OF_TWO.issuperset(found))
    elif found and all(name in ARRAY_ARGUMENTS for name in found):
        rows = [ARRAY_ARGUMENTS[name] for name in found]
        yield from given[: min(row.taken for row in rows)]
        yield from (word.value for word in call.keywords if all(word.arg in row.keywords for row in rows))


def _before_star(call: ast.Call) -> list[ast.expr]:
    """Return the arguments whose positions are known."""
    stars = (at for at, one in enumerate(call.args) if isinstance(one, ast.Starred))
    return call.args[: next(stars, len(call.args))]


def _makes_array(ev: Evaluator, names: list[str], given: Place) -> bool:
    """Tell whether a function of NumPy makes an ndarray of its first argument."""
    if not is_list(ev, given):
        return NO_ARRAY_OF_TENSOR.isdisjoint(names)
    # A function in a module of NumPy may keep a list unchanged, and so may one whose items stay objects.
    are_own = all(name.count(".") == 1 for name in names) and NO_ARRAY_OF_LIST.isdisjoint(names)
    call = parent_of(given)
    return are_own and call is not None and passed(call, "dtype") is None
