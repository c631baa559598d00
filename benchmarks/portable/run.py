"""Mend scripts that are full of `.cuda()`, and see whether they train without CUDA: see README.md beside this file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts import SCRIPTS, Script

_HERE = Path(__file__).parent
_CHECKOUT = _HERE.parents[1]
_PATIENCE = 300
_NO_CUDA = re.compile(
    r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|Cannot access accelerator|without CUDA support|_cuda_\w+"
    r"|on a CUDA device"
)
_TRAINS = "step"


def main() -> int:
    """Run every script of which the source is there, and return whether all do what they should."""
    sources = Path(sys.argv[1]).resolve()
    here = [script for script in SCRIPTS if (sources / script.repository / script.path).is_file()]
    for script in SCRIPTS:
        if script not in here:
            print(f"not here: {script.repository}/{script.path}")
    right = [_portable(script, sources) for script in here]
    print(f"{sum(right)} of {len(here)} scripts stop without CUDA as they are, and train without it once mended")
    return 0 if here and all(right) else 1


def _portable(script: Script, sources: Path) -> bool:
    """Tell whether a script stops before it is mended and trains afterwards."""
    with tempfile.TemporaryDirectory(prefix="portable-") as folder:
        root = Path(folder) / "repository"
        shutil.copytree(sources / script.repository, root)
        script.lay_out((root / script.path).parent)
        before = _staged(script, root)
        first, again = _mended(root), _mended(root)
        after = _staged(script, root)
    fixed = re.search(r"Fixed (\d+ findings? in \d+ files?)", first)
    print(f"{script.repository}/{script.path}")
    print(f"    before: {before}")
    print(f"    mended: {fixed[1] if fixed else 'nothing'}{'' if 'Fixed' not in again else ', AND AGAIN'}")
    print(f"    after:  {after}")
    for line in re.findall(r"^.*hardcoded-cuda .*$", first, re.MULTILINE):
        print(f"    by hand: {line.partition(' ')[0]}")
    return bool(_NO_CUDA.search(before)) and after == _TRAINS and "Fixed" not in again


def _mended(root: Path) -> str:
    """Mend what a repository holds, and return what is said about it."""
    command = ("--isolated", "--fix", "--unsafe-fixes", "--select", "hardcoded-cuda", "--output-format", "concise", ".")
    return _ran(sys.executable, "-m", "torchlint", *command, cwd=root)


def _staged(script: Script, root: Path) -> str:
    """Return how far a script comes: `step`, or how it ends."""
    path = root / script.path
    output = _ran(sys.executable, str(_HERE / "stage.py"), path.name, *script.arguments, cwd=path.parent)
    told = [line for line in output.splitlines() if line == _TRAINS or re.match(r"\w*(Error|Exception)\b", line)]
    return told[-1] if told else f"neither trains nor fails: {output[-200:]!r}"


def _ran(*command: str, cwd: Path) -> str:
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(_CHECKOUT), "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"TimeoutError: not done after {_PATIENCE} s"
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
