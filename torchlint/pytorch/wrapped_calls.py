"""Which calls of wrapped modules wait for all ranks. Checked on torch 2.13.

With buffers, each forward pass of DistributedDataParallel broadcasts them, in eval mode and without gradients as well:
`_pre_forward` in torch/nn/parallel/distributed.py. FSDP gathers the parameters for a forward pass and for a state dict,
also for a sharded one: `_sharded_pre_state_dict_hook` in torch/distributed/fsdp/_state_dict_utils.py.
"""

from __future__ import annotations

BUFFER_FLAGS = frozenset({"broadcast_buffers", "forward_sync_buffers"})
"""The arguments of DistributedDataParallel by which it may leave the buffers as they are."""
COMMUNICATING_METHODS = frozenset({"state_dict", "clip_grad_norm_"})
"""The methods of FSDP that communicate, beside the call itself."""
OWN_GROUPS = frozenset({"process_group", "device_mesh", "sharding_strategy"})
"""The arguments of both by which they may communicate with some ranks only, or not at all."""
UNSHARDED = frozenset({"LOCAL_STATE_DICT", "NO_SHARD"})
"""What a program says of FSDP that gathers nothing."""
