"""What programs about guards start with, and the rule that speaks where there is none."""

from __future__ import annotations

RULE = "hardcoded-cuda"
HEAD = "import os\nimport sys\nimport torch\nfrom torch import nn\nmodel = nn.Linear(2, 2)\n"
