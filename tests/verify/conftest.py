"""One thread is faster than two that share a core with somebody else."""

import importlib.util
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)
