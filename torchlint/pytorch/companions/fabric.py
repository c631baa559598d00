"""What Lightning Fabric is. Read in lightning 2.6.6."""

from __future__ import annotations

from torchlint.pytorch.companions.kinds import Takeover

FABRICS = tuple(
    f"{package}Fabric"
    for package in ("lightning.", "lightning.fabric.", "lightning.fabric.fabric.", "lightning_fabric.")
)
# `_FabricModule` raises in a tensor's own `backward()` where precision or strategy needs `fabric.backward(loss)`.
TAKEOVER = Takeover(
    frozenset(f"{fabric}.{method}" for fabric in FABRICS for method in ("setup", "setup_module")),
    "lightning 2.6.6",
    "skips the loss scaling of Fabric, or raises where its strategy forbids that",
)
