"""Which of the files that a project saves through wrappers it loads, and by which keys."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from tests.checkout import Checkout
from tests.rules.parallel.putting_back import HEAD, NET, OPTIONS, RESUME, RULE, TRAIN, ProjectOf, grade_of, graded

READ = "saved = torch.load(args.weights)\n"
COPIED = "state = {}\nfor key, value in saved.items():\n    if key.startswith('conv'):\n        state[key] = value\n"
ASKED = "if 'state' in saved:\n    saved = saved['state']\n"
SHAPES = {
    "whole": ("bare.load_state_dict(torch.load('zoo/net.pt'))\n", False),
    "whole, whatever it is": ("bare.load_state_dict(torch.load(args.weights))\n", False),
    "whole, by a name": (READ + "bare.load_state_dict(saved, strict=False)\n", False),
    "its items": (READ + COPIED + "bare.load_state_dict(state)\n", False),
    "a part": ("bare.load_state_dict(torch.load('zoo/net.pt')['state'])\n", True),
    "a part that is taken on the way": (READ + "part = saved['state']\nbare.load_state_dict(part)\n", True),
    "the items of a part": (READ + "saved = saved['state']\n" + COPIED + "bare.load_state_dict(state)\n", True),
    "a part where there is one": (READ + ASKED + "bare.load_state_dict(saved)\n", True),
    "by one of two keys": (READ + "bare.load_state_dict(saved.get('state', saved))\n", True),
    "in a shape that nobody sees": (READ + "bare.load_state_dict(convert(saved))\n", True),
}
KEPT_AS = ["{'state': net.state_dict()}", "dict(state=net.state_dict(), epoch=1)"]


@pytest.mark.parametrize("saved", KEPT_AS)
@pytest.mark.parametrize(("load", "reported"), SHAPES.values(), ids=SHAPES)
def test_a_file_that_is_a_state_dict_itself_is_not_one_that_holds_it_under_a_key(
    project_of: ProjectOf, saved: str, load: str, reported: bool
) -> None:
    train = f"{TRAIN}{RESUME}torch.save({saved}, args.out)\n"
    demo = f"{HEAD}{OPTIONS}from lib import convert\nbare = Net()\n{load}"

    assert grade_of(project_of({"net.py": NET, "main.py": train, "demo.py": demo})) == (
        "error" if reported else "warning"
    )


def test_a_state_dict_that_is_saved_as_it_is_may_be_loaded_whole(project_of: ProjectOf) -> None:
    train = TRAIN + RESUME.replace("['state']", "") + "torch.save(net.state_dict(), args.out)\n"
    demo = HEAD + OPTIONS + "bare = Net()\nbare.load_state_dict(torch.load(args.weights))\n"

    assert grade_of(project_of({"net.py": NET, "main.py": train, "demo.py": demo})) == "error"


COPYING = """
def strip(state, prefix):
    return {{key.replace(prefix, ''): value for key, value in state.items()}}
def copy(own, saved):
    for key in own:
        own[key] = saved[key]
def load(net, saved):
    own = net.state_dict()
    saved = {taken}
    copy(own, saved)
    net.load_state_dict(own)
"""


@pytest.mark.parametrize(("taken", "reported"), [("strip(saved, 'module.')", False), ("dict(saved)", True)])
def test_what_is_copied_into_the_modules_own_state_dict_is_loaded_into_it(
    project_of: ProjectOf, taken: str, reported: bool
) -> None:
    demo = "from lib import load\nload(Net(), torch.load(args.weights)['state'])\n"

    assert graded(project_of, RESUME, demo=demo, lib=COPYING.format(taken=taken)) == ("error" if reported else "")


NUMBERED = [
    "f'results/epoch_{epoch}.pt'",
    "'results/' + f'epoch_{epoch}.pt'",
    "args.out + '/epoch_' + str(epoch) + '.pt'",
    "args.out + '/epoch_%d.pt' % epoch",
    "os.path.join(args.out, 'epoch_{}.pt'.format(epoch))",
    "folder + f'epoch_{epoch}.pt'",
]
OTHER_FILES = [
    "f'{folder}/cfm_v1.pt'",
    "'epoch_1.pth'",
    "folder + f'best_{args.name}.pt'",
    "f'{folder}/last_{epoch}.pt'",
]
MAYBE_THESE = [
    "'results/epoch_1.pt'",
    "args.out + '/epoch_1.pt'",
    "f'{folder}{args.name}.pt'",
    "args.path",
    "folder + name",
]


def loads_bare(project_of: ProjectOf, saved: str, loaded: str) -> bool:
    """Tell whether saves of a wrapper under a path are reported where one reads them bare under another."""
    save = f"folder, epoch = 'results/', 1\ntorch.save({{'state': net.state_dict()}}, {saved})\n"
    demo = f"folder, epoch = 'models/', 1\nbare = Net()\nbare.load_state_dict(torch.load({loaded})['state'])\n"
    main = TRAIN + RESUME + save
    return grade_of(project_of({"net.py": NET, "main.py": main, "demo.py": HEAD + OPTIONS + demo})) == "error"


@pytest.mark.parametrize("saved", NUMBERED)
@pytest.mark.parametrize("loaded", OTHER_FILES)
def test_a_file_that_is_called_otherwise_is_another_one(project_of: ProjectOf, saved: str, loaded: str) -> None:
    assert not loads_bare(project_of, saved, loaded)


@pytest.mark.parametrize("saved", NUMBERED)
@pytest.mark.parametrize("loaded", MAYBE_THESE)
def test_a_file_that_may_be_called_so_may_be_this_one(project_of: ProjectOf, saved: str, loaded: str) -> None:
    assert loads_bare(project_of, saved, loaded)


OF_SEVERAL = """
    nets = {{"net": {made}, "other": Other()}}
    torch.save({{name: one.state_dict() for name, one in nets.items()}}, "nets.pt")
    """


@pytest.mark.parametrize(("made", "grade"), [("nn.DataParallel(Net())", "error"), ("Net()", "")])
def test_the_state_dicts_of_several_modules_are_told_from_the_modules(
    project_of: ProjectOf, made: str, grade: str
) -> None:
    project = project_of({"net.py": NET, "main.py": HEAD + dedent(OF_SEVERAL).format(made=made)})

    assert grade_of(project) == grade
    assert not any("pickles" in finding.message for finding in project.findings(RULE))


FILLED_STRIPPED = "saved = torch.load(args.resume)['state']\nnet = {made}\nnet.load_state_dict({{{key}: v for k, v in saved.items()}})\n"
CUTS = ("k.partition('module.')[2]", "k.replace('module.', '')", "k[7:]")
# What fills a module that nobody sees is prepared for what the project saves; what fills another module is not.
FILLS = {
    "build_model(args)": "",
    "net.make(args)": "",
    "zoo.Renamed()": "",
    "Net()": "",
    "Other()": "error",
}


@pytest.mark.parametrize("key", CUTS)
@pytest.mark.parametrize(("made", "grade"), FILLS.items())
def test_who_takes_the_prefix_off_for_a_module_out_of_sight_knows_who_put_it_on(
    project_of: ProjectOf, made: str, grade: str, key: str
) -> None:
    evaluate = "from models import build_model\nimport zoo\n" + FILLED_STRIPPED.format(made=made, key=key)

    assert graded(project_of, "", evaluate=evaluate, zoo="class Small(nn.Module): ...\n") == grade


KEPT = """
import torch
from torch import nn
class Trainer:
    def __init__(self, parallel, wide):
        self.parallel, self.wide = parallel, wide
        self.model = nn.Linear(2, 2)
        if self.parallel:
            self.model = nn.DataParallel(self.model)
    def save(self, path):
        if {test}:
            torch.save(self.model.state_dict(), path)
"""


@pytest.mark.parametrize(
    "test", ["not self.parallel", "path and not self.parallel", "not (self.parallel or self.wide)"]
)
def test_what_is_saved_where_nothing_is_wrapped_has_no_prefix(project_of: ProjectOf, test: str) -> None:
    assert grade_of(project_of({"main.py": KEPT.format(test=test)})) == ""


@pytest.mark.parametrize("test", ["self.parallel", "not self.wide", "path"])
def test_what_is_saved_where_something_may_be_wrapped_may_have_one(project_of: ProjectOf, test: str) -> None:
    assert grade_of(project_of({"main.py": KEPT.format(test=test)})) == "error"


NESTED = "torch.save({'generator': {'model': net.state_dict()}}, args.out)\n"
PUT_BACK = "net.load_state_dict(torch.load(args.resume)['generator']['model'])\n"
ELSEWHERE = "def restore(it):\n    saved = torch.load(args.weights)\n    it.load_state_dict({state})\n"


@pytest.mark.parametrize(
    ("state", "grade"),
    [("saved['model']", "warning"), ("saved['generator']['model']", "error"), ("saved[args.part]['model']", "error")],
)
def test_what_is_at_the_top_of_one_file_is_not_within_another(project_of: ProjectOf, state: str, grade: str) -> None:
    files = {"net.py": NET, "main.py": TRAIN + PUT_BACK + NESTED}
    files["other.py"] = HEAD + OPTIONS + ELSEWHERE.format(state=state)

    assert grade_of(project_of(files)) == grade


WHOLE = "net.load_state_dict(torch.load(args.resume))\ntorch.save(net.state_dict(), args.out)\n"


@pytest.mark.parametrize(
    ("state", "grade"),
    [("torch.load(path)['policy']", "warning"), ("torch.load(path)", "error"), ("torch.load(path)['a.b']", "error")],
)
def test_a_file_that_is_a_state_dict_has_no_items_of_other_names(project_of: ProjectOf, state: str, grade: str) -> None:
    other = f"def start(it, path):\n    it.load_state_dict({state})\n"

    assert grade_of(project_of({"net.py": NET, "main.py": TRAIN + WHOLE, "other.py": HEAD + other})) == grade


CHOSEN = """
import torch
from torch import nn
def run(net, path, gpus):
    if gpus == 0:
        def state():
            return {bare}.state_dict()
    elif gpus > 1:
        net = nn.DataParallel(net)
        def state():
            return {wrapped}.state_dict()
    else:
        def state():
            return {bare}.state_dict()
    torch.save(state(), path)
run(nn.Linear(2, 2), "net.pt", torch.cuda.device_count())
"""


@pytest.mark.parametrize(("wrapped", "grade"), [("net.module", ""), ("net", "error")])
def test_a_function_reads_what_its_own_path_has_left(project_of: ProjectOf, wrapped: str, grade: str) -> None:
    checkout = project_of({"main.py": CHOSEN.format(bare="net", wrapped=wrapped)})

    assert grade_of(checkout) == grade
    assert len(checkout.findings(RULE)) == bool(grade)
    assert checkout.findings("maybe-unwrapped-module") == []


def test_a_function_of_another_path_takes_off_no_wrapper(project_of: ProjectOf) -> None:
    checkout = project_of({"main.py": CHOSEN.format(bare="net.module", wrapped="net.module")})

    assert len(checkout.findings("maybe-unwrapped-module")) == 2


RETRIED = """\
import torch
from torch import nn

def strip(state):
    return {{k[len("module."):]: v for k, v in state.items()}}

def load(path):
    net, state = nn.Linear(2, 2), torch.load(path)
    try:
        net.load_state_dict(state)
    {handler}
    return net

def train():
    net = nn.DataParallel(nn.Linear(2, 2)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.randn(2, 2).cuda()).sum().backward()
    optimizer.step()
    torch.save(net.state_dict(), "net.pth")

train()
load("net.pth")
"""


@pytest.mark.parametrize(
    ("handler", "reported"),
    [
        ("except RuntimeError:\n        net.load_state_dict(strip(state))", False),
        ("except Exception as error:\n        state = strip(state)\n        net.load_state_dict(state)", False),
        ("except:\n        net.load_state_dict(strip(state), strict=False)", False),
        ("except RuntimeError:\n        net.load_state_dict(state, strict=False)", True),
        ("except RuntimeError:\n        print('not loaded')", True),
        ("except KeyError:\n        net.load_state_dict(strip(state))", True),
        ("finally:\n        print('loaded')", True),
    ],
)
def test_a_load_that_is_done_again_without_the_prefix_may_fail(
    program: Callable[[str], Checkout], handler: str, reported: bool
) -> None:
    assert bool(program(RETRIED.format(handler=handler)).reported(RULE)) is reported
