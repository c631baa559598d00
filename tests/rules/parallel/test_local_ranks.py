"""Options for the local rank that no launcher passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.local_ranks import local_rank_options
from torchlint.model import Project

UNREAD = """
import os
import torch.distributed as dist
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("nccl")
"""
PROGRAM = UNREAD + "device = args.local_rank\n"


def options_in(tmp_path: Path, text: str, program: str = PROGRAM, **others: str) -> int:
    path = tmp_path / "main.py"
    path.write_text(program + text)
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    return len(list(local_rank_options(Project(tmp_path).open(path, "main.py"))))


@pytest.mark.parametrize("text", ["", 'print("rank", os.environ.get("LOCAL_RANK"))\n'])
def test_a_variable_that_is_only_shown_is_not_used(tmp_path: Path, text: str) -> None:
    assert options_in(tmp_path, text) == 1


@pytest.mark.parametrize(
    "text",
    [
        'rank = int(os.environ["LOCAL_RANK"])\n',
        "args.local_rank = 3\n",
        "import deepspeed\n",
        "config = Config()\ndef start(config):\n    config.local_rank = 0\n",
    ],
)
def test_who_reads_or_sets_the_rank_otherwise_is_left_alone(tmp_path: Path, text: str) -> None:
    assert options_in(tmp_path, text) == 0


def test_who_only_hands_the_option_on_sets_nothing(tmp_path: Path) -> None:
    assert options_in(tmp_path, "cfg.local_rank = args.local_rank\n") == 1


def test_the_number_in_a_configuration_is_the_rank_of_no_process(tmp_path: Path) -> None:
    given = "from defaults import config\nconfig.merge(['dist.local_rank', args.local_rank])\n"
    defaults = "config = Config()\nconfig.dist = Config()\nconfig.dist.local_rank = 0\n"

    assert options_in(tmp_path, given, defaults=defaults) == 1


@pytest.mark.parametrize("value", ["rank", "args.rank", "torch.distributed.get_rank() % 8"])
def test_who_hands_it_on_and_sets_it_is_left_alone(tmp_path: Path, value: str) -> None:
    assert options_in(tmp_path, f"cfg.local_rank = args.local_rank\nargs.local_rank = {value}\n") == 0


SETTING = 'if "LOCAL_RANK" not in os.environ:\n    os.environ["LOCAL_RANK"] = {}\n'


def test_who_only_sets_the_variable_reads_nothing(tmp_path: Path) -> None:
    assert options_in(tmp_path, SETTING.format("str(args.rank)")) == 1


def test_who_reads_what_it_asks_for_first_is_left_alone(tmp_path: Path) -> None:
    assert options_in(tmp_path, 'rank = int(os.environ["LOCAL_RANK"]) if "LOCAL_RANK" in os.environ else 0\n') == 0


MAIN = 'if __name__ == "__main__":\n    print(args)\n'
READING = 'import os\nrank = int(os.environ["LOCAL_RANK"])\n'


def test_what_another_program_of_the_project_reads_is_no_help(tmp_path: Path) -> None:
    assert options_in(tmp_path, MAIN, other=READING) == 1


def test_what_the_program_imports_may_read_the_rank(tmp_path: Path) -> None:
    assert options_in(tmp_path, f"import other\n{MAIN}", other=READING) == 0


def test_a_launcher_of_the_projects_own_passes_the_option(tmp_path: Path) -> None:
    launcher = 'import subprocess\nsubprocess.run(["python", "main.py", f"--local_rank={0}"])\n'

    assert options_in(tmp_path, MAIN, launch=launcher) == 0


READS = {
    "nobody": ("", {}, 0),
    "who says the option": ("import sys\nsys.argv += ['--local_rank', '1']\n", {}, 0),
    "another option": ("device = args.local_rank_offset\n", {}, 0),
    "an attribute": ("device = args.local_rank\n", {}, 1),
    "by its name": ("device = vars(args)['local_rank']\n", {}, 1),
    "a function that is given all": ("def start(local_rank): ...\nstart(**vars(args))\n", {}, 1),
    "another file of the program": ("import other\nother.start(args)\n", {"other": "rank = args.local_rank\n"}, 1),
    "another program": (MAIN, {"other": MAIN + "rank = args.local_rank\n"}, 0),
}


@pytest.mark.parametrize(("text", "others", "count"), READS.values(), ids=READS)
def test_an_option_that_nobody_reads_is_only_there_to_be_accepted(
    tmp_path: Path, text: str, others: dict[str, str], count: int
) -> None:
    assert options_in(tmp_path, text, UNREAD, **others) == count


def test_an_option_may_be_read_by_another_name(tmp_path: Path) -> None:
    renamed = UNREAD.replace("type=int", "type=int, dest='gpu'")

    assert options_in(tmp_path, "device = args.gpu\n", renamed) == 1
