"""What autograd records and refuses, what becomes of gradients, and what optimizers step with."""
