"""Generators of random numbers that all workers of a loader have a copy of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SharedWorkerRng(Rule):
    """Seed the generator of a dataset in each worker.

    A dataset that makes a generator of its own, `self.rng = np.random.default_rng(0)`, hands a copy of it to every
    worker of a `DataLoader`: all of them draw the same numbers, and as workers are made anew, each epoch draws them
    once more. What was to be random is the same for every n-th row, and never changes. PyTorch seeds what is global in
    each worker: `random`, `np.random` and `torch`'s own. Seed yours in a `worker_init_fn`, by `torch.initial_seed()`,
    which differs by worker and epoch, or make it there; or draw by the index: `default_rng((seed, index))`.

    Left alone are generators that anything sets anew, datasets that ask for `get_worker_info()`, loaders with a
    `worker_init_fn`, and those that surely have no workers.

    https://docs.pytorch.org/docs/stable/notes/faq.html#my-data-loader-workers-return-identical-random-numbers
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("default_rng", "RandomState", "Random", "Generator")
    project_words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.shared_generators import shared_generators

        for found in shared_generators(file.evaluator(), file):
            steps = (found.draw.step("draws from it"), found.loader.step("has workers that all have a copy"))
            yield self.finding(
                found.made,
                "draws the same numbers in every worker: seed it in `worker_init_fn`, by `torch.initial_seed()`",
                trace=steps,
            )
