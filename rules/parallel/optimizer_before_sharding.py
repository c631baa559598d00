"""Optimizers that are made before `fully_shard`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class OptimizerBeforeSharding(Rule):
    """Make the optimizer after `fully_shard`.

    `fully_shard(module)` replaces each parameter of the module by another one, a DTensor that holds a shard. An
    optimizer that was made before has the old parameters: they get no gradients, so that `step()` changes nothing, and
    the module is not trained, without an error.

    Not reported:

    - functions that make another optimizer below `fully_shard`
    - an optimizer and a module that are not made at one known place
    - `FullyShardedDataParallel`

    https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("fully_shard",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.sharded_later import sharded_later

        for found in sharded_later(file.evaluator(), file):
            message = f"{quoted(found.optimizer)} has parameters that `fully_shard` replaces below; make it after that"
            yield self.finding(found.optimizer, message, trace=(found.sharding.step("replaced here"),))
