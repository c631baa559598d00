"""What every rank writes to the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.rank_saves import rank_saves
from torchlint.model import Project

HEAD = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
"""


def saves_in(tmp_path: Path, text: str) -> list[int]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    return [one.place.line for one in Project(tmp_path).open(path, "main.py").share_of(rank_saves)]


def test_a_save_in_a_helper_without_a_guard_anywhere_is_every_ranks(tmp_path: Path) -> None:
    text = "def save(m, p):\n    torch.save({'m': m.module.state_dict()}, p)\ndef main():\n    save(DDP(net), 'x.pt')\n"

    assert saves_in(tmp_path, text) == [6]


TAKEN_OUT = {
    "by an option": ("if args.several:\n        m = m.module", True),
    "where there is one": ("if hasattr(m, 'module'):\n        m = m.module", True),
    "in an expression": ("m = m.module if hasattr(m, 'module') else m", True),
    "another attribute": ("m = m.encoder", False),
    "of something else": ("m = args.module", False),
    "on one rank": ("m = m.module\n    if dist.get_rank() > 0:\n        return", False),
}


@pytest.mark.parametrize(("taken", "is_found"), TAKEN_OUT.values(), ids=TAKEN_OUT)
def test_a_module_that_is_taken_out_of_its_wrapper_first_is_saved_by_every_rank(
    tmp_path: Path, taken: str, is_found: bool
) -> None:
    save = f"def save(m, args):\n    {taken}\n    torch.save(m.state_dict(), 'x.pt')\n"
    main = "def main(args):\n    m = net\n    if args.several:\n        m = DDP(net)\n    save(m, args)\n"

    assert len(saves_in(tmp_path, save + main)) == is_found


def test_an_attribute_of_another_object_is_not_the_one_in_the_path(tmp_path: Path) -> None:
    text = """
def save(m, args):
    torch.save(m.module.state_dict(), args.model + '.pt')
class Trainer:
    def __init__(self, args):
        self.model = DDP(net, device_ids=[args.local_rank])
        save(self.model, args)
"""

    assert len(saves_in(tmp_path, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "m = DDP(net)\nif dist.get_rank() == 0:\n    torch.save(m.module.state_dict(), 'x.pt')\n",
        "m = DDP(net)\nif args.is_master:\n    torch.save(m.module.state_dict(), 'x.pt')\n",
        "m = DDP(net)\ntorch.save(m.module.state_dict(), f'x{dist.get_rank()}.pt')\n",
        "m = DDP(net)\nname = f'{rank}.pt'\ntorch.save(m.module.state_dict(), name)\n",
        "if args.several:\n    m = DDP(net)\nelse:\n    torch.save(net.state_dict(), 'x.pt')\n",
        "torch.save(torch.nn.Linear(2, 2).state_dict(), 'x.pt')\n",
    ],
)
def test_guards_files_of_their_own_and_single_programs_are_left_alone(tmp_path: Path, text: str) -> None:
    assert saves_in(tmp_path, text) == []


SAVING = "import torch\ndef save(m):\n    torch.save({'m': m.module.state_dict()}, 'x.pt')\n"
RANKED = """\
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from files import save
def work(gpu):
    dist.init_process_group("nccl", rank=gpu)
    model = DDP(net, device_ids=[gpu])
    if gpu == 0:
        save(model)
if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=4)
"""
ALONE = "from torch.nn import DataParallel\nfrom files import save\ndef main():\n    save(DataParallel(net))\n"
RUN = 'if __name__ == "__main__":\n    main()\n'


@pytest.mark.parametrize(
    ("alone", "lines"),
    [
        (ALONE + RUN, []),
        ("from torch.nn import DataParallel\nfrom files import save\nsave(DataParallel(net))\n", []),
        ("from ranked import work\n" + ALONE + "    work(0)\n" + RUN, [3]),
        (ALONE, [3]),
    ],
    ids=["a script", "a script without a function", "one that imports who wraps", "what any program may call"],
)
def test_only_callers_in_a_program_that_wraps_come_to_a_save_on_every_rank(
    tmp_path: Path, alone: str, lines: list[int]
) -> None:
    (tmp_path / "ranked.py").write_text(RANKED)
    (tmp_path / "alone.py").write_text(alone)
    path = tmp_path / "files.py"
    path.write_text(SAVING)

    found = [one.place.line for one in Project(tmp_path).open(path, "files.py").share_of(rank_saves)]

    assert found == lines


def test_a_save_is_every_ranks_where_one_of_two_programs_that_wrap_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(RANKED)
    (tmp_path / "second.py").write_text(RANKED.replace("    if gpu == 0:\n        save", "    save"))
    path = tmp_path / "files.py"
    path.write_text(SAVING)

    assert [one.place.line for one in Project(tmp_path).open(path, "files.py").share_of(rank_saves)] == [3]


def test_an_assert_about_something_else_keeps_no_rank_out(tmp_path: Path) -> None:
    text = """
import torch
from torch.nn.parallel import DistributedDataParallel as DDP
def train(rank, logger):
    classes = logger.data["classes"]
    assert {test}
    model = DDP(torch.nn.Linear(3, 3).to(rank), device_ids=[rank])
    torch.save(model.module.state_dict(), "init.pt")
"""
    path = tmp_path / "main.py"

    def lines(test: str) -> list[int]:
        path.write_text(text.format(test=test))
        return [one.place.line for one in Project(tmp_path).open(path, "main.py").share_of(rank_saves)]

    assert lines("classes < 80") == [8]
    assert lines("is_main_process()") == []


HELPER = """
def write(m, p):
    torch.save(m.module.state_dict(), p)
def save_with(m, p):
    def save(trainer):
        write(m, p)
    return save
"""
OBJECT = """
def write(m, p):
    torch.save(m.module.state_dict(), p)
class save_with:
    def __init__(self, m, p):
        self.m = m
    def __call__(self, trainer):
        write(self.m, "x.pt")
"""
TRAIN = """
def train_alone(trainer):
    trainer.extend(save_with(torch.nn.DataParallel(net), "x.pt"))
def train(trainer):
    m = DDP(net)
"""


@pytest.mark.parametrize("saving", [HELPER, OBJECT], ids=["a function", "an object"])
@pytest.mark.parametrize(
    ("registering", "lines"),
    [
        ("    if dist.get_rank() == 0:\n        trainer.extend(save_with(m, 'x.pt'))\n", []),
        ("    trainer.extend(save_with(m, 'x.pt'))\n", [7]),
        (
            "    if dist.get_rank() == 0:\n        save_with(m, 'x.pt')(0)\n    trainer.extend(save_with(m, 'y.pt'))\n",
            [7],
        ),
    ],
    ids=["on one rank", "on every rank", "once on one and once on every rank"],
)
def test_what_only_one_rank_hands_on_saves_on_one_rank(
    tmp_path: Path, saving: str, registering: str, lines: list[int]
) -> None:
    assert saves_in(tmp_path, saving + TRAIN + registering) == lines


FLAGGED = """
class Checkpointer:
    def __init__(self, m, to_disk=None):
        self.m = m
        self.to_disk = to_disk
    def save(self, p):
        if not self.to_disk:
            return
        torch.save(self.m.module.state_dict(), p)
class Tagging(Checkpointer):
    def __init__(self, m, to_disk=None):
        super().__init__(m, to_disk)
def train():
    m = DDP(net)
    to_disk = FLAG
    KIND(m, to_disk).save("x.pt")
"""


@pytest.mark.parametrize("kind", ["Checkpointer", "Tagging"])
@pytest.mark.parametrize(("flag", "lines"), [("dist.get_rank() == 0", []), ("args.keep", [13]), ("True", [13])])
def test_a_flag_is_what_an_object_is_given_for_it(tmp_path: Path, kind: str, flag: str, lines: list[int]) -> None:
    assert saves_in(tmp_path, FLAGGED.replace("KIND", kind).replace("FLAG", flag)) == lines
