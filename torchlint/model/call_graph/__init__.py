"""What an import names, the callers of functions, and the hierarchy of classes."""
