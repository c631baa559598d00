"""What is found on a wrapper, and what only the module inside has."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.wrapper_attributes import hidden_attributes
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

MODEL = """
import torch
from torch import nn
class Net(nn.Module):
    def embed(self, x): return x
"""


def hidden_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(MODEL + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.place.text + ("" if one.is_sure else "?") for one in asked(hidden_attributes, file, WITH_CUDA)]


def test_a_method_of_the_module_is_not_the_wrappers(tmp_path: Path) -> None:
    text = "def use(m): m.embed(1)\nuse(nn.DataParallel(Net()))\n"

    assert hidden_in(tmp_path, text) == ["m.embed"]


def test_a_model_that_only_some_machines_wrap_is_less_sure(tmp_path: Path) -> None:
    text = "m = Net()\nif torch.cuda.device_count() > 1:\n    m = nn.DataParallel(m)\nm.embed(1)\n"

    assert hidden_in(tmp_path, text) == ["m.embed?"]


@pytest.mark.parametrize(("name", "hidden"), [("disable_allreduce", []), ("embed", ["m.embed"])])
def test_the_wrapper_of_apex_has_more_of_its_own(tmp_path: Path, name: str, hidden: list[str]) -> None:
    text = f"from apex.parallel import DistributedDataParallel as DDP\nm = DDP(Net())\nm.{name}()\n"

    assert hidden_in(tmp_path, text) == hidden


@pytest.mark.parametrize(("last", "hidden"), [("nn.DataParallel(Net())", ["m.embed?"]), ("Net()", [])])
def test_however_many_classes_one_caller_may_pass_another_one_passes_a_wrapper(
    tmp_path: Path, last: str, hidden: list[str]
) -> None:
    kinds = "".join(f"class Net{n}(Net): pass\n" for n in range(15))
    build = "".join(f"    if name == '{n}':\n        return Net{n}()\n" for n in range(15))
    text = f"{kinds}def build(name):\n{build}def use(m): m.embed(1)\nuse(build(input()))\nuse({last})\n"

    assert hidden_in(tmp_path, text) == hidden


def test_where_fsdp_may_wrap_as_well_nobody_knows_which_is_asked(tmp_path: Path) -> None:
    text = (
        "from torch.distributed.fsdp import FullyShardedDataParallel\n"
        "def wrap(how): return FullyShardedDataParallel(Net()) if how == 'fsdp' else nn.DataParallel(Net())\n"
        "m = wrap(input())\nm.embed(1)\n"
    )

    assert hidden_in(tmp_path, text) == []


@pytest.mark.parametrize(
    ("other", "hidden"),
    [
        ("sharding.Sharded(Net(), 4)", []),
        ("sharding.Sharded(4)", ["m.embed?"]),
        ("nn.Sequential(Net())", ["m.embed?"]),
    ],
)
def test_what_another_package_makes_of_a_module_may_stand_there_as_well(
    tmp_path: Path, other: str, hidden: list[str]
) -> None:
    text = f"import sharding\nm = {other} if input() else nn.DataParallel(Net())\nm.embed(1)\n"

    assert hidden_in(tmp_path, text) == hidden


@pytest.mark.parametrize(
    "use",
    [
        "m.module.embed(1)",
        "m.parameters()",
        "m.embed(1) if hasattr(m, 'embed') else m.module.embed(1)",
        "if not isinstance(m, nn.DataParallel):\n    m.embed(1)",
        "m.epoch = 1\nprint(m.epoch)",
        "try:\n    m.embed(1)\nexcept AttributeError:\n    m.module.embed(1)",
    ],
)
def test_what_the_program_provides_for_is_found(tmp_path: Path, use: str) -> None:
    assert hidden_in(tmp_path, f"m = nn.DataParallel(Net())\n{use}\n") == []


COUNT = "def count(m, x, y):\n    m.macs = x.numel()\n"


@pytest.mark.parametrize(
    ("counting", "hidden"),
    [
        ("for one in m.modules():\n    one.macs = 0", []),
        (COUNT + "m.apply(lambda one: one.register_forward_hook(count))", []),
        (COUNT + "m.apply(lambda one: one.register_forward_hook(lambda m, x, y: count(m, x, y)))", []),
        (COUNT + "count(m.module, torch.ones(2), None)", ["m.macs"]),
        ("for one in m.parameters():\n    one.macs = 0", ["m.macs"]),
    ],
)
def test_what_every_module_is_given_the_wrapper_has_too(tmp_path: Path, counting: str, hidden: list[str]) -> None:
    assert hidden_in(tmp_path, f"m = nn.DataParallel(Net())\n{counting}\nprint(m.macs)\n") == hidden


PRIVATE = """
class Searched(Net):
    def __init__(self):
        super().__init__()
        self._width = 4
        self.register_buffer("_mean", torch.zeros(2))
    def _loss(self, x): return self(x).mean()
    def _apply(self, function): return super()._apply(function)
    def _sync_buffers(self): pass
def show(m, x): print(x)
m = nn.DataParallel(Searched())
"""


@pytest.mark.parametrize("use", ["m._loss", "m._width", "m._mean"])
def test_a_private_name_that_the_class_inside_defines_is_hidden(tmp_path: Path, use: str) -> None:
    assert hidden_in(tmp_path, f"{PRIVATE}show(m, {use})\n") == [use]


@pytest.mark.parametrize(
    "use",
    ["m._apply", "m._modules", "m._sync_buffers", "m._other", "m.__class__", "m.module._loss", "Searched()._loss"],
)
def test_a_private_name_of_pytorch_or_of_nobody_known_is_not_hidden(tmp_path: Path, use: str) -> None:
    assert hidden_in(tmp_path, f"{PRIVATE}show(m, {use})\n") == []


def test_a_private_name_of_a_module_that_nobody_knows_may_be_pytorchs(tmp_path: Path) -> None:
    assert hidden_in(tmp_path, "def use(net):\n    m = nn.DataParallel(net)\n    m._loss(1)\n") == []


def test_a_method_that_wraps_when_asked_to_says_nothing_of_other_objects(tmp_path: Path) -> None:
    text = """
class Task:
    def __init__(self): self.model = Net()
    def distribute(self): self.model = nn.DataParallel(self.model)
def main(args):
    task = Task()
    if args.distributed:
        task.distribute()
Task().model.embed(1)
"""

    assert hidden_in(tmp_path, text) == []


TRAINER = """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from model import Net
class Trainer:
    def prepare(self):
        self.model = Net()
        if dist.is_initialized():
            self.model = DistributedDataParallel(self.model)
"""
SHOW = """
from train import Trainer{imported}
class Show(Trainer):
    def run(self):
        self.prepare()
        self.model.embed(1)
if __name__ == "__main__":
    {start}
"""
LAUNCH = "import torch.distributed as dist\ndef launch(what):\n    dist.init_process_group('nccl')\n    what()\n"


@pytest.mark.parametrize(
    ("start", "found"), [("Show().run()", []), ("launch(Show().run)", ["self.model.embed"])], ids=["alone", "launched"]
)
def test_a_script_that_nothing_launches_meets_no_wrapper_of_several_processes(
    tmp_path: Path, start: str, found: list[str]
) -> None:
    imported = "\nfrom launching import launch" if "launch" in start else ""
    files = {"model": MODEL, "train": TRAINER, "launching": LAUNCH, "show": SHOW.format(imported=imported, start=start)}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    file = Project(tmp_path).open(tmp_path / "show.py", "show.py")

    assert [one.place.text for one in asked(hidden_attributes, file, WITH_CUDA)] == found


@pytest.mark.parametrize(
    "use",
    [
        "if args.a:\n    m.module.embed(1)\nelse:\n    m.embed(2)",
        "if args.a:\n    m.module.embed(1)\nelif args.b:\n    m.module.embed(2)\nelse:\n    m.embed(3)",
    ],
)
def test_a_test_of_whatever_name_is_a_guard_where_its_other_arm_takes_the_wrapper_off(tmp_path: Path, use: str) -> None:
    text = "m = Net()\nif torch.cuda.device_count() > 1:\n    m = nn.DataParallel(m)\n"

    assert hidden_in(tmp_path, f"{text}{use}\n") == []


def test_a_test_whose_arms_both_take_the_wrapper_off_guards_neither(tmp_path: Path) -> None:
    text = "m = Net()\nif torch.cuda.device_count() > 1:\n    m = nn.DataParallel(m)\n"
    use = "if args.a:\n    m.module.embed(1)\n    m.embed(1)\nelse:\n    m.module.embed(2)\n"

    assert hidden_in(tmp_path, text + use) == ["m.embed?"]


REFUSED = """
m = Net()
if args.several:
    if args.parts > 1:
        raise NotImplementedError
elif args.gpus > 1:
    args.batch *= args.gpus
    if args.parts > 1:
        raise NotImplementedError
if args.several:
    m = nn.parallel.DistributedDataParallel(m)
elif args.gpus > 1:
    m = nn.DataParallel(m)
"""


@pytest.mark.parametrize(
    ("use", "hidden"),
    [
        ("if args.parts > 1:\n    m.embed(1)\n", []),
        ("if args.gpus > 1:\n    m.embed(1)\n", ["m.embed"]),
        ("if args.parts == 1:\n    m.embed(1)\n", ["m.embed?"]),
    ],
)
def test_what_a_program_refuses_to_do_together_meets_no_wrapper(tmp_path: Path, use: str, hidden: list[str]) -> None:
    assert hidden_in(tmp_path, REFUSED + use) == hidden


def test_a_test_that_only_warns_refuses_nothing(tmp_path: Path) -> None:
    text = REFUSED.replace("raise NotImplementedError", "print('slow')") + "if args.parts > 1:\n    m.embed(1)\n"

    assert hidden_in(tmp_path, text) == ["m.embed?"]


@pytest.mark.parametrize("test", ["args.several and args.parts > 1", "not (not args.several or not args.parts > 1)"])
def test_what_one_test_refuses_together_is_refused_as_well(tmp_path: Path, test: str) -> None:
    text = (
        f"m = Net()\nif {test}:\n    raise ValueError\nif args.several:\n    m = nn.DataParallel(m)\n"
        "if args.parts > 1:\n    m.embed(1)\n"
    )

    assert hidden_in(tmp_path, text) == []


def test_a_test_of_what_was_bound_anew_refuses_nothing(tmp_path: Path) -> None:
    text = "m = nn.DataParallel(Net())\nif ready:\n    exit()\nready = input()\nif ready:\n    m.embed(1)\n"

    assert hidden_in(tmp_path, text) == ["m.embed"]


INHERITED = """
class Wrapped:
    def __init__(self, model):
        self.model = model
class Sharded(Wrapped):
    def show(self, x):
        return self.model.embed(x)
class Other(Wrapped):
    def __init__(self, model):
        super().__init__(model)
"""


@pytest.mark.parametrize(
    ("built", "hidden"),
    [
        ("Wrapped(nn.DataParallel(Net()))\nSharded(shard(Net()))\n", []),
        ("Other(nn.DataParallel(Net()))\nSharded(Net())\n", []),
        ("class Deeper(Sharded):\n    pass\nDeeper(nn.DataParallel(Net()))\n", ["self.model.embed"]),
        (
            "class Lower(Other):\n    def see(self): self.model.embed(1)\nLower(nn.DataParallel(Net()))\n",
            ["self.model.embed"],
        ),
        ("Wrapped(Net())\nSharded(nn.DataParallel(Net()))\n", ["self.model.embed"]),
    ],
    ids=["the base class", "another class", "a class below", "through a class between", "the class itself"],
)
def test_what_another_class_is_built_with_is_not_held_by_this_one(
    tmp_path: Path, built: str, hidden: list[str]
) -> None:
    assert hidden_in(tmp_path, INHERITED + built) == hidden


@pytest.mark.parametrize("name", ["backward", "save_16bit_model", "is_gradient_accumulation_boundary"])
def test_what_deepspeeds_engine_has_is_asked_of_it_and_not_of_the_module(tmp_path: Path, name: str) -> None:
    text = f"m = nn.DataParallel(Net())\nif args.deepspeed:\n    m = engine\nm.{name}()\n"

    assert hidden_in(tmp_path, text) == []
    assert hidden_in(tmp_path, f"class Net(nn.Module):\n    def {name}(self): pass\n{text}") == [f"m.{name}?"]


KEPT_APART = """
class Trainer:
    def __init__(self, model, args):
        self.args = args
        self.model = self.wrapped = model
    def prepare(self):
        model = self.wrapped
        if self.args.gpus > 1:
            model = nn.DataParallel(model)
{stores}
    def show(self, x): return self.model.embed(x)
Trainer(Net(), parse()).show(1)
"""


@pytest.mark.parametrize(
    ("stores", "hidden"),
    [
        ("self.wrapped = model\nif self.args.shard:\n    self.model = model", []),
        ("self.wrapped = model\nif self.args.shard:\n    self.model = self.wrapped = model", []),
        ("self.wrapped = model\nself.model = model", ["self.model.embed?"]),
        ("if self.args.shard:\n    self.model = model", ["self.model.embed?"]),
        ("self.wrapped = model\nif model is not None:\n    self.model = model", ["self.model.embed?"]),
        ("if self.args.shard:\n    self.model = self.wrapped = model", ["self.model.embed?"]),
    ],
    ids=["behind a test", "chained", "always", "under no other name", "about the model", "both behind the test"],
)
def test_what_wraps_under_another_name_only_hides_where_no_further_test_decides(
    tmp_path: Path, stores: str, hidden: list[str]
) -> None:
    text = KEPT_APART.format(stores="\n".join(f"        {line}" for line in stores.split("\n")))

    assert hidden_in(tmp_path, text) == hidden


SETS = """
def move(args, model):
    if args.gpu is not None:
        model = model.cuda(args.gpu)
    elif args.all_gpus:
        model = nn.DataParallel(model)
    return model
def train(rank, config):
    {before}
    model = move(config, Net())
    model.embed(1)
torch.multiprocessing.spawn(train, args=(parse(),))
"""


@pytest.mark.parametrize(
    ("before", "hidden"),
    [
        ("config.gpu = rank + config.first", []),
        ("config.gpu = read()", ["model.embed?"]),
        ("config.rank = rank + config.first", ["model.embed?"]),
        ("if config.first:\n        config.gpu = rank + config.first", ["model.embed?"]),
    ],
    ids=["a number", "anything", "another option", "by a test"],
)
def test_a_caller_that_sets_the_option_first_never_has_it_wrapped(
    tmp_path: Path, before: str, hidden: list[str]
) -> None:
    assert hidden_in(tmp_path, SETS.format(before=before)) == hidden


def test_another_caller_may_leave_the_option_alone(tmp_path: Path) -> None:
    text = SETS.format(before="config.gpu = rank + 1") + "other = move(parse(), Net())\nother.embed(1)\n"

    assert hidden_in(tmp_path, text) == ["model.embed?", "other.embed?"]


USE = "def use(m, flag=True):\n{}\nuse(nn.DataParallel(Net()))\n"


@pytest.mark.parametrize(
    "body",
    [
        "    has = hasattr(m, 'embed')\n    if has:\n        m.embed(1)",
        "    lacks = not hasattr(m, 'embed')\n    if lacks:\n        return\n    m.embed(1)",
        "    has = flag and hasattr(m, 'embed')\n    if has:\n        m.embed(1)",
        "    try:\n        m.module.embed(1)\n    except AttributeError:\n        m.embed(1)",
        "    try:\n        m.module.embed(1)\n    except:\n        m.embed(1)",
    ],
    ids=["by a name", "as it leaves", "beside another", "as the wrapper lacks its module", "whatever it raises"],
)
def test_a_program_that_finds_out_itself_reads_it_where_it_is(tmp_path: Path, body: str) -> None:
    assert hidden_in(tmp_path, USE.format(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        "    has = hasattr(torch, 'embed')\n    if has:\n        m.embed(1)",
        "    has = hasattr(m, 'embed')\n    print(has)\n    m.embed(1)",
        "    try:\n        torch.embed(1)\n    except AttributeError:\n        m.embed(1)",
        "    try:\n        m.module.embed(1)\n    except ValueError:\n        m.embed(1)",
    ],
    ids=["of another", "without a test", "another lacks it", "another exception"],
)
def test_what_is_asked_of_something_else_tells_nothing(tmp_path: Path, body: str) -> None:
    assert hidden_in(tmp_path, USE.format(body)) == ["m.embed"]


@pytest.mark.parametrize(
    ("test", "hidden"),
    [
        ("m.__class__.__name__.find('Conv') != -1", []),
        ("type(m).__name__ == 'Conv2d'", []),
        ("name.startswith('Conv')", []),
        ("other.__class__.__name__ == 'Conv2d'", ["m.weight"]),
        ("__name__ == 'main'", ["m.weight"]),
    ],
)
def test_the_name_of_a_class_tells_a_wrapper_from_a_layer(tmp_path: Path, test: str, hidden: list[str]) -> None:
    text = (
        "def init(m, other):\n    name = m.__class__.__name__\n"
        f"    if {test}:\n        m.weight.data.normal_()\n"
        "init(nn.DataParallel(Net()), 1)\n"
    )

    assert hidden_in(tmp_path, text) == hidden
