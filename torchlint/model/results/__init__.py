"""What calls return: of functions of the project, of Python, of PyTorch and its companions."""
