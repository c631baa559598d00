"""The beginning of programs about guards, and the rule that reports without one."""

from __future__ import annotations

RULE = "hardcoded-cuda"
HEAD = "import os\nimport sys\nimport torch\nfrom torch import nn\nmodel = nn.Linear(2, 2)\n"
