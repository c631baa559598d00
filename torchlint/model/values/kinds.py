"""Which classes a value is an instance of, and so whether it has an attribute, as far as that is certain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.parallel.wrappers import inside, wrapper_name
from torchlint.model.tensors.batches import is_batch
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    Array,
    Built,
    Class,
    Display,
    Imported,
    Instance,
    Literal,
    Number,
    Possibility,
    Tensor,
    Text,
    Value,
    ValueSet,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.factories import legacy_device
from torchlint.pytorch.metadata import EVERY_TENSOR
from torchlint.pytorch.module_attributes import EVERY_MODULE
from torchlint.pytorch.symbols import BUFFER, COMPILED, COMPILED_MODULES, MODULE, NN, PARAMETER, TENSOR, VARIABLE
from torchlint.pytorch.wrappers import holds_module, wrapped_as
from torchlint.syntax.closure import closure

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# Classes that anything may be an instance of.
_ABSTRACT = ("numbers.", "collections.", "typing.", "builtins.object")
_NEVER_NUMBERS = frozenset({TENSOR, "numpy.ndarray", MODULE})
# The types of a batch that is no tensor: of data sets of tuples, of dicts, of texts.
_OF_BATCHES = frozenset(f"builtins.{name}" for name in ("list", "tuple", "dict", "str")) | {TENSOR}
_SOME_TENSORS = frozenset({PARAMETER, BUFFER})
_OF_LAYER = (MODULE,)
_OF_COMPILED = (*sorted(COMPILED_MODULES), MODULE)
_UNDECIDED: bool | None = None
_SEVERAL = (ast.Tuple, ast.List)


def has_attribute(ev: Evaluator, one: Possibility, name: str) -> bool | None:
    """Tell whether something has an attribute; certain for those of wrappers, modules, tensors and constants."""
    if isinstance(one.value, Tensor) and name in EVERY_TENSOR and not is_batch(ev, one):
        return True
    own = _has_itself(ev, one.value, name)
    if own is not False or wrapper_name(ev, one) != COMPILED:
        return own
    # An attribute that it lacks is read from the module inside (`OptimizedModule.__getattr__` of PyTorch 2.13): where
    # there may be such a wrapper, a test for the attribute is about it.
    return _has_inside(ev, one, name)


@tabled(_UNDECIDED)
def _has_inside(ev: Evaluator, compiled: Possibility, name: str) -> bool | None:
    answers = {has_attribute(ev, inner, name) for inner in inside(ev, compiled) or ()}
    return True if True in answers else None if None in answers or not answers else False


def _has_itself(ev: Evaluator, value: Value, name: str) -> bool | None:
    if not holds_module(name):
        is_of_module = name in EVERY_MODULE and is_module(ev, value)
        return hasattr(value.value, name) if isinstance(value, Literal) else is_of_module or None
    names = list(class_names(ev, value))
    if not names or isinstance(value, (Tensor, Array, Literal, Text)):
        return None
    if any(wrapped_as(known) == name for known in names):
        return True
    match value:
        case Instance(kind=kind):
            return True if _is_of_class(ev, kind, name) else None if kind.file.index.attribute_stores(name) else False
        case Built(name=name) if name == MODULE:
            return None
        case _:
            return False


def _is_of_class(ev: Evaluator, kind: Class, name: str) -> bool:
    """Tell whether a class of the project, or a base of it, defines an attribute in its body, as by a property."""
    return any(isinstance(one, Class) and name in one.scope.bindings for one in family(ev, kind))


def is_any(ev: Evaluator, one: Possibility, kinds: Place) -> bool | None:
    """Tell whether something is an instance of one of the classes that an expression names."""
    own = set(class_names(ev, one.value))
    asked = set(_names_of(ev, kinds)) if own or isinstance(one.value, Number) else set()
    if not own:
        return False if asked and all(name in _NEVER_NUMBERS or _is_some_tensor(name) for name in asked) else None
    if own == {TENSOR} and asked & _OF_BATCHES and is_batch(ev, one):
        return None
    return _is_among(own, asked)


def are_on_cuda(ev: Evaluator, kinds: Place) -> bool:
    """Tell whether all instances of some classes are tensors on CUDA: `torch.cuda.FloatTensor`."""
    # Most classes have no such name, and need no query.
    asked = set(_names_of(ev, kinds)) if "cuda" in kinds.code else set()
    return bool(asked) and all(legacy_device(name) == "cuda" for name in asked)


def is_number(value: Value) -> bool:
    """Tell whether something is a number, a literal included."""
    return isinstance(value, Number) or (isinstance(value, Literal) and isinstance(value.value, (int, float)))


def is_tensor(ev: Evaluator, value: Value) -> bool | None:
    """Tell whether a value is a tensor, as `torch.is_tensor` does."""
    if isinstance(value, Number):
        return False
    own = set(class_names(ev, value))
    return _is_among(own, {TENSOR}) if own else None


def _is_among(own: set[str], asked: set[str]) -> bool | None:
    if "" in asked or any(name.startswith(_ABSTRACT) for name in asked):
        return None
    if own & asked:
        return True
    is_open = own == {MODULE} or (own == {TENSOR} and any(map(_is_some_tensor, asked)))
    return None if is_open else False


def _is_some_tensor(name: str) -> bool:
    """Tell whether some tensors are instances of a class: `isinstance(x, torch.cuda.LongTensor)`."""
    return name in _SOME_TENSORS or legacy_device(name) is not None


def class_names(ev: Evaluator, value: Value) -> Iterator[str]:
    """Yield the full names of the classes that a value is surely an instance of."""
    match value:
        case Built(name=name):
            yield name
            yield from _OF_COMPILED if name == COMPILED else _OF_LAYER if name.startswith(NN) else ()
        case Tensor():
            yield TENSOR
        case Array():
            yield "numpy.ndarray"
        case Literal(value=constant) if constant is not None:
            yield f"builtins.{type(constant).__name__}"
            if isinstance(constant, bool):
                yield "builtins.int"
        case Text():
            yield "builtins.str"
        case Instance(kind=kind):
            for one in family(ev, kind):
                yield one if isinstance(one, str) else f"{one.file.path}:{one.scope.qualified_name}"


def _names_of(ev: Evaluator, kinds: Place) -> Iterator[str]:
    for place in closure(kinds, lambda asked: _parts_of(ev.evaluate(asked))):
        for one in ev.evaluate(place):
            match one.value:
                case Imported(name=name):
                    yield TENSOR if canonical(name) == VARIABLE else canonical(name)
                case Class(file=file, scope=scope):
                    yield f"{file.path}:{scope.qualified_name}"
                case Display(place=display) if isinstance(display.expression, _SEVERAL):
                    pass
                case _:
                    yield ""


def _parts_of(kinds: ValueSet) -> Iterator[Place]:
    """Yield the parts of several kinds, `(Net, nn.Linear)`: `kinds = (kinds, Net)` in a loop has itself as a part."""
    for one in kinds:
        match one.value:
            case Display(place=display) if isinstance(display.expression, _SEVERAL):
                yield from map(display.at, display.expression.elts)
