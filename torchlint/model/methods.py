"""What methods of tensors, modules, texts and containers return."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.classes import is_module, method_of
from torchlint.model.containers import is_container
from torchlint.model.devices import is_data_type, is_none, tensor_device
from torchlint.model.items import elements_of, item
from torchlint.model.place import Place
from torchlint.model.texts import filled_in
from torchlint.model.torch_facts import TENSOR_ONLY, method_result
from torchlint.model.values import (
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
    Possible,
    StateDict,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    either,
    known,
)
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

_MODULE_WORDS = re.compile(
    r"(?<![a-z])(\w*(model|net|network|module|encoder|decoder|backbone|criterion|loss_fn|head|teacher|student|ema|"
    r"generator|discriminator|critic|actor|policy|agent|pipe|pipeline|vae|unet|wrapper))s?(?![a-z])"
)
_DEVICE_WORDS = re.compile(r"(?<![a-z])(device|dev|gpu|cuda|rank|local_rank)(?![a-z])")
# https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html: these return the module itself.
_SAME_MODULE = frozenset(
    "to cuda cpu xpu half float double bfloat16 type eval train requires_grad_ share_memory apply to_empty".split()
)
_PARAMETERS = frozenset({"parameters", "buffers"})
_NAMED_PARAMETERS = frozenset({"named_parameters", "named_buffers"})
_UNKNOWN_NUMBERS = frozenset({"item", "numel", "nelement", "dim", "size", "data_ptr"})
_TEXT_TESTS = frozenset({"startswith", "endswith", "isdigit", "isdecimal"})


def method_call(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible | None:
    """Return what `owner.name(…)` returns, or None where it is an ordinary call of an attribute."""
    match owner.value:
        case Tensor() as tensor:
            return _of_tensor(ev, place, tensor, name)
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
        case Unknown():
            return _of_unknown(ev, place, name)
        case Built(name=built):
            return _of_parser(place, name) if built.endswith("Parser") else UNKNOWN
        case _:
            return None


def _of_numbers(place: Place, value: Value, name: str) -> Possible | None:
    """Return what a method of an ndarray returns, or of a number: an element of one, or a sum that began as 0."""
    if isinstance(value, Array):
        return known(Number() if name in {"item", "any", "all"} else value, place)
    return known(Number(), place) if name == "item" else None


def _of_parser(place: Place, name: str) -> Possible:
    match name:
        case "parse_args":
            return known(Options(), place)
        case "parse_known_args":
            return known(Tuple((known(Options(), place), UNKNOWN)), place)
        case _:
            return UNKNOWN


def moved_to(ev: Evaluator, place: Place, name: str, before: Device | None) -> Device | None:
    """Return where `x.to(…)`, `x.cuda(…)` or `x.cpu()` leaves a tensor; None where that is open."""
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "cpu":
        return HOST
    argument = device_argument(call, name)
    if name == "cuda":
        return tensor_device(ev.evaluate(place.at(argument))) if argument is not None else Device("cuda")
    if argument is None:
        return before
    values = ev.evaluate(place.at(argument))
    if is_none(values):
        return before
    if any(isinstance(one.value, Array) or is_data_type(one) for one in values):
        return before  # `x.to(torch.float16)`
    if len(values) == 1 and isinstance(values[0].value, Tensor):
        return values[0].value.device  # `x.to(other)`
    return tensor_device(values)


def device_argument(call: ast.Call, method: str) -> ast.expr | None:
    """Return the argument that says where `.to(…)` or `.cuda(…)` moves something."""
    for word in call.keywords:
        if word.arg == "device" or (method == "to" and word.arg == "other"):
            return word.value
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def _of_tensor(ev: Evaluator, place: Place, tensor: Tensor, name: str) -> Possible:
    if name in {"to", "cuda", "cpu", "type_as"}:
        return known(Tensor(moved_to(ev, place, name, tensor.device), tensor.graph), place)
    if name == "tolist":
        return known(Iterator(known(Number())), place)
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "type" and not call.args and not call.keywords:
        return known(Text(), place)
    kinds = ev.evaluate(place.at(call.args[0])) if name == "type" and call.args else ()
    if not all(is_data_type(one) for one in kinds):
        return known(Tensor(None, tensor.graph), place)  # `x.type("torch.cuda.FloatTensor")` moves
    return known(method_result(name, tensor), place)


def _of_module(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible | None:
    own = isinstance(owner.value, Instance) and method_of(ev, owner.value.kind, name) is not None
    if name == "state_dict" and not own:
        call = place.expression
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        return known(StateDict(place.at(call.func.value)), place)
    if own:
        return None
    if name in {"values", "items", "keys"} and is_container(owner.value):
        return _of_container(ev, place, owner, name)
    if name in _SAME_MODULE:
        return (owner,)
    if name in _PARAMETERS:
        return known(Iterator(known(Tensor())), place)
    if name in _NAMED_PARAMETERS:
        return known(Iterator(known(Tuple((known(Text()), known(Tensor()))))), place)
    if name in {"modules", "children"}:
        return known(Iterator(known(Built("torch.nn.Module"))), place)
    return None


def _of_text(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible:
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
        return known(Iterator(known(Text())), place)
    return known(Number()) if name in {"find", "index", "count"} else known(Text(), place)


def _text_test(ev: Evaluator, place: Place, call: ast.Call, text: str | None, name: str) -> Possible:
    values = {one.value for one in ev.evaluate(place.at(call.args[0]))} if call.args else set()
    only = values.pop() if len(values) == 1 else None
    if text is None or not isinstance(only, Literal) or not isinstance(only.value, str):
        return known(Number())
    return known(Literal(bool(getattr(text, name)(only.value))))


def _of_container(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible:
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "values":
        return known(Iterator(item(ev, owner, None)), place)
    if name == "keys":
        return known(Iterator(elements_of(ev, (owner,))), place)
    if name == "items":
        return known(Iterator(known(Tuple((elements_of(ev, (owner,)), item(ev, owner, None))))), place)
    if name in {"get", "pop", "setdefault"}:
        return _got(ev, place, call, owner)
    return (owner,) if name == "copy" else UNKNOWN


def _got(ev: Evaluator, place: Place, call: ast.Call, owner: Possibility) -> Possible:
    """Return what `mapping.get(key, default)` gives."""
    keys = (
        [one.value.value for one in ev.evaluate(place.at(call.args[0])) if isinstance(one.value, Literal)]
        if call.args
        else []
    )
    found = item(ev, owner, keys[0]) if len(keys) == 1 else UNKNOWN
    default = ev.evaluate(place.at(call.args[1])) if len(call.args) > 1 else ()
    return either(found, default)


def _moved_unknown(ev: Evaluator, place: Place, call: ast.Call, name: str) -> Possible:
    """Return what is left of something unknown that is moved: what moves is a tensor, unless it is called a module."""
    assert isinstance(call.func, ast.Attribute)
    last = call.func.value.attr if isinstance(call.func.value, ast.Attribute) else getattr(call.func.value, "id", "")
    if _MODULE_WORDS.search(last.lower()) or (name == "to" and not _names_device(ev, place, call)):
        return UNKNOWN
    return known(Tensor(moved_to(ev, place, name, None)), place)


def _names_device(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    argument = device_argument(call, "to")
    if argument is None:
        return False
    if _DEVICE_WORDS.search(written(argument).lower()):
        return True
    values = [one.value for one in ev.evaluate(place.at(argument))]
    return any(
        isinstance(value, Device) or (isinstance(value, Literal) and isinstance(value.value, str)) for value in values
    )


def _of_unknown(ev: Evaluator, place: Place, name: str) -> Possible | None:
    """Return what a method that only tensors have returns on something unknown."""
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
    if name in {"parameters", "buffers"}:
        return known(Iterator(known(Tensor())), place)
    if name in {"to", "cuda", "cpu"}:
        return _moved_unknown(ev, place, call, name)
    return known(Tensor(), place) if name in TENSOR_ONLY else UNKNOWN
