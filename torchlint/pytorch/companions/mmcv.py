"""mmcv: wrappers of modules, and its registry."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Wrapper

COMPANION = Companion(
    "mmcv",
    "mmcv 1.7.2",
    wrappers=(
        Wrapper("mmcv.parallel.MMDataParallel", "mmcv 1.7.2", "module.", "module"),
        Wrapper("mmcv.parallel.MMDistributedDataParallel", "mmcv 1.7.2", "module.", "module", divides_data=True),
    ),
    registries={"mmcv.utils.Registry": "register_module", "mmcv.Registry": "register_module"},
)
