"""Run torchlint as who has cloned something would, with an end to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# Neither a pipe nor `/dev/zero` is done with before; nothing that is tested here takes seconds.
_PATIENCE = 60
_MOST_MEMORY = 2 << 30


def torchlint(*words: str, cwd: Path, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Return what a run of torchlint in a folder comes to, in English and without colors."""
    command = [sys.executable, "-c", f"{_LIMITED}; from torchlint.cli import main; main()", *words]
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "NO_COLOR": "1", **(environment or {})},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=_PATIENCE,
        check=False,
    )


_LIMITED = f"""\
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({_MOST_MEMORY}, {_MOST_MEMORY}))
except ImportError:
    pass
sys.argv[0] = "torchlint"\
"""
