"""A generator that starts over in every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class SeedInTrainingLoop(Rule):
    """Seed once, before the training loop.

    A seed that is the same in every step makes every step draw the same numbers: dropout drops the same units every
    time, the noise of an augmentation never changes, and the loss looks better than the model is. Nothing raises.

    Functions of yours that seed can be named in `functions`; their names must contain the word `seed`.

    Not reported:

    - seeds that differ from step to step
    - seeds inside `torch.random.fork_rng()`, whose numbers are meant to be the same
    - seeds once per epoch or every N steps

    https://docs.pytorch.org/docs/stable/notes/randomness.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("seed",)
    option_defaults: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "functions": ("torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed_all"),
    }

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.calls(*self._functions):
            if _is_one_seed(call) and not _is_forked(file, call) and (story := file.every_step(call)) is not None:
                message = f"{quoted(call)} makes every step draw the same numbers; seed once, before the loop"
                yield self.finding(call, message, trace=story)

    @property
    def _functions(self) -> tuple[str, ...]:
        functions = self.options["functions"]
        return functions if isinstance(functions, tuple) else ()


def _is_one_seed(call: Call) -> bool:
    """Tell whether the seed is known, and so the same in every step."""
    seed = call.argument("seed", 0)
    return seed is not None and bool(seed.literals)


def _is_forked(file: SourceFile, call: Call) -> bool:
    contexts = map(file.call_at, call.contexts)
    return any("torch.random.fork_rng" in context.callee.names for context in contexts if context is not None)
