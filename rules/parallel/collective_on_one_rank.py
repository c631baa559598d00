"""A collective that some ranks never reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CollectiveOnOneRank(Rule):
    """Call a collective on every rank, or on none.

    `barrier`, `all_reduce`, `broadcast` and other collectives wait until every rank of the group has called them.
    Behind `if rank == 0` one rank waits for the others for ever, or until the watchdog ends the job after minutes with
    a timeout. So does a call of a function that reduces a metric inside, and `DistributedDataParallel(model)`, which
    compares and broadcasts the parameters.

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
            name = torchlint.call_at(lonely.collective)
            word = name.method if name is not None else "collective"
            yield self.finding(
                lonely.place,
                f"{quoted(lonely.place)} hangs: `{word}` waits for ranks that never call it; call it on every rank",
                trace=(lonely.test.step("true on some ranks only"), *lonely.story),
            )
