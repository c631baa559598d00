"""What a rule costs that looks at every call and never has anything to say: seconds with it over seconds without."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from torchlint import Confidence, Finding, Rule, Severity, SourceFile
from torchlint.engine import Job, lint
from torchlint.files.discovery import discover
from torchlint.selection import chosen_rules

_ROUNDS = 5


class Never(Rule):
    """Look for a call that nobody makes."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        """Yield nothing."""
        for call in file.calls("torch.a_function_that_there_is_none_of"):
            yield self.finding(call, "is called")


def seconds(root: Path, *more: Rule) -> float:
    """Return what linting a folder takes."""
    job = Job(root, discover([root], (), root).targets, (*chosen_rules(None, (), {}), *more))
    started = time.process_time()
    lint([job], 1, lambda _: None)
    return time.process_time() - started


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(median(seconds(folder, Never()) / seconds(folder) for _ in range(_ROUNDS)) - 1)
