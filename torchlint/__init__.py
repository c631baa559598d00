"""Find mistakes in PyTorch code without running it.

What the author of a rule needs is here, and nothing else is public: a rule asks a
`SourceFile` what the code means, and answers with `Finding`s.
"""

from pathlib import Path

from torchlint.finding import Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.model import SourceFile
from torchlint.rule import Rule

__all__ = ["Confidence", "Edit", "Finding", "Fix", "Rule", "Severity", "SourceFile", "Span", "Step"]
__version__ = "0.1.0"

# A checkout keeps `rules/` and `fixtures/` beside this package; a wheel carries them inside it.
if not Path(__file__).with_name("rules").is_dir():
    __path__.append(str(Path(__file__).parents[1]))
