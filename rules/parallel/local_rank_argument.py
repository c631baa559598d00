"""An option for the local rank that torchrun does not pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class LocalRankArgument(Rule):
    """Read the local rank from the environment, where torchrun puts it.

    `torchrun` sets `LOCAL_RANK` and passes no option: `args.local_rank` keeps its default on every process, and all of
    them train on the same GPU. The older `python -m torch.distributed.launch` passes `--local-rank` since PyTorch 2.0,
    which a parser that only knows `--local_rank` refuses with `unrecognized arguments`.

    Left alone are programs that read `LOCAL_RANK` anywhere, that set `local_rank` themselves, that only accept the
    option and never read it, or that another launcher starts (DeepSpeed). Ignore it where PyTorch stays below 1.9.

    https://docs.pytorch.org/docs/stable/elastic/run.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("--local_rank", "--local-rank")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.local_ranks import local_rank_options

        for option in local_rank_options(file):
            yield self.finding(option, f"is never passed by `torchrun`: default it to `{_read_instead(option)}`")


def _read_instead(option: Call) -> str:
    """Return how to read the rank; who runs without a launcher goes on to have the default that there was."""
    default = option.keywords.get("default")
    if default is None or not default.literals or default.literals == (None,):
        return 'int(os.environ["LOCAL_RANK"])'
    return f'int(os.environ.get("LOCAL_RANK", {default.text}))'
