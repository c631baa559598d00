"""What made the host wait for the GPU, how often, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from torchlint.model.syncs.waits import Kind
from torchlint.verify.sites import Site, Sites


@dataclass(frozen=True, slots=True)
class Wait:
    """One reason to wait at one place; `operation` is PyTorch's name for what waited."""

    site: Site
    kind: Kind
    operation: str


class WaitLog:
    """Counts waits by where and why they happen."""

    def __init__(self, sites: Sites | None = None) -> None:
        self.sites = sites or Sites()
        self.waits: Counter[Wait] = Counter()
        self._muted = 0

    @property
    def total(self) -> int:
        """Return how often the host waited."""
        return self.waits.total()

    def add(self, kind: Kind, operation: str, frame: FrameType | None, times: int = 1) -> None:
        """Note that the host waited in a frame."""
        if times and not self._muted:
            self.waits[Wait(self.sites.of(frame), kind, operation)] += times

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Note nothing: what runs inside waits on the CPU only."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1
