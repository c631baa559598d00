"""MMEngine: wrappers of modules, and its registry."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Wrapper

COMPANION = Companion(
    "mmengine",
    "mmengine 0.10.7",
    wrappers=(
        Wrapper("mmengine.model.MMDistributedDataParallel", "mmengine 0.10.7", "module.", "module", divides_data=True),
        Wrapper(
            "mmengine.model.MMFullyShardedDataParallel",
            "mmengine 0.10.7",
            "",
            "module",
            holds_shards=True,
            divides_data=True,
        ),
    ),
    registries={"mmengine.Registry": "register_module", "mmengine.registry.Registry": "register_module"},
)
