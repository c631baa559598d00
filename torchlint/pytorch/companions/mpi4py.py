"""mpi4py: what it sends is on the host, unless MPI is built for CUDA."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "mpi4py",
    "https://mpi4py.readthedocs.io/en/stable/tutorial.html",
    host_package=True,
)
