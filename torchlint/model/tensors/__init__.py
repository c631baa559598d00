"""What else is known of tensors: their dimensions, what loaders yield, what is none."""
