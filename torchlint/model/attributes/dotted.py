"""What `x.name` may be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import is_for_settings, is_namespace, of_namespace
from torchlint.model.attributes.object_attributes import attribute_of_class, attribute_of_instance, stored_here
from torchlint.model.attributes.settings import of_settings
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.call_graph.imports import file_attribute
from torchlint.model.call_graph.overriding import left_to_subclasses
from torchlint.model.containers.items import named_item
from torchlint.model.containers.module_containers import module_named
from torchlint.model.modules.registered import as_registered, is_buffer
from torchlint.model.options.defaults import option_of
from torchlint.model.options.option_calls import FLAGS
from torchlint.model.parallel.wrappers import inside, taken_off, wrapper_name
from torchlint.model.place import Place
from torchlint.model.tensors.encodings import part_of_encoding
from torchlint.model.training.differentiated import as_differentiated
from torchlint.model.values.joins import either
from torchlint.model.values.order import in_order
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    SOME_INDEX,
    UNKNOWN,
    Array,
    Built,
    Class,
    Device,
    Imported,
    Instance,
    Literal,
    Number,
    Options,
    Possibility,
    PythonFile,
    Tensor,
    Tuple,
    Unknown,
    ValueSet,
    known,
)
from torchlint.pytorch.companions.transformers import ENCODING
from torchlint.pytorch.gradient_ends import WITHOUT_GRAPH
from torchlint.pytorch.layers import OWN_TENSORS
from torchlint.pytorch.metadata import ABOUT_DEVICE, METADATA_ATTRIBUTES
from torchlint.pytorch.processes import CONTEXT_CLASSES
from torchlint.pytorch.symbols import COMPILED, DATA_PARALLEL, DTYPE, GPU_VERSIONS, NN
from torchlint.pytorch.views import VIEW_ATTRIBUTES
from torchlint.pytorch.wrappers import WRAPPERS, wrapped_as
from torchlint.syntax.last_names import is_dotted_name
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Attributes of a tensor that are tensors themselves, on the same device.
_TENSORS = VIEW_ATTRIBUTES | WITHOUT_GRAPH
_NOTHING: ValueSet = ()
_NUMBERS = METADATA_ATTRIBUTES - ABOUT_DEVICE


def attribute_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what an attribute may be at a place."""
    node = place.expression
    assert isinstance(node, ast.Attribute)
    owners = ev.evaluate(place.at(node.value))
    found = either(*(attribute(ev, place, one, node.attr) for one in owners))
    return as_differentiated(ev, place, written(node), found) if is_dotted_name(node) else found


def attribute(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    """Return what one possible owner's attribute may be."""
    if name == "is_cuda" and ev.has_cuda is False:
        return known(Literal(False), place)
    match owner.value:
        case Imported(name=module) if module != FLAGS:
            return known(_constant(ev, f"{module}.{name}"), owner.origin)
        case PythonFile(file=file):
            return file_attribute(ev, file, name) or (UNKNOWN if _is_given_by_python(name) else ())
        case Tensor() | Array() as value:
            return _of_tensor(place, value, owner, name)
        case Device():
            return _of_device(ev, owner.value, name)
        case Class() as kind:
            return attribute_of_class(ev, kind, name)
        case Instance() | Built():
            return _of_object(ev, place, owner, name)
        case Options():
            return option_of(ev, place, name, owner.origin) or UNKNOWN
        case Imported() | Unknown():
            return option_of(ev, place, name) or UNKNOWN
        case _:
            return UNKNOWN


def _is_given_by_python(name: str) -> bool:
    """Tell whether an imported file has a name without binding it: `module.__dict__`."""
    return name.startswith("__") and name.endswith("__")


def _constant(ev: Evaluator, name: str) -> Imported | Literal:
    # A build for ROCm has its GPUs under the name of CUDA.
    if name in GPU_VERSIONS and ev.has_cuda is False:
        return Literal(None)
    return Imported(name)


def _of_tensor(place: Place, value: Tensor | Array, owner: Possibility, name: str) -> ValueSet:
    if name == "dtype" and isinstance(value, Tensor):
        return known(Imported(DTYPE))
    if name in _NUMBERS:
        return known(Number())
    if name == "device":
        device = value.device if isinstance(value, Tensor) else None
        return known(device) if device is not None else known(Device(), place)
    if name in _TENSORS:
        cut = isinstance(value, Tensor) and name in WITHOUT_GRAPH
        return known(Tensor(value.device, False) if cut and isinstance(value, Tensor) else value, owner.origin)
    if name == "is_cuda" and isinstance(value, Tensor) and value.device is not None and value.device.kind:
        return known(Literal(value.device.kind == "cuda"), place)
    return known(Number()) if name == "is_cuda" else named_item(owner, name)


def _of_device(ev: Evaluator, device: Device, name: str) -> ValueSet:
    if name == "index":
        return known(Number() if device.index is None or device.index == SOME_INDEX else Literal(device.index))
    if name != "type":
        return UNKNOWN
    # Without CUDA a device that was chosen at run time is no CUDA device.
    kind = device.kind or ("cpu" if ev.has_cuda is False else "")
    return known(Literal(kind)) if kind else UNKNOWN


@tabled(_NOTHING, in_order)
def _of_compiled(ev: Evaluator, place: Place, compiled: Possibility, name: str) -> ValueSet:
    return either(*(attribute(ev, place, one, name) for one in inside(ev, compiled) or ()))


def _of_object(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    if name == wrapped_as(wrapper_name(ev, owner)):
        return taken_off(ev, owner) or UNKNOWN
    if wrapper_name(ev, owner) == COMPILED and inside(ev, owner):
        return _of_compiled(ev, place, owner, name)
    if is_namespace(owner):
        return of_namespace(ev, place, owner, name)
    if is_for_settings(owner):
        return of_settings(ev, place, owner, name)
    if isinstance(owner.value, Built) and (replaced := stored_here(ev, place, name)[0]):
        return replaced
    if isinstance(owner.value, Instance) and (found := _of_instance(ev, place, owner, name)):
        return found
    if name == "device_ids" and wrapper_name(ev, owner) == DATA_PARALLEL and ev.has_cuda is False:
        # With any devices: without a GPU it just runs the module.
        return known(Tuple(()), place)
    if isinstance(owner.value, Instance):
        return option_of(ev, place, name) or UNKNOWN
    return module_named(ev, owner, name) or _of_built(ev, place, owner, name)


def _of_instance(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    """Return what the project, or PyTorch, stores in an attribute of an object of one of the project's classes."""
    own = attribute_of_instance(ev, place, owner, name)
    if isinstance(owner.value, Instance) and is_buffer(ev, owner.value.kind, name):
        here, may_be_older = stored_here(ev, place, name)
        if here and not may_be_older:
            return here  # a buffer that is assigned is the value itself, on its device
    found = as_registered(ev, place, owner, name, left_to_subclasses(ev, place, owner, name, own))
    return found or (known(Number()) if name == "training" and is_module(ev, owner.value) else ())


def _of_built(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    made = owner.value.name if isinstance(owner.value, Built) else ""
    if made in CONTEXT_CLASSES:
        # `get_context("fork").Process` is a class of its own.
        return known(Imported(f"{made}.{name}"), owner.origin)
    if made == ENCODING:
        return part_of_encoding(owner)
    if not made.startswith(NN) or made in WRAPPERS or name not in OWN_TENSORS:
        return UNKNOWN
    match place.expression:
        case ast.Attribute(value=module) | ast.Call(func=ast.Name(id="getattr"), args=[module, *_]):
            return known(Tensor(ev.residence(place.at(module))), owner.origin)
        case _:
            return known(Tensor(), owner.origin)
