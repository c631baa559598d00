"""Attributes whose names begin with an underscore: PyTorch's own, and those of classes of the project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.modules.registered import is_buffer
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.values.value_sets import Class, Instance, Possibility

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Those of nn.Module and DataParallel on torch 2.13.
_OF_MODULES = frozenset(
    "_apply _backward_hooks _backward_pre_hooks _buffers _call_impl _compiled_call_impl _forward_hooks"
    " _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs"
    " _get_backward_hooks _get_backward_pre_hooks _get_name _is_full_backward_hook _load_from_state_dict"
    " _load_state_dict_post_hooks _load_state_dict_pre_hooks _maybe_warn_non_full_backward_hook _modules _named_members"
    " _non_persistent_buffers_set _parameters _register_load_state_dict_pre_hook _register_state_dict_hook"
    " _replicate_for_data_parallel _save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _version"
    " _wrapped_call_impl _is_protocol _abc_impl".split()
)
# DistributedDataParallel has some seventy, others in each version: their subjects stay the same.
_OF_DISTRIBUTED = re.compile(
    r"buffer|bucket|ddp|grad|hook|delay|sync|param|reduce|join|comm_|_rank|_group|static_graph|broadcast|lazy_init"
    r"|mp_stream|submodule_to_event|log_and_throw|_(pre|post)_forward"
)


def is_private_to_torch(name: str) -> bool:
    """Tell whether a private name is one that PyTorch's modules, their wrappers or all objects have, or may have."""
    if not name.startswith("_"):
        return False
    return name.startswith("__") or name in _OF_MODULES or _OF_DISTRIBUTED.search(name) is not None


def is_had_inside(ev: Evaluator, wrapper: Possibility, name: str) -> bool:
    """Tell whether the module in a wrapper is of a class of the project whose code stores an attribute of that name."""
    return any(
        isinstance(one.value, Instance) and _defines(ev, one.value.kind, name) for one in unwrapped(ev, wrapper) or ()
    )


def _defines(ev: Evaluator, kind: Class, name: str) -> bool:
    classes = [one for one in family(ev, kind) if isinstance(one, Class)]
    is_stored = any(name in one.scope.bindings or one.file.stores.own(one.scope, name) for one in classes)
    return is_stored or is_buffer(ev, kind, name)
