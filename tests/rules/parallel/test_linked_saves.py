"""Wrappers that are made in one place of a project and saved in another."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "wrapped-state-dict"
IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
SAVING = IMPORTS + "def save_checkpoint(model, path):\n    torch.save(model.state_dict(), path)\n"
WRAP = "net = nn.DataParallel(nn.Linear(2, 2))\n"


def test_the_trace_tells_the_way_through_the_files(project_of: ProjectOf) -> None:
    project = project_of({
        "train.py": IMPORTS + dedent("""\
            from lib.checkpoints import save_checkpoint

            def main():
                net_g = nn.Linear(2, 2)
                net_g = DDP(net_g)
                save_checkpoint(net_g, 'g.pt')

            main()
            """),
        "lib/__init__.py": "",
        "lib/checkpoints.py": SAVING,
    })  # fmt: skip

    assert project.findings(RULE, "train.py") == []
    assert project.trace(RULE, "lib/checkpoints.py") == [
        ("train.py", "net_g = DDP(net_g)", "wrapped in `DistributedDataParallel` here"),
        ("train.py", "save_checkpoint(net_g, 'g.pt')", "passed to `save_checkpoint` here"),
        ("lib/checkpoints.py", "torch.save(model.state_dict(), path)", "saved here"),
    ]


def test_what_branches_wrap_in_one_way_or_another_is_one_finding(project_of: ProjectOf) -> None:
    project = project_of({
        "train.py": IMPORTS + dedent("""\
            import sys

            net = nn.Linear(2, 2)
            if sys.argv[1] == 'distributed':
                net = DDP(net)
            else:
                net = nn.DataParallel(net)
            torch.save(net.state_dict(), 'n.pt')
            """),
    })  # fmt: skip

    assert len(project.findings(RULE, "train.py")) == 1
    assert [words for _, _, words in project.trace(RULE, "train.py")] == [
        "wrapped in `DistributedDataParallel` here",
        "wrapped in `DataParallel` here",
        "saved here",
    ]


@pytest.mark.parametrize(("test", "is_saved"), [("True", False), ("sys.argv", True)])
def test_what_comes_after_a_return_for_sure_saves_nothing(project_of: ProjectOf, test: str, is_saved: bool) -> None:
    text = f"def main():\n    if {test}:\n        return\n    torch.save(net.state_dict(), 'n.pt')\nmain()\n"
    project = project_of({"train.py": f"import sys\n{IMPORTS}{WRAP}{text}"})

    assert bool(project.findings(RULE, "train.py")) is is_saved


# Each writes `lib.py`'s `save_checkpoint` a state dict of a wrapper, by another way.
WAYS = {
    "a plain call": """
        from lib import save_checkpoint
        net = nn.DataParallel(nn.Linear(2, 2))
        save_checkpoint(net, 'n.pt')
        """,
    "by keyword": """
        from lib import save_checkpoint
        net = nn.DataParallel(nn.Linear(2, 2))
        save_checkpoint(path='n.pt', model=net)
        """,
    "a module's attribute": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(net, 'n.pt')
        """,
    "another name": """
        from lib import save_checkpoint as keep
        net = nn.DataParallel(nn.Linear(2, 2))
        keep(net, 'n.pt')
        """,
    "a name of a name": """
        import lib
        keep = lib.save_checkpoint
        net = nn.DataParallel(nn.Linear(2, 2))
        keep(net, 'n.pt')
        """,
    "unpacked keywords": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        what = dict(model=net, path='n.pt')
        lib.save_checkpoint(**what)
        """,
    "partial": """
        import lib
        from functools import partial
        net = nn.DataParallel(nn.Linear(2, 2))
        keep = partial(lib.save_checkpoint, path='n.pt')
        keep(net)
        """,
    "partial of the module": """
        import lib, functools
        net = nn.DataParallel(nn.Linear(2, 2))
        keep = functools.partial(lib.save_checkpoint, net)
        keep('n.pt')
        """,
    "a callback": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        def train(model, on_end):
            on_end(model, 'n.pt')
        train(net, lib.save_checkpoint)
        """,
    "a lambda": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        keep = lambda path: lib.save_checkpoint(net, path)
        keep(1)
        """,
    "a process": """
        import lib
        from torch.multiprocessing import Process
        net = nn.DataParallel(nn.Linear(2, 2))
        Process(target=lib.save_checkpoint, args=(net, 'n.pt')).start()
        """,
    "a thread": """
        import lib, threading
        net = nn.DataParallel(nn.Linear(2, 2))
        threading.Thread(target=lib.save_checkpoint, args=(net, 'n.pt')).start()
        """,
    "a pool": """
        import lib
        from concurrent.futures import ThreadPoolExecutor
        net = nn.DataParallel(nn.Linear(2, 2))
        ThreadPoolExecutor().submit(lib.save_checkpoint, net, 'n.pt')
        """,
    "an attribute of self": """
        import lib
        class Trainer:
            def __init__(self):
                self.net = nn.DataParallel(nn.Linear(2, 2))
            def save(self):
                lib.save_checkpoint(self.net, 'n.pt')
        Trainer().save()
        """,
    "what a function returns": """
        import lib
        def build():
            net = nn.Linear(2, 2)
            return nn.DataParallel(net)
        lib.save_checkpoint(build(), 'n.pt')
        """,
    "one of two that a function returns": """
        import lib
        def build():
            net = nn.DataParallel(nn.Linear(2, 2))
            return net, torch.optim.SGD(net.parameters())
        net, optimizer = build()
        lib.save_checkpoint(net, 'n.pt')
        """,
    "a global": """
        import lib
        net = None
        def build():
            global net
            net = nn.DataParallel(nn.Linear(2, 2))
        def keep():
            lib.save_checkpoint(net, 'n.pt')
        """,
    "a dict": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        nets = {'g': net}
        lib.save_checkpoint(nets['g'], 'n.pt')
        """,
    "a loop over a dict": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        nets = {'g': net}
        for name, one in nets.items():
            lib.save_checkpoint(one, name)
        """,
    "a list": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        nets = [net]
        for one in nets:
            lib.save_checkpoint(one, 'n.pt')
        """,
    "a closure": """
        import lib
        def main():
            net = nn.DataParallel(nn.Linear(2, 2))
            def keep():
                lib.save_checkpoint(net, 'n.pt')
            keep()
            return 0
        main()
        """,
    "a decorated function": """
        import lib
        @torch.no_grad()
        def keep(model):
            lib.save_checkpoint(model, 'n.pt')
        net = nn.DataParallel(nn.Linear(2, 2))
        keep(net)
        """,
    "spawned": """
        import lib
        import torch.multiprocessing as mp
        def worker(rank, model):
            model = DDP(model, device_ids=[rank])
            lib.save_checkpoint(model, 'n.pt')
        mp.spawn(worker, args=(nn.Linear(2, 2),), nprocs=2)
        """,
    "under a test": """
        import lib
        net = nn.Linear(2, 2)
        if torch.cuda.device_count() > 1:
            net = nn.DataParallel(net)
        lib.save_checkpoint(net, 'n.pt')
        """,
    "a ternary": """
        import lib
        net = nn.Linear(2, 2)
        net = nn.DataParallel(net) if torch.cuda.device_count() > 1 else net
        lib.save_checkpoint(net, 'n.pt')
        """,
    "compiled": """
        import lib
        net = torch.compile(nn.Linear(2, 2))
        lib.save_checkpoint(net, 'n.pt')
        """,
    "moved and returned": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2)).to('cpu').eval()
        lib.save_checkpoint(net, 'n.pt')
        """,
}  # fmt: skip


@pytest.mark.parametrize("code", WAYS.values(), ids=WAYS)
def test_a_wrapper_is_followed_to_the_helper_that_saves_it(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + dedent(code), "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == ["torch.save(model.state_dict(), path)"]


# Each passes the bare module to the same helper.
BARE = {
    "unwrapped in the call": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(net.module, 'n.pt')
        """,
    "unwrapped before": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        net = net.module
        lib.save_checkpoint(net, 'n.pt')
        """,
    "the original": """
        import lib
        bare = nn.Linear(2, 2)
        net = nn.DataParallel(bare)
        lib.save_checkpoint(bare, 'n.pt')
        """,
    "unwrapped where it has something inside": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(net.module if hasattr(net, 'module') else net, 'n.pt')
        """,
    "unwrapped where it is a wrapper": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        if isinstance(net, (nn.DataParallel, DDP)):
            net = net.module
        lib.save_checkpoint(net, 'n.pt')
        """,
    "unwrapped by a helper": """
        import lib
        def unwrap(model):
            return model.module if hasattr(model, 'module') else model
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(unwrap(net), 'n.pt')
        """,
    "unwrapped by getattr": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(getattr(net, 'module', net), 'n.pt')
        """,
    "unwrapped by a loop": """
        import lib
        def unwrap(model):
            while hasattr(model, 'module'):
                model = model.module
            return model
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(unwrap(net), 'n.pt')
        """,
    "unwrapped by a predicate": """
        import lib
        def is_parallel(model):
            return type(model) in (nn.DataParallel, DDP)
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(net.module if is_parallel(net) else net, 'n.pt')
        """,
    "unwrapped by a try": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        try:
            bare = net.module
        except AttributeError:
            bare = net
        lib.save_checkpoint(bare, 'n.pt')
        """,
    "an optimizer": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        lib.save_checkpoint(torch.optim.SGD(net.parameters()), 'n.pt')
        """,
    "another helper's argument": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        def train(model): ...
        train(net)
        lib.save_checkpoint(nn.Linear(2, 2), 'n.pt')
        """,
    "a method of the same name": """
        import lib
        net = nn.DataParallel(nn.Linear(2, 2))
        class Keeper:
            def save_checkpoint(self, model, path): ...
        Keeper().save_checkpoint(net, 'n.pt')
        """,
    "the compiled one's original": """
        import lib
        net = torch.compile(nn.Linear(2, 2))
        lib.save_checkpoint(net._orig_mod, 'n.pt')
        """,
}  # fmt: skip


@pytest.mark.parametrize("code", BARE.values(), ids=BARE)
def test_a_bare_module_may_be_saved(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + dedent(code), "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == []
    assert project.reported(RULE) == []


def test_unwrapping_inside_the_helper_is_enough(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "import lib\n" + WRAP + "lib.save_checkpoint(net)",
        "lib.py": IMPORTS + dedent("""\
            def save_checkpoint(model):
                if hasattr(model, 'module'):
                    state = model.module.state_dict()
                else:
                    state = model.state_dict()
                torch.save({'model': state}, 'n.pt')
            """),
    })  # fmt: skip

    assert project.reported(RULE, "lib.py") == []


def test_unwrapping_may_happen_in_a_third_file(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "import lib\n" + WRAP + "lib.save_checkpoint(net)",
        "lib.py": IMPORTS + dedent("""\
            from parallel import unwrap
            def save_checkpoint(model):
                torch.save(unwrap(model).state_dict(), 'n.pt')
            """),
        "parallel.py": """\
            def unwrap(model):
                return model.module if hasattr(model, 'module') else model
            """,
    })  # fmt: skip

    assert project.reported(RULE, "lib.py") == []


def test_a_method_of_a_base_class_in_another_file_saves(project_of: ProjectOf) -> None:
    project = project_of({
        "base.py": """\
            import torch
            class Base:
                def save(self, path):
                    torch.save(self.model.state_dict(), path)
            """,
        "main.py": IMPORTS + dedent("""\
            from base import Base
            class Trainer(Base):
                def __init__(self, model):
                    self.model = nn.DataParallel(model)
                def fit(self):
                    self.save('m.pt')
            Trainer(nn.Linear(2, 2)).fit()
            """),
    })  # fmt: skip

    assert project.reported(RULE, "base.py") == ["torch.save(self.model.state_dict(), path)"]


def test_a_subclass_of_the_wrapper_is_a_wrapper(project_of: ProjectOf) -> None:
    project = project_of({
        "wrap.py": """\
            from torch import nn
            class Parallel(nn.DataParallel):
                pass
            """,
        "main.py": IMPORTS + dedent("""\
            from wrap import Parallel
            net = Parallel(nn.Linear(2, 2))
            torch.save(net.state_dict(), 'n.pt')
            """),
    })  # fmt: skip

    assert project.reported(RULE) == ["torch.save(net.state_dict(), 'n.pt')"]


def test_a_state_dict_taken_here_and_saved_there_is_reported_here(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": IMPORTS + "from lib import write\n" + WRAP + dedent("""\
            state = {'model': net.state_dict(), 'epoch': 1}
            write(state)
            """),
        "lib.py": """\
            import torch
            def write(state):
                torch.save(state, 'c.pt')
            """,
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
    "keywords passed on": """
        def keep(**what):
            lib.save_checkpoint(**what)
        keep(model=net, path='n.pt')
        """,
    "keywords passed on with more": """
        def keep(**what):
            lib.save_checkpoint(path='n.pt', **what)
        keep(model=net)
        """,
    "a keyword taken out": """
        def keep(**what):
            lib.save_checkpoint(what['model'], 'n.pt')
        keep(model=net)
        """,
    "an argument taken out": """
        def keep(*what):
            lib.save_checkpoint(what[0], 'n.pt')
        keep(net, 'x')
        """,
    "each argument": """
        def keep(*nets):
            for one in nets:
                lib.save_checkpoint(one, 'n.pt')
        keep(net)
        """,
    "a dict of dicts": """
        more = {'model': net}
        what = {**more, 'path': 'n.pt'}
        lib.save_checkpoint(**what)
        """,
}  # fmt: skip


@pytest.mark.parametrize("code", FORWARDED.values(), ids=FORWARDED)
def test_collected_arguments_are_followed(project_of: ProjectOf, code: str) -> None:
    project = project_of({"main.py": IMPORTS + "import lib\n" + WRAP + dedent(code), "lib.py": SAVING})

    assert project.reported(RULE, "lib.py") == ["torch.save(model.state_dict(), path)"]


@pytest.mark.parametrize("kind", ["FSDP.set_state_dict_type(model, kind)", "print(model, kind)"], ids=["asked", "not"])
def test_a_state_dict_that_fsdp_is_asked_for_is_no_other_wrappers(project_of: ProjectOf, kind: str) -> None:
    project = project_of(
        {
            "train.py": IMPORTS + "from lib import save\nmodel = DDP(nn.Linear(2, 2))\nsave(model, 'n.pt', 1)\n",
            "lib.py": "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
            f"def save(model, path, kind):\n    {kind}\n    torch.save(model.state_dict(), path)\n",
        }
    )

    assert bool(project.findings(RULE, "lib.py")) is kind.startswith("print")


def test_an_object_that_is_called_saves_what_it_is_given(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "tools.py": "import torch\nclass EarlyStopping:\n    def __call__(self, loss, model, path):\n"
            "        self.save(model, path)\n    def save(self, model, path):\n"
            "        torch.save(model.state_dict(), path)\n",
            "basic.py": "class Basic:\n    def __init__(self):\n        self.model = self.build().to('cpu')\n"
            "    def build(self):\n        raise NotImplementedError\n        return None\n",
            "main.py": IMPORTS + "from basic import Basic\nfrom tools import EarlyStopping\nclass Main(Basic):\n"
            "    def build(self):\n        return nn.DataParallel(nn.Linear(2, 2))\n    def train(self):\n"
            "        stopping = EarlyStopping()\n        stopping(0.1, self.model, 'n.pt')\n",
        }
    )

    assert [step[0] for step in project.trace(RULE, "tools.py")] == ["main.py", "main.py", "tools.py", "tools.py"]


PASSING_ON = {
    "arguments and keywords": """
        def save_on_master(*args, **kwargs):
            if torch.distributed.get_rank() == 0:
                torch.save(*args, **kwargs)
        """,
    "arguments alone": """
        def save_on_master(*what):
            torch.save(*what)
        """,
    "the first by its own name": """
        def save_on_master(*args, **kwargs):
            write(*args, **kwargs)
        def write(what, path):
            torch.save(what, path)
        """,
    "one passes on to the other": """
        def save_on_master(*args, **kwargs):
            write(*args, **kwargs)
        def write(*args, **kwargs):
            torch.save(*args, **kwargs)
        """,
}  # fmt: skip
STUDENT = IMPORTS + "import distributed\nbare = nn.Linear(2, 2)\nstudent = DDP(bare, device_ids=[0])\n"


@pytest.mark.parametrize("code", PASSING_ON.values(), ids=PASSING_ON)
def test_what_a_helper_passes_on_to_be_saved_is_followed(project_of: ProjectOf, code: str) -> None:
    kept = "distributed.save_on_master({'student': student.state_dict(), 'epoch': 1}, 'c.pt')"
    project = project_of({"main.py": STUDENT + kept, "distributed.py": "import torch\n" + dedent(code)})

    assert project.reported(RULE) == [kept]


def test_the_trace_names_the_helper_that_passes_everything_on(project_of: ProjectOf) -> None:
    kept = "distributed.save_on_master({'student': student.state_dict()}, 'c.pt')"
    helper = dedent(PASSING_ON["arguments and keywords"])
    project = project_of({"main.py": STUDENT + kept, "distributed.py": "import torch\n" + helper})

    assert project.trace(RULE) == [
        ("main.py", "student = DDP(bare, device_ids=[0])", "wrapped in `DistributedDataParallel` here"),
        ("main.py", kept, "passed to `save_on_master` here"),
        ("distributed.py", "torch.save(*args, **kwargs)", "saved here"),
    ]


@pytest.mark.parametrize("saved", ["student.module", "bare"])
def test_a_bare_module_may_be_passed_on_to_be_saved(project_of: ProjectOf, saved: str) -> None:
    kept = f"distributed.save_on_master({{'student': {saved}.state_dict()}}, 'c.pt')"
    helper = dedent(PASSING_ON["arguments and keywords"])
    project = project_of({"main.py": STUDENT + kept, "distributed.py": "import torch\n" + helper})

    assert project.reported(RULE) == []


def test_a_wrapper_that_is_only_passed_along_is_not_what_is_saved(project_of: ProjectOf) -> None:
    kept = "distributed.save_on_master({'student': bare.state_dict()}, student)"
    project = project_of(
        {"main.py": STUDENT + kept, "distributed.py": "import torch\n" + dedent(PASSING_ON["arguments alone"])}
    )

    assert project.reported(RULE) == []
