"""What the project loads the checkpoints of wrappers into decides how grave they are."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rules.parallel.putting_back import HEAD, NET, OPTIONS, RESUME, RULE, SAVE, TRAIN, ProjectOf, grade_of, graded

LOADS_ITSELF = "class Kept(Net):\n    def load(self):\n        self.load_state_dict(torch.load(self.file)['state'])\nKept().load()\n"
SAVES_ITSELF = LOADS_ITSELF.replace(
    "Kept()", "    def save(self):\n        torch.save({'state': self.state_dict()}, self.file)\nKept()"
)
BACK = {
    "the wrapper itself": RESUME,
    "in steps": "saved = torch.load(args.resume)\nstate = saved['state']\nnet.load_state_dict(state)\n",
    "asked by get": "net.load_state_dict(torch.load(args.resume).get('state'), strict=False)\n",
    "by a function": "def resume(model):\n    model.load_state_dict(torch.load(args.resume)['state'])\nresume(net)\n",
    "with the optimizer": "optimizer = torch.optim.SGD(net.parameters(), 0.1)\nsaved = torch.load(args.resume)\n"
    "optimizer.load_state_dict(saved['optimizer'])\nnet.load_state_dict(saved['state'])\n",
    "beside something unknown under another key": RESUME
    + "def more(it):\n    it.load_state_dict(torch.load(args.resume)['ema'])\n",
    "beside a reader of the epoch": RESUME
    + "def start(path):\n    saved = torch.load(path)\n    epoch = saved['epoch']\n    return epoch\nstart(args.resume)\n",
    "beside another that asks": RESUME + "start = torch.load(args.resume).get('epoch', 0) + 1\nprint(start)\n",
    "another model bare": RESUME + "other = Other()\nother.load_state_dict(torch.load(args.teacher))\n",
    "beside a module that loads what it saves": RESUME + SAVES_ITSELF,
    "beside one of which nobody sees what it loads": RESUME
    + "def restore(read):\n    read(torch.load(args.weights)['state'])\n",
    "beside a reader of all": RESUME + "saved = torch.load(args.resume)\nprint(saved['epoch'], saved)\n",
    "beside something unknown from a file of its own": RESUME
    + "def teach(it):\n    it.load_state_dict(torch.load(args.teacher))\n",
    "beside a teacher that another package makes": "from timm import create_model\nteacher = create_model(args.teacher)\n"
    "saved = torch.load(args.weights)\nsaved = saved['model'] if 'model' in saved else saved\n"
    "teacher.load_state_dict(saved)\n" + RESUME,
    "beside an argument that is filled with what has another key": RESUME
    + "def teach(it):\n    weights = torch.load(args.teacher)['model']\n    it.load_state_dict(weights)\n",
    "another file bare": RESUME + "bare = Net()\nbare.load_state_dict(torch.load('pretrained/imagenet.pt'))\n",
}


@pytest.mark.parametrize("resume", BACK.values(), ids=BACK)
def test_what_is_only_put_back_into_the_wrapper_is_a_warning(project_of: ProjectOf, resume: str) -> None:
    assert graded(project_of, resume) == "warning"


BARE = {
    "no load": "",
    "inside the wrapper": "net.module.load_state_dict(torch.load(args.resume)['state'])\n",
    "only the optimizer": "optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
    "optimizer.load_state_dict(torch.load(args.resume)['optimizer'])\n",
    "another model": "other = nn.DataParallel(Other())\nother.load_state_dict(torch.load(args.resume)['state'])\n",
    "also a module that loads what somebody saved": RESUME + LOADS_ITSELF,
    "also a bare one": RESUME + "bare = Net()\nbare.load_state_dict(torch.load(args.weights)['state'])\n",
    "the same file into a bare one": RESUME
    + "bare = Net()\nbare.load_state_dict(torch.load(args.out + '/last.pt')['state'])\n",
    "also something unknown": RESUME + "def restore(it):\n    it.load_state_dict(torch.load(args.weights)['state'])\n",
    "compiled": "again = torch.compile(Net())\nagain.load_state_dict(torch.load(args.resume)['state'])\n",
}


@pytest.mark.parametrize("resume", BARE.values(), ids=BARE)
def test_what_may_go_into_a_bare_module_is_reported(project_of: ProjectOf, resume: str) -> None:
    assert graded(project_of, resume) == "error"


def test_a_demo_that_loads_the_bare_model_makes_it_reported(project_of: ProjectOf) -> None:
    demo = "net = Net()\nnet.load_state_dict(torch.load(args.weights)['state'])\n"

    assert graded(project_of, RESUME, demo=demo) == "error"


def test_programs_that_all_wrap_before_they_load_agree(project_of: ProjectOf) -> None:
    demo = "net = nn.DataParallel(Net())\nnet.load_state_dict(torch.load(args.weights))\nnet = net.module\n"

    assert graded(project_of, "", demo=demo, evaluate=demo) == "warning"


STRIPPING = """
    def read(path):
        saved = torch.load(path)['state']
        return {key.replace('module.', ''): value for key, value in saved.items()}
    net = Net()
    net.load_state_dict(read(args.weights))
    """


def test_a_loader_that_takes_the_prefix_off_is_no_bare_load(project_of: ProjectOf) -> None:
    assert graded(project_of, RESUME, demo=STRIPPING) == ""


LIBRARY = """
import torch
from torch import nn
from net import Net
def restore(path):
    net = Net()
    state = torch.load(path)['state']
    net.load_state_dict({taken})
    return net
def train(net, path):
    net = nn.DataParallel(net)
    torch.save({{'state': net.state_dict()}}, path)
"""


@pytest.mark.parametrize(
    ("taken", "reported"), [("{key[len('module.'):]: value for key, value in state.items()}", False), ("state", True)]
)
def test_who_takes_the_prefix_off_what_he_is_given_knows_of_it(
    project_of: ProjectOf, taken: str, *, reported: bool
) -> None:
    files = {"net.py": NET, "main.py": LIBRARY.format(taken=taken)}

    assert grade_of(project_of(files)) == ("error" if reported else "")


def test_a_word_elsewhere_in_the_loaders_file_strips_nothing(project_of: ProjectOf) -> None:
    word = "print('module.')\ndef run():\n    net = Net()\n    net.load_state_dict(torch.load(args.weights)['state'])\n"

    assert graded(project_of, RESUME, demo=word) == "error"


METHODS = """
import torch
from torch import nn
class Backbone(nn.Module):
    def load_param(self, path):
        saved = torch.load(path)
        for key in saved:
            self.state_dict()[key].copy_(saved[key])
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = Backbone()
        self.base.load_param('imagenet.pth')
    def load_param(self, path):
        saved = torch.load(path)
        for key in saved:
            self.state_dict()[key{taken}].copy_(saved[key])
    def load_param_finetune(self, path):
        saved = torch.load(path)
        for key in saved:
            self.state_dict()[key].copy_(saved[key])
"""
TRAINED = """
import argparse, torch
from torch import nn
from net import Model
args = argparse.ArgumentParser().parse_args()
def train(model):
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    torch.save(model.state_dict(), args.out + '/last.pth')
train(Model())
tested = Model()
tested.load_param(args.weights)
"""


@pytest.mark.parametrize(("taken", "grade"), [(".replace('module.', '')", ""), ("", "error")])
def test_a_method_that_fills_its_own_state_decides_and_one_that_nobody_calls_does_not(
    project_of: ProjectOf, taken: str, grade: str
) -> None:
    files = {"net.py": METHODS.replace("{taken}", taken), "main.py": TRAINED}

    assert grade_of(project_of(files)) == grade


CHECKPOINTER = """
import torch
class Checkpointer:
    def __init__(self, model, folder):
        self.model, self.folder = model, folder
    def save(self, name):
        torch.save({'model': self.model.state_dict()}, f'{self.folder}/{name}.pth')
    def load(self, path):
        checkpoint = self._read(path)
        fill(self.model, checkpoint.pop('model'))
    def _read(self, path):
        return torch.load(path, map_location='cpu')
def strip(state, prefix):
    if not all(key.startswith(prefix) for key in state):
        return state
    return {key.replace(prefix, ''): value for key, value in state.items()}
def fill(model, state):
    own = model.state_dict()
    own.update(strip(state, prefix='module.'))
    model.load_state_dict(own)
"""


def test_a_checkpointer_that_removes_the_prefix_outweighs_a_load_of_something_unknown(project_of: ProjectOf) -> None:
    train = HEAD + OPTIONS + "from checkpoint import Checkpointer\ndef backbone(it):\n"
    train += "    it.load_state_dict(torch.load(args.pretrained))\n"
    train += (
        "Checkpointer(nn.DataParallel(Net()), args.out).save('best')\nCheckpointer(Net(), args.out).load(args.resume)\n"
    )
    files = {"net.py": NET, "checkpoint.py": CHECKPOINTER, "main.py": train}

    assert grade_of(project_of(files), "checkpoint.py") == ""


KINDS = """
import torch
from torch import nn
class Small(nn.Module):
    def load(self, path):
        saved = torch.load(path)
        for key in saved:
            self.state_dict()[key].copy_(saved[key])
class Large(nn.Module):
    def load(self, path):
        saved = torch.load(path)
        for key in saved:
            self.state_dict()[key.replace('module.', '')].copy_(saved[key])
"""


def test_one_of_the_classes_that_loads_otherwise_does_not_speak_for_all(project_of: ProjectOf) -> None:
    main = "import argparse, torch\nfrom torch import nn\nfrom net import Small, Large\n" + OPTIONS
    main += "net = Small() if args.small else Large()\nwrapped = nn.DataParallel(net)\n"
    main += "torch.save(wrapped.state_dict(), args.out)\nnet.load(args.weights)\n"

    assert grade_of(project_of({"net.py": KINDS, "main.py": main})) == ""


STRIPS = {
    "a test for the word and a split": "def strip(state):\n    start = 1 if list(state)[0].startswith('module') else 0\n"
    "    return {'.'.join(key.split('.')[start:]): value for key, value in state.items()}\n",
    "a cut by length": "def strip(state):\n    return {key[7:]: value for key, value in state.items()}\n",
    "a split in two": "def strip(state):\n    return {key.split('.', 1)[1]: value for key, value in state.items()}\n",
    "a split in two by name": "def strip(state):\n"
    "    return {key.split('.', maxsplit=1)[-1]: value for key, value in state.items()}\n",
    "a partition": "def strip(state):\n    return {key.partition('.')[2]: value for key, value in state.items()}\n",
    "removeprefix": "def strip(state):\n    return {key.removeprefix('module.'): value for key, value in state.items()}\n",
    "a regular expression": "import re\ndef strip(state):\n"
    "    return {re.sub(r'^module\\.', '', key): value for key, value in state.items()}\n",
}
LOADS = {
    "in the call": "net.load_state_dict(strip(torch.load(args.weights)['state']))\n",
    "before the call": "state = strip(torch.load(args.weights)['state'])\nnet.load_state_dict(state)\n",
    "where it is read": "def read():\n    return strip(torch.load(args.weights)['state'])\nnet.load_state_dict(read())\n",
    "kept by an object": "class Demo:\n    def __init__(self):\n        self.saved = torch.load(args.weights)\n"
    "    def run(self):\n        net = Net()\n        net.load_state_dict(strip(self.saved['state']))\n",
}


@pytest.mark.parametrize("strip", STRIPS.values(), ids=STRIPS)
def test_a_helper_of_another_file_takes_the_prefix_off(project_of: ProjectOf, strip: str) -> None:
    demo = f"from lib import strip\nnet = Net()\n{LOADS['in the call']}"

    assert graded(project_of, RESUME, demo=demo, lib=strip) == ""


@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS)
def test_a_helper_on_the_way_takes_the_prefix_off(project_of: ProjectOf, load: str) -> None:
    demo = f"from lib import strip\nnet = Net()\n{load}"

    assert graded(project_of, RESUME, demo=demo, lib=STRIPS["a cut by length"]) == ""


NOT_STRIPPING = {
    "another cut": "def strip(state):\n    return {key[6:]: value for key, value in state.items()}\n",
    "the last part": "def strip(state):\n    return {key.split('.')[-1]: value for key, value in state.items()}\n",
    "all but the last part": "def strip(state):\n"
    "    return {'.'.join(key.split('.')[:-1]): value for key, value in state.items()}\n",
    "another prefix": "def strip(state):\n    return {key.removeprefix('net.'): value for key, value in state.items()}\n",
}


@pytest.mark.parametrize("strip", NOT_STRIPPING.values(), ids=NOT_STRIPPING)
def test_a_helper_that_leaves_the_prefix_does_not_help(project_of: ProjectOf, strip: str) -> None:
    demo = f"from lib import strip\nnet = Net()\n{LOADS['in the call']}"

    assert graded(project_of, RESUME, demo=demo, lib=strip) == "error"


def test_a_helper_that_is_not_on_the_way_does_not_help(project_of: ProjectOf) -> None:
    demo = (
        "from lib import strip\nnet = Net()\nother = Other()\nother.load_state_dict(strip(torch.load(args.teacher)))\n"
    )
    demo += "net.load_state_dict(torch.load(args.weights)['state'])\n"

    assert graded(project_of, RESUME, demo=demo, lib=STRIPS["a cut by length"]) == "error"


@pytest.mark.parametrize(("made", "reported"), [("Net()", False), ("{'a': Net, 'b': Other}[args.name]()", True)])
def test_a_helper_that_strips_for_any_model_says_nothing_of_this_one(
    project_of: ProjectOf, made: str, reported: bool
) -> None:
    demo = f"from lib import strip\nnet = {made}\n{LOADS['in the call']}"

    assert graded(project_of, RESUME, demo=demo, lib=STRIPS["removeprefix"]) == ("error" if reported else "")


DETECTOR = """
    class Detector:
        def __init__(self, given):
            self.model = {model}
        def load_weight(self, path):
            self.model.load_state_dict(torch.load(path)['state'], strict=False)
    """


@pytest.mark.parametrize(("model", "reported"), [("make(given).build()", False), ("given", True)])
def test_what_a_program_makes_out_of_sight_is_another_model(project_of: ProjectOf, model: str, reported: bool) -> None:
    assert graded(project_of, RESUME, demo=DETECTOR.format(model=model)) == ("error" if reported else "warning")


def test_what_is_made_out_of_sight_may_be_a_model_of_which_nobody_knows_the_class(project_of: ProjectOf) -> None:
    train = "net = nn.DataParallel(make(args.name))\n" + RESUME

    assert graded(project_of, train, demo=DETECTOR.format(model="make(given)")) == "error"


MAYBE_WRAPPED = {
    "by an option": "again = Net()\nif args.parallel:\n    again = nn.DataParallel(again)\n",
    "by the number of GPUs": "again = Net()\nif torch.cuda.device_count() > 1:\n    again = nn.DataParallel(again)\n",
    "or by a class of its own": "class Own(nn.Module):\n    def __init__(self, module):\n        super().__init__()\n"
    "        self.module = module\nagain = Own(Net()) if args.own else nn.DataParallel(Net())\n",
    "or a part of it": "again = Net()\nif args.arch.startswith('vgg'):\n"
    "    again.features = nn.DataParallel(again.features)\nelse:\n    again = nn.DataParallel(again)\n",
}


@pytest.mark.parametrize("made", MAYBE_WRAPPED.values(), ids=MAYBE_WRAPPED)
def test_a_module_that_may_be_wrapped_is_one_that_the_project_puts_it_back_into(
    project_of: ProjectOf, made: str
) -> None:
    assert graded(project_of, made + "again.load_state_dict(torch.load(args.resume)['state'])\n") == "warning"


BARE_DEMO = "bare = Net()\nbare.load_state_dict(torch.load(args.weights)['state'])\n"
NEEDING = {
    "a wrapper": "net = nn.DataParallel(Net())\nnet.load_state_dict(torch.load(args.weights)['state'])\n",
    "a key": "def run():\n    saved = torch.load(args.weights)['state']\n    net = Net()\n"
    "    print(saved['module.head.weight'])\n    net.load_state_dict(saved)\n",
    "a cut": "def run():\n    net = Net()\n    saved = torch.load(args.weights)['state']\n"
    "    net.load_state_dict({key[7:]: value for key, value in saved.items()})\n",
}
INDIFFERENT = {
    "nothing": "",
    "another model": "net = nn.DataParallel(Other())\nnet.load_state_dict(torch.load(args.weights)['state'])\n",
    "a prefix that may be there": "def run():\n    net = Net()\n    saved = torch.load(args.weights)['state']\n"
    "    net.load_state_dict({key.removeprefix('module.'): value for key, value in saved.items()})\n",
    "a cut where the prefix is": "def run():\n    net = Net()\n    saved = torch.load(args.weights)['state']\n"
    "    net.load_state_dict({key[7 if key.startswith('module') else 0:]: value for key, value in saved.items()})\n",
}


def fixes(project_of: ProjectOf, other: str) -> list[bool]:
    demo, other = HEAD + OPTIONS + BARE_DEMO, HEAD + OPTIONS + other
    project = project_of({"net.py": NET, "main.py": TRAIN + RESUME + SAVE + "\n", "demo.py": demo, "other.py": other})
    return [finding.fix is not None for finding in project.findings(RULE)]


@pytest.mark.parametrize("other", NEEDING.values(), ids=NEEDING)
def test_nothing_is_mended_where_another_file_needs_the_prefix(project_of: ProjectOf, other: str) -> None:
    assert fixes(project_of, other) == [False]


@pytest.mark.parametrize("other", INDIFFERENT.values(), ids=INDIFFERENT)
def test_what_nobody_needs_the_prefix_of_is_unwrapped(project_of: ProjectOf, other: str) -> None:
    assert fixes(project_of, other) == [True]


RESTART = """
    def restart(path, **objects):
        saved = torch.load(path)
        for key, value in objects.items():
            value.load_state_dict(saved[key])
    """


@pytest.mark.parametrize(("name", "reported"), [("last.pt", True), ("best.pt", False)])
def test_the_callers_of_a_loader_are_told_apart_by_the_files_that_they_name(
    project_of: ProjectOf, name: str, reported: bool
) -> None:
    resume = "from lib import restart\nrestart(os.path.join(args.out, 'last.pt'), state=net)\n"
    demo = f"from lib import restart\nrestart(os.path.join(args.out, '{name}'), state=Net())\n"

    assert graded(project_of, resume, demo=demo, lib=RESTART) == ("error" if reported else "warning")


@pytest.mark.parametrize(("names", "reported"), [("state=net, teacher=bare", False), ("state=bare, net=net", True)])
def test_objects_are_told_apart_by_the_keys_that_they_are_restored_from(
    project_of: ProjectOf, names: str, reported: bool
) -> None:
    resume = f"from lib import restart\nbare = Net()\nrestart(os.path.join(args.out, 'last.pt'), {names})\n"

    assert graded(project_of, resume, lib=RESTART) == ("error" if reported else "warning")


def test_a_wrapper_pickled_whole_is_reported_whoever_resumes(project_of: ProjectOf) -> None:
    project = project_of({"net.py": NET, "main.py": TRAIN + RESUME + "torch.save(net, 'net.pt')\n"})

    assert project.reported(RULE) == ["torch.save(net, 'net.pt')"]


OPTIONAL = HEAD + dedent("""
    class Experiment:
        def __init__(self, args, models):
            self.net = self._build(args, models).to(args.device)

        def _build(self, args, models):
            net = models[args.model](args)
            {wrapped}
            return net

        def resume(self):
            self.net.load_state_dict(torch.load("last.pt"))

        def save(self):
            torch.save(self.net.state_dict(), "last.pt")
    """)


@pytest.mark.parametrize("wrapped", ["if args.parallel: net = nn.DataParallel(net)", "net = nn.DataParallel(net)"])
def test_a_wrapper_of_an_unknown_class_is_put_back_where_it_is_loaded_again(
    project_of: ProjectOf, wrapped: str
) -> None:
    project = project_of({"net.py": NET, "main.py": OPTIONAL.format(wrapped=wrapped)})

    assert grade_of(project) == "warning"


UNKNOWN = "import argparse, torch\nfrom torch import nn\nfrom torchvision import models\n" + OPTIONS
UNKNOWN += "net = models.__dict__[args.arch]()\n"
WRAPPED = UNKNOWN + f"net = nn.DataParallel(net)\n{RESUME}torch.save({{'state': net.state_dict()}}, args.out)\n"
PLAIN = UNKNOWN + "net.load_state_dict(torch.load(args.resume)['state'])\n"
SAVING = PLAIN + "torch.save({'state': net.state_dict()}, args.out)\n"


def test_each_program_of_a_repository_reads_what_it_saves_itself(project_of: ProjectOf) -> None:
    project = project_of({"pruning/main.py": WRAPPED, "distilling/main.py": SAVING, "distilling/tools.py": "A = 1\n"})

    assert grade_of(project, "pruning/main.py") == "warning"


NEIGHBOURS = {
    "beside it": {"pruning/main.py": WRAPPED, "pruning/demo.py": SAVING},
    "below it": {"pruning/main.py": WRAPPED, "pruning/tools/demo.py": SAVING},
    "above it": {"pruning/main.py": WRAPPED, "demo.py": SAVING},
    "in a program that saves nothing": {"pruning/main.py": WRAPPED, "demos/main.py": PLAIN},
    "in a program with a file in common": {
        "pruning/main.py": WRAPPED + "from common.log import log\n",
        "demos/main.py": SAVING + "from common.log import log\n",
        "common/__init__.py": "",
        "common/log.py": "def log(): ...\n",
    },
    "in a program that may import any file": {
        "pruning/main.py": WRAPPED,
        "demos/main.py": SAVING + "import importlib\nimportlib.import_module(args.module)\n",
    },
}


@pytest.mark.parametrize("files", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_a_neighbour_may_read_what_another_saves(project_of: ProjectOf, files: dict[str, str]) -> None:
    assert grade_of(project_of(files), "pruning/main.py") == "error"


STRIPPED = """
    if args.pretrained:
        start = torch.load(args.pretrained)['state']
        net.load_state_dict({key[len('module.'):]: value for key, value in start.items()})
"""
RESUMED = """
    if args.resume:
        saved = torch.load(args.resume)
        net.load_state_dict(saved['state'])
"""
CHOSEN = """
    if args.pretrained:
        saved = torch.load(args.pretrained)
    else:
        saved = torch.load(args.resume)
    net.load_state_dict({key.replace('module.', ''): value for key, value in saved['state'].items()})
"""
TOGETHER = """
    start = torch.load(args.pretrained)['state']
    saved = torch.load(args.resume)['state']
    for state in start, saved:
        net.load_state_dict({key.replace('module.', ''): value for key, value in state.items()})
"""
MANY = "def run(net):\n    if args.many:\n        net = nn.DataParallel(net)\n"
SAVED = f"    {SAVE}\nrun(Net())\n"
ONE_PROGRAM = {
    "one file is prepared for, and not the other": (STRIPPED + RESUMED, "warning"),
    "one file": (STRIPPED, ""),
    "either file, at one place": (CHOSEN, ""),
    "both files, in a loop": (TOGETHER, ""),
}


@pytest.mark.parametrize(("loads", "grade"), ONE_PROGRAM.values(), ids=ONE_PROGRAM)
def test_the_prefix_is_taken_off_the_file_that_is_read_there(project_of: ProjectOf, loads: str, grade: str) -> None:
    project = project_of({"net.py": NET, "main.py": HEAD + OPTIONS + MANY + loads + SAVED})

    assert grade_of(project) == grade


def test_a_program_that_is_prepared_for_one_file_resumes_its_own(project_of: ProjectOf) -> None:
    linear = MANY + STRIPPED + RESUMED + SAVED.replace("last.pt", "linear.pt")

    assert graded(project_of, RESUME, linear=linear) == ""
    assert graded(project_of, RESUME, linear=MANY + RESUMED + SAVED) == "warning"


def test_keys_that_are_only_printed_are_not_renamed(project_of: ProjectOf) -> None:
    shown = "def show(state):\n    print([key for key in state if key.startswith('module.')])\nshow(net.state_dict())\n"

    assert graded(project_of, shown) == "error"
