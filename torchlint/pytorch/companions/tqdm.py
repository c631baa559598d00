"""tqdm: progress bars, which yield what they iterate over."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

RANGES = ("tqdm.trange", "tqdm.auto.trange")
"""Functions that are a progress bar over a `range`."""

COMPANION = Companion(
    "tqdm",
    "tqdm 4.70.1",
    passing=frozenset(
        {
            "tqdm.tqdm",
            "tqdm.auto.tqdm",
            "tqdm.notebook.tqdm",
            "tqdm.rich.tqdm",
            "tqdm.tqdm_notebook",
            "tqdm.std.tqdm",
        }
    ),
)
