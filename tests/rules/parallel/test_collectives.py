"""Collectives that some ranks never come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.collectives import lonely_collectives
from torchlint.model import Project


def lonely_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(f"import torch.distributed as dist\n{text}")
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").share_of(lonely_collectives)]


def test_a_collective_deep_in_what_one_rank_calls_is_lonely(tmp_path: Path) -> None:
    text = """
def mean(x): dist.all_reduce(x)
def validate(): return mean(1)
def main():
    if dist.get_rank() == 0:
        validate()
"""

    assert lonely_in(tmp_path, text) == ["validate()"]


def test_an_assertion_is_no_choice_of_ranks(tmp_path: Path) -> None:
    text = """
def mean(x): dist.all_reduce(x)
def alone():
    assert dist.get_rank() == 0
    mean(1)
def both():
    assert dist.is_initialized()
    if dist.get_rank() == 0:
        mean(2)
"""

    assert lonely_in(tmp_path, text) == ["mean(2)"]


@pytest.mark.parametrize(
    "text",
    [
        "if rank == 0:\n    dist.barrier()\nelse:\n    dist.barrier()\n",
        "if rank == 0:\n    dist.all_reduce(x, group=first)\n",
        "if rank == 0:\n    dist.send(x, 1)\n",
        "if dist.is_initialized():\n    dist.barrier()\n",
        "def main(rank):\n    if rank == 0:\n        save()\n    dist.barrier()\n",
        "def gather(self, x):\n    if self.negatives_of_all_rank:\n        dist.all_gather(x)\n",
        "def adapt(x, lora_rank):\n    if lora_rank > 0:\n        dist.all_reduce(x)\n",
        "def adapt(x, rank):\n    if rank > 0:\n        dist.all_reduce(x)\nadapt(0, rank=8)\n",
        "def adapt(x, rank=4):\n    if rank:\n        dist.all_reduce(x)\nadapt(0)\n",
        "class Layer:\n    def __init__(self, rank):\n        self.rank = rank\n"
        "    def send(self):\n        if self.rank > 0:\n            dist.all_reduce(0)\nLayer(16).send()\n",
    ],
)
def test_answered_calls_groups_and_calls_of_all_are_not(tmp_path: Path, text: str) -> None:
    assert lonely_in(tmp_path, text) == []


@pytest.mark.parametrize("rank", ["rank", "self.rank", "args.node_rank", "global_rank", "data_parallel_rank"])
def test_the_rank_of_a_process_is_known_by_its_name(tmp_path: Path, rank: str) -> None:
    assert lonely_in(tmp_path, f"if {rank}:\n    dist.barrier()\n") == ["dist.barrier()"]


def test_what_follows_an_early_return_is_lonely(tmp_path: Path) -> None:
    assert lonely_in(tmp_path, "def f(rank):\n    if rank > 0:\n        return\n    dist.barrier()\n") == [
        "dist.barrier()"
    ]


@pytest.mark.parametrize(
    ("above", "below", "found"),
    [
        ("", "dist.init_process_group('nccl', rank=rank, world_size=1)\n    ", []),
        ("dist.init_process_group('nccl')\n    ", "", ["dist.barrier()"]),
        ("", "", ["dist.barrier()"]),
    ],
)
def test_a_group_of_the_ranks_that_are_left_waits_for_these_alone(
    tmp_path: Path, above: str, below: str, found: list[str]
) -> None:
    text = f"def main(rank):\n    {above}if rank > 0:\n        return\n    {below}dist.barrier()\n"

    assert lonely_in(tmp_path, text) == found


def test_what_only_has_the_name_of_a_call_answers_nothing(tmp_path: Path) -> None:
    text = """
import torch
class Trainer:
    def save(self, path):
        dist.barrier()
        if dist.get_rank() == 0:
            torch.save({}, path)
    def fit(self):
        if dist.get_rank() == 0:
            self.save("a.pt")
"""

    assert lonely_in(tmp_path, text) == ['self.save("a.pt")']


SERVING = """
class Pool:
    def exchange(self, message=None):
        dist.broadcast_object_list([message], src=0)
    def collect(self):
        dist.gather_object(1)
    def send(self, message):
        self.exchange(message)
    def serve(self):
        while True:
            self.exchange()
            self.collect()
def log(x):
    dist.all_reduce(x)
pool = Pool()
"""


@pytest.mark.parametrize(
    ("text", "lonely"),
    [
        ("if rank == 0:\n    pool.send('stop')\nelse:\n    pool.serve()\n", []),
        ("def run(rank):\n    if rank != 0:\n        pool.serve()\n        return\n    pool.send('stop')\n", []),
        ("if rank == 0:\n    log(1)\nelse:\n    pool.serve()\n", ["log(1)", "pool.serve()"]),
        ("if rank == 0:\n    pool.send('go')\n    pool.send('stop')\n", ["pool.send('go')", "pool.send('stop')"]),
    ],
    ids=["in the other arm", "behind a return", "another collective", "on the same ranks"],
)
def test_ranks_that_serve_what_one_sends_answer_it(tmp_path: Path, text: str, lonely: list[str]) -> None:
    assert lonely_in(tmp_path, SERVING + text) == lonely


LOADING = """
def load(path, on_all_ranks=False):
    if on_all_ranks:
        dist.barrier()
    return open(path)
def main(path, on_all_ranks, rank):
"""


@pytest.mark.parametrize(
    ("text", "lonely"),
    [
        ("    if rank == 0:\n        load(path)\n", []),
        ("    if rank == 0:\n        load(path, on_all_ranks=False)\n", []),
        ("    if rank == 0:\n        load(path, on_all_ranks=True)\n", ["load(path, on_all_ranks=True)"]),
        ("    if on_all_ranks or rank == 0:\n        load(path, on_all_ranks)\n", []),
        ("    if not distributed or rank == 0:\n        load(path, on_all_ranks)\n", ["load(path, on_all_ranks)"]),
        ("    if rank == 0:\n        load(path, on_all_ranks)\n", ["load(path, on_all_ranks)"]),
    ],
)
def test_a_call_leads_to_a_collective_only_as_its_flags_let_it(tmp_path: Path, text: str, lonely: list[str]) -> None:
    assert lonely_in(tmp_path, LOADING + text) == lonely


REQUIRED = """
class Meter:
    def mean(self, x, everywhere, *, scale):
        if everywhere:
            dist.all_reduce(x)
        return x * scale
def passing(function): return lambda x: function(x, True)
@passing
def completed(x, everywhere):
    if everywhere:
        dist.all_reduce(x)
def mean(x, group_size):
    dist.all_reduce(x)
    return x / group_size
def main(rank, arguments):
    if rank == 0:
        {}
"""


@pytest.mark.parametrize(
    ("call", "is_lonely"),
    [
        ("Meter().mean(1)", False),
        ("Meter().mean(1, True)", False),
        ("Meter().mean(1, scale=2)", False),
        ("Meter().mean(1, True, scale=2)", True),
        ("Meter().mean(*arguments)", True),
        ("mean(1)", False),
        ("mean(x=1)", False),
        ("mean(1, 2)", True),
        ("mean(1, **arguments)", True),
        ("completed(1)", True),
    ],
)
def test_a_call_without_a_required_argument_leads_nowhere(tmp_path: Path, call: str, is_lonely: bool) -> None:
    assert lonely_in(tmp_path, REQUIRED.format(call)) == ([call] if is_lonely else [])


GROUPED = """
import torch.multiprocessing as mp
def fetched(path):
    dist.barrier()
    return path
def is_main(options):
    rank = getattr(options, "rank", 0)
    return rank == 0
def parsed(options):
    if is_main(options):
        options.path = fetched(options.path)
    return options
def start(rank): dist.init_process_group("nccl", rank=rank)
def worker(rank, options):
    start(rank)
    {worker}
def main(options):
    {before}
    {starts}
    {after}
"""


@pytest.mark.parametrize(
    ("parts", "is_lonely"),
    [
        ({"before": "parsed(options)", "starts": "mp.spawn(worker, args=(options,))"}, False),
        ({"before": "parsed(options)", "starts": "start(options.rank)"}, False),
        ({"before": "if options.path: parsed(options)", "starts": "if options.many: worker(0, options)"}, False),
        ({"before": "parsed(options)", "starts": "start(0)", "after": "parsed(options)"}, True),
        ({"before": "parsed(options)", "starts": "mp.spawn(worker)", "worker": "parsed(options)"}, True),
        ({"starts": "mp.spawn(worker, args=(options,))", "worker": "parsed(options)"}, True),
        ({"starts": "start(options.rank)", "after": "parsed(options)"}, True),
        ({"starts": "for rank in range(2): parsed(options); start(rank)"}, True),
        ({"before": "parsed(options)"}, True),
    ],
)
def test_before_there_is_a_process_group_nobody_waits(tmp_path: Path, parts: dict[str, str], is_lonely: bool) -> None:
    text = GROUPED.format(**{"before": "pass", "starts": "pass", "after": "pass", "worker": "pass", **parts})

    assert lonely_in(tmp_path, text) == (["fetched(options.path)"] if is_lonely else [])


@pytest.mark.parametrize(
    ("text", "is_lonely"),
    [
        ("if rank == 0:\n    dist.barrier()\ndist.init_process_group('nccl')\n", False),
        ("dist.init_process_group('nccl')\nif rank == 0:\n    dist.barrier()\n", True),
    ],
)
def test_a_script_makes_its_group_at_a_line(tmp_path: Path, text: str, is_lonely: bool) -> None:
    assert lonely_in(tmp_path, text) == (["dist.barrier()"] if is_lonely else [])


SHARDING = "from accelerate import Accelerator, DeepSpeedPlugin, FullyShardedDataParallelPlugin\naccelerator = {}\n"
FSDP = SHARDING.format("Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())")
DEEPSPEED = SHARDING.format("Accelerator(deepspeed_plugin=DeepSpeedPlugin())")
MAIN = "if accelerator.is_main_process:\n    {}\n"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (SHARDING.format("Accelerator()"), "accelerator.gather(x)"),
        (SHARDING.format("Accelerator()"), "accelerator.check_trigger()"),
        (SHARDING.format("Accelerator()") + "from accelerate.utils import gather_object\n", "gather_object(x)"),
        (SHARDING.format("Accelerator()") + "import accelerate\n", "accelerate.utils.broadcast(x)"),
        (FSDP, "accelerator.save_state(x)"),
        (FSDP, "accelerator.get_state_dict(x)"),
        (FSDP, "accelerator.save_model(x, y)"),
        (DEEPSPEED, "accelerator.save_state(x)"),
    ],
)
def test_an_accelerator_has_collectives(tmp_path: Path, text: str, call: str) -> None:
    assert lonely_in(tmp_path, text + MAIN.format(call)) == [call]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (SHARDING.format("Accelerator()"), "accelerator.save_state(x)"),
        (SHARDING.format("Accelerator()"), "accelerator.get_state_dict(x)"),
        (SHARDING.format("Accelerator(fsdp_plugin=None)"), "accelerator.save_state(x)"),
        (SHARDING.format("Accelerator(fsdp_plugin=plugin)"), "accelerator.save_state(x)"),
        (DEEPSPEED, "accelerator.get_state_dict(x)"),
        (FSDP, "accelerator.unwrap_model(x)"),
        (FSDP, "accelerator.save(x, y)"),
    ],
)
def test_what_a_process_can_do_alone_is_no_collective(tmp_path: Path, text: str, call: str) -> None:
    assert lonely_in(tmp_path, text + MAIN.format(call)) == []


@pytest.mark.parametrize(
    ("made", "is_lonely"),
    [("Plain(4)", False), ("Waiting(4)", True), ("Named(4)", True), ("Renamed(4)", False), ("known(4)", True)],
)
def test_an_object_runs_the_methods_of_its_own_class(tmp_path: Path, made: str, is_lonely: bool) -> None:
    text = f"""
class Base:
    def __init__(self, size): self.model = self.build(size)
class Plain(Base):
    def build(self, size): return size
class Waiting(Base):
    def build(self, size): dist.barrier()
class Named(Waiting):
    def __init__(self, size):
        super().__init__(size)
class Renamed(Waiting):
    def build(self, size): return size
def known(size): return Waiting(size)
def main():
    if dist.get_rank() == 0:
        {made}
"""

    assert lonely_in(tmp_path, text) == ([made] if is_lonely else [])


WRAPPING = """
import os
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
def wrap(model, rank, args, group):
    model = nn.Linear(2, 2)
    {code}
    return model
"""
WRAPPINGS = {
    "on one rank": ("if rank == 0:\n        model = DDP(model)", ["DDP(model)"]),
    "by its name": (
        "if dist.get_rank() == 0: model = nn.parallel.DistributedDataParallel(model)",
        ["nn.parallel.DistributedDataParallel(model)"],
    ),
    "after the others left": ("if rank > 0:\n        return model\n    model = DDP(model)", ["DDP(model)"]),
    "on all": ("model = DDP(model, device_ids=[rank])", []),
    "on each": ("model = DDP(model) if rank == 0 else DDP(model, device_ids=[rank])", []),
    "where there are ranks": ("if args.local_rank != -1:\n        model = DDP(model)", []),
    "where ranks are launched": ("if 'RANK' in os.environ:\n        model = DDP(model)", []),
    "in a group of ranks": ("if rank == 0:\n        model = DDP(model, process_group=group)", []),
    "in one process": ("if rank == 0:\n        model = nn.DataParallel(model)", []),
}


@pytest.mark.parametrize(("code", "expected"), WRAPPINGS.values(), ids=WRAPPINGS)
def test_every_rank_wraps_the_module(tmp_path: Path, code: str, expected: list[str]) -> None:
    assert lonely_in(tmp_path, WRAPPING.format(code=code)) == expected


WRAPPED = """
import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
def validate(net, batches):
    with torch.no_grad():
        return [net(batch) for batch in batches]
def is_main():
    return dist.get_rank() == 0
def main(batches, distributed):
    rank = dist.get_rank()
"""


@pytest.mark.parametrize(
    ("text", "lonely"),
    [
        ("    m = DDP(Net())\n    if rank == 0:\n        validate(m, batches)\n", ["validate(m, batches)"]),
        ("    m = DDP(Net())\n    if is_main():\n        m.eval()\n        m(batches[0])\n", ["m(batches[0])"]),
        (
            "    m = Net()\n    if distributed:\n        m = DDP(m)\n    if rank == 0:\n        validate(m, batches)\n",
            ["validate(m, batches)"],
        ),
        ("    m = FSDP(nn.Linear(3, 1))\n    if rank == 0:\n        validate(m, batches)\n", ["validate(m, batches)"]),
        (
            "    m = FSDP(nn.Linear(3, 1))\n    if rank == 0:\n        torch.save(m.state_dict(), 'm.pt')\n",
            ["m.state_dict()"],
        ),
        ("    m = DDP(Net())\n    validate(m, batches)\n", []),
        ("    m = DDP(Net())\n    if rank == 0:\n        validate(m.module, batches)\n", []),
        ("    m = DDP(Net())\n    if rank == 0:\n        validate(m.module, batches)\n    validate(m, batches)\n", []),
        ("    m = DDP(nn.Linear(3, 1))\n    if rank == 0:\n        validate(m, batches)\n", []),
        ("    m = DDP(Net(), broadcast_buffers=False)\n    if rank == 0:\n        validate(m, batches)\n", []),
        ("    m = DDP(Net())\n    if rank == 0:\n        torch.save(m.state_dict(), 'm.pt')\n", []),
        ("    m = DDP(Net())\n    if rank == 0:\n        m = m.module\n        validate(m, batches)\n", []),
        ("    m = Net()\n    if rank == 0:\n        validate(m, batches)\n    m = DDP(m)\n", []),
        ("    m = FSDP(Net())\n    state = m.state_dict()\n    if rank == 0:\n        torch.save(state, 'm.pt')\n", []),
        (
            "    m = FSDP(Net(), sharding_strategy='NO_SHARD')\n    if rank == 0:\n        validate(m, batches)\n",
            [],
        ),
    ],
    ids=[
        "DDP in a callee", "DDP here", "DDP if distributed", "FSDP", "state dict of FSDP", "on all ranks", "inside",
        "inside, and on all ranks", "without buffers", "buffers that are not sent", "state dict of DDP", "taken off",
        "not wrapped yet", "all gather", "another strategy",
    ],
)  # fmt: skip
def test_wrapped_modules_communicate_with_each_forward_pass(tmp_path: Path, text: str, lonely: list[str]) -> None:
    assert lonely_in(tmp_path, WRAPPED + text) == lonely
