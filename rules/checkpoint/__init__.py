"""What is saved and loaded: state dicts, files of weights."""
