"""Options of the command line: their values by default."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import ANYWHERE, WITHOUT_CUDA

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

DECLARED = {
    "a default": ("add_argument('--device', default='cuda')", ["cuda"]),
    "none": ("add_argument('--device')", [None]),
    "store_true": ("add_argument('--device', action='store_true')", [False]),
    "store_false": ("add_argument('--device', action='store_false')", [True]),
    "a short name": ("add_argument('-d', '--device', default='cuda')", ["cuda"]),
    "dest": ("add_argument('--where', dest='device', default='cuda')", ["cuda"]),
    "a dash": ("add_argument('--device', type=str, default='cu' + 'da')", ["cuda"]),
    "a group": ("add_argument_group('x').add_argument('--device', default='cuda')", ["cuda"]),
    "positional": ("add_argument('device')", ["Unknown"]),
}  # fmt: skip


@pytest.mark.parametrize(("declaration", "expected"), DECLARED.values(), ids=DECLARED)
def test_an_option_is_its_default(program: Program, declaration: str, expected: list[object]) -> None:
    code = f"import argparse\nparser = argparse.ArgumentParser()\nparser.{declaration}\nargs = parser.parse_args()\n"

    project = program(f"{code}use(args.device)\n")

    assert project.literals("args.device", world=WITHOUT_CUDA) == expected


def test_with_any_options_it_may_be_something_else(program: Program) -> None:
    code = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        use(args.device)
        """

    assert program(dedent(code)).literals("args.device", world=ANYWHERE) == ["Unknown", "cuda"]


@pytest.mark.parametrize("read", ["table[args.model]", "table.get(args.model)"])
@pytest.mark.parametrize(("default", "expected"), [("a", [1]), ("gone", [1, 2])], ids=["a key", "no key"])
def test_a_default_that_a_table_lacks_stands_for_any_of_its_keys(
    program: Program, read: str, default: str, expected: list[object]
) -> None:
    code = f"table = {{'a': 1, 'b': 2}}\nparser.add_argument('--model', default='{default}')\nuse({read})\n"

    assert program(code).literals(read) == expected


def test_a_constant_that_a_table_lacks_is_nobodys_choice(program: Program) -> None:
    code = "table = {'a': 1, 'b': 2}\nuse(table['gone'])\n"

    assert program(code).literals("table['gone']") == ["Unknown"]


def test_what_the_program_puts_there_comes_before_the_default(program: Program) -> None:
    code = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        args.device = "cpu"
        use(args.device)
        """

    assert program(dedent(code)).literals("args.device", world=WITHOUT_CUDA) == ["cpu"]


def test_the_default_is_found_in_another_file(project_of: ProjectOf) -> None:
    project = project_of({
        "options.py": "def add(parser):\n    parser.add_argument('--device', default='cuda')\n",
        "main.py": "def main(args):\n    use(args.device)\n",
    })  # fmt: skip

    assert project.literals("args.device", world=WITHOUT_CUDA) == ["cuda"]


def test_the_files_own_declaration_comes_first(project_of: ProjectOf) -> None:
    project = project_of({
        "other.py": "parser.add_argument('--device', default='cuda')\n",
        "main.py": "parser.add_argument('--device', default='cpu')\ndef main(args):\n    use(args.device)\n",
    })  # fmt: skip

    assert project.literals("args.device", world=WITHOUT_CUDA) == ["cpu"]


def test_what_is_not_called_like_options_is_none(program: Program) -> None:
    code = "parser.add_argument('--device', default='cuda')\ndef main(model):\n    use(model.device)\n"

    assert program(code).literals("model.device", world=WITHOUT_CUDA) == ["Unknown"]


def test_the_environment_is_untouched(program: Program) -> None:
    code = "import os\nrank = int(os.environ.get('LOCAL_RANK', -1))\nuse(rank)\n"

    assert program(code).literals("rank", world=WITHOUT_CUDA) == [-1]


def test_a_setting_of_yacs_is_its_default(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "defaults.py": "from yacs.config import CfgNode\n_C = CfgNode()\n_C.NUM_GPUS = 1\n",
            "main.py": "def train(cfg, x):\n    if cfg.NUM_GPUS:\n        x.cuda()\n",
        }
    )

    assert project.literals("cfg.NUM_GPUS", world=WITHOUT_CUDA) == [1]
    assert project.reported("hardcoded-cuda") == ["x.cuda()"]


SETTINGS = """\
import torch
from {module} import {maker}
cfg = {maker}()
cfg.DEVICE = 'cuda'
def defaults():
    return cfg.clone()
"""


@pytest.mark.parametrize(
    ("module", "maker", "is_reported"),
    [("yacs.config", "CfgNode", True), ("easydict", "EasyDict", True), ("lib.nodes", "Node", False)],
)
def test_what_is_set_in_an_object_for_settings_is_their_default(
    project_of: ProjectOf, module: str, maker: str, is_reported: bool
) -> None:
    project = project_of(
        {
            "defaults.py": SETTINGS.format(module=module, maker=maker),
            "main.py": "from defaults import defaults\ndef train(cfg, x):\n    x.to(cfg.DEVICE)\ntrain(defaults(), x)\n",
        }
    )

    assert project.reported("hardcoded-cuda", "defaults.py") == (["cfg.DEVICE = 'cuda'"] if is_reported else [])
    assert project.reported("hardcoded-cuda") == []


TRAINING = """
    import argparse, torch

    def train(args, model):
        return model.to(args.device)  # here

    def main(model, args):
        {fallback}
        train(args, model)

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--deterministic", action="store_true")
    main(torch.nn.Linear(4, 2), parser.parse_args())
    """
FALLBACKS = {
    "where there is none": ("if not torch.cuda.is_available(): args.device = 'cpu'", ["cpu"]),
    "where that is the device": (
        "if args.device == 'cuda' and not torch.cuda.is_available(): args.device = 'cpu'", ["cpu"],
    ),
    "in both cases": ("args.device = 'cuda' if torch.cuda.is_available() else 'cpu'", ["cpu"]),
    "where there is one": ("if torch.cuda.is_available(): args.device = 'cuda:1'", ["cuda"]),
    "for another reason": ("if args.deterministic: args.device = 'cpu'", ["cpu", "cuda"]),
    "where another device was chosen": ("if args.device == 'mps': args.device = 'cpu'", ["cuda"]),
}  # fmt: skip


@pytest.mark.parametrize(("fallback", "expected"), FALLBACKS.values(), ids=FALLBACKS)
def test_an_option_is_what_a_program_without_cuda_takes_instead(
    program: Program, fallback: str, expected: list[object]
) -> None:
    project = program(TRAINING.format(fallback=fallback))

    assert project.literals("args.device", mark="here", world=WITHOUT_CUDA) == expected


def test_a_helper_may_take_an_option_back(program: Program) -> None:
    code = """
        import argparse, torch

        def choose(args):
            if args.device == "cuda" and not torch.cuda.is_available():
                args.device = "cpu"

        def main(args):
            choose(args)
            torch.ones(3).to(args.device)  # last

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        main(parser.parse_args())
        """

    project = program(code)

    assert project.literals("args.device", mark="last", world=WITHOUT_CUDA) == ["cpu"]
    assert project.reported("hardcoded-cuda") == []


def test_what_one_program_stores_leaves_the_default_of_another(project_of: ProjectOf) -> None:
    project = project_of({
        "one.py": "parser.add_argument('--device', default='cuda:1')\nargs = parser.parse_args()\n"
        "args.device = 'cpu'\n",
        "other.py": "parser.add_argument('--device', default='cuda')\n",
        "train.py": "def train(args):\n    use(args.device)\n",
    })  # fmt: skip

    assert project.literals("args.device", "train.py", world=WITHOUT_CUDA) == ["cpu", "cuda"]


LIBRARY = "def evaluate(model, args):\n    return model.to(args.device)\n"
SCRIPT = """\
import argparse
{imported}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    run(args)

if __name__ == "__main__":
    main()
"""


def test_a_script_that_imports_a_file_brings_its_options_there(project_of: ProjectOf) -> None:
    project = project_of({"library.py": LIBRARY, "probe.py": SCRIPT.format(imported="import library as run")})

    assert project.literals("args.device", "library.py", world=WITHOUT_CUDA) == ["cuda"]
    assert project.reported("hardcoded-cuda", "probe.py") == ['parser.add_argument("--device", default="cuda")']


def test_a_script_may_import_by_others(project_of: ProjectOf) -> None:
    project = project_of({
        "library.py": LIBRARY,
        "between.py": "from library import evaluate as run\n",
        "probe.py": SCRIPT.format(imported="from between import run"),
    })  # fmt: skip

    assert project.literals("args.device", "library.py", world=WITHOUT_CUDA) == ["cuda"]


def test_an_option_is_nothing_to_files_that_its_script_never_imports(project_of: ProjectOf) -> None:
    project = project_of({"library.py": LIBRARY, "probe.py": SCRIPT.format(imported="run = print")})

    assert project.literals("args.device", "library.py", world=WITHOUT_CUDA) == ["Unknown"]
    assert project.reported("hardcoded-cuda", "probe.py") == []


BATCHES = "def batches(data, args):\n    if args.cuda:\n        data = data.cuda()\n    return data\n"
PROGRAM = """\
import argparse
from batches import batches
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action={action!r})
args = parser.parse_args()
{use}
"""
CALLED = "batches(range(9), args)"


@pytest.mark.parametrize(
    ("main", "other", "expected", "found"),
    [
        (CALLED, "", [True], ["data = data.cuda()"]),
        (CALLED, CALLED, [False, True], ["data = data.cuda()"]),
        ("", CALLED, [False], []),
        ("", "", [False, True], []),
    ],
    ids=["by one", "by both", "by the other", "by neither"],
)
def test_an_option_that_is_passed_on_is_that_of_the_program_which_passes_it(
    project_of: ProjectOf, main: str, other: str, expected: list[object], found: list[str]
) -> None:
    project = project_of({
        "batches.py": BATCHES,
        "main.py": PROGRAM.format(action="store_false", use=main),
        "other.py": PROGRAM.format(action="store_true", use=other),
    })  # fmt: skip

    assert project.literals("args.cuda", "batches.py", world=WITHOUT_CUDA) == expected
    assert project.reported("hardcoded-cuda", "batches.py") == found


CHOOSING = """
    import torch

    def is_available(device):
        kind = torch.device(device).type
        available = is_known = False
        if kind == "cuda":
            available, is_known = torch.cuda.is_available(), True
        elif kind == "cpu":
            available = is_known = True
        return available, is_known

    def choose(device="cuda"):
        kind, *index = device.split(":", maxsplit=1)
        available, is_known = is_available(kind)
        if not is_known:
            print("trying anyway")
        elif not available:
            device = "cpu"
        return dict(device=device, rank=0)

    def start(args):
        chosen = choose(device=getattr(args, "device", "cuda"))
        args.device = chosen["device"]
        return torch.device(args.device)  # chosen
    """
DECLARING = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--device', default='{}')\n"
TRAINING_WITH = """
    from options import parser
    from choosing import start

    def train(args, net):
        return net.to(args.device)

    def main():
        args = parser.parse_args()
        start(args)
        train(args, net)
    """


def test_a_fallback_may_go_through_tuples_and_dicts(project_of: ProjectOf) -> None:
    project = project_of({"choosing.py": CHOOSING})

    assert project.literals("args.device", "choosing.py", mark="chosen", world=WITHOUT_CUDA) == ["cpu"]
    assert project.reported("hardcoded-cuda", "choosing.py") == []


@pytest.mark.parametrize(("default", "found"), [("cuda", ["cpu"]), ("cuda:1", ["cpu"]), ("cpu", ["cpu"])])
def test_a_third_file_may_take_an_option_back(project_of: ProjectOf, default: str, found: list[object]) -> None:
    project = project_of({
        "options.py": DECLARING.format(default), "choosing.py": CHOOSING, "train.py": TRAINING_WITH,
    })  # fmt: skip

    assert project.literals("args.device", "train.py", world=WITHOUT_CUDA) == found
    assert project.reported("hardcoded-cuda", "options.py") == []


def test_a_third_file_that_takes_nothing_back_leaves_the_default(project_of: ProjectOf) -> None:
    project = project_of({
        "options.py": DECLARING.format("cuda"),
        "choosing.py": "def start(args):\n    if args.device == 'mps':\n        args.device = 'cpu'\n",
        "train.py": TRAINING_WITH,
    })  # fmt: skip

    assert project.literals("args.device", "train.py", world=WITHOUT_CUDA) == ["cuda"]
    assert project.reported("hardcoded-cuda", "options.py") == ["parser.add_argument('--device', default='cuda')"]


@pytest.mark.parametrize(("declared", "found"), [("cpu", ["cpu"]), ("cuda", ["cuda"])])
def test_an_option_that_is_asked_for_by_name_is_its_default(
    program: Program, declared: str, found: list[object]
) -> None:
    project = program(
        DECLARING.format(declared) + "args = parser.parse_args()\nuse(getattr(args, 'device', 'cuda:1'))\n"
    )

    assert project.literals("getattr(args, 'device', 'cuda:1')", world=WITHOUT_CUDA) == found


def test_what_a_function_takes_instead_of_its_argument_is_looked_at(program: Program) -> None:
    code = """
        import torch

        def make(device):
            if not torch.cuda.is_available():
                device = "cpu"
            return torch.ones(2, device=device)

        def make_there(device):
            return torch.ones(2, device=device)

        make(device="cuda")
        make_there(device="cuda:1")
        """

    assert program(code).reported("hardcoded-cuda") == ['make_there(device="cuda:1")']


@pytest.mark.parametrize("listed", ["[int(gpu) for gpu in {}]", "list(map(int, {}))"])
@pytest.mark.parametrize(
    ("default", "expected"),
    [("'0'", [0]), ("'2, 3'", [2, 3]), ("'-1'", [-1]), ("'all'", ["Number"]), ("None", ["Number"])],
)
def test_a_list_of_gpus_in_a_text_is_that_of_the_default(
    program: Program, default: str, expected: list[object], listed: str
) -> None:
    code = f"""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpus", default={default})
        args = parser.parse_args()
        args.gpus = {listed.format("args.gpus.split(',')")}
        use(args.gpus[0])
        """

    # The item of a comprehension at a position is that one.
    possible = expected[:1] if listed.startswith("[") else expected
    assert program(dedent(code)).literals("args.gpus[0]", world=WITHOUT_CUDA) == possible


@pytest.mark.parametrize(("default", "outcome"), [("'0'", True), ("'2,3'", True), ("'-1'", False), ("None", None)])
def test_gpus_that_are_counted_anew_where_there_are_any(program: Program, default: str, outcome: bool | None) -> None:
    code = f"""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpus", default={default})
        def parse():
            args = parser.parse_args()
            args.gpus = [int(gpu) for gpu in args.gpus.split(",")]
            args.gpus = [i for i in range(len(args.gpus))] if args.gpus[0] >= 0 else [-1]
            return args
        args = parse()
        use(args.gpus[0] > -1)
        """

    found = program(dedent(code)).literals("args.gpus[0] > -1", world=WITHOUT_CUDA)

    assert found == [outcome if outcome is not None else "Number"]
