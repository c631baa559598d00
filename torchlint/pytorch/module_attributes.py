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
USING = ("state_dict", "children", "modules", "apply", "zero_grad")
"""Other methods of a module that go through all that it holds."""
PLAIN_TENSORS_OF = frozenset({"parameters", "buffers"})
NAMED_TENSORS_OF = frozenset({"named_parameters", "named_buffers"})
TENSORS_OF = PLAIN_TENSORS_OF | NAMED_TENSORS_OF
PLAIN_MODULES_OF = frozenset({"modules", "children"})
MODULES_OF = PLAIN_MODULES_OF | {"named_modules", "named_children"}
YIELDING = TENSORS_OF | MODULES_OF
"""Methods that return generators, of tensors and of modules. Checked on torch 2.13."""
ALL_OF_MODULES = frozenset(
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval"
    " extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules"
    " mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook"
    " register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook"
    " register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook"
    " register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_"
    " set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad".split()
)
"""The public attributes of every module on torch 2.13, and those of earlier versions."""
RUN_ON_MODULES = ("apply", "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook")
"""Methods that run a function on every module inside, or whenever the module runs. Checked on torch 2.13."""
OF_MODULES_ALONE = frozenset(
    "children eval forward load_state_dict modules named_modules named_parameters parameters state_dict train"
    " zero_grad".split()
)
"""Methods of modules that neither tensors nor containers have. Checked on torch 2.13."""
OF_OPTIMIZERS_TOO = frozenset({"load_state_dict", "state_dict", "zero_grad"})
"""Those of them that optimizers have, too. Checked on torch 2.13."""
KEEPING_NUMBERS = frozenset({"state_dict", "zero_grad"})
"""Methods of a module that leave its parameters as they are, and do not return it. Checked on torch 2.13."""
