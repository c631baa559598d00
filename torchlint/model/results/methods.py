"""What methods of tensors, modules, texts and containers return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import is_for_settings
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.call_graph.implicit_calls import ITERATING
from torchlint.model.containers.collected_keywords import is_not_passed
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.external_registries import REGISTRIES, method_of_registry
from torchlint.model.containers.items import item, item_under, only_key
from torchlint.model.containers.module_containers import is_container
from torchlint.model.devices.moving import moved_to, moved_unknown
from torchlint.model.place import Place
from torchlint.model.results.by_name import method_result
from torchlint.model.results.distributions import sampled
from torchlint.model.results.factories import as_asked
from torchlint.model.tensors.batches import is_batch
from torchlint.model.tensors.encodings import encoded, is_tokenizer
from torchlint.model.values.joins import either
from torchlint.model.values.texts import filled_in, split_up
from torchlint.model.values.value_sets import (
    CUT,
    HOST,
    UNKNOWN,
    Array,
    Built,
    Device,
    Display,
    Instance,
    Iterator,
    Literal,
    Number,
    Options,
    Possibility,
    StateDict,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.companions.transformers import ENCODING
from torchlint.pytorch.generators import SEEDING
from torchlint.pytorch.metadata import NUMBER_METHODS
from torchlint.pytorch.module_attributes import NAMED_TENSORS_OF, PLAIN_MODULES_OF, PLAIN_TENSORS_OF
from torchlint.pytorch.moves import MOVES, MOVES_OF_TENSORS, RETURNING_MODULE
from torchlint.pytorch.processes import CONTEXT_CLASSES
from torchlint.pytorch.results import TENSOR_ONLY
from torchlint.pytorch.symbols import GENERATOR, MODULE
from torchlint.syntax.arguments import is_flag, passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_UNKNOWN_NUMBERS = NUMBER_METHODS | {"item"}
_OF_DIGITS = frozenset({"isdigit", "isdecimal", "isnumeric"})
_TEXT_TESTS = frozenset({"startswith", "endswith"}) | _OF_DIGITS


def method_call(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet | None:
    """Return what `owner.name(…)` returns, or None where it is an ordinary call of an attribute."""
    match owner.value:
        case Tensor() as tensor:
            # A tensor has `clone`, and no `copy`: what has it is an ndarray, or a batch that is a dict.
            is_array = name == "copy" and not is_batch(ev, owner)
            return known(Array(), place) if is_array else _of_tensor(ev, place, tensor, name)
        case Array() | Number() | Literal(value=int() | float()) as value:
            return _of_numbers(place, value, name)
        case Literal(value=str()) | Text():
            return _of_text(ev, place, owner, name)
        case Display() | Tuple() | Iterator():
            return _of_container(ev, place, owner, name)
        case Instance() | Built() if is_module(ev, owner.value):
            return _of_module(ev, place, owner, name)
        case StateDict():
            return (owner,) if name == "copy" else UNKNOWN
        case Device():
            return known(Text())
        case Unknown(is_cut=is_cut):
            found = _of_unknown(ev, place, name)
            return CUT if is_cut and found == UNKNOWN else found
        # A multiprocessing context has classes of its own: `get_context("fork").Pool(2)`.
        case Built(name=built) if built not in CONTEXT_CLASSES:
            return (
                method_of_registry(ev, place, owner, name) if built in REGISTRIES else _of_built(ev, place, owner, name)
            )
        case _:
            return None


def _of_numbers(place: Place, value: Value, name: str) -> ValueSet | None:
    """Return what a method of an ndarray returns, or of a number: an element of one, or a sum that began as 0."""
    if isinstance(value, Array):
        return known(Number() if name in {"item", "any", "all"} else value, place)
    return known(Number(), place) if name == "item" else None


def _of_built(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    if owner.value == Built(ENCODING) and name in MOVES:
        # As a batch, it counts as one tensor from there on.
        return known(Tensor(moved_to(ev, place, name, HOST), False), place)
    if name in ITERATING:
        return _iterated(ev, place, owner, name)
    if is_tokenizer(owner):
        return encoded(place, name)
    if is_for_settings(owner) and name in {"clone", "copy"}:
        # A copy begins with the same settings.
        return (owner,)
    if name == SEEDING and owner.value == Built(GENERATOR):
        return (owner,)
    if (sample := sampled(ev, owner, name)) is not None:
        return known(sample, place)
    return _of_parser(place, owner.value.name, name) if isinstance(owner.value, Built) else UNKNOWN


def _of_parser(place: Place, kind: str, name: str) -> ValueSet:
    match name if kind.endswith("Parser") else "":
        case "parse_args":
            return known(Options(), place)
        case "parse_known_args":
            return known(Tuple((known(Options(), place), UNKNOWN)), place)
        case _:
            return UNKNOWN


def _of_tensor(ev: Evaluator, place: Place, tensor: Tensor, name: str) -> ValueSet:
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "type" and not call.args and not call.keywords:
        return known(Text(), place)
    if name in MOVES_OF_TENSORS:
        return known(Tensor(moved_to(ev, place, name, tensor.device), tensor.graph), place)
    if name == "tolist":
        return known(Iterator(known(Number())), place)
    if name == "requires_grad_" and is_flag(passed(call, "requires_grad", 0), False):
        return known(Tensor(tensor.device, False), place)
    if name in {"keys", "items"}:
        # A batch counts as one tensor, though it may be a dict of them.
        key = known(Text())
        return known(Iterator(key if name == "keys" else known(Tuple((key, known(tensor))))), place)
    if name in _TEXT_TESTS:
        return known(Number(), place)
    return known(as_asked(ev, place, method_result(name, tensor)), place)


def _of_module(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet | None:
    if isinstance(owner.value, Instance) and method_of(ev, owner.value.kind, name) is not None:
        return None
    call = place.expression
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    module = place.at(call.func.value)
    if name == "state_dict":
        return known(StateDict(module), place)
    if name in {"values", "items", "keys"} and is_container(owner.value):
        return _of_container(ev, place, owner, name)
    if name in RETURNING_MODULE:
        return (owner,)
    if name in PLAIN_TENSORS_OF:
        return known(Iterator(known(Tensor(ev.residence(module)))), place)
    if name in NAMED_TENSORS_OF:
        return known(Iterator(known(Tuple((known(Text()), known(Tensor(ev.residence(module))))))), place)
    if name in PLAIN_MODULES_OF:
        return known(Iterator(known(Built(MODULE))), place)
    return None


def _of_text(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    call = place.expression
    assert isinstance(call, ast.Call)
    text = owner.value.value if isinstance(owner.value, Literal) and isinstance(owner.value.value, str) else None
    if name in _TEXT_TESTS:
        return _text_test(ev, place, call, text, name)
    if name == "format":
        return known(filled_in(ev, place, text or ""), place)
    if text is not None and name in {"lower", "upper", "strip"} and not call.args:
        return known(Literal(getattr(text, name)()), owner.origin)
    if name in {"split", "rsplit", "splitlines"}:
        parts = split_up(call, text) if name == "split" and text is not None else None
        return known(parts or Iterator(known(Text())), place)
    return known(Number()) if name in {"find", "index", "count"} else known(Text(), place)


def _text_test(ev: Evaluator, place: Place, call: ast.Call, text: str | None, name: str) -> ValueSet:
    if text is not None and not call.args:
        return known(Literal(bool(getattr(text, name)()))) if name in _OF_DIGITS else known(Number())
    values = {one.value for one in ev.evaluate(place.at(call.args[0]))} if call.args else set()
    only = values.pop() if len(values) == 1 else None
    if text is None or not isinstance(only, Literal) or not isinstance(only.value, str):
        return known(Number())
    return known(Literal(bool(getattr(text, name)(only.value))))


def _of_container(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "values":
        return known(Iterator(item(ev, owner, None)), place)
    if name in {"keys", *ITERATING}:
        return _iterated(ev, place, owner, name)
    if name == "items":
        return known(Iterator(known(Tuple((elements_of(ev, (owner,)), item(ev, owner, None))))), place)
    if name in {"get", "pop", "setdefault"}:
        return _got(ev, place, call, owner, is_required=name == "pop")
    return (owner,) if name == "copy" else UNKNOWN


def _iterated(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    items = elements_of(ev, (owner,))
    return items if name == "__next__" else known(Iterator(items), place)


def _got(ev: Evaluator, place: Place, call: ast.Call, owner: Possibility, *, is_required: bool) -> ValueSet:
    """Return what `mapping.get(key, default)` returns."""
    assert isinstance(call.func, ast.Attribute)
    keys = ev.evaluate(place.at(call.args[0])) if call.args else ()
    is_known = len([one for one in keys if isinstance(one.value, Literal)]) == 1
    found = item_under(ev, owner, keys) if is_known else item(ev, owner, None)
    default = ev.evaluate(place.at(call.args[1])) if len(call.args) > 1 else ()
    if not is_known and not is_required:
        default = default or known(Literal(None), place)
    if is_known and (default or not is_required) and is_not_passed(place.at(call.func.value), owner, only_key(keys)):
        return default or known(Literal(None), place)
    return either(found, default)


def _of_unknown(ev: Evaluator, place: Place, name: str) -> ValueSet | None:
    """Return what a method that only tensors have returns on an unknown object."""
    call = place.expression
    assert isinstance(call, ast.Call)
    if name in _UNKNOWN_NUMBERS:
        return known(Number(), place)
    if name == "numpy":
        return known(Array(), place)
    if name == "state_dict":
        assert isinstance(call.func, ast.Attribute)
        return known(StateDict(place.at(call.func.value)), place)
    if name == "parse_args":
        return known(Options(), place)
    if name in PLAIN_TENSORS_OF:
        return known(Iterator(known(Tensor())), place)
    if name in MOVES:
        return moved_unknown(ev, place, call, name)
    return known(as_asked(ev, place, method_result(name, Tensor())), place) if name in TENSOR_ONLY else UNKNOWN
