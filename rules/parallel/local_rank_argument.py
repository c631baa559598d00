"""An option for the local rank that torchrun does not pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class LocalRankArgument(Rule):
    """Read the local rank from the environment, as torchrun sets it there.

    `torchrun` sets `LOCAL_RANK` and passes no option: `args.local_rank` keeps its default in every process, and all of
    them train on the same GPU. The older `python -m torch.distributed.launch` passes `--local-rank` since PyTorch 2.0,
    and a parser that only knows `--local_rank` exits with `unrecognized arguments`. Ignore the rule if your PyTorch is
    older than 1.9.

    Not reported:

    - programs that read `LOCAL_RANK` anywhere, or set `local_rank` themselves
    - programs that accept the option and never read it
    - programs for another launcher (DeepSpeed)

    https://docs.pytorch.org/docs/stable/elastic/run.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("--local_rank", "--local-rank")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.local_ranks import local_rank_options

        for option in local_rank_options(file):
            yield self.finding(
                option,
                f"`torchrun` passes no option for the local rank; use the default {quoted(_read_instead(option))}",
            )


def _read_instead(option: Call) -> str:
    """Return how to read the rank; without a launcher, the default stays the same."""
    default = option.keywords.get("default")
    if default is None or not default.literals or default.literals == (None,):
        return 'int(os.environ["LOCAL_RANK"])'
    return f'int(os.environ.get("LOCAL_RANK", {default.text}))'
