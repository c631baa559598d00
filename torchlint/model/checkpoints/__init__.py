"""What is saved and loaded: state dicts, whole modules, and the best of them so far."""
