"""What modules are trained with: loaders, samplers, batches."""
