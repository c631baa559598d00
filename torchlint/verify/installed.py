"""The installed torch, without importing it: that takes seconds."""

from __future__ import annotations

import importlib.util
import re
import runpy
from dataclasses import dataclass
from pathlib import Path

from torchlint.errors import UsageError

NO_TORCH = 'verifying runs PyTorch programs, and torch is not installed: pip install "torchlint[verify]"'


@dataclass(frozen=True, slots=True)
class Torch:
    """A version of torch, and of the CUDA that it is built for, empty if it is for none."""

    version: str
    cuda: str = ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the version as comparable numbers."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version.partition("+")[0]))


def installed_torch() -> Torch:
    """Return the torch that programs will import; raises `UsageError` if there is none."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise UsageError(NO_TORCH)
    # Written by PyTorch's build, with nothing but assignments.
    names = runpy.run_path(str(Path(spec.origin).with_name("version.py")))
    return Torch(str(names["__version__"]), str(names.get("cuda") or ""))
