"""What every test takes for granted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.checkout import Checkout, check_out

# How long an example takes says more about the machine than about the code.
settings.register_profile("model", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("model")

# A shell has what it runs in the background ignore interrupts, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_TESTS = Path(__file__).parent
_LONGEST = (
    "verify/test_fixtures.py",
    "engine/test_workers.py",
    "server/test_diagnostics.py",
    "test_installed.py",
    "pytorch/test_graph_breaks.py",
    "mend/test_every_layout.py",
    "rules/test_every_rule.py",
    "test_documents.py",
    "test_growth.py",
    "verify/test_containment.py",
    "model/test_long_expressions.py",
    "test_ci.py",
    "mend/test_fixtures.py",
    "trust/test_files.py",
    "cli/test_streams.py",
    "server/test_agents.py",
    "cli/test_verify.py",
    "verify/test_against_opinfo.py",
    "test_ecosystem.py",
    "rules/test_words.py",
    "trust/test_processes.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: workers have whole files, and should end together."""
    begin = {_TESTS / name: number for number, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: begin.get(item.path, len(begin)))


@pytest.fixture
def project_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Checkout]:
    """Return what writes files into an empty folder and opens them as a project, seen from its root."""
    monkeypatch.chdir(tmp_path)
    return lambda files: check_out(tmp_path, files)


@pytest.fixture
def program(project_of: Callable[[dict[str, str]], Checkout]) -> Callable[[str], Checkout]:
    """Return what writes a project of one file, `main.py`."""
    return lambda text: project_of({"main.py": text})


@pytest.fixture
def process_group() -> Iterator[None]:
    """Make a process group of one rank."""
    torch = pytest.importorskip("torch", reason="the process group is PyTorch's")

    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()
