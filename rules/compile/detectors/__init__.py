"""Detectors of the rules on `torch.compile`."""
