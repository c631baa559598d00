"""What every `nn.Module` has, in each version of PyTorch since 1.0."""

from __future__ import annotations

EVERY_MODULE = frozenset(
    "add_module apply buffers children cpu cuda double eval extra_repr float forward half load_state_dict modules"
    " named_buffers named_children named_modules named_parameters parameters register_buffer register_forward_hook"
    " register_forward_pre_hook register_parameter share_memory state_dict to train training type zero_grad".split()
)
"""Checked on torch 2.13. A test may be about a later one, such as `set_submodule`."""

LEAVES_IN_PLACE = frozenset(
    "bias eval extra_repr forward get_parameter load_state_dict named_parameters parameters register_forward_hook"
    " register_forward_pre_hook state_dict train training weight zero_grad".split()
)
"""Members of a module whose use leaves its parameters on their device. Checked on torch 2.13.

`load_state_dict(…, assign=True)` takes the tensors of the state dict instead, on their device.
"""

REGISTERING_TENSORS = ("register_buffer", "register_parameter")
REGISTERING_MODULES = ("add_module", "register_module")
"""Methods that add a tensor, and those that add a module, by a name. Checked on torch 2.13."""
PARAMETERS_OF = ("parameters", "named_parameters")
PLAIN_TENSORS_OF = frozenset({"parameters", "buffers"})
NAMED_TENSORS_OF = frozenset({"named_parameters", "named_buffers"})
TENSORS_OF = PLAIN_TENSORS_OF | NAMED_TENSORS_OF
YIELDING = TENSORS_OF | {"modules", "named_modules", "children", "named_children"}
"""Methods that return generators, of tensors and of modules. Checked on torch 2.13."""
