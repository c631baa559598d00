"""Detectors of the rules on checkpoints."""
