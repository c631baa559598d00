"""Detectors of the rules on several processes and GPUs."""
