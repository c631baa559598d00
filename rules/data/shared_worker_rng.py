"""Random number generators of which all workers of a loader have a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SharedWorkerRng(Rule):
    """Seed the random generator of a dataset in each worker.

    If a dataset or its transform creates its own generator, `self.rng = np.random.default_rng(0)`, every worker of a
    `DataLoader` gets a copy: all workers draw the same numbers, and since workers are started again in each epoch,
    every epoch draws them again. The augmentation of every n-th sample is identical and never changes. PyTorch seeds
    only the global generators in each worker: `random`, `np.random` and `torch`. Seed or create your own in a
    `worker_init_fn`, from `torch.initial_seed()`, which differs by worker and epoch; or seed it by index:
    `default_rng((seed, index))`.

    Not reported:

    - generators that are set or seeded again anywhere
    - datasets that call `get_worker_info()`
    - loaders with a `worker_init_fn`, and those without workers

    https://docs.pytorch.org/docs/stable/notes/faq.html#my-data-loader-workers-return-identical-random-numbers
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("default_rng", "RandomState", "Random", "Generator")
    project_words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.shared_generators import shared_generators

        for found in shared_generators(file.evaluator(), file):
            steps = (found.draw.step("draws from it here"), found.loader.step("every worker of this loader has a copy"))
            yield self.finding(
                found.made,
                f"{quoted(found.made)} is copied to every worker, and all draw the same numbers; "
                "seed it in `worker_init_fn`",
                trace=steps,
            )
