"""What the host knows of a tensor without reading its data, wherever that is. Checked on torch 2.13.

A tensor on the device `meta`, which has no data, answers all of it.
"""

from __future__ import annotations

METADATA_ATTRIBUTES = frozenset(
    "device dtype is_cpu is_cuda is_leaf itemsize layout nbytes ndim requires_grad shape".split()
)
METADATA_METHODS = frozenset(
    "data_ptr dim element_size get_device is_complex is_contiguous is_floating_point is_pinned is_shared ndimension"
    " nelement numel size storage storage_offset stride untyped_storage".split()
)
ABOUT_DEVICE = frozenset({"device", "is_cuda"})
"""Attributes that tell the device, and whether it is one of CUDA."""
METADATA = METADATA_ATTRIBUTES | METADATA_METHODS
SIZES = frozenset({"shape", "ndim", "size", "dim", "ndimension", "numel", "nelement"})
"""Those that a shape decides."""
NUMBER_METHODS = METADATA_METHODS - {"storage", "untyped_storage"}
"""Those that return numbers."""
WITHOUT_DATA = frozenset({"backward", "record_stream", "register_hook"})
"""Methods that need no data of the tensor: the gradient that starts the backward pass is made of its shape."""
EVERY_TENSOR = frozenset(
    "backward clone cpu cuda data detach device dim dtype grad grad_fn is_cuda is_leaf item numel numpy requires_grad"
    " shape size to tolist type view".split()
)
"""What every tensor has, in each version of PyTorch since 1.0."""
