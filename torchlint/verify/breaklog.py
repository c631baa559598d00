"""Where Dynamo breaks the graphs of a program, by PyTorch's own log of graph breaks."""

from __future__ import annotations

import functools
import importlib
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from torchlint.verify.replacing import replace
from torchlint.verify.sites import Sites

# What `TORCH_LOGS=graph_breaks` shows: https://docs.pytorch.org/docs/stable/logging.html
_LOGGER = "torch._dynamo.symbolic_convert.__graph_breaks"
_FRAME = re.compile(r'^ *File "(.+)", line (\d+), in', re.MULTILINE)
_REASON = re.compile(r"Graph Break Reason:(.*?)\n *Explanation:", re.DOTALL)
_SKIPPING = re.compile("[Ss]kipping the (function|rest of the function)")
# Options of `torch.compile` that say what is traced; the others are the backend's.
_OF_TRACING = frozenset({"fullgraph", "dynamic", "disable"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A line of the program that breaks graphs, how many of them, and Dynamo's reason.

    `skips` tells whether Dynamo left the whole function to Python, as it does if the break is in a loop or a `try`.
    """

    path: str
    line: int
    times: int
    reason: str
    skips: bool = False


class BreakLog(logging.Handler):
    """Counts graph breaks by the innermost line of the program, and the calls of `torch.compile`."""

    def __init__(self, sites: Sites) -> None:
        super().__init__()
        self.compiles = 0
        self._sites = sites
        self._breaks: Counter[tuple[str, int, str, bool]] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Note the break of a message, by the innermost line of the program in its traceback."""
        text = record.getMessage()
        own = [(path, int(line)) for path, line in _FRAME.findall(text) if self._sites.is_own(path)]
        if own:
            reason = _REASON.search(text)
            words = reason[1].strip().rpartition("\n")[2].strip() if reason is not None else ""
            self._breaks[(*own[-1], words, _SKIPPING.search(text) is not None)] += 1

        _forget_duplicates()

    def broken(self) -> tuple[Broken, ...]:
        """Return the log."""
        counted = self._breaks.items()
        return tuple(Broken(path, line, times, reason, skips) for (path, line, reason, skips), times in counted)

    @contextmanager
    def watching(self, *, eagerly: bool) -> Iterator[None]:
        """Count the calls of `torch.compile`; with `eagerly`, trace with the backend `eager`, and log the breaks."""
        import torch

        with ExitStack() as stack:
            replace(stack, torch, "compile", self._counted(torch.compile, eagerly=eagerly))
            if eagerly:
                importlib.import_module("torch._logging").set_logs(graph_breaks=True)
                logger = logging.getLogger(_LOGGER)
                replace(stack, logger, "handlers", [self])
                replace(stack, logger, "propagate", False)
            yield

    def _counted(self, compile_: Callable[..., object], *, eagerly: bool) -> Callable[..., object]:
        @functools.wraps(compile_)
        def compiled(*arguments: object, **options: object) -> object:
            self.compiles += 1
            if not eagerly:
                return compile_(*arguments, **options)
            kept = {name: value for name, value in options.items() if name in _OF_TRACING or name == "model"}
            return compile_(*arguments, **kept, backend="eager")

        return compiled


def _forget_duplicates() -> None:
    """Have Dynamo log the next break in full: it takes two lines that break in one function of PyTorch for the same."""
    checker = getattr(sys.modules.get("torch._dynamo.symbolic_convert"), "graph_break_dup_warning_checker", None)
    if checker is not None:
        checker.reset()
