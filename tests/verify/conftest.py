"""One thread is faster than two that share a core, and one server than one for each test."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from torchlint.verify import server as servers
from torchlint.verify.server import Runner

os.environ.setdefault("OMP_NUM_THREADS", "1")

if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Runner]:
    """Start what runs programs, once: it imports torch."""
    if not importlib.util.find_spec("torch"):
        pytest.skip("it runs PyTorch programs")
    with servers.runner() as programs:
        yield programs


@pytest.fixture(scope="module")
def one_server(server: Runner) -> Iterator[None]:
    """Have commands use the server of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "runner", lambda **_: nullcontext(server))
        yield
