"""Detectors of the rules on waits."""
