from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torchlint.verify.command import verify_command
from torchlint.verify.evidence import evidence_of, read_record
from torchlint.verify.gpus import present
from torchlint.verify.installed import NO_TORCH, Torch, installed_torch
from torchlint.verify.report import without_folders
from torchlint.verify.running import NO_GPU, Options, verify_rules


def verified(*arguments: str) -> Result:
    return CliRunner().invoke(verify_command(lambda script: ()), arguments)


@pytest.fixture(scope="module")
def needs_torch(one_server: None) -> None:
    pytest.importorskip("torch", reason="verifying runs PyTorch programs")


@pytest.mark.usefixtures("needs_torch")
def test_a_rule_gets_one_line_and_all_together_one_more() -> None:
    result = verified("--simulate", "device-ids-mismatch", "empty-cache-in-training-loop")

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0].startswith("torch ")
    assert lines[1].startswith("SIMULATED  device-ids-mismatch")
    assert lines[1].endswith("GPUs wanted, 0 here; 1 of 5 proved]")
    assert lines[2].endswith("needs a real GPU: time is not simulated")
    assert lines[3].startswith("2 rules: 1 skipped, 1 simulated, in ")
    assert len(lines) == 4


@pytest.mark.usefixtures("needs_torch")
def test_the_evidence_is_shown_on_demand() -> None:
    result = verified("--simulate", "-v", "item-in-eval-loop")

    assert "    claims  waits >= 1 per step" in result.stdout
    assert "    bad     20 steps, 50 waits, 2.50 per step" in result.stdout
    assert "are not simulated" in result.stdout


@pytest.mark.usefixtures("needs_torch")
def test_json_holds_everything_and_a_record_can_be_cited(tmp_path: Path) -> None:
    file = tmp_path / "new" / "record.json"

    result = verified("--simulate", "--output-format", "json", "--record", str(file), "kept-graph")

    report = json.loads(result.stdout)
    assert report["version"] == 1
    assert report["summary"]["proved"] == 1
    assert report["rules"][0]["programs"][0]["bad"]["kept_bytes_per_step"] > 1024
    (evidence,) = read_record(file.read_text())
    assert (evidence.rule, evidence.verdict, evidence.machine) == ("kept-graph", "proved", "no GPU")
    assert evidence.seen in evidence.words


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ('File "/home/me/env/lib/torch/spawn.py", line 87', 'File "spawn.py", line 87'),
        ("No such file: '/tmp/x-1/ranks'", "No such file: 'ranks'"),
        ("see https://pytorch.org/docs/stable/notes.html", "see https://pytorch.org/docs/stable/notes.html"),
        ("1/2 of docs/evidence/record.json, a / b", "1/2 of docs/evidence/record.json, a / b"),
        ("[/__w/gloo/buffer.cc:78] Timed out", "[buffer.cc:78] Timed out"),
    ],
)
def test_a_record_names_no_folder_of_the_machine(words: str, kept: str) -> None:
    assert without_folders(words) == kept


@pytest.mark.usefixtures("needs_torch")
def test_who_asks_for_a_gpu_and_has_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    if present():
        pytest.skip("this machine has a GPU")

    code = verify_rules(["item-in-eval-loop"], Options(gpu_wanted=True))

    assert code == 0
    assert capsys.readouterr().err == f"{NO_GPU}\n"


@pytest.mark.usefixtures("needs_torch")
def test_torch_is_asked_for_its_version_without_being_imported() -> None:
    import torch

    assert installed_torch() == Torch(torch.__version__, torch.version.cuda or "")
    assert Torch("2.13.0a1+cu130", "13.0").numbers[:2] == (2, 13)


def test_without_torch_there_is_one_line_that_says_what_to_install() -> None:
    code = (
        "import sys, importlib.util as util\n"
        "own = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'torch' else own(name, package)\n"
        "from torchlint.verify.command import verify_command\n"
        "verify_command(lambda script: ())(['kept-graph'])\n"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == f"error: {NO_TORCH}\n"


def test_the_command_is_read_without_torch_and_without_libcst() -> None:
    code = (
        "import sys, torchlint.verify.command, torchlint.verify.evidence\n"
        "heavy = {'torch', 'numpy', 'libcst', 'multiprocessing', 'importlib.metadata', 'json', 'difflib'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout == "[]\n"


def test_what_was_recorded_is_found_by_rule() -> None:
    evidence = evidence_of("hardcoded-cuda")

    assert evidence is not None
    assert evidence.verdict == "proved"
    assert evidence_of("no-such-rule") is None


def test_no_record_that_ships_names_a_folder() -> None:
    records = Path(__file__).parents[2] / "docs" / "evidence"

    for record in records.glob("*.json"):
        assert not re.search(r"/(?:home|tmp|root|Users)/", record.read_text(encoding="utf-8")), record.name
