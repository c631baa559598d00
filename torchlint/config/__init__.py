"""The settings of a project, in `pyproject.toml` or a file of our own."""

from torchlint.config.extensions import LANGUAGES, extension_mistake
from torchlint.config.layer import Layer, merged
from torchlint.config.load import config_in, find_config, load_config
from torchlint.config.nested_requirements import nested_requirements
from torchlint.config.requirements import inferred_companions, inferred_target
from torchlint.config.settings import Config, default_config

__all__ = [
    "LANGUAGES",
    "Config",
    "Layer",
    "config_in",
    "default_config",
    "extension_mistake",
    "find_config",
    "inferred_companions",
    "inferred_target",
    "load_config",
    "merged",
    "nested_requirements",
]
