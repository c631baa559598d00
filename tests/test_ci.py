"""The action and the template do in CI what their documents say: their scripts are run here as they are there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

_CHECKOUT = Path(__file__).parents[1]
_DEMO = _CHECKOUT / "fixtures" / "demo-project"
_ACTION = yaml.safe_load((_CHECKOUT / "action.yml").read_text("utf-8"))
_SPEC, _TEMPLATE = yaml.safe_load_all((_CHECKOUT / "templates" / "torchlint.yml").read_text("utf-8"))
_WORKFLOW = yaml.safe_load((_CHECKOUT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
_INPUT = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")
_FINDINGS = 5

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash and the folders of a runner of Linux")


@dataclass(frozen=True, slots=True)
class Runner:
    """A machine that runs one job in a checkout of the demo; `torchlint` is the command under test."""

    workspace: Path
    temp: Path

    @property
    def outputs(self) -> dict[str, str]:
        """Return what the steps have put out so far."""
        lines = (self.temp / "output").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def summary(self) -> str:
        """Return the page of the job."""
        return (self.temp / "summary").read_text()

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a step as the runner does: `bash` stops at the first command that fails."""
        own = {
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_ACTIONS": "true",
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        environment = os.environ | own | variables
        return subprocess.run(command, cwd=self.workspace, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Return a runner with torchlint of this checkout among its programs."""
    workspace, temp = tmp_path / "work space", tmp_path / "temp"
    shutil.copytree(_DEMO, workspace / "demo project")
    programs = temp / "torchlint" / "bin"
    programs.mkdir(parents=True)
    program = programs / "torchlint"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{_CHECKOUT}" exec "{sys.executable}" -m torchlint "$@"\n')
    program.chmod(0o755)
    return Runner(workspace, temp)


def step(name: str) -> dict[str, str]:
    found: dict[str, str] = next(one for one in _ACTION["runs"]["steps"] if one.get("id") == name)
    return found


def lint(runner: Runner, paths: str, args: str = "") -> subprocess.CompletedProcess[str]:
    return runner.run(
        step("lint")["run"],
        PROGRAMS=str(runner.temp / "torchlint" / "bin"),
        PATHS=paths,
        ARGS=args,
        SARIF="out/torchlint.sarif",
        FOLDER=".",
    )


def test_the_action_annotates_summarises_writes_sarif_and_fails_the_job(runner: Runner) -> None:
    done = lint(runner, "demo project\n")

    assert done.returncode == 1, done.stderr
    assert len(re.findall(r"^::(?:error|warning) file=demo project/", done.stdout, re.MULTILINE)) == _FINDINGS
    assert "Found 5 findings at 6 places" in runner.summary
    assert runner.outputs == {"exit-code": "1", "sarif-file": "./out/torchlint.sarif"}
    sarif = json.loads((runner.workspace / "out" / "torchlint.sarif").read_text())
    assert len(sarif["runs"][0]["results"]) == _FINDINGS


def test_the_action_passes_options_and_several_paths_on(runner: Runner) -> None:
    paths = "demo project/model.py\ndemo project/train.py"

    done = lint(runner, paths, "--select\nkept-graph\n--exit-zero\n")

    assert (done.returncode, runner.outputs["exit-code"]) == (0, "0")
    assert done.stdout.count("::warning") + done.stdout.count("::error") == 1


def test_what_cannot_be_done_fails_the_action_with_2(runner: Runner) -> None:
    done = lint(runner, "$(touch made); nowhere.py")

    assert done.returncode == 2
    assert "path does not exist: $(touch made); nowhere.py" in done.stderr
    assert not (runner.workspace / "made").exists()
    assert runner.outputs["exit-code"] == "2"


def test_the_action_completes_a_shallow_checkout_for_diff_base(runner: Runner, tmp_path: Path) -> None:
    origin, demo = tmp_path / "origin", runner.workspace / "demo project"
    shutil.copytree(demo, origin)
    for words in ("init -b main", "add .", "commit -m all", "checkout -b change", "commit --allow-empty -m more"):
        git(words, origin)
    (origin / "model.py").write_text("import torch\n\nnet = torch.nn.Linear(1, 1).cuda()\n")
    git("commit -a -m net", origin)
    shutil.rmtree(demo)
    git(f"clone --depth=1 --branch=change file://{origin} demo", runner.workspace)
    inside = Runner(runner.workspace / "demo", runner.temp)

    done = lint(inside, ".", "--diff-base=origin/main")

    assert done.returncode == 1, done.stderr
    assert re.findall(r"^::\w+ file=([^,]*)", done.stdout, re.MULTILINE) == ["model.py"]


def git(words: str, folder: Path) -> None:
    """Run git, with words that have no spaces in them."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *words.split()], cwd=folder, capture_output=True, check=True)


@pytest.mark.slow
def test_the_action_installs_itself(runner: Runner) -> None:
    shutil.rmtree(runner.temp / "torchlint")

    done = runner.run(step("install")["run"], VERSION="", ACTION_PATH=str(_CHECKOUT))

    assert done.returncode == 0, done.stderr
    version = runner.run(f'"{runner.outputs["programs"]}/torchlint" --version')
    assert version.stdout.startswith("torchlint ")


def test_no_script_of_the_action_holds_what_a_user_wrote() -> None:
    scripts = [one["run"] for one in _ACTION["runs"]["steps"] if "run" in one]

    asked = re.findall(r"\$\{\{.*?inputs\.([\w-]+).*?\}\}", str(_ACTION))
    assert not [script for script in scripts if "${{" in script]
    assert {*asked} == {*_ACTION["inputs"]}


def test_the_template_of_gitlab_writes_the_reports_that_it_names(runner: Runner) -> None:
    job = _TEMPLATE["torchlint"]
    given = {name: one["default"] for name, one in _SPEC["spec"]["inputs"].items()} | {"paths": '"demo project"'}
    install, script = (_INPUT.sub(lambda found: given[found[1]], line) for line in job["script"])

    done = runner.run(f'PATH="{runner.temp}/torchlint/bin:$PATH"; {script}', GITHUB_ACTIONS="", GITHUB_STEP_SUMMARY="")

    assert install.endswith('"torchlint"')
    assert done.returncode == 1, done.stderr
    reports = job["artifacts"]["reports"]
    assert len(json.loads((runner.workspace / reports["codequality"]).read_text())) == _FINDINGS
    assert ET.parse(runner.workspace / reports["junit"]).getroot().get("failures") == str(_FINDINGS)
    assert [*reports.values()] == job["artifacts"]["paths"]


def test_our_own_workflow_runs_what_there_is() -> None:
    steps = [step for job in _WORKFLOW["jobs"].values() for step in job["steps"]]
    scripts = [step["run"] for step in steps if step.get("run", "").startswith(".ci/")]

    assert scripts == [".ci/run", ".ci/sarif", ".ci/vscode"]
    assert all(os.access(_CHECKOUT / script, os.X_OK) for script in scripts)
    assert {name for step in steps if step.get("uses") == "./" for name in step["with"]} <= {*_ACTION["inputs"]}


def test_the_validator_of_sarif_comes_from_npm() -> None:
    steps = _WORKFLOW["jobs"]["sarif"]["steps"]
    order = [step.get("uses", step.get("run", "")).partition("@")[0] for step in steps]

    assert order.index("actions/setup-node") < order.index(".ci/sarif")
    assert "npm install" in (_CHECKOUT / ".ci" / "sarif").read_text("utf-8")
