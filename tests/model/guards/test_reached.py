"""Ways by which a program comes to a demand for CUDA."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE
from torchlint.source import UnreadableSourceError

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


SPAWNED = """
    import torch
    import torch.multiprocessing as mp

    def worker(rank, world_size):
        torch.cuda.set_device(rank)

    def main():
        gpus = torch.cuda.device_count()
        {start}

    if __name__ == "__main__":
        main()
    """
STARTED = {
    "one for each GPU": ("mp.spawn(worker, args=(gpus,), nprocs=gpus)", []),
    "by position": ("torch.multiprocessing.start_processes(worker, (gpus,), gpus // 2)", []),
    "so many as there are written": ("mp.spawn(worker, args=(2,), nprocs=2)", ["torch.cuda.set_device(rank)"]),
    "one at least": ("mp.spawn(worker, args=(1,), nprocs=max(gpus, 1))", ["torch.cuda.set_device(rank)"]),
    "one": ("mp.spawn(worker, args=(1,))", ["torch.cuda.set_device(rank)"]),
    "or called": (
        "if gpus > 1: mp.spawn(worker, args=(gpus,), nprocs=gpus)\n        else: worker(0, 1)",
        ["torch.cuda.set_device(rank)"],
    ),
}


@pytest.mark.parametrize(("start", "reported"), STARTED.values(), ids=STARTED)
def test_where_a_process_is_started_for_each_gpu_none_is_without_one(
    program: Program, start: str, reported: list[str]
) -> None:
    assert program(SPAWNED.format(start=start)).reported(RULE) == reported


ZOO = """\
import torch
def big(): x.cuda()
{kept}
class Deep:
    def __init__(self, name):
        if name == "tiny":
            self.body = None
        elif {test}:
            self.body = big()
Deep("small")
"""


@pytest.mark.parametrize(
    "kept", ["models = {'big': big}", "models = [big]", "models = dict()\nmodels['big'] = big", "torch.big = big"]
)
def test_calls_that_never_run_tell_nothing_of_a_function_that_is_kept(project_of: ProjectOf, kept: str) -> None:
    project = project_of({"main.py": ZOO.format(kept=kept, test="name == 'big'")})

    assert not project.place("x.cuda()").is_guarded


@pytest.mark.parametrize(
    ("kept", "test"),
    [
        ("models = {big: 1}", "name == 'big'"),
        ("models = {'big': big}", "torch.cuda.is_available()"),
        ("", "name == 'big'"),
    ],
    ids=["a key", "kept, and called behind a test", "called alone"],
)
def test_a_function_that_is_not_kept_runs_where_it_is_called(project_of: ProjectOf, kept: str, test: str) -> None:
    project = project_of({"main.py": ZOO.format(kept=kept, test=test)})

    assert project.place("x.cuda()").is_guarded


def test_a_table_in_another_file_keeps_a_function(project_of: ProjectOf) -> None:
    files = {"zoo.py": ZOO.format(kept="", test="name == 'big'"), "main.py": "from zoo import big\nall = {'b': big}\n"}
    project = project_of(files)

    assert not project.place("x.cuda()", "zoo.py").is_guarded


GONE_THROUGH = """
    import torch
    from tqdm import tqdm

    class Moved:
        def __init__(self, batches):
            self.batches = iter(batches)
        def __iter__(self):
            for batch in self.batches:
                yield batch.cuda()
        def __next__(self):
            return next(self.batches).cuda(non_blocking=True)

    def main(batches):
        moved = Moved(batches)
        has_cuda = torch.cuda.is_available()
        {use}
    """
ITERATED, FETCHED = "yield batch.cuda()", "return next(self.batches).cuda(non_blocking=True)"
USES = {
    "a loop behind a test": ("for batch in moved if has_cuda else batches: pass", []),
    "a loop over it where there was a test": (
        "if has_cuda:\n            batches = moved\n        for batch in batches: pass",
        [],
    ),
    "a loop over what wraps it": ("if has_cuda:\n            for i, b in enumerate(tqdm(moved)): pass", []),
    "a comprehension behind a test": ("return [batch for batch in moved] if has_cuda else []", []),
    "calls of iter and next behind a test": ("return (iter(moved), next(moved)) if has_cuda else None", []),
    "a call of next": ("return next(moved)", [ITERATED, FETCHED]),
    "a call of next, and of iter behind a test": ("return next(moved) if not has_cuda else iter(moved)", [FETCHED]),
    "a loop": ("for batch in moved: pass", [ITERATED, FETCHED]),
    "a loop behind a test, and a comprehension": (
        "if has_cuda:\n            for batch in moved: pass\n        return [batch for batch in moved]",
        [ITERATED, FETCHED],
    ),
    "a loop over something else": ("if has_cuda:\n            for batch in batches: pass", [ITERATED, FETCHED]),
}


@pytest.mark.parametrize(("use", "reported"), USES.values(), ids=USES)
def test_who_goes_through_an_object_calls_what_that_runs(program: Program, use: str, reported: list[str]) -> None:
    assert program(GONE_THROUGH.format(use=use)).reported(RULE) == reported


def test_where_a_process_for_each_gpu_goes_through_an_object_none_does_without_one(program: Program) -> None:
    code = """
        import torch
        import torch.multiprocessing as mp

        class Moved:
            def __init__(self, batches, index):
                self.batches, self.index = batches, index
            def __iter__(self):
                for batch in self.batches:
                    yield batch.cuda(self.index)

        def worker(index, batches):
            for batch in Moved(batches, index):
                print(batch)

        def main(batches):
            mp.spawn(worker, nprocs=torch.cuda.device_count(), args=(batches,))
        """

    assert program(code).reported(RULE) == []


DEEP = """\
    import sys, torch
    def use(x):
        return x.cuda()
    def first(x): return use(x)
    def second(x): return first(x)
    def third(x): return second(x)
    def fourth(x): return third(x) if x.dim() else fifth(x)
    def fifth(x): return fourth(x)
    def sixth(x): return fifth(x)
    def main():
        {guard}
        sixth(torch.ones(3))
    main()
    """


@pytest.mark.parametrize(
    ("guard", "reported"), [("pass", ["return x.cuda()"]), ("if not torch.cuda.is_available(): sys.exit(1)", [])]
)
def test_callers_are_followed_up_to_the_program(program: Program, guard: str, reported: list[str]) -> None:
    assert program(dedent(DEEP).format(guard=guard)).reported(RULE) == reported


def test_a_function_that_only_calls_itself_is_judged_by_itself(program: Program) -> None:
    code = HEAD + "def use(x, n):\n    return use(x.cuda(), n - 1) if n else x\n"

    assert program(code).reported(RULE) == ["return use(x.cuda(), n - 1) if n else x"]


PATCHED = """\
    class Rows:
        pass
    @patch
    def __init__(self: Rows, device):
        self.first = torch.zeros(2).to(device)
        self.first.cuda()
    """


def test_an_init_that_stands_in_no_class_is_a_function_like_any(program: Program) -> None:
    assert program(HEAD + dedent(PATCHED)).reported(RULE) == ["self.first.cuda()"]


NET = "import torch\n\ndef shift(x):\n    return x.cuda()\n"
OLD = """\
import sys
import torch
from net import shift

def main():
    {guard}
    print(shift(torch.ones(3)), torch.ones(3).cuda(async=True))

main()
"""


@pytest.mark.parametrize(
    ("guard", "reported"),
    [
        ("if not torch.cuda.is_available(): sys.exit(1)", []),
        ("if not torch.cuda.is_available(): print('slow')", ["return x.cuda()"]),
    ],
)
def test_a_caller_that_only_older_pythons_read_guards_what_it_calls(
    project_of: ProjectOf, guard: str, reported: list[str]
) -> None:
    project = project_of({"net.py": NET, "train.py": OLD.format(guard=guard)})

    assert project.reported(RULE, "net.py") == reported


def test_what_only_older_pythons_read_is_unreadable_itself_whoever_was_asked_before(project_of: ProjectOf) -> None:
    project = project_of({"net.py": NET, "train.py": OLD.format(guard="pass")})

    project.reported(RULE, "net.py")

    with pytest.raises(UnreadableSourceError):
        project.file("train.py")


MOVING = """\
import argparse
import torch
def load(batch, {parameter}):
    if use_cuda:
        batch = batch.cuda()
    return batch
parser = argparse.ArgumentParser()
args = parser.parse_args()
load(torch.ones(2), use_cuda=args.use_cuda)
{call}
"""


@pytest.mark.parametrize(
    ("parameter", "call", "is_reported"),
    [
        ("use_cuda=True", "load(torch.ones(2))", True),
        ("use_cuda=True", "if torch.cuda.is_available(): load(torch.ones(2))", False),
        ("use_cuda=True", "load(torch.ones(2), torch.cuda.is_available())", False),
        ("use_cuda=False", "load(torch.ones(2))", False),
        ("use_cuda=torch.cuda.is_available()", "load(torch.ones(2))", False),
        ("use_cuda", "load(torch.ones(2), True)", True),
        ("use_cuda=False", "load(torch.ones(2), use_cuda=True)", True),
        ("use_cuda", "load(torch.ones(2), use_cuda=1)", True),
        ("use_cuda", "if torch.cuda.is_available(): load(torch.ones(2), use_cuda=True)", False),
        ("use_cuda", "if args.gpu: load(torch.ones(2), use_cuda=True)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=False)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=None)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=args.gpu)", False),
    ],
)
def test_who_settles_a_parameter_by_a_constant_is_not_guarded_by_who_passes_an_option(
    program: Program, parameter: str, call: str, is_reported: bool
) -> None:
    project = program(MOVING.format(parameter=parameter, call=call))

    assert project.reported(RULE) == (["batch = batch.cuda()"] if is_reported else [])


WORKING = """\
import torch
import torch.multiprocessing as mp
def work(index, net):
    if index >= 0:
        net.cuda()
    net(torch.ones(2))
if __name__ == "__main__":
    {started}
"""


@pytest.mark.parametrize(
    ("started", "is_reported"),
    [
        ("work(-1, torch.nn.Linear(2, 2))", False),
        ("work(index=-1, net=torch.nn.Linear(2, 2))", False),
        ("mp.spawn(work, nprocs=torch.cuda.device_count()) if several else work(-1, net)", False),
        ("work(0, torch.nn.Linear(2, 2))", True),
        ("work(-1, net) if several else work(0, net)", True),
        ("mp.spawn(work, nprocs=2) if several else work(-1, net)", True),
    ],
)
def test_what_a_call_passes_may_rule_out_a_place(program: Program, started: str, is_reported: bool) -> None:
    assert program(WORKING.format(started=started)).reported(RULE) == (["net.cuda()"] if is_reported else [])


CHOSEN = """\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--gpu-type", default="cuda", type=str)
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()
device = torch.device("cpu" if args.cpu else "cuda")
if {test}:
    torch.nn.Linear(2, 2).cuda()
"""


@pytest.mark.parametrize(("test", "is_second"), [("device.type == 'cuda'", False), ("args.gpu_type == 'cuda'", True)])
def test_what_asks_for_the_type_of_a_device_asks_for_no_option_of_that_name(
    program: Program, test: str, is_second: bool
) -> None:
    made = 'device = torch.device("cpu" if args.cpu else "cuda")'

    reported = program(CHOSEN.format(test=test)).reported(RULE)

    assert reported == [made, *(["torch.nn.Linear(2, 2).cuda()"] if is_second else [])]
