"""What a project settles for itself, in `pyproject.toml` or a file of our own."""

from torchlint.config.load import find_config, load_config
from torchlint.config.requirements import inferred_target
from torchlint.config.settings import Config, default_config

__all__ = ["Config", "default_config", "find_config", "inferred_target", "load_config"]
