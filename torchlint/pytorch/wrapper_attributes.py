"""The attributes of `DataParallel` and `DistributedDataParallel`; FSDP and `torch.compile` forward all others."""

from __future__ import annotations

from torchlint.pytorch.companions.apex import OF_DISTRIBUTED
from torchlint.pytorch.module_attributes import ALL_OF_MODULES
from torchlint.pytorch.results import TENSOR_ONLY
from torchlint.pytorch.symbols import DATA_PARALLEL, DISTRIBUTED

_OF_BOTH = ALL_OF_MODULES | frozenset("module device_ids dim output_device gather scatter".split())
NOT_OF_MODULES = (
    _OF_BOTH
    | TENSOR_ONLY
    | frozenset(
        "shape ndim dtype grad data size view reshape item numpy tolist detach cpu join split strip rstrip lstrip lower"
        " upper startswith endswith encode decode append".split()
    )
)
"""What is no attribute of the module inside: the wrappers have it themselves, or tensors, or strings."""
OF_WRAPPER = {
    DATA_PARALLEL: _OF_BOTH | frozenset("src_device_obj replicate parallel_apply".split()),
    DISTRIBUTED: _OF_BOTH | frozenset(
        "batched_grad_copy broadcast_bucket_size broadcast_buffers bucket_bytes_cap bucket_bytes_cap_default"
        " bucket_bytes_cap_list device device_type find_unused_parameters forward_sync_buffers"
        " gradient_as_bucket_view is_multi_device_module join join_device join_hook join_process_group logger"
        " mixed_precision modules_buffers named_module_buffers no_sync parameters_to_ignore process_group reducer"
        " register_comm_hook require_backward_grad_sync require_forward_param_sync skip_all_reduce_unused_params"
        " static_graph to_kwargs use_side_stream_for_tensor_copies will_sync_module_buffers"
        " ddp_join_enabled".split()
    ) | OF_DISTRIBUTED,
}  # fmt: skip
"""The attributes that the wrappers have themselves, and do not read from the module inside; on torch 2.13."""
