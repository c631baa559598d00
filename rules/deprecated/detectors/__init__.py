"""Detectors of the rules on names and arguments that PyTorch has removed or deprecated."""
