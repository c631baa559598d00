"""What an `nn.Module` has: parameters, buffers, other modules, and what moves with it."""
