"""What an import names, who calls and who inherits what."""
