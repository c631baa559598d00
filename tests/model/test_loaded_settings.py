"""What a program reads from its files of settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.project.yaml_mappings import yaml_mapping

Project: TypeAlias = Callable[[dict[str, str]], Checkout]
PROGRAM = """\
import json
import sys
import yaml
with open(sys.argv[1]) as file:
    config = {load}
print({read})
"""
YAML = "yaml.safe_load(file)"
JSON = "json.load(file)"
OFF = "gpu: false\ntrain: {lr: 0.1}\n"
READS = {
    "one file": ({"a.yaml": OFF}, YAML, 'config["gpu"]', [False]),
    "with a default": ({"a.yaml": OFF}, YAML, 'config.get("gpu", False)', [False, False]),
    "files that agree": ({"a.yaml": OFF, "runs/b.yml": "gpu: no\nseed: 3\n"}, YAML, 'config["gpu"]', [False]),
    "files that differ": ({"a.yaml": OFF, "runs/b.yml": "gpu: true\n"}, YAML, 'config["gpu"]', ["Unknown"]),
    "a file that is not understood": ({"a.yaml": OFF, "b.yaml": "%YAML 1.1\n"}, YAML, 'config["gpu"]', ["Unknown"]),
    "files without the entry": ({"a.yaml": OFF, "b.yaml": "seed: 3\n"}, YAML, 'config["gpu"]', [False]),
    "files of another kind": ({"a.yaml": OFF, "b.json": '{"gpu": true}'}, YAML, 'config["gpu"]', [False]),
    "no files": ({}, YAML, 'config["gpu"]', ["Unknown"]),
    "JSON": ({"a.json": '{"gpu": false}', "data.json": "[1, 2]"}, JSON, 'config["gpu"]', [False]),
    "an entry of an entry": ({"a.json": '{"train": {"device": "cpu"}}'}, JSON, 'config["train"]["device"]', ["cpu"]),
    "a device that the user chooses": ({"a.json": '{"device": "cuda"}'}, JSON, 'config["device"]', ["Unknown"]),
    "a number": ({"a.json": '{"gpus": 0, "gpu": false}'}, JSON, 'config["gpus"]', ["Unknown"]),
    "an entry of no file": ({"a.json": '{"gpu": false}'}, JSON, 'config["seed"]', ["Unknown"]),
}


@pytest.mark.parametrize(("files", "load", "read", "values"), READS.values(), ids=READS)
def test_what_all_files_agree_on_is_known(
    project_of: Project, files: dict[str, str], load: str, read: str, values: list[object]
) -> None:
    checkout = project_of({"main.py": PROGRAM.format(load=load, read=read), **files})

    assert checkout.literals(read) == values


def test_a_file_that_is_named_counts_alone(project_of: Project) -> None:
    code = 'import json\nconfig = json.load(open("configs/a.json"))\nprint(config["gpu"])\n'

    checkout = project_of({"main.py": code, "configs/a.json": '{"gpu": false}', "configs/b.json": '{"gpu": true}'})

    assert checkout.literals('config["gpu"]') == [False]


def test_what_the_command_line_overrides_is_unknown(project_of: Project) -> None:
    code = PROGRAM.format(load=f"{YAML}\nconfig.update(vars(args))", read='config["gpu"]')

    checkout = project_of({"main.py": code, "a.yaml": OFF})

    assert "Unknown" in checkout.literals('config["gpu"]')


WAIT = """\
import torch
import yaml
with open("config.yaml") as file:
    config = yaml.safe_load(file)
net = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(9):
    loss = net(torch.ones(2, 2).cuda()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if config["debug"]:
        torch.cuda.synchronize()
"""


@pytest.mark.parametrize(("debug", "is_found"), [("false", False), ("true", True), ("3", True)])
def test_what_no_settings_turn_on_never_waits(project_of: Project, debug: str, is_found: bool) -> None:
    checkout = project_of({"main.py": WAIT, "config.yaml": f"debug: {debug}\n"})

    assert len(checkout.findings("synchronize-in-training-loop")) == is_found


MOVED = """\
import json
import torch
class Runner:
    def __init__(self, config):
        self.net = torch.nn.Linear(2, 2)
        self.gpu = config["gpu"]
        if self.gpu:
            self.net.cuda()
    def run(self):
        with torch.no_grad():
            return self.net(torch.ones(2, 2)).numpy()
print(Runner(json.load(open("config.json"))).run())
"""


@pytest.mark.parametrize("is_found", [True, False])
def test_a_module_that_the_settings_leave_is_on_the_host(project_of: Project, is_found: bool) -> None:
    checkout = project_of({"main.py": MOVED, "config.json": '{"gpu": true}' if is_found else '{"gpu": false}'})

    assert len(checkout.findings("numpy-of-device-tensor")) == is_found


TEXTS = {
    "nested": ("a:\n  b: false\nc: on\n", {"a": {"b": False}, "c": True}),
    "with comments": ("# a\n---\na: off  # b\n\nb: 'cpu' # c\n", {"a": False, "b": "cpu"}),
    "a list beside the key": ("a:\n- b: true\n- c\nd: yes\n", {"a": ..., "d": True}),
    "a list below the key": ("a:\n  - b: true\n    c: no\nd: yes\n", {"a": ..., "d": True}),
    "braces over lines": ("a: {b: true,\n  c: no}\nd: yes\n", {"a": ..., "d": True}),
    "a text over lines": ("a: |\n  b: true\nd: yes\n", {"a": ..., "d": True}),
    "an alias": ("a: *b\nd: yes\n", {"a": ..., "d": True}),
    "several documents": ("a: yes\n---\na: no\n", None),
    "a list": ("- a\n", None),
    "no YAML": ("a\n  b: c\n", None),
}


@pytest.mark.parametrize(("text", "mapping"), TEXTS.values(), ids=TEXTS)
def test_mappings_of_yaml_are_read(text: str, mapping: dict[str, object] | None) -> None:
    found = yaml_mapping(text)

    known = (bool, str, dict)
    assert mapping == (found and {key: one if isinstance(one, known) else ... for key, one in found.items()})
