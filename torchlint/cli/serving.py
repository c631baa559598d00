"""`torchlint server` and `torchlint mcp`: lint for an editor or for a programming agent."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN
from torchlint.cli.finding_filter import FindingFilter
from torchlint.cli.fixing import may_be_fixed
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import planned_text
from torchlint.config import Config
from torchlint.engine import Job
from torchlint.errors import UsageError
from torchlint.report import FileReport
from torchlint.server import Planned

NO_MCP = '`torchlint mcp` needs the SDK of the Model Context Protocol: pip install "torchlint[mcp]"'
NO_PYGLS = '`torchlint server` needs pygls: pip install "torchlint[lsp]"'


def serve() -> int:
    """Serve the editor at the other end of stdin and stdout until it ends."""
    if find_spec("pygls") is None:
        raise UsageError(NO_PYGLS)
    from torchlint.server.language import serve as serve_with

    serve_with(planned)
    return CLEAN


def serve_agent() -> int:
    """Serve the programming agent at the other end of stdin and stdout until it closes them."""
    if find_spec("mcp") is None:
        raise UsageError(NO_MCP)
    from torchlint.server.agents import serve as serve_with

    serve_with()
    return CLEAN


def planned(path: Path) -> Planned | None:
    """Return how to lint a file, with all configuration read again; None for one that is excluded."""
    options = LintOptions(paths=(str(path),), force_exclude=True)
    configs = Configs(options)
    if (found := planned_text(str(path), configs)) is None:
        return None
    job, target = found
    sieve = FindingFilter(options, configs)
    config = configs.of(path.parent)
    return Planned(job, target, partial(_counted, job, sieve, config), config.group is not False, config.site or "")


def _counted(job: Job, sieve: FindingFilter, config: Config, report: FileReport) -> FileReport:
    """Return a report with what counts, and with the fixes that may be made."""
    (report,) = sieve.through([report], [job])
    findings = (one if may_be_fixed(one, config) else replace(one, fix=None) for one in report.findings)
    return replace(report, findings=tuple(findings))
