"""What shards the parameters of a module in place: each is another object from then on.

https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html: an optimizer has to be made after it.
"""

from __future__ import annotations

SHARDING = frozenset({
    "torch.distributed.fsdp.fully_shard", "torch.distributed.fsdp._fully_shard.fully_shard",
    "torch.distributed._composable.fsdp.fully_shard",
})  # fmt: skip
"""By the names that it has had since torch 2.4."""
