"""`torchlint verify SCRIPT`: what a run makes of the linter's findings."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("torch", reason="what is run is a PyTorch program")


from pathlib import Path

from torchlint import Confidence, Finding, Severity, Span
from torchlint.verify.command import verify_command

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


def test_a_finding_that_is_not_about_waits_is_left_out(found: dict[str, list[str]]) -> None:
    assert "main(verbose=False)" not in found


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python keeps no columns before 3.11")
def test_two_calls_on_a_line_are_told_apart(found: dict[str, list[str]]) -> None:
    assert found["loss.item(); 日本"] == ["confirmed"]
    assert found["loss.item()"] == ["missed"]
    assert found["loss > 100"] == ["missed"]


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
