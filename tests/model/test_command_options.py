"""Options of the command line that fill the parameters of a function: click, typer, fire and absl."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import ANYWHERE, WITHOUT_CUDA

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

OF_CLICK = {
    "a default": ("option('--device', default='cuda')", ["cuda"]),
    "no default": ("option('--device')", [None]),
    "a flag": ("option('--device', is_flag=True)", [False]),
    "a flag that is on": ("option('--device', is_flag=True, default=True)", [True]),
    "a flag and its opposite": ("option('--device/--no-device', default=True)", [True]),
    "a flag that is off": ("option('--device/--no-device')", [False]),
    "a short name": ("option('-d', '--device', default='cuda')", ["cuda"]),
    "only a short name": ("option('-device', default='cuda')", ["cuda"]),
    "a name of its own": ("option('--where', 'device', default='cuda')", ["cuda"]),
    "another option": ("option('--device', 'where', default='cuda')", ["Unknown"]),
    "a function": ("option('--device', default=lambda: 'cuda')", ["Unknown"]),
    "one of two switches": ("option('--device', flag_value='cuda', default=True)", ["Unknown"]),
    "what must be given": ("option('--device', required=True)", ["Unknown"]),
    "what is asked for": ("option('--device', prompt=True, default='cuda')", ["Unknown"]),
    "an argument": ("argument('device', default='cuda')", ["cuda"]),
    "an argument that must be given": ("argument('device')", ["Unknown"]),
}  # fmt: skip


@pytest.mark.parametrize(("declaration", "expected"), OF_CLICK.values(), ids=OF_CLICK)
@pytest.mark.parametrize("call", ["", "main()\n"], ids=["an entry point", "called"])
def test_a_parameter_of_a_command_is_the_default_of_its_option(
    program: Program, declaration: str, expected: list[object], call: str
) -> None:
    code = f"import click\n@click.command()\n@click.{declaration}\ndef main(device):\n    use(device)\n"

    assert program(code + call).literals("device", world=WITHOUT_CUDA) == expected


def test_what_is_not_about_devices_may_be_given(program: Program) -> None:
    code = "import click\n@click.option('--debug', is_flag=True)\ndef main(debug):\n    use(debug)\nmain()\n"

    assert program(code).literals("debug", world=WITHOUT_CUDA) == ["Unknown", False]


def test_an_option_of_something_else_fills_nothing(program: Program) -> None:
    code = "import menu\n@menu.option('--device', default='cuda')\ndef main(device):\n    use(device)\n"

    assert program(code).literals("device", world=WITHOUT_CUDA) == ["Unknown"]


OF_TYPER = {
    "a default": ("typer.Option('cuda', help='where to run')", ["cuda"]),
    "by name": ("typer.Option(default='cuda')", ["cuda"]),
    "on": ("typer.Option(True)", [True]),
    "off": ("typer.Option(False, '--device')", [False]),
    "what must be given": ("typer.Option(...)", ["Unknown"]),
    "an argument": ("typer.Argument('cuda')", ["cuda"]),
    "an object of its own": ("options.option('cuda')", ["Unknown"]),
}  # fmt: skip


@pytest.mark.parametrize(("default", "expected"), OF_TYPER.values(), ids=OF_TYPER)
def test_a_default_that_describes_an_option_is_that_of_the_option(
    program: Program, default: str, expected: list[object]
) -> None:
    code = f"import options\nimport typer\ndef main(device={default}):\n    use(device)\n"

    assert program(code).literals("device", world=WITHOUT_CUDA) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [("fire.Fire(main)", ["cuda"]), ("typer.run(main)", ["cuda"]), ("other.run(main)", ["Unknown"])],
)
def test_a_function_that_becomes_a_command_keeps_its_defaults(
    program: Program, command: str, expected: list[object]
) -> None:
    code = f"import fire, typer, other\ndef main(device='cuda'):\n    use(device)\n{command}\n"

    assert program(code).literals("device", world=WITHOUT_CUDA) == expected


def test_a_command_is_called_with_something_else_as_well(program: Program) -> None:
    code = "import fire\ndef main(device='cuda'):\n    use(device)\nmain('cpu')\nfire.Fire(main)\n"

    project = program(code)

    assert project.literals("device", world=WITHOUT_CUDA) == ["cpu", "cuda"]
    assert project.literals("device", world=ANYWHERE) == ["Unknown", "cpu", "cuda"]


FLAGS = """
    from absl import app, flags
    FLAGS = flags.FLAGS
    flags.{}
    def main(_):
        use(FLAGS.device)
    """
OF_ABSL = {
    "a text": ("DEFINE_string('device', 'cuda', 'where to run')", ["cuda"]),
    "by name": ("DEFINE_string('device', default='cuda', help='where to run')", ["cuda"]),
    "a truth": ("DEFINE_bool('device', False, 'whether')", [False]),
    "another one": ("DEFINE_string('where', 'cuda', 'where to run')", ["Unknown"]),
}


@pytest.mark.parametrize(("declaration", "expected"), OF_ABSL.values(), ids=OF_ABSL)
def test_a_flag_of_absl_is_its_default(program: Program, declaration: str, expected: list[object]) -> None:
    assert program(FLAGS.format(declaration)).literals("FLAGS.device", world=WITHOUT_CUDA) == expected


def test_a_flag_is_reported_where_it_is_declared(project_of: ProjectOf) -> None:
    project = project_of({
        "options.py": "from absl import flags\nflags.DEFINE_string('device', 'cuda', 'where to run')\n",
        "train.py": "import options, torch\nfrom absl import flags\ntorch.ones(2).to(flags.FLAGS.device)\n",
    })  # fmt: skip

    assert project.reported("hardcoded-cuda", "options.py") == ["flags.DEFINE_string('device', 'cuda', 'where to run')"]
    assert project.reported("hardcoded-cuda", "train.py") == []


COMMAND = """
    import click, torch
    from train import train

    @click.command()
    @click.option("--device", default="{default}")
    @click.option("--gpu", is_flag=True)
    def main(device, gpu):
        train(device)
        if gpu:
            torch.ones(2).cuda()
    """


@pytest.mark.parametrize(
    ("default", "expected"), [("cuda", ['@click.option("--device", default="cuda")']), ("cpu", [])]
)
def test_an_option_that_goes_to_another_file_is_reported_where_it_is_declared(
    project_of: ProjectOf, default: str, expected: list[str]
) -> None:
    project = project_of({
        "main.py": COMMAND.format(default=default),
        "train.py": "import torch\ndef train(device):\n    torch.ones(2).to(device)\n",
    })  # fmt: skip

    assert project.reported("hardcoded-cuda") == expected
    assert project.reported("hardcoded-cuda", "train.py") == []
