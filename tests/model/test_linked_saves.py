"""Wrappers that are made in one place of a project and saved in another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "wrapped-state-dict"
IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
SAVING = IMPORTS + "def save_checkpoint(model, path):\n    torch.save(model.state_dict(), path)\n"
WRAP = "net = nn.DataParallel(nn.Linear(2, 2))\n"


def test_the_trace_tells_the_way_through_the_files(project_of: ProjectOf) -> None:
    project = project_of({
        "train.py": IMPORTS + "from lib.checkpoints import save_checkpoint\n\ndef main():\n"
        "    net_g = nn.Linear(2, 2)\n    net_g = DDP(net_g)\n    save_checkpoint(net_g, 'g.pt')\n\nmain()\n",
        "lib/__init__.py": "",
        "lib/checkpoints.py": SAVING,
    })  # fmt: skip

    assert project.findings(RULE, "train.py") == []
    assert project.trace(RULE, "lib/checkpoints.py") == [
        ("train.py", "net_g = DDP(net_g)", "wrapped in `DistributedDataParallel` here"),
        ("train.py", "save_checkpoint(net_g, 'g.pt')", "passed to `save_checkpoint` here"),
        ("lib/checkpoints.py", "torch.save(model.state_dict(), path)", "saved here"),
    ]


# Each writes `lib.py`'s `save_checkpoint` a state dict of a wrapper, by another way.
WAYS = {
    "a plain call": "from lib import save_checkpoint\n" + WRAP + "save_checkpoint(net, 'n.pt')",
    "by keyword": "from lib import save_checkpoint\n" + WRAP + "save_checkpoint(path='n.pt', model=net)",
    "a module's attribute": "import lib\n" + WRAP + "lib.save_checkpoint(net, 'n.pt')",
    "another name": "from lib import save_checkpoint as keep\n" + WRAP + "keep(net, 'n.pt')",
    "a name of a name": "import lib\nkeep = lib.save_checkpoint\n" + WRAP + "keep(net, 'n.pt')",
    "unpacked keywords": "import lib\n" + WRAP + "what = dict(model=net, path='n.pt')\nlib.save_checkpoint(**what)",
    "partial": "import lib\nfrom functools import partial\n" + WRAP
    + "keep = partial(lib.save_checkpoint, path='n.pt')\nkeep(net)",
    "partial of the module": "import lib, functools\n" + WRAP
    + "keep = functools.partial(lib.save_checkpoint, net)\nkeep('n.pt')",
    "a callback": "import lib\n" + WRAP
    + "def train(model, on_end):\n    on_end(model, 'n.pt')\ntrain(net, lib.save_checkpoint)",
    "a lambda": "import lib\n" + WRAP + "keep = lambda path: lib.save_checkpoint(net, path)\nkeep(1)",
    "a process": "import lib\nfrom torch.multiprocessing import Process\n" + WRAP
    + "Process(target=lib.save_checkpoint, args=(net, 'n.pt')).start()",
    "a thread": "import lib, threading\n" + WRAP
    + "threading.Thread(target=lib.save_checkpoint, args=(net, 'n.pt')).start()",
    "a pool": "import lib\nfrom concurrent.futures import ThreadPoolExecutor\n" + WRAP
    + "ThreadPoolExecutor().submit(lib.save_checkpoint, net, 'n.pt')",
    "an attribute of self": "import lib\nclass Trainer:\n    def __init__(self):\n        self.net = nn.DataParallel(nn.Linear(2, 2))\n"
    "    def save(self):\n        lib.save_checkpoint(self.net, 'n.pt')\nTrainer().save()",
    "what a function returns": "import lib\ndef build():\n    net = nn.Linear(2, 2)\n    return nn.DataParallel(net)\n"
    "lib.save_checkpoint(build(), 'n.pt')",
    "one of two that a function returns": "import lib\ndef build():\n    net = nn.DataParallel(nn.Linear(2, 2))\n"
    "    return net, torch.optim.SGD(net.parameters())\nnet, optimizer = build()\nlib.save_checkpoint(net, 'n.pt')",
    "a global": "import lib\nnet = None\ndef build():\n    global net\n    net = nn.DataParallel(nn.Linear(2, 2))\n"
    "def keep():\n    lib.save_checkpoint(net, 'n.pt')",
    "a dict": "import lib\n" + WRAP + "nets = {'g': net}\nlib.save_checkpoint(nets['g'], 'n.pt')",
    "a loop over a dict": "import lib\n" + WRAP + "nets = {'g': net}\nfor name, one in nets.items():\n    lib.save_checkpoint(one, name)",
    "a list": "import lib\n" + WRAP + "nets = [net]\nfor one in nets:\n    lib.save_checkpoint(one, 'n.pt')",
    "a closure": "import lib\ndef main():\n    net = nn.DataParallel(nn.Linear(2, 2))\n    def keep():\n"
    "        lib.save_checkpoint(net, 'n.pt')\n    keep()\n    return 0\nmain()",
    "a decorated function": "import lib\n@torch.no_grad()\ndef keep(model):\n    lib.save_checkpoint(model, 'n.pt')\n" + WRAP + "keep(net)",
    "spawned": "import lib\nimport torch.multiprocessing as mp\ndef worker(rank, model):\n    model = DDP(model, device_ids=[rank])\n"
    "    lib.save_checkpoint(model, 'n.pt')\nmp.spawn(worker, args=(nn.Linear(2, 2),), nprocs=2)",
    "under a test": "import lib\n" + "net = nn.Linear(2, 2)\nif torch.cuda.device_count() > 1:\n    net = nn.DataParallel(net)\n"
    "lib.save_checkpoint(net, 'n.pt')",
    "a ternary": "import lib\nnet = nn.Linear(2, 2)\nnet = nn.DataParallel(net) if torch.cuda.device_count() > 1 else net\n"
    "lib.save_checkpoint(net, 'n.pt')",
    "compiled": "import lib\nnet = torch.compile(nn.Linear(2, 2))\nlib.save_checkpoint(net, 'n.pt')",
    "moved and returned": "import lib\nnet = nn.DataParallel(nn.Linear(2, 2)).to('cpu').eval()\nlib.save_checkpoint(net, 'n.pt')",
}  # fmt: skip


@pytest.mark.parametrize("code", WAYS.values(), ids=WAYS)
def test_a_wrapper_is_followed_to_the_helper_that_saves_it(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + code, "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == ["torch.save(model.state_dict(), path)"]


# Each passes the bare module to the same helper.
BARE = {
    "unwrapped in the call": "import lib\n" + WRAP + "lib.save_checkpoint(net.module, 'n.pt')",
    "unwrapped before": "import lib\n" + WRAP + "net = net.module\nlib.save_checkpoint(net, 'n.pt')",
    "the original": "import lib\nbare = nn.Linear(2, 2)\nnet = nn.DataParallel(bare)\nlib.save_checkpoint(bare, 'n.pt')",
    "unwrapped where it has something inside": "import lib\n" + WRAP
    + "lib.save_checkpoint(net.module if hasattr(net, 'module') else net, 'n.pt')",
    "unwrapped where it is a wrapper": "import lib\n" + WRAP
    + "if isinstance(net, (nn.DataParallel, DDP)):\n    net = net.module\nlib.save_checkpoint(net, 'n.pt')",
    "unwrapped by a helper": "import lib\ndef unwrap(model):\n    return model.module if hasattr(model, 'module') else model\n"
    + WRAP + "lib.save_checkpoint(unwrap(net), 'n.pt')",
    "unwrapped by getattr": "import lib\n" + WRAP + "lib.save_checkpoint(getattr(net, 'module', net), 'n.pt')",
    "unwrapped by a loop": "import lib\ndef unwrap(model):\n    while hasattr(model, 'module'):\n        model = model.module\n"
    "    return model\n" + WRAP + "lib.save_checkpoint(unwrap(net), 'n.pt')",
    "unwrapped by a predicate": "import lib\ndef is_parallel(model):\n    return type(model) in (nn.DataParallel, DDP)\n" + WRAP
    + "lib.save_checkpoint(net.module if is_parallel(net) else net, 'n.pt')",
    "unwrapped by a try": "import lib\n" + WRAP
    + "try:\n    bare = net.module\nexcept AttributeError:\n    bare = net\nlib.save_checkpoint(bare, 'n.pt')",
    "an optimizer": "import lib\n" + WRAP + "lib.save_checkpoint(torch.optim.SGD(net.parameters()), 'n.pt')",
    "another helper's argument": "import lib\n" + WRAP + "def train(model): ...\ntrain(net)\nlib.save_checkpoint(nn.Linear(2, 2), 'n.pt')",
    "a method of the same name": "import lib\n" + WRAP
    + "class Keeper:\n    def save_checkpoint(self, model, path): ...\nKeeper().save_checkpoint(net, 'n.pt')",
    "the compiled one's original": "import lib\nnet = torch.compile(nn.Linear(2, 2))\nlib.save_checkpoint(net._orig_mod, 'n.pt')",
}  # fmt: skip


@pytest.mark.parametrize("code", BARE.values(), ids=BARE)
def test_a_bare_module_may_be_saved(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + code, "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == []
    assert project.reported(RULE) == []


def test_unwrapping_inside_the_helper_is_enough(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "import lib\n" + WRAP + "lib.save_checkpoint(net)",
        "lib.py": IMPORTS + "def save_checkpoint(model):\n    if hasattr(model, 'module'):\n        state = model.module.state_dict()\n"
        "    else:\n        state = model.state_dict()\n    torch.save({'model': state}, 'n.pt')\n",
    })  # fmt: skip

    assert project.reported(RULE, "lib.py") == []


def test_unwrapping_may_happen_in_a_third_file(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "import lib\n" + WRAP + "lib.save_checkpoint(net)",
        "lib.py": IMPORTS + "from parallel import unwrap\ndef save_checkpoint(model):\n    torch.save(unwrap(model).state_dict(), 'n.pt')\n",
        "parallel.py": "def unwrap(model):\n    return model.module if hasattr(model, 'module') else model\n",
    })  # fmt: skip

    assert project.reported(RULE, "lib.py") == []


def test_a_method_of_a_base_class_in_another_file_saves(project_of: ProjectOf) -> None:
    project = project_of({
        "base.py": "import torch\nclass Base:\n    def save(self, path):\n        torch.save(self.model.state_dict(), path)\n",
        "main.py": IMPORTS + "from base import Base\nclass Trainer(Base):\n    def __init__(self, model):\n"
        "        self.model = nn.DataParallel(model)\n    def fit(self):\n        self.save('m.pt')\n"
        "Trainer(nn.Linear(2, 2)).fit()\n",
    })  # fmt: skip

    assert project.reported(RULE, "base.py") == ["torch.save(self.model.state_dict(), path)"]


def test_a_subclass_of_the_wrapper_is_a_wrapper(project_of: ProjectOf) -> None:
    project = project_of({
        "wrap.py": "from torch import nn\nclass Parallel(nn.DataParallel):\n    pass\n",
        "main.py": IMPORTS + "from wrap import Parallel\nnet = Parallel(nn.Linear(2, 2))\ntorch.save(net.state_dict(), 'n.pt')\n",
    })  # fmt: skip

    assert project.reported(RULE) == ["torch.save(net.state_dict(), 'n.pt')"]


def test_a_state_dict_taken_here_and_saved_there_is_reported_here(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "from lib import write\n" + WRAP + "state = {'model': net.state_dict(), 'epoch': 1}\nwrite(state)\n",
        "lib.py": "import torch\ndef write(state):\n    torch.save(state, 'c.pt')\n",
    })  # fmt: skip

    assert project.reported(RULE) == ["state = {'model': net.state_dict(), 'epoch': 1}"]
    assert ("lib.py", "torch.save(state, 'c.pt')", "saved here") in project.trace(RULE)


def test_linting_one_file_sees_the_project_around_it_and_reports_only_that_file(project_of: ProjectOf) -> None:
    project = project_of({
        "pkg/__init__.py": "",
        "pkg/train.py": IMPORTS + "from pkg.keep import save_checkpoint\n" + WRAP + "save_checkpoint(net, 'n.pt')\n",
        "pkg/keep.py": SAVING,
    })  # fmt: skip

    assert [finding.path for finding in project.findings(RULE, "pkg/keep.py")] == ["pkg/keep.py"]
    assert project.findings(RULE, "pkg/train.py") == []


FORWARDED = {
    "keywords passed on": "def keep(**what):\n    lib.save_checkpoint(**what)\nkeep(model=net, path='n.pt')",
    "keywords passed on with more": "def keep(**what):\n    lib.save_checkpoint(path='n.pt', **what)\nkeep(model=net)",
    "a keyword taken out": "def keep(**what):\n    lib.save_checkpoint(what['model'], 'n.pt')\nkeep(model=net)",
    "an argument taken out": "def keep(*what):\n    lib.save_checkpoint(what[0], 'n.pt')\nkeep(net, 'x')",
    "each argument": "def keep(*nets):\n    for one in nets:\n        lib.save_checkpoint(one, 'n.pt')\nkeep(net)",
    "a dict of dicts": "more = {'model': net}\nwhat = {**more, 'path': 'n.pt'}\nlib.save_checkpoint(**what)",
}


@pytest.mark.parametrize("code", FORWARDED.values(), ids=FORWARDED)
def test_collected_arguments_are_followed(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + "import lib\n" + WRAP + code, "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == ["torch.save(model.state_dict(), path)"]
