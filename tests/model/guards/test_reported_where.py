"""Which of several places that come to one demand for CUDA is reported."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


BATCHES = """
    from torch.utils.data import DataLoader
    def train(dataset, model):
        for x in DataLoader(dataset, batch_size=8):
            y = None
            if {test}:
                x, y = x
            if y is not None:
                y = y.to("cuda")
            model(x, y=y)
    """


@pytest.mark.parametrize(
    "test", ["isinstance(x, (tuple, list))", "isinstance(x, list)", "not isinstance(x, torch.Tensor)"]
)
def test_a_batch_may_be_a_list_or_a_tensor(program: Program, test: str) -> None:
    code = HEAD + dedent(BATCHES).format(test=test)

    assert program(code).reported(RULE) == ['y = y.to("cuda")']


def test_what_is_no_class_of_batches_a_batch_is_not(program: Program) -> None:
    code = HEAD + dedent(BATCHES).format(test="isinstance(x, nn.Module)")

    assert program(code).reported(RULE) == []


AUGMENT = """\
    import torch
    class Augment:
        def __init__(self, device):
            self.buffer = torch.zeros(2, device=device)
    def noise(device):
        return torch.randn(2, device=device)
    """


def test_a_literal_that_is_used_where_it_stands_is_reported_there_alone(project_of: ProjectOf) -> None:
    train = """\
        from augment import Augment, noise
        def train(device):
            return Augment(device).buffer + noise(device)
        if __name__ == "__main__":
            device = "cuda"
            model.to(device)
            train(device)
        """

    project = project_of({"augment.py": AUGMENT, "main.py": HEAD + dedent(train)})

    assert project.reported(RULE) == ['device = "cuda"']
    assert project.reported(RULE, "augment.py") == []


def test_a_literal_that_calls_pass_to_another_file_is_reported_where_it_stands(project_of: ProjectOf) -> None:
    train = """\
        from augment import Augment, noise
        noise("cuda")
        if torch.cuda.is_available():
            noise("cuda:1")
        def train(device="cuda:2"):
            return Augment(device)
        """

    project = project_of({"augment.py": AUGMENT, "main.py": HEAD + dedent(train)})

    assert project.reported(RULE) == ['noise("cuda")', 'def train(device="cuda:2"):']
    assert project.reported(RULE, "augment.py") == []


@pytest.mark.parametrize(
    "move",
    [
        "    return x.to(torch.device(device))\n",
        "    place = torch.device(device)\n    return x.to(place)\n",
    ],
)
def test_what_another_file_makes_a_device_of_is_still_reported_where_it_stands(
    project_of: ProjectOf, move: str
) -> None:
    main = 'from moving import move\nmove(torch.zeros(2), "cuda")\n'

    project = project_of({"moving.py": f"import torch\ndef move(x, device):\n{move}", "main.py": HEAD + main})

    assert project.reported(RULE) == ['move(torch.zeros(2), "cuda")']
    assert project.reported(RULE, "moving.py") == []


def test_a_device_is_reported_where_it_is_made_one_and_nowhere_else(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "names.py": 'NAME = "cuda"\n',
            "places.py": "import torch\nfrom names import NAME\nPLACE = torch.device(NAME)\n",
            "main.py": f"{HEAD}from places import PLACE\nmodel.to(PLACE)\n",
        }
    )

    assert project.reported(RULE, "places.py") == ["PLACE = torch.device(NAME)"]
    assert project.reported(RULE) == []


def test_a_literal_that_a_stored_attribute_takes_to_another_file_is_reported_where_it_stands(
    project_of: ProjectOf,
) -> None:
    buffer = """\
        import torch
        class Buffer:
            def __init__(self, size, device="cpu"):
                self.size = size
                self.device = device
            def empty(self):
                return torch.zeros(self.size, device=self.device)
        """

    project = project_of({"buffer.py": buffer, "main.py": 'from buffer import Buffer\nBuffer(3, "cuda").empty()\n'})

    assert project.reported(RULE) == ['Buffer(3, "cuda").empty()']
    assert project.reported(RULE, "buffer.py") == []


def test_a_literal_that_is_imported_and_used_in_another_file_only_is_reported_where_it_is_used(
    project_of: ProjectOf,
) -> None:
    project = project_of(
        {
            "settings.py": 'NAMES = ["cuda"]\nDEVICE = "cuda"\n',
            "main.py": HEAD + "from settings import DEVICE\nmodel.to(DEVICE)\n",
        }
    )

    assert project.reported(RULE, "settings.py") == []
    assert project.reported(RULE) == ["model.to(DEVICE)"]


def test_what_a_function_puts_into_a_container_is_no_constant_of_those_that_read_it(project_of: ProjectOf) -> None:
    spread = "def move(layer, name, places):\n    return layer.to(places[name])\n"
    main = 'def place():\n    places = {"a": "cuda:0"}\n    return move(model, "a", places)\n'

    project = project_of({"spread.py": spread, "main.py": f"{HEAD}from spread import move\n{main}"})

    assert project.reported(RULE, "spread.py") == []


def test_what_a_file_puts_into_a_container_is_a_constant_of_those_that_read_it(project_of: ProjectOf) -> None:
    main = 'from places import PLACES\nmodel.to(PLACES["a"])\n'

    project = project_of({"places.py": 'PLACES = {"a": "cuda:0"}\n', "main.py": HEAD + main})

    assert project.reported(RULE) == ['model.to(PLACES["a"])']


def test_a_literal_that_another_file_only_compares_is_not_reported(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "names.py": 'def is_fast(device):\n    return device == "cuda"\n',
            "main.py": 'from names import is_fast\nprint(is_fast("cuda"))\n',
        }
    )

    assert project.reported(RULE) == []
    assert project.reported(RULE, "names.py") == []


def test_options_of_another_file_are_judged_by_their_default(project_of: ProjectOf) -> None:
    project = project_of({
        "options.py": """\
            import argparse
            def parse():
                parser = argparse.ArgumentParser()
                parser.add_argument('--device', default='cuda')
                parser.add_argument('--teacher', default='cpu')
                return parser.parse_args()
            """,
        "main.py": HEAD + dedent("""\
            from options import parse
            args = parse()
            model.to(args.device)
            model.to(args.teacher)
            """),
    })  # fmt: skip

    assert project.reported(RULE, "options.py") == ["parser.add_argument('--device', default='cuda')"]
    assert project.reported(RULE) == []


HEADS = """\
class Head:
    def __init__(self, device_id):
        self.device_id = device_id

    def forward(self, x):
        if self.device_id {test} None:
            return x
        return x.cuda(self.device_id[0])

Head({given}).forward(x)
"""


@pytest.mark.parametrize("test", ["is", "=="])
@pytest.mark.parametrize(("given", "is_found"), [("[0, 1]", True), ("None", False), ("unknown()", False)])
def test_no_device_is_none_however_it_is_asked(program: Program, test: str, given: str, *, is_found: bool) -> None:
    assert bool(program(HEADS.format(test=test, given=given)).reported(RULE)) is is_found


NETS = """\
import torch
from torch import nn

def build(where):
    return nn.Linear(2, 2).to(torch.device(where))
"""
ASKING = """\
import argparse
from nets import build
parser = argparse.ArgumentParser()
parser.add_argument('--where', default='{default}')
args = parser.parse_args()
{use}
"""


@pytest.mark.parametrize(
    ("default", "use", "is_found"),
    [
        ("cuda", "build(args.where)", True),
        ("cpu", "build(args.where)", False),
        ("cuda", "print(args.where)", False),
        ("cuda", "import torch\nif torch.cuda.is_available():\n    build(args.where)", False),
    ],
    ids=["passed on", "on the CPU", "never a device", "guarded"],
)
def test_an_option_that_a_call_passes_to_another_file_is_judged_by_its_default(
    project_of: ProjectOf, default: str, use: str, *, is_found: bool
) -> None:
    project = project_of({"nets.py": NETS, "main.py": ASKING.format(default=default, use=use)})

    assert bool(project.reported(RULE)) is is_found
    assert project.reported(RULE, "nets.py") == []


def test_a_library_function_that_nobody_calls_is_judged_by_its_own_default(project_of: ProjectOf) -> None:
    project = project_of({
        "library.py": """\
            import torch
            def zeros(device='cuda'):
                return torch.zeros(2, device=device)

            def ones(device='cpu'):
                return torch.ones(2, device=device)
            """,
    })  # fmt: skip

    assert project.reported(RULE, "library.py") == ["def zeros(device='cuda'):"]


IN_EITHER = """
import torch
def resume(half, device, x, y):
    if {test}:
        x.cuda()
    else:
        y.cuda()
resume(unknown(), unknown(), x, y)
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("half", ["y.cuda()"]),
        ("not half", ["x.cuda()"]),
        ("half and x.any()", ["y.cuda()"]),
        ("x.type() == 'torch.cuda.HalfTensor'", ["y.cuda()"]),
        ("x.type() != 'torch.cuda.FloatTensor'", ["x.cuda()"]),
        ("device == 'cuda'", ["y.cuda()"]),
        ("world_size == 1", []),
        ("half_on_gpu", []),
        ("device == 'cpu'", []),
        ("device", []),
    ],
)
def test_where_nothing_says_cuda_yet_a_test_is_no_guard(program: Program, test: str, found: list[str]) -> None:
    assert program(IN_EITHER.format(test=test)).reported(RULE) == found


NAMED = """\
import torch
from elsewhere import unknown, read
args = read()
def pack(labels, other):
    labels_cuda = labels.to(unknown())
    on_gpu, rank, x_cpu = unknown(), torch.tensor(unknown()), labels.numpy()
    assert {test}
    return other.cuda()
pack(torch.ones(3), torch.ones(3))
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("labels_cuda.ndim == 4", ["return other.cuda()"]),
        ("len(labels_cuda) == 4 and labels_cuda.max() < 3", ["return other.cuda()"]),
        ("x_cpu.max() < 3", ["return other.cuda()"]),
        ("labels_cuda.is_cuda", []),
        ("labels_cuda.device == args.gpu", []),
        ("on_gpu.ndim == 4", []),
        ("labels_cuda.ndim == 4 and args.gpu", []),
        ("rank == 0", []),
    ],
)
def test_a_tensor_that_is_called_by_where_it_is_says_nothing_of_what_there_is(
    program: Program, test: str, found: list[str]
) -> None:
    assert program(NAMED.format(test=test)).reported(RULE) == found


@pytest.mark.parametrize(
    ("test", "is_reported"), [("is None", True), ("== None", True), ("is not None", False), ("!= None", False)]
)
def test_that_no_device_was_chosen_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef resume(gpu, x):\n    if gpu {test}:\n        x.cuda()\nresume(unknown(), x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


@pytest.mark.parametrize(
    ("test", "is_reported"), [("not distributed", True), ("not using_deepspeed", True), ("using_deepspeed", False)]
)
def test_that_one_process_does_it_all_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef start(distributed, using_deepspeed, x):\n    if {test}:\n        x.cuda()\nstart(*unknown(), x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


@pytest.mark.parametrize(
    ("test", "is_reported"), [("0 <= rank < size", True), ("0 <= rank", False), ("1 <= rank < size", False)]
)
def test_that_a_rank_is_one_of_all_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef start(rank, size, x):\n    assert {test}\n    x.cuda()\nstart(unknown(), 1, x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


def test_a_method_called_cuda_leaves_it_to_whoever_calls_it(program: Program) -> None:
    code = (
        "import torch\nclass Boxes:\n    def __init__(self, data):\n        self.data = data\n"
        "    def cuda(self):\n        return Boxes(self.data.cuda())\nboxes = Boxes(torch.ones(2)).cuda()\n"
    )

    assert program(code).reported(RULE) == ["boxes = Boxes(torch.ones(2)).cuda()"]
