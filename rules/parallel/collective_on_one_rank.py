"""A collective that some ranks never reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.collectives import LonelyCollective


class CollectiveOnOneRank(Rule):
    """Call a collective on every rank, or on none.

    `barrier`, `all_reduce`, `broadcast` and other collectives wait until every rank of the group has called them.
    Behind `if rank == 0` one rank waits for the others for ever, or until the watchdog ends the job after minutes with
    a timeout. So does a call of a function that reduces a metric inside, and `DistributedDataParallel(model)`, which
    compares and broadcasts the parameters.

    A forward pass of DistributedDataParallel broadcasts the running statistics of batch norms, also in eval mode and
    without gradients: validate with `model.module` if only the first rank does. FSDP gathers the parameters for each
    forward pass and for `state_dict()`, which all ranks call before one saves.

    The `gather`, `reduce` and `wait_for_everyone` of Accelerate are collectives as well, and `save_state` and
    `get_state_dict` are where the accelerator shards the module, with FSDP or DeepSpeed.

    Not reported:

    - calls with a group of their own, and sends and receives
    - pairs: the other ranks make the same call elsewhere in the function, as when they wait until the first one has
      downloaded the data

    https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("rank", "RANK", "main", "master", "primary", "leader", "chief")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.collectives import lonely_collectives

        for lonely in file.share_of(lonely_collectives):
            yield self.finding(
                lonely.place,
                f"{quoted(lonely.place)} hangs: {_reason(lonely)}",
                trace=(lonely.test.step("true on some ranks only"), *lonely.story),
            )


def _reason(lonely: LonelyCollective) -> str:
    if lonely.wrapper is not None and lonely.wrapper.endswith(".DistributedDataParallel"):
        return "`DistributedDataParallel` broadcasts buffers to ranks that never call it; call its `.module`"
    if lonely.wrapper is not None:
        return "FSDP gathers shards from ranks that never call it; call it on every rank"
    name = torchlint.call_at(lonely.collective)
    word = name.method if name is not None else "collective"
    return f"`{word}` waits for ranks that never call it; call it on every rank"
