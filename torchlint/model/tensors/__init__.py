"""What else is known of tensors: their dimensions, what loaders yield, which values are no tensors."""
