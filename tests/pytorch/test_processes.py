"""How Python and PyTorch start processes."""

from __future__ import annotations

import inspect
import multiprocessing
import multiprocessing.context
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing.pool import Pool
from pathlib import Path

import pytest

from torchlint.pytorch import processes

torch = pytest.importorskip("torch", reason="some of these are PyTorch's")


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@pytest.mark.parametrize(("method", "name"), processes.CONTEXTS.items())
def test_a_context_is_of_a_class_for_its_start_method(method: str, name: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no such method")
    assert full_name(type(multiprocessing.get_context(method))) == name


def test_a_context_without_a_method_is_that_of_the_program() -> None:
    assert full_name(type(multiprocessing.get_context())) in processes.CONTEXTS.values()
    assert full_name(multiprocessing.context.DefaultContext) == processes.DEFAULT_CONTEXT


@pytest.mark.skipif(sys.platform != "linux" or sys.version_info >= (3, 14), reason="elsewhere, nothing is forked")
def test_linux_forks_where_nobody_says_otherwise() -> None:
    assert multiprocessing.get_all_start_methods()[0] == processes.FORK


@pytest.mark.parametrize(
    "name", [*processes.PROCESSES, *processes.POOLS, *processes.EXECUTORS, *sorted(processes.QUEUES)]
)
def test_what_starts_processes_is_there(name: str) -> None:
    holder, _, last = name.rpartition(".")
    try:
        owner = import_module(holder)
    except ImportError:
        package, _, kind = holder.rpartition(".")
        owner = getattr(import_module(package), kind)

    assert callable(getattr(owner, last))


@pytest.mark.parametrize(("method", "way"), processes.POOL_CALLS.items())
def test_a_pool_is_given_a_function_and_its_arguments(method: str, way: str) -> None:
    _, function, given, *_ = inspect.signature(getattr(Pool, method)).parameters

    assert (function, given) == ("func", "args" if way == processes.AS_TUPLE else "iterable")


@pytest.mark.parametrize(("method", "given"), [("submit", "args"), ("map", "iterables")])
def test_an_executor_is_given_the_arguments_themselves(method: str, given: str) -> None:
    names = list(inspect.signature(getattr(ProcessPoolExecutor, method)).parameters)

    assert names[1:3] == ["fn", given]
    assert method in processes.EXECUTOR_CALLS


def test_torch_spawns_where_nobody_says_otherwise() -> None:
    parameters = inspect.signature(torch.multiprocessing.start_processes).parameters

    assert parameters["start_method"].default == "spawn"
    assert list(parameters)[:2] == ["fn", "args"]
    assert list(parameters).index("start_method") == 5


def outer() -> object:
    """Return a function of this one."""

    def inner() -> None:
        pass

    return inner


class Partial:
    """It holds what cannot be pickled, and leaves that out."""

    def __init__(self) -> None:
        self.held = outer()

    def __getstate__(self) -> dict[str, object]:
        return {}


class Rebuilt:
    """It holds what cannot be pickled, and is pickled as a call."""

    def __init__(self) -> None:
        self.held = outer()

    def __reduce__(self) -> tuple[object, ...]:
        return (dict, ())


@pytest.mark.parametrize("one", [outer(), lambda: None, torch.utils.data.Subset([outer()], [0])])
def test_what_a_spawned_process_gets_is_pickled_and_no_local_function_can_be(one: object) -> None:
    process = multiprocessing.get_context("spawn").Process(target=print, args=(one,))

    with pytest.raises((AttributeError, pickle.PicklingError), match=r"Can't (pickle|get) "):
        process.start()


def test_only_forked_processes_get_nothing_pickled() -> None:
    assert {*multiprocessing.get_all_start_methods()} - {processes.FORK} <= processes.PICKLING


@pytest.mark.parametrize(("kind", "hook"), [(Partial, "__getstate__"), (Rebuilt, "__reduce__")])
def test_a_class_may_leave_out_what_cannot_be_pickled(kind: type, hook: str) -> None:
    assert hook in processes.PICKLED_HOOKS
    assert pickle.dumps(kind())


def test_a_spawned_process_runs_the_file_of_the_script_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing as mp\n"
        "print(__name__, mp.current_process().name == 'MainProcess', mp.parent_process() is None, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    process = mp.get_context('spawn').Process(target=print)\n"
        "    process.start()\n"
        "    process.join()\n"
    )

    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)

    assert ran.stdout.split("\n")[:2] == ["__main__ True True", "__mp_main__ False True"]
    assert all(word in script.read_text() for word in processes.TELLING_APART)


def test_spawn_chooses_its_own_way_to_start_processes() -> None:
    parameters = list(inspect.signature(torch.multiprocessing.start_processes).parameters)

    assert parameters.index("start_method") == 5
    assert processes.SPAWN == "torch.multiprocessing.spawn"
    assert 'start_method="spawn"' in inspect.getsource(torch.multiprocessing.spawn)
