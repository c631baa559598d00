"""CUDA in forked processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.forked_cuda import forked_cuda
from torchlint.model import Project

HEAD = """
import multiprocessing as mp
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __getitem__(self, i): return self.load(i)
    def load(self, i): return torch.ones(3).cuda()
def work(i): torch.zeros(i, device="cuda")
"""


def demands_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").share_of(forked_cuda)]


def test_what_a_dataset_runs_in_workers_is_forked(tmp_path: Path) -> None:
    text = "model = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data(), num_workers=4)\n"

    assert demands_in(tmp_path, text) == ["torch.ones(3).cuda()"]


def test_what_a_process_runs_is_forked(tmp_path: Path) -> None:
    text = "def main():\n    x = torch.ones(3).cuda()\n    mp.Process(target=work, args=(1,)).start()\n"

    assert demands_in(tmp_path, text) == ['torch.zeros(i, device="cuda")']


@pytest.mark.parametrize(
    "text",
    [
        "m = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data(), num_workers=0)\n",
        "m = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data())\n",
        "m = torch.ones(3).cuda()\nloader = DataLoader(Data(), num_workers=2, multiprocessing_context='spawn')\n",
        "mp.set_start_method('spawn')\nm = torch.ones(3).cuda()\nmp.Process(target=work).start()\n",
        "def main():\n    mp.Process(target=work, args=(1,)).start()\n    x = torch.ones(3).cuda()\n",
    ],
)
def test_no_workers_other_starts_and_cuda_afterwards_are_left_alone(tmp_path: Path, text: str) -> None:
    assert demands_in(tmp_path, text) == []


HELPED = """
def stacked(images): return torch.zeros(3, device=images[0].device)
def put(x, device): return x.to(device)
def sized(n, on_gpu):
    if on_gpu: return torch.zeros(n).cuda()
    return torch.zeros(n)
def collate(batch): return {worked}
def main():
    model = torch.nn.Linear(3, 3).cuda()
    loader = DataLoader(torch.load("x"), num_workers=4, collate_fn=collate)
    return {elsewhere}
"""
CUDA_IN_HELPERS = [
    ("stacked([torch.ones(3, device='cuda')])", "torch.zeros(3, device=images[0].device)"),
    ("put(batch[0], 'cuda')", "x.to(device)"),
    ("sized(3, True)", "torch.zeros(n).cuda()"),
]


@pytest.mark.parametrize(("worked", "demand"), CUDA_IN_HELPERS)
def test_a_helper_is_asked_for_cuda_by_what_workers_pass(tmp_path: Path, worked: str, demand: str) -> None:
    assert demand in demands_in(tmp_path, HELPED.format(worked=worked, elsewhere="stacked(torch.ones(3))"))


@pytest.mark.parametrize("elsewhere", [worked for worked, _ in CUDA_IN_HELPERS])
@pytest.mark.parametrize("worked", ["stacked(batch)", "put(batch[0], 'cpu')", "sized(3, False)"])
def test_what_the_main_process_passes_to_a_helper_is_left_alone(tmp_path: Path, worked: str, elsewhere: str) -> None:
    assert demands_in(tmp_path, HELPED.format(worked=worked, elsewhere=elsewhere)) == []


SHARED = """
import concurrent.futures
from multiprocessing.pool import Pool, ThreadPool
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def use(x, *rest): return x + 1
class Player(mp.Process):
    def run(self): torch.zeros(2, device=device)
def main(x=torch.ones(3)):
    x = x.to(device)
    {body}
"""
GIVEN = [
    "mp.Process(target=use, args=(x,))",
    "mp.Process(target=use, kwargs={'x': x})",
    "mp.get_context('fork').Process(target=use, args=[x])",
    "torch.multiprocessing.start_processes(use, (x,), start_method='fork')",
    "Pool(2).apply_async(use, (x,))",
    "mp.Pool(2).map(use, [x, x])",
    "mp.get_context('fork').Pool(2).starmap(use, [x])",
    "concurrent.futures.ProcessPoolExecutor().submit(use, x)",
    "concurrent.futures.ProcessPoolExecutor(mp_context=mp.get_context('fork')).map(use, [x])",
    "DataLoader(torch.utils.data.TensorDataset(x, x), num_workers=2)",
    "mp.Process(target=use, args=(torch.nn.Linear(2, 2).to(device),))",
]


@pytest.mark.parametrize("given", GIVEN)
def test_what_is_on_the_gpu_is_not_for_forked_processes(tmp_path: Path, given: str) -> None:
    assert demands_in(tmp_path, SHARED.format(body=given)) == [given]


MAPPED = """
def run(job):
    x, device = job
    return x.to(device)
def apart(x, device): return x.to(device)
def main(xs):
    device = torch.device({device!r})
    torch.zeros(1, device="cuda")
    jobs = [(x, device) for x in xs]
    with mp.Pool(2) as pool:
        pool.{call}
"""


@pytest.mark.parametrize(
    "call",
    [
        "map(run, jobs)",
        "map(run, [(x, device) for x in xs])",
        "starmap(apart, jobs)",
        "imap(run, ((x, device) for x in xs))",
    ],
)
def test_each_item_of_a_pool_brings_its_device(tmp_path: Path, call: str) -> None:
    assert demands_in(tmp_path, MAPPED.format(call=call, device="cuda:0")) == ["x.to(device)"]
    assert demands_in(tmp_path, MAPPED.format(call=call, device="cpu")) == []


@pytest.mark.parametrize(
    "call", ["map(run, xs)", "starmap(apart, zip(xs, jobs))", "map(len, jobs)", "map(run, jobs, xs)"]
)
def test_items_that_are_not_written_out_are_unknown(tmp_path: Path, call: str) -> None:
    assert demands_in(tmp_path, MAPPED.format(call=call, device="cuda:0")) == []


LEFT_ALONE = [
    "mp.Process(target=use, args=(x.cpu(),))",
    "mp.get_context('spawn').Process(target=use, args=(x,))",
    "mp.get_context(method).Process(target=use, args=(x,))",
    "torch.multiprocessing.start_processes(use, (x,))",
    "torch.multiprocessing.spawn(use, (x,))",
    "ThreadPool(2).map(use, [x, x])",
    "concurrent.futures.ThreadPoolExecutor().submit(use, x)",
    "concurrent.futures.ProcessPoolExecutor(mp_context=mp.get_context('spawn')).submit(use, x)",
    "DataLoader(torch.utils.data.TensorDataset(x, x), num_workers=0 if device.type == 'cuda' else 2)",
    "torch.nn.Linear(2, 2).apply(use)",
    "mp.Process(target=use, args=(x,)) if device.type == 'cpu' else use(x)",
]


@pytest.mark.parametrize("given", LEFT_ALONE)
def test_other_starts_and_what_is_on_the_host_are_left_alone(tmp_path: Path, given: str) -> None:
    assert demands_in(tmp_path, SHARED.format(body=given)) == []


def test_a_class_of_processes_is_forked_where_its_objects_are_made(tmp_path: Path) -> None:
    assert demands_in(tmp_path, SHARED.format(body="Player()")) == ["torch.zeros(2, device=device)"]


@pytest.mark.parametrize(("method", "found"), [("fork", 1), ("spawn", 0), ("forkserver", 0)])
def test_the_start_method_of_the_program_is_that_of_its_processes(tmp_path: Path, method: str, found: int) -> None:
    body = f"mp.set_start_method('{method}')\n    mp.Process(target=use, args=(x,))"

    assert len(demands_in(tmp_path, SHARED.format(body=body))) == found


KEPT = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Kept(Dataset):
    def __init__(self, images): self.images = images{moved}
    def __len__(self): return len(self.images)
    def __getitem__(self, i): return self.images[i]
loader = DataLoader(Kept(torch.ones(3, 2)), num_workers=2)
"""


@pytest.mark.parametrize(("moved", "found"), [(".to(device)", ["self.images[i]"]), ("", []), (".to(device).cpu()", [])])
def test_a_dataset_keeps_its_tensors_on_the_host(tmp_path: Path, moved: str, found: list[str]) -> None:
    assert demands_in(tmp_path, KEPT.format(moved=moved)) == found


QUEUES = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def serve(queue): print(queue.get())
def main(x):
    {made}
    process.start()
    queue.put(x)
main(torch.ones(3, device=device))
"""


@pytest.mark.parametrize(
    "made",
    [
        "queue = mp.Queue()\n    process = mp.Process(target=serve, args=(queue,))",
        "context = mp.get_context('fork')\n    queue = context.SimpleQueue()\n"
        "    process = context.Process(target=serve, kwargs={'queue': queue})",
    ],
)
def test_what_is_put_into_a_queue_of_a_forked_process_is_on_the_host(tmp_path: Path, made: str) -> None:
    assert demands_in(tmp_path, QUEUES.format(made=made)) == ["queue.put(x)"]


@pytest.mark.parametrize(
    "made",
    [
        "context = mp.get_context('spawn')\n    queue = context.Queue()\n"
        "    process = context.Process(target=serve, args=(queue,))",
        "queue, other = mp.Queue(), mp.Queue()\n    process = mp.Process(target=serve, args=(other,))",
        "x = x.cpu()\n    queue = mp.Queue()\n    process = mp.Process(target=serve, args=(queue,))",
    ],
    ids=["spawned", "another queue", "on the host"],
)
def test_other_queues_take_what_is_on_the_gpu(tmp_path: Path, made: str) -> None:
    assert demands_in(tmp_path, QUEUES.format(made=made)) == []
