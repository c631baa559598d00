"""What calls of Python's built-in functions return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.call_graph.imports import imported_by_call
from torchlint.model.call_graph.lookups import named_in
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.emptiness import emptied
from torchlint.model.containers.items import only_key
from torchlint.model.options.option_stores import holds_options
from torchlint.model.place import Place
from torchlint.model.results.constant_calls import Answer, converted, converted_by, length_of, only_literal, text_of
from torchlint.model.results.passed_kinds import is_passed_as
from torchlint.model.values.joins import either
from torchlint.model.values.kinds import are_on_cuda, is_any
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Array,
    Built,
    Class,
    Display,
    Imported,
    Instance,
    Iterator,
    Literal,
    Number,
    Options,
    Possibility,
    Tensor,
    Text,
    Tuple,
    Unknown,
    ValueSet,
    known,
)
from torchlint.syntax.around import arguments_of
from torchlint.syntax.device_words import asks_about_device, is_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def _first(ev: Evaluator, place: Place) -> ValueSet:
    arguments = arguments_of(place)
    return ev.evaluate(place.at(arguments[0])) if arguments else ()


def number(_: Evaluator, place: Place) -> ValueSet:
    """Return some number: of `len(x)`, of `torch.Size`."""
    return known(Number(), place)


def _truth(ev: Evaluator, place: Place) -> ValueSet:
    arguments = arguments_of(place)
    outcome = ev.truth(place.at(arguments[0])) if arguments else False
    return known(Number() if outcome is None else Literal(outcome), place)


def _is_instance(ev: Evaluator, place: Place) -> ValueSet:
    """`isinstance(x, torch.Tensor)`: never true of a sure number or text, nor of CUDA tensors without CUDA."""
    arguments = arguments_of(place)
    if len(arguments) == 2 and are_on_cuda(ev, place.at(arguments[1])) and ev.has_cuda is False:
        return known(Literal(False), place)
    if len(arguments) == 2 and (outcome := _is_kind_of_device(ev, place, *arguments)) is not None:
        return known(Literal(outcome), place)
    if len(arguments) == 2 and (outcome := is_passed_as(ev, place, *arguments)) is not None:
        return known(Literal(outcome), place)
    # The classes are found at once; only tensors, arrays and modules need the evaluator.
    if len(arguments) != 2 or is_any(ev, Possibility(Number()), place.at(arguments[1])) is not False:
        return known(Number(), place)
    possible = _first(ev, place)
    are_plain = possible and all(isinstance(one.value, (Number, Literal, Text)) for one in possible)
    is_none = are_plain and all(is_any(ev, one, place.at(arguments[1])) is False for one in possible)
    return known(Literal(False) if is_none else Number(), place)


def _is_kind_of_device(ev: Evaluator, place: Place, subject: ast.expr, kinds: ast.expr) -> bool | None:
    """Tell whether a device is given by its number, or by its name: `isinstance(device, int)`."""
    possible = ev.evaluate(place.at(subject)) if asks_about_device(subject) else ()
    if not possible or not all(isinstance(one.value, (Literal, Text)) for one in possible):
        return None
    outcomes = {is_any(ev, one, place.at(kinds)) for one in possible}
    return outcomes.pop() if len(outcomes) == 1 else None


def _range(ev: Evaluator, place: Place) -> ValueSet:
    """`range(0)` and `range(1, 0)` have no iterations."""
    arguments = arguments_of(place)
    ends = [only_literal(ev.evaluate(place.at(one))) for one in arguments] if len(arguments) < 3 else []
    numbers = [one.value for one in ends if one is not None and isinstance(one.value, int)]
    if numbers and len(numbers) == len(arguments) and numbers[-1] <= sum(numbers[:-1]):
        return known(Tuple(()), place)
    return known(Iterator(known(Number())), place)


def _enumerate(ev: Evaluator, place: Place) -> ValueSet:
    first = _first(ev, place)
    pair = Tuple((known(Number()), elements_of(ev, first) or UNKNOWN))
    return emptied(ev, place, first) or known(Iterator(known(pair)), place)


def _zip(ev: Evaluator, place: Place) -> ValueSet:
    given = [ev.evaluate(place.at(one)) for one in arguments_of(place)]
    columns = tuple(elements_of(ev, one) or UNKNOWN for one in given)
    return emptied(ev, place, *given) or known(Iterator(known(Tuple(columns))), place)


def _listed(ev: Evaluator, place: Place) -> ValueSet:
    """`list(x)`, `sorted(x)`, `iter(x)`: the same elements in another container."""
    arguments = arguments_of(place)
    if not arguments:
        return known(Display(place.at(ast.copy_location(ast.List([], ast.Load()), place.expression))), place)
    first = _first(ev, place)
    return emptied(ev, place, first) or known(Iterator(elements_of(ev, first)), place)


def _next(ev: Evaluator, place: Place) -> ValueSet:
    return elements_of(ev, _first(ev, place))


def _sum(ev: Evaluator, place: Place) -> ValueSet:
    values = [one.value for one in elements_of(ev, _first(ev, place))]
    if any(isinstance(value, Tensor) for value in values):
        return known(joined(*values), place)
    if any(isinstance(value, Array) for value in values):
        return known(Array(), place)
    return known(Number(), place) if all(isinstance(value, (Number, Literal)) for value in values) else UNKNOWN


def _extreme(ev: Evaluator, place: Place) -> ValueSet:
    """`max(a, b)`, `min(xs)`: one of them."""
    arguments = arguments_of(place)
    if len(arguments) == 1:
        return elements_of(ev, _first(ev, place))
    found = either(*(ev.evaluate(place.at(one)) for one in arguments))
    return known(Number(), place) if all(isinstance(one.value, (Literal, Number)) for one in found) else found


def _same(ev: Evaluator, place: Place) -> ValueSet:
    return _first(ev, place)


def _attribute(ev: Evaluator, place: Place) -> ValueSet:
    """`getattr(x, "name", default)`."""
    arguments = arguments_of(place)
    names = ev.evaluate(place.at(arguments[1])) if len(arguments) > 1 else UNKNOWN
    name = only_literal(names)
    if name is None or not isinstance(name.value, str):
        key = only_key(names)
        return either(*(named_in(ev, one, key) for one in _first(ev, place)))
    default = ev.evaluate(place.at(arguments[2])) if len(arguments) > 2 else ()
    found: list[ValueSet] = []
    for one in _first(ev, place):
        has = ev.has_attribute(one, name.value)
        if has is not False:
            found.append(ev.attribute(place, one, name.value))
        if has is not True and not _is_option(one, found[-1:]):
            found.append(tuple(other for other in default if other == one) or default)
    merged = either(*found)
    return default if default and _is_untouched(ev, place, name.value, merged) else merged


def _is_untouched(ev: Evaluator, place: Place, name: str, found: ValueSet) -> bool:
    """Tell whether an option about devices, which is declared nowhere, has its default."""
    is_about = is_about_device(name) and holds_options(arguments_of(place)[0]) and ev.has_defaults
    return is_about and any(isinstance(one.value, Unknown) and one.origin is None for one in found)


def _is_option(owner: Possibility, found: list[ValueSet]) -> bool:
    """Tell whether an attribute of an unknown object is known as an option, which always exists."""
    is_open = isinstance(owner.value, (Unknown, Options))
    return is_open and bool(found) and not any(isinstance(one.value, Unknown) for one in found[0])


def _like_first(ev: Evaluator, place: Place) -> ValueSet:
    """`abs(x)`, `round(x)`, `pow(x, 2)`: a tensor of a tensor, else a number."""
    return tuple(one for one in _first(ev, place) if isinstance(one.value, (Tensor, Array))) or known(Number(), place)


def _filter(ev: Evaluator, place: Place) -> ValueSet:
    arguments = arguments_of(place)
    return known(Iterator(elements_of(ev, ev.evaluate(place.at(arguments[-1])))), place) if arguments else UNKNOWN


def _dict(ev: Evaluator, place: Place) -> ValueSet:
    """`dict(a=1)`: a dict like the display `{"a": 1}`."""
    del ev
    call = place.expression
    assert isinstance(call, ast.Call)
    return UNKNOWN if call.args else known(Display(place.at(place.file.keywords_of(call))), place)


def _map(ev: Evaluator, place: Place) -> ValueSet:
    """`map(float, xs)` yields numbers, `map(torch.…, xs)` is unknown; those of GPUs may be constants."""
    names = {one.value.name for one in _first(ev, place) if isinstance(one.value, Imported)}
    if not names or not names <= {"builtins.int", "builtins.float", "builtins.bool", "builtins.len"}:
        return known(Iterator(UNKNOWN), place)
    through = arguments_of(place)[1:]
    is_worth = names == {"builtins.int"} and len(through) == 1 and asks_about_device(through[0])
    numbers = elements_of(ev, ev.evaluate(place.at(through[0]))) if is_worth else ()
    return known(Iterator(converted(int, numbers, place)), place)


def _super(ev: Evaluator, place: Place) -> ValueSet:
    """`super()`: an object of the next class in the family."""
    scope = place.scope.outer if place.scope.is_method else None
    if scope is None:
        return UNKNOWN
    for base in list(family(ev, Class(place.file, scope)))[1:]:
        return known(Instance(base)) if isinstance(base, Class) else known(Built(base))
    return UNKNOWN


BUILTIN_CALLS: dict[str, Answer] = {
    **dict.fromkeys(("divmod", "hash", "id", "ord", "complex", "hasattr",
                     "issubclass", "callable", "any", "all"), number),
    **dict.fromkeys(("str", "repr", "format", "chr", "input", "hex", "bin", "ascii"), text_of),
    **dict.fromkeys(("list", "tuple", "sorted", "reversed", "iter", "set", "frozenset"), _listed),
    "isinstance": _is_instance,
    "int": converted_by(int),
    "float": converted_by(float),
    "bool": _truth,
    "len": length_of,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "next": _next,
    "sum": _sum,
    "max": _extreme,
    "min": _extreme,
    "getattr": _attribute,
    "dict": _dict,
    "map": _map,
    "filter": _filter,
    "abs": _like_first,
    "round": _like_first,
    "pow": _like_first,
    "super": _super,
    "vars": _same,
    "__import__": imported_by_call,
}  # fmt: skip
