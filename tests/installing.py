"""Rule packs, put where packages are installed without installing anything."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from torchlint.packs import installed_packs
from torchlint.registry import installed_rules

RULE = '''
from torchlint import Confidence, Rule, Severity


class SeededTwice(Rule):
    """Seed once.

    What is seeded twice is as random as what is not.
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("manual_seed",)
    option_defaults = {"at_least": 2}

    def check(self, file):
        calls = list(file.calls("torch.manual_seed"))
        for call in calls[1:] if len(calls) >= self.options["at_least"] else ():
            yield self.finding(call, "`torch.manual_seed` is called again; seed once")
'''
TWICE = "import torch\n\ntorch.manual_seed(0)\ntorch.manual_seed(0)\n"


def put_pack(folder: Path, name: str = "dice", *, rule: str = RULE, package: str = "") -> None:
    """Write a pack of one rule into a folder, as an installer would."""
    package = package or f"lint_{name}"
    rules = folder / package / "rules" / "randomness"
    rules.mkdir(parents=True)
    for above in (folder / package, rules.parent, rules):
        (above / "__init__.py").touch()
    (rules / "seeded_twice.py").write_text(dedent(rule))
    programs = folder / package / "fixtures" / "seeded-twice"
    programs.mkdir(parents=True)
    (programs / "bad.py").write_text('"""Twice."""\n#: unproved  a game\n\n' + TWICE.rstrip() + "  # error\n")
    (programs / "good.py").write_text("import torch\n\ntorch.manual_seed(0)\n")
    declare(folder, name, f"{package}.rules")


def declare(folder: Path, name: str, package: str) -> None:
    """Write the metadata of a distribution that says where the rules of a pack are."""
    metadata = folder / f"lint_{name}-1.2.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lint-{name}\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[torchlint.rules]\n{name} = {package}\n")


def forget_packs() -> None:
    """Have torchlint search for packs again."""
    installed_packs.cache_clear()
    installed_rules.cache_clear()
