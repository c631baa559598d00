"""What finds the mistakes of the rules on `torch.compile`."""
