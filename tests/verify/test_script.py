"""`torchlint verify SCRIPT`: what a run makes of the linter's findings."""

from __future__ import annotations

import json
import re
import sys

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("torch", reason="what is run is a PyTorch program")


from pathlib import Path

from torchlint import Confidence, Finding, Severity, Span
from torchlint.cli.command import torchlint as program
from torchlint.pytorch.waits import Kind
from torchlint.verify.command import verify_command
from torchlint.verify.sites import Site, Sites
from torchlint.verify.unruled import is_unruled
from torchlint.verify.waitlog import Wait

pytestmark = pytest.mark.usefixtures("one_server")

TRAINING = '''
"""A small training script."""
import sys
import torch
from torch import nn
from metrics import accuracy

def main(verbose=False):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0.0; 日本 = 0.0
    for step in range(20):
        batch = torch.ones(8, 4, device=device)
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item(); 日本 += loss.item()
        score = accuracy(model(batch))
        if verbose:
            print(loss.item())
        counted = torch.ones(3).sum().item()
        if step == 0:
            print("first", float(loss))
        elif loss > 100:
            raise SystemExit("it explodes")
    print(sys.argv[1:], Path.cwd() if False else "done")

main()
'''
METRICS = """
def accuracy(logits):
    return logits.argmax(dim=1).float().mean().item()
"""


def finding(path: str, source: str, code: str, rule: str = "item-in-training-loop") -> Finding:
    """Return what the linter would say of a piece of code."""
    line, text = next((number, line) for number, line in enumerate(source.splitlines(), 1) if code in line)
    column = text.index(code) + 1
    span = Span(line, column, line, column + len(code))
    return Finding(rule, "sync", path, span, "waits", Severity.WARNING, Confidence.HIGH)


def write_project(folder: Path) -> None:
    (folder / "train.py").write_text(TRAINING, encoding="utf-8")
    (folder / "metrics.py").write_text(METRICS, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verified(findings: list[Finding], *arguments: str) -> Result:
    return CliRunner().invoke(verify_command(lambda script: findings), arguments)


SAID = [
    finding("train.py", TRAINING, "loss.item(); 日本"),
    finding("train.py", TRAINING, "print(loss.item())"),
    finding("train.py", TRAINING, "torch.ones(3).sum().item()"),
    finding("metrics.py", METRICS, "logits.argmax(dim=1).float().mean().item()"),
    finding("train.py", TRAINING, "main(verbose=False)", rule="hardcoded-cuda"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, one_server: None) -> dict[str, list[str]]:
    """Run the program once, and return the statuses of each line of its code."""
    folder = tmp_path_factory.mktemp("project")
    write_project(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = verified(SAID, "--simulate", "--output-format", "json", "train.py")
    assert result.exit_code == 0, result.output
    sources = {"train.py": TRAINING.splitlines(), "metrics.py": METRICS.splitlines()}
    statuses: dict[str, list[str]] = {}
    for row in json.loads(result.stdout)["lines"]:
        code = sources[row["path"]][row["line"] - 1][row["column"] - 1 : row["end_column"] - 1]
        statuses.setdefault(code, []).append(row["status"])
    return statuses


def test_what_the_linter_said_and_what_waits_is_confirmed(found: dict[str, list[str]]) -> None:
    assert found["logits.argmax(dim=1).float().mean().item()"] == ["confirmed"]


def test_what_never_waits_was_wrong(found: dict[str, list[str]]) -> None:
    assert found["torch.ones(3).sum().item()"] == ["no wait"]


def test_what_the_run_did_not_come_to_is_no_argument(found: dict[str, list[str]]) -> None:
    assert found["print(loss.item())"] == ["not reached"]


def test_what_waits_once_is_not_what_waits_every_step(found: dict[str, list[str]]) -> None:
    (statuses,) = (statuses for code, statuses in found.items() if "nn.Linear(4, 2).to(device)" in code)
    assert statuses == ["once-only"]


AROUND = """
import torch
from torch import nn
from torch.distributions import Categorical

device = torch.device("cuda")
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(10)]).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
scaler = torch.amp.GradScaler("cuda")
batches = [torch.ones(2, 4) for _ in range(6)]

def evaluate():
    return sum(model(batch.cuda()).sum().item() for batch in batches)

for step, batch in enumerate(batches):
    output = model(batch.to(device))
    loss = output.sum() + Categorical(logits=output).log_prob(torch.zeros(2, device=device)).sum()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scale = scaler.get_scale()
    if step == 3:
        print(loss)
print(evaluate())
"""


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory, one_server: None) -> dict[str, tuple[str, str]]:
    """Run a program without findings, and return the report of each line of its code, and how."""
    folder = tmp_path_factory.mktemp("around")
    (folder / "around.py").write_text(AROUND, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = verified([], "--simulate", "around.py")
    assert result.exit_code == 0, result.output
    rows = re.findall(r"^  ([A-Z -]+?)  +around.py:(\d+):\d+  +(\d.*?)   ", result.stdout, re.MULTILINE)
    return {AROUND.splitlines()[int(line) - 1].strip(): (status, told) for status, line, told in rows}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(10)]).to(device)", "20 waits, in 1 of 6 steps"),
        ("return sum(model(batch.cuda()).sum().item() for batch in batches)", "6 waits, in 1 of 6 steps"),
        ("print(loss)", "8 waits, in 1 of 6 steps"),
    ],
)
def test_many_waits_in_one_step_are_not_those_of_every_step(
    code: str, told: str, around: dict[str, tuple[str, str]]
) -> None:
    assert around[code] == ("ONCE-ONLY", told)


@pytest.mark.parametrize(
    "code",
    [
        "output = model(batch.to(device))",
        "loss = output.sum() + Categorical(logits=output).log_prob(torch.zeros(2, device=device)).sum()",
        "scaler.step(optimizer)",
    ],
)
def test_a_wait_that_no_rule_is_about_is_not_missed(code: str, around: dict[str, tuple[str, str]]) -> None:
    assert around[code][0] == "NO RULE"


def test_what_a_program_reads_by_itself_is_missed(around: dict[str, tuple[str, str]]) -> None:
    assert around["scale = scaler.get_scale()"] == ("MISSED", "6 waits, 1.00 per step")


@pytest.mark.parametrize(
    ("call", "is_a_move"),
    [
        ("batch.to(device)", True),
        ("model.cuda()", True),
        ("batch.to(device=device)", True),
        ("batch.to('cpu')", False),
        ("batch.to(device='cpu')", False),
        ("batch.cpu()", False),
        ("loss.item()", False),
        ("move(batch)", False),
    ],
)
def test_a_real_gpu_calls_every_wait_the_same_and_the_code_says_which_is_a_move(
    call: str, is_a_move: bool, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(f"日本 = 1; x = {call}\n", encoding="utf-8")
    start = len("日本 = 1; x = ".encode())
    site = Site(str(tmp_path / "train.py"), 1, 1, start, start + len(call), "<module>", "")

    assert is_unruled(Wait(site, Kind.STREAM, "wait for a stream")) == is_a_move


def test_a_package_of_another_environment_is_not_the_programs_own(tmp_path: Path) -> None:
    sites = Sites(tmp_path)

    assert sites.is_own(str(tmp_path / "train.py"))
    for folder in ("site-packages", "dist-packages"):
        assert not sites.is_own(f"/elsewhere/lib/python3/{folder}/torch/nn/modules/module.py")
        assert not sites.is_own(str(tmp_path / "lib" / folder / "torch" / "_tensor.py"))


def test_a_finding_that_is_not_about_waits_is_left_out(found: dict[str, list[str]]) -> None:
    assert "main(verbose=False)" not in found


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python keeps no columns before 3.11")
def test_two_calls_on_a_line_are_told_apart(found: dict[str, list[str]]) -> None:
    assert found["loss.item(); 日本"] == ["confirmed"]
    assert found["loss.item()"] == ["no rule"]
    assert found["loss > 100"] == ["missed"]


READ_BEFORE = """
import torch

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(4, device="cuda"))], lr=0.1)
for step in range(4):
    output = optimizer.param_groups[0]["params"][0].square()
    loss = output.mean()
    loss.backward()
    optimizer.step()
    value = loss.item()
    print(loss)
    text = str(loss.detach())
    shown = f"{loss:.3f}"
    print(output)
    best = loss * 2
    print(best)
"""


@pytest.fixture(scope="module")
def read_before(tmp_path_factory: pytest.TempPathFactory, one_server: None) -> dict[str, str]:
    """Lint and run a program that reads a number more than once, and return the statuses of its lines."""
    folder = tmp_path_factory.mktemp("read_before")
    (folder / "train.py").write_text(READ_BEFORE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(program, ["verify", "--simulate", "train.py"])
    assert result.exit_code == 0, result.output
    rows = re.findall(r"^  ([A-Z -]+?)  +train.py:(\d+)", result.stdout, re.MULTILINE)
    return {READ_BEFORE.splitlines()[int(line) - 1].strip(): status for status, line in rows}


@pytest.mark.parametrize("code", ["print(loss)", "text = str(loss.detach())", 'shown = f"{loss:.3f}"'])
def test_a_number_that_was_read_before_is_neither_reported_nor_missed(code: str, read_before: dict[str, str]) -> None:
    assert read_before[code] == "NO RULE"


@pytest.mark.parametrize("code", ["value = loss.item()", "print(output)", "print(best)"])
def test_what_waits_for_new_work_or_copies_a_vector_is_reported(code: str, read_before: dict[str, str]) -> None:
    assert read_before[code] == "CONFIRMED"


def test_a_run_ends_when_its_time_is_up_and_tells_what_it_saw(project: Path) -> None:
    (project / "endless.py").write_text("import torch\nx = torch.ones((), device='cuda')\nwhile True: x.item()\n")

    result = verified([], "--simulate", "--time-limit", "1", "endless.py")

    assert result.exit_code == 0
    assert "stopped after 1 s; what comes later was not reached" in result.stdout
    assert "MISSED" in result.stdout
    assert "x.item()" in result.stdout


def test_the_script_gets_its_own_arguments(project: Path) -> None:
    (project / "echo.py").write_text("import sys\nopen('got', 'w').write(str(sys.argv[1:]))\n")

    result = verified([], "--simulate", "echo.py", "--steps", "7", "-v")

    assert result.exit_code == 0
    assert (project / "got").read_text() == "['--steps', '7', '-v']"
    assert "echo.py gets `--steps`, `-v`: what is meant for torchlint stands before it\n" in result.stderr


@pytest.mark.parametrize("page", [["--html", "new/page.html"], ["--html=new/page.html"]])
@pytest.mark.parametrize("is_first", [True, False])
def test_the_page_is_asked_for_before_the_script_or_after_it(page: list[str], is_first: bool, project: Path) -> None:
    (project / "echo.py").write_text("import sys\nopen('got', 'w').write(str(sys.argv[1:]))\n")

    result = verified([], "--simulate", *(page * is_first), "echo.py", "--lr", "1", *(page * (not is_first)))

    assert result.exit_code == 0
    assert (project / "got").read_text() == "['--lr', '1']"
    assert "<title>echo.py" in (project / "new" / "page.html").read_text()


def test_after_two_dashes_everything_is_the_scripts(project: Path) -> None:
    (project / "echo.py").write_text("import sys\nopen('got', 'w').write(str(sys.argv[1:]))\n")

    verified([], "--simulate", "echo.py", "--", "--html", "its.html")

    assert (project / "got").read_text() == "['--html', 'its.html']"
    assert not (project / "its.html").exists()


def test_nothing_in_a_program_moves_the_cursor(project: Path) -> None:
    (project / "sly.py").write_text("import torch\nraise ValueError('\\x1b[2Jgone \u202e')\n")

    result = verified([], "--simulate", "sly.py")

    assert "\x1b" not in result.stdout
    assert "ValueError: \u241b[2Jgone \ufffd" in result.stdout


def test_columns_are_counted_in_the_files_own_encoding(project: Path) -> None:
    source = (
        "# coding: latin-1\nimport torch\nx = torch.ones((), device='cuda')\nfor é in 'é', 'à': y = 'é', x.item()\n"
    )
    (project / "latin.py").write_bytes(source.encode("latin-1"))

    result = verified([], "--simulate", "latin.py")

    assert "latin.py:4:29" in result.stdout
    assert "  x.item()  [scalar read]" in result.stdout


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("x = 1\ndef f(:\n", "stopped in line 2 by SyntaxError: invalid syntax"),
        ("import sys\nsys.exit('no data here')\n", "ended by sys.exit: no data here"),
    ],
)
def test_a_program_that_does_not_come_far_is_told_with_its_line(project: Path, program: str, words: str) -> None:
    (project / "short.py").write_text(program)

    result = verified([], "--simulate", "short.py")

    assert result.exit_code == 1
    assert words in result.stdout


def test_what_lies_around_the_program_and_is_not_part_of_it_is_left_out(project: Path) -> None:
    (project / "other.py").write_text("print('nothing of this is imported')\n")

    result = verified(SAID, "--simulate", "other.py")

    assert result.exit_code == 0
    assert "NOT REACHED" not in result.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells us of processes that left our session")
def test_what_a_program_starts_ends_with_it(project: Path) -> None:
    child = "os.setsid(); open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    code = f"import os, time\nif os.fork() == 0:\n    {child}\n"
    (project / "leaves.py").write_text(code + "while not os.path.exists('pid') or not open('pid').read(): pass\n")

    result = verified([], "--simulate", "leaves.py")

    assert result.exit_code == 0
    assert not Path("/proc", (project / "pid").read_text()).exists()


def test_a_program_that_raises_is_told_with_its_line(project: Path) -> None:
    (project / "wrong.py").write_text("import torch\n\ntorch.ones(2, device='cuda') + torch.ones(2)\n")

    result = verified([], "--simulate", "wrong.py")

    assert result.exit_code == 1
    assert "stopped in line 3 by RuntimeError: Expected all tensors to be on the same device" in result.stdout


@pytest.mark.parametrize(("gpus", "is_told"), [("1", True), ("2", False)])
def test_a_program_that_wants_more_gpus_is_told_how_to_get_them(project: Path, gpus: str, is_told: bool) -> None:
    (project / "second.py").write_text("import torch\n\ntorch.ones(2, device='cuda:1')\n")

    result = verified([], "--simulate", "--gpus", gpus, "second.py")

    assert ("; `--gpus N`, before the script, simulates more\n" in result.stdout) is is_told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.py"], "error: path does not exist: missing.py"),
        (["kept-graph", "train.py"], "error: verify takes rules, or one script and its arguments"),
        (
            ["--record", "r.json", "train.py"],
            "error: `--record` keeps what came of the rules; of a script, `--html` or `--output-format json` does",
        ),
        (
            ["kept-graph", "--html", "report.html"],
            "error: `--html` shows a script: name one, as in `torchlint verify train.py --html report.html`",
        ),
        (["hardcodedcuda"], "error: no rule `hardcodedcuda` to verify; did you mean `hardcoded-cuda`?"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(project: Path, arguments: list[str], words: str) -> None:
    result = verified([], *arguments)

    assert result.exit_code == 2
    assert result.stderr == f"{words}\n"


def test_a_run_leaves_nothing_behind_but_what_the_program_writes(project: Path) -> None:
    before = {path.name for path in project.iterdir()}

    result = verified(SAID, "--simulate", "--steps", "5", "train.py")

    assert result.stderr.startswith("running train.py: what it prints goes to stderr")
    assert "5 optimizer steps" in result.stdout
    assert "stopped after 5 steps, as asked" in result.stdout
    assert {path.name for path in project.iterdir()} - before <= {"__pycache__"}
    assert not any(b"__torchlint_reached__" in path.read_bytes() for path in project.rglob("*.pyc"))
