"""The GPUs of this machine, found without opening one."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

_QUERY = "--query-gpu=index,uuid,name,memory.total,driver_version"


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU in the output of nvidia-smi; `visible` is its name in CUDA_VISIBLE_DEVICES."""

    visible: str
    name: str
    memory: str
    driver: str

    @property
    def words(self) -> str:
        """Return a row of the table of GPUs."""
        return f"{self.name}, {self.memory}, driver {self.driver}"


def present() -> tuple[Gpu, ...]:
    """Return the GPUs that this process may use, in CUDA's order."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    try:
        asked = subprocess.run(
            [tool, _QUERY, "--format=csv,noheader"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return chosen(asked.stdout, os.environ.get("CUDA_VISIBLE_DEVICES"))


def chosen(table: str, visible: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs of a table that CUDA_VISIBLE_DEVICES makes visible, in its order."""
    rows = [[cell.strip() for cell in line.split(",")] for line in table.splitlines()]
    gpus = {row[0]: Gpu(row[1], *row[2:]) for row in rows if len(row) == 5}
    if visible is None:
        return tuple(gpus.values())
    found = []
    for name in visible.split(","):
        gpu = _named(name.strip(), gpus)
        # CUDA's list ends at the first name that is no GPU.
        if gpu is None:
            break
        found.append(gpu)
    return tuple(found)


def _named(name: str, gpus: dict[str, Gpu]) -> Gpu | None:
    if name.isdigit():
        return gpus.get(name)
    if name.startswith("MIG-"):
        # A part of a GPU, which is not in the table.
        return Gpu(name, "part of a GPU", "memory unknown", next(iter(gpus.values())).driver) if gpus else None
    return next((gpu for gpu in gpus.values() if name and gpu.visible.startswith(name)), None)
